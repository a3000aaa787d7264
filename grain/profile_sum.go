package grain

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// summer adds cells up, one a worker. Sums of several workers can be added in any order.
type summer interface {
	// add adds the rows of a block.
	add(chunk, lo, n int, row uint32)
	// join adds the sum of another summer of the column.
	join(summer)
	// text is the sum as a decimal number.
	text() string
	// rows is the number of values.
	rows() int64
}

// sumOf sums a column.
func sumOf(ctx context.Context, t *frame.Table, c *form.Column, workers int) (Sum, error) {
	spans := keyset.Spans(t.Lens(), t.Start)
	all := make([]summer, max(1, min(workers, len(spans))))
	var reader *form.Reader
	if form.FamilyOf(c.Type) != form.DecimalFamily {
		reader = form.NewReader(c.Chunks, form.Word)
	}
	for i := range all {
		all[i] = newSummer(c, reader)
	}
	err := keyset.Run(ctx, len(all), len(spans), func(w, task int) error {
		s := spans[task]
		s.Blocks(func(lo, n int, row uint32) { all[w].add(s.Chunk, lo, n, row) })
		return nil
	})
	if err != nil {
		return Sum{}, err
	}
	for _, s := range all[1:] {
		all[0].join(s)
	}
	return Sum{Column: c.Name, Sum: all[0].text(), Rows: all[0].rows()}, nil
}

func newSummer(c *form.Column, reader *form.Reader) summer {
	logical := form.Logical(c.Type)
	w := words{reader: reader, block: form.NewBlock(keyset.BlockRows)}
	switch form.FamilyOf(logical) {
	case form.FloatFamily:
		return &floatSum{words: w}
	case form.DecimalFamily:
		return &decimalSum{column: c, scale: logical.(arrow.DecimalType).GetScale()}
	}
	s := &intSum{words: w, signed: logical.ID() != arrow.UINT64, mul: 1}
	if d, ok := logical.(*arrow.DurationType); ok {
		s.mul, s.scale = int64(d.Unit.Multiplier()), 9
	}
	return s
}

// words reads cells as words.
type words struct {
	reader *form.Reader
	block  *form.Block
	values int64
}

// read returns the words of a block of rows, and 1 for those that are NULL.
func (w *words) read(chunk, lo, n int) ([]uint64, []uint8) {
	w.reader.Read(chunk, lo, n, w.block)
	for _, z := range w.block.Null {
		w.values += int64(1 - z)
	}
	return w.block.K0, w.block.Null
}

func (w *words) rows() int64 { return w.values }

// intSum is a sum of integers in 128 bits, which hold more than there are rows.
type intSum struct {
	words
	signed bool
	hi, lo uint64
	mul    int64 // of the sum
	scale  int32 // of the sum
}

func (s *intSum) add(chunk, lo, n int, _ uint32) {
	cells, null := s.read(chunk, lo, n)
	for i, w := range cells {
		if null[i] != 0 {
			continue
		}
		var carry uint64
		s.lo, carry = bits.Add64(s.lo, w, 0)
		s.hi += carry
		if s.signed {
			s.hi += uint64(int64(w) >> 63)
		}
	}
}

func (s *intSum) join(other summer) {
	o := other.(*intSum)
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, o.lo, 0)
	s.hi += o.hi + carry
	s.values += o.values
}

func (s *intSum) text() string {
	n := twosComplement([]uint64{s.lo, s.hi})
	return decimalText(n.Mul(n, big.NewInt(s.mul)), s.scale)
}

// decimalSum is a sum of decimals of one scale in 320 bits.
type decimalSum struct {
	column *form.Column
	scale  int32
	limbs  [5]uint64
	values int64
}

func (s *decimalSum) add(_, _, n int, row uint32) {
	for i := range uint32(n) {
		if limbs, _, ok := s.column.Decimal(row + i); ok {
			s.values++
			s.addLimbs([5]uint64{limbs[0], limbs[1], limbs[2], limbs[3], uint64(int64(limbs[3]) >> 63)})
		}
	}
}

