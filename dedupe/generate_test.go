package dedupe_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/oracle"
)

// scenario is one random call of Latest.
type scenario struct {
	batch, target grid
	key           []string
	order         []onerow.Order
	opts          dedupe.Options // without Against
}

// grid is a table of cells, as internal/arrowtest takes them. One without columns stands for none.
type grid struct {
	columns []string
	rows    [][]any
}

// String writes the scenario so that it can be read, and typed into a case.
func (s *scenario) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "key %q order %+v\nNullKey %d Ties %d Op %+v Fill %+v\n", s.key, s.order, s.opts.NullKey, s.opts.Ties, s.opts.Op, s.opts.Fill)
	for name, t := range map[string]grid{"batch": s.batch, "target": s.target} {
		fmt.Fprintf(&b, "%s %q\n", name, t.columns)
		for i, r := range t.rows[:min(len(t.rows), 100)] {
			fmt.Fprintf(&b, "%4d %v\n", i, r)
		}
	}
	return b.String()
}

// drawn draws choices from rapid.
type drawn struct{ t *rapid.T }

func (d drawn) Choose(what string, n int) int { return rapid.IntRange(0, n-1).Draw(d.t, what) }

// spent takes choices from bytes; when they are used up, all are 0.
type spent struct{ bytes []byte }

func (s *spent) Choose(_ string, n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b) % n
}

// random takes choices from a random number generator.
type random struct{ *rand.Rand }

func (r random) Choose(_ string, n int) int { return r.IntN(n) }

// role is what a column is for.
type role uint8

const (
	keyRole role = iota
	orderRole
	opRole
	previousRole
	fillRole
	contentRole
)

// column is one column of a scenario, with the cells that it may hold.
type column struct {
	role   role
	name   string
	sample oracle.Sample
	typ    string
	nulls  int // one cell in so many is NULL, never for 0
}

func (c column) String() string { return c.name + ":" + c.typ }

// limits says which parts of the contract a scenario may use.
type limits struct {
	target   bool // with rows to guard against
	previous bool // with key changes
	arrival  bool // with policies that depend on arrival
	refusals bool // with calls that are refused
	setAside bool // with policies that set rows aside
	maxRows  int
	keys     int // different keys at most; default 3
}

var everything = limits{target: true, previous: true, arrival: true, refusals: true, setAside: true, maxRows: 12}

// generate makes a scenario: a small table over few keys, so that collisions, copies, ties and NULLs are common.
func generate(src oracle.Source, may limits) *scenario {
	s := &scenario{}
	s.chooseOptions(src, may)
	columns := s.chooseColumns(src, may)
	keys := chooseKeys(src, columns, max(3, may.keys))

	for n := src.Choose("rows", may.maxRows+1); n > 0; n-- {
		s.batch.rows = append(s.batch.rows, s.chooseRow(src, columns, keys, s.batch.rows))
	}
	for _, c := range columns {
		s.batch.columns = append(s.batch.columns, c.String())
	}
	if may.target && src.Choose("against", 3) == 2 {
		s.chooseTarget(src, columns, keys)
	}
	return s
}

func (s *scenario) chooseOptions(src oracle.Source, may limits) {
	nullKeys := []onerow.NullKey{onerow.EqualNullKeys}
	ties := []dedupe.Ties{dedupe.TiesByContent, dedupe.TiesByContent}
	if may.arrival {
		ties = append(ties, dedupe.FirstTied, dedupe.LastTied)
	}
	if may.setAside {
		nullKeys = append(nullKeys, onerow.SetAsideNullKeys)
		ties = append(ties, dedupe.SetAsideTies)
	}
	if may.refusals {
		nullKeys = append(nullKeys, onerow.RejectNullKeys)
		ties = append(ties, dedupe.RejectTies)
	}
	s.opts.NullKey = nullKeys[src.Choose("null keys", len(nullKeys))]
	s.opts.Ties = ties[src.Choose("ties", len(ties))]
}

