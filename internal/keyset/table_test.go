package keyset_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// exactKeys are keys whose words decide, one or two.
func exactKeys(t *testing.T, columnsOfInt64 int) *keyset.Keys {
	all := make([]parts, columnsOfInt64)
	for i := range all {
		all[i] = parts{types: []string{"int64"}, cells: [][]any{{}}}
	}
	cols, _ := columns(t, arrowtest.Allocator(t), all...)
	return keyset.NewKeys(cols, false)
}

// mix64 and its inverse are the documented hash of an integer: the finaliser of splitmix64.
func mix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func unmix64(h uint64) uint64 {
	h = unshift(h, 31) * inverse(0x94d049bb133111eb)
	h = unshift(h, 27) * inverse(0xbf58476d1ce4e5b9)
	return unshift(h, 30) - 0x9e3779b97f4a7c15
}

// unshift is the inverse of x ^ x>>n.
func unshift(x uint64, n int) uint64 {
	y := x
	for range 64 / n {
		y = x ^ y>>n
	}
	return y
}

// inverse is the multiplicative inverse of an odd number modulo 2^64, by Newton.
func inverse(m uint64) uint64 {
	x := m
	for range 6 {
		x *= 2 - m*x
	}
	return x
}

func TestUnmix64(t *testing.T) {
	for _, x := range []uint64{0, 1, 7, 1 << 63, ^uint64(0)} {
		if got := unmix64(mix64(x)); got != x {
			t.Errorf("unmix64(mix64(%d)) = %d", x, got)
		}
	}
}

// at and hit look an entry's key up from where its search begins.
func at[K keyset.Words](t *keyset.Table[K, uint32], e *entry[K]) (*entry[K], bool) {
	return t.At(e, t.Start(&e.Key))
}

func hit[K keyset.Words](t *keyset.Table[K, uint32], e *entry[K]) *entry[K] {
	return t.Hit(e, t.Start(&e.Key))
}

// TestTable inserts and finds random keys, and compares with a Go map.
func TestTable(t *testing.T) { randomTables(t) }

// TestTableUnderOneHash does so while every hash is the same.
func TestTableUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	randomTables(t)
}

func randomTables(t *testing.T) {
	one, two := keyset.NewTable[[1]uint64, uint32](exactKeys(t, 1)), keyset.NewTable[[2]uint64, uint32](exactKeys(t, 2))
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		// The same two tables for keys of few and of many values: a reset table is as good as new.
		n, values := []int{10, 3000, 200, 20_000, 0, 129}[seed], []uint64{3, 4000, 1 << 62, 50_000, 1, 1000}[seed]
		if form.IsConstantHash() {
			n = min(n, 3000)
		}
		t.Run(fmt.Sprintf("one word/%d", n), func(t *testing.T) {
			sameAsMap(t, one, n, func() [1]uint64 { return [1]uint64{rnd.Uint64N(values)} })
		})
		t.Run(fmt.Sprintf("two words/%d", n), func(t *testing.T) {
			// Many pairs have one word in common, the first or the second.
			sameAsMap(t, two, n, func() [2]uint64 {
				k := [2]uint64{rnd.Uint64N(values), rnd.Uint64N(2)}
				if rnd.IntN(2) == 0 {
					k[0], k[1] = k[1], k[0]
				}
				return k
			})
		})
	}
}

// sameAsMap puts entries of n rows into the table, some one by one and some as a list whose starts are found together. A key's
// payload is the number of its rows.
func sameAsMap[K keyset.Words](t *testing.T, table *keyset.Table[K, uint32], n int, next func() K) {
	t.Helper()
	known := map[K]entry[K]{}
	table.Reset()
	for row := 0; row < n; {
		list := make([]entry[K], min(1+row*7%300, n-row))
		for i := range list {
			list[i] = entryOf(next(), 1, uint32(row+i))
		}
		starts := table.Starts(list)
		for i, e := range list {
			want, old := known[e.Key]
			if got := table.Find(&e); (got != nil) != old || old && *got != want {
				t.Fatalf("row %d: Find says %+v, want %+v, %v", row+i, got, want, old)
			}
			if got := table.Hit(&e, starts[i]); got != nil && *got != want {
				t.Fatalf("row %d: Hit says %+v, want %+v, %v", row+i, got, want, old)
			}
			var got *entry[K]
			var fresh bool
			if len(list)%2 == 0 {
				got, fresh = table.At(&e, starts[i])
			} else {
				got, fresh = at(table, &e)
			}
			if fresh == old {
				t.Fatalf("row %d: fresh %v of a key that is known: %v", row+i, fresh, old)
			}
			if old {
				got.Payload++
				want.Payload++
			} else {
				want = e
			}
			if *got != want {
				t.Fatalf("row %d: At says %+v, want %+v", row+i, got, want)
			}
			known[e.Key] = want
		}
		row += len(list)
	}
	if table.Len() != len(known) {
		t.Fatalf("%d keys, want %d", table.Len(), len(known))
	}
	table.All(func(e *entry[K]) {
		if want, ok := known[e.Key]; !ok || *e != want {
			t.Fatalf("All has %+v, want %+v, %v", e, want, ok)
		}
		start := []uint32{0}
		keyset.StartsIn(table, []keyset.Entry[K, [2]uint32]{{Key: e.Key, Row1: e.Row1}}, start)
		if got := table.FindAt(e, start[0]); got != e {
			t.Fatalf("FindAt the start that StartsIn says has %+v, want %+v", got, e)
		}
		delete(known, e.Key)
	})
	if len(known) > 0 {
		t.Errorf("All lacks %d keys", len(known))
	}
}

