package dedupe_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// atHand lets keys be at hand, and codes be gone by, from so many rows on; or never.
func atHand(t *testing.T, trial, share int) {
	was, wasShare := keyset.HotTrial, keyset.CodedShare
	keyset.HotTrial, keyset.CodedShare = trial, share
	t.Cleanup(func() { keyset.HotTrial, keyset.CodedShare = was, wasShare })
}

const never = math.MaxInt32

// TestLatestAtHand compares calls with the oracle that keep keys at hand from the first row on, however few there are.
func TestLatestAtHand(t *testing.T) {
	atHand(t, 0, 1)
	largerTables(t)
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	largerTables(t)
}

// coded are batches whose key is a dictionary column, and the same rows with a plain one.
type coded struct{ dict, plain []arrow.Record }

// makeCoded makes batches of random rows. Values of a dictionary repeat, some are NULL, and so are some codes. Orders are equal often, and rows too.
func makeCoded(rnd *rand.Rand, mem memory.Allocator, index arrow.DataType, long bool, batches int, one, nulls bool) (c coded) {
	var shared arrow.Array
	defer func() { shared.Release() }()
	for b := range batches {
		even := rnd.IntN(4) == 0 // all rows of the batch
		if b == 0 || !one && rnd.IntN(3) == 0 {
			if shared != nil {
				shared.Release()
			}
			shared = makeValues(rnd, mem, long, nulls)
		}
		n := 1500 + rnd.IntN(1500)
		codes := array.NewBuilder(mem, index)
		texts := array.NewStringBuilder(mem)
		at, op, doc := array.NewInt64Builder(mem), array.NewStringBuilder(mem), array.NewInt8Builder(mem)
		values := shared.(*array.String)
		for range n {
			code := rnd.IntN(values.Len())
			if nulls && rnd.IntN(50) == 0 {
				codes.AppendNull()
				texts.AppendNull()
			} else {
				if err := codes.AppendValueFromString(fmt.Sprint(code)); err != nil {
					panic(err)
				}
				if values.IsNull(code) {
					texts.AppendNull()
				} else {
					texts.Append(values.Value(code))
				}
			}
			if even {
				at.Append(1 << 50)
			} else {
				at.Append(rnd.Int64N(4) * (1 << (20 * rnd.IntN(3))))
			}
			op.Append([]string{"u", "u", "u", "d"}[rnd.IntN(4)])
			doc.Append(int8(rnd.IntN(2)))
		}
		indices := codes.NewArray()
		dict := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}, indices, shared)
		rest := []arrow.Array{at.NewArray(), op.NewArray(), doc.NewArray()}
		from := int64(rnd.IntN(100))
		record := func(key arrow.Array) arrow.Record {
			cols := append([]arrow.Array{key}, rest...)
			fields := make([]arrow.Field, len(cols))
			for i, name := range []string{"k", "at", "op", "doc"} {
				fields[i] = arrow.Field{Name: name, Type: cols[i].DataType(), Nullable: true}
			}
			whole := array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(n))
			defer whole.Release()
			return whole.NewSlice(from, int64(n)-3)
		}
		plain := texts.NewArray()
		c.dict, c.plain = append(c.dict, record(dict)), append(c.plain, record(plain))
		for _, a := range append(rest, indices, dict, plain) {
			a.Release()
		}
		for _, b := range []array.Builder{codes, texts, at, op, doc} {
			b.Release()
		}
	}
	return c
}

// makeValues makes a dictionary of at most 127 values.
func makeValues(rnd *rand.Rand, mem memory.Allocator, long, nulls bool) arrow.Array {
	b := array.NewStringBuilder(mem)
	defer b.Release()
	for range 1 + rnd.IntN([]int{8, 127}[rnd.IntN(2)]) {
		switch {
		case nulls && rnd.IntN(20) == 0:
			b.AppendNull()
		case long && rnd.IntN(2) == 0:
			b.Append(fmt.Sprintf("a text that isn't inlined %d", rnd.IntN(90)))
		default:
			b.Append(fmt.Sprint(rnd.IntN(90)))
		}
	}
	return b.NewArray()
}

func (c *coded) release() {
	for _, r := range append(c.dict, c.plain...) {
		r.Release()
	}
}

// codedLatest is what a call says.
type codedLatest struct {
	Rows, Deletes, SetAside onerow.Rows
	Report                  dedupe.Report
	Err                     string
}

func codedOutcome(batches []arrow.Record, opts dedupe.Options) codedLatest {
	return settledAs(batches, []onerow.Order{onerow.Desc("at")}, opts)
}

