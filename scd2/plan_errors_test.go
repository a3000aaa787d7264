package scd2_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

// refusal is a call of Plan that is refused. What it leaves out is as in a call that isn't.
type refusal struct {
	name                   string
	columns, source, state string // those of history and changes are plainColumns and plainSource; there is no state
	history, changes, said []string
	table                  func(*scd2.Table)
	opts                   func(*scd2.Options)
	// kinds are the sentinels that the error wraps, says what its message has. want are the errors in it that have fields, without Have, Why and the
	// values under Other.
	kinds []error
	says  []string
	want  []any
}

// call makes the call.
func (r refusal) call(t *testing.T) error {
	t.Helper()
	if r.columns == "" {
		r.columns = plainColumns
		if r.history == nil {
			r.history = []string{"1 a 10 -", "2 b 10 20"}
		}
	}
	if r.source == "" {
		r.source = plainSource
		if r.changes == nil {
			r.changes = []string{"1 x 30 u"}
		}
	}
	k := keeper{table: scd2.Table{Key: []string{"id"}, Batches: records(t, r.columns, r.history)}, opts: events()}
	if r.state != "" {
		k.opts.State = records(t, r.state, r.said)
	}
	if r.table != nil {
		r.table(&k.table)
	}
	if r.opts != nil {
		r.opts(&k.opts)
	}
	m, err := k.plan(t, records(t, r.source, r.changes))
	if m != nil && err != nil {
		t.Errorf("a plan beside the error %v", err)
	}
	return err
}

// withFields lists the errors in err that have fields, in the order of the message, without their words.
func withFields(err error) (out []any) {
	switch e := any(err).(type) {
	case *onerow.ColumnError:
		c := *e
		c.Have = nil
		return []any{c}
	case *onerow.TypeError:
		c := *e
		c.Why = ""
		return []any{c}
	case *onerow.SchemaError:
		c := *e
		c.Why = ""
		return []any{c}
	case *onerow.KeysError:
		c := *e
		c.Why, c.Keys = "", slices.Clone(c.Keys)
		for i := range c.Keys {
			c.Keys[i].Why = ""
		}
		return []any{c}
	case *onerow.ValueError:
		return []any{*e}
	case *onerow.NullError:
		return []any{*e}
	case *onerow.SizeError:
		return []any{*e}
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			out = append(out, withFields(err)...)
		}
	case interface{ Unwrap() error }:
		return withFields(e.Unwrap())
	}
	return out
}

var sameErrors = cmp.Options{cmp.Comparer(func(a, b arrow.DataType) bool { return a == b || a != nil && b != nil && arrow.TypeEqual(a, b) }),
	cmp.Comparer(func(a, b error) bool { return a == b })}

func column(name, input string, found int) any {
	return onerow.ColumnError{Column: name, Input: input, Found: found}
}

func apart(name string, t arrow.DataType, input, other string, o arrow.DataType) any {
	return onerow.TypeError{Column: name, Type: t, Input: input, OtherColumn: other, OtherType: o, OtherInput: "history"}
}

func keys(kind error, input string, of ...onerow.KeyRows) any {
	return onerow.KeysError{Kind: kind, Input: input, Columns: []string{"id"}, Total: int64(len(of)), Keys: of}
}

func rowsOf(key string, rows ...uint32) onerow.KeyRows {
	return onerow.KeyRows{Values: []string{key}, Count: int64(len(rows)), Rows: rows}
}

var (
	int8s, int64s = arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int64
	texts, flags  = arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean
)

const plainState = "onerow_kind:string onerow_at:int64 onerow_ordered:bool id:int64 v:string"

func bySeq(o *scd2.Options) { o.At = append(o.At, onerow.Desc("seq")) }

// snapshots makes the options those of a snapshot with a clock, and changes them.
func snapshots(change ...func(*scd2.Options)) func(*scd2.Options) {
	return func(o *scd2.Options) {
		*o = scd2.Options{Mode: scd2.Snapshot, Now: 100, Absent: scd2.AbsentCloses, MaxClose: 1}
		for _, c := range change {
			c(o)
		}
	}
}

