package keyset

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSum compares sums with those of a Go map, for keys of which the words decide and for others.
func TestSum(t *testing.T) {
	for _, exact := range []bool{true, false} {
		rapid.Check(t, func(t *rapid.T) {
			table := &Table[[1]uint64, uint32]{exact: exact, long: 1 << 8, left: make([]uint8, ChunkRows), same: func(uint32, uint32) bool { return true }}
			table.make(8)
			if rapid.Bool().Draw(t, "one hash") {
				table.starts = 0
			}
			type sum struct{ rows, first uint32 }
			want := map[uint64]sum{}
			for range rapid.IntRange(1, 4).Draw(t, "chunks") {
				var chunk []Entry[[1]uint64, uint32]
				for range rapid.IntRange(0, 60).Draw(t, "entries") {
					e := Entry[[1]uint64, uint32]{Key: [1]uint64{rapid.Uint64Range(0, 40).Draw(t, "key")}, Payload: rapid.Uint32Range(1, 3).Draw(t, "rows"),
						Row1: rapid.Uint32Range(1, 1000).Draw(t, "row")}
					chunk = append(chunk, e)
					w, ok := want[e.Key[0]]
					if w.rows += e.Payload; !ok || e.Row1 < w.first {
						w.first = e.Row1
					}
					want[e.Key[0]] = w
				}
				Sum(table, chunk)
			}
			if table.Len() != len(want) {
				t.Fatalf("%d keys, want %d", table.Len(), len(want))
			}
			for _, s := range table.Slots() {
				if w := want[s.Key[0]]; s.Row1 != 0 && (s.Payload != w.rows || s.Row1 != w.first) {
					t.Fatalf("key %d has %d rows from %d, want %+v", s.Key[0], s.Payload, s.Row1, w)
				}
			}
		})
	}
}
