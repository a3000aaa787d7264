package dedupe_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

var benchRows = flag.Int("rows", 1_000_000, "rows of the benchmarks' tables; the figures of the README are for 10000000")

// benchSize is the number of rows of a benchmark's table.
func benchSize() int {
	if testing.Short() {
		return min(*benchRows, 20_000)
	}
	return *benchRows
}

// changes is the table of the benchmarks: keys, a day of microseconds, a unique sequence, and a payload.
type changes struct {
	key []string
	ids []int64
	at  []arrow.Timestamp
	seq []int64
	rec arrow.Record
}

// The keys of benchmarks.
const (
	intKey  = "int"    // an int64 over all 64 bits
	textKey = "text15" // a text that is inlined
	uuidKey = "uuid"   // a text of 36 bytes, which is a digest
	pairKey = "pair"   // a text, one of 97, which is read as a number, beside an int64
	dictKey = "dict"   // texts of 15 bytes, as a dictionary
)

var benchMem = memory.NewGoAllocator()

// makeChanges makes a table of keys that are drawn uniformly, or by Zipf's law with exponent 1.1.
func makeChanges(rows, keys int, kind string, zipf bool) *changes {
	rng := rand.New(rand.NewPCG(1, 2))
	next := func() int { return rng.IntN(keys) }
	if zipf {
		z := rand.NewZipf(rng, 1.1, 1, uint64(keys-1))
		next = func() int { return int(z.Uint64()) }
	}
	c := &changes{ids: make([]int64, rows), at: make([]arrow.Timestamp, rows), seq: make([]int64, rows)}
	drawn := make([]int, rows)
	amount, name := array.NewFloat64Builder(benchMem), array.NewStringBuilder(benchMem)
	for i := range rows {
		drawn[i] = next()
		c.ids[i] = int64(uint64(drawn[i]+1) * 0x9e3779b97f4a7c15)
		c.at[i] = arrow.Timestamp(rng.Int64N(86_400_000_000))
		c.seq[i] = int64(i)
		amount.Append(float64(i))
		name.Append(fmt.Sprintf("name-%d", i%1_000_000))
	}
	var cols []arrow.Array
	c.key, cols = c.keyColumns(drawn, kind)
	at := array.NewTimestampBuilder(benchMem, &arrow.TimestampType{Unit: arrow.Microsecond})
	at.AppendValues(c.at, nil)
	cols = append(cols, at.NewArray(), integers(c.seq), amount.NewArray(), name.NewArray())
	var fields []arrow.Field
	for i, n := range append(slices.Clone(c.key), "updated_at", "seq", "amount", "name") {
		fields = append(fields, arrow.Field{Name: n, Type: cols[i].DataType()})
	}
	c.rec = array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(rows))
	return c
}

// keyColumns makes the key of numbers.
func (c *changes) keyColumns(drawn []int, kind string) (names []string, cols []arrow.Array) {
	customer := func(i int) string { return fmt.Sprintf("cust-%010d", drawn[i]) }
	switch kind {
	case textKey:
		return []string{"id"}, []arrow.Array{texts(len(drawn), customer)}
	case uuidKey:
		return []string{"id"}, []arrow.Array{texts(len(drawn), func(i int) string {
			h := uint64(c.ids[i])
			return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", uint32(h>>32), uint16(h>>16), h>>4&0xfff, h&0xfff, drawn[i])
		})}
	case pairKey:
		tenant := func(i int) string { return fmt.Sprintf("tenant-%02d", drawn[i]%97) }
		return []string{"tenant", "id"}, []arrow.Array{texts(len(drawn), tenant), integers(c.ids)}
	case dictKey:
		b := array.NewDictionaryBuilder(benchMem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32,
			ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
		for i := range drawn {
			if err := b.AppendString(customer(i)); err != nil {
				panic(err)
			}
		}
		return []string{"id"}, []arrow.Array{b.NewArray()}
	}
	return []string{"id"}, []arrow.Array{integers(c.ids)}
}

func integers(n []int64) arrow.Array {
	b := array.NewInt64Builder(benchMem)
	b.AppendValues(n, nil)
	return b.NewArray()
}

func texts(n int, text func(i int) string) arrow.Array {
	b := array.NewStringBuilder(benchMem)
	for i := range n {
		b.Append(text(i))
	}
	return b.NewArray()
}

var latestOrder = []onerow.Order{onerow.Desc("updated_at"), onerow.Desc("seq")}

// BenchmarkLatest measures the winners alone, without Take.
func BenchmarkLatest(b *testing.B) {
	rows := benchSize()
	for _, work := range []struct {
		kind   string
		shares []int // of rows: keys that are nearly unique, common, few
		zipf   bool
	}{
		{intKey, []int{1, 10, 10_000}, false},
		{textKey, []int{1, 10, 10_000}, false},
		{dictKey, []int{1, 10, 10_000}, false},
		{uuidKey, []int{1, 10, 10_000}, false},
		{pairKey, []int{1, 10, 10_000}, false},
		{intKey, []int{10}, true},
		{uuidKey, []int{10}, true},
	} {
		draw := "uniform"
		if work.zipf {
			draw = "zipf1.1"
		}
		for _, share := range work.shares {
			keys := max(2, rows/share)
			table := sync.OnceValue(func() *changes { return makeChanges(rows, keys, work.kind, work.zipf) })
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("key=%s/draw=%s/rows=%d/keys=%d/workers=%d", work.kind, draw, rows, keys, workers), func(b *testing.B) {
					benchLatest(b, table(), dedupe.Options{Resources: onerow.Resources{Workers: workers}})
				})
			}
		}
	}
}

