package keyset_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/keyset"
)

type entry[K keyset.Words] = keyset.Entry[K, uint32]

func entryOf[K keyset.Words](key K, payload, row uint32) entry[K] {
	return entry[K]{Key: key, Payload: payload, Row1: row + 1}
}

// dealt is what was put into parts, by partition.
type dealt[K keyset.Words] struct {
	parts *keyset.Parts[K, uint32]
	bits  int
	want  [][]entry[K]
}

func newDealt[K keyset.Words](bits int) *dealt[K] {
	return &dealt[K]{parts: keyset.NewParts[K, uint32](bits), bits: bits, want: make([][]entry[K], 1<<bits)}
}

func (d *dealt[K]) partOf(k K) int { return int(d.parts.Of(&k)) }

// keyOf returns a key with a first word; a second one is the row.
func keyOf[K keyset.Words](first uint64, row uint32) (k K) {
	k[len(k)-1] = uint64(row)
	k[0] = first
	return k
}

// addBlock puts rows in, those with skip left out.
func (d *dealt[K]) addBlock(first []uint64, skip []uint8, row uint32) {
	var keys []K
	var payload []uint32
	for i, w := range first {
		r, k := row+uint32(i), keyOf[K](w, row+uint32(i))
		keys, payload = append(keys, k), append(payload, r*3)
		if skip == nil || skip[i] == 0 {
			p := d.partOf(k)
			d.want[p] = append(d.want[p], entryOf(k, r*3, r))
		}
	}
	d.parts.AddBlock(keys, payload, skip, row)
}

func (d *dealt[K]) add(first uint64, row uint32) {
	e := entryOf(keyOf[K](first, row), row*5, row)
	p := d.partOf(e.Key)
	d.want[p] = append(d.want[p], e)
	d.parts.Add(e)
}

// check compares each partition with what was put in; the order within one doesn't matter.
func (d *dealt[K]) check(t *testing.T) {
	t.Helper()
	if d.parts.Len() != 1<<d.bits {
		t.Fatalf("%d partitions, want %d", d.parts.Len(), 1<<d.bits)
	}
	for p, want := range d.want {
		got := map[entry[K]]int{}
		for _, e := range want {
			got[e]--
		}
		d.parts.Chunks(p, func(c []entry[K]) {
			for _, e := range c {
				got[e]++
			}
		})
		if d.parts.Rows(p) != len(want) {
			t.Fatalf("partition %d has %d rows, want %d", p, d.parts.Rows(p), len(want))
		}
		for e, n := range got {
			if n != 0 {
				t.Fatalf("partition %d: %+v comes %d times too often", p, e, n)
			}
		}
	}
}

// TestParts deals out entries one by one and in blocks: each comes out once, in its partition.
func TestParts(t *testing.T) {
	for _, bits := range []int{0, 1, 3, 9} {
		// From nothing to more than a pooled slab holds (1 MiB, some forty thousand entries).
		for _, rows := range []int{0, 1, 700, 100_000} {
			t.Run(fmt.Sprintf("%d bits/%d rows", bits, rows), func(t *testing.T) {
				partsOf[[1]uint64](t, bits, rows)
				partsOf[[2]uint64](t, bits, rows)
			})
		}
	}
}

func partsOf[K keyset.Words](t *testing.T, bits, rows int) {
	rnd := rand.New(rand.NewPCG(uint64(bits), uint64(rows)))
	d := newDealt[K](bits)
	defer d.parts.Release()
	d.check(t)
	for row := 0; row < rows; {
		n := min(1+rnd.IntN(keyset.BlockRows), rows-row)
		hash, skip := make([]uint64, n), make([]uint8, n)
		for i := range hash {
			hash[i] = rnd.Uint64()
			if rnd.IntN(4) == 0 { // one partition gets many
				hash[i] >>= 12
			}
			skip[i] = uint8(rnd.IntN(8) / 7)
		}
		switch rnd.IntN(3) {
		case 0:
			d.addBlock(hash, nil, uint32(row))
		case 1:
			d.addBlock(hash, skip, uint32(row))
		default:
			for i, h := range hash {
				d.add(h, uint32(row+i))
			}
		}
		row += n
	}
	d.check(t)
}