// refusals has every way in which the columns, types, values and rows of a call can be refused.
var refusals = []refusal{
	{name: "no key", table: func(t *scd2.Table) { t.Key = nil }, kinds: []error{onerow.ErrNoKey}},
	{name: "no history", table: func(t *scd2.Table) { t.Batches = nil }, kinds: []error{onerow.ErrNoBatches}, says: []string{"history"}},
	{name: "a nil batch of history", table: func(t *scd2.Table) { t.Batches = []arrow.Record{t.Batches[0], nil} }, kinds: []error{onerow.ErrSchema},
		want: []any{onerow.SchemaError{Input: "history", Batch: 1}}},
	{name: "a nil batch of state", opts: func(o *scd2.Options) { o.State = []arrow.Record{nil} }, kinds: []error{onerow.ErrSchema},
		want: []any{onerow.SchemaError{Input: "state", Batch: 0}}},
	{name: "no mode", opts: func(o *scd2.Options) { o.Mode = 0 }, kinds: []error{onerow.ErrMode}, says: []string{"Options.Mode"}},
	{name: "absence not said", opts: snapshots(func(o *scd2.Options) { o.Absent = 0 }), source: "id:int64 v:string", changes: []string{"1 a"},
		kinds: []error{onerow.ErrMode}, says: []string{"Options.Absent"}},

	// Columns that are missing or ambiguous.
	{name: "the history lacks its columns", table: func(t *scd2.Table) {
		*t = scd2.Table{Batches: t.Batches, Key: []string{"key"}, ValidFrom: "from", ValidTo: "to", Current: "live", Deleted: "gone"}
	}, source: plainSource + " key:int64", kinds: []error{onerow.ErrNoColumn}, want: []any{column("key", "history", 0), column("from", "history", 0),
		column("to", "history", 0), column("live", "history", 0), column("gone", "history", 0), column("id", "history", 0)}[:5]},
	{name: "a key without a name", table: func(t *scd2.Table) { t.Key = []string{""} }, kinds: []error{onerow.ErrNoColumn}, want: []any{column("", "history", 0)}},
	{name: "the changes lack the key", source: "v:string at:int64 op:string", changes: []string{"x 30 u"}, kinds: []error{onerow.ErrNoColumn},
		want: []any{column("id", "changes", 0)}},
	{name: "the state lacks the key", state: "onerow_kind:string onerow_at:int64 onerow_ordered:bool v:string", kinds: []error{onerow.ErrNoColumn},
		want: []any{column("id", "state", 0)}},
	{name: "the changes lack the position", source: "id:int64 v:string op:string", changes: []string{"1 x u"}, kinds: []error{onerow.ErrNoColumn},
		want: []any{column("at", "changes", 0)}},
	{name: "the changes lack an order column", opts: bySeq, kinds: []error{onerow.ErrNoColumn}, want: []any{column("seq", "changes", 0)}},
	{name: "the changes lack the op", source: "id:int64 v:string at:int64", changes: []string{"1 x 30"}, kinds: []error{onerow.ErrNoColumn},
		want: []any{column("op", "changes", 0)}},
	{name: "the changes lack the previous key", opts: func(o *scd2.Options) { o.Op.PreviousKey = []string{"old"} }, kinds: []error{onerow.ErrNoColumn},
		want: []any{column("old", "changes", 0)}},
	{name: "the changes lack a tracked column", source: "id:int64 at:int64 op:string", changes: []string{"1 30 u"},
		opts: func(o *scd2.Options) { o.Tracked = []string{"v"} }, kinds: []error{onerow.ErrNoColumn}, want: []any{column("v", "changes", 0)}},
	{name: "nothing has a tracked column", opts: func(o *scd2.Options) { o.Tracked = []string{"v", "w"} }, kinds: []error{onerow.ErrNoColumn},
		want: []any{column("w", "history", 0)}},
	{name: "KeepNull of no column", opts: func(o *scd2.Options) { o.Columns.KeepNull = []string{"w"} }, kinds: []error{onerow.ErrNoColumn},
		want: []any{column("w", "history", 0)}},
	{name: "a new column", source: plainSource + " tier:string", changes: []string{"1 x 30 u gold"}, kinds: []error{onerow.ErrNoColumn},
		want: []any{column("tier", "history", 0)}, says: []string{"Options.Columns.New"}},
	{name: "a state without its columns", state: "id:int64 v:string valid_from:int64 valid_to:int64", said: []string{"1 a 10 -"}, kinds: []error{onerow.ErrNoColumn},
		want: []any{column(scd2.StateAt, "state", 0)}},
	{name: "a state without kinds", state: "onerow_at:int64 id:int64 v:string", said: []string{"10 1 a"}, kinds: []error{onerow.ErrNoColumn},
		want: []any{column(scd2.StateKind, "state", 0)}},
	{name: "two columns of a name in the history", columns: "id:int64 v:string valid_from:int64 v:string valid_to:int64", kinds: []error{onerow.ErrNoColumn},
		want: []any{column("v", "history", 2)}},
	{name: "two columns of a name in the changes", source: plainSource + " v:string", kinds: []error{onerow.ErrNoColumn}, want: []any{column("v", "changes", 2)}},
	{name: "two columns of a name in the state", state: plainState + " v:string", kinds: []error{onerow.ErrNoColumn}, want: []any{column("v", "state", 2)}},
	{name: "two boundaries of a name", columns: "id:int64 v:string valid_from:int64 valid_from:int64 valid_to:int64", kinds: []error{onerow.ErrNoColumn},
		want: []any{column("valid_from", "history", 2)}},

	{name: "columns that staged rows and the state need", columns: "id:int64 onerow_kind:string onerow_action:string onerow_merge_id:int64 onerow_order_seq:int64 onerow_merge_v:string valid_from:int64 valid_to:int64",
		source: "id:int64 onerow_kind:string onerow_action:string onerow_merge_id:int64 onerow_order_seq:int64 onerow_merge_v:string at:int64 op:string seq:int64", opts: bySeq,
		kinds: []error{onerow.ErrOption}, says: []string{`"onerow_kind"`, `"onerow_action"`, `"onerow_merge_id"`, `"onerow_order_seq"`}},

	// Types.
	{name: "keys of two families", source: "id:string v:string at:int64 op:string", kinds: []error{onerow.ErrType},
		want: []any{apart("id", texts, "changes", "id", int64s)}},
	{name: "values of two families", source: "id:int64 v:binary at:int64 op:string", kinds: []error{onerow.ErrType},
		want: []any{apart("v", arrow.BinaryTypes.Binary, "changes", "v", texts)}},
	{name: "positions of another family", source: "id:int64 v:string at:string op:string", kinds: []error{onerow.ErrType},
		want: []any{apart("at", texts, "changes", "valid_from", int64s)}},
	{name: "boundaries of two families", columns: "id:int64 v:string valid_from:int64 valid_to:date32", kinds: []error{onerow.ErrType},
		want: []any{apart("valid_from", int64s, "history", "valid_to", arrow.FixedWidthTypes.Date32)}},
	{name: "boundaries without an order", columns: "id:int64 v:string valid_from:list<int8> valid_to:list<int8>", kinds: []error{onerow.ErrType},
		want: []any{onerow.TypeError{Column: "valid_from", Type: arrow.ListOf(int8s), Input: "history"}, onerow.TypeError{Column: "valid_to", Type: arrow.ListOf(int8s), Input: "history"}}},
	{name: "a map as key", columns: "id:map<int8,int8> v:string valid_from:int64 valid_to:int64", source: "id:map<int8,int8> v:string at:int64 op:string", kinds: []error{onerow.ErrType},
		want: []any{onerow.TypeError{Column: "id", Type: arrow.MapOf(int8s, int8s), Input: "history"}}},
	{name: "flags that are none", columns: "id:int64 v:string live:string gone:int8 valid_from:int64 valid_to:int64", table: func(t *scd2.Table) { t.Current, t.Deleted = "live", "gone" },
		kinds: []error{onerow.ErrType},
		want:  []any{onerow.TypeError{Column: "live", Type: texts, Input: "history"}, onerow.TypeError{Column: "gone", Type: int8s, Input: "history"}}},
	{name: "an order column without an order", source: plainSource + " seq:list<int8>", opts: bySeq, kinds: []error{onerow.ErrType},
		want: []any{onerow.TypeError{Column: "seq", Type: arrow.ListOf(int8s), Input: "changes"}}},
	{name: "order columns of two families", source: plainSource + " seq:int8", state: plainState + " onerow_order_seq:string", opts: bySeq, kinds: []error{onerow.ErrType},
		want: []any{onerow.TypeError{Column: "seq", Type: int8s, Input: "changes", OtherColumn: "onerow_order_seq", OtherType: texts, OtherInput: "state"}}},
	{name: "ops of another family", source: "id:int64 v:string at:int64 op:int8", kinds: []error{onerow.ErrType},
		want: []any{onerow.TypeError{Column: "op", Type: int8s, Input: "changes"}, onerow.TypeError{Column: "op", Type: int8s, Input: "changes"}}},
	{name: "an op of NULL", opts: func(o *scd2.Options) { o.Op.Delete = []onerow.Value{nil} }, kinds: []error{onerow.ErrType},
		want: []any{onerow.TypeError{Column: "op", Type: texts, Input: "changes"}}},
	{name: "a state of other types", state: "onerow_kind:string onerow_at:date32 onerow_ordered:bool id:string v:bool", kinds: []error{onerow.ErrType},
		want: []any{apart("id", texts, "state", "id", int64s), apart("v", flags, "state", "v", texts)}},
	{name: "a state with positions of another type", state: "onerow_kind:string onerow_at:date32 onerow_ordered:bool id:int64 v:string", kinds: []error{onerow.ErrType},
		want: []any{apart(scd2.StateAt, arrow.FixedWidthTypes.Date32, "state", "valid_from", int64s)}},
	{name: "a state with kinds of another type", state: "onerow_kind:int8 onerow_at:int64 onerow_ordered:bool id:int64 v:string", kinds: []error{onerow.ErrType},
		want: []any{onerow.TypeError{Column: scd2.StateKind, Type: int8s, Input: "state"}}},
	{name: "a state with flags of another type", state: "onerow_kind:string onerow_at:int64 onerow_ordered:int8 id:int64 v:string", kinds: []error{onerow.ErrType},
		want: []any{onerow.TypeError{Column: scd2.StateOrdered, Type: int8s, Input: "state"}}},
	{name: "Go values of other types", table: func(t *scd2.Table) { t.OpenEnd = "never" }, opts: func(o *scd2.Options) { o.Since = "1970-01-01" }, kinds: []error{onerow.ErrType},
		says: []string{"OpenEnd", "never", "Since", "1970-01-01"}},
	{name: "a clock of another type", source: "id:int64 v:string", changes: []string{"1 x"}, opts: func(o *scd2.Options) { *o = scd2.Options{Mode: scd2.Changes, Now: 1.5} },
		kinds: []error{onerow.ErrType}, says: []string{"Now", "1.5"}},

	// Values.
	{name: "a key that the history can't hold", columns: "id:int8 v:string valid_from:int64 valid_to:int64", changes: []string{"1 x 30 u", "1000 y 30 u"}, kinds: []error{onerow.ErrValue},
		want: []any{onerow.ValueError{Column: "id", Type: int64s, Input: "changes", Row: 1, Value: "1000", Into: "id", IntoType: int8s}}},
	{name: "a value that the history can't hold", columns: "id:int64 v:decimal(4,1) valid_from:int64 valid_to:int64", source: "id:int64 v:decimal(5,2) at:int64 op:string",
		changes: []string{"1 1.50 20 u", "1 1.55 30 u"}, kinds: []error{onerow.ErrValue}, want: []any{onerow.ValueError{Column: "v", Type: &arrow.Decimal128Type{Precision: 5, Scale: 2},
			Input: "changes", Row: 1, Value: "1.55", Into: "v", IntoType: &arrow.Decimal128Type{Precision: 4, Scale: 1}}}},
	{name: "a position that is too fine", columns: "id:int64 v:string valid_from:timestamp[s] valid_to:timestamp[ms]", source: "id:int64 v:string at:timestamp[ms] op:string",
		changes: []string{"1 x 2026-01-02T00:00:00.5 u"}, kinds: []error{onerow.ErrValue}, want: []any{onerow.ValueError{Column: "at", Type: &arrow.TimestampType{Unit: arrow.Millisecond},
			Input: "changes", Value: "2026-01-02T00:00:00.5", Into: "valid_from", IntoType: &arrow.TimestampType{Unit: arrow.Second}}}},
	{name: "a state's value that the history can't hold", columns: "id:int8 v:string valid_from:int64 valid_to:int64", source: "id:int8 v:string at:int64 op:string",
		state: plainState, said: []string{"upsert 10 true 1000 a"}, kinds: []error{onerow.ErrValue},
		want: []any{onerow.ValueError{Column: "id", Type: int64s, Input: "state", Value: "1000", Into: "id", IntoType: int8s}}},
	{name: "an event beyond the open end", table: func(t *scd2.Table) { t.OpenEnd = 99 }, changes: []string{"1 x 30 u", "1 y 99 u", "1 z 100 u"}, kinds: []error{onerow.ErrValue},
		want: []any{keys(onerow.ErrValue, "changes", rowsOf("1", 1, 2))}, says: []string{"OpenEnd"}},
	{name: "a clock beyond the open end", source: "id:int64 v:string", table: func(t *scd2.Table) { t.OpenEnd = 99 }, opts: snapshots(), changes: []string{"1 x"}, kinds: []error{onerow.ErrValue},
		says: []string{"Now is 100", "OpenEnd"}},
	{name: "a truncate beyond the open end", table: func(t *scd2.Table) { t.OpenEnd = 99 }, changes: []string{"1 x 30 u", "- - 99 t"}, kinds: []error{onerow.ErrValue},
		says: []string{"row 1 of changes", "OpenEnd"}},
	{name: "more values than the history's dictionary can number", columns: "id:int64 v:dict<int8,string> valid_from:int64 valid_to:int64", changes: manyValues(), kinds: []error{onerow.ErrTooLarge},
		want: []any{onerow.SizeError{Column: "v", Type: &arrow.DictionaryType{IndexType: int8s, ValueType: texts}, Size: 129, Limit: 128, Unit: "dictionary values"}}},
	{name: "an unknown kind in the state", state: plainState, said: []string{"upsert 10 true 1 a", "merge 10 true 1 a"}, kinds: []error{onerow.ErrOption},
		says: []string{"row 1 of state", scd2.StateKind, "merge"}},
	{name: "a state without a position", state: plainState, said: []string{"upsert 10 true 1 a", "upsert - true 1 a"}, kinds: []error{onerow.ErrOption},
		says: []string{"row 1 of state", scd2.StateAt, "NULL"}},
	{name: "a state without a kind", state: plainState, said: []string{"- 10 true 1 a"}, kinds: []error{onerow.ErrOption}, says: []string{"row 0 of state", scd2.StateKind, "NULL"}},

	// NULLs.
	{name: "NULL keys", columns: "id:int64 org:string v:string valid_from:int64 valid_to:int64", source: "id:int64 org:string v:string at:int64 op:string",
		table: func(t *scd2.Table) { t.Key = []string{"id", "org"} }, changes: []string{"1 a x 30 u", "- b x 30 u", "- - x 30 d", "1 - x 30 u", "- - - 30 t"}, kinds: []error{onerow.ErrNullKey},
		want: []any{onerow.NullError{Kind: onerow.ErrNullKey, Input: "changes", Columns: []onerow.ColumnNulls{{Column: "id", Rows: 2, First: 1}, {Column: "org", Rows: 2, First: 2}}}}},
	{name: "NULL in order, and in the key", source: plainSource + " seq:int64", changes: []string{"1 x 30 u 1", "1 x - u -", "2 x 30 u -", "- x 30 u 1"}, opts: bySeq,
		kinds: []error{onerow.ErrNullOrder, onerow.ErrNullKey},
		want: []any{onerow.NullError{Kind: onerow.ErrNullKey, Input: "changes", Columns: []onerow.ColumnNulls{{Column: "id", Rows: 1, First: 3}}},
			onerow.NullError{Kind: onerow.ErrNullOrder, Input: "changes", Columns: []onerow.ColumnNulls{{Column: "at", Rows: 1, First: 1}, {Column: "seq", Rows: 2, First: 1}}}}},
	{name: "previous keys that are NULL in part", columns: "id:int64 org:string v:string valid_from:int64 valid_to:int64", source: "id:int64 org:string v:string at:int64 op:string oid:int64 oorg:string",
		table: func(t *scd2.Table) { t.Key = []string{"id", "org"} }, opts: func(o *scd2.Options) { o.Op.PreviousKey = []string{"oid", "oorg"} },
		changes: []string{"1 a x 30 u - -", "2 b x 30 u 1 -", "3 c x 30 u 1 a"}, kinds: []error{onerow.ErrNullKey},
		want: []any{onerow.NullError{Kind: onerow.ErrNullKey, Input: "changes", Columns: []onerow.ColumnNulls{{Column: "oorg", Rows: 1, First: 1}}}}},
	{name: "a truncate without a position", changes: []string{"1 x 30 u", "- - - t"}, kinds: []error{onerow.ErrNullOrder},
		want: []any{onerow.NullError{Kind: onerow.ErrNullOrder, Input: "changes", Columns: []onerow.ColumnNulls{{Column: "at", Rows: 1, First: 1}}}}},

	// What the rows say.
	{name: "ties", changes: []string{"1 x 30 u", "1 y 30 u", "1 y 30 u", "3 x 30 u", "1 b 10 u", "2 z 10 u"}, kinds: []error{onerow.ErrTie},
		want: []any{keys(onerow.ErrTie, "changes", rowsOf("1", 0, 1, 2), rowsOf("2", 5))}},
	{name: "a tie with what was said before", state: plainState, said: []string{"upsert 15 true 1 a"}, changes: []string{"1 z 15 u"}, kinds: []error{onerow.ErrTie},
		want: []any{keys(onerow.ErrTie, "changes", rowsOf("1", 0))}},
	{name: "a state of another history", state: plainState, said: []string{"upsert 10 true 1 z"}, kinds: []error{onerow.ErrBrokenHistory},
		want: []any{keys(onerow.ErrBrokenHistory, "history", rowsOf("1", 0))}},
	{name: "late events", opts: func(o *scd2.Options) { o.Late = scd2.RejectLate }, changes: []string{"1 x 5 u", "1 y 6 u", "2 - 15 d", "2 b 15 u", "3 a 1 u"}[:3], kinds: []error{onerow.ErrLate},
		want: []any{keys(onerow.ErrLate, "changes", rowsOf("1", 0, 1), rowsOf("2", 2))}},
	{name: "a clock before the history", source: "id:int64 v:string", changes: []string{"1 x", "2 y"}, opts: snapshots(func(o *scd2.Options) { o.Now = 10 }), kinds: []error{onerow.ErrLate},
		want: []any{keys(onerow.ErrLate, "changes", rowsOf("1", 0), rowsOf("2", 1))}},
	{name: "absent before the clock", source: "id:int64 v:string", changes: []string{"2 y"}, opts: snapshots(func(o *scd2.Options) { o.Now = 10 }), history: []string{"1 a 10 -", "2 b 1 9"},
		kinds: []error{onerow.ErrLate}, want: []any{keys(onerow.ErrLate, "changes", rowsOf("1"))}, says: []string{"id=1", "absent"}},
	{name: "broken histories", history: []string{"1 a 10 -", "1 b 20 -", "2 a 10 30", "2 b 20 -", "3 a 10 5", "4 a 10 10", "5 a - -", "6 a 10 -"}, kinds: []error{onerow.ErrBrokenHistory},
		changes: []string{"6 b 30 u", "1 b 30 u", "2 b 30 u", "3 b 30 u", "4 b 30 u", "5 b 30 u", "1 c 30 u"},
		want:    []any{keys(onerow.ErrBrokenHistory, "history", rowsOf("1", 0, 1), rowsOf("2", 2, 3), rowsOf("3", 4), rowsOf("4", 5), rowsOf("5", 6))},
		says:    []string{"two versions are open"}},
	{name: "events from before Since", opts: func(o *scd2.Options) { o.Since = 20 }, changes: []string{"1 x 30 u", "1 y 19 u", "3 z 1 d", "1 y 18 u"}, kinds: []error{onerow.ErrPartialHistory},
		want: []any{keys(onerow.ErrPartialHistory, "changes", rowsOf("1", 1, 3), rowsOf("3", 2))}},
	{name: "a truncate from before Since", opts: func(o *scd2.Options) { o.Since = 20 }, changes: []string{"1 x 30 u", "- - 19 t"}, kinds: []error{onerow.ErrPartialHistory},
		says: []string{"row 1 of changes", "Since"}},
	{name: "last values that aren't given", opts: func(o *scd2.Options) { o.Since = 20 }, columns: "id:int64 v:string w:string valid_from:int64 valid_to:int64", changes: []string{"3 x 30 u"},
		kinds: []error{onerow.ErrPartialHistory}, want: []any{keys(onerow.ErrPartialHistory, "changes", rowsOf("3", 0))}},
	{name: "too many closed", source: "id:int64 v:string", history: []string{"1 a 10 -", "2 a 10 -", "3 a 10 -"}, changes: []string{"2 a"},
		opts: snapshots(func(o *scd2.Options) { o.MaxClose = 0.6 }), kinds: []error{onerow.ErrTooManyClosed}, says: []string{"2 of 3", "0.6"}},
	{name: "an empty source", source: "id:int64 v:string", opts: snapshots(), kinds: []error{onerow.ErrEmptySource}, says: []string{"Options.AllowEmpty"}},
	{name: "no change", changes: []string{"1 a 30 u"}, state: plainState, said: []string{"upsert 30 true 1 a"}, opts: func(o *scd2.Options) { o.RequireChange = true },
		kinds: []error{onerow.ErrNoChange}, says: []string{"events: 1"}},

	// Several reasons.
	{name: "several reasons", opts: func(o *scd2.Options) { o.Late, o.Since = scd2.RejectLate, 5 }, history: []string{"1 a 10 -", "2 a 10 -", "2 b 20 -", "4 a 10 -"},
		changes: []string{"1 x 7 u", "2 x 30 u", "3 x 30 u", "3 y 30 u", "4 z 1 u"}, kinds: []error{onerow.ErrBrokenHistory, onerow.ErrTie, onerow.ErrLate, onerow.ErrPartialHistory},
		want: []any{keys(onerow.ErrBrokenHistory, "history", rowsOf("2", 1, 2)), keys(onerow.ErrTie, "changes", rowsOf("3", 2, 3)), keys(onerow.ErrLate, "changes", rowsOf("1", 0)),
			keys(onerow.ErrPartialHistory, "changes", rowsOf("4", 4))}},
	{name: "columns and types of all inputs", columns: "id:int64 v:string w:int8 valid_from:int64 valid_to:int64", source: "id:string v:int64 x:int8 at:int64 op:string",
		state: "onerow_kind:string onerow_at:int64 onerow_ordered:bool id:int64 v:bool w:int8", opts: func(o *scd2.Options) { o.Tracked = []string{"v", "w"} },
		kinds: []error{onerow.ErrNoColumn, onerow.ErrType}, want: []any{apart("id", texts, "changes", "id", int64s), apart("v", int64s, "changes", "v", texts),
			apart("v", flags, "state", "v", texts), column("w", "changes", 0), column("x", "history", 0)}},
}

