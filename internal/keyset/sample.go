package keyset

import (
	"math/bits"
	"math/rand/v2"

	"github.com/onerow-go/onerow/internal/form"
)

// sampling says when and how columns are looked at before their keys are read. Tests change it.
var sampling = struct {
	from  uint32 // rows of fewer aren't worth it
	every uint32 // a row of so many is looked at,
	most  uint32 // and no more than these
	again int    // a column has few values if all but one cell of so many have a value that another one has too
	room  int    // values that get a number, at most
}{from: 1 << 14, every: 32, most: 2048, again: 8, room: 1 << 13}

// chooseFit chooses how keys fit two words by their values, if they do. Those of columns without a layout don't.
func (k *Keys) chooseFit() bool {
	if len(k.cols) > fitColumns || k.cols[0].Layout == nil {
		return false
	}
	fits := make([]fitted, len(k.cols))
	words := true
	for i, c := range k.cols {
		if fits[i].whole = form.FitsWord(c.Chunks); fits[i].whole {
			fits[i].bits = uint(8 * form.WordBytes(c.Chunks))
		}
		words = words && fits[i].whole
	}
	if !words || !layOut(fits) {
		if k.cols[0].Rows() < sampling.from || !k.fitSampled(fits) {
			return false
		}
	}
	k.fits = fits
	return true
}

// fitSampled looks at a sample of the columns that aren't words, and of others as long as there is no room for all.
func (k *Keys) fitSampled(fits []fitted) bool {
	seen := make([]*sample, len(fits))
	for i, c := range k.cols {
		if fits[i].whole {
			continue
		}
		s := sampleOf(c, byText.mode(c))
		seen[i] = s
		switch {
		case s.inline && isText(c):
			fits[i].way, fits[i].bits = byText, s.bits+8
		case s.few():
			fits[i] = s.coded(c)
		default:
			return false
		}
	}
	for !layOut(fits) {
		if !k.narrow(fits, seen) {
			return false
		}
	}
	return true
}

// codeBits is the room that a number takes.
const codeBits = 16

// narrow takes room from one column: from a text of few values, else from a word.
func (k *Keys) narrow(fits []fitted, seen []*sample) bool {
	for i, s := range seen {
		if s != nil && fits[i].way == byText && fits[i].bits > codeBits && s.few() {
			fits[i] = s.coded(k.cols[i])
			return true
		}
	}
	for i, c := range k.cols {
		if seen[i] == nil {
			seen[i] = sampleOf(c, form.Word)
			if seen[i].bits < fits[i].bits {
				fits[i].bits, fits[i].whole = seen[i].bits, false
				return true
			}
		}
	}
	return false
}

// sample is what some cells of a column show.
type sample struct {
	cells  int // not NULL
	bits   uint
	inline bool // Mode Text: all cells are inlined
	times  map[[2]uint64]int
}

// sampleOf looks at a cell here and there, at random: no table can be made for it.
func sampleOf(c *form.Column, mode form.Mode) *sample {
	rows := c.Rows()
	n := min(max(rows/sampling.every, 1), sampling.most)
	s := &sample{times: make(map[[2]uint64]int), inline: true}
	reader, b := form.Peek(c.Chunks, mode), form.NewBlock(1)
	for i := range n {
		lo, hi := uint32(uint64(rows)*uint64(i)/uint64(n)), uint32(uint64(rows)*uint64(i+1)/uint64(n))
		chunk, at := c.At(lo + rand.Uint32N(hi-lo))
		if reader.Read(chunk, at, 1, b); !b.AnyNull {
			s.add(b, mode)
		}
	}
	return s
}

func (s *sample) add(b *form.Block, mode form.Mode) {
	s.cells++
	switch mode {
	case form.Word:
		w := int64(b.K0[0])
		s.bits = max(s.bits, uint(bits.Len64(uint64(w^w>>63))+8)&^7) // with a bit for the sign
	case form.Text:
		s.bits = max(s.bits, uint(8*(b.K1[0]>>56)))
		s.inline = s.inline && b.K1[0]>>56 != form.LongText
		s.times[[2]uint64{b.K0[0], b.K1[0]}]++
	default:
		s.times[[2]uint64{b.K1[0]}]++
	}
}

// few says whether nearly every cell has a value that others have too.
func (s *sample) few() bool {
	single := 0
	for _, n := range s.times {
		if n == 1 {
			single++
		}
	}
	return single*sampling.again <= s.cells
}

// coded gives numbers to a few times the values that are in the sample.
func (s *sample) coded(c *form.Column) fitted {
	return fitted{way: byCode, bits: codeBits, codes: newCodes(c, min(max(8*len(s.times), 64), sampling.room))}
}
