package scd2_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// hashedCustomers makes a table such as is hashed: a number, two texts, a country as a dictionary, an amount, a date, a time, a flag that may be NULL.
func hashedCustomers(mem memory.Allocator, rows int) arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "name", Type: arrow.BinaryTypes.String},
		{Name: "email", Type: arrow.BinaryTypes.String},
		{Name: "country", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "balance", Type: &arrow.Decimal128Type{Precision: 12, Scale: 2}},
		{Name: "born", Type: arrow.FixedWidthTypes.Date32},
		{Name: "seen", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
		{Name: "vip", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprintf("Customer %d", rnd.IntN(rows)))
		b.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("c%d@example.com", i))
		b.Field(3).(*array.BinaryDictionaryBuilder).AppendString([]string{"AT", "CH", "DE", "FR"}[rnd.IntN(4)])
		b.Field(4).(*array.Decimal128Builder).Append(decimal128.FromI64(int64(rnd.IntN(10_000_000))))
		b.Field(5).(*array.Date32Builder).Append(arrow.Date32(rnd.IntN(20_000)))
		b.Field(6).(*array.TimestampBuilder).Append(arrow.Timestamp(1_700_000_000_000_000 + rnd.Int64N(1e15)))
		if rnd.IntN(3) == 0 {
			b.Field(7).AppendNull()
		} else {
			b.Field(7).(*array.BooleanBuilder).Append(i%2 == 0)
		}
	}
	return b.NewRecord()
}

// TestHashLarge: more rows than a worker takes at once, one large batch or many small ones, have the same hashes for every number of workers.
func TestHashLarge(t *testing.T) {
	mem := arrowtest.Allocator(t)
	n := int64(150_000)
	if testing.Short() {
		n = 70_000
	}
	rec := hashedCustomers(mem, int(n))
	defer rec.Release()
	var cut []arrow.Record
	for lo := int64(0); lo < n; lo += 40_001 {
		cut = append(cut, rec.NewSlice(lo, min(lo+40_001, n)))
	}
	defer arrowtest.Release(cut)
	columns := []string{"country", "id", "vip", "seen"}
	for _, f := range []scd2.HashForm{scd2.CanonicalHash, scd2.SparkMD5, scd2.SparkXXHash64} {
		want, err := rowHashes(t, []arrow.Record{rec}, columns, hashOptions(mem, f, 1))
		if err != nil {
			t.Fatal(err)
		}
		if len(slices.Compact(slices.Sorted(slices.Values(want)))) != int(n) {
			t.Errorf("%v: two rows have one hash", f)
		}
		for _, workers := range []int{2, 5} {
			for _, batches := range [][]arrow.Record{{rec}, cut} {
				if got, err := rowHashes(t, batches, columns, hashOptions(mem, f, workers)); err != nil || !slices.Equal(got, want) {
					t.Errorf("%v, %d workers, %d batches: other hashes, %v", f, workers, len(batches), err)
				}
			}
		}
	}
}

// TestHashAllocations: nothing is allocated per row.
func TestHashAllocations(t *testing.T) {
	rec := hashedCustomers(memory.DefaultAllocator, 10_000)
	defer rec.Release()
	for _, f := range allForms {
		columns := []string{"id", "name", "email", "country", "balance", "born", "vip"}
		if n := testing.AllocsPerRun(1, func() {
			arrs, err := scd2.RowHash(t.Context(), []arrow.Record{rec}, columns, hashOptions(nil, f, 1))
			if err != nil {
				t.Fatal(err)
			}
			releaseHashes(arrs)
		}); n > 500 {
			t.Errorf("%v: %v allocations", f, n)
		}
	}
}

func BenchmarkRowHash(b *testing.B) {
	rows := 1_000_000
	if testing.Short() {
		rows = 10_000
	}
	rec := hashedCustomers(memory.DefaultAllocator, rows)
	defer rec.Release()
	columns := []string{"id", "name", "email", "country", "balance", "born", "vip"} // dbt's forms have no text for seen
	for _, f := range allForms[:5] {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("form=%v/rows=%d/columns=%d/workers=%d", f, rows, len(columns), workers), func(b *testing.B) {
				o := scd2.HashOptions{Form: f, Resources: onerow.Resources{Workers: workers}}
				b.ReportAllocs()
				for b.Loop() {
					arrs, err := scd2.RowHash(b.Context(), []arrow.Record{rec}, columns, o)
					if err != nil {
						b.Fatal(err)
					}
					releaseHashes(arrs)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
			})
		}
	}
}

func BenchmarkConfusions(b *testing.B) {
	rows := 1_000_000
	if testing.Short() {
		rows = 10_000
	}
	rec := hashedCustomers(memory.DefaultAllocator, rows)
	defer rec.Release()
	b.Run(fmt.Sprintf("form=spark_sha2/rows=%d/columns=3/workers=2", rows), func(b *testing.B) {
		o := scd2.HashOptions{Form: scd2.SparkSHA2, Separator: "|", Resources: onerow.Resources{Workers: 2}}
		for b.Loop() {
			if _, err := scd2.Confusions(b.Context(), []arrow.Record{rec}, []string{"name", "country", "vip"}, o); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
	})
}