func manyValues() (rows []string) {
	for i := range 129 {
		rows = append(rows, fmt.Sprintf("%d v%d 30 u", i, i))
	}
	return rows
}

// TestPlanRefuses reaches each reason to refuse a call, looks at the fields of the errors, and at their words.
func TestPlanRefuses(t *testing.T) {
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			err := r.call(t)
			if err == nil {
				t.Fatal("no error")
			}
			if testing.Verbose() {
				t.Logf("%v", err)
			}
			for _, kind := range r.kinds {
				if !errors.Is(err, kind) {
					t.Errorf("%v isn't %v", err, kind)
				}
			}
			for _, kind := range sentinels {
				if errors.Is(err, kind) && !slices.Contains(r.kinds, kind) {
					t.Errorf("%v is %v, too", err, kind)
				}
			}
			if d := cmp.Diff(r.want, withFields(err), sameErrors); d != "" {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
			checkWords(t, err, r.says)
		})
	}
}

// checkWords looks for the words that an error has to have, and for signs that its text was made of something else.
func checkWords(t *testing.T, err error, says []string) {
	t.Helper()
	text := err.Error()
	for _, s := range says {
		if !strings.Contains(text, s) {
			t.Errorf("the error doesn't name %s: %s", s, text)
		}
	}
	for _, s := range []string{"%!", "<nil>", "0x", "{", "runtime", ": :", "  ", "1 rows", "1 keys", "in 0 rows"} {
		if strings.Contains(text, s) {
			t.Errorf("the error has the words %q: %s", s, text)
		}
	}
	for _, part := range withWhy(err) {
		if part == "" {
			t.Errorf("the error doesn't say why: %s", text)
		}
	}
}

