package keyset

import (
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
)

// Words is a key as one word or two.
type Words interface {
	[1]uint64 | [2]uint64
}

// BlockRows is the number of rows that are read at a time.
const BlockRows = 1024

// maxPacked is the number of columns that a mask of NULLs in one word has room for.
const maxPacked = 64

// nullText is the top byte of the second word of a NULL text; no text has it.
const nullText = 0xfe

// Keys reads the key of each row. It is safe for concurrent use.
type Keys struct {
	cols    []*form.Column
	readers []*form.Reader
	how     how
	nulls   bool // NULL is a value like any other
	mayNull bool
	place   []place  // packed: where each column's word goes
	fits    []fitted // fits: where each column's cell goes
}

// how says what the words of a key are.
type how uint8

const (
	single how = iota // one word: the cell
	packed            // one or two words: cells side by side
	masked            // two words: cells side by side, and which of them are NULL
	text              // two words: a text, inlined if short
	fits              // two words: cells side by side; the same as digest for keys whose cells don't fit
	digest            // two hashes
)

type place struct {
	word  int
	shift uint
	mask  uint64
}

// NewKeys chooses how keys are read, by the types of the columns and by a sample of their values. The columns are of key types and share one
// layout. With nulls, NULL is a value that equals itself; else the keys of rows with NULL mean nothing.
func NewKeys(cols []*form.Column, nulls bool) *Keys {
	k := newKeys(cols, nulls)
	if k.how == digest && k.chooseFit() {
		k.how = fits
	}
	k.setReaders()
	return k
}

// NewStableKeys is [NewKeys] for keys whose blocks are to have the stable hash: it goes by the types alone.
func NewStableKeys(cols []*form.Column, nulls bool) *Keys {
	k := newKeys(cols, nulls)
	k.setReaders()
	return k
}

func newKeys(cols []*form.Column, nulls bool) *Keys {
	k := &Keys{cols: cols, nulls: nulls}
	for _, c := range cols {
		k.mayNull = k.mayNull || c.MayNull()
	}
	k.choose()
	return k
}

func (k *Keys) setReaders() {
	mode := form.Word
	switch k.how {
	case text:
		mode = form.Text
	case digest:
		mode = form.Digest
	}
	for j, c := range k.cols {
		if k.how == fits {
			mode = k.fits[j].way.mode(c)
		}
		k.readers = append(k.readers, form.NewReader(c.Chunks, mode))
	}
}

func (k *Keys) choose() {
	mask := k.nulls && k.mayNull
	if len(k.cols) == 1 && isText(k.cols[0]) {
		k.how = text
		return
	}
	k.how = digest
	for _, c := range k.cols {
		if !form.FitsWord(c.Chunks) {
			return
		}
	}
	if len(k.cols) == 1 && !mask {
		k.how = single
		return
	}
	words := 2
	if mask {
		words = 1
	}
	if len(k.cols) <= maxPacked && k.pack(words) {
		k.how = packed
		if mask {
			k.how = masked
		}
	}
}

// pack puts each column into the first word that has room for it.
func (k *Keys) pack(words int) bool {
	var used [2]int
	k.place = make([]place, len(k.cols))
	for i, c := range k.cols {
		n := form.WordBytes(c.Chunks)
		w := 0
		for w < words && used[w]+n > 8 {
			w++
		}
		if w == words {
			return false
		}
		k.place[i] = place{word: w, shift: uint(8 * used[w]), mask: ^uint64(0) >> (64 - 8*max(n, 1))}
		used[w] += n
	}
	return true
}

func isText(c *form.Column) bool {
	f := form.FamilyOf(c.Type)
	return f == form.TextFamily || f == form.BinaryFamily
}

// Columns returns the key columns.
func (k *Keys) Columns() []*form.Column { return k.cols }

// MayNull is false when no key can be NULL.
func (k *Keys) MayNull() bool { return k.mayNull }

