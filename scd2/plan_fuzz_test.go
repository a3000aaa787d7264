package scd2_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// FuzzPlan makes a small history, changes, a state and options of the bytes, sound or not, and looks at what must hold of any of them: see wild.
func FuzzPlan(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		choices := make([]byte, 400)
		for i := range choices {
			choices[i] = byte(rnd.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		w := &wild{t: t, choices: choices, mem: arrowtest.Allocator(t)}
		w.choose()
		w.play()
	})
}

// wild is a call of Plan that bytes chose, of which most go well, and some not at all:
//
//   - there is no panic, and an error is one of those that Plan names, but not that an array is malformed: none is;
//   - each row of the changes is counted once;
//   - what comes of keys that the changes touch is well-formed, and so is all of a history that was;
//   - the same changes again change nothing: where nothing is ignored or set aside (what was late or tied then needn't be any more), and the
//     history is one that a plan makes.
type wild struct {
	t       *testing.T
	choices []byte
	mem     interface {
		Allocate(int) []byte
		Reallocate(int, []byte) []byte
		Free([]byte)
	}

	table           scd2.Table
	opts            scd2.Options
	columns, source []string
	history         [][]any
	steps           [][][]any
	keyColumns      int
	// odd: the state is not of this history, or the history is none that a plan makes.
	odd bool
}

// next is a choice of n, 0 when the bytes are used up.
func (w *wild) next(n int) int {
	if len(w.choices) == 0 {
		return 0
	}
	c := int(w.choices[0]) % n
	w.choices = w.choices[1:]
	return c
}

// seldom is true for a byte in n, and never when the bytes are used up.
func (w *wild) seldom(n int) bool { return w.next(n) == n-1 }

func oneOf[T any](w *wild, values ...T) T { return values[w.next(len(values))] }

// cell is one of a few values, or NULL for a byte in nulls.
func (w *wild) cell(nulls int, values ...any) any {
	v := oneOf(w, values...)
	if nulls > 0 && w.seldom(nulls) {
		return nil
	}
	return v
}

func (w *wild) choose() {
	o := &w.opts
	o.Mode = oneOf(w, scd2.Changes, scd2.Changes, scd2.Changes, scd2.Snapshot)
	o.Resources.Workers = 1 + w.next(3)
	w.table.Key = []string{"id", "org"}[:1+w.next(2)]
	w.keyColumns = len(w.table.Key)
	if w.seldom(4) {
		w.table.OpenEnd = 99
	}
	if w.next(2) == 1 {
		w.table.Current = "live"
	}
	if w.next(2) == 1 {
		w.table.Deleted = "gone"
		o.Deletes = scd2.Deletes(w.next(2))
	}
	o.NullKey = onerow.NullKey(w.next(3))
	o.Ties = scd2.Ties(w.next(3))
	o.Late = scd2.Late(max(0, w.next(6)-3))
	o.Unchanged = scd2.Unchanged(max(0, w.next(4)-2))
	o.Columns.Missing = scd2.Missing(w.next(3))
	o.Columns.New = scd2.New(1 - max(0, w.next(4)-2))
	o.Columns.Group = w.seldom(5)
	if w.seldom(5) {
		o.Columns.KeepNull = []string{"v"}
	}
	switch w.next(4) {
	case 2:
		o.Tracked = []string{"v"}
	case 3:
		o.Tracked = []string{"v", "w"}
	}
	if w.seldom(6) {
		o.Since = w.next(6)
	}
	w.chooseMode()
	w.chooseColumns()
	w.chooseHistory()
	for range 1 + w.next(3) {
		var rows [][]any
		for range w.next(6) {
			rows = append(rows, w.change())
		}
		w.steps = append(w.steps, rows)
	}
	if w.seldom(16) {
		w.spoil()
	}
	w.odd = w.isOdd()
}

// isOdd looks for what plans don't make: equal neighbours, deletion rows with other values than the version before; and for order columns in a
// history that several sources write, of which each would store its own.
func (w *wild) isOdd() bool {
	at := func(name string) int { return slices.Index(names(w.columns), name) }
	if w.opts.Columns.Group && at("at")+at("seq") > -2 {
		return true
	}
	for i, row := range w.history {
		if gone := at("gone"); gone >= 0 && row[gone] == true {
			return true
		}
		if i > 0 && row[0] == w.history[i-1][0] && row[at("v")] == w.history[i-1][at("v")] {
			return true
		}
	}
	return false
}