func (s *scenario) chooseColumns(src oracle.Source, may limits) []column {
	columns := s.chooseKeyColumns(src, may)
	columns = append(columns, s.chooseOrderColumns(src, may)...)
	if op, ok := s.chooseOp(src); ok {
		columns = append(columns, op)
	}
	if may.previous && src.Choose("previous key", 3) == 2 {
		for i := range s.key {
			c := columns[i]
			c.role, c.name = previousRole, fmt.Sprint("previous", i)
			c.typ = c.sample.ChooseType(src, c.name)
			s.opts.Op.PreviousKey = append(s.opts.Op.PreviousKey, c.name)
			columns = append(columns, c)
		}
	}
	columns = append(columns, s.chooseFills(src)...)
	if src.Choose("content", 2) == 1 {
		sample := oracle.ChooseSample(src, "content sample", false)
		columns = append(columns, column{contentRole, "content", sample.Narrow(src, "content", 3), sample.ChooseType(src, "content"), 4})
	}
	for i := len(columns) - 1; i > 0; i-- {
		j := i - src.Choose("column place", i+1)
		columns[i], columns[j] = columns[j], columns[i]
	}
	return columns
}

func (s *scenario) chooseKeyColumns(src oracle.Source, may limits) []column {
	nulls := []int{0, 4}[src.Choose("null keys there", 2)]
	if s.opts.NullKey == onerow.RejectNullKeys && nulls > 0 {
		nulls = 20
	}
	var columns []column
	for i := range 1 + max(0, src.Choose("key columns", 5)-2) {
		name := fmt.Sprint("key", i)
		sample := oracle.ChooseSample(src, name+" sample", false)
		if s.opts.NullKey == onerow.RejectNullKeys && !may.refusals || sample.Types[0] == "null" && src.Choose("null type", 3) > 0 {
			sample = oracle.Samples[1]
		}
		columns = append(columns, column{keyRole, name, sample.Narrow(src, name, 4), sample.ChooseType(src, name), nulls})
		s.key = append(s.key, name)
	}
	return columns
}

func (s *scenario) chooseOrderColumns(src oracle.Source, may limits) []column {
	var columns []column
	for i := range []int{1, 1, 2, 0, 3}[src.Choose("order columns", 5)] {
		name := fmt.Sprint("order", i)
		o := onerow.Order{Column: name, Ascending: src.Choose("ascending", 3) == 2}
		o.Nulls = onerow.NullOrder(src.Choose("order nulls", 3))
		nulls := []int{0, 20, 4}[src.Choose("null orders there", 3)]
		if o.Nulls == onerow.RejectNulls && !may.refusals {
			nulls = 0
		}
		sample := oracle.ChooseSample(src, name+" sample", true)
		if sample.Types[0] == "null" && o.Nulls == onerow.RejectNulls {
			sample = oracle.Samples[0]
		}
		columns = append(columns, column{orderRole, name, sample.Narrow(src, name, 4), sample.ChooseType(src, name), nulls})
		s.order = append(s.order, o)
	}
	return columns
}

// ops are op columns of several types. The first cells are upserts, the next ones deletes, the last one a snapshot read.
var ops = []struct {
	sample   oracle.Sample
	delete   []onerow.Value
	snapshot []onerow.Value
}{
	{oracle.Sample{Types: []string{"string", "dict<int8,string>", "ree<string>", "large_string"}, Cells: []any{"u", "c", "d", "D", "r"}},
		[]onerow.Value{"d", "D"}, []onerow.Value{"r"}},
	{oracle.Sample{Types: []string{"int8", "int64", "uint16"}, Cells: []any{1, 3, 5}}, []onerow.Value{3}, []onerow.Value{uint8(5)}},
	{oracle.Sample{Types: []string{"bool", "ree<bool>"}, Cells: []any{false, true}}, []onerow.Value{true}, nil},
	{oracle.Sample{Types: []string{"binary", "fsb(1)"}, Cells: []any{[]byte("u"), []byte("d")}}, []onerow.Value{[]byte("d")}, nil},
	{oracle.Sample{Types: []string{"float32", "float64"}, Cells: []any{1.0, 0.5}}, []onerow.Value{0.5}, nil},
}

func (s *scenario) chooseOp(src oracle.Source) (column, bool) {
	n := src.Choose("op", 2*len(ops)+1) - len(ops)
	if n <= 0 {
		return column{}, false
	}
	op := ops[n-1]
	s.opts.Op.Column, s.opts.Op.Delete = "op", op.delete
	if src.Choose("snapshot", 2) == 1 {
		s.opts.Op.Snapshot = op.snapshot
	}
	return column{opRole, "op", op.sample, op.sample.ChooseType(src, "op"), 6}, true
}

