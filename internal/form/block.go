package form

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"hash/maphash"

	"golang.org/x/exp/constraints"
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
	// Rank: K0 grows with the cell's value: a greater word is a greater cell, equal words say nothing. For every order
	// type; exact (equal words, equal cells) for those that [RankIsExact] accepts.
	Rank64
)

// LongText is the top byte of K1 for texts that aren't inlined.
const LongText = 0xff

// Block holds what a Reader made of some rows, one entry a row. A NULL row has Null 1, K0 and K1 0, and H that of NULL.
type Block struct {
	K0, K1, H []uint64
	Null      []uint8
	// AnyNull is set when Null has a 1.
	AnyNull bool
}

// NewBlock returns a block of n rows.
func NewBlock(n int) *Block {
	w := make([]uint64, 3*n)
	return &Block{K0: w[:n:n], K1: w[n : 2*n : 2*n], H: w[2*n:], Null: make([]uint8, n)}
}

func (b *Block) cut(n int) {
	b.K0, b.K1, b.H, b.Null = b.K0[:n], b.K1[:n], b.H[:n], b.Null[:n]
}

// FitsWord says whether Mode Word can hold the types of a column, over all its inputs: they must agree in what a raw value
// means.
func FitsWord(chunks []*Array) bool {
	var mul uint64
	sawSigned, sawU64 := false, false
	for _, a := range chunks {
		l := a.bottom()
		switch l.Family {
		case NullFamily, BoolFamily, FloatFamily:
			continue
		case IntFamily:
			if l.Kind == KindU64 {
				sawU64 = true
			} else {
				sawSigned = true
			}
		case DateFamily, TimeFamily, NaiveFamily, InstantFamily, DurationFamily:
			if mul != 0 && mul != l.mul {
				return false
			}
			mul = l.mul
		default:
			return false
		}
	}
	return !sawSigned || !sawU64
}

// WordBytes returns how many low bytes of a canonical word tell the cells of a column apart.
func WordBytes(chunks []*Array) int {
	w := 0
	for _, a := range chunks {
		switch a.bottom().Kind {
		case KindNull:
		case KindBool, KindI8, KindU8:
			w = max(w, 1)
		case KindI16, KindU16:
			w = max(w, 2)
		case KindI32, KindU32:
			w = max(w, 4)
		default:
			w = 8
		}
	}
	if mixedSigns(chunks) {
		return 8
	}
	return w
}

// mixedSigns: a signed and an unsigned column of one width differ in the bytes above it.
func mixedSigns(chunks []*Array) bool {
	signed, unsigned := false, false
	for _, a := range chunks {
		switch a.bottom().Kind {
		case KindI8, KindI16, KindI32, KindI64:
			signed = true
		case KindU8, KindU16, KindU32, KindU64:
			unsigned = true
		}
	}
	return signed && unsigned
}

// RankIsExact says whether equal Rank64 words mean equal cells in a column.
func RankIsExact(chunks []*Array) bool {
	for _, a := range chunks {
		switch a.bottom().Family {
		case TextFamily, BinaryFamily, DecimalFamily:
			return false
		}
	}
	return true
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
	tables map[*Array]*Block // of dictionaries and run values: one entry a value
}

