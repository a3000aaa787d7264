package oracle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/scd2"
)

// historyContract is a corner of the contract for one key. A version is written from-to:v/note, an open one from-:v/note, a deletion row
// from-to:!v/note; an event position.seq:v/note, a delete position.seq:-, a truncate position.seq:T, an upsert
// that doesn't say v position.seq:?/note. Steps are cut by |.
type historyContract struct {
	name  string
	given string
	steps string
	want  string
	err   error // of the last step
	opts  scd2.Options
}

var historyContracts = []historyContract{
	{name: "a repeat makes no version", given: "1-:a/x", steps: "5.1:a/x", want: "1-:a/x"},
	{name: "a repeat makes one if kept", given: "1-:a/x", steps: "5.1:a/x", want: "1-5:a/x 5-:a/x", opts: scd2.Options{Unchanged: scd2.KeepUnchanged}},
	{name: "the last note in a version stays", given: "1-:a/x", steps: "5.1:a/y | 3.1:a/z", want: "1-:a/y"},
	{name: "the last note of a transaction stays", given: "1-:a/x", steps: "5.2:a/y | 5.1:a/z", want: "1-:a/y"},
	{name: "a closed version is corrected", given: "1-5:a/x 5-:b/x", steps: "3.1:a/y", want: "1-5:a/y 5-:b/x"},
	{name: "a version is corrected at its start", given: "1-5:a/x 5-:b/x", steps: "1.1:a/y", want: "1-5:a/y 5-:b/x"},
	{name: "a note splits with its version", given: "1-:a/x", steps: "5.1:a/y | 3.1:b/z", want: "1-3:a/x 3-5:b/z 5-:a/y"},

	{name: "a delete at a start takes the version", given: "1-5:a/x 5-:b/x", steps: "5.1:-", want: "1-5:a/x"},
	{name: "a delete at the first start", given: "1-5:a/x 5-:b/x", steps: "1.1:-", want: "5-:b/x"},
	{name: "an upsert where a version was deleted loses", given: "1-5:a/x", steps: "5.9:b/x", want: "1-5:a/x"},
	{name: "nor does it win after another delete there", given: "1-5:a/x", steps: "5.1:- | 5.2:b/x", want: "1-5:a/x"},
	{name: "nor together with another delete there", given: "1-5:a/x", steps: "5.1:- 5.2:b/x", want: "1-5:a/x"},
	{name: "nor before another delete there", given: "1-5:a/x", steps: "5.2:b/x | 5.1:-", want: "1-5:a/x"},
	{name: "nor after a truncate there", given: "1-5:a/x", steps: "5.1:T | 5.2:b/x", want: "1-5:a/x"},
	{name: "nor together with a truncate there", given: "1-5:a/x", steps: "5.1:T 5.2:b/x", want: "1-5:a/x"},
	{name: "nor at a deletion row after a truncate there", given: "1-5:a/x 5-:!a/x", steps: "5.1:T 5.2:b/x", want: "1-5:a/x 5-:!a/x", opts: scd2.Options{Deletes: scd2.DeletesAsRows}},
	{name: "a greater content at the start than a greater event", given: "1-:b/x", steps: "1.2:a/x", want: "1-:b/x", opts: scd2.Options{Ties: scd2.TiesByContent}},
	{name: "beside a delete", given: "1-:b/x", steps: "1.1:- 1.2:a/x", want: "1-:b/x", opts: scd2.Options{Ties: scd2.TiesByContent}},
	{name: "beside a truncate", given: "1-:b/x", steps: "1.1:T 1.2:a/x", want: "1-:b/x", opts: scd2.Options{Ties: scd2.TiesByContent}},
	{name: "after a delete in one transaction", given: "1-:a/x", steps: "5.1:- | 5.2:b/x", want: "1-5:a/x 5-:b/x"},
	{name: "after a truncate in one transaction", given: "1-:a/x", steps: "5.1:T | 5.2:b/x", want: "1-5:a/x 5-:b/x"},
	{name: "after a truncate that comes later", given: "1-:a/x", steps: "5.2:b/x | 5.1:T", want: "1-5:a/x 5-:b/x"},
	{name: "a delete after a truncate where it ended", given: "1-5:a/x", steps: "5.1:T 5.2:-", want: "1-5:a/x"},
	{name: "a truncate after a delete where it ended", given: "1-5:a/x", steps: "5.2:T 5.1:-", want: "1-5:a/x"},
	{name: "after a delete that comes later", given: "1-:a/x", steps: "5.2:b/x | 5.1:-", want: "1-5:a/x 5-:b/x"},
	{name: "deleted and back the same", given: "1-:a/x", steps: "5.1:- | 5.2:a/x", want: "1-:a/x"},
	{name: "a delete wins over an equal upsert before it", given: "1-:a/x", steps: "5.1:b/x | 5.1:-", want: "1-5:a/x"},
	{name: "a delete wins over an equal upsert after it", given: "1-:a/x", steps: "5.1:- | 5.1:b/x", want: "1-5:a/x"},
	{name: "a truncate is a delete of every key", given: "1-:a/x", steps: "5.1:T | 3.1:b/x | 7.1:c/x", want: "1-3:a/x 3-5:b/x 7-:c/x"},
	{name: "a truncate wins over an equal upsert", given: "1-:a/x", steps: "5.1:b/x | 5.1:T", want: "1-5:a/x"},
	{name: "a truncate and a delete of one place", given: "1-:a/x", steps: "5.1:T 5.1:- | 3.1:b/x", want: "1-3:a/x 3-5:b/x"},
	{name: "a truncate before the key came", steps: "5.1:T | 3.1:b/x", want: "3-5:b/x"},

	{name: "given neighbours that are equal stay apart", given: "1-5:a/x 5-:a/x", steps: "9.1:a/z", want: "1-5:a/x 5-:a/z"},
	{name: "a start moves and is remembered", given: "1-5:a/x 5-:b/x", steps: "3.1:b/x | 4.1:c/x", want: "1-3:a/x 3-4:b/x 4-5:c/x 5-:b/x"},
	{name: "the version after a deleted one stays", given: "1-3:a/x 3-5:b/x 5-:a/x", steps: "3.1:-", want: "1-3:a/x 5-:a/x"},
	{name: "a replaced version that the next repeats", given: "1-3:a/x 3-5:b/x 5-:c/x", steps: "3.1:c/x", want: "1-3:a/x 3-:c/x", opts: scd2.Options{Ties: scd2.TiesByContent}},
	{name: "a lesser content loses to the start", given: "1-3:a/x 3-:c/x", steps: "3.1:b/x", want: "1-3:a/x 3-:c/x", opts: scd2.Options{Ties: scd2.TiesByContent}},
	{name: "what is replaced by a repeat joins", given: "1-:a/x", steps: "3.1:b/x 5.1:a/x | 3.2:a/x", want: "1-:a/x"},
	{name: "and is remembered", given: "1-:a/x", steps: "3.1:b/x 5.1:a/x | 3.2:a/x | 4.1:c/x", want: "1-4:a/x 4-5:c/x 5-:a/x"},

	{name: "equal in order and different", given: "1-:a/x", steps: "5.1:b/x | 5.1:c/x", err: onerow.ErrTie},
	{name: "different from what made no version", given: "1-:a/x", steps: "5.1:a/x | 5.1:c/x", err: onerow.ErrTie},
	{name: "different in what isn't tracked", given: "1-:a/x", steps: "5.1:b/x 5.1:b/y", err: onerow.ErrTie},
	{name: "different from a given start", given: "1-:a/x", steps: "1.1:b/x", err: onerow.ErrTie},
	{name: "a tie that a greater event settles", given: "1-:a/x", steps: "5.1:b/x 5.1:c/x 5.2:d/x", want: "1-5:a/x 5-:d/x"},
	{name: "a tie that a delete settles", given: "1-:a/x", steps: "5.1:b/x 5.1:c/x 5.1:-", want: "1-5:a/x"},
	{name: "a tie that a truncate settles", given: "1-:a/x", steps: "5.1:b/x 5.1:c/x 5.1:T", want: "1-5:a/x"},
	{name: "the greatest content", given: "1-:a/x", steps: "5.1:b/x | 5.1:c/x | 5.1:b/z", want: "1-5:a/x 5-:c/x", opts: scd2.Options{Ties: scd2.TiesByContent}},
	{name: "a greater content than what made no version", given: "1-:a/x", steps: "5.1:a/x | 5.1:c/x", want: "1-5:a/x 5-:c/x", opts: scd2.Options{Ties: scd2.TiesByContent}},

	{name: "what isn't said stays", given: "1-:a/x", steps: "5.1:?/y", want: "1-:a/y", opts: silent},
	{name: "what isn't said is what was said before it", given: "1-:a/x", steps: "5.1:b/x 5.2:?/y", want: "1-5:a/x 5-:b/y", opts: silent},
	{name: "what isn't said isn't what was said before a delete there", given: "1-:a/x", steps: "5.1:b/x 5.2:- 5.3:?/y", want: "1-:a/y", opts: silent},
	{name: "nor what was said before a truncate there", given: "1-:a/x", steps: "5.1:b/x 5.2:T 5.3:?/y", want: "1-:a/y", opts: silent},
	{name: "nor what lost to a truncate", given: "1-:a/x", steps: "5.2:b/x 5.2:T 5.3:?/y", want: "1-:a/y", opts: silent},
	{name: "nor what lost to a delete", given: "1-:a/x", steps: "5.2:b/x 5.2:- 5.3:?/y", want: "1-:a/y", opts: silent},
	{name: "what isn't said is remembered", given: "1-:a/x", steps: "5.1:a/x 5.2:?/y 7.1:?/z", want: "1-:a/z", opts: silent},

	{name: "a deletion row has the last values", given: "1-:a/x", steps: "5.1:-", want: "1-5:a/x 5-:!a/x", opts: scd2.Options{Deletes: scd2.DeletesAsRows}},
	{name: "a late event changes the last values", given: "1-5:a/x 5-:!a/x", steps: "3.1:b/y", want: "1-3:a/x 3-5:b/y 5-:!b/y", opts: scd2.Options{Deletes: scd2.DeletesAsRows}},
	{name: "a late note changes the last values", given: "1-5:a/x 5-:!a/x", steps: "3.1:a/y", want: "1-5:a/y 5-:!a/y", opts: scd2.Options{Deletes: scd2.DeletesAsRows}},
	{name: "an earlier delete moves the deletion row", given: "1-5:a/x 5-:!a/x", steps: "3.1:-", want: "1-3:a/x 3-:!a/x", opts: scd2.Options{Deletes: scd2.DeletesAsRows}},
	{name: "a return ends the deletion row", given: "1-5:a/x 5-:!a/x", steps: "8.1:a/x", want: "1-5:a/x 5-8:!a/x 8-:a/x", opts: scd2.Options{Deletes: scd2.DeletesAsRows}},
	{name: "a return before a deletion row that was", given: "1-5:a/x 5-8:!a/x 8-:c/x", steps: "6.1:b/x", want: "1-5:a/x 5-6:!a/x 6-8:b/x 8-:c/x", opts: scd2.Options{Deletes: scd2.DeletesAsRows}},
	{name: "a deletion row goes with the version before it", steps: "1.1:a/x 5.1:- | 1.2:-", want: "", opts: scd2.Options{Deletes: scd2.DeletesAsRows}},
	{name: "a delete takes the only version and its deletion row", given: "1-5:a/x 5-:!a/x", steps: "1.1:-", want: "", opts: scd2.Options{Deletes: scd2.DeletesAsRows}},
}

