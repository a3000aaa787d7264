package keyset_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// bareKey is a scrambled word by its partition and the bits below those of the partition.
func bareKey(part int, below uint64) [1]uint64 {
	return [1]uint64{uint64(part)<<(64-keyset.BareBits) | below&(1<<(64-keyset.BareBits)-1)}
}

func partOfBare(k [1]uint64) int { return int(k[0] >> (64 - keyset.BareBits)) }

// oddWords are words whose bits below the partition's are none, all, or the lowest.
var oddWords = func() (words []uint64) {
	for _, part := range []int{0, 1, 7, 511} {
		for _, below := range []uint64{0, 1, 1 << 9, 511, 512, 1 << 23, ^uint64(0)} {
			words = append(words, bareKey(part, below)[0])
		}
	}
	return words
}()

// seen is an entry of a Bare.
type seen struct {
	key   [1]uint64
	block uint32
}

// bareDealt is a Bare and what was put into it, by partition.
type bareDealt struct {
	bare *keyset.Bare
	want [1 << keyset.BareBits][]seen
	row  uint32
	keys func() [1]uint64
}

// block adds n rows, some of them skipped.
func (d *bareDealt) block(n int, skip func(i int) bool) {
	keys := make([][1]uint64, n)
	var skips []uint8
	if skip != nil {
		skips = make([]uint8, n)
	}
	for i := range keys {
		keys[i] = d.keys()
		if skip != nil && skip(i) {
			skips[i] = 1
			continue
		}
		p := partOfBare(keys[i])
		d.want[p] = append(d.want[p], seen{keys[i], d.row / keyset.BlockRows})
	}
	d.bare.AddBlock(keys, skips, d.row)
	d.row += uint32(n)
}

func (d *bareDealt) one() {
	k := d.keys()
	p := partOfBare(k)
	d.want[p] = append(d.want[p], seen{k, d.row / keyset.BlockRows})
	d.bare.Add(k, d.row)
	d.row++
}

// check compares what comes out with what was put in, in the same order, whole and up to some block.
func (d *bareDealt) check(t *testing.T, rnd *rand.Rand) {
	t.Helper()
	for part, want := range d.want {
		if n := d.bare.Rows(part); n != len(want) {
			t.Fatalf("partition %d has %d rows, want %d", part, n, len(want))
		}
		var entries []uint64
		d.bare.Chunks(part, func(chunk []uint64) {
			if len(chunk) == 0 || len(chunk) > keyset.ChunkRows {
				t.Fatalf("a chunk of %d entries", len(chunk))
			}
			entries = append(entries, chunk...)
		})
		for i, e := range entries {
			if i >= len(want) || e != want[i].key[0]<<keyset.BareBits|uint64(want[i].block%(1<<keyset.BareBits)) {
				t.Fatalf("partition %d: entry %d is %#x of %d, want %+v", part, i, e, len(entries), want[min(i, len(want)-1)])
			}
		}
		if len(entries) != len(want) {
			t.Fatalf("partition %d: %d entries, want %d", part, len(entries), len(want))
		}
		if len(want) == 0 {
			d.bare.See(part, ^uint32(0), func([1]uint64, uint32) uint32 { t.Fatalf("an entry of partition %d, which is empty", part); return 0 })
			continue
		}
		for _, until := range []uint32{^uint32(0), 0, want[rnd.IntN(len(want))].block, want[rnd.IntN(len(want))].block + 1} {
			var got []seen
			d.bare.See(part, until, func(key [1]uint64, block uint32) uint32 {
				got = append(got, seen{key, block})
				return until
			})
			n, _ := slices.BinarySearchFunc(want, until, func(s seen, until uint32) int {
				if s.block > until {
					return 1
				}
				return -1
			})
			if !slices.Equal(got, want[:n]) {
				t.Fatalf("partition %d up to block %d: %d entries %.200v, want %d %.200v", part, until, len(got), got, n, want[:n])
			}
		}
	}
}

