package dedupe_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/internal/recast"
)

// TestGuardProperties feeds a guard batch after batch, and compares each plan with that of Latest against a target that is kept row by row.
func TestGuardProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { guardsLikeATarget(newLab(t, drawn{t}), everything) })
}

func TestGuardUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	rapid.Check(t, func(t *rapid.T) { guardsLikeATarget(newLab(t, drawn{t}), everything) })
}

// TestGuardLarger has feeds of some hundreds of rows over some dozens of keys.
func TestGuardLarger(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			may := everything
			may.maxRows, may.keys, may.refusals = 400, 64, seed%8 == 0
			guardsLikeATarget(newLab(t, random{rand.New(rand.NewPCG(seed, 9))}), may)
		})
	}
}

// book is the target that a guard stands for: a list of records of one row.
type book struct {
	*lab
	b      built
	schema *arrow.Schema
	rows   []arrow.Record
}

// against is what Latest is to be called with.
func (k *book) against() []arrow.Record {
	if k.schema == nil || len(k.rows) > 0 {
		return k.rows
	}
	return []arrow.Record{k.own(array.NewRecord(k.schema, k.columns(func(f arrow.Field) arrow.Array { return k.nulls(f, 0) }), 0))}
}

func (k *book) columns(of func(arrow.Field) arrow.Array) []arrow.Array {
	var cols []arrow.Array
	for _, f := range k.schema.Fields() {
		arr := of(f)
		k.t.Cleanup(arr.Release)
		cols = append(cols, arr)
	}
	return cols
}

func (k *book) nulls(f arrow.Field, n int) arrow.Array {
	k.t.Helper()
	none := array.NewNull(n)
	defer none.Release()
	arr, _, err := recast.Array(k.alloc, none, f.Type)
	if err != nil {
		k.t.Fatalf("%v", err)
	}
	return arr
}

func (k *book) key(rec arrow.Record) string {
	var key []oracle.Value
	for _, name := range k.b.key {
		key = append(key, oracle.Rows(rec)[0][rec.Schema().FieldIndices(name)[0]])
	}
	return oracle.Canonical(key)
}

// has says whether the target has a column of the name.
func (k *book) has(name string) bool { return len(k.schema.FieldIndices(name)) > 0 }

// put writes a record of one row; op is what its op column is to hold, nil for its own value. Other columns than those that the record has keep
// their value if merge says so. It fails when a value doesn't fit.
func (k *book) put(rows []arrow.Record, rec arrow.Record, op arrow.Array, merge bool) ([]arrow.Record, error) {
	var old arrow.Record
	if at := slices.IndexFunc(rows, func(r arrow.Record) bool { return k.key(r) == k.key(rec) }); at >= 0 && merge {
		old = rows[at]
	}
	var bad error
	cols := k.columns(func(f arrow.Field) arrow.Array {
		from := op
		if at := rec.Schema().FieldIndices(f.Name); op == nil || f.Name != "op" {
			switch {
			case len(at) > 0:
				from = rec.Column(at[0])
			case old != nil:
				from = old.Column(old.Schema().FieldIndices(f.Name)[0])
			default:
				return k.nulls(f, 1)
			}
		}
		arr, unfit, err := recast.Array(k.alloc, from, f.Type)
		if err != nil {
			k.t.Fatalf("%v", err)
		}
		if len(unfit) > 0 {
			bad = onerow.ErrValue
		}
		return arr
	})
	return append(k.without(rows, rec), k.own(array.NewRecord(k.schema, cols, 1))), bad
}

func (k *book) without(rows []arrow.Record, rec arrow.Record) []arrow.Record {
	return slices.DeleteFunc(slices.Clone(rows), func(r arrow.Record) bool { return k.key(r) == k.key(rec) })
}

// write does what Advance promises of a guard.
func (k *book) write(p *dedupe.Plan) (err error) {
	before := k.schema
	taken := k.take(p)
	if k.schema == nil {
		k.schema = taken.Schema()
	}
	opts, rows := k.b.opts.Op, slices.Clone(k.rows)
	holds := opts.Column != "" && k.has("op")
	fail := func(e error) {
		if e != nil {
			err = e
		}
	}
	for i, r := range p.Rows {
		rec := k.slice(taken, i, i+1)
		if slices.Contains(p.Deletes, r) && !holds {
			rows = k.without(rows, rec)
			continue
		}
		var bad error
		rows, bad = k.put(rows, rec, nil, true)
		fail(bad)
	}
	if opts.PreviousKey != nil {
		gone, bad := p.TakeEnded(context.Background(), k.alloc)
		if bad != nil {
			k.t.Fatalf("%v", bad)
		}
		k.own(gone)
		var op arrow.Array
		for _, v := range opts.Delete {
			if holds && op == nil {
				op, _ = recast.Literal(k.alloc, k.schema.Field(k.schema.FieldIndices("op")[0]).Type, v)
			}
		}
		if op != nil {
			k.t.Cleanup(op.Release)
		}
		for i := range p.Ended {
			rec := k.slice(gone, i, i+1)
			if op == nil {
				rows = k.without(rows, rec)
				continue
			}
			rows, bad = k.put(rows, rec, op, false)
			fail(bad)
		}
	}
	if err != nil || len(p.Rows)+len(p.Ended) == 0 {
		k.schema = before
		return err
	}
	k.rows = rows
	return nil
}

