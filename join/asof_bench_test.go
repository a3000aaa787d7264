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
	"github.com/onerow-go/onerow/join"
)

var benchFacts = flag.Int("facts", 1_000_000, "facts of BenchmarkAsOf, with a tenth as many versions; the figures of the README are for 10000000")

// madeRange makes facts, and versions of ten a key, half-open, which meet, in no order (J3). Keys are integers, or, as "uuid", texts of 36 bytes.
func madeRange(kind string, facts, versions int) (join.Facts, join.Versions) {
	rng := rand.New(rand.NewPCG(1, 2))
	const per, year = 10, 365 * 86_400_000_000
	typ := &arrow.TimestampType{Unit: arrow.Microsecond}
	keys := make([]int64, max(1, versions/per))
	for i := range keys {
		keys[i] = int64(rng.Uint64())
	}
	mem := memory.NewGoAllocator()
	record := func(names []string, rows int, row func(i int) []int64) arrow.Record {
		key, texts := array.NewInt64Builder(mem), array.NewStringBuilder(mem)
		var times []*array.TimestampBuilder
		for range names[1:] {
			times = append(times, array.NewTimestampBuilder(mem, typ))
		}
		for i := range rows {
			r := row(i)
			if kind == "uuid" {
				texts.Append(uuid(r[0]))
			} else {
				key.Append(r[0])
			}
			for k, t := range r[1:] {
				if t < 0 {
					times[k].AppendNull()
				} else {
					times[k].Append(arrow.Timestamp(t))
				}
			}
		}
		cols := []arrow.Array{key.NewArray()}
		if kind == "uuid" {
			cols[0] = texts.NewArray()
		}
		fields := []arrow.Field{{Name: names[0], Type: cols[0].DataType()}}
		for k, t := range times {
			cols = append(cols, t.NewArray())
			fields = append(fields, arrow.Field{Name: names[k+1], Type: typ, Nullable: true})
		}
		return array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(rows))
	}
	order := rng.Perm(len(keys) * per)
	v := record([]string{"id", "valid_from", "valid_to"}, len(order), func(i int) []int64 {
		k, n := order[i]/per, int64(order[i]%per)
		end := (n + 1) * year / per
		if n == per-1 {
			end = -1
		}
		return []int64{keys[k], n * year / per, end}
	})
	f := record([]string{"id", "at"}, facts, func(int) []int64 { return []int64{keys[rng.IntN(len(keys))], rng.Int64N(year)} })
	return join.Facts{Batches: []arrow.Record{f}, Key: []string{"id"}, At: "at"},
		join.Versions{Batches: []arrow.Record{v}, ValidFrom: "valid_from", ValidTo: "valid_to"}
}

// uuid makes a text of 36 bytes of a number.
func uuid(n int64) string {
	h := uint64(n)
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", uint32(h>>32), uint16(h>>16), h>>4&0xfff, h&0xfff, h&0xffffffffffff)
}

type rangeInput struct {
	facts    join.Facts
	versions join.Versions
}

// BenchmarkAsOf measures J3, the same with few versions, and with texts for keys.
func BenchmarkAsOf(b *testing.B) {
	count := *benchFacts
	if testing.Short() {
		count = min(count, 20_000)
	}
	for _, kind := range []string{"int", "uuid"} {
		for _, versions := range []int{count / 10, 5000} {
			input := sync.OnceValue(func() *rangeInput {
				facts, history := madeRange(kind, count, versions)
				return &rangeInput{facts, history}
			})
			for _, workers := range []int{1, 2} {
				opts := join.RangeOptions{Resources: onerow.Resources{Workers: workers}}
				for _, call := range []struct {
					name string
					do   func(*rangeInput) error
				}{{"AsOf", asOf(opts)}, {"Between", between(opts)}} {
					b.Run(fmt.Sprintf("call=%s/key=%s/facts=%d/versions=%d/workers=%d", call.name, kind, count, versions, workers), func(b *testing.B) {
						in := input()
						b.ReportAllocs()
						for b.Loop() {
							if err := call.do(in); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(count), "ns/fact")
					})
				}
			}
		}
	}
}

func asOf(opts join.RangeOptions) func(in *rangeInput) error {
	return func(in *rangeInput) error {
		m, err := join.AsOf(context.Background(), in.facts, in.versions, opts)
		if err == nil && m.Report.OK != m.Report.Facts {
			return fmt.Errorf("%v", &m.Report)
		}
		return err
	}
}

func between(opts join.RangeOptions) func(in *rangeInput) error {
	return func(in *rangeInput) error {
		_, err := join.Between(context.Background(), in.facts, in.versions, opts)
		return err
	}
}
