package keyset_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// bareColumn is a key column, whose rows of a range were dealt out bare by several workers, but for those that were counted at hand.
type bareColumn struct {
	keys       *keyset.Keys
	words      [][1]uint64
	null       []bool
	first, end uint32
	bares      []*keyset.Bare
	drained    []*keyset.Parts[[1]uint64, uint32]
	rows       map[[1]uint64][]uint32 // all of the range
	bare       map[[1]uint64][]uint32 // of these, those that were dealt out bare
}

// spreadRows say what the value of a row is; a negative one is NULL.
var spreadRows = map[string]func(rnd *rand.Rand, i, n int) int{
	"few":    func(rnd *rand.Rand, _, _ int) int { return rnd.IntN(22) - 2 },
	"twice":  func(_ *rand.Rand, i, n int) int { return i % (n/2 + 1) },
	"beside": func(_ *rand.Rand, i, _ int) int { return i / 2 },
	"random": func(rnd *rand.Rand, _, n int) int { return rnd.IntN(n) },
	"nulls":  func(rnd *rand.Rand, _, n int) int { return rnd.IntN(n) - n*9/10 },
	"stretch": func(rnd *rand.Rand, i, n int) int { // one key, but for the ends
		if i < n/50 || i > n-n/50 {
			return 1 + rnd.IntN(n)
		}
		return 0
	},
	"no keys for long": func(rnd *rand.Rand, i, n int) int {
		if i < n/50 || i > n-n/50 {
			return 1 + rnd.IntN(n/40)
		}
		return -1
	},
}

// newBareColumn deals a column of n rows out. Those of keys that hot says are counted at hand by a worker, while it is at its first rows.
func newBareColumn(t *testing.T, rnd *rand.Rand, n int, value func(i int) int, workers int, hot func(v int) bool) *bareColumn {
	mem := arrowtest.Allocator(t)
	b := array.NewInt64Builder(mem)
	defer b.Release()
	var arrs []arrow.Array
	var lens []int
	values := make([]int, n)
	for i, left := 0, 0; i < n; i, left = i+1, left-1 {
		for left == 0 {
			if i > 0 {
				arrs = append(arrs, b.NewArray())
			}
			left = []int{1, 2, 1023, 1024, 1025, 5000, 100_000, 1_000_000}[rnd.IntN(8)]
			if lens = append(lens, 0); rnd.IntN(5) == 0 && i > 0 { // an empty batch
				arrs, lens = append(arrs, b.NewArray()), append(lens, 0)
			}
		}
		lens[len(lens)-1]++
		if values[i] = value(i); values[i] < 0 {
			b.AppendNull()
		} else {
			b.Append(int64(values[i]))
		}
	}
	arrs = append(arrs, b.NewArray())
	for _, a := range arrs {
		t.Cleanup(a.Release)
	}
	chunks, err := form.OfAll(arrs)
	if err != nil {
		t.Fatal(err)
	}
	layout := form.NewLayout(lens)
	c := &bareColumn{keys: keyset.NewKeys([]*form.Column{{Name: "k", Layout: layout, Type: arrow.PrimitiveTypes.Int64, Chunks: chunks}}, false),
		words: make([][1]uint64, n), null: make([]bool, n), rows: map[[1]uint64][]uint32{}, bare: map[[1]uint64][]uint32{}}
	if !c.keys.OneWord() || !c.keys.Exact() {
		t.Fatal("keys aren't one word")
	}
	if c.end = uint32(n); rnd.IntN(2) == 0 { // one side of two; batches are of one
		c.first = layout.Start(rnd.IntN(len(lens)))
		c.end = max(c.first, layout.Start(rnd.IntN(len(lens)+1)))
	}
	atHand := make([]map[[1]uint64]*entry[[1]uint64], workers)
	look, left := make([]int, workers), make([]int, workers) // rows until keys are kept at hand, and until that doesn't pay
	for w := range workers {
		c.bares = append(c.bares, keyset.NewBare())
		c.drained = append(c.drained, keyset.NewParts[[1]uint64, uint32](keyset.BareBits))
		t.Cleanup(c.bares[w].Release)
		t.Cleanup(c.drained[w].Release)
		atHand[w], left[w] = map[[1]uint64]*entry[[1]uint64]{}, rnd.IntN(n)
		look[w] = rnd.IntN(2) * rnd.IntN(n/2)
	}
	block := keyset.NewBlock[[1]uint64](c.keys)
	for _, s := range keyset.Spans(lens, layout.Start) {
		w := rnd.IntN(workers)
		s.Blocks(func(lo, n int, row uint32) {
			keyset.Read(c.keys, s.Chunk, lo, n, block)
			copy(c.words[row:], block.Keys)
			for i := range n {
				c.null[row+uint32(i)] = block.Null[i] != 0
			}
			if row < c.first || row >= c.end {
				return
			}
			trial := look[w] <= 0 && left[w] > 0
			if look[w] -= n; trial {
				left[w] -= n
			}
			for i, k := range block.Keys {
				r := row + uint32(i)
				if block.Null[i] != 0 {
					continue
				}
				c.rows[k] = append(c.rows[k], r)
				switch {
				case !trial:
					c.bare[k] = append(c.bare[k], r)
				case !hot(values[r]):
					c.bare[k] = append(c.bare[k], r)
					c.bares[w].Add(k, r)
				case atHand[w][k] == nil:
					e := entryOf(k, 1, r)
					atHand[w][k] = &e
				default:
					atHand[w][k].Payload++
				}
			}
			if !trial {
				c.bares[w].AddBlock(block.Keys, block.Null, row)
			}
		})
	}
	for w := range workers {
		for _, e := range atHand[w] {
			c.drained[w].Add(*e)
		}
	}
	return c
}

