package scd2_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

// inputs are the three inputs of a call of Plan, a batch of three rows each, as lists of columns, and how it is made.
type inputs struct {
	t                       *testing.T
	mem                     memory.Allocator
	history, changes, state []inputColumn
	table                   scd2.Table
	opts                    scd2.Options
}

type inputColumn struct {
	name string
	arr  arrow.Array
}

// soundInputs are the inputs in which each role of a column is taken, and nothing is wrong. They have a column c of a type.
func soundInputs(t *testing.T, mem memory.Allocator, typ arrow.DataType) *inputs {
	in := &inputs{t: t, mem: mem}
	c := soundCells(typ)
	i32, i64, txt, flag := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean
	in.history = []inputColumn{
		{"k", in.array(i32, 1, 2, 3)}, {"c", in.array(typ, c...)}, {"v", in.array(txt, "a", "b", "c")}, {"valid_from", in.array(i64, 10, 10, 5)},
		{"valid_to", in.array(i64, nil, nil, 10)}, {"live", in.array(flag, true, true, false)}, {"gone", in.array(flag, false, false, nil)},
	}
	in.changes = []inputColumn{
		{"k", in.array(i32, 1, 2, 3)}, {"c", in.array(typ, c...)}, {"v", in.array(txt, "x", "y", "z")}, {"at", in.array(i64, 20, 21, 22)},
		{"seq", in.array(i64, 2, 3, 4)}, {"op", in.array(txt, "u", "u", "u")}, {"old", in.array(i32, nil, nil, nil)},
	}
	in.state = []inputColumn{
		{scd2.StateKind, in.array(txt, "upsert", "upsert", "delete")}, {scd2.StateAt, in.array(i64, 15, 30, 31)}, {scd2.StateOrdered, in.array(flag, true, true, true)},
		{scd2.StateOrder + "seq", in.array(i64, 1, 1, 1)}, {"k", in.array(i32, 1, 2, 3)}, {"c", in.array(typ, c...)}, {"v", in.array(txt, "a", "b", nil)},
	}
	in.table = scd2.Table{Key: []string{"k"}, Current: "live", Deleted: "gone"}
	in.opts = scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at"), onerow.Desc("seq")},
		Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}, PreviousKey: []string{"old"}}, Resources: onerow.Resources{Workers: 2}}
	return in
}

// soundCells are three cells of a type, in ascending order.
func soundCells(t arrow.DataType) []any {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return soundCells(t.ValueType)
	case *arrow.RunEndEncodedType:
		return soundCells(t.Encoded())
	case *arrow.FixedSizeListType:
		return []any{slices.Repeat([]any{1}, int(t.Len())), slices.Repeat([]any{2}, int(t.Len())), slices.Repeat([]any{3}, int(t.Len()))}
	case arrow.ListLikeType:
		return []any{[]any{1}, []any{2}, []any{3}}
	case *arrow.FixedSizeBinaryType:
		return []any{bytes.Repeat([]byte("a"), t.ByteWidth), bytes.Repeat([]byte("b"), t.ByteWidth), bytes.Repeat([]byte("c"), t.ByteWidth)}
	case *arrow.BooleanType:
		return []any{false, true, true}
	case *arrow.NullType:
		return []any{nil, nil, nil}
	}
	if isText(t) {
		return []any{"a", "b", "c"}
	}
	return []any{1, 2, 3}
}

func (in *inputs) array(typ arrow.DataType, cells ...any) arrow.Array {
	in.t.Helper()
	var rows [][]any
	for _, c := range cells {
		rows = append(rows, []any{c})
	}
	rec, err := arrowtest.Record(in.mem, arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ, Nullable: true}}, nil), rows)
	if err != nil {
		in.t.Fatal(err)
	}
	in.t.Cleanup(rec.Release)
	return rec.Column(0)
}

// set puts an array in the place of a column, or adds one.
func set(columns *[]inputColumn, name string, arr arrow.Array) {
	for i := range *columns {
		if (*columns)[i].name == name {
			(*columns)[i].arr = arr
			return
		}
	}
	*columns = append(*columns, inputColumn{name, arr})
}

func drop(columns *[]inputColumn, name string) {
	*columns = slices.DeleteFunc(*columns, func(c inputColumn) bool { return c.name == name })
}

