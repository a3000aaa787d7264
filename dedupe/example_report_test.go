package dedupe_test

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/onerow-go/onerow/dedupe"
)

func ExampleReport_String() {
	report := dedupe.Report{In: 1200, Kept: 900, Deletes: 12, Superseded: 250, Duplicates: 48, SetAside: 2, NullKeyRows: 2}
	fmt.Println(report)
	// Output:
	// rows in                1200
	//   kept                  900
	//     deletes              12
	//   superseded            250
	//   duplicates             48
	//   set aside               2
	// rows with NULL in key     2
}

func ExampleReport_LogValue() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("deduped", "customers", dedupe.Report{In: 3, Kept: 2, Superseded: 1})
	// Output:
	// level=INFO msg=deduped customers.in=3 customers.kept=2 customers.superseded=1 customers.duplicates=0
}
