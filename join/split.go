package join

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/tally"
)

// SplitOptions are the optional parts of [Split].
type SplitOptions struct {
	// Nulls says whether NULLs in key columns meet. Under NullsNever rows with NULL go into quarantine; under NullsEqual they are rows like
	// others. Default NullsNever.
	Nulls Nulls

	// Placeholders are values that stand for no value, as in [Options]: rows whose key has one of them in a column go into quarantine.
	// Default nil: they are detected, which costs an [Estimate]. Empty, but not nil: there are none.
	Placeholders []onerow.Value

	// Keys are keys whose rows go into quarantine: a value for each column of the key, nil for NULL. Default: none.
	Keys [][]onerow.Value

	// Listed are more such keys, as an Estimate of the same batches lists them: some of Size.Worst, for example. A row that hasn't the listed values is an
	// error: the list is of other batches then. Default: none.
	Listed []KeySize

	// Resources bounds what the call may use. Default: all processors.
	Resources onerow.Resources
}

// Division says which rows of two sides go where. Each row is in one list.
type Division struct {
	On    Key
	Left  DividedSide
	Right DividedSide
}

// DividedSide are the rows of one side, by their numbers on that side, in ascending order. A row that belongs into several lists is in the first of
// Null, Placeholder and Chosen.
type DividedSide struct {
	// Join are the rows to join.
	Join onerow.Rows
	// Null are rows with NULL in a key column, Placeholder rows whose key stands for no value, Chosen rows of the keys that were chosen.
	Null        onerow.Rows
	Placeholder onerow.Rows
	Chosen      onerow.Rows
}

// Split divides the rows of both sides into those to join and those to put into quarantine: rows with NULL in the key, placeholders, and chosen keys,
// such as those that would explode. Nothing is lost: each row of either side is in one list of the outcome. [onerow.Take] makes records of them.
//
// Split reads the key columns once and needs 8 bytes of memory a row, of which the lists keep 4; to detect placeholders it makes an [Estimate] first. The
// outcome depends neither on how the rows are cut into batches, nor on encodings, nor on the number of workers. It returns ctx.Err() soon after the
// context ends.
//
// Errors are those of [Estimate]; a value that the column of a key can't hold wraps [onerow.ErrType], and a listed key whose rows aren't there
// [onerow.ErrRow].
func Split(ctx context.Context, left, right []arrow.Record, on Key, opts SplitOptions) (d *Division, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		s, err := newDividing(ctx, left, right, on, opts)
		if err != nil {
			return err
		}
		d, err = s.divide(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Quarantine are the rows that aren't to be joined, in ascending order.
func (d *DividedSide) Quarantine() onerow.Rows {
	rows := slices.Concat(d.Null, d.Placeholder, d.Chosen)
	slices.Sort(rows)
	return rows
}

// sizes are the lengths of the lists.
func (d *DividedSide) sizes() tally.Counts {
	count := func(key, label string, rows ...onerow.Rows) tally.Count {
		n := 0
		for _, r := range rows {
			n += len(r)
		}
		return tally.Count{Key: key, Label: label, N: int64(n)}
	}
	return tally.Counts{
		count("rows", "rows", d.Join, d.Null, d.Placeholder, d.Chosen), count("join", "to join", d.Join),
		count("null", "NULL in key", d.Null), count("placeholder", "placeholder", d.Placeholder), count("chosen", "chosen key", d.Chosen),
	}
}

func (d *Division) both() [2]tally.Counts { return [2]tally.Counts{d.Left.sizes(), d.Right.sizes()} }

// String is a table of the numbers of rows. It ends without a newline.
func (d *Division) String() string {
	table := [][]string{{"", "left", "right"}}
	both := d.both()
	for i, l := range both[leftSide] {
		table = append(table, []string{l.Label, strconv.FormatInt(l.N, 10), strconv.FormatInt(both[rightSide][i].N, 10)})
	}
	return fmt.Sprintf("split on %v\n%s", d.On, tally.Table(table, 1, 2))
}

// LogValue makes the division a group: the key, and the numbers of rows of each side.
func (d *Division) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("on", d.On.String())}
	for side, counts := range d.both() {
		var group []any
		for _, a := range counts.Attrs() {
			group = append(group, a)
		}
		attrs = append(attrs, slog.Group(sideNames[side], group...))
	}
	return slog.GroupValue(attrs...)
}

// MarshalJSON writes the key and the numbers of rows, not the rows: {"on": …, "left": {"rows": 5, "join": 3, …}, "right": …}.
func (d *Division) MarshalJSON() ([]byte, error) {
	out := map[string]any{"on": d.On}
	for side, counts := range d.both() {
		numbers := map[string]int64{}
		for _, c := range counts {
			numbers[c.Key] = c.N
		}
		out[sideNames[side]] = numbers
	}
	return json.Marshal(out)
}
