package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

// BenchmarkSketch summarises rows of which ten have a key, and works with sketches of several sizes of them.
func BenchmarkSketch(b *testing.B) {
	rows := *benchRows
	rnd := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	uniform := func(int) int { return rnd.IntN(max(1, rows/10)) }
	for _, text := range []bool{false, true} {
		side := keyedSide(rows, text, uniform)
		for _, workers := range []int{1, 2} {
			opts := join.SketchOptions{Resources: onerow.Resources{Workers: workers}}
			b.Run(fmt.Sprintf("op=new/text=%v/rows=%d/workers=%d", text, rows, workers), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := join.NewSketch(ctx, []arrow.Record{side}, []string{"id"}, opts); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
			})
		}
		if text {
			break
		}
		b.Run(fmt.Sprintf("op=read/rows=%d/workers=1", rows), func(b *testing.B) {
			defer join.SetSketchRows(1 << 17)()
			var batches []arrow.Record
			for at := 0; at < rows; at += 1 << 16 {
				batches = append(batches, side.NewSlice(int64(at), int64(min(at+1<<16, rows))))
			}
			for b.Loop() {
				r, err := array.NewRecordReader(side.Schema(), batches)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := join.ReadSketch(ctx, r, []string{"id"}, join.SketchOptions{Resources: onerow.Resources{Workers: 1}}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
		})
	}
	left, right := keyedSide(rows, false, uniform), keyedSide(rows, false, uniform)
	for _, size := range []int{1024, 4096, 65536} {
		var s [2]*join.Sketch
		for i, side := range []arrow.Record{left, right} {
			var err error
			if s[i], err = join.NewSketch(ctx, []arrow.Record{side}, []string{"id"}, join.SketchOptions{Keys: size}); err != nil {
				b.Fatal(err)
			}
		}
		file, err := s[0].MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		for _, op := range []struct {
			name string
			do   func() error
		}{
			{"merge", func() error { _, err := s[0].Merge(s[1]); return err }},
			{"marshal", func() error { _, err := s[0].MarshalBinary(); return err }},
			{"unmarshal", func() error { return new(join.Sketch).UnmarshalBinary(file) }},
			{"estimate", func() error { _, err := join.EstimateSketches(s[0], s[1]); return err }},
		} {
			b.Run(fmt.Sprintf("op=%s/keys=%d", op.name, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := op.do(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/op")
				if op.name == "marshal" {
					b.ReportMetric(float64(len(file)), "bytes")
				}
			})
		}
	}
}
