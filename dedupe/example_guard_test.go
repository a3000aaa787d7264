package dedupe_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

var lsn = arrow.Field{Name: "lsn", Type: arrow.PrimitiveTypes.Int64}

// A service starts: it reads what the target has, key and order alone.
func ExampleNewGuard() {
	target := table(`[{"id": 1, "lsn": 10}, {"id": 2, "lsn": 20}]`, id, lsn)
	ctx := context.Background()
	guard, err := dedupe.NewGuard(ctx, target, []string{"id"}, []onerow.Order{onerow.Desc("lsn")}, dedupe.Options{})
	if err != nil {
		log.Fatal(err)
	}
	plan, err := guard.Latest(ctx, table(`[{"id": 1, "lsn": 10, "email": "ann@example"}, {"id": 3, "lsn": 11, "email": "cyd@example"}]`, id, lsn, email))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Rows, "are newer,", plan.Stale, "are not")
	// Output:
	// [1] are newer, [0] are not
}

// The batch comes twice, as brokers do it when an acknowledgement is lost. Only once is there something to write.
func ExampleGuard_Latest() {
	ctx := context.Background()
	guard, err := dedupe.NewGuard(ctx, nil, []string{"id"}, []onerow.Order{onerow.Desc("lsn")}, dedupe.Options{})
	if err != nil {
		log.Fatal(err)
	}
	batch := table(`[{"id": 1, "lsn": 10, "email": "ann@old.example"}, {"id": 1, "lsn": 11, "email": "ann@example"}]`, id, lsn, email)
	for range 2 {
		plan, err := guard.Latest(ctx, batch)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("write %d, stale %d, of these replays %d\n", plan.Report.Kept, plan.Report.Stale, plan.Report.Replays)
		if err := guard.Advance(ctx, plan); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// write 1, stale 0, of these replays 0
	// write 0, stale 2, of these replays 1
}

// The guard advances after the write, and only then: what failed to be written is found again. A plan counts once.
func ExampleGuard_Advance() {
	ctx := context.Background()
	guard, err := dedupe.NewGuard(ctx, nil, []string{"id"}, []onerow.Order{onerow.Desc("lsn")}, dedupe.Options{})
	if err != nil {
		log.Fatal(err)
	}
	disk := errors.New("disk full")
	write := func(plan *dedupe.Plan) error {
		rec, err := plan.Take(ctx, nil)
		if err != nil {
			return err
		}
		defer rec.Release()
		err, disk = disk, nil
		return err
	}
	batch := table(`[{"id": 1, "lsn": 10, "email": "ann@example"}]`, id, lsn, email)
	for range 2 {
		plan, err := guard.Latest(ctx, batch)
		if err != nil {
			log.Fatal(err)
		}
		if err := write(plan); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println("written:", plan.Rows, guard.Advance(ctx, plan))
		fmt.Println(guard.Advance(ctx, plan))
	}
	// Output:
	// disk full
	// written: [0] <nil>
	// stale base: the guard was advanced since the plan was made, or by it
}

// A guard that has the op column remembers deletes: older rows of the key stay out.
func ExampleGuard_Len() {
	op := arrow.Field{Name: "op", Type: arrow.BinaryTypes.String}
	ctx := context.Background()
	guard, err := dedupe.NewGuard(ctx, table(`[{"id": 1, "lsn": 10, "op": "c"}]`, id, lsn, op), []string{"id"}, []onerow.Order{onerow.Desc("lsn")},
		dedupe.Options{Op: dedupe.Op{Column: "op", Delete: []onerow.Value{"d"}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, change := range []string{`[{"id": 1, "lsn": 12, "op": "d"}]`, `[{"id": 1, "lsn": 11, "op": "u"}]`} {
		plan, err := guard.Latest(ctx, table(change, id, lsn, op))
		if err != nil {
			log.Fatal(err)
		}
		if err := guard.Advance(ctx, plan); err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(plan.Deletes), "to delete,", len(plan.Stale), "stale,", guard.Len(), "key known")
	}
	// Output:
	// 1 to delete, 0 stale, 1 key known
	// 0 to delete, 1 stale, 1 key known
}
