package keyset

import (
	"slices"

	"github.com/onerow-go/onerow/internal/form"
)

// A key whose columns don't fit two words by their types may fit them by its values: a text is short, or one of few; an integer is small. A sample
// says what suits each column (see sample.go). After that each key goes by its own values. If all its cells are as the sample promised, they lie
// side by side and decide; else the key is a digest, as if nothing had been tried. Equal keys go one way, so a sample that misleads
// costs time and nothing else.
//
//	bits 0 to 119    the cells, the widest first
//	bits 120 to 126  a bit for each column: the cell is NULL
//	bits 120 to 127  all set (form.LongText): the key is a digest

const (
	fitBits    = 120
	fitColumns = 7
)

// fitted is the place of a column in such a key.
type fitted struct {
	way   way
	shift uint // of its lowest bit
	bits  uint
	whole bool // byWord: no cell needs more bits
	codes *codes
}

// way says how a cell comes into its place.
type way uint8

const (
	byWord way = iota // its canonical word, without the high bits that repeat the sign
	byText            // its bytes, and then their number
	byCode            // its number among the values of the column
)

// mode says how the column is read, to be brought into its place then.
func (w way) mode(c *form.Column) form.Mode {
	switch {
	case w == byWord:
		return form.Word
	case isText(c):
		return form.Text
	}
	return form.Digest
}

// layOut puts the columns side by side, if there is room for them.
func layOut(fits []fitted) bool {
	order := make([]int, len(fits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(fits[b].bits) - int(fits[a].bits) })
	at := uint(0)
	for _, i := range order {
		fits[i].shift = at
		at += fits[i].bits
	}
	return at <= fitBits
}

// fitting is room for what is known of the keys of a block.
type fitting struct {
	miss   []uint8 // 1: the key is to be a digest
	missed bool
	by     numbering
}

// readFit reads the keys of rows lo to lo+n of batch c into the block's sum, but for their first words, which it returns.
func (b *Block[K]) readFit(k *Keys, c, lo, n int) (first []uint64) {
	sum, f := b.sum, b.fit
	sum.Grow(n)
	clear(sum.K0)
	clear(sum.K1)
	clear(sum.Null)
	sum.AnyNull = false
	f.miss, f.missed = f.miss[:n], false
	clear(f.miss)
	first = sum.K0
	for j := range k.fits {
		at, a, row := &k.fits[j], k.cols[j].Chunks[c], k.cols[j].Start(c)+uint32(lo)
		if at.isFirst() {
			// Nothing else is in the first word: it is where it is needed, or is read right there.
			if words, _ := a.Raw(lo, n); words != nil {
				first = words
				continue
			}
			words := b.raw.K0
			b.raw.K0 = sum.K0
			k.readers[j].Read(c, lo, n, b.raw)
			b.raw.K0 = words
		} else if !at.addCodes(a, lo, row, sum, f) {
			k.readers[j].Read(c, lo, n, b.raw)
			at.add(b.raw, sum, row, f)
		} else {
			continue
		}
		if b.raw.AnyNull {
			b.countNulls(j)
			markNulls(b.raw, sum, uint(j))
		}
	}
	if f.missed {
		if &first[0] != &sum.K0[0] {
			copy(sum.K0, first)
		}
		k.digestMissed(c, lo, sum, f.miss)
		first = sum.K0
	}
	return first
}

// isFirst says whether the column fills the first word.
func (f *fitted) isFirst() bool { return f.way == byWord && f.bits == 64 && f.shift == 0 }

// addCodes brings the numbers of texts into their place right from the column's memory, if they can be read there and the place is in one word.
func (f *fitted) addCodes(a *form.Array, lo int, row uint32, sum *form.Block, to *fitting) bool {
	switch {
	case f.way != byCode:
	case f.shift >= 64:
		return f.codes.texts(a, lo, row, sum.K1, f.shift-64, to)
	case f.shift+f.bits <= 64:
		return f.codes.texts(a, lo, row, sum.K0, f.shift, to)
	}
	return false
}

func markNulls(b, sum *form.Block, col uint) {
	sum.AnyNull = true
	shift := fitBits - 64 + col&7
	for i, z := range b.Null {
		sum.Null[i] |= z
		sum.K1[i] |= uint64(z) << shift
	}
}

// add brings the cells of a block, which begins at a row, into their place.
func (f *fitted) add(b, sum *form.Block, row uint32, to *fitting) {
	switch f.way {
	case byText:
		f.addTexts(b, sum, to)
		return
	case byCode:
		to.missed = f.codes.number(b, row, to.miss, &to.by) || to.missed
	case byWord:
		if !f.whole {
			f.checkWords(b, to)
		}
	}
	mask, low := ^uint64(0)>>(64-max(f.bits, 1)), b.K0
	switch shift := f.shift; {
	case shift >= 64:
		k1 := sum.K1[:len(low)]
		for i, w := range low {
			k1[i] |= w & mask << (shift - 64)
		}
	case shift+f.bits <= 64:
		k0 := sum.K0[:len(low)]
		for i, w := range low {
			k0[i] |= w & mask << shift
		}
	default:
		for i, w := range low {
			sum.K0[i] |= w << shift
			sum.K1[i] |= w & mask >> (64 - shift)
		}
	}
}

// checkWords misses words that need more bits.
func (f *fitted) checkWords(b *form.Block, to *fitting) {
	s := 64 - f.bits
	over := uint8(0)
	for i, w := range b.K0 {
		var z uint8
		if uint64(int64(w<<s)>>s) != w {
			z = 1
		}
		to.miss[i] |= z
		over |= z
	}
	to.missed = to.missed || over != 0
}

// addTexts brings texts of form.Text into their place: the bytes, then their number.
func (f *fitted) addTexts(b, sum *form.Block, to *fitting) {
	room, shift := f.bits-8, f.shift
	k0, k1, miss := b.K0, b.K1[:len(b.K0)], to.miss[:len(b.K0)]
	for i, x := range k0 {
		n := k1[i] >> 56
		if n > uint64(room)/8 {
			miss[i], to.missed = 1, true
			continue
		}
		y := k1[i]&(1<<56-1) | n<<(room-64) // a shift by more than 63 leaves nothing
		x |= n << room
		sum.K0[i] |= x << shift
		sum.K1[i] |= x>>(64-shift) | x<<(shift-64) | y<<shift
	}
}

// digestMissed makes digests of the keys that don't fit.
func (k *Keys) digestMissed(c, lo int, sum *form.Block, miss []uint8) {
	for i, z := range miss {
		if z == 0 {
			continue
		}
		var stable, secret uint64
		for _, col := range k.cols {
			h, s := form.DigestOf(col.Chunks[c], lo+i)
			stable, secret = form.Combine(stable, h), form.Combine(secret, s)
		}
		sum.K0[i], sum.K1[i] = stable, secret|form.LongText<<56
	}
}
