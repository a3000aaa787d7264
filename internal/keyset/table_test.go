package keyset_test

import (
	"encoding/binary"
	"fmt"
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

// TestTable inserts and finds random keys, and compares with a Go map.
func TestTable(t *testing.T) { randomTables(t) }

// TestTableUnderOneHash does so while every hash is the same.
func TestTableUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	randomTables(t)
}

func randomTables(t *testing.T) {
	hash := mix64
	if form.IsConstantHash() {
		hash = func(uint64) uint64 { return 0 }
	}
	one, two := keyset.NewTable[[1]uint64, uint64](exactKeys(t, 1)), keyset.NewTable[[2]uint64, uint64](exactKeys(t, 2))
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		// The same two tables for keys of few and of many values: a reset table is as good as new.
		n, values := []int{10, 3000, 200, 20_000, 0, 129}[seed], []uint64{3, 4000, 1 << 62, 50_000, 1, 1000}[seed]
		if form.IsConstantHash() {
			n = min(n, 3000)
		}
		t.Run(fmt.Sprintf("one word/%d", n), func(t *testing.T) {
			sameAsMap(t, one, n, func() ([1]uint64, uint64) {
				k := rnd.Uint64N(values)
				return [1]uint64{k}, hash(k)
			})
		})
		t.Run(fmt.Sprintf("two words/%d", n), func(t *testing.T) {
			sameAsMap(t, two, n, func() ([2]uint64, uint64) {
				// Pairs that differ in one word only have hashes in common.
				k := [2]uint64{rnd.Uint64N(values), rnd.Uint64N(2)}
				return k, hash(k[0])
			})
		})
	}
}

// sameAsMap puts entries of n rows into the table. A key's payload is the number of its rows.
func sameAsMap[K keyset.Words](t *testing.T, table *keyset.Table[K, uint64], n int, next func() (K, uint64)) {
	t.Helper()
	known := map[K]entry[K]{}
	table.Reset()
	for row := range uint32(n) {
		key, h := next()
		e := entry[K]{Payload: 1, Key: key, Row: row, Hash: keyset.Tag(h)}
		want, old := known[key]
		if got := table.Find(&e); (got != nil) != old || old && *got != want {
			t.Fatalf("row %d: Find says %+v, want %+v, %v", row, got, want, old)
		}
		if got := table.Hit(&e); got != nil && *got != want {
			t.Fatalf("row %d: Hit says %+v, want %+v, %v", row, got, want, old)
		}
		got, fresh := table.At(&e)
		if fresh == old {
			t.Fatalf("row %d: fresh %v of a key that is known: %v", row, fresh, old)
		}
		if old {
			got.Payload++
			want.Payload++
		} else {
			want = e
		}
		if *got != want {
			t.Fatalf("row %d: At says %+v, want %+v", row, got, want)
		}
		known[key] = want
	}
	if table.Len() != len(known) {
		t.Fatalf("%d keys, want %d", table.Len(), len(known))
	}
	table.All(func(e *entry[K]) {
		if want, ok := known[e.Key]; !ok || *e != want {
			t.Fatalf("All has %+v, want %+v, %v", e, want, ok)
		}
		delete(known, e.Key)
	})
	if len(known) > 0 {
		t.Errorf("All lacks %d keys", len(known))
	}
}

// TestCraftedKeys inserts integers whose hashes agree in the low half, which is all that a table sees. Were they placed by
// it, each would lie behind all before it, and half a billion steps would be made here, twice: the test would be by far the slowest.
// What can be seen is that the table gives up the slots of the hash: Hit knows no key any more.
func TestCraftedKeys(t *testing.T) {
	const n = 30_000
	keys := exactKeys(t, 1)
	for name, high := range map[string]func(i uint64) uint64{
		"one partition":  func(i uint64) uint64 { return i << 32 },
		"all partitions": func(i uint64) uint64 { return bits.Reverse64(i) &^ 0xffffffff },
	} {
		t.Run(name, func(t *testing.T) {
			table := keyset.NewTable[[1]uint64, uint64](keys)
			crafted := func(i uint64) *entry[[1]uint64] {
				k := unmix64(high(i) | 7)
				if h := mix64(k); h&0xffffffff != 7 {
					t.Fatalf("key %d has the hash %x", i, h)
				}
				return &entry[[1]uint64]{Key: [1]uint64{k}, Row: uint32(i), Hash: keyset.Tag(mix64(k))}
			}
			for i := range uint64(n) {
				e := crafted(i)
				if got, fresh := table.At(e); !fresh || *got != *e {
					t.Fatalf("key %d: %+v, fresh %v", i, got, fresh)
				}
				if got := table.Hit(e); i > 1000 && got != nil {
					t.Fatalf("key %d lies at the slot of its hash", i)
				}
			}
			for i := range uint64(n) {
				e := crafted(i)
				if got := table.Find(e); got == nil || *got != *e {
					t.Fatalf("key %d: found %+v", i, got)
				}
				if got, fresh := table.At(e); fresh || *got != *e {
					t.Fatalf("key %d: %+v, fresh %v", i, got, fresh)
				}
			}
			absent := crafted(n)
			if got := table.Find(absent); got != nil {
				t.Errorf("a key that wasn't inserted is found: %+v", got)
			}
			// A table that is emptied takes plain keys as before.
			table.Reset()
			if got, fresh := table.At(absent); !fresh || *got != *absent || table.Len() != 1 {
				t.Errorf("after Reset: %+v, fresh %v, %d keys", got, fresh, table.Len())
			}
			if table.Hit(absent) == nil {
				t.Error("after Reset the key isn't at the slot of its hash")
			}
		})
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
	table := keyset.NewTable[[2]uint64, uint64](k)
	for row := range uint32(2 * n) {
		e := entry[[2]uint64]{Key: r.words[row], Row: row, Hash: keyset.Tag(r.hash[row])}
		got, fresh := table.At(&e)
		if got.Row != row%n || fresh != (row < n) {
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
	table := keyset.NewTable[[2]uint64, uint64](k)
	for row := range uint32(2 * n) {
		e := entry[[2]uint64]{Key: r.words[row], Row: row, Hash: keyset.Tag(r.hash[row])}
		if e.Key != r.words[0] {
			t.Fatalf("row %d has words of its own", row)
		}
		if got := table.Hit(&e); got != nil {
			t.Fatalf("row %d: Hit decides on words alone", row)
		}
		if got, fresh := table.At(&e); got.Row != row%n || fresh != (row < n) {
			t.Fatalf("row %d: %+v, fresh %v", row, got, fresh)
		}
		if got := table.Find(&e); got == nil || got.Row != row%n {
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
