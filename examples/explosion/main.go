// Command explosion says how many rows a join will make, before it is run, and why, and what to do about it. Two files go in, CSV or
// Parquet, and the columns that are to be equal:
//
//	go run . -left testdata/orders.csv -right testdata/customers.csv -on customer_id -time order_date -html explosion.html
//
// The right file is the one that should have one row for each key, such as a dimension. What comes out is
//
//   - the prediction: how many rows each kind of join makes, and which keys make them ([join.Estimate]);
//   - the cause: why keys repeat on the right ([grain.Diagnose]);
//   - the remedy: what is left of the growth after each step that the causes ask for ([join.Split], [dedupe.Latest], [join.AsOf]),
//     worked out, not guessed;
//   - the guard: with -max-growth the exit status is 1 when the left join makes more rows than that ([join.Size.MaxGrowth]).
//
// With -html the same comes as one page with charts, which needs nothing from the network.
//
// # Types
//
// Columns are equal by value, and nothing is cast: where one file has an id as text and the other as a number, the program says so.
// -text reads columns of CSV files as text. Rows are numbered from 0, without the header.
//
// Both files are held in memory. A program that has streams instead calls [join.EstimateReaders].
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr, memory.DefaultAllocator)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, onerow.ErrGrowth):
		fmt.Fprintln(os.Stderr, "explosion:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "explosion:", err)
		os.Exit(2)
	}
}

// options are what the command line says.
type options struct {
	left, right, on    string
	text, time         string
	validFrom, validTo string
	nullsEqual         bool
	maxGrowth          float64
	html               string
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("explosion", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.left, "left", "", "the left `file`: .csv, .csv.gz or .parquet")
	flags.StringVar(&o.right, "right", "", "the right `file`, which should have one row for each key")
	flags.StringVar(&o.on, "on", "", "the `columns` that are to be equal, by comma: tenant,customer_id=id")
	flags.StringVar(&o.time, "time", "", "the left `column` that says when: rows are matched with the version that was valid then")
	flags.StringVar(&o.validFrom, "valid-from", "", "the right `column` with the start of versions; found if not given")
	flags.StringVar(&o.validTo, "valid-to", "", "the right `column` with their end")
	flags.BoolVar(&o.nullsEqual, "nulls-equal", false, "let NULL equal NULL in the key")
	flags.StringVar(&o.text, "text", "", "`columns`, by comma, that CSV files hold as text, whatever they look like")
	flags.Float64Var(&o.maxGrowth, "max-growth", 0, "fail, with exit status 1, if the left join has more than `factor` times the left rows")
	flags.StringVar(&o.html, "html", "", "the `file` to write the page to")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.left == "" || o.right == "" || o.on == "":
		return o, errors.New("-left, -right and -on are needed; -h explains")
	case (o.validFrom == "") != (o.validTo == ""):
		return o, errors.New("-valid-from and -valid-to go together")
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer, alloc memory.Allocator) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	on, err := parseKey(o.on)
	if err != nil {
		return err
	}
	left, err := read(ctx, o.left, list(o.text), alloc)
	if err != nil {
		return err
	}
	defer left.release()
	right, err := read(ctx, o.right, list(o.text), alloc)
	if err != nil {
		return err
	}
	defer right.release()

	for _, column := range list(o.text) {
		if !slices.Contains(left.columns(), column) && !slices.Contains(right.columns(), column) {
			return fmt.Errorf("-text: neither file has a column %q", column)
		}
	}
	q := question{left: left, right: right, on: on, time: o.time, validFrom: o.validFrom, validTo: o.validTo}
	if o.nullsEqual {
		q.nulls = join.NullsEqual
	}
	a, err := answer(ctx, q, alloc)
	if err != nil {
		return advise(err, left, right)
	}
	printAnswer(stdout, a)
	if o.html != "" {
		if err := writePage(o.html, a); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "\nThe page is %s\n", o.html)
	}
	if o.maxGrowth != 0 {
		return a.Size.MaxGrowth(o.maxGrowth)
	}
	return nil
}

// parseKey reads pairs of columns: tenant,customer_id=id.
func parseKey(text string) (key join.Key, err error) {
	for _, pair := range strings.Split(text, ",") {
		left, right, two := strings.Cut(pair, "=")
		if !two {
			right = left
		}
		if left, right = strings.TrimSpace(left), strings.TrimSpace(right); left == "" || right == "" {
			return key, fmt.Errorf("-on %q: a column has no name", text)
		}
		key = key.And(left, right)
	}
	return key, nil
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
