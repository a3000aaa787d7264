package dedupe

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/order"
)

// TestGuardIndex compares an index with a Go map, with few tags, so that keys lie in each other's way.
func TestGuardIndex(t *testing.T) {
	for _, tags := range []uint64{1, 7, 1 << 63} {
		rnd := rand.New(rand.NewPCG(tags, 0))
		x, want := newGuardIndex(), map[uint32]uint64{} // tag by place
		for range 5000 {
			place := rnd.Uint32N(300)
			tag, known := want[place]
			if !known {
				tag = rnd.Uint64N(tags) * (^uint64(0) / tags)
				x.reserve(1)
				x.put(x.find(tag, func(p uint32) bool { return p == place }), tag, 0, place)
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
		var words []uint64
		for place, tag := range want {
			s := x.find(tag, func(p uint32) bool { return p == place })
			if s.place1 != place+1 {
				t.Fatalf("place %d isn't found", place)
			}
			s.rank = uint32(tag>>40) + 1
			words = append(words, tag, tag+1)
		}
		words = words[:min(len(words), wordBlock)]
		at, ranks := make([]uint32, len(words)), make([]uint32, len(words))
		x.seek(words, at, ranks)
		for i, w := range words {
			switch s := x.find(w, func(uint32) bool { return true }); {
			case s.place1 == 0 && at[i] != noSlot, s.place1 != 0 && (at[i] == noSlot || &x.slots[at[i]] != s || ranks[i] != uint32(w>>40)+1):
				t.Fatalf("word %x: slot %d", w, at[i])
			}
		}
		// A row's place moves, not its slot.
		for place, tag := range want {
			x.move([]uint64{tag}, []uint32{place}, place+1001)
			if s := x.find(tag, func(p uint32) bool { return p == place+1000 }); s.place1 != place+1001 {
				t.Fatalf("place %d didn't move", place)
			}
		}
	}
}

// TestGuardScale: ranks grow with ordinals, on each scale, and a rank that is moved to a wider scale is the one that the ordinal has there.
func TestGuardScale(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		by := order.By{Ascending: rnd.IntN(2) == 0, Nulls: order.Nulls(rnd.IntN(2))}
		s := newGuardScale(&by)
		draw := func() uint64 { return rnd.Uint64() >> rnd.IntN(64) }
		held := map[uint64]uint32{}
		for range 8 {
			w := draw()
			if !s.fits(w, w) {
				wide := s.widened(w, w)
				for o, r := range held {
					held[o] = s.moved(r, &wide)
				}
				if s.moved(s.null, &wide) != wide.null || s.moved(0, &wide) != 0 {
					t.Fatalf("%+v: NULL moved to %+v", s, wide)
				}
				s = wide
			}
			held[w] = s.rank(w)
		}
		for o, r := range held {
			if s.rank(o) != r || r == 0 || r == ^uint32(0) {
				t.Fatalf("%+v: %x has the rank %x, and had %x", s, o, s.rank(o), r)
			}
			other := draw()
			if a, b := s.rank(min(o, other)), s.rank(max(o, other)); a > b != by.Ascending && a != b {
				t.Fatalf("%+v: %x and %x have the ranks %x and %x", s, min(o, other), max(o, other), a, b)
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
			var word [1]uint64
			g.secret.reader(c.keys).read(int(i), word[:])
			if g.held.find(word[0], c.keys, int(i)).place1 != place+1 {
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
	if h.tidy(over, new(guardSecret)); !slices.Equal(h.chunks, before) {
		t.Error("chunks changed after the context was over")
	}
}
