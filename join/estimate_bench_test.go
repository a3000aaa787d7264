package join_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/spill/faultfs"
	"github.com/onerow-go/onerow/join"
)

var benchRows = flag.Int("rows", 1_000_000, "rows of the left side of BenchmarkEstimate; the figures of the README are for 10000000")

// spread takes numbers apart over 64 bits.
const spread = 0x5851f42d4c957f2d

// keyedSide makes a column of keys, one a row, as integers or as texts of 15 bytes.
func keyedSide(rows int, text bool, key func(i int) int) arrow.Record {
	var col arrow.Array
	if text {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for i := range rows {
			b.Append(fmt.Sprintf("cust-%010d", key(i)))
		}
		col = b.NewArray()
	} else {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for i := range rows {
			n := int64(key(i))
			if n >= 0 {
				n *= spread
			}
			b.Append(n)
		}
		col = b.NewArray()
	}
	return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "id", Type: col.DataType()}}, nil), []arrow.Array{col}, int64(rows))
}

// keyedBy makes a column of keys, one a row: as keyedSide does, or as "uuid", a text of 36 bytes, which is a digest.
func keyedBy(kind string, rows int, key func(i int) int) arrow.Record {
	if kind != "uuid" {
		return keyedSide(rows, kind == "text15", key)
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range rows {
		b.Append(uuid(int64(key(i))))
	}
	col := b.NewArray()
	return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "id", Type: col.DataType()}}, nil), []arrow.Array{col}, int64(rows))
}

// BenchmarkEstimate is J1 of the workloads, keys of which the right side has each once, as integers and as texts; and J2, as many rows on
// either side, of which 2 % have the key -1.
func BenchmarkEstimate(b *testing.B) {
	rows := *benchRows
	if testing.Short() {
		rows = min(rows, 20_000)
	}
	for _, work := range []struct {
		name, kind string
		right      int
	}{
		{"J1", "int", rows / 10}, {"J1", "text15", rows / 10}, {"J1", "uuid", rows / 10}, {"J2", "int", rows}, {"J2", "uuid", rows},
	} {
		sides := sync.OnceValue(func() [2]arrow.Record {
			rnd := rand.New(rand.NewPCG(1, 2))
			left, right := func(int) int { return rnd.IntN(rows / 10) }, func(i int) int { return i }
			if work.name == "J2" {
				left = func(int) int {
					if rnd.IntN(50) == 0 {
						return -1
					}
					return rnd.IntN(rows)
				}
				right = left
			}
			return [2]arrow.Record{keyedBy(work.kind, rows, left), keyedBy(work.kind, work.right, right)}
		})
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("workload=%s/key=%s/rows=%d/workers=%d", work.name, work.kind, rows+work.right, workers), func(b *testing.B) {
				s := sides()
				opts := join.Options{Resources: onerow.Resources{Workers: workers}}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := join.Estimate(context.Background(), s[:1], s[1:], join.On("id"), opts); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows+work.right), "ns/row")
			})
		}
	}
}

// slicedReader gives a record in batches.
type slicedReader struct {
	array.RecordReader // nil: what isn't here isn't called
	of                 arrow.Record
	at, step           int64
	rec                arrow.Record
}

func (r *slicedReader) Schema() *arrow.Schema { return r.of.Schema() }
func (r *slicedReader) Record() arrow.Record  { return r.rec }
func (r *slicedReader) Err() error            { return nil }

func (r *slicedReader) Next() bool {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
	if r.at >= r.of.NumRows() {
		return false
	}
	end := min(r.of.NumRows(), r.at+r.step)
	r.rec = r.of.NewSlice(r.at, end)
	r.at = end
	return true
}

// BenchmarkEstimateReaders estimates streams in batches of 65,536 rows: keys that all differ, of which both sides have the same, and ten rows a key.
// Budgets are in MiB; spilled is what was written for each row.
func BenchmarkEstimateReaders(b *testing.B) {
	rows := *benchRows
	if testing.Short() {
		rows /= 10
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, work := range []struct {
		keys string
		text bool
		key  func(i int) int
	}{
		{"unique-int", false, func(i int) int { return i }},
		{"unique-text", true, func(i int) int { return i }},
		{"tenfold-int", false, func(int) int { return rnd.IntN(rows / 10) }},
	} {
		side := keyedSide(rows, work.text, work.key)
		for _, budget := range []int64{0, 1024, 64, 16} {
			name := fmt.Sprint(budget)
			if budget == 0 {
				name = "none"
			}
			b.Run(fmt.Sprintf("keys=%s/rows=%d/budget=%s", work.keys, 2*rows, name), func(b *testing.B) {
				written := int64(0)
				fs := &faultfs.FS{}
				defer join.SetSpillFS(fs)()
				b.ReportAllocs()
				for b.Loop() {
					fs.Done = nil
					left, right := &slicedReader{of: side, step: 1 << 16}, &slicedReader{of: side, step: 1 << 16}
					opts := join.Options{Resources: onerow.Resources{Memory: budget << 20, Dir: b.TempDir()}}
					if _, err := join.EstimateReaders(context.Background(), left, right, join.On("id"), opts); err != nil {
						b.Fatal(err)
					}
					written = fs.Done[faultfs.Write]
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*rows), "ns/row")
				b.ReportMetric(float64(written)/float64(2*rows), "spilled-B/row")
			})
		}
	}
}
