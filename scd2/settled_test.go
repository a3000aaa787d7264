package scd2_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/scd2"
)

// whole is all that a plan says, and all that is made of it.
type whole struct {
	Lists                scd2.Merge
	Err                  string
	Next, Staged, State  string
	NextErr, NextSchemas string
}

func wholeOf(t arrowtest.TB, table scd2.Table, changes []arrow.Record, opts scd2.Options, alloc memory.Allocator) (w whole, settled int64) {
	t.Helper()
	ctx := context.Background()
	m, err := scd2.Plan(ctx, table, changes, opts)
	if err != nil {
		return whole{Err: err.Error()}, 0
	}
	w.Lists = scd2.Merge{Inserts: m.Inserts, Closes: m.Closes, Rewrites: m.Rewrites, Removes: m.Removes, Unchanged: m.Unchanged, Ignored: m.Ignored,
		Rejected: m.Rejected, Report: m.Report}
	next, err := m.Apply(ctx, alloc, table.Batches)
	if err != nil {
		w.NextErr = err.Error()
	}
	for _, rec := range next {
		w.Next += arrowtest.FormatRows(arrowtest.Bits(rec)) + "\n"
		w.NextSchemas += rec.Schema().String()
		rec.Release()
	}
	for _, out := range []struct {
		text *string
		make func(context.Context, memory.Allocator) (arrow.Record, error)
	}{{&w.Staged, m.Staged}, {&w.State, m.State}} {
		rec, err := out.make(ctx, alloc)
		if err != nil {
			t.Fatalf("%v", err)
		}
		*out.text = rec.Schema().String() + arrowtest.FormatRows(arrowtest.Bits(rec))
		rec.Release()
	}
	return w, scd2.Settled(m)
}

// sameEitherWay plans with and without what is settled.
func sameEitherWay(t arrowtest.TB, table scd2.Table, changes []arrow.Record, opts scd2.Options, alloc memory.Allocator) (settled int64) {
	t.Helper()
	quick, settled := wholeOf(t, table, changes, opts, alloc)
	again := scd2.NeverSettle()
	slow, none := wholeOf(t, table, changes, opts, alloc)
	again()
	if none != 0 {
		t.Fatalf("%d keys were settled all the same", none)
	}
	if d := cmp.Diff(slow, quick, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".job" || p.Last().String() == ".out" }, cmp.Ignore())); d != "" {
		t.Fatalf("(-worked off +settled):\n%s\nhistory\n%s\nchanges\n%s", d, arrowtest.FormatRows(arrowtest.All(table.Batches)), arrowtest.FormatRows(arrowtest.All(changes)))
	}
	return settled
}

// life of a key in a history that is sound for most keys.
func someVersions(rng *rand.Rand, key any, name func() any, flag bool) (rows [][]any) {
	at := 1 + rng.IntN(5)
	for range rng.IntN(5) {
		to := any(at + 1 + rng.IntN(6))
		rows = append(rows, []any{key, name(), rng.IntN(3), name(), at, to, false, nil})
		at = to.(int) + rng.IntN(2)*rng.IntN(3)
	}
	if n := len(rows); n > 0 && rng.IntN(4) > 0 {
		rows[n-1][5], rows[n-1][6] = nil, true
	}
	if n := len(rows); n > 0 && rng.IntN(60) == 0 {
		rows[rng.IntN(n)][4+rng.IntN(2)] = []any{nil, 3, 40}[rng.IntN(3)] // a broken history
	}
	if flag && len(rows) > 0 && rng.IntN(20) == 0 {
		rows[len(rows)-1][6] = []any{nil, false, true}[rng.IntN(3)]
	}
	if len(rows) > 0 && rng.IntN(30) == 0 {
		rows[len(rows)-1][7] = true // a deletion row
	}
	return rows
}

// TestSettledIsAsWorkedOff: what is settled without working a key off is what working it off makes, in all lists, records and errors.
func TestSettledIsAsWorkedOff(t *testing.T) {
	trials, settled := uint64(400), int64(0)
	if testing.Short() {
		trials = 100
	}
	for seed := range trials {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { settled += settledTrial(t, rand.New(rand.NewPCG(seed, 77))) })
	}
	if settled < int64(trials) {
		t.Errorf("only %d keys were settled", settled)
	}
	t.Run("one hash", func(t *testing.T) {
		form.ConstantHash(true)
		defer form.ConstantHash(false)
		for seed := range uint64(20) {
			settledTrial(t, rand.New(rand.NewPCG(seed, 78)))
		}
	})
}

