package scd2_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

// trackedFields are the columns of S1: three texts, two integers, a float, a boolean, a date.
var trackedFields = []arrow.Field{
	{Name: "name", Type: arrow.BinaryTypes.String}, {Name: "city", Type: arrow.BinaryTypes.String}, {Name: "segment", Type: arrow.BinaryTypes.String},
	{Name: "visits", Type: arrow.PrimitiveTypes.Int64}, {Name: "score", Type: arrow.PrimitiveTypes.Float64},
	{Name: "active", Type: arrow.FixedWidthTypes.Boolean}, {Name: "born", Type: arrow.FixedWidthTypes.Date32}, {Name: "level", Type: arrow.PrimitiveTypes.Int32},
}

// appendTracked gives a customer its values; another version differs in one of them.
func appendTracked(b *array.RecordBuilder, from int, key uint64, version int) {
	r := key*0x9e3779b97f4a7c15 + 12345
	b.Field(from).(*array.StringBuilder).Append(fmt.Sprintf("customer %d", r>>40))
	b.Field(from + 1).(*array.StringBuilder).Append(fmt.Sprintf("city %d", r>>20&0xfff))
	b.Field(from + 2).(*array.StringBuilder).Append([]string{"gold", "silver", "bronze", "none"}[r>>10&3])
	b.Field(from + 3).(*array.Int64Builder).Append(int64(r>>8&0xffff) + int64(version))
	b.Field(from + 4).(*array.Float64Builder).Append(float64(r>>12&0xffff) / 7)
	b.Field(from + 5).(*array.BooleanBuilder).Append(r>>3&1 == 0)
	b.Field(from + 6).(*array.Date32Builder).Append(arrow.Date32(r >> 50))
	b.Field(from + 7).(*array.Int32Builder).Append(int32(r >> 33 & 0xff))
}

func historyBuilder(values []arrow.Field) *array.RecordBuilder {
	fields := append([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}, values...)
	fields = append(fields, arrow.Field{Name: "valid_from", Type: arrow.FixedWidthTypes.Timestamp_us}, arrow.Field{Name: "valid_to", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true})
	return array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
}

// currentTables makes the tables of S1: open versions alone, and changes of which a third each is changed, unchanged, new.
func currentTables(rows int) (history, changes arrow.Record) {
	rng := rand.New(rand.NewPCG(3, 4))
	h := historyBuilder(trackedFields)
	keys := rng.Perm(rows + rows/4)
	for _, k := range keys[:rows] {
		h.Field(0).(*array.Int64Builder).Append(int64(uint64(k) * 0x9e3779b97f4a7c15))
		appendTracked(h, 1, uint64(k), 0)
		h.Field(9).(*array.TimestampBuilder).Append(1_000_000)
		h.Field(10).(*array.TimestampBuilder).AppendNull()
	}
	c := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(append([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us}}, trackedFields...), nil))
	for i, n := range rng.Perm(3 * (rows / 4)) {
		k, version := keys[rows-rows/2+n], 0
		if n < rows/4 {
			version = 1
		}
		c.Field(0).(*array.Int64Builder).Append(int64(uint64(k) * 0x9e3779b97f4a7c15))
		c.Field(1).(*array.TimestampBuilder).Append(arrow.Timestamp(2_000_000 + i))
		appendTracked(c, 2, uint64(k), version)
	}
	return h.NewRecord(), c.NewRecord()
}

// BenchmarkCurrent is S1: plan and staged rows of a table of open versions.
func BenchmarkCurrent(b *testing.B) {
	rows := *benchVersions
	history, changes := currentTables(rows)
	ctx := context.Background()
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("versions=%d/workers=%d", rows, workers), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				m, err := scd2.Plan(ctx, scd2.Table{Batches: []arrow.Record{history}, Key: []string{"id"}}, []arrow.Record{changes},
					scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")}, Resources: onerow.Resources{Workers: workers}})
				if err != nil {
					b.Fatal(err)
				}
				if r := m.Report; r.Insert != int64(rows/4*2) || r.Close != int64(rows/4) || r.Unchanged != int64(rows/4) {
					b.Fatalf("%+v", r)
				}
				staged, err := m.Staged(ctx, memory.NewGoAllocator())
				if err != nil {
					b.Fatal(err)
				}
				staged.Release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows*7/4), "ns/row")
		})
	}
}

// pastTables makes the tables of S2: five versions a key, and events of which 30 in 100 are late, 5 deletes, 10 repeats.
func pastTables(rows int) (history, events arrow.Record) {
	rng := rand.New(rand.NewPCG(5, 6))
	const per = 5
	keys := rows / per
	step := 1000 * (rows/5 + 1)
	values := []arrow.Field{{Name: "value", Type: arrow.PrimitiveTypes.Int64}, {Name: "note", Type: arrow.BinaryTypes.String}}
	h := historyBuilder(values)
	for v := range per {
		for k := range keys {
			h.Field(0).(*array.Int64Builder).Append(int64(uint64(k) * 0x9e3779b97f4a7c15))
			h.Field(1).(*array.Int64Builder).Append(int64(v))
			h.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("note %04d", k%1000))
			h.Field(3).(*array.TimestampBuilder).Append(arrow.Timestamp((v + 1) * step))
			if v == per-1 {
				h.Field(4).(*array.TimestampBuilder).AppendNull()
			} else {
				h.Field(4).(*array.TimestampBuilder).Append(arrow.Timestamp((v + 2) * step))
			}
		}
	}
	c := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us}, {Name: "op", Type: arrow.BinaryTypes.String}, values[0], values[1]}, nil))
	for i := range rows / 5 {
		k := rng.IntN(keys)
		at, op, value := per*step+step+1000*rng.IntN(rows/5), "u", 100+i
		switch p := rng.IntN(100); {
		case p < 30:
			at = step + 1000*rng.IntN(per*(rows/5+1))
		case p < 35:
			op = "d"
		case p < 45:
			value = per - 1
		}
		c.Field(0).(*array.Int64Builder).Append(int64(uint64(k) * 0x9e3779b97f4a7c15))
		c.Field(1).(*array.TimestampBuilder).Append(arrow.Timestamp(at + 1 + i%999)) // beside the starts
		c.Field(2).(*array.StringBuilder).Append(op)
		c.Field(3).(*array.Int64Builder).Append(int64(value))
		c.Field(4).(*array.StringBuilder).Append(fmt.Sprintf("note %04d", k%1000))
	}
	return h.NewRecord(), c.NewRecord()
}

// BenchmarkHistory is S2: plan and apply on a history of five versions a key.
func BenchmarkHistory(b *testing.B) {
	rows := *benchVersions
	history, events := pastTables(rows)
	ctx := context.Background()
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("versions=%d/workers=%d", rows, workers), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				m, err := scd2.Plan(ctx, scd2.Table{Batches: []arrow.Record{history}, Key: []string{"id"}}, []arrow.Record{events}, scd2.Options{
					Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")}, Ties: scd2.TiesByContent,
					Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}}, Resources: onerow.Resources{Workers: workers}})
				if err != nil {
					b.Fatal(err)
				}
				next, err := m.Apply(ctx, memory.NewGoAllocator(), []arrow.Record{history})
				if err != nil {
					b.Fatal(err)
				}
				for _, rec := range next {
					rec.Release()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows*6/5), "ns/row")
		})
	}
}
