package dedupe

import (
	"context"
	"sort"

	"github.com/onerow-go/onerow/internal/keyset"
)

// carryForward finds for each unavailable value of a winner the row that has it.
func (l *lives) carryForward(ctx context.Context, p *Plan) error {
	if len(l.fills) == 0 {
		return nil
	}
	p.sources = make([][]uint32, len(l.fills))
	for i := range l.fills {
		p.sources[i] = append([]uint32(nil), p.Rows...)
	}
	const batch = 1 << 10
	tasks := (len(p.Rows) + batch - 1) / batch
	reports := make([]Report, max(1, l.job.workers()))
	err := l.run(ctx, tasks, func(worker, task int) error {
		for at := task * batch; at < min(len(p.Rows), (task+1)*batch); at++ {
			l.fillRow(&reports[worker], p, at)
		}
		return nil
	})
	for _, r := range reports {
		l.report.add(r)
	}
	return err
}

func (l *lives) fillRow(r *Report, p *Plan, at int) {
	row := p.Rows[at]
	if l.isDelete(row) {
		return
	}
	for i := range l.fills {
		f := &l.fills[i]
		if !f.Match(f.gone, row) {
			continue
		}
		if from := l.source(f, row); from != noRow {
			p.sources[i][at] = from
			r.Filled++
		} else {
			r.Unfilled++
		}
	}
}

// source walks back along the life of a row to the nearest older row that has the value. It returns noRow where the life begins,
// at a tie, and at the target's row if that has no value: what lies before it isn't known.
func (l *lives) source(f *fill, row uint32) uint32 {
	for {
		group := l.groups.Of(l.before(row))
		i := sort.Search(len(group), func(i int) bool { return l.order.Compare(l.row(group[i]), row) < 0 })
		if i == len(group) {
			return noRow
		}
		v, _ := l.levelAt(group, i)
		if len(v.ends) > 0 || len(v.deletes) > 0 {
			return noRow
		}
		if v.target != noRow {
			if !f.inTarget || l.isDelete(v.target) || len(l.replays(v)) < len(v.upserts) || f.Match(f.gone, v.target) {
				return noRow
			}
			return v.target
		}
		// Of copies that differ in bits the greatest, so that the outcome doesn't depend on which came first.
		row = l.greatest(v.upserts)
		if l.copies(row, v.upserts) < int64(len(v.upserts))-1 {
			return noRow
		}
		if !f.Match(f.gone, row) {
			return row
		}
	}
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
