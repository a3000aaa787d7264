package recast

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"golang.org/x/exp/constraints"
)

type integer interface {
	constraints.Integer
	arrow.FixedWidthType
}

// scale says what a raw value is multiplied with, or divided by; one of them is 1.
type scale struct{ up, down int64 }

// ints converts what is an integer in the buffers: integers, and dates and times of some unit.
func (c *caster) ints(r rows, to arrow.DataType) (arrow.ArrayData, []int, error) {
	s := scale{1, 1}
	if a, b := unit(r.data.DataType()), unit(to); a >= b {
		s.up = a / b
	} else {
		s.down = b / a
	}
	buf := c.buffer(r.n * to.(arrow.FixedWidthDataType).Bytes())
	out := buf.Bytes()
	var unfit []int
	switch raw := rawInt(r.data.DataType()); raw {
	case arrow.INT8:
		unfit = intsOf[int8](r, rawInt(to), out, s)
	case arrow.INT16:
		unfit = intsOf[int16](r, rawInt(to), out, s)
	case arrow.INT32:
		unfit = intsOf[int32](r, rawInt(to), out, s)
	case arrow.INT64:
		unfit = intsOf[int64](r, rawInt(to), out, s)
	case arrow.UINT8:
		unfit = intsOf[uint8](r, rawInt(to), out, s)
	case arrow.UINT16:
		unfit = intsOf[uint16](r, rawInt(to), out, s)
	case arrow.UINT32:
		unfit = intsOf[uint32](r, rawInt(to), out, s)
	case arrow.UINT64:
		unfit = intsOf[uint64](r, rawInt(to), out, s)
	default:
		return nil, nil, fmt.Errorf("type %v has no integers", r.data.DataType())
	}
	return c.result(to, r, unfit, nil, buf)
}

// rawInt returns the integer type that a type's buffer holds.
func rawInt(t arrow.DataType) arrow.Type {
	switch t.ID() {
	case arrow.DATE32, arrow.TIME32:
		return arrow.INT32
	case arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return arrow.INT64
	}
	return t.ID()
}

// unit returns the unit of a date in milliseconds, of a time in nanoseconds, and 1 for integers.
func unit(t arrow.DataType) int64 {
	switch t := t.(type) {
	case *arrow.Date32Type:
		return 86_400_000
	case *arrow.Time32Type:
		return int64(t.Unit.Multiplier())
	case *arrow.Time64Type:
		return int64(t.Unit.Multiplier())
	case *arrow.TimestampType:
		return int64(t.Unit.Multiplier())
	case *arrow.DurationType:
		return int64(t.Unit.Multiplier())
	}
	return 1
}

func intsOf[S integer](r rows, to arrow.Type, out []byte, s scale) []int {
	src := words[S](&r)
	switch to {
	case arrow.INT8:
		return plainInts(r, src, arrow.GetData[int8](out))
	case arrow.INT16:
		return plainInts(r, src, arrow.GetData[int16](out))
	case arrow.INT32:
		if s != (scale{1, 1}) {
			return scaledInts(r, src, arrow.GetData[int32](out), s, -1<<31, 1<<31-1)
		}
		return plainInts(r, src, arrow.GetData[int32](out))
	case arrow.INT64:
		if s != (scale{1, 1}) {
			return scaledInts(r, src, arrow.GetData[int64](out), s, -1<<63, 1<<63-1)
		}
		return plainInts(r, src, arrow.GetData[int64](out))
	case arrow.UINT8:
		return plainInts(r, src, arrow.GetData[uint8](out))
	case arrow.UINT16:
		return plainInts(r, src, arrow.GetData[uint16](out))
	case arrow.UINT32:
		return plainInts(r, src, arrow.GetData[uint32](out))
	}
	return plainInts(r, src, arrow.GetData[uint64](out))
}

func plainInts[S, D integer](r rows, src []S, out []D) (unfit []int) {
	out = out[:len(src)]
	for i, x := range src {
		if !r.has(i) {
			continue
		}
		y := D(x)
		out[i] = y
		if S(y) != x || (y < 0) != (x < 0) {
			unfit = append(unfit, i)
		}
	}
	return unfit
}

// scaledInts converts to another unit; least and most bound the results.
func scaledInts[S, D integer](r rows, src []S, out []D, s scale, least, most int64) (unfit []int) {
	out = out[:len(src)]
	lo, hi := least/s.up, most/s.up
	for i, x := range src {
		if !r.has(i) {
			continue
		}
		y := int64(x) / s.down
		if y*s.down != int64(x) || y < lo || y > hi {
			unfit = append(unfit, i)
			continue
		}
		out[i] = D(y * s.up)
	}
	return unfit
}