func (w *wild) chooseMode() {
	o := &w.opts
	o.At = []onerow.Order{onerow.Desc("at"), oneOf(w, onerow.Desc("seq"), onerow.Asc("seq").NullsLowest(), onerow.Desc("seq").NullsHighest())}[:1+w.next(2)]
	if len(o.At) == 2 && w.seldom(4) {
		slices.Reverse(o.At)
		o.From = "at"
	}
	if o.Mode == scd2.Snapshot {
		o.Absent, o.MaxClose, o.AllowEmpty, o.Now = scd2.Absent(1+w.next(2)), float64(1-w.next(2)), w.next(2) == 0, 20+w.next(10)
		o.Late = scd2.RewriteLate
		if w.next(2) == 0 {
			o.At, o.From = nil, ""
		}
		return
	}
	o.Op = scd2.Op{Column: "op", Delete: []onerow.Value{"d"}, Truncate: []onerow.Value{"t"}}
	if w.seldom(4) && o.Late != scd2.IgnoreLate && o.Ties != scd2.SetAsideTies {
		for _, k := range w.table.Key {
			o.Op.PreviousKey = append(o.Op.PreviousKey, "old "+k)
		}
	}
	if w.seldom(6) {
		o.At, o.From, o.Now = nil, "", 3+w.next(20)
	}
}

func (w *wild) chooseColumns() {
	add := func(to *[]string, name string, types ...string) { *to = append(*to, name+":"+oneOf(w, types...)) }
	for _, k := range w.table.Key {
		add(&w.columns, k, "int64", "dict<int8,int64>")
		add(&w.source, k, "int64", "int8", "ree<int16>")
	}
	add(&w.columns, "v", "string", "dict<int8,string>")
	add(&w.source, "v", "string", "large_string")
	if w.next(3) > 0 {
		add(&w.columns, "w", "int64", "int8")
	}
	if w.next(3) > 0 {
		add(&w.source, "w", "int16", "dict<int8,int32>")
	}
	if w.seldom(4) {
		add(&w.columns, "seq", "int64", "int32")
	}
	if w.seldom(6) {
		add(&w.columns, "at", "int64")
	}
	for _, flag := range []string{w.table.Current, w.table.Deleted} {
		if flag != "" {
			add(&w.columns, flag, "bool")
		}
	}
	add(&w.columns, "valid_from", "int64", "uint8", "dict<int8,int32>")
	add(&w.columns, "valid_to", "int64", "int16")
	for _, by := range w.opts.At {
		add(&w.source, by.Column, "int64", "int32", "uint8")
	}
	if w.opts.Op.Column != "" {
		add(&w.source, "op", "string", "dict<int8,string>")
	}
	for _, old := range w.opts.Op.PreviousKey {
		add(&w.source, old, "int64", "int8")
	}
}

// chooseHistory makes versions of a few keys: sound ones mostly.
func (w *wild) chooseHistory() {
	sound := w.next(4) > 0
	for id := range 3 {
		at := w.next(6)
		for n := w.next(4); n > 0; n-- {
			end := at + 1 + w.next(5)
			row := make([]any, len(w.columns))
			open := n == 1 && w.next(3) > 0
			for i, name := range names(w.columns) {
				row[i] = w.given(name, id, at, end, open)
			}
			if !sound && w.seldom(2) {
				i := len(row) - 1 - w.next(min(5, len(row)))
				row[i] = w.given(names(w.columns)[i], w.next(3), w.next(12), w.next(12), w.next(2) == 0)
			}
			w.history = append(w.history, row)
			at = end + max(0, w.next(6)-4)
		}
	}
}

// given is a cell of a version.
func (w *wild) given(column string, id, start, end int, open bool) any {
	switch column {
	case "id":
		return w.cell(30, id)
	case "org":
		return w.cell(12, 1)
	case "v":
		return w.cell(5, "a", "b", "c")
	case "w":
		return w.cell(5, 1, 2)
	case "seq":
		return w.cell(6, 1, 2, 3)
	case "at":
		return start
	case "live":
		return open != w.seldom(12)
	case "gone":
		return w.cell(3, false, false, false, false, true)
	case "valid_from":
		return start
	}
	switch {
	case open && w.table.OpenEnd != nil && w.next(3) > 0:
		return 99
	case open:
		return nil
	}
	return end
}