// TestCraftedKeys inserts integers whose stable hashes agree in the low half or in the top bits. In a table with room,
// most keys lie right where their search begins; if keys were placed by a hash that one can craft, each would lie behind all
// before it.
func TestCraftedKeys(t *testing.T) {
	placed(t, map[string]func(i uint64) uint64{
		"low half":       func(i uint64) uint64 { return unmix64(i<<32 | 7) },
		"top bits":       func(i uint64) uint64 { return unmix64(i<<20 | 7) },
		"low half, many": func(i uint64) uint64 { return unmix64(bits.Reverse64(i)&^0xffffffff | 7) },
	})
}

// TestRegularKeys inserts keys as tables have them, which lie in steps: they are placed as well as random ones. One secret in 20,000 makes the partitions of
// 30,000 large steps less even than placed wants (docs/design/0003), so these secrets are the same on every run.
func TestRegularKeys(t *testing.T) {
	placed(t, map[string]func(i uint64) uint64{
		"ascending":   func(i uint64) uint64 { return i },
		"descending":  func(i uint64) uint64 { return -i },
		"large steps": func(i uint64) uint64 { return i << 48 },
		"top bits":    bits.Reverse64,
		"floats":      func(i uint64) uint64 { return math.Float64bits(float64(i)) },
		"days":        func(i uint64) uint64 { return i * 86_400_000_000 },
		"packed":      func(i uint64) uint64 { return i&255 | i>>8<<32 },
	})
}

func placed(t *testing.T, keys map[string]func(i uint64) uint64) {
	for name, key := range keys {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(10) {
				defer keyset.NewSecrets(seed)()
				place(t, exactKeys(t, 1), func(i uint64) [1]uint64 { return [1]uint64{key(i)} })
				place(t, exactKeys(t, 2), func(i uint64) [2]uint64 { return [2]uint64{key(i), 7} })
				place(t, exactKeys(t, 2), func(i uint64) [2]uint64 { return [2]uint64{7, key(i)} })
				place(t, exactKeys(t, 2), func(i uint64) [2]uint64 { return [2]uint64{key(i), key(i)} })
			}
		})
	}
}

func place[K keyset.Words](t *testing.T, keys *keyset.Keys, key func(i uint64) K) {
	t.Helper()
	const n, parts = uint64(30_000), 6
	table, deal := keyset.NewTable[K, uint32](keys), keyset.NewParts[K, uint32](parts)
	defer deal.Release()
	for i := range n {
		e := entryOf(keyset.Scramble(key(i)), uint32(i), uint32(i))
		if got, fresh := at(table, &e); !fresh || *got != e {
			t.Fatalf("key %d: %+v, fresh %v", i, got, fresh)
		}
		deal.Add(e)
	}
	direct := 0
	for i := range n {
		e := entryOf(keyset.Scramble(key(i)), uint32(i), uint32(i))
		if got := table.Find(&e); got == nil || *got != e {
			t.Fatalf("key %d: found %+v", i, got)
		}
		if hit(table, &e) != nil {
			direct++
		}
	}
	if direct < int(n)*6/10 { // of random keys nine in ten
		t.Errorf("%d of %d keys lie where their search begins", direct, n)
	}
	if absent := entryOf(keyset.Scramble(key(n)), 0, 0); table.Find(&absent) != nil {
		t.Error("a key that wasn't inserted is found")
	}
	direct = 0
	for part := range deal.Len() {
		if rows := deal.Rows(part); uint64(rows) > 3*n>>parts {
			t.Errorf("a partition of %d rows, of %d", rows, n)
		}
		table.Reset()
		deal.Chunks(part, func(es []entry[K]) { keyset.Sum(table, es) })
		deal.Chunks(part, func(es []entry[K]) {
			for i := range es {
				if hit(table, &es[i]) != nil {
					direct++
				}
			}
		})
	}
	if direct < int(n)*6/10 {
		t.Errorf("%d of %d keys lie where their search begins in the table of their partition", direct, n)
	}
}

