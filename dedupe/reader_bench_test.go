package dedupe_test

import (
	"cmp"
	"fmt"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// changeStream makes batches of changes as they are asked for: keys drawn uniformly, a time of one day, a sequence, an amount and a name. What a row
// has depends on its number alone.
type changeStream struct {
	array.RecordReader // nil: what isn't here isn't called
	mem                memory.Allocator
	rows, keys, at     int
	step               int // rows of a batch; 0: 65,536
	rec                arrow.Record
	came               func() // called with each batch
}

var changeSchema = arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "updated_at", Type: arrow.FixedWidthTypes.Timestamp_us},
	{Name: "seq", Type: arrow.PrimitiveTypes.Int64}, {Name: "amount", Type: arrow.PrimitiveTypes.Float64}, {Name: "name", Type: arrow.BinaryTypes.String}}, nil)

func (s *changeStream) Schema() *arrow.Schema { return changeSchema }
func (s *changeStream) Record() arrow.Record  { return s.rec }
func (s *changeStream) Err() error            { return nil }

// mixed is splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
func mixed(n int) uint64 {
	z := uint64(n+1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *changeStream) Next() bool {
	s.Release()
	if s.came != nil {
		s.came()
	}
	if s.at >= s.rows {
		return false
	}
	n := min(cmp.Or(s.step, 1<<16), s.rows-s.at)
	b := array.NewRecordBuilder(s.mem, changeSchema)
	defer b.Release()
	b.Reserve(n)
	var text [16]byte
	names := b.Field(4).(*array.StringBuilder)
	names.ReserveData(11 * n)
	for i := s.at; i < s.at+n; i++ {
		m := mixed(i)
		b.Field(0).(*array.Int64Builder).UnsafeAppend(int64(mixed(-int(m % uint64(s.keys)))))
		b.Field(1).(*array.TimestampBuilder).UnsafeAppend(arrow.Timestamp(m >> 20 % 86_400_000_000))
		b.Field(2).(*array.Int64Builder).UnsafeAppend(int64(i))
		b.Field(3).(*array.Float64Builder).UnsafeAppend(float64(m>>40) / 100)
		names.BinaryBuilder.Append(strconv.AppendUint(append(text[:0], "name-"...), m%1_000_000, 10))
	}
	s.rec = b.NewRecord()
	s.at += n
	return true
}

func (s *changeStream) Release() {
	if s.rec != nil {
		s.rec.Release()
		s.rec = nil
	}
}

// BenchmarkReader finds the latest rows of a stream with ten rows a key, and reads them.
func BenchmarkReader(b *testing.B) {
	rows := benchSize()
	for _, budget := range []int64{0, 1 << 30, 64 << 20} {
		b.Run(fmt.Sprintf("rows=%d/memory=%dMiB", rows, budget>>20), func(b *testing.B) {
			for b.Loop() {
				in := &changeStream{mem: memory.DefaultAllocator, rows: rows, keys: tenth(rows)}
				r, err := dedupe.NewReader(b.Context(), in, []string{"id"}, []onerow.Order{onerow.Desc("updated_at"), onerow.Desc("seq")},
					dedupe.Options{Resources: onerow.Resources{Memory: budget, Dir: b.TempDir()}})
				if err != nil {
					b.Fatal(err)
				}
				n := int64(0)
				for r.Next() {
					n += r.Record().NumRows()
				}
				if r.Err() != nil || n != r.Report().Kept {
					b.Fatal(r.Err(), n)
				}
				r.Release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
		})
	}
}