// change is a row of the changes.
func (w *wild) change() []any {
	var row []any
	for _, name := range names(w.source) {
		var c any
		switch name {
		case "id":
			c = w.cell(20, 0, 1, 2, 3)
		case "org":
			c = w.cell(20, 1, 1, 2)
		case "v":
			c = w.cell(5, "a", "b", "c")
		case "w":
			c = w.cell(5, 1, 2)
		case "at":
			c = w.cell(60, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16)
		case "seq":
			c = w.cell(20, 1, 2, 3)
		case "op":
			c = w.cell(8, "u", "u", "u", "u", "d", "d", "t", "x")
		case "old id":
			c = w.cell(2, 0, 1, 2)
		case "old org":
			c = w.cell(2, 1, 2)
		}
		row = append(row, c)
	}
	return row
}

// spoil makes an option one that can't be, or that the columns don't go with.
func (w *wild) spoil() {
	o := &w.opts
	switch w.next(12) {
	case 0:
		o.Mode = 0
	case 1:
		o.Ties = 9
	case 2:
		o.At = append(o.At, onerow.Desc("at"))
	case 3:
		o.Tracked = []string{"none"}
	case 4:
		w.table.ValidTo = "none"
	case 5:
		w.table.OpenEnd = "x"
	case 6:
		o.Columns.KeepNull = []string{"valid_from"}
	case 7:
		o.MaxClose = -1
	case 8:
		w.table.Key = nil
	case 9:
		o.Since = 1e300
	case 10:
		o.Op.Delete = []onerow.Value{7}
	case 11:
		o.Absent = 7
	}
}

// wildState makes a state of a few rows that no plan gave.
func (w *wild) wildState(like arrow.Record) []arrow.Record {
	var rows [][]any
	for range 1 + w.next(3) {
		row := make([]any, like.NumCols())
		for i, f := range like.Schema().Fields() {
			switch name := f.Name; {
			case name == scd2.StateKind:
				row[i] = w.cell(0, "upsert", "delete", "upsert", "truncate", "watermark")
			case name == scd2.StateAt:
				row[i] = w.next(9)
			case name == scd2.StateOrdered:
				row[i] = w.next(3) > 0
			case strings.HasPrefix(name, scd2.StateOrder):
				row[i] = w.cell(6, 1, 2, 3)
			default:
				row[i] = w.given(name, w.next(3), 0, 0, false)
			}
		}
		rows = append(rows, row)
	}
	rec, err := arrowtest.Record(w.mem, like.Schema(), rows)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(rec.Release)
	return []arrow.Record{rec}
}

// play makes the calls, with the state handed on.
func (w *wild) play() {
	w.table.Batches = arrowtest.Table(w.t, w.mem, w.columns, w.history)
	spoilt := w.next(4) == 3
	for i, rows := range w.steps {
		changes := arrowtest.Table(w.t, w.mem, w.source, rows)
		m, err := w.plan(changes)
		if err != nil {
			continue
		}
		state := w.apply(m, changes)
		if spoilt && i == 0 {
			w.opts.State, w.odd = w.wildState(state), true
		}
	}
}

// plan calls Plan, and looks at the error.
func (w *wild) plan(changes []arrow.Record) (*scd2.Merge, error) {
	m, err := scd2.Plan(context.Background(), w.table, changes, w.opts)
	if err == nil {
		conserved(w.t, m)
		return m, nil
	}
	named := false
	for _, kind := range sentinels {
		named = named || errors.Is(err, kind)
	}
	if m != nil || !named || errors.Is(err, onerow.ErrMalformed) {
		w.t.Fatalf("%v, and a plan %v\n%v", err, m != nil, w.text(changes))
	}
	checkWords(w.t, err, nil)
	return nil, err
}