// byPart are some of the keys, by partition.
func (c *bareColumn) byPart(rnd *rand.Rand, share int) map[int][][1]uint64 {
	out := map[int][][1]uint64{}
	for k := range c.rows {
		if rnd.IntN(share) == 0 {
			out[partOfBare(k)] = append(out[partOfBare(k)], k)
		}
	}
	return out
}

// checkRows asks for the first rows of some keys.
func (c *bareColumn) checkRows(t *testing.T, rnd *rand.Rand, rows *keyset.BareRows, most int) {
	t.Helper()
	for part, keys := range c.byPart(rnd, 1+len(c.rows)/300) {
		got, entries := rows.Rows(part, len(keys), func(i int) [1]uint64 { return keys[i] }, most)
		if len(got) != len(keys) || len(entries) != len(keys) {
			t.Fatalf("%d lists and %d counts for %d keys", len(got), len(entries), len(keys))
		}
		for i, k := range keys {
			bare := c.bare[k][:min(most, len(c.bare[k]))]
			if int(entries[i]) != len(c.bare[k]) {
				t.Fatalf("a key has %d entries, want %d", entries[i], len(c.bare[k]))
			}
			if len(bare) == len(c.rows[k]) || len(c.bare[k]) == len(c.rows[k]) {
				if !slices.Equal(got[i], bare) {
					t.Fatalf("a key has the rows %v, want %v", got[i], bare)
				}
				continue
			}
			// Rows that were counted at hand may be among them, at most so many in all.
			if !slices.IsSorted(got[i]) || len(slices.Compact(slices.Clone(got[i]))) != len(got[i]) || len(got[i]) > most {
				t.Fatalf("rows %v", got[i])
			}
			for _, r := range got[i] {
				if r < c.first || r >= c.end || c.words[r] != k || c.null[r] {
					t.Fatalf("row %d of %d to %d is said to have a key, and doesn't", r, c.first, c.end)
				}
			}
			for _, r := range bare {
				if !slices.Contains(got[i], r) && (len(got[i]) < most || r < got[i][most-1]) {
					t.Fatalf("rows %v lack row %d", got[i], r)
				}
			}
		}
	}
}

