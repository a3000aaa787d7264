package engines_test

import (
	"math"
	"strings"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// counts are how many rows a merge inserts, closes, rewrites and removes.
type counts [4]int64

func countsOf(m *scd2.Merge) counts {
	return counts{m.Report.Insert, m.Report.Close, m.Report.Rewrite, m.Report.Remove}
}

// step is one merge of a story, and how many rows of each action it makes.
type step struct {
	columns []string
	rows    [][]any
	opts    scd2.Options
	counts  counts
}

// story is a history and the merges that it goes through, one after the other, each with the state of the one before.
type story struct {
	name    string
	columns []string
	rows    [][]any
	table   scd2.Table
	steps   []step
}

var events = []string{"id:int64", "name:string", "at:int64", "op:string"}

// byEvent are the options of a step of events.
func byEvent() scd2.Options {
	return scd2.Options{
		Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")},
		Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}},
	}
}

// deletionRows are those with a row for each deletion.
func deletionRows() scd2.Options {
	opts := byEvent()
	opts.Deletes = scd2.DeletesAsRows
	return opts
}

var stories = []story{
	{
		name:    "the life of a few keys",
		columns: []string{"id:int64", "name:string", "valid_from:int64", "valid_to:int64"},
		table:   scd2.Table{Key: []string{"id"}},
		steps: []step{
			{events, [][]any{{1, "a", 10, nil}, {2, "b", 10, nil}}, byEvent(), counts{2, 0, 0, 0}},                         // first load
			{events, [][]any{{1, "a2", 30, nil}, {2, "b", 30, nil}}, byEvent(), counts{1, 1, 0, 0}},                        // a change, and none
			{events, [][]any{{1, "a1", 20, nil}}, byEvent(), counts{1, 0, 1, 0}},                                           // a late split
			{events, [][]any{{1, "a2", 25, nil}}, byEvent(), counts{0, 0, 2, 0}},                                           // a moved start
			{events, [][]any{{1, "a", 20, nil}}, withTies(byEvent()), counts{0, 0, 0, 0}},                                  // less than what is there
			{events, [][]any{{2, nil, 40, "d"}, {3, nil, 40, "d"}}, byEvent(), counts{0, 1, 0, 0}},                         // a delete, and of nothing
			{events, [][]any{{2, "b3", 50, nil}, {3, "c", 35, nil}}, byEvent(), counts{2, 0, 0, 0}},                        // a return, and a late insert
			{events, [][]any{{1, nil, 25, "d"}}, byEvent(), counts{1, 0, 0, 1}},                                            // the state knows of a2 at 30
			{events, [][]any{{1, "O'Brien \"x\" \\ ; --", 60, nil}, {4, "ü 漢 🙂", 60, nil}}, byEvent(), counts{2, 1, 0, 0}}, // text
			{events, [][]any{{3, nil, 35, "d"}}, byEvent(), counts{0, 0, 0, 1}},                                            // a delete at a start
			{events, nil, byEvent(), counts{0, 0, 0, 0}},
		},
	},
	{
		name:    "deletion rows, a flag, a sentinel",
		columns: []string{"id:int64", "name:string", "since:timestamp[us]", "until:timestamp[us]", "is_current:bool", "is_deleted:bool"},
		table: scd2.Table{
			Key: []string{"id"}, ValidFrom: "since", ValidTo: "until", Current: "is_current", Deleted: "is_deleted",
			OpenEnd: "9999-12-31T00:00:00",
		},
		steps: []step{
			{stamped, [][]any{{1, "a", "2026-01-01T00:00:00.000001", nil}}, deletionRows(), counts{1, 0, 0, 0}},
			{stamped, [][]any{{1, nil, "2026-01-02T00:00:00", "d"}}, deletionRows(), counts{1, 1, 0, 0}},
			{stamped, [][]any{{1, "b", "2026-01-03T00:00:00", nil}}, deletionRows(), counts{1, 1, 0, 0}},
			{stamped, [][]any{{1, "c", "2026-01-01T12:00:00", nil}}, deletionRows(), counts{1, 0, 2, 0}},
		},
	},
	{
		name:    "keys with NULL parts",
		columns: []string{"a:string", "b:int32", "v:decimal(12,2)", "valid_from:date32", "valid_to:date32"},
		rows: [][]any{
			{"x", nil, "1.50", "2026-01-01", nil},
			{nil, 1, "2.50", "2026-01-01", nil},
			{nil, nil, "3.50", "2026-01-01", nil},
		},
		table: scd2.Table{Key: []string{"a", "b"}},
		steps: []step{
			{dated, [][]any{{nil, nil, "4.50", "2026-01-05"}, {"x", nil, "1.5", "2026-01-05"}, {"", nil, "5", "2026-01-05"}}, nullKeys(), counts{2, 1, 0, 0}},
			{dated, [][]any{{nil, 1, "-99999.99", "2026-01-03"}, {nil, nil, nil, "2026-01-04"}}, nullKeys(), counts{2, 1, 1, 0}},
		},
	},
	{
		name:    "floats",
		columns: []string{"k:float64", "f:float32", "g:float64", "valid_from:timestamp[ms,UTC]", "valid_to:timestamp[ms,UTC]"},
		table:   scd2.Table{Key: []string{"k"}},
		steps: []step{
			{floats, [][]any{{math.NaN(), math.NaN(), 0.1, "2026-01-01T00:00:00Z"}, {math.Copysign(0, -1), 0.1, math.Inf(1), "2026-01-01T00:00:00Z"}}, atTime(), counts{2, 0, 0, 0}},
			{floats, [][]any{{math.NaN(), math.NaN(), 0.2, "2026-01-02T00:00:00.5Z"}, {0.0, 0.1, math.Inf(-1), "2026-01-02T00:00:00Z"}}, atTime(), counts{2, 2, 0, 0}},
			{floats, [][]any{{math.NaN(), math.NaN(), 0.2, "2026-01-03T00:00:00Z"}}, atTime(), counts{0, 0, 0, 0}},
		},
	},
	{
		name:    "names that must be quoted",
		columns: []string{"order:int64", "Select:string", `say "hi":binary`, "a.b:bool", "From:int64", "to:int64"},
		table:   scd2.Table{Key: []string{"order", "Select"}, ValidFrom: "From", ValidTo: "to"},
		steps: []step{
			{quoted, [][]any{{1, "x", []byte{0, 255}, true, 10}}, atFrom(), counts{1, 0, 0, 0}},
			{quoted, [][]any{{1, "x", []byte{}, nil, 20}, {1, "X", nil, false, 20}}, atFrom(), counts{2, 1, 0, 0}},
		},
	},
	{
		name:    "a snapshot",
		columns: []string{"id:uint64", "name:string", "valid_from:date32", "valid_to:date32", "current:bool"},
		rows:    [][]any{{uint64(math.MaxUint64), "a", "2026-01-01", nil, true}, {2, "b", "2026-01-01", nil, false}, {3, "c", "2026-01-01", nil, true}},
		table:   scd2.Table{Key: []string{"id"}, Current: "current"},
		steps: []step{
			{[]string{"id:uint64", "name:string"}, [][]any{{uint64(math.MaxUint64), "a2"}, {2, "b"}, {4, "d"}}, scd2.Options{
				Mode: scd2.Snapshot, Now: "2026-02-01", Absent: scd2.AbsentCloses, MaxClose: 1,
			}, counts{2, 2, 1, 0}},
		},
	},
	{
		name:    "a column that is new",
		columns: []string{"id:int64", "name:string", "valid_from:int64", "valid_to:int64"},
		rows:    [][]any{{1, "a", 10, nil}, {2, "b", 10, nil}},
		table:   scd2.Table{Key: []string{"id"}},
		steps: []step{
			{[]string{"id:int64", "name:string", "city:string", "at:int64"}, [][]any{{1, "a", "Ulm", 20}}, scd2.Options{
				Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")}, Columns: scd2.Columns{New: scd2.AddNew},
			}, counts{1, 1, 0, 0}},
		},
	},
}