func (in *inputs) record(columns []inputColumn) []arrow.Record {
	var fields []arrow.Field
	var arrs []arrow.Array
	for _, c := range columns {
		fields, arrs = append(fields, arrow.Field{Name: c.name, Type: c.arr.DataType(), Nullable: true}), append(arrs, c.arr)
	}
	rec := array.NewRecord(arrow.NewSchema(fields, nil), arrs, 3)
	in.t.Cleanup(rec.Release)
	return []arrow.Record{rec}
}

// plan calls Plan, and all that can be made of a plan. It says at which step there was an error.
func (in *inputs) plan() (string, error) {
	in.table.Batches = in.record(in.history)
	in.opts.State = nil
	if in.state != nil {
		in.opts.State = in.record(in.state)
	}
	return in.follow(in.record(in.changes))
}

func (in *inputs) follow(changes []arrow.Record) (string, error) {
	ctx := context.Background()
	m, err := scd2.Plan(ctx, in.table, changes, in.opts)
	if err != nil {
		if m != nil {
			in.t.Errorf("a plan beside the error %v", err)
		}
		return "Plan", err
	}
	conserved(in.t, m)
	for _, step := range []struct {
		name string
		make func() ([]arrow.Record, error)
	}{
		{"Apply", func() ([]arrow.Record, error) { return m.Apply(ctx, in.mem, in.table.Batches) }},
		{"Staged", func() ([]arrow.Record, error) { rec, err := m.Staged(ctx, in.mem); return []arrow.Record{rec}, err }},
		{"State", func() ([]arrow.Record, error) { rec, err := m.State(ctx, in.mem); return []arrow.Record{rec}, err }},
		{"Fingerprint", func() ([]arrow.Record, error) { _, err := m.Fingerprint(ctx); return nil, err }},
		{"Audit", func() ([]arrow.Record, error) { _, err := m.Audit(ctx); return nil, err }},
	} {
		recs, err := step.make()
		if err != nil {
			return step.name, err
		}
		arrowtest.Release(recs)
	}
	return "", nil
}

// hostileRole puts an array into one role of one of the inputs; its type is that of the sound column c.
type hostileRole struct {
	name, input, column string
	put                 func(in *inputs, bad arrow.Array)
	// types says which types can have the role; nil: all.
	types func(arrow.DataType) bool
	// unread: a dictionary is handed on as it is, with its indices.
	unread bool
}

