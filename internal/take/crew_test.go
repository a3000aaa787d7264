package take_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/take"
)

// longColumn is a column whose cells are known by their row.
type longColumn struct {
	typ    arrow.DataType
	append func(b array.Builder, row int)
	// is says whether cell k of an array is that of a row.
	is func(col arrow.Array, k, row int) bool
}

// text is the text of a row: short, or now and then longer, or empty.
func text(row int, long bool) string {
	n := 6 + row*7919%11
	switch {
	case long && row%97 == 0:
		n = 1000
	case long && row%5 == 0:
		n = 17 + row%60
	case row%31 == 0:
		n = 0
	}
	return strings.Repeat(fmt.Sprintf("%07d", row), 1+n/7)[:n]
}

func textColumn(typ arrow.DataType, long, nulls bool) longColumn {
	isNull := func(row int) bool { return nulls && (row%7 == 0 || row/1000%3 == 0) }
	return longColumn{typ,
		func(b array.Builder, row int) {
			if isNull(row) {
				b.AppendNull()
				return
			}
			b.(array.StringLikeBuilder).Append(text(row, long))
		},
		func(col arrow.Array, k, row int) bool {
			if isNull(row) || col.IsNull(k) {
				return isNull(row) && col.IsNull(k)
			}
			return col.(array.StringLike).Value(k) == text(row, long)
		},
	}
}

func longColumns() []longColumn {
	p := arrow.PrimitiveTypes
	listed := func(row int) int { return row * 31 % 4 }
	return []longColumn{
		{p.Int64, func(b array.Builder, row int) { b.(*array.Int64Builder).Append(int64(row)) },
			func(col arrow.Array, k, row int) bool { return col.(*array.Int64).Value(k) == int64(row) }},
		{p.Int32, func(b array.Builder, row int) {
			if row%3 == 0 {
				b.AppendNull()
			} else {
				b.(*array.Int32Builder).Append(int32(row))
			}
		}, func(col arrow.Array, k, row int) bool {
			return col.IsNull(k) == (row%3 == 0) && (col.IsNull(k) || col.(*array.Int32).Value(k) == int32(row))
		}},
		{arrow.FixedWidthTypes.Boolean, func(b array.Builder, row int) { b.(*array.BooleanBuilder).Append(row%3 == 0) },
			func(col arrow.Array, k, row int) bool { return col.(*array.Boolean).Value(k) == (row%3 == 0) }},
		{&arrow.Decimal128Type{Precision: 9}, func(b array.Builder, row int) { b.(*array.Decimal128Builder).Append(decimal128.FromI64(int64(row))) },
			func(col arrow.Array, k, row int) bool {
				return col.(*array.Decimal128).Value(k) == decimal128.FromI64(int64(row))
			}},
		{&arrow.FixedSizeBinaryType{ByteWidth: 7}, func(b array.Builder, row int) {
			b.(*array.FixedSizeBinaryBuilder).Append(fmt.Appendf(nil, "%07d", row))
		}, func(col arrow.Array, k, row int) bool {
			return string(col.(*array.FixedSizeBinary).Value(k)) == fmt.Sprintf("%07d", row)
		}},
		textColumn(arrow.BinaryTypes.String, false, false), textColumn(arrow.BinaryTypes.String, true, true),
		textColumn(arrow.BinaryTypes.LargeString, true, false), textColumn(arrow.BinaryTypes.LargeString, false, true),
		{dict(p.Int32, p.Int16), func(b array.Builder, row int) { _ = b.(*array.Int16DictionaryBuilder).Append(int16(row % 99)) },
			func(col arrow.Array, k, row int) bool {
				d := col.(*array.Dictionary)
				return d.Dictionary().(*array.Int16).Value(d.GetValueIndex(k)) == int16(row%99)
			}},
		{arrow.ListOf(p.Int32), func(b array.Builder, row int) {
			list := b.(*array.ListBuilder)
			list.Append(true)
			for i := range listed(row) {
				list.ValueBuilder().(*array.Int32Builder).Append(int32(row + i))
			}
		}, func(col arrow.Array, k, row int) bool {
			list := col.(*array.List)
			lo, hi := list.ValueOffsets(k)
			return int(hi-lo) == listed(row) && (hi == lo || list.ListValues().(*array.Int32).Value(int(hi)-1) == int32(row+listed(row)-1))
		}},
	}
}

// longBatches makes batches of the columns; sizes are those of the batches.
func longBatches(mem memory.Allocator, cols []longColumn, sizes ...int) (schema *arrow.Schema, batches []arrow.Record) {
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = field(fmt.Sprint("c", i), c.typ)
	}
	schema = arrow.NewSchema(fields, nil)
	row := 0
	for _, n := range sizes {
		arrs := make([]arrow.Array, len(cols))
		for i, c := range cols {
			b := array.NewBuilder(mem, c.typ)
			for k := range n {
				c.append(b, row+k)
			}
			arrs[i] = b.NewArray()
			b.Release()
		}
		batches = append(batches, array.NewRecord(schema, arrs, int64(n)))
		for _, a := range arrs {
			a.Release()
		}
		row += n
	}
	return schema, batches
}

