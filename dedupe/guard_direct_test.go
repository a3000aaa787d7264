package dedupe

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/recast"
)

// A microFeed is a target of some hundreds of keys and batches that come to it, with few ties, so that most keys are decided directly.
type microFeed struct {
	target, batches []string // columns: keys k…, orders o…, op, v
	orders          []onerow.Order
	opts            Options
	rows            int  // of a batch; default 200
	ties            bool // many rows are equal in order, and there are replays
	nulls           bool // NULL in keys and orders
	general         bool // nothing is to be decided directly
	spread          int  // of order values; default 1 << 20
}

func microFeeds() map[string]microFeed {
	latest := []onerow.Order{onerow.Desc("o"), onerow.Desc("p")}
	same := func(columns ...string) microFeed { return microFeed{target: columns, batches: columns, orders: latest} }
	with := func(f microFeed, change func(*microFeed)) microFeed { change(&f); return f }
	op := Op{Column: "op", Delete: []onerow.Value{"d"}, Snapshot: []onerow.Value{"r"}}
	feeds := map[string]microFeed{
		"one order column": with(same("k:int64", "o:int64", "v:string"), func(f *microFeed) { f.orders = latest[:1]; f.spread = 1 << 30 }),
		"ascending": with(same("k:int64", "o:int64", "p:int32", "v:string"), func(f *microFeed) {
			f.orders = []onerow.Order{onerow.Asc("o"), onerow.Desc("p")}
		}),
		"few first orders": with(same("k:int64", "o:int8", "p:int64", "v:string"), func(f *microFeed) { f.spread = 100 }),
		"ties":             with(same("k:int64", "o:int8", "p:int8", "v:int8"), func(f *microFeed) { f.ties, f.spread, f.opts.Ties = true, 20, TiesByContent }),
		"ties, first":      with(same("k:string", "o:int8", "p:int8", "v:int8"), func(f *microFeed) { f.ties, f.spread, f.opts.Ties = true, 20, FirstTied }),
		"ties, aside":      with(same("k:string", "o:int8", "p:int8", "v:int8"), func(f *microFeed) { f.ties, f.spread, f.opts.Ties = true, 20, SetAsideTies }),
		"op":               with(same("k:int64", "o:int64", "p:int32", "op:string", "v:string"), func(f *microFeed) { f.opts.Op = op }),
		"op, ties": with(same("k:int64", "o:int8", "p:int8", "op:dict<int8,string>", "v:int8"), func(f *microFeed) {
			f.opts.Op, f.ties, f.spread, f.opts.Ties = op, true, 20, TiesByContent
		}),
		"op, ascending, NULLs": with(same("k:int64", "o:int64", "p:int32", "op:string", "v:string"), func(f *microFeed) {
			f.opts.Op, f.nulls, f.spread = op, true, 5
			f.opts.Ties, f.opts.NullKey = TiesByContent, onerow.EqualNullKeys
			f.orders = []onerow.Order{{Column: "o", Ascending: true, Nulls: onerow.NullsAreHighest}, {Column: "p", Nulls: onerow.NullsAreLowest}}
		}),
		"no op held": with(same("k:int64", "o:int64", "p:int32", "v:string"), func(f *microFeed) {
			f.opts.Op, f.batches = op, append(slices.Clone(f.batches), "op:string")
		}),
		"NULL keys": with(same("k:int64", "o:int64", "p:int32", "v:string"), func(f *microFeed) {
			f.nulls, f.opts.NullKey, f.orders = true, onerow.EqualNullKeys, slices.Clone(latest)
			f.orders[0].Nulls, f.orders[1].Nulls = onerow.NullsAreHighest, onerow.NullsAreLowest
		}),
		"no NULL keys": with(same("k:int64", "o:float64", "p:int32", "v:string"), func(f *microFeed) {
			f.nulls, f.opts.NullKey, f.orders = true, onerow.SetAsideNullKeys, []onerow.Order{onerow.Asc("o"), onerow.Desc("p")}
			f.orders[0].Nulls, f.orders[1].Nulls = onerow.NullsAreHighest, onerow.NullsAreLowest
		}),
		"other key type":   with(same("k:int64", "o:int64", "p:int32"), func(f *microFeed) { f.target = []string{"k:int16", "o:int64", "p:int64"} }),
		"other order type": with(same("k:int64", "o:int64", "p:int32"), func(f *microFeed) { f.target, f.general = []string{"k:int64", "o:int32", "p:int32"}, true }),
		"blocks":           with(same("k:int64", "o:int64", "p:int32"), func(f *microFeed) { f.rows = 3 * wordBlock / 2 }),
	}
	for _, key := range []string{"int8", "int32", "uint64", "date32", "date64", "timestamp[us]", "timestamp[ns]", "float32", "bool", "string", "large_string", "decimal(9,2)",
		"dict<int32,string>", "dict<int16,int64>", "binary", "struct<a:int32,b:string>"} {
		feeds["key "+key] = same("k:"+key, "o:int64", "p:int64", "v:string")
	}
	feeds["key of two columns"] = same("k:int64", "k2:string", "o:int64", "p:int64", "v:string")
	for _, order := range []string{"uint64", "int16", "timestamp[ms]", "float64", "string", "decimal(9,2)", "dict<int32,string>", "bool"} {
		feeds["order "+order] = same("k:int64", "o:"+order, "p:int64", "v:string")
	}
	return feeds
}