var hostileRoles = []hostileRole{
	{"key", "history", "c", func(in *inputs, bad arrow.Array) { in.key("c"); set(&in.history, "c", bad) }, nil, false},
	{"key", "changes", "c", func(in *inputs, bad arrow.Array) { in.key("c"); set(&in.changes, "c", bad) }, nil, false},
	{"key", "state", "c", func(in *inputs, bad arrow.Array) { in.key("c"); set(&in.state, "c", bad) }, nil, false},
	{"second key", "history", "c", func(in *inputs, bad arrow.Array) { in.key("k", "c"); set(&in.history, "c", bad) }, nil, false},
	{"second key", "changes", "c", func(in *inputs, bad arrow.Array) { in.key("k", "c"); set(&in.changes, "c", bad) }, nil, false},
	{"second key", "state", "c", func(in *inputs, bad arrow.Array) { in.key("k", "c"); set(&in.state, "c", bad) }, nil, false},
	{"key, NULLs equal", "history", "c", func(in *inputs, bad arrow.Array) {
		in.key("c")
		in.opts.NullKey = onerow.EqualNullKeys
		set(&in.history, "c", bad)
	}, nil, false},
	{"key, NULLs set aside", "changes", "c", func(in *inputs, bad arrow.Array) {
		in.key("c")
		in.opts.NullKey = onerow.SetAsideNullKeys
		set(&in.changes, "c", bad)
	}, nil, false},
	{"previous key", "changes", "old", func(in *inputs, bad arrow.Array) {
		in.key("c")
		in.opts.Op.PreviousKey = []string{"old"}
		set(&in.changes, "old", bad)
	}, nil, false},
	{"start", "history", "valid_from", func(in *inputs, bad arrow.Array) { in.positions(); set(&in.history, "valid_from", bad) }, ordered, false},
	{"end", "history", "valid_to", func(in *inputs, bad arrow.Array) { in.positions(); set(&in.history, "valid_to", bad) }, ordered, false},
	{"position", "changes", "at", func(in *inputs, bad arrow.Array) { in.positions(); set(&in.changes, "at", bad) }, ordered, false},
	{"position", "state", scd2.StateAt, func(in *inputs, bad arrow.Array) { in.positions(); set(&in.state, scd2.StateAt, bad) }, ordered, false},
	{"order", "changes", "seq", func(in *inputs, bad arrow.Array) {
		set(&in.state, scd2.StateOrder+"seq", in.column("c"))
		set(&in.changes, "seq", bad)
	}, ordered, false},
	{"order", "state", scd2.StateOrder + "seq", func(in *inputs, bad arrow.Array) {
		set(&in.state, scd2.StateOrder+"seq", bad)
		set(&in.changes, "seq", in.column("c"))
	}, ordered, false},
	{"order that the history has", "history", "seq", func(in *inputs, bad arrow.Array) {
		in.stored()
		set(&in.history, "seq", bad)
	}, ordered, false},
	{"order that the history has", "changes", "seq", func(in *inputs, bad arrow.Array) {
		in.stored()
		set(&in.changes, "seq", bad)
	}, ordered, false},
	{"positions that the history has", "history", "at", func(in *inputs, bad arrow.Array) {
		in.positions()
		in.opts.At = in.opts.At[:1]
		drop(&in.changes, "seq")
		drop(&in.state, scd2.StateOrder+"seq")
		set(&in.history, "at", bad)
	}, ordered, false},
	{"op", "changes", "op", func(in *inputs, bad arrow.Array) {
		in.opts.Op.Delete = []onerow.Value{soundCells(bad.DataType())[2]}
		set(&in.changes, "op", bad)
	}, ordered, false},
	{"op that truncates", "changes", "op", func(in *inputs, bad arrow.Array) {
		in.opts.Op.Delete, in.opts.Op.Truncate = nil, []onerow.Value{soundCells(bad.DataType())[2]}
		set(&in.changes, "op", bad)
	}, ordered, false},
	{"kind", "state", scd2.StateKind, func(in *inputs, bad arrow.Array) { set(&in.state, scd2.StateKind, bad) }, isText, false},
	{"ordered", "state", scd2.StateOrdered, func(in *inputs, bad arrow.Array) { set(&in.state, scd2.StateOrdered, bad) }, isFlag, false},
	{"current flag", "history", "live", func(in *inputs, bad arrow.Array) { set(&in.history, "live", bad) }, isFlag, false},
	{"deletion flag", "history", "gone", func(in *inputs, bad arrow.Array) { set(&in.history, "gone", bad) }, isFlag, false},
	{"deletion flag written", "history", "gone", func(in *inputs, bad arrow.Array) {
		in.opts.Deletes, in.opts.Op.Delete = scd2.DeletesAsRows, []onerow.Value{"u"}
		set(&in.history, "gone", bad)
	}, isFlag, false},
	{"tracked", "history", "c", func(in *inputs, bad arrow.Array) { set(&in.history, "c", bad) }, nil, false},
	{"tracked", "changes", "c", func(in *inputs, bad arrow.Array) { set(&in.changes, "c", bad) }, nil, false},
	{"tracked", "state", "c", func(in *inputs, bad arrow.Array) { set(&in.state, "c", bad) }, nil, false},
	{"untracked", "history", "c", func(in *inputs, bad arrow.Array) { in.opts.Tracked = []string{"v"}; set(&in.history, "c", bad) }, nil, false},
	{"untracked", "changes", "c", func(in *inputs, bad arrow.Array) { in.opts.Tracked = []string{"v"}; set(&in.changes, "c", bad) }, nil, false},
	{"untracked", "state", "c", func(in *inputs, bad arrow.Array) { in.opts.Tracked = []string{"v"}; set(&in.state, "c", bad) }, nil, false},
	{"not said", "history", "c", func(in *inputs, bad arrow.Array) { drop(&in.changes, "c"); set(&in.history, "c", bad) }, nil, false},
	{"not said", "state", "c", func(in *inputs, bad arrow.Array) { drop(&in.changes, "c"); set(&in.state, "c", bad) }, nil, false},
	{"NULL keeps", "changes", "c", func(in *inputs, bad arrow.Array) {
		in.opts.Columns.KeepNull = []string{"c"}
		set(&in.changes, "c", bad)
	}, nil, false},
	{"NULL keeps", "history", "c", func(in *inputs, bad arrow.Array) {
		in.opts.Columns.KeepNull = []string{"c"}
		set(&in.history, "c", bad)
	}, nil, false},
	{"new", "changes", "c", func(in *inputs, bad arrow.Array) {
		in.opts.Columns.New = scd2.AddNew
		drop(&in.history, "c")
		drop(&in.state, "c")
		set(&in.changes, "c", bad)
	}, nil, false},
	{"in a snapshot", "changes", "c", func(in *inputs, bad arrow.Array) { in.snapshot(); set(&in.changes, "c", bad) }, nil, false},
	{"in a snapshot", "history", "c", func(in *inputs, bad arrow.Array) { in.snapshot(); set(&in.history, "c", bad) }, nil, false},
	{"in a snapshot", "state", "c", func(in *inputs, bad arrow.Array) { in.snapshot(); set(&in.state, "c", bad) }, nil, true},
	{"group", "history", "c", func(in *inputs, bad arrow.Array) { in.opts.Columns.Group = true; set(&in.history, "c", bad) }, nil, false},
	{"group", "changes", "c", func(in *inputs, bad arrow.Array) { in.opts.Columns.Group = true; set(&in.changes, "c", bad) }, nil, false},
	{"converted", "changes", "c", func(in *inputs, bad arrow.Array) {
		other := otherType(bad.DataType())
		set(&in.history, "c", in.array(other, nil, nil, nil))
		drop(&in.state, "c")
		set(&in.changes, "c", bad)
	}, nil, false},
	{"converted", "state", "c", func(in *inputs, bad arrow.Array) {
		other := otherType(bad.DataType())
		set(&in.history, "c", in.array(other, nil, nil, nil))
		set(&in.changes, "c", in.array(other, nil, nil, nil))
		set(&in.state, "c", bad)
	}, nil, false},
	{"converted key", "changes", "c", func(in *inputs, bad arrow.Array) {
		in.key("c")
		none := in.array(otherType(bad.DataType()), nil, nil, nil)
		set(&in.history, "c", none)
		set(&in.state, "c", none)
		set(&in.changes, "c", bad)
	}, nil, false},
}