func benchLatest(b *testing.B, c *changes, opts dedupe.Options) {
	b.ReportAllocs()
	for b.Loop() {
		p, err := dedupe.Latest(context.Background(), []arrow.Record{c.rec}, c.key, latestOrder, opts)
		if err != nil || len(p.Rows) == 0 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(c.ids)), "ns/row")
}

// BenchmarkLatestFill measures calls that need all events of a key together.
func BenchmarkLatestFill(b *testing.B) {
	rows := benchSize()
	keys := max(1, rows/10)
	for _, kind := range []string{intKey, uuidKey, pairKey} {
		b.Run(fmt.Sprintf("key=%s/rows=%d/keys=%d", kind, rows, keys), func(b *testing.B) {
			benchLatest(b, makeChanges(rows, keys, kind, false), dedupe.Options{Fill: []dedupe.Fill{{Column: "name", Unavailable: "name-7"}}})
		})
	}
}

// BenchmarkLatestAgainst measures a micro-batch of 1,000 rows, and one of a fifth of the rows, against a target of as many rows as the flag says.
func BenchmarkLatestAgainst(b *testing.B) {
	target := benchSize()
	for _, kind := range []string{intKey, uuidKey, pairKey} {
		table := sync.OnceValue(func() *changes { return makeChanges(target, target, kind, false) })
		for _, rows := range []int{1000, target / 5} {
			b.Run(fmt.Sprintf("key=%s/rows=%d/target=%d", kind, rows, target), func(b *testing.B) {
				c := table()
				batch := c.rec.NewSlice(0, int64(rows))
				defer batch.Release()
				opts := dedupe.Options{Against: []arrow.Record{c.rec}, Ties: dedupe.TiesByContent}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := dedupe.Latest(context.Background(), []arrow.Record{batch}, c.key, latestOrder, opts); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows+target), "ns/row")
			})
		}
	}
}

type latestRow struct {
	at  arrow.Timestamp
	seq int64
	row int32
}

// BenchmarkGoMap is what a careful user would write: a map from key to the best row, one pass.
func BenchmarkGoMap(b *testing.B) {
	rows := benchSize()
	keys := rows / 10
	b.Run(fmt.Sprintf("key=%s/rows=%d/keys=%d", intKey, rows, keys), func(b *testing.B) {
		c := makeChanges(rows, keys, intKey, false)
		goMap(b, c, func(i int) int64 { return c.ids[i] })
	})
	for _, kind := range []string{textKey, uuidKey} {
		b.Run(fmt.Sprintf("key=%s/rows=%d/keys=%d", kind, rows, keys), func(b *testing.B) {
			c := makeChanges(rows, keys, kind, false)
			goMap(b, c, c.rec.Column(0).(*array.String).Value)
		})
	}
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