// withWhy lists what the errors in err say of why.
func withWhy(err error) (why []string) {
	switch e := any(err).(type) {
	case *onerow.TypeError:
		return []string{e.Why}
	case *onerow.SchemaError:
		return []string{e.Why}
	case *onerow.KeysError:
		return []string{e.Why}
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			why = append(why, withWhy(err)...)
		}
	}
	return why
}

// sentinels are those that the doc comment of Plan names.
var sentinels = map[string]error{
	"ErrMode": onerow.ErrMode, "ErrOption": onerow.ErrOption, "ErrNoKey": onerow.ErrNoKey, "ErrNoColumn": onerow.ErrNoColumn, "ErrType": onerow.ErrType, "ErrValue": onerow.ErrValue,
	"ErrSchema": onerow.ErrSchema, "ErrNoBatches": onerow.ErrNoBatches, "ErrNullKey": onerow.ErrNullKey, "ErrNullOrder": onerow.ErrNullOrder, "ErrTie": onerow.ErrTie,
	"ErrBrokenHistory": onerow.ErrBrokenHistory, "ErrLate": onerow.ErrLate, "ErrPartialHistory": onerow.ErrPartialHistory, "ErrTooManyClosed": onerow.ErrTooManyClosed,
	"ErrEmptySource": onerow.ErrEmptySource, "ErrNoChange": onerow.ErrNoChange, "ErrTooManyRows": onerow.ErrTooManyRows, "ErrTooLarge": onerow.ErrTooLarge, "ErrMalformed": onerow.ErrMalformed,
}