// NewReader prepares to read a column, given as one array a batch. Dictionaries and run values are read here, once each.
func NewReader(chunks []*Array, mode Mode) *Reader {
	r := &Reader{chunks: chunks, mode: mode, tables: map[*Array]*Block{}}
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

func (r *Reader) addTable(v *Array) {
	if deeper := v.values(); deeper != nil && deeper.Len <= v.Len {
		r.addTable(deeper)
	}
	if r.tables[v] == nil {
		t := NewBlock(v.Len)
		r.read(v, 0, t)
		r.tables[v] = t
	}
}

// Read fills the block from rows lo to lo+n of batch c. The block must have room for n rows; it is cut to n.
func (r *Reader) Read(c, lo, n int, b *Block) {
	b.cut(n)
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
	for i := range b.H {
		b.H[i] = 0
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
		a.words(lo, b)
	case Text:
		a.texts(lo, b)
	case Digest:
		a.digests(lo, b)
	case Rank64:
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
	var any uint8
	p := a.off + lo
	for i := range b.Null {
		z := ^a.valid[(p+i)>>3] >> ((p + i) & 7) & 1
		b.Null[i] = z
		any |= z
	}
	b.AnyNull = any != 0
}

// nulls overwrites what was read from the slots of NULL rows.
func (b *Block) nulls() {
	if !b.AnyNull {
		return
	}
	for i, z := range b.Null {
		if z != 0 {
			b.K0[i], b.K1[i], b.H[i] = 0, 0, nullHash
		}
	}
}

// gather reads an adaptor through the table of its values.
func (r *Reader) gather(a *Array, lo int, b *Block, t *Block) {
	var any uint8
	put := func(i, p int) {
		b.K0[i], b.K1[i], b.H[i], b.Null[i] = t.K0[p], t.K1[p], t.H[p], t.Null[p]
		any |= t.Null[p]
	}
	if a.Kind == KindRuns {
		ends := a.kids[0]
		run := a.run(lo)
		for i := range b.K0 {
			for ends.intAt(ends.Kind, ends.off+run) <= int64(a.off+lo+i) {
				run++
			}
			put(i, run)
		}
		b.AnyNull = any != 0
		return
	}
	for i := range b.K0 {
		p := a.off + lo + i
		if a.valid != nil && !bit(a.valid, p) {
			b.K0[i], b.K1[i], b.H[i], b.Null[i] = 0, 0, nullHash, 1
			any = 1
			continue
		}
		put(i, int(a.intAt(a.index, p)))
	}
	b.AnyNull = any != 0
}

// cells reads an adaptor row by row, for dictionaries with more values than there are rows.
func (r *Reader) cells(a *Array, lo int, b *Block) {
	one := NewBlock(1)
	any := false
	for i := range b.K0 {
		if a.Null(lo + i) {
			b.K0[i], b.K1[i], b.H[i], b.Null[i] = 0, 0, nullHash, 1
			any = true
			continue
		}
		l, p := a.leaf(lo + i)
		r.read(l, p, one)
		b.K0[i], b.K1[i], b.H[i] = one.K0[0], one.K1[0], one.H[0]
	}
	b.AnyNull = any
}

func intWords[T constraints.Integer](v []T, dst []uint64) {
	v = v[:len(dst)]
	for i, x := range v {
		dst[i] = uint64(int64(x))
	}
}

// rawWords puts integers sign-extended, floats as the bits of one NaN and one zero.
func (a *Array) rawWords(lo int, dst []uint64) {
	p := a.off + lo
	switch a.Kind {
	case KindBool:
		for i := range dst {
			dst[i] = uint64(a.bits[(p+i)>>3] >> ((p + i) & 7) & 1)
		}
	case KindI8:
		intWords(a.i8[p:], dst)
	case KindI16:
		intWords(a.i16[p:], dst)
	case KindI32:
		intWords(a.i32[p:], dst)
	case KindI64:
		intWords(a.i64[p:], dst)
	case KindU8:
		intWords(a.u8[p:], dst)
	case KindU16:
		intWords(a.u16[p:], dst)
	case KindU32:
		intWords(a.u32[p:], dst)
	case KindU64:
		copy(dst, a.u64[p:p+len(dst)])
	case KindF64:
		for i, f := range a.f64[p : p+len(dst)] {
			dst[i] = canonical(f)
		}
	default:
		for i := range dst {
			dst[i] = canonical(a.float(lo + i))
		}
	}
}

func (a *Array) words(lo int, b *Block) {
	a.rawWords(lo, b.K0)
	h := b.H[:len(b.K0)]
	if a.mul == 1 {
		for i, w := range b.K0 {
			h[i] = mix64(w)
		}
		return
	}
	for i, w := range b.K0 {
		h[i] = mix64(w * a.mul)
	}
}

// texts is the hot loop of text keys. A text that is followed by enough bytes of the buffer is loaded as two
// words and masked; the others, and NULL slots, go the slow way.
func (a *Array) texts(lo int, b *Block) {
	if a.Kind == KindBytes32 {
		p := a.off + lo
		offs := a.i32[p : p+len(b.K0)+1]
		k0, k1, h := b.K0, b.K1[:len(b.K0)], b.H[:len(b.K0)]
		start := int(offs[0])
		for i := range k0 {
			end := int(offs[i+1])
			n := end - start
			if uint(n) <= MaxInline && start >= 0 && start+16 <= len(a.data) {
				w := a.data[start : start+16 : start+16]
				x, y := binary.LittleEndian.Uint64(w), binary.LittleEndian.Uint64(w[8:])
				m := masks[n&15]
				x, y = x&m[0], y&m[1]|uint64(n)<<56
				k0[i], k1[i], h[i] = x, y, mix2(x, y)
			} else if b.Null[i] == 0 {
				k0[i], k1[i], h[i] = textKey(a.data[start:end])
			}
			start = end
		}
		return
	}
	for i := range b.K0 {
		if b.Null[i] == 0 {
			b.K0[i], b.K1[i], b.H[i] = textKey(a.bytes(lo + i))
		}
	}
}

// masks[n] keeps the first n bytes of two words.
var masks = func() (m [16][2]uint64) {
	for n := range m {
		for i := range n {
			m[n][i>>3] |= 0xff << (8 * (i & 7))
		}
	}
	return m
}()

func textKey(t []byte) (k0, k1, h uint64) {
	if len(t) <= MaxInline {
		k0, k1 = inline(t)
		return k0, k1, mix2(k0, k1)
	}
	k0 = xxhash.Sum64(t)
	return k0, maphash.Bytes(secretSeed, t) | LongText<<56, mix64(k0)
}

func (a *Array) digests(lo int, b *Block) {
	switch a.Family {
	case TextFamily, BinaryFamily, StructFamily, ListFamily, DecimalFamily:
		stable, keyed := hasher{}, hasher{secret: true}
		for i := range b.K0 {
			if b.Null[i] == 0 {
				b.H[i], b.K1[i] = stable.cell(a, lo+i), keyed.cell(a, lo+i)
			}
		}
		return
	}
	a.words(lo, b)
	for i, w := range b.K0 {
		b.K1[i] = mix2(w*a.mul, secretWord)
	}
}

const signBit = 1 << 63

func (a *Array) ranks(lo int, b *Block) {
	switch a.Family {
	case TextFamily, BinaryFamily:
		for i := range b.K0 {
			if b.Null[i] == 0 {
				b.K0[i] = prefix(a.bytes(lo + i))
			}
		}
	case DecimalFamily:
		for i := range b.K0 {
			b.K0[i] = clamp(a.limbs(lo + i))
		}
	case FloatFamily:
		a.rawWords(lo, b.K0)
		for i, w := range b.K0 {
			// All bits flip for negative numbers, the sign alone for others.
			b.K0[i] = w ^ (uint64(int64(w)>>63) | signBit)
		}
	default:
		a.rawWords(lo, b.K0)
		if a.Kind == KindU64 || a.Kind == KindBool {
			return
		}
		for i := range b.K0 {
			b.K0[i] ^= signBit
		}
	}
}

// prefix returns the first eight bytes, the first highest.
func prefix(t []byte) uint64 {
	if len(t) >= 8 {
		return binary.BigEndian.Uint64(t)
	}
	var w uint64
	for i, c := range t {
		w |= uint64(c) << (56 - 8*i)
	}
	return w
}

// clamp brings a 256-bit integer into the range of 64 bits, growing with it.
func clamp(l [4]uint64) uint64 {
	sign := uint64(int64(l[3]) >> 63)
	if l[1] == sign && l[2] == sign && l[3] == sign && l[0]>>63 == sign&1 {
		return l[0] ^ signBit
	}
	if sign != 0 {
		return 0
	}
	return math.MaxUint64
}
