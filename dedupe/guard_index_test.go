package dedupe

import (
	"context"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
)

// TestGuardIndex compares an index with a Go map, with few tags, so that keys lie in each other's way.
func TestGuardIndex(t *testing.T) {
	for _, tags := range []uint32{1, 7, 1 << 31} {
		rnd := rand.New(rand.NewPCG(uint64(tags), 0))
		x, want := newGuardIndex(), map[uint32]uint32{} // tag by place
		for range 5000 {
			place := rnd.Uint32N(300)
			tag, known := want[place]
			if !known {
				tag = rnd.Uint32N(tags) * (^uint32(0) / tags)
				x.reserve(1)
				x.put(x.find(tag, func(p uint32) bool { return p == place }), tag, place)
				want[place] = tag
			} else if rnd.IntN(2) == 0 {
				if !x.forget(tag, place) || x.forget(tag, place) {
					t.Fatalf("place %d isn't forgotten once", place)
				}
				delete(want, place)
			}
			if x.n != len(want) {
				t.Fatalf("%d keys, of %d", x.n, len(want))
			}
		}
		for place, tag := range want {
			if s := x.find(tag, func(p uint32) bool { return p == place }); s.place1 != place+1 {
				t.Fatalf("place %d isn't found", place)
			}
		}
	}
}

// TestGuardTidy: however batches come, there are few chunks, no more dead rows than live ones, and a slot for each live row.
func TestGuardTidy(t *testing.T) {
	ctx := context.Background()
	for name, key := range map[string]func(i int) int64{
		"new keys":  func(i int) int64 { return int64(i) },
		"same keys": func(i int) int64 { return int64(i % 50) },
		"some of each": func(i int) int64 {
			if i%2 == 0 {
				return int64(i)
			}
			return int64(i % 1001)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := NewGuard(ctx, nil, []string{"k"}, []onerow.Order{onerow.Desc("seq")}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			last := map[int64]int64{}
			for batch := range 300 {
				k, seq := array.NewInt64Builder(heap), array.NewInt64Builder(heap)
				for i := range 40 {
					n := batch*40 + i
					k.Append(key(n))
					seq.Append(int64(n))
					last[key(n)] = int64(n)
				}
				rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "seq", Type: arrow.PrimitiveTypes.Int64}}, nil),
					[]arrow.Array{k.NewArray(), seq.NewArray()}, 40)
				p, err := g.Latest(ctx, []arrow.Record{rec})
				if err != nil {
					t.Fatal(err)
				}
				if err := g.Advance(ctx, p); err != nil {
					t.Fatal(err)
				}
				checkHeld(t, g, last)
			}
		})
	}
}

func checkHeld(t *testing.T, g *Guard, last map[int64]int64) {
	t.Helper()
	live, rows, chunks := 0, 0, 0
	got := map[int64]int64{}
	tagger := guardTagger{seed: g.seed}
	for number, c := range g.held.chunks {
		if c == nil {
			continue
		}
		chunks, live, rows = chunks+1, live+c.live, rows+int(c.rec.NumRows())
		for i := range uint32(c.rec.NumRows()) {
			if c.dead.Has(i) {
				continue
			}
			place := uint32(number)<<rowBits | i
			tag, _ := tagger.tag(c.keys, int(i))
			if g.held.find(tag, c.keys, int(i)).place1 != place+1 {
				t.Fatalf("place %d has no slot", place)
			}
			got[c.rec.Column(0).(*array.Int64).Value(int(i))] = c.rec.Column(1).(*array.Int64).Value(int(i))
		}
	}
	if !maps.Equal(got, last) || live != len(last) || g.Len() != len(last) {
		t.Fatalf("%d live rows, %d keys, of %d", live, g.Len(), len(last))
	}
	if chunks > 14 || rows > 2*live {
		t.Fatalf("%d chunks, %d rows, of these %d live", chunks, rows, live)
	}
}

// TestGuardTidyFails: what can't be laid together stays as it is.
func TestGuardTidyFails(t *testing.T) {
	var h held
	k := array.NewInt64Builder(heap)
	k.AppendValues([]int64{1, 2}, nil)
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{k.NewArray()}, 2)
	h.keyAt = []int{0}
	for number := range uint32(2) {
		c, err := h.chunk(rec)
		if err != nil {
			t.Fatal(err)
		}
		h.set(number, c)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	before := slices.Clone(h.chunks)
	if h.tidy(over, maphash.MakeSeed()); !slices.Equal(h.chunks, before) {
		t.Error("chunks changed after the context was over")
	}
}