// key makes columns the key.
func (in *inputs) key(columns ...string) {
	in.table.Key = columns
	in.opts.Op.PreviousKey = nil
	drop(&in.changes, "old")
}

// column is the sound column of a name.
func (in *inputs) column(name string) arrow.Array {
	at := slices.IndexFunc(in.history, func(c inputColumn) bool { return c.name == name })
	return in.history[at].arr
}

// positions makes the type of the column c that of all positions.
func (in *inputs) positions() {
	typ := in.column("c").DataType()
	c := soundCells(typ)
	in.opts.Ties, in.opts.Op.PreviousKey = scd2.SetAsideTies, nil
	drop(&in.changes, "old")
	set(&in.history, "valid_from", in.array(typ, c[0], c[0], c[0]))
	set(&in.history, "valid_to", in.array(typ, nil, nil, nil))
	set(&in.changes, "at", in.array(typ, c[2], c[2], c[2]))
	set(&in.state, scd2.StateAt, in.array(typ, c[1], c[1], c[1]))
}

// stored lets the history have the second order column.
func (in *inputs) stored() {
	set(&in.history, "seq", in.column("c"))
	set(&in.changes, "seq", in.column("c"))
	drop(&in.state, scd2.StateOrder+"seq")
	set(&in.state, "seq", in.column("c"))
}

func (in *inputs) snapshot() {
	in.opts.Mode, in.opts.Now, in.opts.Absent, in.opts.MaxClose, in.opts.Op = scd2.Snapshot, 50, scd2.AbsentCloses, 1, scd2.Op{}
	drop(&in.changes, "op")
	drop(&in.changes, "old")
}

func ordered(t arrow.DataType) bool {
	_, list := t.(arrow.ListLikeType)
	return !list
}

func isText(t arrow.DataType) bool {
	return t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING || t.ID() == arrow.STRING_VIEW
}

