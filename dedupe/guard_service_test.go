package dedupe_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/recast"
)

func newGuard(t *testing.T, target []arrow.Record, opts dedupe.Options) *dedupe.Guard {
	t.Helper()
	g, err := dedupe.NewGuard(context.Background(), target, []string{"k"}, bySeq, opts)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// bring asks a guard and advances it.
func bring(t *testing.T, g *dedupe.Guard, batches ...arrow.Record) *dedupe.Plan {
	t.Helper()
	p, err := g.Latest(context.Background(), batches)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Advance(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGuardStaleBase: a guard advances by its own plans alone, and by each once.
func TestGuardStaleBase(t *testing.T) {
	ctx, mem := context.Background(), arrowtest.Allocator(t)
	g, other := newGuard(t, nil, dedupe.Options{}), newGuard(t, nil, dedupe.Options{})
	batch := arrowtest.Table(t, mem, []string{"k:int8", "seq:int8"}, [][]any{{1, 1}})
	plain, err := dedupe.Latest(ctx, batch, []string{"k"}, bySeq, dedupe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	early, err := g.Latest(ctx, batch)
	if err != nil {
		t.Fatal(err)
	}
	bring(t, g, batch...)
	for name, p := range map[string]*dedupe.Plan{"none": nil, "empty": {}, "of Latest": plain, "of another": bring(t, other, batch...), "early": early} {
		if err := g.Advance(ctx, p); !errors.Is(err, onerow.ErrStaleBase) {
			t.Errorf("a plan, %s: %v", name, err)
		}
	}
	if p := bring(t, g, batch...); p.Report.Replays != 1 {
		t.Errorf("%+v", p.Report)
	}
	// Plans that change nothing don't stand in each other's way, nor do calls without batches.
	p := bring(t, g, batch...)
	bring(t, g)
	if err := g.Advance(ctx, p); err != nil {
		t.Error(err)
	}
}

// TestGuardRefuses: what is wrong is said, and the guard is what it was.
func TestGuardRefuses(t *testing.T) {
	ctx, mem := context.Background(), arrowtest.Allocator(t)
	columns := []string{"k:int8", "seq:int8", "v:int8"}
	target := arrowtest.Table(t, mem, columns, [][]any{{1, 5, 5}})
	for name, c := range map[string]struct {
		target []arrow.Record
		key    string
		opts   dedupe.Options
		kind   error
		says   string
	}{
		"against":    {target, "k", dedupe.Options{Against: target}, onerow.ErrOption, "Against is set"},
		"ties":       {target, "k", dedupe.Options{Ties: 9}, onerow.ErrOption, "Ties"},
		"key":        {target, "id", dedupe.Options{}, onerow.ErrNoColumn, `"id"`},
		"NULL order": {arrowtest.Table(t, mem, columns, [][]any{{1, nil, 5}}), "k", dedupe.Options{}, onerow.ErrNullOrder, "against"},
		"schemas":    {append(arrowtest.Table(t, mem, []string{"k:int8"}, nil), target...), "k", dedupe.Options{}, onerow.ErrSchema, "against"},
	} {
		if g, err := dedupe.NewGuard(ctx, c.target, []string{c.key}, bySeq, c.opts); g != nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := dedupe.NewGuard(ctx, nil, nil, bySeq, dedupe.Options{}); !errors.Is(err, onerow.ErrNoKey) {
		t.Error(err)
	}

	g := newGuard(t, target, dedupe.Options{})
	wide := arrowtest.Table(t, mem, []string{"k:int64", "seq:int64", "v:int64"}, [][]any{{1, 4, 0}, {1, 7, 7}, {2, 6, 300}})
	p, err := g.Latest(ctx, wide)
	if err != nil {
		t.Fatal(err)
	}
	var value *onerow.ValueError
	if err := g.Advance(ctx, p); !errors.As(err, &value) || value.Row != 2 || value.Value != "300" || value.Column != "v" || value.IntoType.ID() != arrow.INT8 {
		t.Errorf("a value that doesn't fit: %v", err)
	}
	rows := p.Rows
	p.Rows = onerow.Rows{3}
	var row *onerow.RowError
	if err := g.Advance(ctx, p); !errors.As(err, &row) || row.Row != 3 || row.Rows != 3 {
		t.Errorf("a row beyond the batches: %v", err)
	}
	// The caller leaves out what its table can't hold, and the same plan will do.
	p.Rows = rows.Without(onerow.Rows{2})
	if err := g.Advance(ctx, p); err != nil || g.Len() != 1 {
		t.Errorf("%v, %d keys", err, g.Len())
	}
	if p, err := g.Latest(ctx, wide); err != nil || fmt.Sprint(p.Rows, p.Stale) != "[2] [0 1]" {
		t.Errorf("%v, %v", p, err)
	}
}

// TestGuardCancel: a context that is over changes nothing.
func TestGuardCancel(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batch := arrowtest.Table(t, mem, []string{"k:int8", "seq:int8"}, [][]any{{1, 1}})
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if g, err := dedupe.NewGuard(over, batch, []string{"k"}, bySeq, dedupe.Options{}); g != nil || !errors.Is(err, context.Canceled) {
		t.Error(g, err)
	}
	g := newGuard(t, nil, dedupe.Options{})
	if p, err := g.Latest(over, batch); p != nil || !errors.Is(err, context.Canceled) {
		t.Error(p, err)
	}
	p, err := g.Latest(context.Background(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Advance(over, p); !errors.Is(err, context.Canceled) || g.Len() != 0 {
		t.Error(g.Len(), err)
	}
	if err := g.Advance(context.Background(), p); err != nil || g.Len() != 1 {
		t.Error(g.Len(), err)
	}
}

// TestGuardBorrowsNothing: a guard holds no buffer of the target or of a batch, dictionaries below maps included. The allocator says so
// in the end; and what it held could be anything by now.
func TestGuardBorrowsNothing(t *testing.T) {
	mem := arrowtest.Allocator(t)
	tags := arrow.MapOf(arrow.BinaryTypes.String, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String})
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "seq", Type: arrow.PrimitiveTypes.Int64}, {Name: "tags", Type: tags}}, nil)
	g := newGuard(t, nil, dedupe.Options{})
	for round := range 3 {
		b := array.NewRecordBuilder(mem, schema)
		for _, k := range []string{"a", "b"} {
			if err := b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(k); err != nil {
				t.Fatal(err)
			}
			b.Field(1).(*array.Int64Builder).Append(int64(round / 2))
			m := b.Field(2).(*array.MapBuilder)
			m.Append(true)
			m.KeyBuilder().(*array.StringBuilder).Append("key")
			if err := m.ItemBuilder().(*array.BinaryDictionaryBuilder).AppendString("value " + k); err != nil {
				t.Fatal(err)
			}
		}
		rec := b.NewRecord()
		b.Release()
		p := bring(t, g, rec)
		rec.Release()
		if kept, replays := int64(2-2*(round%2)), int64(2*(round%2)); p.Report.Kept != kept || p.Report.Replays != replays {
			t.Errorf("round %d: %+v", round, p.Report)
		}
		if mem.CurrentAlloc() != 0 {
			t.Fatalf("round %d: %d bytes are still held", round, mem.CurrentAlloc())
		}
	}
}

// TestGuardForgets: a guard without an op column forgets deleted keys, as its target does, and so does one whose keys change.
func TestGuardForgets(t *testing.T) {
	mem := arrowtest.Allocator(t)
	g := newGuard(t, arrowtest.Table(t, mem, []string{"k:int8", "seq:int8"}, [][]any{{1, 5}, {2, 5}, {3, 5}}),
		dedupe.Options{Op: dedupe.Op{Column: "op", Delete: []onerow.Value{"d"}, PreviousKey: []string{"before"}}})
	p := bring(t, g, arrowtest.Table(t, mem, []string{"k:int8", "before:int8", "seq:int8", "op:string"}, [][]any{{1, nil, 6, "d"}, {9, 2, 6, "u"}, {3, nil, 4, "d"}})...)
	if fmt.Sprint(p.Rows, p.Deletes, p.Ended, p.Stale) != "[0 1] [0] [1] [2]" || g.Len() != 2 {
		t.Errorf("%v %v %v %v, %d keys", p.Rows, p.Deletes, p.Ended, p.Stale, g.Len())
	}
}

// TestGuardLarge fills several chunks, and replaces all their rows.
func TestGuardLarge(t *testing.T) {
	ctx, mem := context.Background(), arrowtest.Allocator(t)
	const n = 140_000
	var changes []change
	for i := range n {
		changes = append(changes, change{i, 1, i % 7})
	}
	g := newGuard(t, []arrow.Record{largeTable(t, mem, "short text", changes)}, dedupe.Options{})
	for i := range changes {
		changes[i].seq = i % 3 // a third is older, a third is a replay, a third is newer
	}
	rec := largeTable(t, mem, "long text", nil)
	if p := bring(t, g, rec); p.Report.In != 0 {
		t.Error(p.Report)
	}
	rec = largeTable(t, mem, "short text", changes)
	for round, want := range []dedupe.Report{{In: n, Kept: n / 3, Stale: n - n/3, Replays: (n + 1) / 3}, {In: n, Stale: n, Replays: 2 * n / 3}} {
		p, err := g.Latest(ctx, []arrow.Record{rec})
		if err != nil {
			t.Fatal(err)
		}
		if p.Report != want || g.Len() != n {
			t.Errorf("round %d: %+v, want %+v; %d keys", round, p.Report, want, g.Len())
		}
		if err := g.Advance(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGuardConcurrent asks a guard from some goroutines while it advances; the race detector watches.
func TestGuardConcurrent(t *testing.T) {
	ctx, mem := context.Background(), arrowtest.Allocator(t)
	g := newGuard(t, nil, dedupe.Options{})
	var batches [][]arrow.Record
	for i := range 20 {
		batches = append(batches, arrowtest.Table(t, mem, []string{"k:string", "seq:int8", "v:int8"}, [][]any{{"a", i, nil}, {fmt.Sprint(i), i, 1}}))
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for _, b := range batches {
				p, err := g.Latest(ctx, b)
				if err != nil {
					t.Error(err)
					return
				}
				rec, err := p.Take(ctx, mem)
				if err != nil {
					t.Error(err)
					return
				}
				rec.Release()
				if err := g.Advance(ctx, p); err != nil && !errors.Is(err, onerow.ErrStaleBase) {
					t.Error(err)
				}
				g.Len()
			}
		})
	}
	all.Wait()
}

// TestGuardHostile gives batches whose buffers contradict their type to a guard: it refuses what Latest refuses, and goes on.
func TestGuardHostile(t *testing.T) {
	for name, h := range hostile() {
		t.Run(name, func(t *testing.T) {
			bad := beside(t, h.data)
			none, _, err := recast.Array(memory.NewGoAllocator(), array.NewNull(3), h.data.DataType())
			if err != nil {
				t.Fatal(err)
			}
			sound := array.NewRecord(bad.Schema(), []arrow.Array{none, bad.Column(1), bad.Column(2)}, 3)
			for _, role := range []struct{ key, order string }{{"bad", "n"}, {"one", "bad"}, {"n", "one"}} {
				order := []onerow.Order{{Column: role.order, Nulls: onerow.NullsAreLowest}}
				opts := dedupe.Options{NullKey: onerow.EqualNullKeys, Ties: dedupe.LastTied}
				g, err := dedupe.NewGuard(t.Context(), []arrow.Record{sound}, []string{role.key}, order, opts)
				if errors.Is(err, onerow.ErrType) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				opts.Against = []arrow.Record{sound}
				_, want := dedupe.Latest(t.Context(), []arrow.Record{bad}, []string{role.key}, order, opts)
				panicked, err := catch(func() error { _, err := g.Latest(t.Context(), []arrow.Record{bad}); return err })
				if panicked != nil || errors.Is(err, onerow.ErrMalformed) != errors.Is(want, onerow.ErrMalformed) || (err == nil) != (want == nil) {
					t.Errorf("%v: %v, %v; Latest says %v", role, panicked, err, want)
				}
				if p := bring(t, g, sound); p.Report.In != 3 {
					t.Errorf("%v: %+v", role, p.Report)
				}
			}
		})
	}
}
