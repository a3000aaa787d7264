package dedupe_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

var benchRows = flag.Int("rows", 1_000_000, "rows of the benchmarks' tables; the figures of the README are for 10000000")

// changes makes the table of the benchmarks: keys uniform, a day of microseconds, a unique sequence, and a payload.
type changes struct {
	ids  []int64
	at   []arrow.Timestamp
	seq  []int64
	text []string
	rec  arrow.Record
}

const (
	intKey  = "int"
	textKey = "text15"
	dictKey = "dict"
)

func makeChanges(rows, keys int, kind string) *changes {
	rng := rand.New(rand.NewPCG(1, 2))
	c := &changes{ids: make([]int64, rows), at: make([]arrow.Timestamp, rows), seq: make([]int64, rows)}
	spread := make([]int64, keys)
	for i := range spread {
		spread[i] = int64(rng.Uint64())
	}
	for i := range rows {
		k := rng.IntN(keys)
		c.ids[i] = spread[k]
		c.at[i] = arrow.Timestamp(rng.Int64N(86_400_000_000))
		c.seq[i] = int64(i)
		if kind != intKey {
			c.text = append(c.text, fmt.Sprintf("cust-%010d", k))
		}
	}
	mem := memory.NewGoAllocator()
	var key arrow.Array
	switch kind {
	case intKey:
		b := array.NewInt64Builder(mem)
		b.AppendValues(c.ids, nil)
		key = b.NewArray()
	case textKey:
		b := array.NewStringBuilder(mem)
		b.AppendValues(c.text, nil)
		key = b.NewArray()
	case dictKey:
		b := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
		for _, t := range c.text {
			if err := b.AppendString(t); err != nil {
				panic(err)
			}
		}
		key = b.NewArray()
	}
	at := array.NewTimestampBuilder(mem, &arrow.TimestampType{Unit: arrow.Microsecond})
	at.AppendValues(c.at, nil)
	seq := array.NewInt64Builder(mem)
	seq.AppendValues(c.seq, nil)
	amount := array.NewFloat64Builder(mem)
	name := array.NewStringBuilder(mem)
	for i := range rows {
		amount.Append(float64(i))
		name.Append(fmt.Sprintf("name-%d", i%1_000_000))
	}
	cols := []arrow.Array{key, at.NewArray(), seq.NewArray(), amount.NewArray(), name.NewArray()}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: key.DataType()}, {Name: "updated_at", Type: cols[1].DataType()}, {Name: "seq", Type: cols[2].DataType()},
		{Name: "amount", Type: cols[3].DataType()}, {Name: "name", Type: cols[4].DataType()},
	}, nil)
	c.rec = array.NewRecord(schema, cols, int64(rows))
	return c
}

var latestOrder = []onerow.Order{onerow.Desc("updated_at"), onerow.Desc("seq")}

// BenchmarkLatest measures the winners alone, without Take.
func BenchmarkLatest(b *testing.B) {
	for _, kind := range []string{intKey, textKey, dictKey} {
		for _, share := range []int{1, 10, 10_000} { // of rows: keys that are nearly unique, common, few
			rows := *benchRows
			keys := max(1, rows/share)
			c := makeChanges(rows, keys, kind)
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("key=%s/rows=%d/keys=%d/workers=%d", kind, rows, keys, workers), func(b *testing.B) {
					opts := dedupe.Options{Resources: onerow.Resources{Workers: workers}}
					b.ReportAllocs()
					for b.Loop() {
						p, err := dedupe.Latest(context.Background(), []arrow.Record{c.rec}, []string{"id"}, latestOrder, opts)
						if err != nil || len(p.Rows) == 0 {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
				})
			}
		}
	}
}

// BenchmarkLatestFill measures calls that need all events of a key together.
func BenchmarkLatestFill(b *testing.B) {
	rows := *benchRows
	keys := max(1, rows/10)
	c := makeChanges(rows, keys, intKey)
	opts := dedupe.Options{Fill: []dedupe.Fill{{Column: "name", Unavailable: "name-7"}}}
	b.Run(fmt.Sprintf("key=%s/rows=%d/keys=%d", intKey, rows, keys), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := dedupe.Latest(context.Background(), []arrow.Record{c.rec}, []string{"id"}, latestOrder, opts); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
	})
}

// BenchmarkLatestAgainst measures a micro-batch of 1,000 rows against a target of as many rows as the flag says.
func BenchmarkLatestAgainst(b *testing.B) {
	target := makeChanges(*benchRows, *benchRows, intKey)
	batch := target.rec.NewSlice(0, 1000)
	b.Run(fmt.Sprintf("key=%s/rows=1000/target=%d", intKey, *benchRows), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			opts := dedupe.Options{Against: []arrow.Record{target.rec}, Ties: dedupe.TiesByContent}
			if _, err := dedupe.Latest(context.Background(), []arrow.Record{batch}, []string{"id"}, latestOrder, opts); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type latestRow struct {
	at  arrow.Timestamp
	seq int64
	row int32
}

// BenchmarkGoMap is what a careful user would write: a map from key to the best row, one pass.
func BenchmarkGoMap(b *testing.B) {
	rows := *benchRows
	keys := rows / 10
	c := makeChanges(rows, keys, textKey)
	b.Run(fmt.Sprintf("key=%s/rows=%d/keys=%d", intKey, rows, keys), func(b *testing.B) {
		goMap(b, c, func(i int) int64 { return c.ids[i] })
	})
	texts := c.rec.Column(0).(*array.String)
	b.Run(fmt.Sprintf("key=%s/rows=%d/keys=%d", textKey, rows, keys), func(b *testing.B) {
		goMap(b, c, texts.Value)
	})
}

func goMap[K comparable](b *testing.B, c *changes, key func(int) K) {
	b.ReportAllocs()
	for b.Loop() {
		m := map[K]latestRow{}
		for i := range c.ids {
			k := key(i)
			if old, ok := m[k]; !ok || c.at[i] > old.at || c.at[i] == old.at && c.seq[i] > old.seq {
				m[k] = latestRow{c.at[i], c.seq[i], int32(i)}
			}
		}
		if len(m) == 0 {
			b.Fatal("no rows")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(c.ids)), "ns/row")
}