// TestPlanNamesItsErrors compares the errors that the doc comment of Plan names with those that the tests reach.
func TestPlanNamesItsErrors(t *testing.T) {
	text, err := os.ReadFile("plan.go")
	if err != nil {
		t.Fatal(err)
	}
	doc, _, ok := strings.Cut(string(text), "\nfunc Plan(")
	if !ok {
		t.Fatal("no func Plan in plan.go")
	}
	var named []string
	for _, m := range regexp.MustCompile(`\[onerow\.(Err\w+)\]`).FindAllStringSubmatch(doc, -1) {
		named = append(named, m[1])
	}
	slices.Sort(named)
	if d := cmp.Diff(slices.Sorted(maps.Keys(sentinels)), slices.Compact(named)); d != "" {
		t.Errorf("the comment of Plan (+) and the tests (-) name other errors:\n%s", d)
	}
	reached := []error{onerow.ErrTooManyRows, onerow.ErrMalformed} // by TestPlanTooManyRows and TestPlanHostile
	for _, r := range refusals {
		reached = append(reached, r.kinds...)
	}
	for name, kind := range sentinels {
		if !slices.Contains(reached, kind) {
			t.Errorf("nothing reaches %s", name)
		}
	}
}

// faultyOptions are options that can't be, one by one.
var faultyOptions = []struct {
	name  string
	table func(*scd2.Table)
	opts  func(*scd2.Options)
	says  string
}{
	{"an unknown mode", nil, func(o *scd2.Options) { o.Mode = 9 }, "Mode has no value 9"},
	{"Absent among changes", nil, func(o *scd2.Options) { o.Absent = scd2.AbsentKept }, "Absent is for Snapshot mode"},
	{"an unknown Absent", nil, snapshots(func(o *scd2.Options) { o.Absent = 9 }), "Absent has no value 9"},
	{"no clock to close at", nil, snapshots(func(o *scd2.Options) { o.Now, o.At = nil, []onerow.Order{onerow.Desc("at")} }), "AbsentCloses needs Now"},
	{"ops in a snapshot", nil, snapshots(func(o *scd2.Options) { o.Op.Column = "op" }), "Op is for Changes mode"},
	{"key changes in a snapshot", nil, snapshots(func(o *scd2.Options) { o.Op.PreviousKey = []string{"old"} }), "Op is for Changes mode"},
	{"Late in a snapshot", nil, snapshots(func(o *scd2.Options) { o.Late = scd2.IgnoreLate }), "Late is for Changes mode"},
	{"a negative share", nil, snapshots(func(o *scd2.Options) { o.MaxClose = -0.1 }), "MaxClose is -0.1"},
	{"a share above 1", nil, snapshots(func(o *scd2.Options) { o.MaxClose = 1.1 }), "MaxClose is 1.1"},
	{"a share of NaN", nil, snapshots(func(o *scd2.Options) { o.MaxClose = math.NaN() }), "MaxClose is NaN"},
	{"neither order nor clock", nil, func(o *scd2.Options) { o.At = nil }, "At or Now is needed"},
	{"order and clock", nil, func(o *scd2.Options) { o.Now = 5 }, "At and Now are both set"},
	{"an unknown place for NULLs", nil, func(o *scd2.Options) { o.At = append(o.At, onerow.Order{Column: "n", Nulls: 9}) }, `Order of "n": Nulls has no value 9`},
	{"an order column twice", nil, func(o *scd2.Options) { o.At = append(o.At, onerow.Asc("at")) }, `At names column "at" twice`},
	{"ascending positions", nil, func(o *scd2.Options) { o.At = []onerow.Order{onerow.Asc("at")} }, `"at" gives valid_from`},
	{"ascending positions, named", nil, func(o *scd2.Options) { o.At, o.From = append(o.At, onerow.Asc("n")), "n" }, `"n" gives valid_from`},
	{"NULL positions", nil, func(o *scd2.Options) { o.At = []onerow.Order{onerow.Desc("at").NullsLowest()} }, "it can't be NULL"},
	{"positions of another column", nil, func(o *scd2.Options) { o.From = "n" }, `From is "n"`},
	{"positions of a column, and a clock", nil, func(o *scd2.Options) { o.At, o.Now, o.From = nil, 5, "n" }, `From is "n"`},
	{"an unknown Late", nil, func(o *scd2.Options) { o.Late = 9 }, "Late has no value 9"},
	{"an unknown Unchanged", nil, func(o *scd2.Options) { o.Unchanged = 9 }, "Unchanged has no value 9"},
	{"an unknown Deletes", nil, func(o *scd2.Options) { o.Deletes = 9 }, "Deletes has no value 9"},
	{"an unknown Ties", nil, func(o *scd2.Options) { o.Ties = 9 }, "Ties has no value 9"},
	{"an unknown NullKey", nil, func(o *scd2.Options) { o.NullKey = 9 }, "NullKey has no value 9"},
	{"an unknown Missing", nil, func(o *scd2.Options) { o.Columns.Missing = 9 }, "Columns.Missing has no value 9"},
	{"an unknown New", nil, func(o *scd2.Options) { o.Columns.New = 9 }, "Columns.New has no value 9"},
	{"unknown bounds", func(t *scd2.Table) { t.Bounds = 9 }, nil, "Table.Bounds has no value 9"},
	{"closed bounds", func(t *scd2.Table) { t.Bounds = scd2.Closed }, nil, "half-open"},
	{"ops without a column", nil, func(o *scd2.Options) { o.Op.Column = "" }, "no Column"},
	{"a value that deletes and truncates", nil, func(o *scd2.Options) { o.Op.Truncate = append(o.Op.Truncate, "d") }, "value d"},
	{"a previous key of other columns", nil, func(o *scd2.Options) { o.Op.PreviousKey = []string{"a", "b"} }, "Op.PreviousKey has 2 columns"},
	{"previous keys beside IgnoreLate", nil, func(o *scd2.Options) { o.Op.PreviousKey, o.Late = []string{"old"}, scd2.IgnoreLate }, "Op.PreviousKey goes with neither"},
	{"previous keys beside SetAsideTies", nil, func(o *scd2.Options) { o.Op.PreviousKey, o.Ties = []string{"old"}, scd2.SetAsideTies }, "Op.PreviousKey goes with neither"},
	{"deletion rows without a flag", nil, func(o *scd2.Options) { o.Deletes = scd2.DeletesAsRows }, "Table.Deleted"},
	{"an order column that is a key column", nil, func(o *scd2.Options) { o.At = append(o.At, onerow.Desc("id")) }, `At names column "id"`},
	{"a key column twice", func(t *scd2.Table) { t.Key = []string{"id", "id"} }, nil, `"id" is a key column and a key column`},
	{"a key column as start", func(t *scd2.Table) { t.ValidFrom = "id" }, nil, `"id" is ValidFrom and a key column`},
	{"one boundary", func(t *scd2.Table) { t.ValidTo = "valid_from" }, nil, `"valid_from" is ValidFrom and ValidTo`},
	{"one flag", func(t *scd2.Table) { t.Current, t.Deleted = "live", "live" }, nil, `"live" is Current and Deleted`},
	{"a flag as end", func(t *scd2.Table) { t.Current = "valid_to" }, nil, `"valid_to" is ValidTo and Current`},
	{"a tracked key", nil, func(o *scd2.Options) { o.Tracked = []string{"v", "id"} }, `Tracked names column "id"`},
	{"a tracked boundary", nil, func(o *scd2.Options) { o.Tracked = []string{"valid_to"} }, `Tracked names column "valid_to"`},
	{"a column tracked twice", nil, func(o *scd2.Options) { o.Tracked = []string{"v", "v"} }, `Tracked names column "v" twice`},
	{"KeepNull of a key", nil, func(o *scd2.Options) { o.Columns.KeepNull = []string{"id"} }, `Columns.KeepNull names column "id"`},
	{"KeepNull twice", nil, func(o *scd2.Options) { o.Columns.KeepNull = []string{"v", "v"} }, `Columns.KeepNull names column "v" twice`},
}