// silent lets a NULL in v say nothing.
var silent = scd2.Options{Columns: scd2.Columns{KeepNull: []string{"v"}}}

// TestHistoryContract checks the corners, in the oracle with all events at once, and in scd2.Plan step by step.
func TestHistoryContract(t *testing.T) {
	for _, c := range historyContracts {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			alloc := arrowtest.Allocator(t)
			base := arrowtest.Table(t, alloc, contractHistory, versionRows(t, c.given))
			want := canonicalRows(oracle.Rows(arrowtest.Table(t, alloc, contractHistory, versionRows(t, c.want))...))
			table := scd2.Table{Batches: base, Key: []string{"k"}, Deleted: "gone"}
			opts := c.opts
			opts.Mode, opts.Tracked = scd2.Changes, []string{"v"}
			opts.At = []onerow.Order{onerow.Desc("t"), onerow.Desc("seq")}
			opts.Op = scd2.Op{Column: "op", Delete: []onerow.Value{"d"}, Truncate: []onerow.Value{"t"}}

			var steps [][]arrow.Record
			for _, s := range strings.Split(c.steps, "|") {
				steps = append(steps, arrowtest.Table(t, alloc, contractEvents, eventRows(t, s)))
			}
			got, err := oracle.History(table, slices.Concat(steps...), opts)
			if !errors.Is(err, c.err) {
				t.Errorf("oracle: error %v, want %v", err, c.err)
			}
			if g := canonicalRows(got); err == nil && !slices.Equal(g, want) {
				t.Errorf("oracle: %q, want %q", g, want)
			}
			for i, changes := range steps {
				m, err := scd2.Plan(context.Background(), table, changes, opts)
				if wantErr := c.err; err != nil || wantErr != nil && i == len(steps)-1 {
					if !errors.Is(err, wantErr) {
						t.Errorf("Plan: step %d: error %v, want %v", i, err, wantErr)
					}
					return
				}
				table.Batches, opts.State = applied(t, m, table.Batches)
				again, err := scd2.Plan(context.Background(), table, changes, opts)
				if err != nil || !again.Empty() {
					t.Errorf("Plan: step %d again: %v, %+v", i, err, again)
				}
			}
			if g := canonicalRows(oracle.Rows(table.Batches...)); !slices.Equal(g, want) {
				t.Errorf("Plan:\n%swant\n%s", arrowtest.FormatRows(arrowtest.All(table.Batches)), c.want)
			}
		})
	}
}