// TestBare deals out blocks of all lengths, rows alone and rows of which some are skipped, with gaps of many blocks: another worker's
// spans, or rows without a key. Each entry comes out once, in order, and with its block.
func TestBare(t *testing.T) {
	for seed := range uint64(9) {
		if testing.Short() && seed > 2 {
			break
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			parts := []int{1, 3, 512}[seed%3]
			d := &bareDealt{bare: keyset.NewBare(), row: rnd.Uint32N(1 << []int{0, 10, 31}[rnd.IntN(3)])}
			defer d.bare.Release()
			d.keys = func() [1]uint64 {
				if rnd.IntN(20) == 0 {
					return [1]uint64{oddWords[rnd.IntN(len(oddWords))]}
				}
				return bareKey(rnd.IntN(parts)*511/max(1, parts-1), rnd.Uint64())
			}
			if d.bare.Len() != 1<<keyset.BareBits {
				t.Fatalf("%d partitions", d.bare.Len())
			}
			for range 80 {
				switch rnd.IntN(8) {
				case 0: // just as far as entries can tell apart, and beyond
					d.row += uint32([]int{1, 254, 255, 256, 257, 510, 511, 512, 513, 1024, 5000}[rnd.IntN(11)])*keyset.BlockRows + rnd.Uint32N(2)
				case 1: // rows without a key, which are dealt all the same
					for range rnd.IntN(200) {
						d.block(keyset.BlockRows, func(int) bool { return true })
					}
				case 2:
					for range rnd.IntN(300) {
						d.one()
					}
				case 3:
					d.block(1+rnd.IntN(keyset.BlockRows), func(int) bool { return rnd.IntN(3) == 0 })
				case 4: // one partition alone has rows for long
					keys, k := d.keys, d.keys()
					d.keys = func() [1]uint64 { return k }
					for range rnd.IntN(30) {
						d.block(keyset.BlockRows, nil)
					}
					d.keys = keys
				default:
					d.block(1+rnd.IntN(keyset.BlockRows), nil)
				}
			}
			d.check(t, rnd)
		})
	}
}

// TestBareSparse: one partition has a row at a time, so many blocks apart, while another has rows in no block between, or in each.
func TestBareSparse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	for _, dense := range []bool{false, true} {
		for _, step := range []uint32{1, 7, 90, 170, 254, 255, 256, 257, 300, 400, 510, 511, 512, 513, 520, 600, 700} {
			for _, from := range []uint32{0, 1, 100, 200, 255, 256, 500} {
				d := &bareDealt{bare: keyset.NewBare()}
				for block, until := uint32(0), from+6*step; block < until; block++ {
					if block >= from && (block-from)%step == 0 {
						d.row = block * keyset.BlockRows
						d.keys = func() [1]uint64 { return bareKey(9, rnd.Uint64()) }
						d.one()
					} else if dense {
						d.row = block * keyset.BlockRows
						d.keys = func() [1]uint64 { return bareKey(8, rnd.Uint64()) }
						d.one()
					}
				}
				d.check(t, rnd)
				d.bare.Release()
			}
		}
	}
}

// TestBareLastRow deals out the last rows that a table may have.
func TestBareLastRow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	d := &bareDealt{bare: keyset.NewBare(), keys: func() [1]uint64 { return bareKey(rnd.IntN(3), rnd.Uint64()) }}
	defer d.bare.Release()
	for _, d.row = range []uint32{0, 1 << 31, ^uint32(0) - 300*keyset.BlockRows, ^uint32(0) - 1000} {
		d.block(900, nil)
	}
	d.check(t, rnd)
}

// counted are Counts and what they should hold, of one partition.
type counted struct {
	counts *keyset.Counts
	part   int
	want   map[[1]uint64]uint64
	tag    uint64
}

func newCounted(part int) *counted {
	return &counted{counts: keyset.NewCounts(), part: part, want: map[[1]uint64]uint64{}}
}

// sum adds an entry a key, each of a block of its own.
func (c *counted) sum(keys ...[1]uint64) {
	for chunk := range slices.Chunk(keys, keyset.ChunkRows) {
		entries := make([]uint64, len(chunk))
		for i, k := range chunk {
			entries[i] = k[0]<<keyset.BareBits | c.tag%(1<<keyset.BareBits)
			c.tag += 3
			c.want[k]++
		}
		c.counts.Sum(entries)
	}
}

func (c *counted) many(key [1]uint64, n uint32) {
	c.counts.AddMany(key, n)
	c.want[key] += uint64(n)
}

func (c *counted) reset() {
	c.counts.Reset()
	clear(c.want)
}

