// Command pgcdc keeps a table, or its history, up to date from a PostgreSQL change feed that was delivered at least once: it reads
// a snapshot and the feed after it, micro-batch by micro-batch, and writes what the table holds at the end, or every version that
// its rows ever had.
//
//	go run ./examples/pgcdc -dir DIR -table customers -out FILE.csv
//	go run ./examples/pgcdc -dir DIR -table customers -history -out FILE.csv
//	go run ./examples/pgcdc -dir DIR -table customers -history -shuffle SEED -out FILE.csv
//
// DIR holds initial_TABLE.csv.gz and replayed.jsonl.gz; a small such folder is examples/testdata/pgcdc, whose README
// says what is in the files. FILE is a CSV file with a header, in which \N is NULL; it is compressed when its name ends
// in .gz. With -v a summary is printed.
//
// The feed has what breaks a plain MERGE: events that come again, alone or in whole batches; several events of a row in
// one batch; deletes, and events from before a delete that come after it; rows that change their key; large values that
// are left out because they didn't change; a column that is added on the way; a truncate.
//
// # The table
//
// Each step of the work is one call of [dedupe.Latest]:
//
//	micro-batch ─► record ──┐
//	                        ├─► dedupe.Latest ─► winners, ended keys ─► target
//	target's rows of  ──────┘
//	the same keys
//
// # The history
//
// With -history each step is one call of [scd2.Plan], and [scd2.Check] looks at what came of it:
//
//	micro-batch ─► fill ─► record ──┐
//	                                ├─► scd2.Plan ─► Apply, State ─► the next history and state ─► scd2.Check
//	history, state ─────────────────┘
//
// FILE has the table's columns, then valid_from and valid_to, sorted by key and start. A version is valid from the commit that made it, by its
// position in the log, to the commit that ended it; valid_to is NULL while it is open. What a row was inside a
// transaction is no version. Large values that were left out are filled in before the plan is made; see carrier.
//
// With -shuffle the events come in random order over random batches, and the history is the same: the state that goes from step to step knows
// what the history doesn't show.
//
// Target, history and state are in memory here. A service would look rows of the same keys up in its tables instead, and write what
// changed back in one transaction.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr, memory.DefaultAllocator)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "pgcdc:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer, alloc memory.Allocator) error {
	flags := flag.NewFlagSet("pgcdc", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("dir", "", "the `folder` with initial_TABLE.csv.gz and replayed.jsonl.gz")
	name := flags.String("table", "", "the `table` to build: "+tableNames())
	out := flags.String("out", "", "the CSV `file` to write; compressed when it ends in .gz")
	history := flags.Bool("history", false, "build the history of the table, not what it holds at the end")
	shuffle := flags.Uint64("shuffle", 0, "deal the events of the history out in random order over random batches; the `seed` says which, 0 is as delivered")
	verbose := flags.Bool("v", false, "print a summary")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *dir == "" || *name == "" || *out == "":
		return errors.New("-dir, -table and -out are needed; -h explains them")
	case *shuffle != 0 && !*history:
		return errors.New("-shuffle needs -history")
	}
	tab, err := newTable(*name)
	if err != nil {
		return err
	}
	if info, err := os.Stat(*dir); err != nil {
		return fmt.Errorf("-dir: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("-dir: %s is not a folder", *dir)
	}
	if !*verbose {
		stdout = io.Discard
	}
	f := feed{dir: *dir, table: tab}
	if *history {
		return buildHistory(ctx, f, *shuffle, *out, stdout, alloc)
	}
	return buildTable(ctx, f, *out, stdout, alloc)
}

// buildTable writes what the table holds at the end.
func buildTable(ctx context.Context, f feed, out string, stdout io.Writer, alloc memory.Allocator) error {
	r := replica{table: f.table, target: newTarget(), alloc: alloc}
	if err := f.replay(ctx, r.apply); err != nil {
		return err
	}
	var rows [][]cell
	for _, live := range r.target.live(f.table) {
		rows = append(rows, live.cells)
	}
	if err := writeCSV(out, f.table.columns, rows); err != nil {
		return err
	}
	return r.summary.print(stdout, f.table.name, r.target)
}

// buildHistory writes every version of every row.
func buildHistory(ctx context.Context, f feed, seed uint64, out string, stdout io.Writer, alloc memory.Allocator) error {
	h := newHistorian(f.table, alloc)
	defer h.close()
	replay := f.replay
	if seed != 0 {
		replay = func(ctx context.Context, apply func(context.Context, []row) error) error {
			return f.replayShuffled(ctx, seed, h.carrier, apply)
		}
	}
	if err := replay(ctx, h.apply); err != nil {
		return err
	}
	header, versions, err := h.versions()
	if err != nil {
		return err
	}
	if err := writeCSV(out, header, versions); err != nil {
		return err
	}
	return h.summary.print(stdout, h)
}