func (s *decimalSum) addLimbs(limbs [5]uint64) {
	var carry uint64
	for i, l := range limbs {
		s.limbs[i], carry = bits.Add64(s.limbs[i], l, carry)
	}
}

func (s *decimalSum) join(other summer) {
	o := other.(*decimalSum)
	s.values += o.values
	s.addLimbs(o.limbs)
}

func (s *decimalSum) text() string { return decimalText(twosComplement(s.limbs[:]), s.scale) }
func (s *decimalSum) rows() int64  { return s.values }

// floatSum is an exact sum of floats: a signed sum of significands for each exponent, in 128 bits.
type floatSum struct {
	words
	sums             [2047]struct{ hi, lo uint64 }
	nan, plus, minus bool // NaN, or an infinity of either sign, is among them
}

func (s *floatSum) add(chunk, lo, n int, _ uint32) {
	cells, null := s.read(chunk, lo, n)
	for i, w := range cells {
		if null[i] != 0 {
			continue
		}
		exponent := w >> 52 & 0x7ff
		if exponent == 0x7ff {
			s.special(math.Float64frombits(w))
			continue
		}
		m := int64(w & (1<<52 - 1))
		if exponent != 0 {
			m |= 1 << 52
		}
		if w>>63 != 0 {
			m = -m
		}
		at := &s.sums[exponent]
		var carry uint64
		at.lo, carry = bits.Add64(at.lo, uint64(m), 0)
		at.hi += carry + uint64(m>>63)
	}
}

func (s *floatSum) special(f float64) {
	switch {
	case f != f:
		s.nan = true
	case f > 0:
		s.plus = true
	default:
		s.minus = true
	}
}

func (s *floatSum) join(other summer) {
	o := other.(*floatSum)
	for i := range s.sums {
		var carry uint64
		s.sums[i].lo, carry = bits.Add64(s.sums[i].lo, o.sums[i].lo, 0)
		s.sums[i].hi += o.sums[i].hi + carry
	}
	s.nan, s.plus, s.minus = s.nan || o.nan, s.plus || o.plus, s.minus || o.minus
	s.values += o.values
}

func (s *floatSum) text() string {
	switch {
	case s.nan || s.plus && s.minus:
		return "NaN"
	case s.plus:
		return "Infinity"
	case s.minus:
		return "-Infinity"
	}
	// In units of the smallest float64, 2^-1074, which is that of the exponents 0 and 1.
	sum := new(big.Int)
	for e, at := range s.sums {
		if at.hi|at.lo != 0 {
			part := twosComplement([]uint64{at.lo, at.hi})
			sum.Add(sum, part.Lsh(part, uint(max(e, 1)-1)))
		}
	}
	f, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(sum), -1074).Float64()
	switch {
	case math.IsInf(f, 1): // the exact sum is beyond the floats
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// twosComplement reads limbs, the lowest first.
func twosComplement(limbs []uint64) *big.Int {
	n, limb := new(big.Int), new(big.Int)
	for i := len(limbs) - 1; i >= 0; i-- {
		n.Or(n.Lsh(n, 64), limb.SetUint64(limbs[i]))
	}
	if limbs[len(limbs)-1]>>63 != 0 {
		n.Sub(n, limb.Lsh(big.NewInt(1), uint(64*len(limbs))))
	}
	return n
}

// decimalText writes n / 10^scale, with all the digits of its scale for decimals.
func decimalText(n *big.Int, scale int32) string {
	switch {
	case scale < 0:
		return new(big.Int).Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(-int64(scale)), nil)).String()
	case scale == 0:
		return n.String()
	}
	sign := ""
	if n.Sign() < 0 {
		sign = "-"
	}
	digits := new(big.Int).Abs(n).String()
	if short := int(scale) + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	at := len(digits) - int(scale)
	return sign + digits[:at] + "." + digits[at:]
}
