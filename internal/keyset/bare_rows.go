package keyset

import (
	"cmp"
	"slices"
)

// BareRows finds the rows of keys that all workers dealt out bare. It belongs to one goroutine.
type BareRows struct {
	keys *Keys
	from []*Bare
	// drained are entries for many rows of a key, with the first of them: see Hot.
	drained    []*Parts[[1]uint64, uint32]
	first, end uint32 // the rows
	block      *Block[[1]uint64]
	wanted     *Table[[1]uint64, uint32] // the payload is the number of a key
	filter     [64]uint64                // bits of wanted keys, by their top bits

	// Room to work in: keys without a row, by partition; those of them that may come first; of one partition, the first blocks, and what was seen.
	unknown []Ranked[[1]uint64]
	early   []earlyKey
	blocks  []uint32
	seen    []bool
}

// NewBareRows finds rows from first to end of keys that k reads. Some Bares have them, and Parts those that were counted at hand.
func NewBareRows(k *Keys, first, end uint32, from []*Bare, drained []*Parts[[1]uint64, uint32]) *BareRows {
	return &BareRows{keys: k, from: from, drained: drained, first: first, end: end, block: NewBlock[[1]uint64](k), wanted: NewTable[[1]uint64, uint32](k)}
}

// endOfBlocks is after all blocks.
const endOfBlocks = ^uint32(0)

// see calls f for the entries of a partition, each as a key and its block, in the order in which they were added. It ends after the block that f
// returns, and begins with until.
func (b *Bare) see(part int, until uint32, f func(key [1]uint64, block uint32) (until uint32)) {
	l := &b.lists[part]
	if l.n == 0 {
		return
	}
	top := uint64(part) << (64 - BareBits)
	for c := l.first; b.bases[c] <= until; c = b.links[c].next {
		base := b.bases[c]
		for _, e := range b.entries(part, c) {
			block := base + (uint32(e)-base)&bareTag
			if block > until {
				return
			}
			until = f([1]uint64{e>>BareBits | top}, block)
		}
		if c == l.last {
			return
		}
	}
}

// want makes the keys of one partition those that are looked for, by their numbers.
func (r *BareRows) want(n int, key func(i int) [1]uint64) {
	r.wanted.Reset()
	clear(r.filter[:])
	for i := range n {
		e := Entry[[1]uint64, uint32]{Key: key(i), Row1: 1, Payload: uint32(i)}
		r.wanted.At(&e, r.wanted.Start(&e.Key))
		word, bit := r.inFilter(e.Key)
		r.filter[word] |= bit
	}
}

// inFilter is where a key is in the filter: by the bits below those of the partition.
func (r *BareRows) inFilter(key [1]uint64) (word, bit uint64) {
	k := key[0] << BareBits
	return k >> 58, 1 << (k >> 52 & 63)
}

// number returns the number of a key that is looked for.
func (r *BareRows) number(key [1]uint64) (i uint32, ok bool) {
	if word, bit := r.inFilter(key); r.filter[word]&bit == 0 {
		return 0, false
	}
	e := Entry[[1]uint64, uint32]{Key: key}
	if s := r.wanted.Find(&e); s != nil {
		return s.Payload, true
	}
	return 0, false
}

// rowsIn calls f with the rows of a key that an entry of a block may stand for, in ascending order, until f returns false. Rows that others stand for may be
// among them, but all have the key: so the first is the key's first row, if no entry of it has an earlier block.
func (r *BareRows) rowsIn(block uint32, key [1]uint64, f func(row uint32) bool) {
	layout := r.keys.cols[0].Layout
	row, end := max(uint64(block)*BlockRows, uint64(r.first)), min(uint64(block)*BlockRows+2*BlockRows, uint64(r.end))
	for row < end {
		c, i := layout.At(uint32(row))
		n := min(end-row, BlockRows, uint64(layout.Start(c+1))-row)
		Read(r.keys, c, i, int(n), r.block)
		for j, k := range r.block.Keys {
			if k == key && r.block.Null[j] == 0 && !f(uint32(row)+uint32(j)) {
				return
			}
		}
		row += n
	}
}