var (
	stamped = []string{"id:int64", "name:string", "at:timestamp[us]", "op:string"}
	dated   = []string{"a:string", "b:int32", "v:decimal(12,2)", "at:date32"}
	floats  = []string{"k:float64", "f:float32", "g:float64", "at:timestamp[ms,UTC]"}
	quoted  = []string{"order:int64", "Select:string", `say "hi":binary`, "a.b:bool", "From:int64"}
)

func withTies(opts scd2.Options) scd2.Options {
	opts.Ties = scd2.TiesByContent
	return opts
}

func atTime() scd2.Options {
	return scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")}}
}

func atFrom() scd2.Options {
	return scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("From")}}
}

func nullKeys() scd2.Options {
	opts := atTime()
	opts.NullKey = onerow.EqualNullKeys
	return opts
}

// After each merge of a story the engine's table is what Apply makes.
func TestStories(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		for _, s := range stories {
			t.Run(s.name, func(t *testing.T) {
				mem := arrowtest.Allocator(t)
				s.table.Batches = arrowtest.Table(t, mem, s.columns, s.rows)
				h := newHistory(t, e, mem, strings.ReplaceAll(s.name, " ", "_"), s.table)
				for i, step := range s.steps {
					m := h.merge(t, arrowtest.Table(t, mem, step.columns, step.rows), step.opts)
					if got := countsOf(m); got != step.counts {
						t.Errorf("step %d: insert, close, rewrite, remove are %v, want %v", i, got, step.counts)
					}
					if t.Failed() {
						t.Logf("after step %d:\n%s", i, arrowtest.FormatRows(arrowtest.All(h.table.Batches)))
						return
					}
				}
			})
		}
	})
}
