package form

import (
	"encoding/binary"
	"sync/atomic"
)

// Mode says what a [Reader] makes of the cells of a column.
type Mode uint8

const (
	// Word: K0 is the cell as a canonical word, equal for equal cells and only for them; H its stable hash. For types
	// that [FitsWord] accepts.
	Word Mode = iota
	// Text: K0 and K1 are the cell's bytes if they are at most MaxInline, and then equal for equal cells only; else
	// two hashes, and the top byte of K1 is LongText. H is the stable hash. For text and binary.
	Text
	// Digest: K1 is a hash under a secret of this process, H the stable hash. Equal for equal cells. For every key type.
	Digest
	// Ordinal: K0 grows with the cell's value: a greater word is a greater cell, equal words say nothing. For every order
	// type.
	Ordinal
)

// LongText is the top byte of K1 for texts that aren't inlined.
const LongText = 0xff

// Block holds what a Reader made of some rows, one entry a row. A NULL row has Null 1, K0 and K1 0, and H that of NULL. H is nil in a block that
// was made without hashes.
type Block struct {
	K0, K1, H []uint64
	Null      []uint8
	// AnyNull is set when Null has a 1.
	AnyNull bool
}

// NewBlock returns a block of n rows, without hashes.
func NewBlock(n int) *Block {
	w := make([]uint64, 2*n)
	return &Block{K0: w[:n:n], K1: w[n:], Null: make([]uint8, n)}
}

// NewHashBlock returns a block of n rows with hashes.
func NewHashBlock(n int) *Block {
	b := NewBlock(n)
	b.H = make([]uint64, n)
	return b
}

// Grow gives a block that was cut room for n rows again, at most as many as it was made for.
func (b *Block) Grow(n int) {
	b.K0, b.K1, b.Null = b.K0[:n], b.K1[:n], b.Null[:n]
	if b.H != nil {
		b.H = b.H[:n]
	}
}

// bottom returns the array below all adaptors; it may be empty or missing rows, only its type counts.
func (a *Array) bottom() *Array {
	for {
		switch {
		case a.Kind == KindDict && len(a.kids) > 0:
			a = a.kids[0]
		case a.Kind == KindRuns:
			a = a.kids[1]
		default:
			return a
		}
	}
}

// Reader reads one column block by block. It is safe for concurrent use.
type Reader struct {
	chunks []*Array
	mode   Mode
	tables map[*Array]*table // of dictionaries and run values
}

// NewReader prepares to read a column, given as one array a batch. Dictionaries and run values are read once each,
// when the first of their rows is.
func NewReader(chunks []*Array, mode Mode) *Reader {
	r := &Reader{chunks: chunks, mode: mode, tables: map[*Array]*table{}}
	rows := map[*Array]int{}
	for _, a := range chunks {
		if v := a.values(); v != nil {
			rows[v] += a.Len
		}
	}
	for v, n := range rows {
		if v.Len <= n {
			r.addTable(v)
		}
	}
	return r
}

// values returns the array that an adaptor points into, or nil.
func (a *Array) values() *Array {
	switch {
	case a.Kind == KindDict && len(a.kids) > 0:
		return a.kids[0]
	case a.Kind == KindRuns:
		return a.kids[1]
	}
	return nil
}

// Read fills the block from rows lo to lo+n of batch c. The block must have room for n rows; it gets their number.
func (r *Reader) Read(c, lo, n int, b *Block) {
	b.Grow(n)
	r.read(r.chunks[c], lo, b)
	if constantHash.Load() {
		r.flatten(b)
	}
}

var constantHash atomic.Bool

// ConstantHash makes every hash the same, for tests: nothing but the time may change.
func ConstantHash(on bool) { constantHash.Store(on) }

// IsConstantHash says whether ConstantHash is on.
func IsConstantHash() bool { return constantHash.Load() }

func (r *Reader) flatten(b *Block) {
	clear(b.H)
	for i := range b.K1 {
		switch {
		case r.mode == Digest:
			b.K1[i] = 0
		case r.mode == Text && b.K1[i]>>56 == LongText:
			b.K0[i], b.K1[i] = 0, LongText<<56
		}
	}
}

func (r *Reader) read(a *Array, lo int, b *Block) {
	b.AnyNull = false
	clear(b.Null)
	if len(b.K0) == 0 {
		return
	}
	if v := a.values(); v != nil {
		if t := r.tables[v]; t != nil {
			t.once.Do(func() { r.fill(t, v) })
			r.gather(a, lo, b, t)
		} else {
			r.cells(a, lo, b)
		}
		return
	}
	r.mask(a, lo, b)
	if a.Kind == KindNull {
		b.nulls()
		return
	}
	switch r.mode {
	case Word:
		a.rawWords(lo, b.K0)
		b.hashWords(a.mul)
	case Text:
		a.texts(lo, b)
		b.hashTexts()
	case Digest:
		a.digests(lo, b)
	case Ordinal:
		a.ranks(lo, b)
	}
	b.nulls()
}

// mask marks the NULL rows of an array that is no adaptor.
func (r *Reader) mask(a *Array, lo int, b *Block) {
	if a.Kind == KindNull {
		for i := range b.Null {
			b.Null[i] = 1
		}
		b.AnyNull = true
		return
	}
	if a.valid == nil {
		return
	}
	b.AnyNull = a.Nulls(lo, b.Null)
}

// Nulls puts 1 for each of rows lo to lo+len(null) that is NULL in itself, 0 for others, and says whether there are any. The array is no adaptor.
func (a *Array) Nulls(lo int, null []uint8) bool {
	if a.valid == nil {
		clear(null)
		return false
	}
	var found uint8
	p, i := a.off+lo, 0
	one := func() {
		z := ^a.valid[(p+i)>>3] >> ((p + i) & 7) & 1
		null[i] = z
		found |= z
		i++
	}
	for i < len(null) && (p+i)&7 != 0 {
		one()
	}
	for ; i+8 <= len(null); i += 8 {
		z := ^a.valid[(p+i)>>3]
		binary.LittleEndian.PutUint64(null[i:], spread[z])
		found |= z
	}
	for i < len(null) {
		one()
	}
	return found != 0
}

// spread[b] has a byte for each bit of b, the lowest first.
var spread = func() (s [256]uint64) {
	for b := range s {
		for i := range 8 {
			s[b] |= uint64(b>>i&1) << (8 * i)
		}
	}
	return s
}()

// nulls overwrites what was read from the slots of NULL rows.
func (b *Block) nulls() {
	if !b.AnyNull {
		return
	}
	for i, z := range b.Null {
		if z != 0 {
			b.K0[i], b.K1[i] = 0, 0
			if b.H != nil {
				b.H[i] = nullHash
			}
		}
	}
}

// cells reads an adaptor row by row, for dictionaries with more values than there are rows.
func (r *Reader) cells(a *Array, lo int, b *Block) {
	one := NewBlock(1)
	if b.H != nil {
		one = NewHashBlock(1)
	}
	found := false
	for i := range b.K0 {
		if a.Null(lo + i) {
			b.Null[i], found = 1, true
			continue
		}
		l, p := a.leaf(lo + i)
		r.read(l, p, one)
		b.K0[i], b.K1[i] = one.K0[0], one.K1[0]
		if b.H != nil {
			b.H[i] = one.H[0]
		}
	}
	b.AnyNull = found
	b.nulls()
}