func applied(t *testing.T, m *scd2.Merge, base []arrow.Record) (next, state []arrow.Record) {
	t.Helper()
	alloc := arrowtest.Allocator(t)
	next, err := m.Apply(context.Background(), alloc, base)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { arrowtest.Release(next) })
	rec, err := m.State(context.Background(), alloc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rec.Release)
	return next, []arrow.Record{rec}
}

var (
	contractHistory = []string{"k:int64", "v:string", "note:string", "valid_from:int64", "valid_to:int64", "gone:bool"}
	contractEvents  = []string{"k:int64", "t:int64", "seq:int64", "op:string", "v:string", "note:string"}
)

func versionRows(t *testing.T, text string) (rows [][]any) {
	t.Helper()
	for _, version := range strings.Fields(text) {
		span, values, _ := strings.Cut(version, ":")
		from, to, _ := strings.Cut(span, "-")
		values, gone := strings.CutPrefix(values, "!")
		v, note, _ := strings.Cut(values, "/")
		rows = append(rows, []any{1, v, note, integer(t, from), integer(t, to), gone})
	}
	return rows
}

func eventRows(t *testing.T, text string) (rows [][]any) {
	t.Helper()
	for _, e := range strings.Fields(text) {
		place, values, _ := strings.Cut(e, ":")
		pos, seq, _ := strings.Cut(place, ".")
		v, note, _ := strings.Cut(values, "/")
		row := []any{1, integer(t, pos), integer(t, seq), "u", v, note}
		switch v {
		case "?":
			row[4] = nil
		case "-":
			row[3], row[4], row[5] = "d", nil, nil
		case "T":
			row[0], row[3], row[4], row[5] = nil, "t", nil, nil
		}
		rows = append(rows, row)
	}
	return rows
}

// integer reads a number; an empty text is NULL.
func integer(t *testing.T, text string) any {
	t.Helper()
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(fmt.Errorf("a contract that can't be read: %w", err))
	}
	return n
}