func isFlag(t arrow.DataType) bool { return t.ID() == arrow.BOOL }

// otherType is a type that another is converted to.
func otherType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return t.ValueType
	case *arrow.FixedSizeListType:
		return arrow.ListOf(t.Elem())
	case *arrow.ListType:
		return arrow.LargeListOf(t.Elem())
	case *arrow.FixedSizeBinaryType:
		return arrow.BinaryTypes.LargeBinary
	}
	switch {
	case isText(t) && t.ID() != arrow.STRING:
		return arrow.BinaryTypes.String
	case isText(t):
		return arrow.BinaryTypes.LargeString
	}
	return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: t}
}

// TestPlanHostile puts hostile arrays into every role of a column, in each input: an error that says what is malformed, and where; never a panic.
func TestPlanHostile(t *testing.T) {
	for name, data := range hostileHashed() {
		for _, role := range hostileRoles {
			typ := data.DataType()
			if role.types != nil && !role.types(typ) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s of %s", name, role.name, role.input), func(t *testing.T) {
				in := soundInputs(t, arrowtest.Allocator(t), typ)
				role.put(in, array.MakeFromData(data))
				step, err := "", error(nil)
				panicked := panics(func() { step, err = in.plan() })
				switch {
				case panicked != nil:
					t.Errorf("panic: %v", panicked)
				case errors.Is(err, onerow.ErrMalformed):
					if where := fmt.Sprintf("%s: column %q", role.input, role.column); strings.Contains(name, "run") && !strings.HasPrefix(err.Error(), where) {
						t.Errorf("run ends are looked at on opening, and the error doesn't begin with %s: %v", where, err)
					}
				case role.unread && err == nil, role.column == scd2.StateKind && errors.Is(err, onerow.ErrOption):
				default:
					t.Errorf("%s: %v", step, err)
				}
			})
		}
	}
}

// panics runs f, and returns what it panics with.
func panics(f func()) (panicked any) {
	defer func() { panicked = recover() }()
	f()
	return nil
}

// TestPlanSoundInputs: without hostile arrays nothing is wrong with these inputs, so that the errors of TestPlanHostile are about the arrays.
func TestPlanSoundInputs(t *testing.T) {
	seen := map[string]bool{}
	for name, data := range hostileHashed() {
		if seen[data.DataType().String()] {
			continue
		}
		seen[data.DataType().String()] = true
		for _, role := range hostileRoles {
			if role.types != nil && !role.types(data.DataType()) {
				continue
			}
			in := soundInputs(t, arrowtest.Allocator(t), data.DataType())
			cells := soundCells(data.DataType())
			switch role.column {
			case scd2.StateKind:
				cells = []any{"upsert", "upsert", "delete"}
			case "valid_to":
				cells = []any{cells[1], cells[2], nil}
			}
			role.put(in, in.array(data.DataType(), cells...))
			if step, err := in.plan(); err != nil {
				t.Errorf("%s, %s of %s: %s: %v", name, role.name, role.input, step, err)
			}
		}
	}
}

// claims is a record that says that it has another number of rows than its arrays.
type claims struct {
	arrow.Record
	rows int64
}

func (c claims) NumRows() int64 { return c.rows }

// TestPlanRowsClaimed: a record that claims more rows than its arrays have is malformed, in every input.
func TestPlanRowsClaimed(t *testing.T) {
	for _, rows := range []int64{4, 5000, 1 << 20, -1} {
		for _, input := range []string{"history", "changes", "state"} {
			in := soundInputs(t, arrowtest.Allocator(t), arrow.PrimitiveTypes.Int32)
			in.table.Batches, in.opts.State = in.record(in.history), in.record(in.state)
			changes := in.record(in.changes)
			for name, batches := range map[string][]arrow.Record{"history": in.table.Batches, "changes": changes, "state": in.opts.State} {
				if name == input {
					batches[0] = claims{batches[0], rows}
				}
			}
			step, err := "", error(nil)
			if p := panics(func() { step, err = in.follow(changes) }); p != nil || !errors.Is(err, onerow.ErrMalformed) || step != "Plan" {
				t.Errorf("%d rows of %s: %s: %v, panic %v", rows, input, step, err, p)
			}
		}
	}
}