func settledAs(batches []arrow.Record, order []onerow.Order, opts dedupe.Options) codedLatest {
	p, err := dedupe.Latest(context.Background(), batches, []string{"k"}, order, opts)
	if err != nil {
		return codedLatest{Err: err.Error()}
	}
	return codedLatest{p.Rows, p.Deletes, p.SetAside, p.Report, ""}
}

// TestLatestCoded: rows that are merged by their codes come to the same end as those of a plain column, dealt out one by one.
func TestLatestCoded(t *testing.T) {
	p := arrow.PrimitiveTypes
	indices := []arrow.DataType{p.Int8, p.Int16, p.Int32, p.Int64, p.Uint8, p.Uint16, p.Uint32, p.Uint64}
	for seed := range uint64(48) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 5))
			form.ConstantHash(seed%6 == 5)
			defer form.ConstantHash(false)
			nulls := seed%3 != 0
			c := makeCoded(rnd, arrowtest.Allocator(t), indices[seed%8], seed%4 > 1, []int{1, 7, 7}[seed%5%3], seed%5%3 == 1, nulls)
			defer c.release()
			for _, ties := range []dedupe.Ties{dedupe.TiesByContent, dedupe.SetAsideTies, dedupe.RejectTies, dedupe.FirstTied} {
				opts := dedupe.Options{Ties: ties, NullKey: []onerow.NullKey{onerow.SetAsideNullKeys, onerow.EqualNullKeys}[rnd.IntN(2)],
					Op: dedupe.Op{Column: "op", Delete: []onerow.Value{"d"}}, Resources: onerow.Resources{Workers: 1}}
				atHand(t, never, never)
				want := codedOutcome(c.plain, opts)
				for _, trial := range []int{0, 5000, never} {
					for workers := range 4 {
						atHand(t, trial, 1)
						opts.Resources.Workers = workers + 1
						if d := cmp.Diff(want, codedOutcome(c.dict, opts)); d != "" {
							t.Fatalf("%d workers, judged after %d rows, options %+v: %s", workers+1, trial, opts, d)
						}
					}
				}
			}
		})
	}
}

// TestLatestCodedHostile: codes that point outside their dictionary are errors, wherever they are.
func TestLatestCodedHostile(t *testing.T) {
	atHand(t, 0, 1)
	p := arrow.PrimitiveTypes
	for _, index := range []struct {
		typ arrow.DataType
		bad []int64
	}{
		{p.Int8, []int64{-1, 3, 127, -128}}, {p.Int16, []int64{-1, 3, 256}}, {p.Int32, []int64{-1, 3, math.MaxInt32}},
		{p.Int64, []int64{-1, 3, 1 << 32, math.MinInt64}}, {p.Uint8, []int64{3, 255}}, {p.Uint16, []int64{3, 256}}, {p.Uint32, []int64{3, math.MaxUint32}}, {p.Uint64, []int64{3, 1 << 32, -1}},
	} {
		for _, bad := range index.bad {
			for _, valid := range []bool{false, true} {
				const rows = 3000
				width := index.typ.(arrow.FixedWidthDataType).Bytes()
				buf, bitmap := make([]byte, rows*width), make([]byte, rows/8)
				for i := range width {
					buf[2500*width+i] = byte(bad >> (8 * i))
				}
				for i := range bitmap {
					bitmap[i] = 255
				}
				bitmap[7] = 254
				buffers := []*memory.Buffer{nil, memory.NewBufferBytes(buf)}
				if valid {
					buffers[0] = memory.NewBufferBytes(bitmap)
				}
				values := array.NewData(p.Int64, 3, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes([]int64{7, 8, 9}))}, nil, 0, 0)
				typ := &arrow.DictionaryType{IndexType: index.typ, ValueType: p.Int64}
				data := array.NewDataWithDictionary(typ, rows, buffers, array.UnknownNullCount, 0, values)
				key := array.MakeFromData(data)
				at := make([]int64, rows)
				for i := range at {
					at[i] = int64(i)
				}
				order := array.NewInt64Data(array.NewData(p.Int64, rows, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(at))}, nil, 0, 0))
				rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: typ, Nullable: true}, {Name: "at", Type: p.Int64}}, nil),
					[]arrow.Array{key, order}, rows)
				for workers := range 2 {
					_, err := dedupe.Latest(context.Background(), []arrow.Record{rec}, []string{"k"}, []onerow.Order{onerow.Desc("at")},
						dedupe.Options{NullKey: onerow.SetAsideNullKeys, Resources: onerow.Resources{Workers: workers + 1}})
					if !errors.Is(err, onerow.ErrMalformed) {
						t.Errorf("%v, code %d, with bitmap %v: %v", index.typ, bad, valid, err)
					}
				}
			}
		}
	}
}