func settledTrial(t *testing.T, rng *rand.Rand) int64 {
	alloc := arrowtest.Allocator(t)
	flip := func(n int) bool { return rng.IntN(n) == 0 }
	one := func(list ...string) string { return list[rng.IntN(len(list))] }
	name := func() any { return []any{"", "a", "b", "a longer name of more than a few bytes", nil}[rng.IntN(5)] }
	flagged, ordered, lacks := flip(3), flip(3), flip(3)
	columns := []string{"id:" + one("int64", "string", "int32"), "name:" + one("string", "large_string"), "n:" + one("int64", "float64", "int8"), "more:string",
		"valid_from:timestamp[us]", "valid_to:timestamp[us]", "current:bool", "gone:bool"}
	text := columns[0] == "id:string"
	key := func(k int) any {
		if text {
			return fmt.Sprintf("a key of more than twelve bytes %d", k)
		}
		return k
	}
	var history, events [][]any
	keys := 1 + rng.IntN(60)
	for k := range keys {
		history = append(history, someVersions(rng, key(k), name, flagged)...)
	}
	rng.Shuffle(len(history), func(i, k int) { history[i], history[k] = history[k], history[i] })
	for range rng.IntN(2 * keys) {
		at := 1 + rng.IntN(50)
		op := one("u", "u", "u", "d")
		if flip(300) {
			op = "t"
		}
		events = append(events, []any{key(rng.IntN(keys + keys/2)), name(), rng.IntN(3), name(), at, rng.IntN(3), op})
	}
	table := scd2.Table{Key: []string{"id"}}
	if flagged {
		table.Current, table.Deleted = "current", "gone"
	} else {
		columns = columns[:6]
		for i, row := range history {
			history[i] = row[:6]
		}
	}
	said := []string{"id:" + one("int64", "string", "int32"), columns[1], columns[2], columns[3], "at:" + one("timestamp[us]", "timestamp[ms]"), "seq:int64", "op:string"}
	said[0] = columns[0]
	opts := scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")}, Ties: scd2.Ties(rng.IntN(3)), Late: scd2.Late(rng.IntN(2)),
		Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}, Truncate: []onerow.Value{"t"}}, Resources: onerow.Resources{Workers: 1 + rng.IntN(3), Allocator: alloc}}
	if ordered {
		opts.At = append(opts.At, onerow.Desc("seq"))
	} else {
		said = append(said[:5], said[6])
		for i, row := range events {
			events[i] = append(row[:5:5], row[6])
		}
	}
	if lacks { // a column that the source doesn't have
		opts.Columns.Missing = scd2.KeepMissing
		said = append(said[:3:3], said[4:]...)
		for i, row := range events {
			events[i] = append(row[:3:3], row[4:]...)
		}
	}
	switch rng.IntN(6) {
	case 0:
		opts.Tracked = []string{"name", "n"}
	case 1:
		opts.Unchanged = scd2.KeepUnchanged
	case 2:
		opts.Deletes = scd2.Deletes(rng.IntN(2))
		if opts.Deletes == scd2.DeletesAsRows && !flagged {
			opts.Deletes = scd2.DeletesClose
		}
	}
	cut := func(columns []string, rows [][]any) []arrow.Record {
		at := rng.IntN(len(rows) + 1)
		if flip(2) {
			return arrowtest.Table(t, alloc, columns, rows)
		}
		return arrowtest.Batches(t, alloc, columns, rows[:at], rows[at:])
	}
	table.Batches = cut(columns, history)
	changes := cut(said, events)
	settled := sameEitherWay(t, table, changes, opts, alloc)
	// What the first call made, with its state, is what the next one is given.
	m, err := scd2.Plan(context.Background(), table, changes, opts)
	if err != nil {
		return settled
	}
	next, err := m.Apply(context.Background(), alloc, table.Batches)
	if err != nil {
		t.Fatal(err)
	}
	defer arrowtest.Release(next)
	state, err := m.State(context.Background(), alloc)
	if err != nil {
		t.Fatal(err)
	}
	defer state.Release()
	table.Batches, opts.State = next, []arrow.Record{state}
	for i := range events {
		if flip(2) {
			events[i][len(said)-2-one01(ordered)] = 30 + rng.IntN(50)
		}
	}
	return settled + sameEitherWay(t, table, cut(said, events), opts, alloc)
}

func one01(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSettledAfterMalformed: a call that ends in the middle of a comparison, at a text that lies outside its bytes, leaves nothing to the next one.
func TestSettledAfterMalformed(t *testing.T) {
	alloc := arrowtest.Allocator(t)
	var history, events [][]any
	for k := range 40 {
		history = append(history, []any{k, string(rune('A' + k)), 1, nil})
		events = append(events, []any{39 - k, string(rune('A' + k)), 2 + k}) // what another key has, in its place
	}
	columns := []string{"id:int64", "name:string", "valid_from:int64", "valid_to:int64"}
	table := scd2.Table{Key: []string{"id"}, Batches: arrowtest.Table(t, alloc, columns, history)}
	changes := arrowtest.Table(t, alloc, []string{"id:int64", "name:string", "at:int64"}, events)
	opts := scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")}, Resources: onerow.Resources{Workers: 1, Allocator: alloc}}

	offsets := make([]int32, 41)
	for i := range offsets {
		offsets[i] = int32(i)
	}
	offsets[10], offsets[11] = 1000, 1001
	data := array.NewData(arrow.BinaryTypes.String, 40, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)),
		memory.NewBufferBytes(make([]byte, 40))}, nil, 0, 0)
	defer data.Release()
	broken := array.NewStringData(data)
	defer broken.Release()
	said := changes[0]
	bad := array.NewRecord(said.Schema(), []arrow.Array{table.Batches[0].Column(0), broken, said.Column(2)}, 40)
	defer bad.Release()

	if _, err := scd2.Plan(context.Background(), table, []arrow.Record{bad}, opts); !errors.Is(err, onerow.ErrMalformed) {
		t.Fatalf("got %v", err)
	}
	m, err := scd2.Plan(context.Background(), table, changes, opts)
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Report; r.Applied != 40 || r.Close != 40 {
		t.Errorf("%v", r)
	}
}
