package scd2_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/scd2"
)

// drawn draws choices from rapid.
type drawn struct{ t *rapid.T }

func (d drawn) Choose(what string, n int) int { return rapid.IntRange(0, n-1).Draw(d.t, what) }

// grid is a table of cells, as internal/arrowtest takes them.
type grid struct {
	columns []string
	rows    [][]any
}

// scene is a random history, and all the events that come to it. There are few keys, positions and values, so that collisions, copies, late
// events and repeats are common.
type scene struct {
	table   scd2.Table // without Batches
	opts    scd2.Options
	given   grid // the history
	columns []string
	events  []event

	src    oracle.Source
	line   line
	keys   [][]any
	values []valueColumn
	most   int   // the highest position
	seqs   []any // cells of the second order column, lowest first; nil if there is none
	stored bool  // the history stores seq
	orders int   // 2 when it stores all order columns and has rows that tell of them
	said   map[string][]any
	starts map[string][]any // values of given versions by key and position
	told   map[string]bool  // of these, those whose order the history tells
}

// event is one row of the changes.
type event struct {
	key, pos, seq int
	op            string
	vals          []any
	was           int // the previous key; -1: none
}

// random takes choices from a random number generator.
type random struct{ *rand.Rand }

func (r random) Choose(_ string, n int) int { return r.IntN(n) }

// largerScene makes a scene of some hundreds of keys and thousands of events.
func largerScene(src oracle.Source) *scene {
	s := &scene{src: src, line: lines[0], said: map[string][]any{}, starts: map[string][]any{}, told: map[string]bool{}, most: 40, seqs: []any{1, 2, 3}}
	s.table = scd2.Table{Key: []string{"k"}, OpenEnd: s.line.end, Current: "current"}
	s.opts = scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("t"), onerow.Desc("seq")}, Tracked: []string{"v"}}
	for k := range 200 {
		s.keys = append(s.keys, []any{k})
	}
	for _, name := range []string{"v", "note"} {
		s.values = append(s.values, valueColumn{name, oracle.Samples[1], "string", "dict<uint16,string>", name == "v", 5})
	}
	s.given.columns = []string{"k:int64", "v:string", "note:string", "valid_from:int64", "valid_to:int64", "current:bool"}
	s.columns = []string{"k:int32", "t:int16", "seq:int8", "op:string", "v:dict<int8,string>", "note:string"}
	s.opts.Op = scd2.Op{Column: "op", Delete: []onerow.Value{"d"}, Truncate: []onerow.Value{"t"}}
	s.chooseGiven()
	for range 2000 {
		e := s.chooseEvent(may{})
		if e.op == "t" && src.Choose("truncate", 100) > 0 {
			continue
		}
		s.events = append(s.events, e)
	}
	return s
}

// line is a family of positions.
type line struct {
	types []string
	cell  func(i int) any
	open  any // a cell beyond all
	value func(i int) onerow.Value
	end   onerow.Value
}

func text(format string) func(int) any { return func(i int) any { return fmt.Sprintf(format, i) } }

func lineOf(end string, format string, types ...string) line {
	return line{types, text(format), end, func(i int) onerow.Value { return fmt.Sprintf(format, i) }, end}
}

func number(i int) any { return i }

// most is the highest position, unless a scene says otherwise.
const most = 8

var lines = []line{
	{[]string{"int64", "int32", "int64", "uint16", "dict<int8,int64>", "ree<int32>"}, number, 99, func(i int) onerow.Value { return i }, 99},
	lineOf("9999-12-31", "2026-01-1%d", "date32", "date64", "ree<date32>"),
	lineOf("2200-01-01T00:00:00", "2026-01-31T09:00:0%d", "timestamp[us]", "timestamp[s]", "timestamp[ns]", "dict<int16,timestamp[us]>"),
	lineOf("9999-12-31T00:00:00Z", "2026-06-01T12:00:0%dZ", "timestamp[us,UTC]", "timestamp[ms,America/New_York]"),
	{[]string{"float64", "float32"}, func(i int) any { return float64(i) / 2 }, 1e9, func(i int) onerow.Value { return float64(i) / 2 }, 1e9},
	lineOf("z", "position %d", "string", "large_string", "dict<int8,string>"),
	lineOf("99.9", "1.%d", "decimal(10,2)", "decimal256(40,1)"),
}

func (l line) typ(src oracle.Source, what string) string {
	return l.types[max(0, src.Choose(what+" type", 2*len(l.types))-len(l.types))]
}

// valueColumn is a column that the history stores.
type valueColumn struct {
	name      string
	sample    oracle.Sample
	base, typ string // in the history and in the source; "" where it is missing
	tracked   bool
	nulls     int
}

// may says which parts of the contract a scene may use.
type may struct {
	ties      bool // ties are refused, or resolved among events that differ everywhere
	snapshots bool
	silent    bool // columns in which NULL says nothing: what they come to depends on the calls
	events    int
}