// TestPartsReuse fills parts whose memory others have used and given back, while yet others are alive.
func TestPartsReuse(t *testing.T) {
	alive := newDealt[[2]uint64](4)
	defer alive.parts.Release()
	for round := range uint32(6) {
		d := newDealt[[1]uint64](int(round))
		for row := range uint32(70_000) {
			h := uint64(row) * 0x9e3779b97f4a7c15
			d.add(h, row)
			if row%4 == 0 {
				alive.add(h, round<<20|row)
			}
		}
		d.check(t)
		d.parts.Release()
	}
	alive.check(t)
}

// TestPartBits grows with the rows, up to a bound.
func TestPartBits(t *testing.T) {
	last := 0
	for _, rows := range []int64{0, 1, 1000, 1 << 16, 1 << 20, 1 << 24, 1 << 32} {
		b := keyset.PartBits(rows)
		if b < last || b > 16 || rows <= 1000 && b != 0 {
			t.Errorf("PartBits(%d) = %d, after %d", rows, b, last)
		}
		last = b
	}
	if last == 0 {
		t.Error("billions of rows are one partition")
	}
}

// TestPartsKeepApart: chunks don't overlap, also of entries whose length is no number of whole words, as it isn't on 32 bits.
func TestPartsKeepApart(t *testing.T) {
	type extent struct{ from, last [2]uint32 }
	parts := keyset.NewParts[[1]uint64, extent](3)
	defer parts.Release()
	payload := func(w uint64) extent { return extent{[2]uint32{uint32(w), 1}, [2]uint32{2, ^uint32(w)}} }
	const rows = 5 * 8 * keyset.ChunkRows
	for row := range uint32(rows) {
		w := uint64(row)<<61 | uint64(row)
		parts.Add(keyset.Entry[[1]uint64, extent]{Key: [1]uint64{w}, Row1: row + 1, Payload: payload(w)})
	}
	seen := 0
	for p := range parts.Len() {
		parts.Chunks(p, func(es []keyset.Entry[[1]uint64, extent]) {
			for _, e := range es {
				if w := uint64(e.Row())<<61 | uint64(e.Row()); e.Key[0] != w || e.Payload != payload(w) {
					t.Fatalf("row %d has key %x and %v", e.Row(), e.Key[0], e.Payload)
				}
				seen++
			}
		})
	}
	if seen != rows {
		t.Errorf("%d rows of %d", seen, rows)
	}
}

// TestWhole: chunks come whole, and have the entries that Chunks gives, in their order.
func TestWhole(t *testing.T) {
	parts := keyset.NewParts[[1]uint64, uint64](1)
	defer parts.Release()
	n := 3*keyset.ChunkRows + 7
	for i := range n {
		parts.Add(keyset.Entry[[1]uint64, uint64]{Key: [1]uint64{0}, Payload: uint64(i), Row1: uint32(i + 1)})
	}
	for part := range 2 {
		var whole, some []keyset.Entry[[1]uint64, uint64]
		lengths := map[int]int{}
		parts.Whole(part, func(chunk []keyset.Entry[[1]uint64, uint64]) {
			lengths[len(chunk)]++
			whole = append(whole, chunk...)
			keyset.Fetch(chunk)
		})
		parts.Chunks(part, func(chunk []keyset.Entry[[1]uint64, uint64]) { some = append(some, chunk...) })
		if !slices.Equal(whole, some) || len(whole) != n*(1-part) {
			t.Errorf("partition %d has %d entries by whole chunks, %d else", part, len(whole), len(some))
		}
		if want := map[int]int{keyset.ChunkRows: 3, 7: 1}; part == 0 && !maps.Equal(lengths, want) {
			t.Errorf("chunks of %v entries, want %v", lengths, want)
		}
	}
	keyset.Fetch([]uint64(nil))
}