// TestCraftedTexts inserts texts that collide under the documented hash. Texts longer than the words hold are compared by
// cells where their words agree, so these must not.
func TestCraftedTexts(t *testing.T) {
	const n = 4000
	mem := arrowtest.Allocator(t)
	texts := collidingTexts(n)
	cells := make([]any, 0, 2*n)
	for _, s := range texts {
		cells = append(cells, s)
	}
	cells = append(cells, cells...)
	cols, _ := columns(t, mem, parts{types: []string{"string"}, cells: [][]any{cells}})
	k := keyset.NewKeys(cols, false)
	r := readAll(k)
	for row, h := range r.hash {
		if h != r.hash[0] {
			t.Fatalf("row %d: the text isn't crafted: %x, %x", row, h, r.hash[0])
		}
	}
	distinct := map[[2]uint64]bool{}
	for _, w := range r.words[:n] {
		distinct[w] = true
	}
	if len(distinct) != n {
		t.Fatalf("%d words of %d texts that collide: their cells have to be compared with each other", len(distinct), n)
	}
	table := keyset.NewTable[[2]uint64, uint32](k)
	for row := range uint32(2 * n) {
		e := entryOf(r.words[row], 0, row)
		got, fresh := at(table, &e)
		if got.Row() != row%n || fresh != (row < n) {
			t.Fatalf("row %d: %+v, fresh %v", row, got, fresh)
		}
	}
	if table.Len() != n {
		t.Errorf("%d keys of %d", table.Len(), n)
	}
}

// TestLongTexts inserts texts whose words all agree, as under one hash: the cells decide.
func TestLongTexts(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	const n = 300
	var cells []any
	for i := range 2 * n {
		cells = append(cells, fmt.Sprintf("a text of more than fifteen bytes %d", i%n))
	}
	cols, _ := columns(t, arrowtest.Allocator(t), parts{types: []string{"string"}, cells: [][]any{cells}})
	k := keyset.NewKeys(cols, false)
	r := readAll(k)
	table := keyset.NewTable[[2]uint64, uint32](k)
	for row := range uint32(2 * n) {
		e := entryOf(r.words[row], 0, row)
		if e.Key != r.words[0] {
			t.Fatalf("row %d has words of its own", row)
		}
		if got := hit(table, &e); got != nil {
			t.Fatalf("row %d: Hit decides on words alone", row)
		}
		if got, fresh := at(table, &e); got.Row() != row%n || fresh != (row < n) {
			t.Fatalf("row %d: %+v, fresh %v", row, got, fresh)
		}
		if got := table.Find(&e); got == nil || got.Row() != row%n {
			t.Fatalf("row %d: found %+v", row, got)
		}
	}
}

const (
	prime1 = 0x9E3779B185EBCA87
	prime2 = 0xC2B2AE3D27D4EB4F
)

// lane is one step of XXH64's accumulators.
func lane(acc, word uint64) uint64 { return bits.RotateLeft64(acc+word*prime2, 31) * prime1 }

// collidingTexts returns distinct texts of 64 bytes with one XXH64. A text of 32 bytes or more runs through four lanes,
// and the step of a lane is a bijection of its word: the first words may be anything, if the second undo them.
func collidingTexts(n int) []string {
	p1 := uint64(prime1)
	seed := [4]uint64{p1 + prime2, prime2, 0, -p1}
	texts := make([]string, n)
	for i := range texts {
		var b [64]byte
		binary.LittleEndian.PutUint64(b[:], uint64(i))
		for l := range 4 {
			// The second word of each lane takes its accumulator to 0, whatever the first was.
			acc := lane(seed[l], binary.LittleEndian.Uint64(b[8*l:]))
			binary.LittleEndian.PutUint64(b[32+8*l:], -acc*inverse(prime2))
		}
		texts[i] = string(b[:])
	}
	return texts
}

// TestTableShrinks: what a large partition left behind is given up while small ones follow, and no key is lost or kept in that.
func TestTableShrinks(t *testing.T) {
	table := keyset.NewTable[[1]uint64, uint32](exactKeys(t, 1))
	fill := func(from, n uint32) (starts uint32) {
		table.Reset()
		for i := range n {
			e := entryOf([1]uint64{uint64(from + i)}, i, i)
			if _, fresh := at(table, &e); !fresh {
				t.Fatalf("key %d was left over", from+i)
			}
			starts = max(starts, table.Start(&e.Key))
		}
		found := 0
		table.All(func(e *entry[[1]uint64]) { found++ })
		if found != int(n) || table.Len() != int(n) {
			t.Fatalf("%d keys, %d listed, want %d", table.Len(), found, n)
		}
		return starts
	}
	large := fill(0, 100_000)
	var small uint32
	for i := range uint32(10) {
		small = fill(i, 200)
	}
	if small*16 > large {
		t.Errorf("200 keys lie up to slot %d, where 100,000 lay up to %d", small, large)
	}
	fill(7, 100_000)
}