// TestPlanOptions refuses options that can't be, one by one, before it looks at any batch.
func TestPlanOptions(t *testing.T) {
	for _, f := range faultyOptions {
		table, opts := scd2.Table{Key: []string{"id"}}, events()
		if f.table != nil {
			f.table(&table)
		}
		if f.opts != nil {
			f.opts(&opts)
		}
		m, err := scd2.Plan(context.Background(), table, nil, opts)
		if m != nil || !errors.Is(err, onerow.ErrOption) || errors.Is(err, onerow.ErrNoBatches) {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		if n := len(strings.Split(err.Error(), "\n")); n != 1 {
			t.Errorf("%s: %d errors: %v", f.name, n, err)
		}
		checkWords(t, err, []string{f.says})
	}
}

// TestPlanAllOptions: what is wrong with several options comes back together.
func TestPlanAllOptions(t *testing.T) {
	table := scd2.Table{Key: []string{"id", "valid_to"}, Bounds: 9, Current: "live", Deleted: "live"}
	opts := scd2.Options{Mode: 9, Late: 9, Unchanged: 9, Deletes: 9, Ties: 9, NullKey: 9, Tracked: []string{"id", "v", "v"}, At: []onerow.Order{onerow.Asc("at"), {Column: "at", Nulls: 9}},
		Op: scd2.Op{Delete: []onerow.Value{1}, Truncate: []onerow.Value{1}, PreviousKey: []string{"x"}}, Columns: scd2.Columns{Missing: 9, New: 9, KeepNull: []string{"id"}}}
	_, err := scd2.Plan(context.Background(), table, nil, opts)
	if !errors.Is(err, onerow.ErrOption) {
		t.Fatal(err)
	}
	says := []string{"Mode has no value 9", "Nulls has no value 9", `At names column "at" twice`, "can't be ascending", "no Column", "it truncates", "Op.PreviousKey has 1 column",
		`"live" is`, `"valid_to" is`, `Tracked names column "id"`, `Tracked names column "v" twice`, `KeepNull names column "id"`}
	for _, name := range []string{"Late", "Unchanged", "Deletes", "Ties", "NullKey", "Columns.Missing", "Columns.New", "Table.Bounds"} {
		says = append(says, name+" has no value 9")
	}
	checkWords(t, err, says)
	opts = scd2.Options{Mode: scd2.Snapshot, MaxClose: 2, Late: scd2.RejectLate, Op: scd2.Op{Column: "op"}}
	_, err = scd2.Plan(context.Background(), scd2.Table{Key: []string{"id"}}, nil, opts)
	if !errors.Is(err, onerow.ErrOption) || !errors.Is(err, onerow.ErrMode) {
		t.Fatal(err)
	}
	checkWords(t, err, []string{"Absent", "MaxClose is 2", "Late is for", "Op is for", "At or Now"})
}

// TestPlanTooManyRows: batches of the null type may claim any number of rows.
func TestPlanTooManyRows(t *testing.T) {
	const most = 1<<31 - 1
	col := array.NewNull(most)
	defer col.Release()
	nulls := func(rows int64, names ...string) arrow.Record {
		var fields []arrow.Field
		var cols []arrow.Array
		for _, n := range names {
			fields, cols = append(fields, arrow.Field{Name: n, Type: arrow.Null, Nullable: true}), append(cols, col)
		}
		return array.NewRecord(arrow.NewSchema(fields, nil), cols, rows)
	}
	history, changes := []string{"id", "valid_from", "valid_to"}, []string{"id", "at"}
	state := []string{"onerow_kind", "onerow_at", "id"}
	large, one := nulls(most, history...), nulls(1, history...)
	for name, call := range map[string]struct{ history, changes, state []arrow.Record }{
		"history": {history: []arrow.Record{large}},
		"changes": {history: []arrow.Record{one}, changes: []arrow.Record{nulls(most, changes...), nulls(most, changes...)}},
		"state":   {history: []arrow.Record{one}, state: []arrow.Record{nulls(most, state...), nulls(most, state...)}},
	} {
		m, err := scd2.Plan(context.Background(), scd2.Table{Batches: call.history, Key: []string{"id"}}, call.changes,
			scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")}, State: call.state})
		if m != nil || !errors.Is(err, onerow.ErrTooManyRows) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMergeErrors: what can be wrong with the calls that follow Plan.
func TestMergeErrors(t *testing.T) {
	ctx := context.Background()
	history := records(t, plainColumns, []string{"1 a 10 -", "2 b 10 20"})
	k := keeper{table: scd2.Table{Key: []string{"id"}, Batches: history}, opts: events()}
	m, err := k.plan(t, records(t, plainSource, []string{"1 x 30 u"}))
	if err != nil {
		t.Fatal(err)
	}
	mem := onerowtest.Allocator(t)
	for _, c := range []struct {
		name    string
		history []arrow.Record
		kind    error
		says    []string
	}{
		{"another value", records(t, plainColumns, []string{"1 a 10 -", "2 z 10 20"}), onerow.ErrStaleBase, []string{"row 1", `"v"`, `"z"`, `"b"`}},
		{"another key", records(t, plainColumns, []string{"3 a 10 -", "2 b 10 20"}), onerow.ErrStaleBase, []string{"row 0", `"id"`, "3", "1"}},
		{"another end", records(t, plainColumns, []string{"1 a 10 -", "2 b 10 -"}), onerow.ErrStaleBase, []string{"row 1", `"valid_to"`, "NULL", "20"}},
		{"another order", records(t, plainColumns, []string{"2 b 10 20", "1 a 10 -"}), onerow.ErrStaleBase, []string{"row 0"}},
		{"more rows", records(t, plainColumns, []string{"1 a 10 -", "2 b 10 20", "3 c 10 -"}), onerow.ErrStaleBase, []string{"3 rows", "2"}},
		{"an empty history", records(t, plainColumns, nil), onerow.ErrStaleBase, []string{"plan was made for 2"}},
		{"no history", nil, onerow.ErrStaleBase, []string{"plan was made for 2"}},
		{"another type", records(t, "id:int64 v:string valid_from:int64 valid_to:int32", []string{"1 a 10 -", "2 b 10 20"}), onerow.ErrStaleBase, []string{`"valid_to"`, "int32", "int64"}},
		{"another name", records(t, "id:int64 w:string valid_from:int64 valid_to:int64", []string{"1 a 10 -", "2 b 10 20"}), onerow.ErrStaleBase, []string{`"w"`, `"v"`}},
		{"a nil record", []arrow.Record{nil}, onerow.ErrSchema, []string{"history", "nil"}},
	} {
		out, err := m.Apply(ctx, mem, c.history)
		if out != nil || !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		checkWords(t, err, c.says)
	}
}

// TestZeroMerge: a merge that isn't one of Plan is empty, and makes nothing.
func TestZeroMerge(t *testing.T) {
	ctx, m, mem := context.Background(), &scd2.Merge{}, onerowtest.Allocator(t)
	for name, call := range map[string]func() error{
		"Apply":       func() error { _, err := m.Apply(ctx, mem, nil); return err },
		"Staged":      func() error { _, err := m.Staged(ctx, nil); return err },
		"State":       func() error { _, err := m.State(ctx, mem); return err },
		"Fingerprint": func() error { _, err := m.Fingerprint(ctx); return err },
		"Audit":       func() error { _, err := m.Audit(ctx); return err },
	} {
		if err := call(); !errors.Is(err, onerow.ErrNoBatches) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !m.Empty() {
		t.Error("it isn't empty")
	}
	if target := m.Target("a", "b"); !slices.Equal(target.Name, []string{"a", "b"}) || target.Columns != nil {
		t.Errorf("%+v", target)
	}
	_ = m.Report.String()
}

// TestCompactErrors: what can be wrong with a state, or with a watermark.
func TestCompactErrors(t *testing.T) {
	sound := records(t, plainState, []string{"upsert 10 true 1 a", "delete 20 true 2 -", "watermark 5 true - -"})
	for _, c := range []struct {
		name      string
		state     []arrow.Record
		watermark onerow.Value
		kind      error
		want      []any
		says      []string
	}{
		{"no state", nil, 15, onerow.ErrNoBatches, nil, nil},
		{"a nil record", []arrow.Record{sound[0], nil}, 15, onerow.ErrSchema, []any{onerow.SchemaError{Input: "state", Batch: 1}}, nil},
		{"other columns", records(t, plainColumns, nil), 15, onerow.ErrNoColumn, []any{column(scd2.StateAt, "state", 0)}, nil},
		{"no kinds", records(t, "onerow_at:int64", nil), 15, onerow.ErrNoColumn, []any{column(scd2.StateKind, "state", 0)}, nil},
		{"kinds of another type", records(t, "onerow_kind:int8 onerow_at:int64", []string{"1 10"}), 15, onerow.ErrType,
			[]any{onerow.TypeError{Column: scd2.StateKind, Type: int8s, Input: "state"}}, nil},
		{"positions without an order", records(t, "onerow_kind:string onerow_at:list<int8>", nil), 15, onerow.ErrType,
			[]any{onerow.TypeError{Column: scd2.StateAt, Type: arrow.ListOf(int8s), Input: "state"}}, nil},
		{"a watermark of another type", sound, "yesterday", onerow.ErrType, nil, []string{"yesterday"}},
		{"no watermark", sound, nil, onerow.ErrType, nil, nil},
		{"an unknown kind", records(t, plainState, []string{"merge 10 true 1 a"}), 15, onerow.ErrOption, nil, []string{"row 0 of state", scd2.StateKind, "merge"}},
		{"no kind", records(t, plainState, []string{"- 10 true 1 a"}), 15, onerow.ErrOption, nil, []string{"row 0 of state", scd2.StateKind, "NULL"}},
		{"no position", records(t, plainState, []string{"upsert 20 true 1 a", "upsert - true 1 a"}), 15, onerow.ErrOption, nil, []string{"row 1 of state", scd2.StateAt, "NULL"}},
	} {
		rec, err := scd2.Compact(context.Background(), memory.DefaultAllocator, c.state, c.watermark)
		if rec != nil || !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.want, withFields(err), sameErrors); d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, d)
		}
		checkWords(t, err, c.says)
	}
}
