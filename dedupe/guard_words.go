package dedupe

import (
	"hash/maphash"
	"math/rand/v2"
	"slices"

	"github.com/onerow-go/onerow/internal/form"
)

// wordBlock is the number of rows whose words are read at a time: what is looked at for all of them stays in the first cache.
const wordBlock = 512

// guardSecret makes the words of keys. Equal keys have one word, in any encoding, width, scale or unit, and keys can't be crafted to have one word, or
// words that lie together.
//
// A key of one column of numbers or times has its number, in the finest unit, under a secret permutation; any other the hash of its canonical bytes
// (form.AppendCanonical) under a secret.
type guardSecret struct {
	seed     maphash.Seed
	flip     uint64
	one, two uint64 // odd
	null     uint64 // the word of a key that is one NULL
}

func newGuardSecret() guardSecret {
	s := guardSecret{seed: maphash.MakeSeed(), flip: rand.Uint64(), one: rand.Uint64() | 1, two: rand.Uint64() | 1}
	s.null = maphash.Bytes(s.seed, form.AppendCanonical(nil, form.Nulls(1), 0))
	return s
}

// permute is a permutation: two different numbers have different words.
func (s *guardSecret) permute(v uint64) uint64 {
	v = (v ^ s.flip) * s.one
	v = (v ^ v>>32) * s.two
	return v ^ v>>32
}

// keyReader reads the words of the keys of one batch or chunk. It belongs to one goroutine.
type keyReader struct {
	guardSecret
	cells  []*form.Array
	number bool // one column of numbers or times
	unit   uint64
	reader *form.Reader
	block  *form.Block
	bytes  []byte
}

// isNumber says whether keys of an array are words by their number.
func isNumber(a *form.Array) bool {
	switch a.Family {
	case form.IntFamily, form.DateFamily, form.TimeFamily, form.NaiveFamily, form.InstantFamily, form.DurationFamily:
		return true
	}
	return false
}

func (s *guardSecret) reader(cells []*form.Array) *keyReader {
	r := &keyReader{guardSecret: *s, cells: cells}
	if len(cells) == 1 && isNumber(cells[0]) {
		r.number, r.unit = true, cells[0].Measure().Unit
	}
	return r
}

// read puts the words of the rows from lo on, at most wordBlock.
func (r *keyReader) read(lo int, dst []uint64) {
	switch {
	case form.IsConstantHash():
		clear(dst)
	case !r.number:
		for i := range dst {
			r.bytes = r.bytes[:0]
			for _, a := range r.cells {
				r.bytes = form.AppendCanonical(r.bytes, a, lo+i)
			}
			dst[i] = maphash.Bytes(r.seed, r.bytes)
		}
	default:
		words, unit := r.cells[0].Raw(lo, len(dst))
		if words == nil {
			if r.block == nil {
				r.reader, r.block = form.NewReader(r.cells, form.Word), form.NewBlock(wordBlock)
			}
			r.reader.Read(0, lo, len(dst), r.block)
			words, unit = r.block.K0, r.unit
		}
		for i, w := range words[:len(dst)] {
			dst[i] = r.permute(w * unit)
		}
		if r.block != nil && r.block.AnyNull {
			for i, z := range r.block.Null {
				if z != 0 {
					dst[i] = r.guardSecret.null
				}
			}
		}
	}
}

// hasNull says whether the key of a row has NULL in it.
func hasNull(cells []*form.Array, i int) bool {
	for _, a := range cells {
		if a.Null(i) {
			return true
		}
	}
	return false
}

func mayNull(cells []*form.Array) bool { return slices.ContainsFunc(cells, (*form.Array).MayNull) }

// sameCells compares the keys of two rows.
func sameCells(a []*form.Array, i int, b []*form.Array, j int) bool {
	for c := range a {
		if form.Compare(a[c], i, b[c], j, form.ByValue) != 0 {
			return false
		}
	}
	return true
}
