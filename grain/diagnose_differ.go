package grain

import (
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// pairsAtATime is the number of pairs of rows that are compared at a time, column by column.
const pairsAtATime = 4096

// rowsPerTask is the number of rows of groups that make a task.
const rowsPerTask = 1 << 14

// tasks cuts a list of groups into tasks of about as many rows: task i has those from cuts[i] to cuts[i+1].
func tasks(g *keyset.Groups, ids []uint32) (cuts []int) {
	cuts = []int{0}
	rows := 0
	for i, id := range ids {
		if rows += len(g.Of(id)); rows >= rowsPerTask {
			cuts, rows = append(cuts, i+1), 0
		}
	}
	if cuts[len(cuts)-1] < len(ids) {
		cuts = append(cuts, len(ids))
	}
	return cuts
}

// differing finds the columns in which the rows of groups aren't all equal, a set for each id: those of the given columns, by position in
// d.columns.
func (d *diagnosing) differing(g *keyset.Groups, ids []uint32, among []int) ([]columnSet, error) {
	out := make([]columnSet, len(ids))
	words := make([]uint64, len(ids)*len(newColumnSet(len(d.columns))))
	for i := range out {
		n := len(words) / len(ids)
		out[i] = words[i*n : (i+1)*n : (i+1)*n]
	}
	cuts := tasks(g, ids)
	comparers := make([]*comparer, d.workers)
	err := keyset.Run(d.ctx, d.workers, len(cuts)-1, func(w, task int) error {
		if comparers[w] == nil {
			comparers[w] = &comparer{columns: d.columns, among: among, sets: out}
		}
		for i := cuts[task]; i < cuts[task+1]; i++ {
			rows := g.Of(ids[i])
			for _, row := range rows[1:] {
				if comparers[w].add(row, rows[0], i); len(comparers[w].as) == pairsAtATime {
					if err := d.ctx.Err(); err != nil {
						return err
					}
					comparers[w].flush()
				}
			}
		}
		comparers[w].flush()
		return nil
	})
	return out, err
}

// comparer compares pairs of rows. It belongs to one worker.
type comparer struct {
	columns []*form.Column
	among   []int
	sets    []columnSet

	as, bs []uint32
	of     []int // the set of each pair
	same   []bool
}

func (c *comparer) add(a, b uint32, set int) {
	c.as, c.bs, c.of = append(c.as, a), append(c.bs, b), append(c.of, set)
}

// flush compares the pairs that were added. What a set has already isn't compared again.
func (c *comparer) flush() {
	c.same = append(c.same[:0], make([]bool, len(c.as))...)
	for _, at := range c.among {
		for k, set := range c.of {
			c.same[k] = !c.sets[set].has(at)
		}
		c.columns[at].SamePairs(c.as, c.bs, c.same)
		for k, same := range c.same {
			if !same {
				c.sets[c.of[k]].add(at)
			}
		}
	}
	c.as, c.bs, c.of = c.as[:0], c.bs[:0], c.of[:0]
}

// equal says whether two rows are equal in the given columns.
func (d *diagnosing) equal(a, b uint32, columns []int) bool { return d.compare(a, b, columns) == 0 }

// compare orders rows by the given columns.
func (d *diagnosing) compare(a, b uint32, columns []int) int {
	for _, at := range columns {
		if c := d.columns[at].Compare(a, b, form.ByValue); c != 0 {
			return c
		}
	}
	return 0
}