// TestPlanLongColumns: Arrow lets the columns of a record be longer than the record. What is beyond its rows is no part of it.
func TestPlanLongColumns(t *testing.T) {
	ctx := context.Background()
	short := func(recs []arrow.Record, rows int64) arrow.Record {
		rec := array.NewRecord(recs[0].Schema(), recs[0].Columns(), rows)
		t.Cleanup(rec.Release)
		return rec
	}
	table := scd2.Table{Key: []string{"id"}}
	opts := events()
	table.Batches = []arrow.Record{
		short(records(t, plainColumns, []string{"1 a 10 -", "2 b 10 20", "1 x 10 -", "9 x 1 -"}), 2),
		short(records(t, plainColumns, []string{"2 c 20 -", "3 z 5 -", "2 z 5 -"}), 1),
	}
	k := keeper{table: table, opts: opts}
	changes := []arrow.Record{short(records(t, plainSource, []string{"1 A 30 u", "2 - 40 d", "2 Z 1 u", "- - - t"}), 2),
		short(records(t, plainSource, []string{"3 c 30 u", "1 y 99 u"}), 1), short(records(t, plainSource, []string{"4 c 30 u", "1 y 99 u"}), 0)}
	m, err := k.plan(t, changes)
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Report; r.Events != 3 || r.History != 3 || r.Insert != 2 || r.Close != 2 {
		t.Errorf("%+v", r)
	}
	sound := records(t, plainColumns, []string{"1 a 10 -", "2 b 10 20", "2 c 20 -"})
	other, err := scd2.Plan(ctx, scd2.Table{Key: table.Key, Batches: sound}, nil, opts)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := other.Fingerprint(ctx)
	if got, err := m.Fingerprint(ctx); got != want || err != nil {
		t.Errorf("fingerprint %s, want %s, %v", got, want, err)
	}
	for _, history := range [][]arrow.Record{table.Batches, sound} {
		k := k
		k.table.Batches = history
		k.merge(t, m)
		onerowtest.EqualHistory(t, records(t, plainColumns, []string{"1 a 10 30", "1 A 30 -", "2 b 10 20", "2 c 20 40", "3 c 30 -"}), k.table)
	}
}

// TestPlanNothing: inputs without batches, or with batches without rows, are no error, and change nothing.
func TestPlanNothing(t *testing.T) {
	ctx := context.Background()
	noRows, noRowsOfValues := records(t, plainSource, nil), records(t, "id:int64 v:string", nil)
	noState := records(t, "onerow_kind:string onerow_at:int64 onerow_ordered:bool id:int64 v:string", nil)
	snapshot := scd2.Options{Mode: scd2.Snapshot, Now: 100, Absent: scd2.AbsentKept, AllowEmpty: true}
	for name, history := range map[string][]arrow.Record{
		"no rows": records(t, plainColumns, nil), "empty batches": append(records(t, plainColumns, nil), records(t, plainColumns, nil)...),
		"rows": records(t, plainColumns, []string{"1 a 10 -", "2 b 10 20"}),
	} {
		for what, changes := range map[string][]arrow.Record{"no batches": nil, "an empty list": {}, "an empty batch": noRows, "empty batches": append(noRows, noRows...)} {
			for _, state := range [][]arrow.Record{nil, {}, noState, append(noState, noState...)} {
				for _, opts := range []scd2.Options{events(), snapshot, events(func(o *scd2.Options) { o.Op.PreviousKey = []string{"id"} })} {
					mem := arrowtest.Allocator(t)
					changes := changes
					if opts.Mode == scd2.Snapshot && len(changes) > 0 {
						changes = noRowsOfValues
					}
					opts.State = state
					table := scd2.Table{Key: []string{"id"}, Batches: history}
					m, err := scd2.Plan(ctx, table, changes, opts)
					if err != nil {
						t.Errorf("history with %s, changes with %s: %v", name, what, err)
						continue
					}
					if r := m.Report; !m.Empty() || r.Events != 0 || r.Remembered != 0 || counts(r) != "" {
						t.Errorf("history with %s, changes with %s: %+v", name, what, r)
					}
					next, err := m.Apply(ctx, mem, history)
					if err != nil || arrowtest.FormatRows(arrowtest.All(next)) != arrowtest.FormatRows(arrowtest.All(history)) || len(next) != 1 {
						t.Errorf("history with %s, changes with %s: %v, %v", name, what, next, err)
					}
					arrowtest.Release(next)
					for _, call := range []func(context.Context, memory.Allocator) (arrow.Record, error){m.Staged, m.State} {
						rec, err := call(ctx, mem)
						if err != nil || rec.NumRows() != 0 {
							t.Errorf("history with %s, changes with %s: %v, %v", name, what, rec, err)
							continue
						}
						rec.Release()
					}
					digits, err := m.Fingerprint(ctx)
					if err != nil || (digits == strings.Repeat("0", 32)) != (name != "rows") {
						t.Errorf("history with %s: fingerprint %s, %v", name, digits, err)
					}
				}
			}
		}
	}
}