// checkFirst asks for the keys that come first, of all or some; rows of some are known.
func (c *bareColumn) checkFirst(t *testing.T, rnd *rand.Rand, rows *keyset.BareRows) {
	t.Helper()
	var keys []rankedKey
	for part, in := range c.byPart(rnd, 1+rnd.IntN(2)*rnd.IntN(1+len(c.rows)/20)) {
		for _, k := range in {
			keys = append(keys, rankedKey{Key: k, Part: part, Rank: 2, Row1: c.rows[k][0] + 1})
		}
	}
	if len(keys) == 0 {
		return
	}
	n := min(1+rnd.IntN(30), len(keys))
	if len(keys) < 50 {
		n = len(keys)
	}
	slices.SortFunc(keys, func(a, b rankedKey) int { return cmp.Compare(a.Row1, b.Row1) })
	want := slices.Clone(keys[:n])
	some := rnd.IntN(4)
	for i := range keys {
		if some == 0 || some == 1 && rnd.IntN(3) > 0 || some == 2 && (i < n/2 || i >= n+n/2) {
			keys[i].Row1 = 0
		}
	}
	rnd.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	if got := rows.First(keys, n); !slices.Equal(got, want) {
		t.Fatalf("the first %d of %d keys: %v\nwant %v", n, len(keys), got, want)
	}
}

// checkEarly asks for the keys of a partition that have a row before one.
func (c *bareColumn) checkEarly(t *testing.T, rnd *rand.Rand, rows *keyset.BareRows) {
	t.Helper()
	all := c.byPart(rnd, 1)
	for part := range 1 << keyset.BareBits {
		if rnd.IntN(8) > 0 {
			continue
		}
		row1 := 1 + c.first + rnd.Uint32N(c.end-c.first+1)
		if rnd.IntN(3) == 0 {
			row1 = c.first + 1 + rnd.Uint32N(min(3000, c.end-c.first))
		}
		got := map[[1]uint64]bool{}
		rows.Early(part, row1, func(key [1]uint64) {
			if partOfBare(key) != part || len(c.rows[key]) == 0 {
				t.Fatalf("a key that no row of partition %d has", part)
			}
			got[key] = true
		})
		for _, k := range all[part] {
			if c.rows[k][0]+1 < row1 && !got[k] {
				t.Fatalf("partition %d: a key has row %d, before row %d, and is left out", part, c.rows[k][0], row1-1)
			}
		}
	}
}

// TestBareRows finds the rows of keys in the column, where they were dealt out bare by one worker or several, with batches of all lengths, long stretches without
// a key or with one alone, one side of two, and some keys counted at hand.
func TestBareRows(t *testing.T) {
	for name, value := range spreadRows {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4) {
				rnd := rand.New(rand.NewPCG(seed, 7))
				n := []int{1500, 30_000, 6000, 700_000}[seed] + rnd.IntN(1000)
				if n > 600_000 && (testing.Short() || name == "random" || name == "beside") {
					n /= 10
				}
				hot := func(v int) bool { return seed%2 == 1 && v%3 == 0 }
				c := newBareColumn(t, rnd, n, func(i int) int { return value(rnd, i, n) }, 1+int(seed)%3, hot)
				if c.first == c.end {
					continue
				}
				rows := keyset.NewBareRows(c.keys, c.first, c.end, c.bares, c.drained)
				for range 4 {
					c.checkRows(t, rnd, rows, []int{1, 3, 10}[rnd.IntN(3)])
					c.checkFirst(t, rnd, rows)
					c.checkEarly(t, rnd, rows)
				}
			}
		})
	}
}

// TestBareRowsOfNone: there may be no keys, and no rows.
func TestBareRowsOfNone(t *testing.T) {
	keys := exactKeys(t, 1)
	rows := keyset.NewBareRows(keys, 0, 0, []*keyset.Bare{keyset.NewBare()}, nil)
	if got := rows.First(nil, 0); len(got) != 0 {
		t.Errorf("first keys %v", got)
	}
	got, entries := rows.Rows(3, 0, nil, 10)
	if len(got) != 0 || len(entries) != 0 {
		t.Errorf("rows %v, %v", got, entries)
	}
	rows.Early(3, 100, func(key [1]uint64) { t.Errorf("key %#x", key) })
}