// newScene makes a scene.
func newScene(src oracle.Source, m may) *scene {
	s := &scene{src: src, line: lines[src.Choose("positions", len(lines))], said: map[string][]any{}, starts: map[string][]any{}, most: most, told: map[string]bool{}}
	s.opts.Mode = scd2.Changes
	if m.snapshots {
		s.opts.Mode = scd2.Snapshot
	}
	s.chooseOptions(m)
	s.chooseKeys()
	s.chooseValues()
	if m.silent && s.opts.Ties == scd2.RejectTies && s.flip("NULL says nothing") {
		s.opts.Columns.KeepNull = []string{"v"}
		s.values[0].nulls = 2
	}
	s.layOut()
	if all := slices.Contains(names(s.given.columns), "t"); all && s.opts.Ties == scd2.RejectTies && s.opts.Columns.KeepNull == nil && s.opts.Columns.Missing != scd2.NullMissing {
		s.orders = 2
	}
	if (!s.stored || s.orders > 0) && src.Choose("given", 3) > 0 {
		s.chooseGiven()
	}
	if m.events == 0 {
		m.events = 10
	}
	for n := src.Choose("events", m.events) + 1; n > 0; n-- {
		s.events = append(s.events, s.chooseEvent(m))
	}
	return s
}

func (s *scene) flip(what string) bool { return s.src.Choose(what, 2) == 1 }

func (s *scene) chooseOptions(m may) {
	if s.flip("sentinel") {
		s.table.OpenEnd = s.line.end
	}
	if s.flip("flag") {
		s.table.Current = "current"
	}
	if s.flip("deletion rows") {
		s.opts.Deletes, s.table.Deleted = scd2.DeletesAsRows, "deleted"
	}
	if s.src.Choose("repeats kept", 4) == 3 && !m.snapshots {
		s.opts.Unchanged = scd2.KeepUnchanged
	}
	if s.src.Choose("ties by content", 3) == 2 {
		s.opts.Ties = scd2.TiesByContent
	}
	switch {
	case !m.snapshots:
		s.chooseOrder()
	case s.src.Choose("snapshot with positions", 3) == 2:
		s.opts.At = []onerow.Order{onerow.Desc("t")}
		s.opts.Deletes, s.table.Deleted = scd2.DeletesClose, ""
	}
	if m.snapshots {
		s.opts.Absent = scd2.Absent(1 + s.src.Choose("absent", 2))
		s.opts.MaxClose = []float64{1, 0.5, 0}[s.src.Choose("closed at most", 3)]
		s.opts.AllowEmpty = s.flip("empty allowed")
	}
}

// chooseOrder chooses what events are ordered by: positions, and perhaps what tells events of one position apart.
func (s *scene) chooseOrder() {
	s.opts.At = []onerow.Order{onerow.Desc("t")}
	if s.flip("second order") {
		return
	}
	second := onerow.Desc("seq")
	s.seqs = []any{1, 2, 3}
	switch s.src.Choose("order of seq", 7) {
	case 2:
		second = onerow.Asc("seq")
	case 3:
		second, s.seqs = second.NullsLowest(), []any{1, 2, nil}
	case 4:
		second, s.seqs = onerow.Asc("seq").NullsHighest(), []any{1, 2, nil}
	case 5, 6:
		s.stored = true
	}
	if s.opts.At = append(s.opts.At, second); s.src.Choose("seq first", 4) == 3 {
		slices.Reverse(s.opts.At)
		s.opts.From = "t"
	}
}

func (s *scene) chooseKeys() {
	s.table.Key = []string{"k"}
	cells := []any{1, 2, 3, 4}
	composite := s.src.Choose("composite key", 3) == 2
	if composite {
		s.table.Key = []string{"k", "l"}
	}
	for i := range 2 + s.src.Choose("keys", 3) {
		if key := []any{cells[i]}; composite {
			s.keys = append(s.keys, append([]any{cells[i/2]}, []any{"b", "ab"}[i%2]))
		} else {
			s.keys = append(s.keys, key)
		}
	}
	if s.src.Choose("NULL key", 4) == 3 {
		s.opts.NullKey = onerow.EqualNullKeys
		s.keys[0] = slices.Clone(s.keys[0])
		s.keys[0][len(s.keys[0])-1] = nil
	}
}