// table makes rows for columns.
func (f microFeed) table(t *testing.T, mem memory.Allocator, rng *rand.Rand, columns []string, n, days int, nulls bool) []arrow.Record {
	t.Helper()
	rows := make([][]any, n)
	for i := range rows {
		for _, c := range columns {
			name, typ, _ := strings.Cut(c, ":")
			var cell any
			switch {
			case name[0] == 'k':
				cell = microCell(typ, rng.IntN(300))
			case name == "op":
				if cell = []any{"u", "r", "d", nil}[rng.IntN(4)]; cell == "d" && !slices.Contains(f.target, c) {
					cell = "u"
				}
			case name == "v":
				cell = microCell(typ, rng.IntN(3))
			default:
				spread := int(min(int64(cmp.Or(f.spread, 1<<20))*int64(days), math.MaxInt))
				switch typ {
				case "int8":
					spread = min(spread, 128)
				case "int16":
					spread = min(spread, 1<<15)
				}
				cell = microCell(typ, rng.IntN(spread))
			}
			if nulls && f.nulls && name != "v" && rng.IntN(10) == 0 {
				cell = nil
			}
			rows[i] = append(rows[i], cell)
		}
	}
	return arrowtest.Table(t, mem, columns, rows)
}

// microCell makes a value of a number for a type.
func microCell(typ string, n int) any {
	switch typ {
	case "bool":
		return n%2 == 0
	case "int8":
		return n % 128
	case "uint64":
		return uint64(math.MaxUint64) - uint64(n)*uint64(n)
	case "float32", "float64":
		return float64(n) / 4
	case "string", "large_string", "dict<int32,string>", "dict<int8,string>":
		return fmt.Sprintf("some text of number %06d", n)
	case "binary":
		return arrowtest.Bytes(fmt.Sprint(n))
	case "decimal(9,2)":
		return fmt.Sprintf("%d.25", n)
	case "struct<a:int32,b:string>":
		return map[string]any{"a": n, "b": "text"}
	}
	return n
}

// held brings rows that were written to the columns of the target.
func (f microFeed) held(t *testing.T, taken arrow.Record, schema *arrow.Schema) arrow.Record {
	t.Helper()
	cols := make([]arrow.Array, schema.NumFields())
	for i, c := range schema.Fields() {
		arr, unfit, err := recast.Array(heap, taken.Column(taken.Schema().FieldIndices(c.Name)[0]), c.Type)
		if err != nil || len(unfit) > 0 {
			t.Fatal(err, unfit)
		}
		cols[i] = arr
	}
	rec := array.NewRecord(schema, cols, taken.NumRows())
	t.Cleanup(func() {
		rec.Release()
		for _, c := range cols {
			c.Release()
		}
	})
	return rec
}

func TestGuardDirect(t *testing.T) {
	for name, f := range microFeeds() {
		t.Run(name, func(t *testing.T) { f.run(t, 0.9) })
	}
}

// TestGuardDirectUnderOneHash: with one word for all keys, what is left to Latest is everything that isn't compared by cells.
func TestGuardDirectUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	feeds := microFeeds()
	for _, name := range []string{"key string", "key of two columns", "op, ties", "NULL keys", "other key type"} {
		t.Run(name, func(t *testing.T) { feeds[name].run(t, 0) })
	}
}

func (f microFeed) run(t *testing.T, least float64) {
	ctx, mem, rng := context.Background(), arrowtest.Allocator(t), rand.New(rand.NewPCG(uint64(len(f.batches[0])), 5))
	var keys []string
	for _, c := range f.batches {
		if c[0] == 'k' {
			name, _, _ := strings.Cut(c, ":")
			keys = append(keys, name)
		}
	}
	target := f.table(t, mem, rng, f.target, 100, 1, true)
	g, err := NewGuard(ctx, target, keys, f.orders, f.opts)
	if err != nil {
		t.Fatal(err)
	}
	decided, rows := 0, 0
	for round := range 8 {
		size, nulls := cmp.Or(f.rows, 200), round%3 == 2
		batches := append(f.table(t, mem, rng, f.batches, size, round+1, nulls), f.table(t, mem, rng, f.batches, 50, round+1, nulls)...)
		opts := f.opts
		opts.Against = target
		want, err := Latest(ctx, batches, keys, f.orders, opts)
		if err != nil {
			t.Fatal(err)
		}
		m, err := g.meet(ctx, batches)
		if err != nil {
			t.Fatal(err)
		}
		if rows += size + 50; m.plan != nil {
			decided += size + 50
		} else if m.settled != nil {
			decided += m.settled.rows.Count()
		}
		got, err := g.Latest(ctx, batches)
		if err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(planLists(want), planLists(got)); d != "" {
			t.Fatalf("round %d (-want +got):\n%s", round, d)
		}
		taken, err := want.Take(ctx, mem)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Advance(ctx, got); err != nil {
			t.Fatal(err)
		}
		target = append(target, f.held(t, taken, target[0].Schema()))
		taken.Release()
	}
	switch share := float64(decided) / float64(rows); {
	case f.general && share > 0:
		t.Errorf("%v of the rows were decided directly", share)
	case !f.general && !f.ties && !f.nulls && share < least:
		t.Errorf("%v of the rows were decided directly", share)
	case (f.ties || f.nulls) && least > 0 && share == 0:
		t.Errorf("no row was decided directly")
	}
}

