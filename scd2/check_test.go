package scd2_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/scd2"
)

// TestCheckFindings: what each fault says of rows and times.
func TestCheckFindings(t *testing.T) {
	ints := []string{"k:int64", "valid_from:int64", "valid_to:int64"}
	for _, test := range []struct {
		name    string
		columns []string
		rows    [][]any
		table   scd2.Table
		opts    scd2.CheckOptions
		want    []string
	}{
		{name: "overlap", columns: ints, rows: [][]any{{1, 5, 9}, {1, 1, 6}}, want: []string{"k=1: rows 0 and 1 overlap from 5 to 6"}},
		{name: "containment", columns: ints, rows: [][]any{{1, 0, 100}, {1, 5, 6}, {1, 50, 60}},
			want: []string{"k=1: rows 0 and 1 overlap from 5 to 6", "k=1: rows 0 and 2 overlap from 50 to 60"}},
		{name: "open holds later", columns: ints, rows: [][]any{{1, 1, nil}, {1, 5, 9}}, want: []string{"k=1: rows 0 and 1 overlap from 5 to 9"}},
		{name: "open meets sentinel", columns: ints, rows: [][]any{{1, 1, 99}, {1, 5, nil}}, table: scd2.Table{OpenEnd: int8(99)},
			want: []string{"k=1: rows 0 and 1 overlap from 5 on", "k=1: rows 0 and 1 are open"}},
		{name: "a start beyond the sentinel", columns: ints, rows: [][]any{{1, 1, 99}, {1, 200, 99}}, table: scd2.Table{OpenEnd: 99},
			want: []string{"k=1: rows 0 and 1 overlap from 200 on", "k=1: rows 0 and 1 are open"}},
		{name: "the greatest end isn't open", columns: ints, table: scd2.Table{Bounds: scd2.Closed},
			rows: [][]any{{1, 1, wholeCell(int64(math.MaxInt64))}, {1, wholeCell(int64(math.MaxInt64)), nil}},
			want: []string{"k=1: rows 0 and 1 overlap from 9223372036854775807 to 9223372036854775807"}},
		{name: "three open", columns: ints, rows: [][]any{{1, nil, nil}, {1, 3, nil}, {1, 1, 2}, {1, nil, nil}},
			want: []string{"k=1: rows 0, 1 and 3 are open", "k=1: row 0 has no start", "k=1: row 3 has no start"}},
		{name: "gap", columns: ints, rows: [][]any{{1, 7, nil}, {1, 1, 5}}, opts: scd2.CheckOptions{Gaps: scd2.ReportGaps},
			want: []string{"k=1: gap from 5 to 7 between rows 0 and 1"}},
		{name: "gap after equal reaches", columns: ints, rows: [][]any{{1, 2, 3}, {1, 1, 3}, {1, 5, 9}, {1, 5, 6}}, opts: scd2.CheckOptions{Gaps: scd2.ReportGaps},
			want: []string{"k=1: rows 0 and 1 overlap from 2 to 3", "k=1: gap from 3 to 5 between rows 0 and 2", "k=1: rows 2 and 3 overlap from 5 to 6", "k=1: rows 2 and 3 start at one time"}},
		{name: "empty bounds no gap", columns: ints, rows: [][]any{{1, 1, 5}, {1, 6, 6}, {1, 7, 9}, {1, 20, 10}},
			opts: scd2.CheckOptions{Gaps: scd2.ReportGaps, ZeroLength: scd2.AllowZeroLength},
			want: []string{"k=1: gap from 5 to 7 between rows 0 and 2", "k=1: row 3 ends before it starts"}},
		{name: "empty counts as a start", columns: ints, rows: [][]any{{1, 5, 5}, {1, 5, 9}, {1, 5, 4}},
			want: []string{"k=1: row 0 ends where it starts", "k=1: rows 0 and 1 start at one time", "k=1: row 2 ends before it starts"}},
		{name: "NULL key", columns: ints, rows: [][]any{{nil, 5, 5}, {nil, 5, nil}},
			want: []string{"k=NULL: row 0 ends where it starts", "k=NULL: row 0 has NULL in its key", "k=NULL: row 1 has NULL in its key"}},
		{name: "closed days", columns: []string{"k:string", "valid_from:date32", "valid_to:date64"}, table: scd2.Table{Bounds: scd2.Closed},
			rows: [][]any{{"a", "2026-01-01", "2026-01-16"}, {"a", "2026-01-17", "2026-01-17"}, {"a", "2026-01-19", nil}, {"a", "2026-01-18", "2026-01-17"}},
			opts: scd2.CheckOptions{Gaps: scd2.ReportGaps},
			want: []string{`k="a": gap from 2026-01-17 to 2026-01-19 between rows 1 and 2`, `k="a": row 3 ends before it starts`}},
		{name: "closed days, two at a time", columns: []string{"k:string", "valid_from:date32", "valid_to:date32"}, table: scd2.Table{Bounds: scd2.Closed, Unit: 48 * time.Hour},
			rows: [][]any{{"a", "2026-01-01", "2026-01-16"}, {"a", "2026-01-18", nil}}, opts: scd2.CheckOptions{Gaps: scd2.ReportGaps}},
		{name: "a far end in seconds beside nanoseconds", columns: []string{"k:int8", "valid_from:timestamp[ns]", "valid_to:timestamp[s]"},
			table: scd2.Table{Bounds: scd2.Closed, OpenEnd: "9999-12-31T00:00:00"}, opts: scd2.CheckOptions{Gaps: scd2.ReportGaps},
			rows: [][]any{{1, "2026-01-01T00:00:00", "2026-01-31T23:59:59"}, {1, "2026-02-01T00:00:00", "2026-02-02T00:00:00"},
				{1, "2026-02-02T00:00:01.000000001", "9999-12-31T00:00:00"}},
			want: []string{"k=1: gap from 2026-02-02T00:00:00 to 2026-02-02T00:00:01.000000001 between rows 1 and 2"}},
		{name: "text", columns: []string{"k:int8", "valid_from:string", "valid_to:string"}, table: scd2.Table{OpenEnd: "now"}, opts: scd2.CheckOptions{Gaps: scd2.ReportGaps},
			rows: [][]any{{1, "2026-01", "2026-02"}, {1, "2026-02", "2026-03"}, {1, "2026-02-28", "now"}, {2, "2026-05", "2026-04"}},
			want: []string{`k=1: rows 1 and 2 overlap from "2026-02-28" to "2026-03"`, "k=2: row 3 ends before it starts"}},
		{name: "floats", columns: []string{"k:int8", "valid_from:float32", "valid_to:float64"},
			rows: [][]any{{1, floatCell("-Infinity"), floatCell("-0")}, {1, 0.0, floatCell("Infinity")}, {1, floatCell("Infinity"), floatCell("NaN")}}},
		{name: "flags", columns: append(ints, "cur:bool", "del:bool"), table: scd2.Table{Current: "cur", Deleted: "del"},
			rows: [][]any{{1, 1, nil, false, true}, {2, 1, nil, true, true}, {3, 1, nil, true, nil}, {4, 1, nil, nil, nil}, {5, 1, 2, false, true}, {6, 1, 2, true, false}},
			want: []string{"k=2: row 1 has a wrong current flag", "k=4: row 3 has a wrong current flag", "k=6: row 5 has a wrong current flag"}},
		{name: "columns of other names, two of the key", columns: []string{"a:string", "b:dict<int8,string>", "since:int8", "until:int16"},
			table: scd2.Table{Key: []string{"b", "a"}, ValidFrom: "since", ValidTo: "until"},
			rows:  [][]any{{"1", "23", 1, 9}, {"12", "3", 1, 9}, {"1", "23", 2, 3}}, want: []string{`b="23", a="1": rows 0 and 2 overlap from 2 to 3`}},
		{name: "the first few", columns: ints, rows: [][]any{{1, 0, 9}, {1, 1, 9}, {1, 2, 9}, {2, 3, 3}}, opts: scd2.CheckOptions{MaxFindings: 2},
			want: []string{"k=1: rows 0 and 1 overlap from 1 to 9", "k=1: rows 0 and 2 overlap from 2 to 9"}},
		{name: "none listed", columns: ints, rows: [][]any{{1, 0, 9}, {1, 1, 9}}, opts: scd2.CheckOptions{MaxFindings: -1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			table := test.table
			table.Batches = arrowtest.Table(t, arrowtest.Allocator(t), test.columns, test.rows)
			if table.Key == nil {
				table.Key = []string{"k"}
			}
			r, err := scd2.Check(context.Background(), table, test.opts)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings {
				got = append(got, onerow.FormatKey(r.Key, f.Key)+": "+f.String())
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestCheckCounts: what isn't listed is counted.
func TestCheckCounts(t *testing.T) {
	rows := [][]any{{1, 0, 9, true}, {1, 1, 9, false}, {1, 2, 9, false}, {2, 3, 3, false}, {nil, nil, 4, false}, {3, 1, nil, true}}
	batches := arrowtest.Table(t, arrowtest.Allocator(t), []string{"k:int64", "valid_from:int64", "valid_to:int64", "cur:bool"}, rows)
	got, err := scd2.Check(context.Background(), scd2.Table{Batches: batches, Key: []string{"k"}, Current: "cur"}, scd2.CheckOptions{MaxFindings: -1})
	want := &scd2.CheckReport{Key: []string{"k"}, Rows: 6, Keys: 3, Overlaps: 3, ZeroLength: 1, NullStarts: 1, NullKeys: 1, CurrentMismatches: 1, BrokenKeys: 3}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
}

// TestCheckRefuses: which calls are errors, and what these say. Current and AsOf refuse what doesn't concern the key.
func TestCheckRefuses(t *testing.T) {
	mem := arrowtest.Allocator(t)
	columns := []string{"k:int64", "at:int64", "to:int64", "day:date32", "naive:timestamp[us]", "zoned:timestamp[us,UTC]", "text:string", "pair:struct<a:int8>", "flag:bool", "none:null"}
	batches := arrowtest.Batches(t, mem, columns, [][]any{}, [][]any{})
	other := arrowtest.Batches(t, mem, []string{"k:int64"}, [][]any{})
	key := []string{"k"}
	for _, test := range []struct {
		name     string
		table    scd2.Table
		opts     scd2.CheckOptions
		want     error
		mentions []string
		check    bool // only Check refuses it
	}{
		{name: "no key", table: scd2.Table{ValidFrom: "at", ValidTo: "to"}, want: onerow.ErrNoKey, check: true},
		{name: "no such key", table: scd2.Table{Key: []string{"id"}, ValidFrom: "at", ValidTo: "to"}, want: onerow.ErrNoColumn, mentions: []string{`"id"`, "history"}, check: true},
		{name: "key twice", table: scd2.Table{Key: []string{"k", "k"}, ValidFrom: "at", ValidTo: "to"}, want: onerow.ErrOption, mentions: []string{`"k"`}, check: true},
		{name: "no boundaries", table: scd2.Table{Key: key}, want: onerow.ErrNoColumn, mentions: []string{"valid_from", "valid_to"}},
		{name: "one boundary", table: scd2.Table{Key: key, ValidFrom: "at", ValidTo: "at"}, want: onerow.ErrOption, mentions: []string{`"at"`}},
		{name: "no order", table: scd2.Table{Key: key, ValidFrom: "pair", ValidTo: "to"}, want: onerow.ErrType, mentions: []string{`"pair"`}},
		{name: "two families", table: scd2.Table{Key: key, ValidFrom: "at", ValidTo: "day"}, want: onerow.ErrType, mentions: []string{`"at"`, `"day"`, "int64", "date32"}},
		{name: "naive and zoned", table: scd2.Table{Key: key, ValidFrom: "naive", ValidTo: "zoned"}, want: onerow.ErrType, mentions: []string{`"naive"`, `"zoned"`}},
		{name: "no flag", table: scd2.Table{Key: key, ValidFrom: "at", ValidTo: "to", Current: "text"}, want: onerow.ErrType, mentions: []string{`"text"`, "boolean"}},
		{name: "no deleted flag", table: scd2.Table{Key: key, ValidFrom: "at", ValidTo: "to", Deleted: "gone"}, want: onerow.ErrNoColumn, mentions: []string{`"gone"`}},
		{name: "open end of another type", table: scd2.Table{Key: key, ValidFrom: "at", ValidTo: "to", OpenEnd: "9999-12-31"}, want: onerow.ErrType, mentions: []string{`"to"`, "OpenEnd", "9999-12-31"}},
		{name: "bounds", table: scd2.Table{Key: key, ValidFrom: "at", ValidTo: "to", Bounds: 7}, want: onerow.ErrOption, mentions: []string{"Bounds", "7"}},
		{name: "unit of days", table: scd2.Table{Key: key, ValidFrom: "day", ValidTo: "day2", Bounds: scd2.Closed, Unit: 1}, want: onerow.ErrNoColumn, mentions: []string{"day2"}},
		{name: "unit of integers", table: scd2.Table{Key: key, ValidFrom: "at", ValidTo: "to", Bounds: scd2.Closed, Unit: time.Second}, want: onerow.ErrType, mentions: []string{`"to"`, "Unit", "Duration"}},
		{name: "unit of times", table: scd2.Table{Key: key, ValidFrom: "none", ValidTo: "naive", Bounds: scd2.Closed, Unit: 1}, want: onerow.ErrType, mentions: []string{`"naive"`, "Unit", "int"}},
		{name: "unit of text", table: scd2.Table{Key: key, ValidFrom: "none", ValidTo: "text", Bounds: scd2.Closed, Unit: 1}, want: onerow.ErrType, mentions: []string{`"text"`, "Unit"}},
		{name: "no unit", table: scd2.Table{Key: key, ValidFrom: "at", ValidTo: "to", Bounds: scd2.Closed, Unit: 0}, want: onerow.ErrOption, mentions: []string{"Unit", "positive"}},
		{name: "unit goes back", table: scd2.Table{Key: key, ValidFrom: "none", ValidTo: "naive", Bounds: scd2.Closed, Unit: -time.Second}, want: onerow.ErrOption, mentions: []string{"Unit"}},
		{name: "a unit below the day's own", table: scd2.Table{Key: key, ValidFrom: "none", ValidTo: "day", Bounds: scd2.Closed, Unit: time.Microsecond}, want: onerow.ErrOption, mentions: []string{"Unit"}},
		{name: "gaps", table: scd2.Table{Key: key, ValidFrom: "at", ValidTo: "to"}, opts: scd2.CheckOptions{Gaps: 2, ZeroLength: 2}, want: onerow.ErrOption,
			mentions: []string{"Gaps", "ZeroLength"}, check: true},
		{name: "nil batch", table: scd2.Table{Batches: []arrow.Record{nil}, Key: key}, want: onerow.ErrSchema, mentions: []string{"history", "nil"}},
		{name: "schemas", table: scd2.Table{Batches: append(slices.Clone(batches), other...), Key: key, ValidFrom: "at", ValidTo: "to"}, want: onerow.ErrSchema, mentions: []string{"batch 2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.table.Batches == nil {
				test.table.Batches = batches
			}
			_, err := scd2.Check(context.Background(), test.table, test.opts)
			errs := []error{err}
			if !test.check {
				_, current := scd2.Current(context.Background(), test.table, onerow.Resources{})
				_, asOf := scd2.AsOf(context.Background(), test.table, 1, onerow.Resources{})
				errs = append(errs, current, asOf)
			}
			for _, err := range errs {
				if !errors.Is(err, test.want) {
					t.Fatalf("%v, want one that wraps %v", err, test.want)
				}
				for _, m := range test.mentions {
					if !strings.Contains(err.Error(), m) {
						t.Errorf("%v doesn't mention %s", err, m)
					}
				}
			}
		})
	}
}

// TestCheckNothing: without batches or rows there is nothing to find.
func TestCheckNothing(t *testing.T) {
	empty := arrowtest.Batches(t, arrowtest.Allocator(t), []string{"k:int64", "valid_from:int64", "valid_to:int64"}, [][]any{}, [][]any{})
	for _, batches := range [][]arrow.Record{nil, {}, empty} {
		table := scd2.Table{Batches: batches, Key: []string{"k"}, OpenEnd: 9, Bounds: scd2.Closed}
		r, err := scd2.Check(context.Background(), table, scd2.CheckOptions{Gaps: scd2.ReportGaps})
		if d := cmp.Diff(&scd2.CheckReport{Key: []string{"k"}}, r); d != "" || err != nil {
			t.Error(d, err)
		}
		current, err := scd2.Current(context.Background(), table, onerow.Resources{})
		if len(current) > 0 || err != nil {
			t.Error(current, err)
		}
		at, err := scd2.AsOf(context.Background(), table, 5, onerow.Resources{})
		if len(at) > 0 || err != nil {
			t.Error(at, err)
		}
	}
}

// TestAsOfTimes: the time may be of either boundary's type, and must fit one of them.
func TestAsOfTimes(t *testing.T) {
	columns := []string{"valid_from:timestamp[s]", "valid_to:timestamp[ms]"}
	batches := arrowtest.Table(t, arrowtest.Allocator(t), columns, [][]any{{"2026-01-01T00:00:00", "2026-01-01T00:00:00.500"}, {"2026-01-01T00:00:01", nil}})
	for _, test := range []struct {
		at   onerow.Value
		want onerow.Rows
		err  error
	}{
		{"2026-01-01T00:00:00", onerow.Rows{0}, nil},
		{"2026-01-01T00:00:00.499", onerow.Rows{0}, nil},
		{"2026-01-01T00:00:00.5", nil, nil},
		{time.Date(2026, 1, 1, 0, 0, 1, 7_000_000, time.UTC), onerow.Rows{1}, nil},
		{time.Date(2026, 1, 1, 0, 0, 1, 7, time.UTC), nil, onerow.ErrType},
		{7, nil, onerow.ErrType},
		{nil, nil, onerow.ErrOption},
	} {
		got, err := scd2.AsOf(context.Background(), scd2.Table{Batches: batches}, test.at, onerow.Resources{})
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) {
			t.Errorf("at %v: rows %v, %v; want %v, %v", test.at, got, err, test.want, test.err)
		}
	}
}

// madeBatches are histories of enough versions for several tasks, most of them of one key, out of order.
func madeBatches(t *testing.T) []arrow.Record {
	t.Helper()
	mem := arrowtest.Allocator(t)
	var out []arrow.Record
	for _, n := range []int{70_000, 1, 0, 30_000} {
		k, from, to := array.NewInt64Builder(mem), array.NewInt64Builder(mem), array.NewInt64Builder(mem)
		for i := range n {
			k.Append(int64(max(0, i%100-60)))
			at := int64(i * 7919 % n * 10)
			from.Append(at)
			to.Append(at + 10 + int64(i%997/990))
		}
		cols := []arrow.Array{k.NewArray(), from.NewArray(), to.NewArray()}
		fields := make([]arrow.Field, len(cols))
		for i, c := range cols {
			fields[i] = arrow.Field{Name: []string{"k", "valid_from", "valid_to"}[i], Type: c.DataType()}
		}
		rec := array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(n))
		for i, b := range []array.Builder{k, from, to} {
			b.Release()
			cols[i].Release()
		}
		t.Cleanup(rec.Release)
		out = append(out, rec)
	}
	return out
}

// asked is a context that ends when it was asked a number of times.
type asked struct {
	context.Context
	left atomic.Int64
}

func (a *asked) Err() error {
	if a.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCheckCancel: whenever the context ends, the calls return its error and nothing else.
func TestCheckCancel(t *testing.T) {
	batches := madeBatches(t)
	table := scd2.Table{Batches: batches, Key: []string{"k"}}
	ended := 0
	for n := 0; n < 400; n += 1 + n/8 {
		for _, workers := range []int{1, 3} {
			res := onerow.Resources{Workers: workers}
			ctx := func() context.Context {
				a := &asked{Context: context.Background()}
				a.left.Store(int64(n))
				return a
			}
			r, err := scd2.Check(ctx(), table, scd2.CheckOptions{Resources: res})
			if (r == nil) != (err != nil) || err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d: %v, %v", n, r, err)
			}
			if err != nil {
				ended++
			}
			rows, err := scd2.AsOf(ctx(), table, 5, res)
			if rows != nil && err != nil || err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d: %v, %v", n, rows, err)
			}
		}
	}
	if ended < 20 {
		t.Errorf("only %d calls ended early", ended)
	}
}

// TestCheckWorkers: the same report for every number of workers, of batches of several tasks.
func TestCheckWorkers(t *testing.T) {
	table := scd2.Table{Batches: madeBatches(t), Key: []string{"k"}}
	var want *scd2.CheckReport
	for workers := range 5 {
		r, err := scd2.Check(context.Background(), table, scd2.CheckOptions{MaxFindings: 100, Resources: onerow.Resources{Workers: workers}})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = r
		}
		if d := cmp.Diff(want, r); d != "" || len(r.Findings) != 100 || r.Keys != 40 {
			t.Errorf("%d workers: %v", workers, d)
		}
	}
}

