package take

import (
	"fmt"
	"math"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// runs gathers a run-end array: a run of the output is a run of rows that lie next to each other and take from one run of
// the input.
func (g *gather) runs(t arrow.DataType, layout *arrow.RunEndEncodedType, cs []chunk, p *picks) (*array.Data, error) {
	switch layout.RunEnds().ID() {
	case arrow.INT16:
		return runColumn[int16](g, t, layout, cs, p, math.MaxInt16)
	case arrow.INT32:
		return runColumn[int32](g, t, layout, cs, p, math.MaxInt32)
	default:
		return runColumn[int64](g, t, layout, cs, p, math.MaxInt)
	}
}

func runColumn[T int16 | int32 | int64](g *gather, t arrow.DataType, layout *arrow.RunEndEncodedType, cs []chunk, p *picks, limit int) (*array.Data, error) {
	if n := len(p.rows); n > limit {
		return nil, &SizeError{Type: t, Size: int64(n), Limit: int64(limit), Unit: Rows}
	}
	ends, below, err := runPicks[T](g, t, cs, p)
	if err != nil {
		return nil, err
	}
	buf := g.buffer(len(arrow.GetBytes(ends)))
	copy(buf.Bytes(), arrow.GetBytes(ends))
	endData := g.data(layout.RunEnds(), len(ends), 0, nil, nil, buf)
	values, err := g.column(layout.Encoded(), children(cs, 1), below)
	if err != nil {
		return nil, err
	}
	return g.data(t, len(p.rows), 0, []arrow.ArrayData{endData, values}, nil), nil
}

// runPicks returns the output's run ends and the picks of its runs' values.
func runPicks[T int16 | int32 | int64](g *gather, t arrow.DataType, cs []chunk, p *picks) ([]T, *picks, error) {
	var ends []T
	below := newPicks(0)
	open, openChunk := -2, -1 // the run of the row before, -1 for a masked one; and its chunk
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return nil, nil, err
		}
		src := runEnds[T](cs[s.chunk])
		base := s.base + cs[s.chunk].at
		run := 0
		for k := s.lo; k < s.hi; k++ {
			masked := p.mask != nil && !bit(p.mask, k)
			if masked {
				if open != -1 {
					ends, open = append(ends, 0), -1
					below.addNull(1)
				}
			} else {
				e := int64(p.rows[k]) + int64(base)
				if run = findRun(src, e, run); run == len(src) {
					return nil, nil, &DataError{Type: t, Why: fmt.Sprintf("no run holds element %d", e)}
				}
				if open != run || openChunk != s.chunk {
					ends, open, openChunk = append(ends, 0), run, s.chunk
					below.add(s.chunk, run, 1)
				}
			}
			ends[len(ends)-1] = T(k + 1)
		}
	}
	return ends, below, nil
}

func runEnds[T int16 | int32 | int64](c chunk) []T {
	d := newChunk(c.data.Children()[0])
	if d.data.Len() == 0 {
		return nil
	}
	all := arrow.GetData[T](d.bytes(1))
	return all[d.at : d.at+d.data.Len()]
}

// findRun returns the run that holds element e, trying run and the one after it first; len(ends) when there is none.
func findRun[T int16 | int32 | int64](ends []T, e int64, run int) int {
	for next := run; next < min(len(ends), run+2); next++ {
		if e < int64(ends[next]) && (next == 0 || e >= int64(ends[next-1])) {
			return next
		}
	}
	return sort.Search(len(ends), func(i int) bool { return int64(ends[i]) > e })
}
