package dedupe

import (
	"context"
	"maps"
	"sort"

	"github.com/onerow-go/onerow/internal/keyset"
)

// carrier is one worker's part of carry-forward.
type carrier struct {
	keyset.Watch
	report Report
	filled []map[uint32]uint32
	// known has, for each fill, what was found at a level: the row with the value, or noRow. A level is known by its first event. Lives
	// that meet in a level share the way from there, which is walked once.
	known []map[uint32]uint32
	way   []uint32
	level level
}

// carryForward finds for each unavailable value of a winner the row that has it.
func (l *lives) carryForward(ctx context.Context, p *Plan) error {
	if len(l.fills) == 0 {
		return nil
	}
	const batch = 1 << 8
	tasks := (len(p.Rows) + batch - 1) / batch
	var carriers []*carrier
	for range max(1, min(l.job.workers(), tasks)) {
		c := &carrier{Watch: keyset.NewWatch(ctx)}
		for range l.fills {
			c.filled = append(c.filled, map[uint32]uint32{})
			c.known = append(c.known, map[uint32]uint32{})
		}
		carriers = append(carriers, c)
	}
	err := keyset.Run(ctx, len(carriers), tasks, func(worker, task int) error {
		for at := task * batch; at < min(len(p.Rows), (task+1)*batch); at++ {
			if err := l.fillRow(carriers[worker], p.Rows[at]); err != nil {
				return err
			}
		}
		return nil
	})
	p.filled = carriers[0].filled
	for n, c := range carriers {
		l.report.add(c.report)
		for i := range l.fills {
			if n > 0 {
				maps.Copy(p.filled[i], c.filled[i])
			}
		}
	}
	return err
}

func (l *lives) fillRow(c *carrier, row uint32) error {
	if l.isDelete(row) {
		return nil
	}
	for i := range l.fills {
		if !l.fills[i].Match(l.fills[i].gone, row) {
			continue
		}
		from, met := l.beside(&l.fills[i], row)
		if !met {
			from = l.source(c, i, row)
		}
		switch {
		case c.Done():
			return c.Err()
		case from == noRow:
			c.report.Unfilled++
		default:
			c.filled[i][row] = from
			c.report.Filled++
		}
	}
	return nil
}

// beside looks at the target's row of a winner's own key: if it is equal in order to the winner, which won a tie with it, no older row is
// nearer. It returns the target's row if that has the value, else noRow.
func (l *lives) beside(f *fill, row uint32) (from uint32, met bool) {
	if l.target.Rows == 0 {
		return noRow, false
	}
	group := l.groups.Of(l.ids[row])
	for i := sort.Search(len(group), func(i int) bool { return l.compare(group[i], row) <= 0 }); i < len(group) && l.compare(group[i], row) == 0; i++ {
		if e := group[i]; e >= l.rows && e < l.known {
			if f.inTarget && !f.Match(f.gone, e) {
				return e, true
			}
			return noRow, true
		}
	}
	return noRow, false
}

// source walks back along the life of a row to the nearest older row that has the value. It returns noRow where the life begins,
// at a tie, and at the target's row if that has no value: what lies before it isn't known.
func (l *lives) source(c *carrier, fill int, row uint32) uint32 {
	c.way = c.way[:0]
	from := noRow
	for !c.Over() {
		group := l.groups.Of(l.before(row))
		i := sort.Search(len(group), func(i int) bool { return l.order.Compare(l.row(group[i]), row) < 0 })
		if i == len(group) {
			break
		}
		if known, ok := c.known[fill][group[i]]; ok {
			from = known
			break
		}
		c.way = append(c.way, group[i])
		var more bool
		if l.readLevel(&c.Watch, &c.level, group, i); c.Done() {
			break
		}
		if from, more = l.valueAt(c, &l.fills[fill]); !more {
			break
		}
		row, from = from, noRow
	}
	for _, level := range c.way {
		c.known[fill][level] = from
	}
	return from
}

// valueAt returns the row of the carrier's level that has the value, or noRow. If the row that has it leaves it unavailable too, more is true:
// the life goes on before that row.
func (l *lives) valueAt(c *carrier, f *fill) (row uint32, more bool) {
	v := &c.level
	if len(v.ends) > 0 || len(v.deletes) > 0 {
		return noRow, false
	}
	if v.target != noRow {
		if !f.inTarget || l.isDelete(v.target) || l.replays(&c.Watch, v) < int64(len(v.upserts)) || f.Match(f.gone, v.target) {
			return noRow, false
		}
		return v.target, false
	}
	// Of copies that differ in bits the greatest, so that the outcome doesn't depend on which came first.
	row = l.greatest(&c.Watch, v.upserts)
	if l.copies(&c.Watch, row, v.upserts) < int64(len(v.upserts))-1 {
		return noRow, false
	}
	return row, f.Match(f.gone, row)
}

// before returns the key whose events came before a row: its previous key, or its own.
func (l *lives) before(row uint32) uint32 {
	if l.opts.Op.PreviousKey != nil {
		if id := l.ids[l.known+row]; id != keyset.None {
			return id
		}
	}
	return l.ids[row]
}