// TestPlanNullTypes: columns of the null type belong to every family, and are NULL in every row.
func TestPlanNullTypes(t *testing.T) {
	for _, c := range []struct {
		name, columns, source, state  string
		history, changes, said, wants []string
		kind                          error
	}{
		{name: "ops", source: "id:int64 v:string at:int64 op:null", changes: []string{"1 b 20 -"}, wants: []string{"1 a 10 20", "1 b 20 -"}},
		{name: "values", source: "id:int64 v:null at:int64 op:string", changes: []string{"1 - 20 u"}, wants: []string{"1 a 10 20", "1 - 20 -"}},
		{name: "values of the history", columns: "id:int64 v:null valid_from:int64 valid_to:int64", history: []string{"1 - 10 -"}, changes: []string{"1 - 20 u", "2 - 20 u"},
			wants: []string{"1 - 10 -", "2 - 20 -"}},
		{name: "values of the history, which can't take others", columns: "id:int64 v:null valid_from:int64 valid_to:int64", history: []string{"1 - 10 -"}, changes: []string{"1 b 20 u"},
			kind: onerow.ErrValue},
		{name: "ends that stay open", columns: "id:int64 v:string valid_from:int64 valid_to:null", changes: []string{"2 b 20 u"}, wants: []string{"1 a 10 -", "2 b 20 -"}},
		{name: "ends that can't be", columns: "id:int64 v:string valid_from:int64 valid_to:null", changes: []string{"1 b 20 u"}, kind: onerow.ErrValue},
		{name: "starts", columns: "id:int64 v:string valid_from:null valid_to:null", history: []string{}, changes: []string{"1 b 20 u"}, kind: onerow.ErrValue},
		{name: "positions", source: "id:int64 v:string at:null op:string", changes: []string{"1 b - u"}, kind: onerow.ErrNullOrder},
		{name: "keys", source: "id:null v:string at:int64 op:string", changes: []string{"- b 20 u"}, kind: onerow.ErrNullKey},
		{name: "keys of the history", columns: "id:null v:string valid_from:int64 valid_to:int64", history: []string{"- a 10 -"}, source: "id:null v:string at:int64 op:string",
			changes: []string{"- b 20 u"}, kind: onerow.ErrNullKey},
		{name: "kinds", state: "onerow_kind:null onerow_at:int64 onerow_ordered:bool id:int64 v:string", said: []string{"- 15 true 1 a"}, kind: onerow.ErrOption},
		{name: "the state's values", state: "onerow_kind:string onerow_at:int64 onerow_ordered:bool id:int64 v:null", said: []string{"delete 30 - 1 -"}, changes: []string{"1 b 20 u"},
			wants: []string{"1 a 10 20", "1 b 20 30"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.columns == "" {
				c.columns = plainColumns
			}
			if c.source == "" {
				c.source = plainSource
			}
			if c.history == nil {
				c.history = []string{"1 a 10 -"}
			}
			k := keeper{table: scd2.Table{Key: []string{"id"}, Batches: records(t, c.columns, c.history)}, opts: events()}
			if c.state != "" {
				k.opts.State = records(t, c.state, c.said)
			}
			changes := records(t, c.source, c.changes)
			m, err := k.plan(t, changes)
			if c.kind != nil {
				if m != nil || !errors.Is(err, c.kind) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			conserved(t, m)
			k.merge(t, m)
			onerowtest.EqualHistory(t, records(t, c.columns, c.wants), k.table)
			k.again(t, changes)
		})
	}
}
