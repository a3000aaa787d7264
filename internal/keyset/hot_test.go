package keyset_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// handled is what became of rows of one key.
type handled struct {
	best   uint32   // the greatest row that went no further
	rows   []uint32 // rows that went no further
	passed []uint32 // rows that were refused
}

// blockOf is a block of keys, some of them NULL.
func blockOf[K keyset.Words](keys *keyset.Keys, of []K, null func(i int) bool) *keyset.Block[K] {
	b := keyset.NewBlock[K](keys)
	b.Keys, b.Null = of, make([]uint8, len(of))
	for i := range of {
		if null(i) {
			b.Null[i], b.AnyNull = 1, true
			b.NullRows++
		}
	}
	return b
}

// turnOn shows it rows of one key.
func turnOn[K keyset.Words](t *testing.T, h *keyset.Hot[K], keys *keyset.Keys) {
	t.Helper()
	for seen := 0; seen < keyset.HotTrial; seen += keyset.BlockRows {
		if h.On() {
			t.Fatal("on before it has seen what makes it pay")
		}
		h.Look(blockOf(keys, make([]K, keyset.BlockRows), func(int) bool { return false }))
	}
	if !h.On() {
		t.Fatal("off, for many rows of one key")
	}
}

// TestHotLook: keys at hand are for those that come again among the first rows, NULL left out.
func TestHotLook(t *testing.T) {
	keys := exactKeys(t, 1)
	for _, c := range []struct {
		name string
		key  func(i int) uint64
		null func(i int) bool
		on   bool
	}{
		{"all differ", func(i int) uint64 { return uint64(i) }, func(int) bool { return false }, false},
		{"some come again", func(i int) uint64 { return uint64(i % (keyset.HotTrial * 3 / 4)) }, func(int) bool { return false }, true},
		{"few come again", func(i int) uint64 { return uint64(i % (keyset.HotTrial * 19 / 20)) }, func(int) bool { return false }, false},
		{"those that come again are NULL", func(i int) uint64 { return uint64(i % 2 * i) }, func(i int) bool { return i%2 == 0 }, false},
	} {
		h := keyset.HotCount[[1]uint64](keys, 1<<20, 3)
		seen := 0
		for row := 0; seen < keyset.HotTrial; row += keyset.BlockRows {
			of := make([][1]uint64, keyset.BlockRows)
			for i := range of {
				of[i] = keyset.Scramble([1]uint64{c.key(row + i)})
			}
			b := blockOf(keys, of, func(i int) bool { return c.null(row + i) })
			seen += len(of) - b.NullRows
			h.Look(b)
		}
		if h.On() != c.on {
			t.Errorf("%s: on is %v", c.name, h.On())
		}
		h.Drain(func(entry[[1]uint64]) { t.Errorf("%s: a key is at hand", c.name) })
		for range 2 * keyset.HotTrial / keyset.BlockRows {
			h.Look(blockOf(keys, make([][1]uint64, keyset.BlockRows), func(int) bool { return false }))
		}
		if h.On() {
			t.Errorf("%s: on again", c.name)
		}
	}
}

