package dedupe

import (
	"cmp"
	"context"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// lives brings all that happened to a key together. An event is a row of one of the three parts of a job: of the batches (an
// upsert or a delete), of the target, or a previous key (the key's end). The events of each key are sorted, latest first.
//
// A level is a run of events that are equal in order.
type lives struct {
	*job
	ids     []uint32 // key of each event; keyset.None: not an event
	groups  *keyset.Groups
	workers []*liver
}

// liver is one worker's part of the outcome.
type liver struct {
	keyset.Watch
	kept, stale, aside, ended keyset.Bitmap
	report                    Report
	ties                      []tie
	newer, at, older          []uint32 // events of a key, as against the target's row
	level                     level    // the one that is being decided
}

func followLives[K keyset.Words](ctx context.Context, j *job) (*Plan, error) {
	l := &lives{job: j}
	n, err := number[K](ctx, l)
	if err != nil {
		return nil, err
	}
	if l.groups, err = keyset.NewGroups(ctx, l.ids, n); err != nil {
		return nil, err
	}
	const batch = 1 << 10
	tasks := (n + batch - 1) / batch
	for range max(1, min(j.workers(), tasks)) {
		l.workers = append(l.workers, &liver{Watch: keyset.NewWatch(ctx), kept: keyset.NewBitmap(j.rows), stale: keyset.NewBitmap(j.rows),
			aside: keyset.NewBitmap(j.rows), ended: keyset.NewBitmap(j.rows)})
	}
	j.progress.Start(onerow.StageGroup, int64(l.groups.Rows()))
	err = j.run(ctx, tasks, func(worker, task int) error {
		lo, hi := task*batch, min(n, (task+1)*batch)
		done := 0
		for id := lo; id < hi; id++ {
			if err := l.decide(l.workers[worker], uint32(id)); err != nil {
				return err
			}
			done += len(l.groups.Of(uint32(id)))
		}
		j.progress.Add(int64(done))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l.plan(ctx)
}

// row returns the row of batches or target whose order an event has.
func (l *lives) row(event uint32) uint32 {
	if event >= l.known {
		return event - l.known
	}
	return event
}

func (l *lives) compare(a, b uint32) int { return l.order.Compare(l.row(a), l.row(b)) }

// noRow stands where there is no row.
const noRow = ^uint32(0)

// level is what happened to a key at one point of the order. Lists are in ascending order.
type level struct {
	upserts, deletes []uint32 // rows of the batches
	ends             []uint32 // rows of the batches whose previous key this is
	target           uint32   // noRow: the target has nothing here
}

// readLevel reads the level that begins at event i of a group whose events are sorted, or are all of one level.
func (l *lives) readLevel(w *keyset.Watch, v *level, group []uint32, i int) {
	v.upserts, v.deletes, v.ends, v.target = v.upserts[:0], v.deletes[:0], v.ends[:0], noRow
	for next := i; next < len(group) && !w.Over() && (next == i || l.compare(group[next], group[i]) == 0); next++ {
		switch e := group[next]; {
		case e >= l.known:
			v.ends = append(v.ends, l.row(e))
		case e >= l.rows:
			if v.target == noRow {
				v.target = e
			}
		case l.isDelete(e):
			v.deletes = append(v.deletes, e)
		default:
			v.upserts = append(v.upserts, e)
		}
	}
}

// decide finds out what becomes of a key and of its rows. Where values are carried forward, it leaves the events of the key sorted.
func (l *lives) decide(w *liver, id uint32) error {
	group := l.groups.Of(id)
	if len(l.fills) > 0 {
		slices.SortFunc(group, func(a, b uint32) int {
			if w.Over() {
				return 0
			}
			return cmp.Or(-l.compare(a, b), cmp.Compare(a, b))
		})
	}
	w.newer, w.at, w.older = w.newer[:0], w.at[:0], w.older[:0]
	target := l.targetOf(group)
	for _, e := range group {
		switch c := l.compareTarget(e, target); {
		case w.Over():
			return w.Err()
		case c > 0:
			w.newer = append(w.newer, e)
		case c == 0:
			w.at = append(w.at, e)
		default:
			w.older = append(w.older, e)
		}
	}
	if len(w.newer) == 0 {
		if l.readLevel(&w.Watch, &w.level, w.at, 0); w.Done() {
			return w.Err()
		}
		l.setStale(w, w.older)
		l.meetTarget(w, &w.level)
		return w.Err()
	}
	if len(w.at) > 0 {
		if l.readLevel(&w.Watch, &w.level, w.at, 0); w.Done() {
			return w.Err()
		}
		w.report.Replays += l.replays(&w.Watch, &w.level)
		l.setStale(w, w.at)
		l.setStale(w, w.older)
	}
	// The level at the top of those that are left.
	w.at = w.at[:0]
	for _, e := range w.newer {
		c := 1
		if len(w.at) > 0 {
			c = l.compare(e, w.at[0])
		}
		if c > 0 {
			w.at = w.at[:0]
		}
		if c >= 0 {
			w.at = append(w.at, e)
		}
		if w.Over() {
			return w.Err()
		}
	}
	if l.readLevel(&w.Watch, &w.level, w.at, 0); w.Done() {
		return w.Err()
	}
	l.crown(w, &w.level, w.newer)
	return w.Err()
}

func (l *lives) setStale(w *liver, events []uint32) {
	for _, e := range events {
		if e < l.rows {
			w.stale.Set(e)
		}
	}
}

// crown decides the greatest level of a key, all above the target; events are all those above the target.
func (l *lives) crown(w *liver, v *level, events []uint32) {
	switch {
	case len(v.deletes) == 0 && len(v.ends) > 0:
		w.ended.Set(l.greatest(&w.Watch, v.ends))
		w.report.count(verdict{deleteTie: len(v.upserts) > 0})
		return
	case len(v.deletes) == 0 && len(v.upserts) == 1:
		w.kept.Set(v.upserts[0])
		return
	case len(v.upserts) == 0 && len(v.deletes) == 1:
		w.kept.Set(v.deletes[0])
		return
	}
	rows := slices.Concat(v.upserts, v.deletes)
	slices.Sort(rows)
	s := l.settle(&w.Watch, rows)
	w.report.count(s)
	if !s.unsettled {
		w.kept.Set(s.winner)
		return
	}
	w.ties = append(w.ties, tie{rows: rows})
	for _, e := range events {
		if e < l.rows {
			w.aside.Set(e)
			w.report.TiedRows++
		}
	}
}

// plan reads the outcome off.
func (l *lives) plan(ctx context.Context) (*Plan, error) {
	j, all := l.job, l.workers[0]
	for _, w := range l.workers[1:] {
		all.kept.Or(w.kept)
		all.stale.Or(w.stale)
		all.aside.Or(w.aside)
		all.ended.Or(w.ended)
		all.ties = append(all.ties, w.ties...)
		all.report.add(w.report)
	}
	if len(all.ties) > 0 && j.opts.Ties == RejectTies {
		return nil, j.tieError(all.ties)
	}
	j.report.add(all.report)
	if j.settled != nil {
		all.kept.Or(j.settled.kept)
		all.stale.Or(j.settled.stale)
	}
	if j.nullKey != nil {
		all.aside.Or(j.nullKey)
	}
	p := &Plan{Rows: all.kept.Rows(), SetAside: all.aside.Rows(), Stale: all.stale.Rows(), Ended: all.ended.Rows()}
	if err := l.carryForward(ctx, p); err != nil {
		return nil, err
	}
	return j.finish(p), nil
}

// add adds the counts that workers keep.
func (r *Report) add(o Report) {
	r.Duplicates += o.Duplicates
	r.TiedKeys += o.TiedKeys
	r.TiedRows += o.TiedRows
	r.DeleteTies += o.DeleteTies
	r.Replays += o.Replays
	r.Filled += o.Filled
	r.Unfilled += o.Unfilled
}
