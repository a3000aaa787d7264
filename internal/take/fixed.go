package take

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/prefetch"
	"github.com/onerow-go/onerow/internal/vector"
)

func (g *gather) bools(t arrow.DataType, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	buf := g.buffer((len(p.rows) + 7) / 8)
	clear(buf.Bytes())
	srcs := typed[uint8](cs, 1)
	err = g.each(p, func(g *gather, _ int, segs []segment) error {
		for _, s := range segs {
			if err := g.tick(s.hi - s.lo); err != nil {
				return err
			}
			gatherBits(buf.Bytes(), srcs[s.chunk], cs[s.chunk].at, s, p.rows, v.bits)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return g.data(t, len(p.rows), v.nulls, nil, v.buffer, buf), nil
}

// fixed gathers elements of width bytes.
func (g *gather) fixed(t arrow.DataType, width int, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	buf, err := g.words(width, cs, 1, p, v.bits)
	if err != nil {
		return nil, err
	}
	return g.data(t, len(p.rows), v.nulls, nil, v.buffer, buf), nil
}

// words gathers elements of width bytes from buffer i, with zeros where valid has a 0 bit; nil valid reads all.
func (g *gather) words(width int, cs []chunk, i int, p *picks, valid []byte) (*memory.Buffer, error) {
	switch width {
	case 1:
		return gatherWords[uint8](g, cs, i, p, valid)
	case 2:
		return gatherWords[uint16](g, cs, i, p, valid)
	case 4:
		return gatherWords[uint32](g, cs, i, p, valid)
	case 8:
		return gatherWords[uint64](g, cs, i, p, valid)
	case 16:
		return gatherWords[decimal128.Num](g, cs, i, p, valid)
	case 32:
		return gatherWords[decimal256.Num](g, cs, i, p, valid)
	default:
		return g.wide(width, cs, i, p, valid)
	}
}

// word is a fixed-width element, whatever it stands for.
type word interface {
	uint8 | uint16 | uint32 | uint64 | decimal128.Num | decimal256.Num
}

func gatherWords[T word](g *gather, cs []chunk, i int, p *picks, valid []byte) (*memory.Buffer, error) {
	buf := g.buffer(len(p.rows) * widthOf[T]())
	out, srcs := arrow.GetData[T](buf.Bytes()), typed[T](cs, i)
	err := g.each(p, func(g *gather, _ int, segs []segment) error {
		for _, s := range segs {
			if err := g.tick(s.hi - s.lo); err != nil {
				return err
			}
			segmentWords(out, srcs[s.chunk], s.base+cs[s.chunk].at, s, p, valid)
		}
		return nil
	})
	return buf, err
}

// segmentWords gathers the elements of a segment; base is what its rows are counted from in src.
func segmentWords[T word](out, src []T, base int, s segment, p *picks, valid []byte) {
	var zero T
	dst, rows := out[s.lo:s.hi], p.rows[s.lo:s.hi]
	if isConstant(rows) && isUniform(valid, s) {
		cell := zero
		if valid == nil || bit(valid, s.lo) {
			cell = src[int(rows[0])+base]
		}
		for k := range dst {
			dst[k] = cell
		}
		return
	}
	switch {
	case valid == nil && p.many() && len(rows) >= leastStream:
		lead := -s.lo & (prefetch.Line/widthOf[T]() - 1) // to the next whole line
		pickWords(dst[:lead], src, base, rows[:lead])
		streamWords(dst[lead:], src, base, rows[lead:])
		return
	case valid == nil:
		ahead(src, base, 1, rows, false, func(lo, hi int) { pickWords(dst[lo:hi], src, base, rows[lo:hi]) })
		return
	}
	for k, r := range rows {
		if bit(valid, s.lo+k) {
			dst[k] = src[int(r)+base]
		} else {
			dst[k] = zero
		}
	}
}

// leastStream is the least number of rows of a segment whose elements are streamed: the end of it is waited for.
const leastStream = 1024

// streamWords is pickWords for more rows than caches hold: what is gathered goes to memory.
func streamWords[T word](dst, src []T, base int, rows []uint32) {
	var room [wordStep]T
	ahead(src, base, 1, rows, true, func(lo, hi int) {
		step := room[:hi-lo]
		pickWords(step, src, base, rows[lo:hi])
		vector.Stream(arrow.GetBytes(dst[lo:hi]), arrow.GetBytes(step))
	})
	vector.Settle()
}

// pickWords gathers elements of which none is NULL.
func pickWords[T word](dst, src []T, base int, rows []uint32) {
	dst = dst[:len(rows)]
	for k, r := range rows {
		dst[k] = src[int(r)+base]
	}
}

// isUniform says whether the rows of a segment are all NULL, or none is.
func isUniform(valid []byte, s segment) bool {
	if valid == nil {
		return true
	}
	n := bitutil.CountSetBits(valid, s.lo, s.hi-s.lo)
	return n == 0 || n == s.hi-s.lo
}

// widthOf returns the number of bytes of a T.
func widthOf[T word]() int { return len(arrow.GetBytes(make([]T, 1))) }

// wide gathers elements of any width.
func (g *gather) wide(width int, cs []chunk, i int, p *picks, valid []byte) (*memory.Buffer, error) {
	buf := g.buffer(len(p.rows) * width)
	out, srcs := buf.Bytes(), typed[uint8](cs, i)
	err := g.each(p, func(g *gather, _ int, segs []segment) error {
		for _, s := range segs {
			if err := g.tick((s.hi - s.lo) * (1 + width/64)); err != nil {
				return err
			}
			src, base := srcs[s.chunk], s.base+cs[s.chunk].at
			for k := s.lo; k < s.hi; k++ {
				dst := out[k*width : (k+1)*width]
				if valid == nil || bit(valid, k) {
					e := int(p.rows[k]) + base
					copy(dst, src[e*width:(e+1)*width])
				} else {
					clear(dst)
				}
			}
		}
		return nil
	})
	return buf, err
}
