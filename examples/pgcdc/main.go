// Command pgcdc keeps a table up to date from a PostgreSQL change feed that was delivered at least once: it reads a
// snapshot and the feed after it, micro-batch by micro-batch, and writes what the table holds at the end.
//
//	go run ./examples/pgcdc -dir DIR -table customers -out FILE.csv
//
// DIR holds initial_TABLE.csv.gz and replayed.jsonl.gz; a small such folder is examples/testdata/pgcdc, whose README
// says what is in the files. FILE is a CSV file with a header, in which \N is NULL; it is compressed when its name ends
// in .gz. With -v a summary is printed.
//
// The feed has what breaks a plain MERGE: events that come again, alone or in whole batches; several events of a row in
// one batch; deletes, and events from before a delete that come after it; rows that change their key; large values that
// are left out because they didn't change; a column that is added on the way; a truncate. Each step of the work is
// one call of [dedupe.Latest]:
//
//	micro-batch ─► record ──┐
//	                        ├─► dedupe.Latest ─► winners, ended keys ─► target
//	target's rows of  ──────┘
//	the same keys
//
// The target is a map in memory here. A service would look the rows up in its table instead, and write the winners back in one
// transaction.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

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
	verbose := flags.Bool("v", false, "print a summary")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *dir == "" || *name == "" || *out == "" {
		return errors.New("-dir, -table and -out are needed; -h explains them")
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

	r := replica{table: tab, target: newTarget(), alloc: alloc}
	if err := r.replay(ctx, *dir); err != nil {
		return err
	}
	if err := writeCSV(*out, tab, r.target.live(tab)); err != nil {
		return err
	}
	if *verbose {
		return r.summary.print(stdout, *name, r.target)
	}
	return nil
}

// replay applies the snapshot and then every micro-batch of the feed, in the order of delivery.
func (r *replica) replay(ctx context.Context, dir string) error {
	rows, err := readSnapshot(filepath.Join(dir, "initial_"+r.table.name+".csv.gz"), r.table)
	if err != nil {
		return err
	}
	if err := r.apply(ctx, rows); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	for batch, err := range readFeed(filepath.Join(dir, "replayed.jsonl.gz"), r.table) {
		if err != nil {
			return err
		}
		if err := r.apply(ctx, batch.rows); err != nil {
			return fmt.Errorf("batch %d: %w", batch.number, err)
		}
	}
	return nil
}