// OneWord says whether keys are one word, [1]uint64, and not two.
func (k *Keys) OneWord() bool {
	if k.how == packed {
		for _, p := range k.place {
			if p.word == 1 {
				return false
			}
		}
		return true
	}
	return k.how == single
}

// Exact says whether words alone decide: no key needs [Keys.Same].
func (k *Keys) Exact() bool {
	for i := range k.fits {
		if !k.fits[i].whole {
			return false
		}
	}
	return k.how != text && k.how != digest
}

// Same compares the keys of two rows by their cells.
func (k *Keys) Same(a, b uint32) bool {
	for _, c := range k.cols {
		if c.Compare(a, b, form.ByValue) != 0 {
			return false
		}
	}
	return true
}

// SamePairs compares the keys of pairs of rows, many at a time: it clears same[i] where those of as[i] and bs[i] differ.
func (k *Keys) SamePairs(as, bs []uint32, same []bool) {
	for _, c := range k.cols {
		c.SamePairs(as, bs, same)
	}
}

// Null says whether the key of a row has NULL in it.
func (k *Keys) Null(row uint32) bool {
	for _, c := range k.cols {
		if c.Null(row) {
			return true
		}
	}
	return false
}

// Block is what Read makes of some rows, one entry a row.
type Block[K Words] struct {
	// Keys are the words of the keys, the first of them scrambled.
	Keys []K
	// Hash is the stable hash, nil in a block made without.
	Hash []uint64
	// Null is 1 for rows whose key has NULL in it. Under nulls it is 0 everywhere.
	Null    []uint8
	AnyNull bool
	// NullCounts counts NULL cells, a number a column, of the rows of this block.
	NullCounts []int
	// NullRows counts the rows of this block whose key has NULL in it, also under nulls.
	NullRows int

	raw  *form.Block
	keys []K
	sum  *form.Block // of several columns
	fit  *fitting    // fits
}

// NewBlock returns a block for BlockRows rows, without stable hashes.
func NewBlock[K Words](k *Keys) *Block[K] { return newBlock[K](k, k.how == digest) }

// NewHashBlock returns a block for BlockRows rows, with stable hashes of keys that [NewStableKeys] made.
func NewHashBlock[K Words](k *Keys) *Block[K] { return newBlock[K](k, true) }

func newBlock[K Words](k *Keys, hashes bool) *Block[K] {
	words := form.NewBlock
	if hashes {
		words = form.NewHashBlock
	}
	b := &Block[K]{raw: words(BlockRows), keys: make([]K, BlockRows), NullCounts: make([]int, len(k.cols))}
	if len(k.cols) > 1 || k.how >= masked && k.how != text {
		b.sum = words(BlockRows)
	}
	if k.how == fits {
		b.fit = &fitting{miss: make([]uint8, BlockRows)}
	}
	return b
}

// Read reads the keys of rows lo to lo+n of batch c, n at most BlockRows.
func Read[K Words](k *Keys, c, lo, n int, b *Block[K]) {
	clear(b.NullCounts)
	if k.how == single && b.direct(k.cols[0].Chunks[c], lo, n) {
		return
	}
	out := b.raw
	if b.sum != nil {
		out = b.sum
	}
	if k.how == fits {
		b.readFit(k, c, lo, n)
	} else {
		b.read(k, c, lo, n)
	}
	b.Hash, b.Null, b.AnyNull, b.NullRows = out.H, out.Null, out.AnyNull, 0
	if out.AnyNull {
		for _, z := range out.Null {
			b.NullRows += int(z)
		}
	}
	if k.nulls && out.AnyNull {
		k.nullsAsValues(out)
		b.AnyNull = false
	}
	b.Keys = b.keys[:n]
	secret := secrets
	switch keys := any(b.Keys).(type) {
	case [][1]uint64:
		for i, w := range out.K0[:len(keys)] {
			keys[i][0] = secret.one(w)
		}
	case [][2]uint64:
		k0, k1 := out.K0[:len(keys)], out.K1[:len(keys)]
		for i := range keys {
			keys[i] = [2]uint64{secret.two(k0[i], k1[i]), k1[i]}
		}
	}
}

