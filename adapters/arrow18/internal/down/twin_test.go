package down_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the package up")

// The two directions are one text with the versions exchanged.
func TestTwins(t *testing.T) {
	exchange := strings.NewReplacer(
		"github.com/apache/arrow/go/v15", "github.com/apache/arrow-go/v18",
		"github.com/apache/arrow-go/v18", "github.com/apache/arrow/go/v15",
		"package down\n", "package up\n",
	)
	own := map[string]bool{"doc.go": true, "version.go": true}
	down, err := filepath.Glob("[^_]*.go")
	if err != nil || len(down) < 5 {
		t.Fatal(down, err)
	}
	files := 0
	for _, name := range down {
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") {
			continue
		}
		files++
		if own[base] {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, twin := exchange.Replace(string(text)), filepath.Join("../up", base)
		if *update {
			if err := os.WriteFile(twin, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(twin); err != nil || string(got) != want {
			t.Errorf("%s isn't the twin of %s (%v): change the latter, then go test ./internal/down -update", twin, name, err)
		}
	}
	up, err := filepath.Glob("../up/*.go")
	if err != nil || len(up) != files {
		t.Errorf("up has %d files, down %d", len(up), files)
	}
}