// checkHot merges blocks of rows, and compares what is merged, refused and drained with a map.
func checkHot[K keyset.Words](t *testing.T, keys *keyset.Keys, values uint64, nulls, count bool) {
	const blocks, samples = 60, 3
	rnd := rand.New(rand.NewPCG(values, 8))
	// Rows are ranked by their words, few of them, then by seconds; some rows are equal in both.
	words, seconds := make([]uint32, blocks*keyset.BlockRows), make([]uint32, blocks*keyset.BlockRows)
	for i := range words {
		words[i], seconds[i] = []uint32{0, 1, 2, ^uint32(0)}[rnd.IntN(4)], rnd.Uint32N(3)
	}
	compare := func(a, b uint32) int {
		return cmp.Or(cmp.Compare(words[a], words[b]), cmp.Compare(seconds[a], seconds[b]))
	}
	h := keyset.HotGreatest[K](keys, uint32(len(words)))
	if count {
		h = keyset.HotCount[K](keys, uint32(len(words)), samples)
	}
	turnOn(t, h, keys)
	var zero K
	all := map[K]*handled{}
	for b := range blocks {
		row := uint32(b * keyset.BlockRows)
		of := make([]K, keyset.BlockRows-b)
		for i := range of {
			var k K
			k[len(k)-1] = rnd.Uint64N(values)
			if of[i] = keyset.Scramble(k); k[len(k)-1] == 0 {
				of[i] = zero // as free slots might have
			}
		}
		block := blockOf(keys, of, func(i int) bool { return nulls && i%7 == 3 })
		var refused []uint16
		if count {
			refused = h.Count(block, row)
		} else {
			refused = h.Greatest(block, words[row:][:len(of)], row, compare)
		}
		passed := map[uint16]bool{}
		for _, i := range refused {
			passed[i] = true
		}
		for i, k := range of {
			r, on := row+uint32(i), all[k]
			if block.Null[i] != 0 {
				if passed[uint16(i)] {
					t.Fatalf("row %d is NULL, and refused", r)
				}
				continue
			}
			if on == nil {
				on = &handled{}
				all[k] = on
			}
			if passed[uint16(i)] {
				on.passed = append(on.passed, r)
				continue
			}
			if on.rows = append(on.rows, r); len(on.rows) == 1 || compare(r, on.best) > 0 {
				on.best = r
			}
		}
	}
	drained := 0
	h.Drain(func(e entry[K]) {
		drained++
		on := all[e.Key]
		if count {
			if int(e.Payload) != len(on.rows) || e.Row() != on.rows[0] {
				t.Fatalf("%d rows from %d on are drained, want %d from %d on", e.Payload, e.Row(), len(on.rows), on.rows[0])
			}
			if got, want := h.FirstRows(e.Key, e.Row1), on.rows[:min(samples, len(on.rows))]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("the first rows are %v, want %v", got, want)
			}
			return
		}
		if compare(e.Row(), on.best) != 0 || e.Payload != words[e.Row()] {
			t.Fatalf("row %d is drained with word %d, want row %d", e.Row(), e.Payload, on.best)
		}
		// What was equal to the greatest went on: of the rows that didn't, one is as great.
		equal := 0
		for _, r := range on.rows {
			if compare(r, on.best) == 0 {
				equal++
			}
		}
		if equal != 1 {
			t.Fatalf("%d rows are as great as the greatest, and went no further", equal)
		}
	})
	merged := 0
	for _, on := range all {
		if len(on.rows) > 0 {
			merged++
		}
		if count && len(on.rows) > 0 && len(on.passed) > 0 {
			t.Error("rows of one key are counted and refused")
		}
	}
	if drained != merged || h.On() {
		t.Errorf("%d keys are drained, of %d", drained, merged)
	}
	h.Drain(func(e entry[K]) { t.Errorf("%+v is drained again", e) })
	if few := values <= 5; few && !form.IsConstantHash() && merged != int(values) {
		t.Errorf("%d of %d keys are at hand", merged, values)
	}
}

func TestHot(t *testing.T) {
	for _, hash := range []string{"", "one hash, "} {
		for _, values := range []uint64{1, 5, 700, 1 << 20} {
			for _, nulls := range []bool{false, true} {
				for _, count := range []bool{false, true} {
					t.Run(fmt.Sprintf("%svalues=%d,nulls=%v,count=%v", hash, values, nulls, count), func(t *testing.T) {
						form.ConstantHash(hash != "")
						defer form.ConstantHash(false)
						checkHot[[1]uint64](t, exactKeys(t, 1), values, nulls, count)
						checkHot[[2]uint64](t, exactKeys(t, 2), values, nulls, count)
					})
				}
			}
		}
	}
	if keyset.HotGreatest[[1]uint64](exactKeys(t, 1), 100).On() {
		t.Error("on for a hundred rows")
	}
}

// TestHotPays: it pays while most rows are merged, or some while there is room for more keys.
func TestHotPays(t *testing.T) {
	for _, test := range []struct {
		name   string
		values uint64
		pays   bool
	}{{"few keys", 1000, true}, {"more, and room", 20_000, true}, {"too many", 1 << 30, false}} {
		rnd := rand.New(rand.NewPCG(test.values, 1))
		h := keyset.HotCount[[1]uint64](exactKeys(t, 1), 1<<20, 0)
		paid := true
		for b := range uint32(100) {
			of := make([][1]uint64, keyset.BlockRows)
			for i := range of {
				of[i] = keyset.Scramble([1]uint64{rnd.Uint64N(test.values)})
			}
			h.Count(blockOf(exactKeys(t, 1), of, func(int) bool { return false }), b*keyset.BlockRows)
			paid = paid && h.Pays()
		}
		if paid != test.pays {
			t.Errorf("%s: pays %v", test.name, paid)
		}
	}
}