// read reads the columns into the sum, a single one into raw.
func (b *Block[K]) read(k *Keys, c, lo, n int) {
	for j := range k.cols {
		k.readers[j].Read(c, lo, n, b.raw)
		b.countNulls(j)
		if b.sum != nil {
			b.sum.Grow(n)
			k.merge(b.raw, b.sum, j)
		}
	}
}

// direct reads keys that are words of 64 bits without NULL from the column's own memory. It is the shortest way, and taken by the commonest keys.
func (b *Block[K]) direct(a *form.Array, lo, n int) bool {
	words, mul := a.Raw(lo, n)
	if words == nil {
		return false
	}
	b.raw.Grow(n)
	b.Keys = b.keys[:n]
	keys, secret := unsafe.Slice(&b.Keys[0][0], n), secrets // of one word each
	words = words[:len(keys)]
	for i := range keys {
		keys[i] = secret.one(words[i])
	}
	if b.raw.H != nil {
		form.HashWords(words, mul, b.raw.H)
		if form.IsConstantHash() {
			clear(b.raw.H)
		}
	}
	clear(b.raw.Null)
	b.Hash, b.Null, b.AnyNull, b.NullRows = b.raw.H, b.raw.Null, false, 0
	return true
}

func (b *Block[K]) countNulls(col int) {
	if b.raw.AnyNull {
		for _, z := range b.raw.Null {
			b.NullCounts[col] += int(z)
		}
	}
}

// merge adds column j, read into b, to the key in sum.
func (k *Keys) merge(b, sum *form.Block, j int) {
	if j == 0 {
		clear(sum.K0)
		clear(sum.K1)
		copy(sum.H, b.H)
		copy(sum.Null, b.Null)
		sum.AnyNull = b.AnyNull
	} else {
		for i, h := range b.H {
			sum.H[i] = form.Combine(sum.H[i], h)
		}
		if b.AnyNull {
			for i, z := range b.Null {
				sum.Null[i] |= z
			}
			sum.AnyNull = true
		}
	}
	switch k.how {
	case packed, masked:
		p := k.place[j]
		dst := sum.K0
		if p.word == 1 {
			dst = sum.K1
		}
		for i, w := range b.K0 {
			dst[i] |= w & p.mask << p.shift
		}
		if k.how == masked && b.AnyNull {
			for i, z := range b.Null {
				sum.K1[i] |= uint64(z) << (j & 63)
			}
		}
	case digest:
		copy(sum.K0, sum.H)
		for i, s := range b.K1 {
			if b.Null[i] != 0 {
				s = nullText
			}
			sum.K1[i] = form.Combine(sum.K1[i], s) | form.LongText<<56
		}
	}
}

// nullsAsValues gives NULL a key of its own where the words can't tell it from a value.
func (k *Keys) nullsAsValues(b *form.Block) {
	if k.how == text {
		for i, z := range b.Null {
			if z != 0 {
				b.K1[i] = nullText << 56
			}
		}
	}
	clear(b.Null)
	b.AnyNull = false
}

// Hashes reads the stable hashes of keys alone. It belongs to one goroutine.
type Hashes struct {
	keys *Keys
	one  *Block[[1]uint64]
	two  *Block[[2]uint64]
}

// NewHashes reads the hashes of keys that k reads.
func NewHashes(k *Keys) *Hashes {
	if k.how == fits {
		k = NewStableKeys(k.cols, k.nulls)
	}
	if k.OneWord() {
		return &Hashes{keys: k, one: NewHashBlock[[1]uint64](k)}
	}
	return &Hashes{keys: k, two: NewHashBlock[[2]uint64](k)}
}

// Read returns the hashes of rows lo to lo+n of batch c, n at most BlockRows. They are valid until the next call.
func (h *Hashes) Read(c, lo, n int) []uint64 {
	if h.one != nil {
		Read(h.keys, c, lo, n, h.one)
		return h.one.Hash[:n]
	}
	Read(h.keys, c, lo, n, h.two)
	return h.two.Hash[:n]
}
