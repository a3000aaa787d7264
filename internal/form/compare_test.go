package form

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// others are arrays of the types that are neither keys nor orders.
func others(t *testing.T, rnd *rand.Rand) map[string][]*Array {
	small := func(n int) []byte {
		v := make([]int32, n)
		for i := range v {
			v[i] = int32(rnd.IntN(5) - 2)
		}
		return int32s(v...)
	}
	nanosOf := func(n int) []byte {
		var out []byte
		for range n {
			out = append(append(out, small(2)...), int64s([]int64{0, 1, -1, math.MaxInt64, math.MinInt64}[rnd.IntN(5)])...)
		}
		return out
	}
	valid := []byte{0b10111011, 0b1101}
	out := map[string][]*Array{}
	add := func(name string, data arrow.ArrayData) {
		for _, d := range []arrow.ArrayData{data, array.NewSliceData(data, 3, 10)} {
			a, err := OfData(d)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = append(out[name], a)
		}
	}
	for range 2 {
		add("months", raw(arrow.FixedWidthTypes.MonthInterval, 12, [][]byte{valid, small(12)}))
		add("days and milliseconds", raw(arrow.FixedWidthTypes.DayTimeInterval, 12, [][]byte{valid, small(24)}))
		add("months, days and nanoseconds", raw(arrow.FixedWidthTypes.MonthDayNanoInterval, 12, [][]byte{valid, nanosOf(12)}))
		codes, at := make([]byte, 12), make([]int32, 12)
		for i := range codes {
			codes[i], at[i] = []byte{3, 7}[rnd.IntN(2)], int32(rnd.IntN(12))
		}
		floats := raw(arrow.PrimitiveTypes.Float64, 12, [][]byte{valid, arrow.Float64Traits.CastToBytes(someFloats(rnd, 12))})
		ints := raw(intType, 12, [][]byte{valid, int64s(1, 2, 3, 1, 2, 3, -1, -1, 0, 0, 5, 5)})
		parts := []arrow.Field{{Name: "a", Type: intType, Nullable: true}, {Name: "b", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}
		kinds := []arrow.UnionTypeCode{3, 7}
		add("sparse union", raw(arrow.SparseUnionOf(parts, kinds), 12, [][]byte{nil, codes}, ints, floats))
		add("dense union", raw(arrow.DenseUnionOf(parts, kinds), 12, [][]byte{nil, codes, int32s(at...)}, ints, floats))
		add("map", raw(arrow.MapOf(intType, arrow.PrimitiveTypes.Float64), 12, [][]byte{valid, int32s(0, 1, 2, 3, 3, 5, 6, 6, 7, 9, 10, 11, 12)}, pairOf(ints, floats, 12)))
		add("list of unions", raw(arrow.ListOf(arrow.SparseUnionOf(parts, kinds)), 12, [][]byte{valid, int32s(0, 1, 2, 3, 3, 5, 6, 6, 7, 9, 10, 11, 12)},
			raw(arrow.SparseUnionOf(parts, kinds), 12, [][]byte{nil, codes}, ints, floats)))
	}
	return out
}

func someFloats(rnd *rand.Rand, n int) []float64 {
	pool := []float64{0, math.Copysign(0, -1), math.NaN(), math.Float64frombits(0xfff8000000000003), 1, -1, math.Inf(1)}
	out := make([]float64, n)
	for i := range out {
		out[i] = pool[rnd.IntN(len(pool))]
	}
	return out
}

// Compare is a total order over each type, in each rank: what one rank tells apart the finer ranks do too.
func TestCompareIsAnOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for name, arrays := range others(t, rnd) {
		t.Run(name, func(t *testing.T) { checkOrder(t, rnd, arrays) })
	}
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			var arrays []*Array
			for _, typ := range f.types {
				all := columns(t, mem, typ, f.cells)
				for range 3 {
					arrays = append(arrays, read(t, all[rnd.IntN(len(all))].arrs)...)
				}
			}
			checkOrder(t, rnd, arrays)
		})
	}
}

func checkOrder(t *testing.T, rnd *rand.Rand, arrays []*Array) {
	t.Helper()
	pick := func() cell {
		for {
			if a := arrays[rnd.IntN(len(arrays))]; a.Len > 0 {
				return cell{a: a, i: rnd.IntN(a.Len)}
			}
		}
	}
	for range 3000 {
		x, y, z := pick(), pick(), pick()
		finer := 0
		for rank := ByBits; ; rank-- {
			xy, yx := Compare(x.a, x.i, y.a, y.i, rank), Compare(y.a, y.i, x.a, x.i, rank)
			yz, xz := Compare(y.a, y.i, z.a, z.i, rank), Compare(x.a, x.i, z.a, z.i, rank)
			switch {
			case xy != -yx || xy < -1 || xy > 1:
				t.Fatalf("rank %d: %s and %s compare %d and %d", rank, Format(x.a, x.i), Format(y.a, y.i), xy, yx)
			case Compare(x.a, x.i, x.a, x.i, rank) != 0:
				t.Fatalf("rank %d: %s differs from itself", rank, Format(x.a, x.i))
			case xy <= 0 && yz <= 0 && (xz > 0 || xz == 0 && (xy < 0 || yz < 0)):
				t.Fatalf("rank %d: %s, %s, %s compare %d, %d and %d", rank, Format(x.a, x.i), Format(y.a, y.i), Format(z.a, z.i), xy, yz, xz)
			case xy != 0 && finer == 0 && rank != ByBits:
				t.Fatalf("rank %d tells %s from %s, the next finer doesn't", rank, Format(x.a, x.i), Format(y.a, y.i))
			case x.a.Null(x.i) && !y.a.Null(y.i) && xy != -1:
				t.Fatalf("rank %d: NULL and %s compare %d", rank, Format(y.a, y.i), xy)
			}
			if finer = xy; rank == ByValue {
				break
			}
		}
	}
}

