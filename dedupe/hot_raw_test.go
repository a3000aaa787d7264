package dedupe_test

import (
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

// words makes a column of 64 bits.
func words(mem memory.Allocator, dt arrow.DataType, n int, cell func(i int) (v uint64, null bool)) arrow.Array {
	b := array.NewBuilder(mem, dt)
	defer b.Release()
	for i := range n {
		v, null := cell(i)
		if null {
			b.AppendNull()
			continue
		}
		switch b := b.(type) {
		case *array.Int64Builder:
			b.Append(int64(v))
		case *array.Uint64Builder:
			b.Append(v)
		case *array.TimestampBuilder:
			b.Append(arrow.Timestamp(v))
		}
	}
	return b.NewArray()
}

// makeDirect makes batches whose keys and orders mostly have no NULL.
func makeDirect(rnd *rand.Rand, mem memory.Allocator, how string, key, order arrow.DataType) (batches []arrow.Record) {
	values, row := 1+rnd.Uint64N([]uint64{3, 300, 5000}[rnd.IntN(3)]), 0
	for range 1 + rnd.IntN(4) {
		n := rnd.IntN(5000)
		nullKey, nullOrder := rnd.IntN(4) == 0, rnd.IntN(4) == 0
		cols := []arrow.Array{
			words(mem, key, n, func(int) (uint64, bool) { return rnd.Uint64N(values) << 40, nullKey && rnd.IntN(30) == 0 }),
			words(mem, order, n, func(int) (uint64, bool) {
				row++
				v := uint64(0)
				switch how {
				case "few":
					v = []uint64{0, 1, 1 << 63, math.MaxInt64, math.MaxUint64}[rnd.IntN(5)]
				case "random":
					v = rnd.Uint64()
				case "ascending":
					v = uint64(row / 3)
				case "descending":
					v = -uint64(row / 3)
				}
				return v, nullOrder && rnd.IntN(30) == 0
			}),
			words(mem, arrow.PrimitiveTypes.Int64, n, func(int) (uint64, bool) { return rnd.Uint64N(3), false }),
			words(mem, arrow.PrimitiveTypes.Int64, n, func(int) (uint64, bool) { return rnd.Uint64N(2), false }),
		}
		fields := make([]arrow.Field, len(cols))
		for i, name := range []string{"k", "at", "seq", "doc"} {
			fields[i] = arrow.Field{Name: name, Type: cols[i].DataType(), Nullable: true}
		}
		batches = append(batches, array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(n)))
		for _, c := range cols {
			c.Release()
		}
	}
	return batches
}

// TestLatestRaw: rows that are merged where they stand come to the same end as rows that are dealt out one by one.
func TestLatestRaw(t *testing.T) {
	slots, near := keyset.RawSlots, keyset.RawNear
	defer func() { keyset.RawSlots, keyset.RawNear = slots, near }()
	p := arrow.PrimitiveTypes
	types := []arrow.DataType{p.Int64, p.Uint64, &arrow.TimestampType{Unit: arrow.Microsecond}}
	for seed := range uint64(30) {
		how := []string{"few", "random", "ascending", "descending", "constant"}[seed%5]
		t.Run(fmt.Sprint(how, seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 6))
			form.ConstantHash(seed%10 == 9)
			defer form.ConstantHash(false)
			keyset.RawSlots, keyset.RawNear = []int{8, slots}[rnd.IntN(2)], []int{0, near}[rnd.IntN(2)]
			batches := makeDirect(rnd, arrowtest.Allocator(t), how, types[rnd.IntN(3)], types[rnd.IntN(3)])
			defer func() {
				for _, b := range batches {
					b.Release()
				}
			}()
			by := onerow.Desc("at")
			if rnd.IntN(2) == 0 {
				by = onerow.Asc("at")
			}
			by.Nulls = []onerow.NullOrder{onerow.NullsAreLowest, onerow.NullsAreHighest}[rnd.IntN(2)]
			order := []onerow.Order{by, onerow.Desc("seq")}
			for _, ties := range []dedupe.Ties{dedupe.TiesByContent, dedupe.SetAsideTies, dedupe.FirstTied} {
				opts := dedupe.Options{Ties: ties, NullKey: []onerow.NullKey{onerow.SetAsideNullKeys, onerow.EqualNullKeys}[rnd.IntN(2)]}
				opts.Resources.Workers = 1
				atHand(t, never, never)
				want := settledAs(batches, order, opts)
				for _, trial := range []int{0, 2000} {
					for workers := range 3 {
						atHand(t, trial, 1)
						opts.Resources.Workers = workers + 1
						if d := cmp.Diff(want, settledAs(batches, order, opts)); d != "" {
							t.Fatalf("%d workers, judged after %d rows, options %+v: %s", workers+1, trial, opts, d)
						}
					}
				}
			}
		})
	}
}