// fills are columns with a placeholder, which is their first cell.
var fills = []struct {
	sample      oracle.Sample
	unavailable onerow.Value
}{
	{oracle.Sample{Types: []string{"string", "dict<int8,string>", "ree<string>", "string_view"}, Cells: []any{"?", "a text of more than sixteen bytes", "b"}}, "?"},
	{oracle.Sample{Types: []string{"int64", "int16", "dict<int8,int32>"}, Cells: []any{-1, 7, 8}}, -1},
	{oracle.Sample{Types: []string{"float64", "float32"}, Cells: []any{0.5, 0.0, map[string]any{"f": "-0"}}}, 0.5},
	{oracle.Sample{Types: []string{"decimal(10,2)", "decimal256(40,2)"}, Cells: []any{"9.99", "1.5", "0"}}, "9.99"},
	{oracle.Sample{Types: []string{"binary", "large_binary"}, Cells: []any{[]byte("?"), []byte{}, []byte{0}}}, []byte("?")},
	{oracle.Sample{Types: []string{"date32"}, Cells: []any{"9999-12-31", "2026-01-31", "1969-12-31"}}, "9999-12-31"},
	{oracle.Sample{Types: []string{"bool"}, Cells: []any{false, true}}, false},
}

func (s *scenario) chooseFills(src oracle.Source) []column {
	var columns []column
	for i := range max(0, src.Choose("fills", 4)-1) {
		f := fills[src.Choose("fill", len(fills))]
		name := fmt.Sprint("fill", i)
		f.sample.Cells = append([]any{f.sample.Cells[0]}, f.sample.Cells...)
		columns = append(columns, column{fillRole, name, f.sample, f.sample.ChooseType(src, name), 8})
		s.opts.Fill = append(s.opts.Fill, dedupe.Fill{Column: name, Unavailable: f.unavailable})
	}
	return columns
}

// chooseKeys chooses the few keys that rows have.
func chooseKeys(src oracle.Source, columns []column, most int) [][]any {
	keys := make([][]any, 1+src.Choose("keys", most))
	for i := range keys {
		keys[i] = make([]any, 3)
		for _, c := range columns {
			if c.role == keyRole {
				keys[i][number(c.name)] = c.sample.ChooseCell(src, "key", c.nulls)
			}
		}
	}
	return keys
}

// number reads the number at the end of a column's name.
func number(name string) int { return int(name[len(name)-1] - '0') }

func (s *scenario) chooseRow(src oracle.Source, columns []column, keys [][]any, before [][]any) []any {
	var row []any
	if len(before) > 0 && src.Choose("copy", 3) == 2 {
		row = slices.Clone(before[src.Choose("copy of", len(before))])
		if c := src.Choose("but for", 2*len(columns)); c < len(columns) && columns[c].role != keyRole && columns[c].role != previousRole {
			row[c] = columns[c].sample.ChooseCell(src, columns[c].name, columns[c].nulls)
		}
		return row
	}
	key := keys[src.Choose("key", len(keys))]
	var previous []any
	if src.Choose("key change", 2) == 1 {
		previous = keys[src.Choose("previous key", len(keys))]
	}
	for _, c := range columns {
		switch {
		case c.role == keyRole:
			row = append(row, key[number(c.name)])
		case c.role != previousRole:
			row = append(row, c.sample.ChooseCell(src, c.name, c.nulls))
		case previous == nil:
			row = append(row, nil)
		default:
			row = append(row, previous[number(c.name)])
		}
	}
	return row
}

// chooseTarget makes a target with some of the columns, keys and orders perhaps of other types of their family.
func (s *scenario) chooseTarget(src oracle.Source, columns []column, keys [][]any) {
	var held []column
	for _, c := range columns {
		switch c.role {
		case keyRole, orderRole:
			c.typ = c.sample.ChooseType(src, c.name+" of target")
		case previousRole:
			continue
		default:
			if src.Choose("target lacks "+c.name, 5) == 4 {
				continue
			}
		}
		held = append(held, c)
		s.target.columns = append(s.target.columns, c.String())
	}
	s.target.columns = append(s.target.columns, "loaded:int32")
	for n := src.Choose("target rows", 5); n > 0; n-- {
		s.target.rows = append(s.target.rows, append(s.chooseRow(src, held, keys, nil), n))
	}
}

