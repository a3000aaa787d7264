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
	ids      []uint32 // of each row: the number of its value; keyset.None for NULL that equals nothing
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
		if form.FamilyOf(cols[task].Type) == form.NullFamily { // its rows may be claimed without any memory
			all[task] = s.numberNulls(task, cols[task].Name)
			progress.Add(s.rows)
			return nil
		}
		keys := keyset.NewKeys(cols[task:task+1], s.opts.Nulls == NullsEqual)
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

// numberNulls is a column that is NULL in all rows.
func (s *search) numberNulls(at int, name string) *numbered {
	c := &numbered{at: at, nulls: s.rows}
	if s.opts.Nulls == NullsEqual && s.rows > 0 {
		c.distinct, c.nulls = 1, 0
	}
	s.report.Columns[at] = KeyColumn{Name: name, Distinct: int64(c.distinct), NullRows: s.rows}
	return c
}

// isKey says whether the column alone is a key; then it is part of no other minimal one.
func (c *numbered) isKey(rows int64) bool { return int64(c.distinct) == rows }

// keeps says whether a column may be part of a key of several columns, or of a near-key. One of a single value tells nothing apart.
func (s *search) keeps(c *numbered) bool {
	return c.distinct > 1 && !c.isKey(s.rows) && c.nulls <= s.limit
}

// numbering gives the values of one column numbers. The first ones go into one table, which stays in the core's own cache; rows of the others are
// dealt out to partitions, each of which has few enough values for such a table as well.
type numbering[K keyset.Words] struct {
	*numbered
	keys     *keyset.Keys
	watch    *keyset.Watch
	table    *keyset.Table[K, uint32] // a payload is the number of a value
	parts    *keyset.Parts[K, uint32] // nil until the table is full
	block    *keyset.Block[K]
	entries  []entry[K]
	bits     int
	stride   uint32
	next     uint32 // the first row that may end a sampled pair
	nullRows int64
}

// tableValues is the number of values that the first table has at most. Tests make it smaller.
var tableValues = 1 << 15

// numberValues gives the values of a column numbers, and returns the number of rows with NULL.
func numberValues[K keyset.Words](s *search, c *numbered, keys *keyset.Keys, watch *keyset.Watch, progress *frame.Progress) (nulls int64) {
	n := &numbering[K]{numbered: c, keys: keys, watch: watch, table: keyset.NewTable[K, uint32](keys), bits: keyset.PartBits(s.rows),
		stride: uint32(s.rows/samplePairs + 1)}
	n.block, n.entries = keyset.NewBlock[K](keys), make([]entry[K], keyset.BlockRows)
	defer n.release()
	told := int64(0) // of the progress
	n.table.Fill(func() {
		n.begin()
		done := int64(0)
		for _, span := range keyset.Spans(s.table.Lens(), s.table.Start) {
			span.Blocks(func(lo, rows int, row uint32) {
				if !watch.OverAfter(rows) {
					n.read(span.Chunk, lo, rows, row)
				}
			})
			if done += int64(span.N); done > told {
				progress.Add(int64(span.N))
				told = done
			}
		}
	})
	n.numberParts()
	return n.nullRows
}

// begin forgets the rows that were numbered.
func (n *numbering[K]) begin() {
	n.counts, n.pairs, n.next, n.nulls, n.nullRows = n.counts[:0], n.pairs[:0], 0, 0, 0
	n.release()
}

// release gives the memory of the partitions back.
func (n *numbering[K]) release() {
	if n.parts != nil {
		n.parts.Release()
		n.parts = nil
	}
}

// read takes the rows of a block of the column in.
func (n *numbering[K]) read(chunk, lo, rows int, row uint32) {
	keyset.Read(n.keys, chunk, lo, rows, n.block)
	n.nullRows += int64(n.block.NullRows)
	k := 0
	for i := range rows {
		if n.block.Null[i] != 0 {
			n.ids[row+uint32(i)] = keyset.None
			n.nulls++
			continue
		}
		n.entries[k] = entry[K]{Key: n.block.Keys[i], Row1: row + uint32(i) + 1}
		k++
	}
	if n.table.Len() < tableValues || n.bits == 0 {
		n.number(n.entries[:k])
	} else {
		n.deal(n.entries[:k])
	}
}

// number gives the values of rows numbers.
func (n *numbering[K]) number(rows []entry[K]) {
	starts := n.table.Starts(rows)
	for i := range rows {
		e := &rows[i]
		e.Payload = uint32(len(n.counts))
		at, fresh := n.table.At(e, starts[i])
		if fresh {
			n.counts = append(n.counts, 0)
		}
		n.note(at, e)
	}
}

// note gives a row the number of its value, at which the table has it.
func (n *numbering[K]) note(at, e *entry[K]) {
	row := e.Row()
	if first := at.Row(); first != row && row >= n.next && len(n.pairs) < samplePairs {
		n.pairs = append(n.pairs, [2]uint32{first, row})
		n.next = row + n.stride
	}
	n.counts[at.Payload]++
	n.ids[row] = at.Payload
}

// deal gives the rows whose values the table has their numbers, and deals the others out.
func (n *numbering[K]) deal(rows []entry[K]) {
	if n.parts == nil {
		n.parts = keyset.NewParts[K, uint32](n.bits)
	}
	for i := range rows {
		e := &rows[i]
		if at := n.table.Find(e); at != nil {
			n.note(at, e)
		} else {
			n.parts.Add(*e)
		}
	}
}

// numberParts gives the values of the rows that were dealt out numbers.
func (n *numbering[K]) numberParts() {
	if n.parts == nil {
		return
	}
	for part := range n.parts.Len() {
		counts, pairs := len(n.counts), len(n.pairs)
		n.table.Fill(func() {
			n.counts, n.pairs, n.next = n.counts[:counts], n.pairs[:pairs], 0
			n.parts.Chunks(part, func(rows []entry[K]) {
				if !n.watch.OverAfter(len(rows)) {
					n.number(rows)
				}
			})
		})
	}
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