// apply applies a plan, and goes on from there.
func (w *wild) apply(m *scd2.Merge, changes []arrow.Record) arrow.Record {
	ctx := context.Background()
	before := w.text(changes)
	next, err := m.Apply(ctx, w.mem, w.table.Batches)
	if err != nil {
		w.t.Fatalf("Apply: %v\n%s", err, before)
	}
	state, err := m.State(ctx, w.mem)
	if err != nil {
		w.t.Fatalf("State: %v\n%s", err, before)
	}
	w.t.Cleanup(func() { arrowtest.Release(next); state.Release() })
	staged, err := m.Staged(ctx, w.mem)
	if err != nil {
		w.t.Fatalf("Staged: %v\n%s", err, before)
	}
	defer staged.Release()
	r := m.Report
	if n := rowCount(next); n != r.History+r.Insert-r.Remove || staged.NumRows() != r.Insert+r.Close+r.Rewrite+r.Remove || state.NumRows() != r.Remembered {
		w.t.Fatalf("%d rows, %d staged, %d in the state: %+v\n%s", n, staged.NumRows(), state.NumRows(), r, before)
	}
	w.check(m, changes, next, before)
	w.table.Batches, w.opts.State = next, []arrow.Record{state}
	tied := slices.ContainsFunc(m.Rejected, func(a scd2.Action) bool { return a.Reason == scd2.Tied })
	if w.opts.Mode == scd2.Changes && w.opts.Late != scd2.IgnoreLate && !w.odd && !tied {
		w.again(changes, before)
	}
	return state
}

// again plans the changes that have just been applied.
func (w *wild) again(changes []arrow.Record, before string) {
	m, err := w.plan(changes)
	if err != nil {
		w.t.Fatalf("the same changes again: %v\n%s\nmade\n%s", err, before, w.text(nil))
	}
	if !m.Empty() {
		w.t.Fatalf("the same changes again: %s, remembered %d, forgotten %d\n%s\nmade\n%s", counts(m.Report), m.Report.Remembered, m.Report.Forgotten, before, w.text(nil))
	}
}

func rowCount(batches []arrow.Record) (n int64) {
	for _, b := range batches {
		n += b.NumRows()
	}
	return n
}

// check lets Check find nothing in what comes of a sound history, nor of keys that have an event.
func (w *wild) check(m *scd2.Merge, changes, next []arrow.Record, before string) {
	find := func(batches []arrow.Record) []scd2.Finding {
		table := w.table
		table.Batches = batches
		r, err := scd2.Check(context.Background(), table, scd2.CheckOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		return slices.DeleteFunc(r.Findings, func(f scd2.Finding) bool { return f.Kind == scd2.NullKey })
	}
	found, sound := find(next), len(find(w.table.Batches)) == 0
	touched := map[string]bool{}
	rejected := map[uint32]bool{}
	for _, a := range m.Rejected {
		rejected[a.Row] = true
	}
	for i, row := range arrowtest.All(changes) {
		op := slices.Index(names(w.source), "op")
		if !rejected[uint32(i)] && (op < 0 || row[op] != "t") {
			touched[arrowtest.FormatRow(row[:w.keyColumns])] = true
		}
	}
	rows := arrowtest.All(next)
	for _, f := range found {
		if key := arrowtest.FormatRow(rows[f.Rows[0]][:w.keyColumns]); sound || touched[key] {
			w.t.Fatalf("Check finds %+v of %s, which is touched: %v, the history was sound: %v\n%s\nmade\n%s", f, key, touched[key], sound, before, arrowtest.FormatRows(rows))
		}
	}
}

// text writes a call so that it can be made again.
func (w *wild) text(changes []arrow.Record) string {
	table, opts := w.table, w.opts
	table.Batches, opts.State = nil, nil
	text := fmt.Sprintf("table %+v\noptions %+v\nhistory %q\n%s\n", table, opts, w.columns, arrowtest.FormatRows(arrowtest.All(w.table.Batches)))
	if w.opts.State != nil {
		text += fmt.Sprintf("state %v\n%s\n", fieldNames(w.opts.State[0].Schema()), arrowtest.FormatRows(arrowtest.All(w.opts.State)))
	}
	return text + fmt.Sprintf("changes %q\n%s\n", w.source, arrowtest.FormatRows(arrowtest.All(changes)))
}

func fieldNames(s *arrow.Schema) (names []string) {
	for _, f := range s.Fields() {
		names = append(names, f.Name)
	}
	return names
}
