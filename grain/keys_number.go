package grain

import (
	"context"
	"sync"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// numbered is a column as the search sees it: the values are numbers.
type numbered struct {
	at       int      // its place in the report
	ids      []uint32 // of each row: the number of its value, by first appearance; keyset.None for NULL that equals nothing
	distinct uint32
	counts   []uint32 // rows of each value; nil once no longer needed
	most     uint32   // rows of the commonest value
	shared   int64    // rows that share their value with others
	nulls    int64    // rows with keyset.None
	pairs    [][2]uint32
	once     sync.Once
	clusters clusters // made when they are first asked for: see stripped
}

// samplePairs is the number of pairs of rows with one value that are kept of each column.
const samplePairs = 256

// numberColumns numbers the values of the columns, a column a task.
func (s *search) numberColumns(ctx context.Context, cols []*form.Column) error {
	s.report.Columns = make([]KeyColumn, len(cols))
	all := make([]*numbered, len(cols))
	workers := min(s.opts.Resources.WorkerCount(), len(cols))
	watches := make([]keyset.Watch, workers)
	for i := range watches {
		watches[i] = keyset.NewWatch(ctx)
	}
	progress := frame.NewProgress(s.opts.Resources)
	progress.Start(onerow.StageEncode, s.rows*int64(len(cols)))
	err := keyset.Run(ctx, workers, len(cols), func(w, task int) error {
		keys := keyset.NewKeys(cols[task:task+1], true)
		c := &numbered{at: task, ids: make([]uint32, s.rows)}
		var nulls int64
		if keys.OneWord() {
			nulls = numberValues[[1]uint64](s, c, keys, &watches[w], progress)
		} else {
			nulls = numberValues[[2]uint64](s, c, keys, &watches[w], progress)
		}
		if err := watches[w].Err(); err != nil {
			return err
		}
		c.finish()
		s.report.Columns[task] = KeyColumn{Name: cols[task].Name, Distinct: int64(c.distinct), NullRows: nulls}
		if !s.keeps(c) {
			c.ids, c.counts, c.pairs = nil, nil, nil
		}
		all[task] = c
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range all {
		switch {
		case s.rows < 2:
		case c.isKey(s.rows):
			s.report.Keys = append(s.report.Keys, []string{s.report.Columns[c.at].Name})
		case s.keeps(c):
			s.cols = append(s.cols, c)
		}
	}
	return nil
}

// isKey says whether the column alone is a key; then it is part of no other minimal one.
func (c *numbered) isKey(rows int64) bool { return int64(c.distinct) == rows }

// keeps says whether a column may be part of a key of several columns, or of a near-key. One of a single value tells nothing apart.
func (s *search) keeps(c *numbered) bool {
	return c.distinct > 1 && !c.isKey(s.rows) && c.nulls <= s.limit
}

// numberValues gives the values of a column numbers, and returns the number of rows with NULL.
func numberValues[K keyset.Words](s *search, c *numbered, keys *keyset.Keys, watch *keyset.Watch, progress *frame.Progress) (nulls int64) {
	table, block := keyset.NewTable[K, uint32](keys), keyset.NewBlock[K](keys)
	apart := s.opts.Nulls == NullsDistinct
	stride := uint32(s.rows/samplePairs + 1)
	next := uint32(0) // the first row that may end a sampled pair
	entries := make([]entry[K], keyset.BlockRows)
	for _, span := range keyset.Spans(s.table.Lens(), s.table.Start) {
		span.Blocks(func(lo, n int, row uint32) {
			if watch.OverAfter(n) {
				return
			}
			keyset.Read(keys, span.Chunk, lo, n, block)
			nulls += int64(block.NullRows)
			for i := range n {
				entries[i] = entry[K]{Key: block.Keys[i], Row1: row + uint32(i) + 1}
			}
			starts := table.Starts(entries[:n])
			for i := range n {
				e := &entries[i]
				if apart && block.NullRows > 0 && keys.Null(e.Row()) {
					c.ids[e.Row()] = keyset.None
					c.nulls++
					continue
				}
				e.Payload = uint32(len(c.counts))
				at, fresh := table.At(e, starts[i])
				if fresh {
					c.counts = append(c.counts, 0)
				} else if e.Row() >= next {
					c.pairs = append(c.pairs, [2]uint32{at.Row(), e.Row()})
					next = e.Row() + stride
				}
				c.counts[at.Payload]++
				c.ids[e.Row()] = at.Payload
			}
		})
		progress.Add(int64(span.N))
	}
	return nulls
}

func (c *numbered) finish() {
	c.distinct = uint32(len(c.counts))
	for _, n := range c.counts {
		c.most = max(c.most, n)
		if n > 1 {
			c.shared += int64(n)
		}
	}
}