// chooseValues chooses the columns of values. Ties by content are decided over all columns, so that all are tracked then.
func (s *scene) chooseValues() {
	add := func(name string, tracked bool) *valueColumn {
		sample := oracle.Samples[1]
		if s.flip(name + " of another family") {
			sample = oracle.ChooseSample(s.src, name+" sample", false)
		}
		sample = sample.Narrow(s.src, name, 2)
		s.values = append(s.values, valueColumn{name, sample, sample.ChooseType(s.src, name+" in the history"), sample.ChooseType(s.src, name), tracked, []int{0, 4}[s.src.Choose(name+" NULLs", 2)]})
		return &s.values[len(s.values)-1]
	}
	add("v", true)
	if s.flip("second value") {
		add("w", true)
	}
	untracked := s.flip("untracked") && s.opts.Ties == scd2.RejectTies && (s.opts.Mode == scd2.Changes || len(s.opts.At) == 0)
	if untracked {
		add("note", false)
		s.opts.Tracked = []string{"v"}
		if s.values[1].name == "w" {
			s.opts.Tracked = append(s.opts.Tracked, "w")
		}
	}
	switch s.src.Choose("columns differ", 6) {
	case 3:
		if c := add("lost", !untracked); s.opts.Ties == scd2.RejectTies && !untracked {
			c.typ = "" // only in the history
			s.opts.Columns.Missing = scd2.Missing(s.src.Choose("missing", 3))
		}
	case 4:
		if c := add("new", !untracked); s.flip("new column") {
			c.base, s.opts.Columns.New = "", scd2.AddNew
		}
	}
}

// layOut makes the columns of both tables.
func (s *scene) layOut() {
	keyTypes := [][]string{{"int64", "int32", "uint8", "dict<int8,int64>"}, {"string", "dict<uint16,string>", "large_string", "ree<string>"}}
	for i, k := range s.table.Key {
		types := keyTypes[i]
		s.given.columns = append(s.given.columns, k+":"+types[s.src.Choose("key type", len(types))])
		s.columns = append(s.columns, k+":"+types[s.src.Choose("key type of the source", len(types))])
	}
	if len(s.opts.At) > 0 {
		s.columns = append(s.columns, "t:"+s.line.typ(s.src, "t"))
	}
	if s.seqs != nil {
		s.columns = append(s.columns, "seq:int16")
	}
	if s.stored {
		s.given.columns = append(s.given.columns, "seq:int32")
		if s.flip("positions stored") {
			s.given.columns = append(s.given.columns, "t:"+s.line.typ(s.src, "t in the history"))
		}
	}
	if s.opts.Mode == scd2.Changes {
		s.columns = append(s.columns, "op:string")
		s.opts.Op = scd2.Op{Column: "op", Delete: []onerow.Value{"d"}, Truncate: []onerow.Value{"t"}}
		if s.src.Choose("key changes", 4) == 3 && s.opts.NullKey == onerow.RejectNullKeys {
			for i, k := range s.table.Key {
				s.opts.Op.PreviousKey = append(s.opts.Op.PreviousKey, "was "+k)
				s.columns = append(s.columns, "was "+k+":"+keyTypes[i][0])
			}
		}
	}
	for _, v := range s.values {
		if v.base != "" {
			s.given.columns = append(s.given.columns, v.name+":"+v.base)
		}
		if v.typ != "" {
			s.columns = append(s.columns, v.name+":"+v.typ)
		}
	}
	s.given.columns = append(s.given.columns, "valid_from:"+s.line.typ(s.src, "valid_from"), "valid_to:"+s.line.typ(s.src, "valid_to"))
	for _, flag := range []string{s.table.Current, s.table.Deleted} {
		if flag != "" {
			s.given.columns = append(s.given.columns, flag+":bool")
		}
	}
}

func (s *scene) chooseCells(given bool) []any {
	vals := make([]any, len(s.values))
	for i, v := range s.values {
		if given && v.base != "" || !given && v.typ != "" {
			vals[i] = v.sample.ChooseCell(s.src, v.name, v.nulls)
		}
	}
	return vals
}

// String writes the scene so that it can be read, and typed into a case.
func (s *scene) String() string {
	var b strings.Builder
	o := s.opts
	fmt.Fprintf(&b, "key %q Mode %d At %+v From %q Tracked %q Op %+v OpenEnd %v Current %q Deleted %q\n", s.table.Key, o.Mode, o.At, o.From, o.Tracked, o.Op, s.table.OpenEnd, s.table.Current, s.table.Deleted)
	fmt.Fprintf(&b, "Unchanged %d Deletes %d Ties %d Late %d Absent %d MaxClose %v NullKey %d Columns %+v Now %v Since %v\n", o.Unchanged, o.Deletes, o.Ties, o.Late, o.Absent, o.MaxClose, o.NullKey, o.Columns, o.Now, o.Since)
	fmt.Fprintf(&b, "history %q\n", s.given.columns)
	for i, r := range s.given.rows {
		fmt.Fprintf(&b, "%4d %v\n", i, r)
	}
	fmt.Fprintf(&b, "changes %q\n", s.columns)
	for i, r := range s.rows(s.events) {
		fmt.Fprintf(&b, "%4d %v\n", i, r)
	}
	return b.String()
}
