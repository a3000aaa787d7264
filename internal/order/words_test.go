package order_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/order"
)

// TestWordsOutsideTheSample: columns of many rows and several chunks, some without NULL, some with nothing else, whose rare extremes the fit of the
// words hardly ever sees.
func TestWordsOutsideTheSample(t *testing.T) {
	mem := arrowtest.Allocator(t)
	types := []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float32,
		arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String, &arrow.Decimal128Type{Precision: 38, Scale: 2}, arrow.FixedWidthTypes.Duration_ns}
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 99))
		typ := types[int(seed)%len(types)]
		dict := r.IntN(4) == 0 && typ.ID() != arrow.BOOL
		var chunks []arrow.Array
		var lens []int
		center := r.Int64() >> r.IntN(64)
		spread := int64(1) << r.IntN(40)
		for range 1 + r.IntN(5) {
			n := []int{0, 1, 100, 3000, 9000}[r.IntN(5)]
			mode := r.IntN(4) // 0 no NULLs, 1 some, 2 all, 3 none
			var b array.Builder
			full := typ
			if dict {
				full = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: typ}
			}
			b = array.NewBuilder(mem, full)
			for range n {
				if mode == 2 || mode == 1 && r.IntN(5) == 0 {
					b.AppendNull()
					continue
				}
				v := center + r.Int64N(spread)
				if r.IntN(300) == 0 {
					v = []int64{math.MinInt64, math.MaxInt64, 0, -1, 1, r.Int64(), -r.Int64()}[r.IntN(7)]
				}
				appendAny(mem, b, typ, v, r)
			}
			a := b.NewArray()
			t.Cleanup(a.Release)
			b.Release()
			if n > 10 && r.IntN(2) == 0 {
				k := r.IntN(9)
				a = array.NewSlice(a, int64(k), int64(n-r.IntN(2)))
				t.Cleanup(a.Release)
			}
			chunks = append(chunks, a)
			lens = append(lens, a.Len())
		}
		layout := form.NewLayout(lens)
		arrs, err := form.OfAll(chunks)
		if err != nil {
			t.Fatal(err)
		}
		c := &form.Column{Name: "o", Type: typ, Chunks: arrs, Layout: layout}
		for _, asc := range []bool{false, true} {
			for _, nulls := range []order.Nulls{order.Lowest, order.Highest} {
				o := order.New([]order.By{{Column: c, Ascending: asc, Nulls: nulls}}, nil, nil)
				b, room := form.NewBlock(keyset.BlockRows), make([]uint32, keyset.BlockRows)
				var words []uint32
				for k, n := range lens {
					for lo := 0; lo < n; lo += 1024 {
						s := min(1024, n-lo)
						o.Words(k, lo, s, b, room)
						words = append(words, room[:s]...)
					}
				}
				rows := make([]uint32, len(words))
				for i := range rows {
					rows[i] = uint32(i)
				}
				slices.SortFunc(rows, func(a, b uint32) int { return o.Compare(a, b) })
				for i := 1; i < len(rows); i++ {
					if words[rows[i-1]] > words[rows[i]] {
						t.Fatal(fmt.Sprint(seed, nameOf(typ), dict, asc, nulls, rows[i-1], rows[i], words[rows[i-1]], words[rows[i]], c.Format(rows[i-1]), c.Format(rows[i])))
					}
				}
			}
		}
	}
}

func nameOf(t arrow.DataType) string { return t.String() }

func appendAny(mem memory.Allocator, b array.Builder, typ arrow.DataType, v int64, r *rand.Rand) {
	if d, ok := b.(array.DictionaryBuilder); ok {
		tmp := array.NewBuilder(mem, typ)
		defer tmp.Release()
		appendAny(mem, tmp, typ, v, r)
		a := tmp.NewArray()
		defer a.Release()
		if err := d.AppendArray(a); err != nil {
			panic(err)
		}
		return
	}
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(v)
	case *array.Uint64Builder:
		b.Append(uint64(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Uint32Builder:
		b.Append(uint32(v))
	case *array.Uint8Builder:
		b.Append(uint8(v))
	case *array.Float64Builder:
		f := float64(v)
		switch r.IntN(50) {
		case 0:
			f = math.NaN()
		case 1:
			f = math.Copysign(0, -1)
		case 2:
			f = math.Inf(-1)
		case 3:
			f = math.Float64frombits(0xfff8000000000123)
		case 4:
			f = math.Inf(1)
		}
		b.Append(f)
	case *array.Float32Builder:
		b.Append(math.Float32frombits(uint32(v)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(v))
	case *array.BooleanBuilder:
		b.Append(v&1 == 0)
	case *array.StringBuilder:
		b.Append(fmt.Sprint(v)[:r.IntN(len(fmt.Sprint(v))+1)])
	case *array.Decimal128Builder:
		if err := b.AppendValueFromString(fmt.Sprint(v)); err != nil {
			panic(err)
		}
	}
}
