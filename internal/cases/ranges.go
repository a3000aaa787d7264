package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// ranges is a case of scd2.check.
type ranges struct {
	spec    arrowtest.Spec
	shuffle bool
	table   scd2.Table // without Batches
	opts    scd2.CheckOptions
	want    rangesWant
}

type rangesWant struct {
	wantError
	Findings *[]rangesFinding `json:"findings"`
}

type rangesFinding struct {
	Kind scd2.Kind `json:"kind"`
	Rows []uint32  `json:"rows"`
}

func newRanges(c Case) (test, error) {
	if err := c.inputs("history"); err != nil {
		return nil, err
	}
	k := &ranges{spec: c.Input["history"], shuffle: !c.OrderMatters}
	if err := k.readOptions(c); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if err := strict(c.Want, &k.want); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	if err := k.want.check(k.want.Findings != nil); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	return k, nil
}

func (k *ranges) readOptions(c Case) error {
	var o struct {
		Key        *[]string `json:"key"`
		ValidFrom  string    `json:"valid_from"`
		ValidTo    string    `json:"valid_to"`
		Current    string    `json:"current"`
		OpenEnd    any       `json:"open_end"`
		Bounds     string    `json:"bounds"`
		Unit       any       `json:"unit"`
		ZeroLength string    `json:"zero_length"`
		Gaps       string    `json:"gaps"`
	}
	if err := strict(c.Options, &o); err != nil {
		return err
	}
	if o.Key == nil {
		return fmt.Errorf("no key, not even an empty one")
	}
	k.table = scd2.Table{Key: *o.Key, ValidFrom: o.ValidFrom, ValidTo: o.ValidTo, Current: o.Current}
	schema, err := arrowtest.Schema(k.spec.Columns)
	if err != nil {
		return err
	}
	ends := named(o.ValidTo, scd2.DefaultValidTo)
	if o.OpenEnd != nil {
		if k.table.OpenEnd, err = timeOption(schema, ends, o.OpenEnd); err != nil {
			return err
		}
	}
	if k.table.Unit, err = unitOption(schema, ends, o.Unit); err != nil {
		return err
	}
	if k.table.Bounds, err = choose("bounds", o.Bounds, map[string]scd2.Bounds{"[)": scd2.HalfOpen, "[]": scd2.Closed}); err != nil {
		return err
	}
	k.opts.ZeroLength, err = choose("zero_length", o.ZeroLength, map[string]scd2.ZeroLengths{"report": scd2.ReportZeroLength, "allow": scd2.AllowZeroLength})
	if err != nil {
		return err
	}
	k.opts.Gaps, err = choose("gaps", o.Gaps, map[string]scd2.Gaps{"allow": scd2.AllowGaps, "report": scd2.ReportGaps})
	return err
}

// unitOption reads a step: a number of a column of integers, of days, or of ticks of a timestamp; or the text of a time.Duration.
func unitOption(schema *arrow.Schema, column string, cell any) (any, error) {
	switch cell := cell.(type) {
	case nil:
		return nil, nil
	case string:
		return time.ParseDuration(cell)
	case json.Number:
		n, err := cell.Int64()
		if err != nil {
			return nil, err
		}
		fields, _ := schema.FieldsByName(column)
		if len(fields) == 0 {
			return n, nil
		}
		switch t := fields[0].Type.(type) {
		case *arrow.Date32Type, *arrow.Date64Type:
			return time.Duration(n) * 24 * time.Hour, nil
		case arrow.TemporalWithUnit:
			return time.Duration(n) * t.TimeUnit().Multiplier(), nil
		}
		return n, nil
	}
	return nil, fmt.Errorf("%v is no unit", cell)
}

func (k *ranges) run(r *runner) {
	table, err := k.spec.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(table)
	given := arrowtest.All(table)
	r.forms(table, k.shuffle, func(batches []arrow.Record, shuffled bool) {
		r.call(func(_ memory.Allocator, res onerow.Resources) { k.call(r, given, batches, shuffled, res) })
	})
}

func (k *ranges) call(r *runner, given [][]any, batches []arrow.Record, shuffled bool, res onerow.Resources) {
	table, opts := k.table, k.opts
	table.Batches, opts.Resources = batches, res
	rep, err := r.api.RangeCheck(context.Background(), table, opts)
	if r.settled(k.want.wantError, err) {
		return
	}
	if rep == nil {
		r.fail("a report", "nil")
		return
	}
	rows := arrowtest.All(batches)
	if !r.listed(rep, rows) {
		return
	}
	var want, got []string
	for _, f := range *k.want.Findings {
		want = append(want, findingText(f.Kind, f.Rows, given, shuffled))
	}
	for _, f := range rep.Findings {
		got = append(got, findingText(f.Kind, f.Rows, rows, shuffled))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		r.fail(fmt.Sprintf("findings %v", want), fmt.Sprint(got))
	}
}

// findingText names the rows of a finding by their numbers; shuffled, by what is in them.
func findingText(kind scd2.Kind, of []uint32, rows [][]any, shuffled bool) string {
	if !shuffled {
		return fmt.Sprintf("%v %v", kind, of)
	}
	var texts []string
	for _, row := range of {
		texts = append(texts, arrowtest.FormatRow(rows[row]))
	}
	slices.Sort(texts)
	return fmt.Sprintf("%v {%s}", kind, strings.Join(texts, " "))
}

// listed checks what holds for the findings of every report that lists all of them. It returns false if they can't be used.
func (r *runner) listed(rep *scd2.CheckReport, rows [][]any) bool {
	counted := map[scd2.Kind]int64{scd2.Overlap: int64(rep.Overlaps), scd2.Gap: rep.Gaps, scd2.Inverted: rep.Inverted, scd2.ZeroLength: rep.ZeroLength,
		scd2.TwoOpen: rep.TwoOpen, scd2.DuplicateStart: rep.DuplicateStarts, scd2.NullStart: rep.NullStarts, scd2.NullKey: rep.NullKeys,
		scd2.CurrentMismatch: rep.CurrentMismatches}
	for i, f := range rep.Findings {
		counted[f.Kind]--
		if i > 0 {
			before := rep.Findings[i-1]
			if f.Rows[0] < before.Rows[0] || f.Rows[0] == before.Rows[0] && f.Kind < before.Kind {
				r.fail("findings by first row, then kind", fmt.Sprintf("%+v", rep.Findings))
				return false
			}
		}
		if len(f.Rows) == 0 || int(f.Rows[len(f.Rows)-1]) >= len(rows) || !slices.IsSorted(f.Rows) || len(f.Key) != len(rep.Key) {
			r.fail("findings with a key and rows that are there, in order", fmt.Sprintf("%+v", f))
			return false
		}
	}
	for kind, n := range counted {
		if n != 0 {
			r.fail("as many findings as are counted", fmt.Sprintf("of kind %v %d more are counted than listed", kind, n))
		}
	}
	if rep.Rows != int64(len(rows)) || rep.Keys > rep.Rows || rep.BrokenKeys > rep.Keys+rep.NullKeys || (rep.BrokenKeys > 0) != (len(rep.Findings) > 0) {
		r.fail(fmt.Sprintf("%d rows, and no more keys and broken keys than there are", len(rows)), fmt.Sprintf("%d rows, %d keys, %d broken", rep.Rows, rep.Keys, rep.BrokenKeys))
	}
	return true
}