// odd are columns of the types that internal/arrowtest doesn't write, with cells as array.FromJSON takes them. The first
// ones are neither keys nor orders.
var odd = []struct {
	typ   arrow.DataType
	cells []string
	key   bool
	order bool
}{
	{typ: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64),
		cells: []string{`[]`, `[{"key":"a","value":0}]`, `[{"key":"a","value":-0.0}]`, `[{"key":"a","value":null}]`, `[{"key":"b","value":0}]`, `null`}},
	{typ: arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: arrow.BinaryTypes.String}}, []arrow.UnionTypeCode{3, 7}),
		cells: []string{`[3,1]`, `[3,2]`, `[7,"x"]`, `[7,"y"]`}},
	{typ: arrow.DenseUnionOf([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: arrow.BinaryTypes.String}}, []arrow.UnionTypeCode{3, 7}),
		cells: []string{`[3,1]`, `[3,2]`, `[7,"x"]`, `[7,"y"]`}},
	{typ: arrow.FixedWidthTypes.MonthInterval, cells: []string{`{"months":1}`, `{"months":-1}`, `null`}},
	{typ: arrow.FixedWidthTypes.DayTimeInterval, cells: []string{`{"days":1,"milliseconds":0}`, `{"days":0,"milliseconds":7}`, `{"days":-1,"milliseconds":0}`, `null`}},
	{typ: arrow.FixedWidthTypes.MonthDayNanoInterval, cells: []string{`{"months":1,"days":2,"nanoseconds":3}`, `{"months":1,"days":-2,"nanoseconds":3}`, `null`}},
	{typ: arrow.ListViewOf(arrow.PrimitiveTypes.Int8), cells: []string{`[]`, `[1]`, `[1,null]`, `null`}, key: true},
	{typ: arrow.LargeListViewOf(arrow.BinaryTypes.String), cells: []string{`[]`, `["a","bc"]`, `["ab","c"]`, `null`}, key: true},
	{typ: newMark(), cells: []string{`0`, `-0.0`, `1.5`, `null`}, key: true, order: true},
}

// mark is an extension type over floats.
type mark struct{ arrow.ExtensionBase }

type markArray struct{ array.ExtensionArrayBase }

func newMark() *mark                                         { return &mark{arrow.ExtensionBase{Storage: arrow.PrimitiveTypes.Float64}} }
func (*mark) ArrayType() reflect.Type                        { return reflect.TypeFor[markArray]() }
func (*mark) ExtensionName() string                          { return "mark" }
func (*mark) ExtensionEquals(other arrow.ExtensionType) bool { return other.ExtensionName() == "mark" }
func (*mark) Serialize() string                              { return "" }
func (*mark) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return newMark(), nil
}

// oddScenario makes a call on a table with a column of an odd type, which is content, and where it can be key and order.
func (l *lab) oddScenario() built {
	o := odd[l.src.Choose("odd type", len(odd))]
	s := &scenario{key: []string{"key"}, order: []onerow.Order{{Column: "seq", Nulls: onerow.NullsAreLowest}}}
	s.chooseOptions(l.src, everything)
	if o.key && l.src.Choose("odd key", 2) == 1 {
		s.key = []string{"odd"}
	}
	if o.order && l.src.Choose("odd order", 2) == 1 {
		s.order[0].Column = "odd"
	}
	s.batch.columns = []string{"key:int8", "seq:int8"}
	var cells []string
	for range l.src.Choose("rows", 9) {
		cell := o.cells[l.src.Choose("odd", len(o.cells))]
		cells = append(cells, cell)
		s.batch.rows = append(s.batch.rows, []any{l.src.Choose("key", 2), l.src.Choose("seq", 2)})
	}
	plain := l.build(s.batch)[0]
	arr, _, err := array.FromJSON(l.alloc, o.typ, strings.NewReader("["+strings.Join(cells, ",")+"]"))
	if err != nil {
		l.t.Fatalf("%v: %v", o.typ, err)
	}
	defer arr.Release()
	fields := append(plain.Schema().Fields(), arrow.Field{Name: "odd", Type: o.typ, Nullable: true})
	rec := array.NewRecord(arrow.NewSchema(fields, nil), append(slices.Clone(plain.Columns()), arr), plain.NumRows())
	s.batch.columns = append(s.batch.columns, fmt.Sprint("odd:", o.typ))
	for i, cell := range cells {
		s.batch.rows[i] = append(s.batch.rows[i], cell)
	}
	return built{scenario: s, batches: []arrow.Record{l.own(rec)}, opts: s.opts}
}

