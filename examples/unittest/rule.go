package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/scd2"
)

// Subscriptions is what the service stores: for each customer the plans that it has had, and what the next merge needs to know besides.
type Subscriptions struct {
	History, State []arrow.Record
}

// table says what the columns of the history mean.
func (s Subscriptions) table() scd2.Table {
	return scd2.Table{Batches: s.History, Key: []string{"customer"}}
}

// Release gives the records back.
func (s Subscriptions) Release() {
	for _, rec := range slices.Concat(s.History, s.State) {
		rec.Release()
	}
}

// plans are the names of the codes that billing uses.
var plans = map[string]string{"B1": "basic", "T5": "team", "T5-2024": "team", "E0": "enterprise"}

// Merge is the rule under test. Billing sends events; their columns are
//
//	event:int64  revision:int64  customer:int64  email:string  kind:string  code:string  at:timestamp[us,UTC]
//
// An event comes once or more often, and in a higher revision when it was wrong. Those of our own test accounts don't count, plans have
// names instead of codes, and a "cancel" ends a subscription. Events come late, and in any order.
//
// The caller releases what Merge returns. What it was called with stays as it is.
func (s Subscriptions) Merge(ctx context.Context, alloc memory.Allocator, events []arrow.Record) (next Subscriptions, err error) {
	changes, err := prepare(ctx, alloc, events)
	if err != nil {
		return next, err
	}
	defer changes.Release()

	merge, err := scd2.Plan(ctx, s.table(), []arrow.Record{changes}, scd2.Options{
		Mode:  scd2.Changes,
		At:    []onerow.Order{onerow.Desc("at"), onerow.Desc("event"), onerow.Desc("revision")},
		Op:    scd2.Op{Column: "kind", Delete: []onerow.Value{"cancel"}},
		State: s.State,
	})
	if err != nil {
		return next, err
	}
	if next.History, err = merge.Apply(ctx, alloc, s.History); err != nil {
		return next, err
	}
	state, err := merge.State(ctx, alloc)
	if err != nil {
		next.Release()
		return Subscriptions{}, err
	}
	next.State = []arrow.Record{state}
	return next, nil
}

// prepare turns events into changes of subscriptions: the last revision of each, without test accounts, with the names of plans.
func prepare(ctx context.Context, alloc memory.Allocator, events []arrow.Record) (arrow.Record, error) {
	latest, err := dedupe.Latest(ctx, events, []string{"event"}, []onerow.Order{onerow.Desc("revision")}, dedupe.Options{})
	if err != nil {
		return nil, err
	}
	rec, err := latest.Take(ctx, alloc)
	if err != nil {
		return nil, err
	}
	defer rec.Release()
	email := rec.Column(column(rec, "email")).(*array.String)
	var rows onerow.Rows
	for i := range email.Len() {
		if !strings.HasSuffix(email.Value(i), "@example.test") {
			rows = append(rows, uint32(i))
		}
	}
	paying, err := onerow.Take(ctx, []arrow.Record{rec}, rows, onerow.Resources{Allocator: alloc})
	if err != nil {
		return nil, err
	}
	defer paying.Release()
	return named(alloc, paying)
}

// named puts the names of plans in the place of codes, and leaves out what the history doesn't keep.
func named(alloc memory.Allocator, events arrow.Record) (arrow.Record, error) {
	code, number := events.Column(column(events, "code")).(*array.String), events.Column(column(events, "event")).(*array.Int64)
	b := array.NewStringBuilder(alloc)
	defer b.Release()
	for i := range code.Len() {
		name, known := plans[code.Value(i)]
		switch {
		case code.IsNull(i):
			b.AppendNull()
		case known:
			b.Append(name)
		default:
			return nil, fmt.Errorf("event %d: no plan has the code %q", number.Value(i), code.Value(i))
		}
	}
	names := b.NewArray()
	defer names.Release()

	fields, columns := []arrow.Field{{Name: "plan", Type: names.DataType(), Nullable: true}}, []arrow.Array{names}
	for i, f := range events.Schema().Fields() {
		if f.Name != "code" && f.Name != "email" {
			fields, columns = append(fields, f), append(columns, events.Column(i))
		}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, events.NumRows()), nil
}

// column finds a column of the events. Billing's contract is that it is there.
func column(rec arrow.Record, name string) int { return rec.Schema().FieldIndices(name)[0] }