func planLists(p *Plan) any {
	return []any{fmt.Sprint(p.Rows, p.Deletes, p.SetAside, p.Stale, p.Ended), p.Report}
}

// TestGuardObjects: a call makes few objects, and no more for a guard of more keys.
func TestGuardObjects(t *testing.T) {
	var objects [2]float64
	f := microFeeds()["one order column"]
	for i, rows := range []int{100, 5000} {
		rng := rand.New(rand.NewPCG(1, 2))
		var target []arrow.Record
		for range rows / 100 {
			target = append(target, f.table(t, heap, rng, f.target, 100, 1, false)...)
		}
		g, err := NewGuard(t.Context(), target, []string{"k"}, f.orders, f.opts)
		if err != nil {
			t.Fatal(err)
		}
		batch := f.table(t, heap, rng, f.batches, 1000, 2, false)
		objects[i] = testing.AllocsPerRun(20, func() {
			if _, err := g.Latest(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		})
	}
	if objects[0] > 60 || objects[1] > objects[0]+2 {
		t.Errorf("%v objects", objects)
	}
}

// TestGuardProgress: what is decided directly is told as one stage.
func TestGuardProgress(t *testing.T) {
	mem, rng, f := arrowtest.Allocator(t), rand.New(rand.NewPCG(1, 2)), microFeeds()["one order column"]
	var told []string
	f.opts.Resources.Progress = func(done, total int64, stage onerow.Stage) {
		told = append(told, fmt.Sprint(done, "/", total, " ", stage))
	}
	g, err := NewGuard(t.Context(), f.table(t, mem, rng, f.target, 100, 1, false), []string{"k"}, f.orders, f.opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Latest(t.Context(), f.table(t, mem, rng, f.batches, 70, 1, false)); err != nil || len(told) == 0 {
		t.Error(err, told)
	}
	if last := told[len(told)-1]; last != fmt.Sprint(70, "/", 70, " ", onerow.StageGroup) {
		t.Error(told)
	}
}

// TestGuardWordsMeet: keys whose words are equal are told apart, in a batch and against those that are held.
func TestGuardWordsMeet(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for name, c := range map[string]struct {
		target, batch string
		a, b          any // other keys with one word
	}{
		"sign":            {"int64", "uint64", -1, uint64(math.MaxUint64)},
		"sign, the other": {"uint64", "int64", uint64(math.MaxUint64), -1},
		"seconds":         {"timestamp[s]", "timestamp[s]", 1, int64(1<<55 + 1)},
		"units":           {"timestamp[s]", "timestamp[ns]", int64(1 << 55), 0},
	} {
		table := func(typ string, rows ...[]any) []arrow.Record {
			return arrowtest.Table(t, mem, []string{"k:" + typ, "o:int8"}, rows)
		}
		g, err := NewGuard(t.Context(), table(c.target, []any{c.a, 5}), []string{"k"}, []onerow.Order{onerow.Desc("o")}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		batch := table(c.batch, []any{c.b, 3}, []any{c.b, 4})
		if c.target == c.batch {
			batch = append(batch, table(c.batch, []any{c.a, 6}, []any{c.a, 1})...)
		}
		m, err := g.meet(t.Context(), batch)
		if err != nil || m.plan != nil {
			t.Errorf("%s: decided by words: %v", name, err)
		}
		want := "[1] []"
		if c.target == c.batch {
			want = "[1 2] [3]"
		}
		if p, err := g.Latest(t.Context(), batch); err != nil || fmt.Sprint(p.Rows, p.Stale) != want {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	// Both keys are new.
	table := func(rows ...[]any) []arrow.Record {
		return arrowtest.Table(t, mem, []string{"k:timestamp[s]", "o:int8"}, rows)
	}
	g, err := NewGuard(t.Context(), table([]any{7, 5}), []string{"k"}, []onerow.Order{onerow.Desc("o")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := g.Latest(t.Context(), table([]any{1, 5}, []any{int64(1<<55 + 1), 4}, []any{1, 4})); err != nil || fmt.Sprint(p.Rows, p.Report.Superseded) != "[0 1] 1" {
		t.Errorf("new keys: %v, %v", p, err)
	}
}