// TestCheckProgress: each stage ends with all of its rows.
func TestCheckProgress(t *testing.T) {
	rows := [][]any{{1, 1, 2}, {nil, 1, 2}, {1, 2, 3}}
	table := scd2.Table{Batches: arrowtest.Table(t, arrowtest.Allocator(t), []string{"k:int64", "valid_from:int64", "valid_to:int64"}, rows), Key: []string{"k"}}
	got := map[onerow.Stage][2]int64{}
	res := onerow.Resources{Workers: 2, Progress: func(done, total int64, stage onerow.Stage) { got[stage] = [2]int64{done, total} }}
	if _, err := scd2.Check(context.Background(), table, scd2.CheckOptions{Resources: res}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[onerow.Stage][2]int64{onerow.StageEncode: {3, 3}, onerow.StageGroup: {2, 2}}, got); d != "" {
		t.Error(d)
	}
	clear(got)
	if _, err := scd2.Current(context.Background(), table, res); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[onerow.Stage][2]int64{onerow.StageEncode: {3, 3}}, got); d != "" {
		t.Error(d)
	}
}

// TestCheckHostile gives arrays whose buffers contradict their type to every role: an error that says so, or an answer; never a panic.
func TestCheckHostile(t *testing.T) {
	p := arrow.PrimitiveTypes
	buffer := func(v ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.GetBytes(v)) }
	raw := func(b ...byte) *memory.Buffer { return memory.NewBufferBytes(b) }
	data := func(t arrow.DataType, buffers ...*memory.Buffer) *array.Data {
		return array.NewData(t, 3, buffers, nil, 0, 0)
	}
	values := array.NewData(p.Int32, 2, []*memory.Buffer{nil, buffer(1, 2)}, nil, 0, 0)
	ends := array.NewData(p.Int32, 2, []*memory.Buffer{nil, buffer(1, 2)}, nil, 0, 0)
	for name, d := range map[string]arrow.ArrayData{
		"no values":        data(p.Int64, nil, nil),
		"short bits":       array.NewData(arrow.FixedWidthTypes.Boolean, 3, []*memory.Buffer{nil, raw(255)}, nil, 0, 7),
		"offset outside":   data(arrow.BinaryTypes.String, nil, buffer(0, 9, 9, 3), raw(1, 2, 3)),
		"falling offsets":  data(arrow.BinaryTypes.String, nil, buffer(0, 3, 1, 3), raw(1, 2, 3)),
		"dictionary index": array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: p.Int8, ValueType: p.Int32}, 3, []*memory.Buffer{nil, raw(0, 1, 200)}, 0, 0, values),
		"missing run":      array.NewData(arrow.RunEndEncodedOf(p.Int32, p.Int32), 3, nil, []arrow.ArrayData{ends, values}, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			bad := array.MakeFromData(d)
			good := array.MakeFromData(data(p.Int32, nil, buffer(1, 2, 3)))
			null := array.NewNull(3)
			schema := arrow.NewSchema([]arrow.Field{{Name: "bad", Type: bad.DataType()}, {Name: "good", Type: good.DataType()}, {Name: "null", Type: arrow.Null, Nullable: true}}, nil)
			rec := array.NewRecord(schema, []arrow.Array{bad, good, null}, 3)
			for _, table := range []scd2.Table{
				{Key: []string{"bad"}, ValidFrom: "good", ValidTo: "null"},
				{Key: []string{"good"}, ValidFrom: "bad", ValidTo: "null"},
				{Key: []string{"good"}, ValidFrom: "null", ValidTo: "bad"},
				{Key: []string{"good"}, ValidFrom: "good", ValidTo: "null", Current: "bad"},
				{Key: []string{"good"}, ValidFrom: "good", ValidTo: "null", Deleted: "bad"},
			} {
				table.Batches = []arrow.Record{rec}
				_, err := scd2.Check(context.Background(), table, scd2.CheckOptions{})
				flag := table.Current + table.Deleted
				if want := map[bool]error{true: onerow.ErrType, false: onerow.ErrMalformed}[flag != "" && form.FamilyOf(bad.DataType()) != form.BoolFamily]; !errors.Is(err, want) {
					t.Errorf("%+v: %v, want %v", table.Key, err, want)
				}
				if _, err := scd2.Current(context.Background(), table, onerow.Resources{}); err != nil && !errors.Is(err, onerow.ErrMalformed) && !errors.Is(err, onerow.ErrType) {
					t.Error(err)
				}
				if _, err := scd2.AsOf(context.Background(), table, 1, onerow.Resources{}); err != nil && !errors.Is(err, onerow.ErrMalformed) && !errors.Is(err, onerow.ErrType) {
					t.Error(err)
				}
			}
		})
	}
}
