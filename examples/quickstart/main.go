// Command quickstart shows what onerow is for, on a change feed that ships with it:
//
//	go run ./examples/quickstart
//
// The feed is what a consumer of a Debezium topic got: a snapshot of a table, then its changes, some of them twice. The
// program counts what would go wrong in plain merges of it, keeps the latest row of each key, and proves that no key repeats.
// Then it keeps the history: it merges the feed poll by poll, one of them late and one twice, proves after each that the
// history is sound, and draws the versions of one key beside what a plain merge makes of them.
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/scd2"
)

func main() {
	if err := run(context.Background(), os.Stdout, memory.DefaultAllocator); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// poll is the number of messages that the consumer gets at a time.
const poll = 300

// key is what one row of the table stands for.
var key = []string{"tenant_id", "customer_id"}

// order is the order of truth: transactions by their commits, then the place in the transaction. The greatest wins.
var order = []onerow.Order{onerow.Desc("after_commit"), onerow.Desc("total_order")}

// options say what the columns mean.
var options = dedupe.Options{
	Op: dedupe.Op{
		Column:      "op",
		Delete:      []onerow.Value{"d"},
		Snapshot:    []onerow.Value{"r"}, // older than every change
		PreviousKey: []string{"old_tenant_id", "old_customer_id"},
	},
	Fill: []dedupe.Fill{{Column: "notes", Unavailable: unavailable}},
}

func run(ctx context.Context, out io.Writer, alloc memory.Allocator) error {
	messages, err := readFeed(feed)
	if err != nil {
		return err
	}

	// Each poll becomes one record batch, as in any pipeline.
	var batches []arrow.Record
	defer func() { release(batches) }()
	for part := range slices.Chunk(messages, poll) {
		batch, err := makeRecord(part, alloc)
		if err != nil {
			return err
		}
		batches = append(batches, batch)
	}

	// Would a MERGE of each batch work? It fails when several rows of the batch match one row of the table.
	var grains []*grain.Report
	for _, batch := range batches {
		report, err := grain.Check(ctx, []arrow.Record{batch}, key, grain.Options{})
		if err != nil {
			return err
		}
		grains = append(grains, report)
	}

	// The latest row of each key, over all batches.
	opts := options
	opts.Resources.Allocator = alloc
	plan, err := dedupe.Latest(ctx, batches, key, order, opts)
	if err != nil {
		return err
	}
	latest, err := plan.Take(ctx, alloc)
	if err != nil {
		return err
	}
	defer latest.Release()

	// The proof: one key, one row.
	proof, err := grain.Check(ctx, []arrow.Record{latest}, key, grain.Options{})
	if err != nil {
		return err
	}
	if err := proof.Err(); err != nil {
		return err
	}

	right := outcomes(latest)
	show := &printer{out: out}
	show.batches(len(messages), grains)
	show.naive(compareNaive(messages, right), len(right))
	show.outcome(plan.Report, proof, len(right))
	show.life(messages, right)
	show.firstRows(latest)
	if err := runHistory(ctx, show, messages, right, alloc); err != nil {
		return err
	}
	return show.err
}

// runHistory keeps the history of the feed, and shows it beside that of a naive merge.
func runHistory(ctx context.Context, show *printer, messages []*message, latest map[customerKey]outcome, alloc memory.Allocator) error {
	kept, err := keepHistory(ctx, messages, deliveries, alloc)
	if err != nil {
		return err
	}
	defer kept.release()
	if err := kept.agree(ctx, latest); err != nil {
		return err
	}
	show.history(kept.steps, len(latest))

	naive := naiveHistory(messages, deliveries)
	naiveTable, err := historyRecord(naive, alloc)
	if err != nil {
		return err
	}
	defer naiveTable.Release()
	proof, err := scd2.Check(ctx, scd2.Table{Key: key, Batches: []arrow.Record{naiveTable}}, scd2.CheckOptions{MaxFindings: -1})
	if err != nil {
		return err
	}
	show.naiveHistory(proof)

	k := choosePictured(kept.table.Batches, naive)
	right, err := takePicture(ctx, kept.table.Batches, k, alloc)
	if err != nil {
		return err
	}
	defer right.versions.Release()
	wrong, err := takePicture(ctx, []arrow.Record{naiveTable}, k, alloc)
	if err != nil {
		return err
	}
	defer wrong.versions.Release()
	show.pictures(k, axisOf(messages), right, wrong)
	return nil
}

// axisOf is a time line from the first change to the last.
func axisOf(messages []*message) axis {
	a := axis{lo: math.MaxInt64, cells: 26}
	for _, m := range messages {
		if m.afterCommit > 0 { // no snapshot read
			a.lo, a.hi = min(a.lo, m.afterCommit), max(a.hi, m.afterCommit)
		}
	}
	return a
}

func release(batches []arrow.Record) {
	for _, b := range batches {
		b.Release()
	}
}
