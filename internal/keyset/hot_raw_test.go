package keyset_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// rawTable is rows of a key and two orders, of which the first is given as a word that may be flipped.
type rawTable struct {
	keys, orders []uint64
	flip         uint64
	seconds      []uint32
	distinct     bool // no two rows are equal in order
}

func makeRaw(rnd *rand.Rand, rows int, values uint64, how string) (r rawTable) {
	r = rawTable{make([]uint64, rows), make([]uint64, rows), []uint64{0, 1 << 63, ^uint64(0), 1<<63 - 1}[rnd.IntN(4)], make([]uint32, rows),
		how == "random" || how == "descending"}
	for i := range rows {
		r.keys[i] = rnd.Uint64N(values) * 0x9e3779b97f4a7c15
		var rank uint64
		switch how {
		case "few":
			rank = []uint64{0, 1, 2, ^uint64(0)}[rnd.IntN(4)]
		case "rare":
			if rnd.IntN(100) == 0 {
				rank = 7
			}
		case "random":
			rank = rnd.Uint64()
		case "ascending":
			rank = uint64(i / 2)
		case "descending":
			rank = uint64(rows - i)
		case "late": // some keys come late, now and then, and their ranks are less than all before
			rank = 1<<40 + rnd.Uint64N(1<<40)
			if late := i > rows/2 && rnd.IntN(64) == 0; late || values == 1 {
				rank = 1 + rnd.Uint64N(1000)
			} else {
				r.keys[i] = ^rnd.Uint64N(min(values, 100)) * 0x9e3779b97f4a7c15
			}
		}
		r.orders[i], r.seconds[i] = rank^r.flip, rnd.Uint32N(3)
	}
	return r
}

func (r *rawTable) compare(a, b uint32) int {
	return cmp.Or(cmp.Compare(r.orders[a]^r.flip, r.orders[b]^r.flip), cmp.Compare(r.seconds[a], r.seconds[b]))
}

// checkRaw merges blocks of rows by several workers, and checks what comes of each key: either its greatest row is found, and none is as great, or
// the rows that are as great as that are dealt out.
func checkRaw(t *testing.T, r *rawTable, workers int, together bool) {
	hot, out := make([]*keyset.HotRaw, workers), map[uint64][]uint32{}
	for w := range hot {
		hot[w] = keyset.NewHotRaw(uint32(len(r.keys)))
	}
	for lo, w := 0, 0; lo < len(r.keys); w = (w + 1) % workers {
		hi := min(lo+keyset.BlockRows-w, len(r.keys))
		for _, i := range hot[w].Greatest(r.keys[lo:hi], r.orders[lo:hi], r.flip, uint32(lo), r.compare) {
			out[r.keys[lo+int(i)]] = append(out[r.keys[lo+int(i)]], uint32(lo)+uint32(i))
		}
		hot[w].Pays() // and grows
		lo = hi
	}
	deal := func(_ int, rows []keyset.RawRow) {
		for _, d := range rows {
			if d.Key != r.keys[d.Row] || d.Rank != r.orders[d.Row]^r.flip {
				t.Errorf("row %d is drained with key %d and rank %d", d.Row, d.Key, d.Rank)
			}
			out[d.Key] = append(out[d.Key], d.Row)
		}
	}
	found := map[uint64]uint32{}
	if together {
		if err := keyset.DrainRaw(context.Background(), hot, r.compare, deal, func(_ int, rows []uint32) {
			for _, row := range rows {
				if _, ok := found[r.keys[row]]; ok || len(out[r.keys[row]]) > 0 {
					t.Errorf("row %d is found, and not alone", row)
				}
				found[r.keys[row]] = row
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range hot {
		h.Drain(func(rows []keyset.RawRow) { deal(0, rows) })
		if h.On() {
			t.Error("on after it was drained")
		}
	}
	rows := map[uint64][]uint32{}
	for i, k := range r.keys {
		switch best := rows[k]; {
		case len(best) == 0 || r.compare(uint32(i), best[0]) > 0:
			rows[k] = []uint32{uint32(i)}
		case r.compare(uint32(i), best[0]) == 0:
			rows[k] = append(best, uint32(i))
		}
	}
	for k, best := range rows {
		if row, ok := found[k]; ok {
			if len(best) > 1 || row != best[0] || len(out[k]) > 0 {
				t.Fatalf("row %d is found, one of %d; %d are dealt out", row, len(best), len(out[k]))
			}
			continue
		}
		equal := map[uint32]bool{}
		for _, row := range out[k] {
			if r.compare(row, best[0]) == 0 {
				equal[row] = true
			}
		}
		if len(equal) != len(best) {
			t.Fatalf("of %d greatest rows from %d on %d are dealt out", len(best), best[0], len(equal))
		}
	}
	if together && len(r.keys) > 20*len(rows) && r.distinct && keyset.RawSlots > 64 && !form.IsConstantHash() && len(found) == 0 {
		t.Errorf("none of %d keys is found", len(rows))
	}
}

func TestHotRaw(t *testing.T) {
	trial, slots, near := keyset.HotTrial, keyset.RawSlots, keyset.RawNear
	defer func() { keyset.HotTrial, keyset.RawSlots, keyset.RawNear = trial, slots, near }()
	for _, how := range []string{"few", "rare", "random", "ascending", "descending", "constant", "late"} {
		for _, values := range []uint64{1, 5, 700, 20_000, 1 << 20} {
			for seed := range uint64(6) {
				t.Run(fmt.Sprintf("%s,values=%d,%d", how, values, seed), func(t *testing.T) {
					rnd := rand.New(rand.NewPCG(values, seed))
					keyset.HotTrial, keyset.RawNear = []int{0, 1 << 11}[rnd.IntN(2)], []int{0, 100, near}[seed%3]
					keyset.RawSlots = []int{8, 64, slots}[rnd.IntN(3)]
					form.ConstantHash(seed == 5)
					defer form.ConstantHash(false)
					r := makeRaw(rnd, 5000+rnd.IntN(20_000), values, how)
					for workers := range 3 {
						checkRaw(t, &r, workers+1, rnd.IntN(4) > 0)
					}
				})
			}
		}
	}
	keyset.HotTrial = trial
	if keyset.NewHotRaw(100).On() {
		t.Error("on for a hundred rows")
	}
}

// TestHotRawPays: it pays while most rows are merged, or some while there is room for more keys.
func TestHotRawPays(t *testing.T) {
	for _, test := range []struct {
		name   string
		values uint64
		pays   bool
	}{{"few keys", 1000, true}, {"more, and room", 20_000, true}, {"too many", 1 << 30, false}} {
		rnd := rand.New(rand.NewPCG(test.values, 1))
		r := makeRaw(rnd, 100*keyset.BlockRows, test.values, "random")
		h, paid := keyset.NewHotRaw(1<<22), true
		for lo := 0; lo < len(r.keys); lo += keyset.BlockRows {
			h.Greatest(r.keys[lo:][:keyset.BlockRows], r.orders[lo:][:keyset.BlockRows], r.flip, uint32(lo), r.compare)
			paid = paid && h.Pays()
		}
		if paid != test.pays {
			t.Errorf("%s: pays %v", test.name, paid)
		}
	}
}