// First returns of some keys the n whose first rows come first, with these rows, in their order.
func (r *BareRows) First(keys []Ranked[[1]uint64], n int) []Ranked[[1]uint64] {
	var known []Ranked[[1]uint64]
	unknown := r.unknown[:0]
	for _, k := range keys {
		if k.Row1 != 0 {
			known = append(known, k)
		} else {
			unknown = append(unknown, k)
		}
	}
	slices.SortFunc(known, byRow[[1]uint64])
	slices.SortFunc(unknown, func(a, b Ranked[[1]uint64]) int { return cmp.Compare(a.Part, b.Part) })
	early := r.early[:0]
	for lo := 0; lo < len(unknown); {
		part, hi := unknown[lo].Part, lo+1
		for hi < len(unknown) && unknown[hi].Part == part {
			hi++
		}
		until := endOfBlocks
		if len(known) >= n {
			until = known[n-1].Row() / BlockRows
		}
		early = r.earliest(early, part, unknown[lo:hi], n, until)
		lo = hi
	}
	r.unknown, r.early = unknown, early
	slices.SortFunc(early, func(a, b earlyKey) int { return cmp.Compare(a.block, b.block) })
	var found []Ranked[[1]uint64]
	before, sorted := 0, 0 // of known and of found, those with rows before the block
	for i, e := range early {
		if i == 0 || e.block != early[i-1].block {
			before += ahead(known[before:], e.block)
			slices.SortFunc(found[sorted:], byRow[[1]uint64])
			if sorted += ahead(found[sorted:], e.block); before+sorted >= n {
				break
			}
		}
		r.rowsIn(e.block, e.Key, func(row uint32) bool {
			e.Row1 = row + 1
			return false
		})
		found = append(found, e.Ranked)
	}
	known = append(known, found...)
	slices.SortFunc(known, byRow[[1]uint64])
	return known[:n]
}

// ahead is the number of keys, which are sorted by their rows, whose rows come before a block.
func ahead(keys []Ranked[[1]uint64], block uint32) (n int) {
	for n < len(keys) && keys[n].Row()/BlockRows < block {
		n++
	}
	return n
}

// earlyKey is a key with the first block that has an entry of it.
type earlyKey struct {
	Ranked[[1]uint64]
	block uint32
}

// earliest appends those of some keys of a partition that may be among the n that come first, up to a block.
func (r *BareRows) earliest(to []earlyKey, part int, keys []Ranked[[1]uint64], n int, until uint32) []earlyKey {
	r.want(len(keys), func(i int) [1]uint64 { return keys[i].Key })
	first := r.blocks[:0]
	for range keys {
		first = append(first, endOfBlocks)
	}
	seen := append(r.seen[:0], make([]bool, len(keys))...) // in this Bare
	r.blocks, r.seen = first, seen
	for _, b := range r.from {
		clear(seen)
		found, until := 0, until
		b.see(part, until, func(key [1]uint64, block uint32) uint32 {
			if i, ok := r.number(key); ok && !seen[i] {
				seen[i] = true
				first[i] = min(first[i], block)
				if found++; found == min(n, len(keys)) { // an entry two blocks on is of a later row than each of these
					until = min(until, block+1)
				}
			}
			return until
		})
	}
	for _, d := range r.drained {
		d.Chunks(part, func(entries []Entry[[1]uint64, uint32]) {
			for _, e := range entries {
				if i, ok := r.number(e.Key); ok {
					first[i] = min(first[i], e.Row()/BlockRows)
				}
			}
		})
	}
	for i, block := range first {
		if block != endOfBlocks {
			to = append(to, earlyKey{keys[i], block})
		}
	}
	return to
}

// Early calls f for the keys of a partition, some of them again and again, among them all that have a row before row1.
func (r *BareRows) Early(part int, row1 uint32, f func(key [1]uint64)) {
	until := (row1 - 1) / BlockRows
	for _, b := range r.from {
		b.see(part, until, func(key [1]uint64, _ uint32) uint32 {
			f(key)
			return until
		})
	}
	for _, d := range r.drained {
		d.Chunks(part, func(entries []Entry[[1]uint64, uint32]) {
			for _, e := range entries {
				if e.Row1 < row1 {
					f(e.Key)
				}
			}
		})
	}
}

// Rows finds the rows of n keys of a partition that were dealt out: of each the first, at most most, in ascending order, and their number. Rows that were
// counted at hand may be among the first.
func (r *BareRows) Rows(part, n int, key func(i int) [1]uint64, most int) (rows [][]uint32, entries []uint64) {
	r.want(n, key)
	blocks, left := make([][]uint32, n), make([]int, n)
	entries = make([]uint64, n)
	for _, b := range r.from {
		for i := range left {
			left[i] = most
		}
		b.see(part, endOfBlocks, func(key [1]uint64, block uint32) uint32 {
			if i, ok := r.number(key); ok {
				if entries[i]++; left[i] > 0 {
					left[i]--
					blocks[i] = append(blocks[i], block)
				}
			}
			return endOfBlocks
		})
	}
	for i, in := range blocks {
		slices.Sort(in)
		rows = append(rows, r.rowsOf(key(i), slices.Compact(in), most))
	}
	return rows, entries
}

// rowsOf are the first rows of a key that has entries in some blocks, in ascending order.
func (r *BareRows) rowsOf(key [1]uint64, blocks []uint32, most int) (rows []uint32) {
	for _, block := range blocks {
		if len(rows) >= most && rows[most-1]/BlockRows < block {
			break
		}
		r.rowsIn(block, key, func(row uint32) bool {
			rows = append(rows, row)
			return true
		})
		slices.Sort(rows)
		rows = slices.Compact(rows)
	}
	return rows[:min(len(rows), most)]
}