// spoil makes a call wrong in one place, and returns the sentinel that its error must wrap.
func (l *lab) spoil(b *built) (what string, kind error) {
	extra := func(column string, cell any) {
		b.batch.columns = append(slices.Clone(b.batch.columns), column)
		for i, r := range b.batch.rows {
			b.batch.rows[i] = append(slices.Clone(r), cell)
		}
		b.batches = l.build(b.batch)
	}
	faults := []struct {
		what string
		kind error
		make func()
	}{
		{"no key", onerow.ErrNoKey, func() { b.key, b.opts.Op.PreviousKey = nil, nil }},
		{"key column not there", onerow.ErrNoColumn, func() { b.key, b.opts.Op.PreviousKey = append(slices.Clone(b.key), "nope"), nil }},
		{"order column not there", onerow.ErrNoColumn, func() { b.order = append(slices.Clone(b.order), onerow.Asc("nope")) }},
		{"op column not there", onerow.ErrNoColumn, func() { b.opts.Op.Column = "nope" }},
		{"fill column not there", onerow.ErrNoColumn, func() { b.opts.Fill = append(slices.Clone(b.opts.Fill), dedupe.Fill{Column: "nope", Unavailable: ""}) }},
		{"two columns of the name", onerow.ErrNoColumn, func() { extra(b.key[0]+":int8", 1) }},
		{"list as order", onerow.ErrType, func() {
			extra("list:list<int8>", nil)
			b.order, b.opts.Against = []onerow.Order{onerow.Asc("list")}, nil
		}},
		{"delete of another type", onerow.ErrType, func() {
			extra("mark:string", "x")
			b.opts.Op.Column, b.opts.Op.Snapshot, b.opts.Op.Delete = "mark", nil, []onerow.Value{7}
		}},
		{"integer beyond the column's type", onerow.ErrType, func() {
			extra("mark:int8", 1)
			b.opts.Fill = []dedupe.Fill{{Column: "mark", Unavailable: 128}}
		}},
		{"nil is no value", onerow.ErrType, func() { extra("mark:string", "x"); b.opts.Fill = []dedupe.Fill{{Column: "mark"}} }},
		{"previous key too long", onerow.ErrOption, func() { b.opts.Op.PreviousKey = slices.Concat(b.key, b.key) }},
		{"previous key of another family", onerow.ErrType, func() {
			extra("before:bool", nil)
			extra("id:int8", 1)
			b.key, b.opts.Op.PreviousKey, b.opts.Against = []string{"id"}, []string{"before"}, nil
		}},
		{"deletes without a column", onerow.ErrOption, func() { b.opts.Op = dedupe.Op{Delete: []onerow.Value{"d"}} }},
		{"no such null policy", onerow.ErrOption, func() { b.opts.NullKey = 9 }},
		{"no such tie policy", onerow.ErrOption, func() { b.opts.Ties = 9 }},
		{"no such order of nulls", onerow.ErrOption, func() {
			extra("n:int8", 1)
			b.order, b.opts.Against = []onerow.Order{{Column: "n", Nulls: 9}}, nil
		}},
		{"another schema", onerow.ErrSchema, func() { b.batches = append(slices.Clone(b.batches), l.build(grid{columns: []string{"other:int8"}})...) }},
		{"target without the key", onerow.ErrNoColumn, func() { b.opts.Against = l.build(grid{columns: []string{"other:int8"}}) }},
		{"target's key of another family", onerow.ErrType, func() {
			extra("id:int8", 1)
			b.key, b.order, b.opts.Op, b.opts.Against = []string{"id"}, nil, dedupe.Op{}, l.build(grid{columns: []string{"id:string"}})
		}},
	}
	f := faults[l.src.Choose("fault", len(faults))]
	f.make()
	return f.what, f.kind
}
