package keyset_test

import (
	"math/rand/v2"
	"testing"

	"github.com/onerow-go/onerow/internal/keyset"
)

// TestHot merges rows of keys at hand: what is merged and what is refused are all rows, and entries come out once.
func TestHot(t *testing.T) {
	keys := exactKeys(t, 1)
	for _, values := range []uint64{1, 50, 100_000} {
		const rows = 60_000
		rnd := rand.New(rand.NewPCG(values, 8))
		h := keyset.NewHot[[1]uint64, uint32](keys, rows)
		if !h.On() {
			t.Fatal("off from the start, for many rows")
		}
		merged, refused := map[uint64]uint32{}, map[uint64]uint32{}
		for row := range uint32(rows) {
			key := [1]uint64{rnd.Uint64N(values)}
			e := entryOf(key, 1, row)
			_, known := merged[key[0]]
			s, fresh := h.Place(&e)
			switch {
			case s == nil:
				if fresh || known {
					t.Fatalf("row %d is refused: fresh %v, its key is at hand: %v", row, fresh, known)
				}
				refused[key[0]]++
				continue
			case fresh == known || s.Key != key || s.Payload != merged[key[0]]+1 && !known:
				t.Fatalf("row %d: %+v, fresh %v, at hand %v", row, s, fresh, known)
			case !fresh:
				s.Payload++
			}
			merged[key[0]]++
		}
		for key := range refused {
			if merged[key] > 0 {
				t.Fatalf("rows of the key %d are merged and refused", key)
			}
		}
		if values <= 50 && len(refused) > 0 || values > 50 && (len(refused) == 0 || len(merged) > 1<<14) {
			t.Errorf("of %d keys %d are at hand, %d are not", values, len(merged), len(refused))
		}
		entries := 0
		h.Drain(func(e *entry[[1]uint64]) {
			if entries++; e.Payload != merged[e.Key[0]] {
				t.Errorf("the key %d has %d rows, want %d", e.Key[0], e.Payload, merged[e.Key[0]])
			}
		})
		if entries != len(merged) || h.On() {
			t.Errorf("%d entries come out of %d, on %v", entries, len(merged), h.On())
		}
		h.Drain(func(e *entry[[1]uint64]) { t.Errorf("%+v comes out again", e) })
		for key, n := range merged {
			if e := entryOf([1]uint64{key}, 0, 0); h.Find(&e) == nil || h.Find(&e).Payload != n {
				t.Errorf("the key %d isn't found any more", key)
			}
		}
	}
	if keyset.NewHot[[1]uint64, uint32](keys, 100).On() {
		t.Error("on for a hundred rows")
	}
}

// TestHotJudge: it pays while most rows are merged, or while there is room for more keys.
func TestHotJudge(t *testing.T) {
	full := func() *keyset.Hot[[1]uint64, uint32] {
		h := keyset.NewHot[[1]uint64, uint32](exactKeys(t, 1), 1<<20)
		for row := range uint32(1 << 14) {
			e := entryOf([1]uint64{uint64(row)}, 1, row)
			h.Place(&e)
		}
		return h
	}
	for _, test := range []struct {
		name   string
		hot    *keyset.Hot[[1]uint64, uint32]
		merged int // of a hundred rows
		pays   bool
	}{
		{"most rows", full(), 90, true},
		{"few rows", full(), 10, false},
		{"few rows, and room", keyset.NewHot[[1]uint64, uint32](exactKeys(t, 1), 1<<20), 10, true},
	} {
		paid := true
		for range 1000 {
			paid = paid && test.hot.Judge(100, test.merged)
		}
		if paid != test.pays {
			t.Errorf("%s: pays %v", test.name, paid)
		}
	}
}