func releaseAll(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

// longLists are row lists of several parts, or of many rows that lie apart.
func longLists(n int) map[string][]uint32 {
	rng := rand.New(rand.NewPCG(3, 4))
	lists := map[string][]uint32{"one row": make([]uint32, 50_000)}
	for name, share := range map[string]float64{"sparse": 0.1, "dense": 0.6, "nearly all": 0.99, "all": 1} {
		for r := range n {
			if rng.Float64() < share {
				lists[name] = append(lists[name], uint32(r))
			}
		}
	}
	for range 70_000 {
		lists["random"] = append(lists["random"], rng.Uint32N(uint32(n)))
	}
	for r := n; r > 0; r-- {
		lists["reverse"] = append(lists["reverse"], uint32(r-1))
	}
	return lists
}

// TestParts gathers columns of many parts, by one goroutine and by more: the right cells, the same bytes.
func TestParts(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	cols := longColumns()
	for _, sizes := range [][]int{{120_000}, {70_000, 0, 1, 49_999}} {
		schema, batches := longBatches(mem, cols, sizes...)
		for name, rows := range longLists(120_000) {
			one, err := take.Record(context.Background(), dirty{mem}, schema, batches, rows, 1)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range cols {
				checkArray(t, one.Column(i))
				for k, r := range rows {
					if !c.is(one.Column(i), k, int(r)) {
						t.Fatalf("%v, %s: row %d isn't that of %d", c.typ, name, k, r)
					}
				}
			}
			for _, workers := range []int{2, 5} {
				rec, err := take.Record(context.Background(), dirty{mem}, schema, batches, rows, workers)
				if err != nil {
					t.Fatal(err)
				}
				for i, c := range cols {
					if !sameBytes(one.Column(i).Data(), rec.Column(i).Data()) {
						t.Errorf("%v, %s: other bytes with %d workers", c.typ, name, workers)
					}
				}
				rec.Release()
			}
			one.Release()
		}
		releaseAll(batches)
	}
}

// TestFirstPartsError tells the error of the first part that has one, and of none of what comes after, for any number of workers.
func TestFirstPartsError(t *testing.T) {
	const n = 400_000
	offsets, bits := make([]int32, n+1), make([]byte, n/8)
	for i := range offsets {
		offsets[i] = int32(i)
	}
	for i := range bits {
		bits[i] = 0xff
	}
	// A value that lies outside, in the third part, and in others behind it; or a buffer that ends early.
	offsets[70_000], offsets[170_000], offsets[270_000] = -5, -6, -7
	text := array.NewData(arrow.BinaryTypes.String, n, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(make([]byte, n))}, nil, 0, 0)
	short := array.NewData(&arrow.FixedSizeBinaryType{ByteWidth: 1}, n, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 100_000))}, nil, 0, 0)
	holes := array.NewData(arrow.PrimitiveTypes.Uint8, n, []*memory.Buffer{memory.NewBufferBytes(bits[:10_000]), memory.NewBufferBytes(make([]byte, n))}, nil, 0, 0)
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	for _, d := range []*array.Data{text, short, holes} {
		col := array.MakeFromData(d)
		schema := arrow.NewSchema([]arrow.Field{field("c", d.DataType())}, nil)
		batch := array.NewRecord(schema, []arrow.Array{col}, n)
		want := ""
		for _, workers := range []int{1, 2, 3, 20} {
			for range 5 {
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				_, err := take.Record(context.Background(), mem, schema, []arrow.Record{batch}, rows, workers)
				mem.AssertSize(t, 0)
				var data *take.DataError
				if !errors.As(err, &data) || data.Type != d.DataType() {
					t.Fatalf("%v, %d workers: error %v", d.DataType(), workers, err)
				}
				if want == "" {
					want = err.Error()
				}
				if err.Error() != want {
					t.Errorf("%v, %d workers: error %v, want %s", d.DataType(), workers, err, want)
				}
			}
		}
	}
}

// TestCancelParts cancels calls of many parts at each buffer that they make.
func TestCancelParts(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	schema, batches := longBatches(mem, longColumns(), 120_000)
	defer releaseAll(batches)
	rows := longLists(120_000)["dense"]
	for _, workers := range []int{1, 3} {
		for n := int64(1); ; n++ {
			ctx, cancel := context.WithCancel(context.Background())
			c := &cancelling{Allocator: mem, cancel: cancel}
			c.n.Store(n)
			rec, err := take.Record(ctx, c, schema, batches, rows, workers)
			cancel()
			if err == nil {
				rec.Release()
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("error %v", err)
			}
		}
	}
}