func (c *counted) check(t *testing.T) {
	t.Helper()
	rows, got, many := uint64(0), map[[1]uint64]uint64{}, map[[1]uint64]uint64{}
	for _, n := range c.want {
		rows += n
	}
	if c.counts.Len() != len(c.want) || c.counts.Rows() != int64(rows) {
		t.Fatalf("%d keys, %d rows, want %d, %d", c.counts.Len(), c.counts.Rows(), len(c.want), rows)
	}
	for _, s := range c.counts.Slots() {
		if s == 0 {
			continue
		}
		k := c.counts.Key(s, c.part)
		if _, again := got[k]; again {
			t.Fatalf("key %#x has two slots", k)
		}
		got[k] = uint64(c.counts.InAll(s))
		if in := keyset.InSlot(s); in < 1 || in > keyset.MaxInSlot || in > got[k] {
			t.Fatalf("the slot of key %#x holds %d of %d", k, in, got[k])
		}
		if of := uint64(c.counts.Of(k)); of != got[k] || c.counts.Slot(k) != s {
			t.Fatalf("key %#x has %d rows and slot %#x, by its slot %#x has %d", k, of, c.counts.Slot(k), s, got[k])
		}
	}
	if !maps.Equal(got, c.want) {
		for k, n := range c.want {
			if got[k] != n {
				t.Errorf("key %#x has %d rows, want %d", k, got[k], n)
			}
		}
		t.Fatalf("%d keys, want %d", len(got), len(c.want))
	}
	c.counts.Many(func(slot uint64, n uint32) {
		k := c.counts.Key(slot, c.part)
		if _, again := many[k]; again || uint64(n) != c.want[k] || keyset.InSlot(slot) >= uint64(n) {
			t.Fatalf("key %#x with %d in its slot is said to have %d rows, want %d", k, keyset.InSlot(slot), n, c.want[k])
		}
		many[k] = uint64(n)
	})
	for k, n := range c.want {
		if s := c.counts.Slot(k); n > keyset.MaxInSlot && many[k] == 0 || keyset.InSlot(s) != n && many[k] == 0 {
			t.Fatalf("key %#x with %d rows isn't among the many", k, n)
		}
	}
}

// bareKeys makes different keys of a partition: among them the one without other bits, and keys that begin at the same slot and at neighbours.
func bareKeys(rnd *rand.Rand, part, n int) [][1]uint64 {
	keys := [][1]uint64{bareKey(part, 0)}
	have := map[[1]uint64]bool{keys[0]: true}
	for len(keys) < n {
		below := rnd.Uint64()
		switch rnd.IntN(8) {
		case 0: // at the first or last slots
			below = below&(1<<23-1) | uint64(rnd.IntN(3)-1)<<23
		case 1: // by the lowest bits alone
			below = uint64(rnd.IntN(1 << 12))
		case 2:
			below = keys[rnd.IntN(len(keys))][0] ^ 1<<rnd.IntN(55)
		}
		if k := bareKey(part, below); !have[k] {
			have[k] = true
			keys = append(keys, k)
		}
	}
	return keys
}

// TestCounts counts entries, and numbers of rows at once, of few keys and of many, with one Counts for all that follows.
func TestCounts(t *testing.T) {
	for _, hash := range []bool{false, true} {
		t.Run(fmt.Sprintf("one hash %v", hash), func(t *testing.T) {
			form.ConstantHash(hash)
			defer form.ConstantHash(false)
			rnd := rand.New(rand.NewPCG(3, 3))
			c := newCounted(0)
			for round, n := range []int{1, 40, 3000, 2, 300, 40_000, 1, 1, 9000, 500} {
				if hash && n > 500 {
					n = 500
				}
				if testing.Short() && n > 9000 {
					continue
				}
				c.reset()
				c.part = []int{0, 511, 200}[round%3]
				keys := bareKeys(rnd, c.part, n)
				for range 4 {
					batch := make([][1]uint64, rnd.IntN(2*n+2000))
					for i := range batch {
						batch[i] = keys[min(rnd.IntN(n), rnd.IntN(n))]
					}
					c.sum(batch...)
					for range rnd.IntN(50) {
						c.many(keys[rnd.IntN(n)], []uint32{1, 2, 509, 510, 511, 512, 513, 1022, 1 << 20}[rnd.IntN(9)])
					}
				}
				c.sum(keys...)
				c.check(t)
				for range 20 {
					k := bareKey(c.part, rnd.Uint64())
					if _, have := c.want[k]; !have && (c.counts.Of(k) != 0 || c.counts.Slot(k) != 0) {
						t.Fatalf("key %#x isn't among them, and has %d rows", k, c.counts.Of(k))
					}
				}
			}
		})
	}
}

// TestCountsOutgrow: numbers at which a slot is full, and fuller, by entries and at once.
func TestCountsOutgrow(t *testing.T) {
	most := uint32(keyset.MaxInSlot)
	for _, below := range []uint64{0, 1, 1 << 23, ^uint64(0)} {
		for _, n := range []uint32{1, most - 1, most, most + 1, most + 2, 2 * most, 2*most + 1, 2*most + 2, 5000} {
			for _, first := range []uint32{0, 1, most - 1, most, most + 1, 1<<32 - 5002} {
				c := newCounted(5)
				k := bareKey(5, below)
				if first > 0 {
					c.many(k, first)
				}
				c.sum(slices.Repeat([][1]uint64{k}, int(n))...)
				c.check(t)
				c.many(k, 1)
				if first > 0 && first <= 5000 {
					c.many(k, first)
				}
				c.check(t)
			}
		}
	}
}