// guardsLikeATarget cuts a scenario into batches that come one after the other, in several schemas, some of them again.
func guardsLikeATarget(l *lab, may limits) {
	b := l.scenario(may)
	k := &book{lab: l, b: b}
	for _, rec := range l.build(b.target) {
		k.schema = rec.Schema()
		for i := range int(rec.NumRows()) {
			k.rows = append(k.rows, l.slice(rec, i, i+1))
		}
	}
	opts := b.opts
	opts.Against, opts.Resources = nil, onerow.Resources{Workers: 1 + l.src.Choose("workers", 2), Allocator: l.alloc}
	var g *dedupe.Guard
	restart := func() bool {
		var err error
		if g, err = dedupe.NewGuard(context.Background(), k.against(), b.key, b.order, opts); err != nil {
			b.opts.Against = k.against()
			if _, other := l.latest(b.batches, b); other == nil {
				l.t.Fatalf("a guard can't be made: %v\n%v", err, b)
			}
		}
		return err == nil
	}
	if !restart() {
		return
	}
	feed := l.cut(b.batches)
	for n := len(feed); n > 0; n-- {
		batches := feed[len(feed)-n:][:1]
		if l.src.Choose("again", 4) == 3 {
			batches = feed[l.src.Choose("which", len(feed)):][:1]
		}
		batches = l.drift(batches, b)
		if !k.step(g, batches) {
			continue
		}
		if l.src.Choose("restart", 6) == 5 && !restart() {
			l.t.Fatalf("no restart\n%v", b)
		}
	}
}

// drift gives batches other encodings, or leaves a column out.
func (l *lab) drift(batches []arrow.Record, b built) []arrow.Record {
	switch l.src.Choose("drift", 4) {
	case 3:
		var columns []string
		for _, f := range batches[0].Schema().Fields() {
			if !strings.HasPrefix(f.Name, "fill") {
				columns = append(columns, f.Name)
			}
		}
		forms := arrowtest.Variants(l.alloc, batches, columns...)
		l.t.Cleanup(forms.Release)
		return forms[l.src.Choose("form", len(forms))].Batches
	case 2:
		var out []arrow.Record
		for _, rec := range batches {
			fields, cols := rec.Schema().Fields(), slices.Clone(rec.Columns())
			if at := rec.Schema().FieldIndices("content"); len(at) == 1 {
				fields, cols = slices.Delete(fields, at[0], at[0]+1), slices.Delete(cols, at[0], at[0]+1)
			}
			out = append(out, l.own(array.NewRecord(arrow.NewSchema(fields, nil), cols, rec.NumRows())))
		}
		return out
	}
	return batches
}

// step brings batches to a guard and to the target, and says whether the plan was written.
func (k *book) step(g *dedupe.Guard, batches []arrow.Record) (written bool) {
	ctx, b := context.Background(), k.b
	b.opts.Against = k.against()
	want, wantErr := k.latest(batches, b)
	got, err := g.Latest(ctx, batches)
	if wantErr != nil || err != nil {
		if d := differInError(wantErr, err); d != "" {
			k.t.Fatalf("%s\n%v", d, b)
		}
		return false
	}
	k.same(want, got)
	switch k.src.Choose("write", 5) {
	case 3:
		return false // the write failed
	case 4:
		got.Rows = got.Rows.Without(got.Deletes)
	}
	rows := k.rows
	wantErr, err = k.write(want), g.Advance(ctx, got)
	if !errors.Is(err, wantErr) || (err == nil) != (wantErr == nil) {
		k.t.Fatalf("advance: want %v, got %v\n%v", wantErr, err, b)
	}
	if err != nil {
		k.rows = rows
		return false
	}
	if len(want.Rows)+len(want.Ended) > 0 {
		if err := g.Advance(ctx, got); !errors.Is(err, onerow.ErrStaleBase) {
			k.t.Fatalf("advanced by a plan again: %v", err)
		}
	}
	got.Rows = want.Rows
	if d := cmp.Diff(lines(oracle.Rows(k.take(want))), lines(oracle.Rows(k.take(got)))); d != "" {
		k.t.Fatalf("taken after the guard advanced (-want +got):\n%s\n%v", d, b)
	}
	return true
}

// same compares two plans and what is taken by them.
func (k *book) same(want, got *dedupe.Plan) {
	k.t.Helper()
	a, b := describe(want.Rows, want.SetAside, want.Stale, want.Ended, want.Report), describe(got.Rows, got.SetAside, got.Stale, got.Ended, got.Report)
	a["deletes"], b["deletes"] = fmt.Sprint(want.Deletes), fmt.Sprint(got.Deletes)
	if d := cmp.Diff(a, b); d != "" {
		k.t.Fatalf("plan (-want +got):\n%s\n%v", d, k.b)
	}
	if d := cmp.Diff(lines(oracle.Rows(k.take(want))), lines(oracle.Rows(k.take(got)))); d != "" {
		k.t.Fatalf("values taken (-want +got):\n%s\n%v", d, k.b)
	}
}
