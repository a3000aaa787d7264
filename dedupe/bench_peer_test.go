package dedupe_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// The workloads that internal/peer measures beside DuckDB, by their names there.
var peerWorkloads = []struct {
	name, kind string
	keys       func(rows int) int
	zipf       bool
}{
	{"L1", intKey, tenth, false},
	{"L2", textKey, tenth, false},
	{"L3", pairKey, tenth, false},
	{"L4", intKey, func(rows int) int { return rows * 9 / 10 }, false},
	{"L5", intKey, func(rows int) int { return min(1000, rows) }, false},
	{"L5z", intKey, tenth, true},
	{"L6", dictKey, tenth, false},
}

func tenth(rows int) int { return max(2, rows/10) }

// BenchmarkLatestTake measures what internal/peer does: the winners, and a record of them.
func BenchmarkLatestTake(b *testing.B) {
	rows := benchSize()
	for _, w := range peerWorkloads {
		keys := w.keys(rows)
		table := sync.OnceValue(func() *changes { return makeChanges(rows, keys, w.kind, w.zipf) })
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("workload=%s/key=%s/rows=%d/keys=%d/workers=%d", w.name, w.kind, rows, keys, workers), func(b *testing.B) {
				c, opts := table(), dedupe.Options{Resources: onerow.Resources{Workers: workers}}
				b.ReportAllocs()
				for b.Loop() {
					if err := latestTake(context.Background(), c, opts); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
			})
		}
	}
}

func latestTake(ctx context.Context, c *changes, opts dedupe.Options) error {
	p, err := dedupe.Latest(ctx, []arrow.Record{c.rec}, c.key, latestOrder, opts)
	if err != nil {
		return err
	}
	rec, err := p.Take(ctx, benchMem)
	if err != nil {
		return err
	}
	rec.Release()
	return nil
}

// TestObjects: a call on ten times as many rows and keys makes no more objects, but for one or two for each partition, of which there is a greatest
// number, and a few for working memory that no pool had. One for each block of some thousand rows would be more than that.
func TestObjects(t *testing.T) {
	const few, more = 200_000, 200
	if testing.Short() {
		t.Skip("millions of rows")
	}
	var objects [2]float64
	for i, rows := range []int{few, 10 * few} {
		c := makeChanges(rows, tenth(rows), intKey, false)
		objects[i] = testing.AllocsPerRun(2, func() {
			if err := latestTake(t.Context(), c, dedupe.Options{Resources: onerow.Resources{Workers: 2}}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if objects[1] > objects[0]+more {
		t.Errorf("%v objects on %d rows, %v on ten times as many", objects[0], few, objects[1])
	}
}