// Intervals, unions and maps in the order of their parts.
func TestCompareOthers(t *testing.T) {
	sorted := []arrow.ArrayData{
		raw(arrow.FixedWidthTypes.MonthInterval, 4, [][]byte{{0b1110}, int32s(9, -1, 0, 1)}),
		raw(arrow.FixedWidthTypes.DayTimeInterval, 5, [][]byte{{0b11110}, int32s(0, 0, -1, 5, 0, -5, 0, 5, 1, -9)}),
		raw(arrow.FixedWidthTypes.MonthDayNanoInterval, 4, [][]byte{nil,
			cat(int32s(-1, 9), int64s(9), int32s(0, -1), int64s(9), int32s(0, 0), int64s(math.MinInt64), int32s(0, 0), int64s(1))}),
		raw(sparse, 4, [][]byte{nil, {3, 3, 7, 7}}, four(), four()),
		raw(dense, 3, [][]byte{nil, {3, 7, 7}, int32s(3, 0, 1)}, four(), four()),
		raw(arrow.MapOf(intType, intType), 4, [][]byte{{0b1110}, int32s(0, 0, 0, 1, 3)}, pairOf(four(), four(), 4)),
	}
	for _, data := range sorted {
		a, err := OfData(data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Len {
			for j := range a.Len {
				want := asInt(i > j) - asInt(i < j)
				if got := Compare(a, i, a, j, ByContent); got != want {
					t.Errorf("%v: %s and %s compare %d, want %d", a.Type, Format(a, i), Format(a, j), got, want)
				}
			}
		}
	}
}

func cat(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// Scales up to the bound are compared exactly, and beyond it an array isn't read.
func TestScales(t *testing.T) {
	of := func(scale int32, unscaled int64) *Array {
		a, err := OfData(raw(&arrow.Decimal128Type{Precision: 38, Scale: scale}, 1, [][]byte{nil, int64s(unscaled, unscaled>>63)}))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, c := range []struct {
		a, b *Array
		want int
	}{
		{of(maxScale, 1), of(-maxScale, 1), -1}, {of(-maxScale, 1), of(maxScale, 1), 1}, {of(maxScale, -1), of(-maxScale, -1), 1},
		{of(maxScale, 0), of(-maxScale, 0), 0}, {of(maxScale, 10), of(maxScale-1, 1), 0}, {of(-maxScale, 1), of(1-maxScale, 10), 0}, {of(-maxScale, 1), of(1-maxScale, 11), -1},
	} {
		if got := Compare(c.a, 0, c.b, 0, ByValue); got != c.want {
			t.Errorf("scales %d and %d compare %d, want %d", c.a.scale, c.b.scale, got, c.want)
		}
		if same := (hasher{}).cell(c.a, 0) == (hasher{}).cell(c.b, 0); same != (c.want == 0) {
			t.Errorf("scales %d and %d: one hash %v", c.a.scale, c.b.scale, same)
		}
	}
	for _, scale := range []int32{maxScale + 1, -maxScale - 1, math.MaxInt32, math.MinInt32} {
		if _, err := OfData(raw(&arrow.Decimal128Type{Precision: 38, Scale: scale}, 0, make([][]byte, 2))); err == nil {
			t.Errorf("scale %d is read", scale)
		}
	}
}

// Half agrees with a float32 built from the parts of each float16.
func TestHalf(t *testing.T) {
	for b := range 1 << 16 {
		sign, exp, frac := uint32(b>>15)<<31, uint32(b>>10&31), uint32(b&1023)
		var want float32
		switch {
		case exp == 31:
			want = math.Float32frombits(sign | 0xff<<23 | frac<<13)
		case exp == 0:
			want = float32(frac) / (1 << 24) * float32(1-2*(b>>15))
			want = math.Float32frombits(math.Float32bits(want)&^(1<<31) | sign)
		default:
			want = math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
		}
		got := half(uint16(b))
		if math.Float64bits(got) != math.Float64bits(float64(want)) && !(got != got && want != want) {
			t.Fatalf("%#04x: %v, want %v", b, got, want)
		}
	}
}
