package grain

import (
	"context"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// merge does the call: it counts the rows of each key, takes the matches that don't act away, and lists what is left.
func merge[K keyset.Words](ctx context.Context, j *mergeJob, keys *keyset.Keys) error {
	progress := frame.NewProgress(j.opts.Resources)
	rows := j.report.TargetRows + j.report.SourceRows
	progress.Start(onerow.StageEncode, rows)
	m, err := newMerger[K](ctx, j, keys, nil, func(rows int) { progress.Add(int64(rows)) })
	if err != nil {
		return err
	}
	defer m.release()
	if len(j.acts) > 0 {
		m.rivals = make([]uint32, rows)
	}
	progress.Start(onerow.StageGroup, m.rows())
	if err := m.each(ctx, func(w *mergeWorker[K], part int) { progress.Add(w.count(part)) }); err != nil {
		return err
	}
	if m.some.Load() {
		if err := m.subtract(ctx); err != nil {
			return err
		}
		if err := m.each(ctx, (*mergeWorker[K]).tell); err != nil {
			return err
		}
	}
	m.collect()
	return m.list(ctx)
}

// count counts the keys of one partition. If a match may not act, it fills rivals for keys that may be in conflict. It returns the number of
// rows.
func (w *mergeWorker[K]) count(part int) int64 {
	rows := w.bring(part)
	rivals := false
	w.table.All(func(e *entry[K]) {
		s := &w.sums[e.Payload]
		n, plain := int64(s.source), s.null && w.m.opts.Nulls == NullsDistinct
		if s.null && s.target > 0 {
			w.sum.NullKeyRepeats += n
		}
		switch {
		case plain:
			w.sum.UnmatchedRows += n
		case s.target > 0:
			w.sum.MatchedRows += n
			if n < 2 || w.m.neverActs() {
				break
			}
			if w.m.rivals != nil {
				rivals = true
				break
			}
			w.sum.ConflictKeys++
			w.sum.Conflicts += int64(s.target)
			w.conflicts.Add(ranked(e.Key, s.source, s.firstTarget+1, part))
		default:
			w.sum.UnmatchedRows += n
			if n > 1 {
				w.sum.UnmatchedDuplicates += n - 1
				w.sum.UnmatchedDuplicateKeys++
				w.duplicates.Add(ranked(e.Key, s.source, s.firstSource+1, part))
			}
		}
	})
	w.trim(part)
	if rivals && !w.watch.Done() {
		w.m.some.Store(true)
		w.fillRivals(part)
	}
	return rows
}

// bring counts the rows of each key of a partition that the source has, into sums. It returns the number of rows in the partition.
func (w *mergeWorker[K]) bring(part int) (rows int64) {
	w.table.Fill(func() {
		w.sums = w.sums[:0]
		rows = w.chunks(ofSource, part, w.insert)
	})
	return rows + w.chunks(ofTarget, part, w.look)
}

// insert counts source rows.
func (w *mergeWorker[K]) insert(chunk []entry[K]) {
	start := w.table.Starts(chunk)
	for i := range chunk {
		e := &chunk[i]
		known := w.table.Hit(e, start[i])
		if known == nil {
			var fresh bool
			if known, fresh = w.table.At(e, start[i]); fresh {
				known.Payload = uint32(len(w.sums))
				w.sums = append(w.sums, sides{source: 1, firstSource: e.Row(), null: e.Payload != 0})
				continue
			}
		}
		s := &w.sums[known.Payload]
		s.source++
		s.firstSource = min(s.firstSource, e.Row())
	}
}

// look counts target rows.
func (w *mergeWorker[K]) look(chunk []entry[K]) {
	if w.table.Len() == 0 {
		return
	}
	w.find(chunk, func(row uint32, s *sides) {
		if s.target++; s.target == 1 || row < s.firstTarget {
			s.firstTarget = row
		}
	})
}

// find calls f for each of some rows whose key the table has.
func (w *mergeWorker[K]) find(chunk []entry[K], f func(row uint32, s *sides)) {
	found := w.found[:len(chunk)]
	w.table.FindAll(chunk, found)
	for i, known := range found {
		if known != nil {
			f(chunk[i].Row(), &w.sums[known.Payload])
		}
	}
}

// fillRivals fills rivals for the keys of a partition that may be in conflict.
func (w *mergeWorker[K]) fillRivals(part int) {
	for side := range w.parts {
		w.chunks(side, part, func(chunk []entry[K]) {
			w.find(chunk, func(row uint32, s *sides) {
				switch {
				case s.target == 0 || s.source < 2 || s.null && w.m.opts.Nulls == NullsDistinct:
				case side == ofTarget:
					w.m.rivals[row] = s.source
				default:
					w.m.rivals[row] = 1
				}
			})
		})
	}
}

// subtract takes the matches that don't act away from rivals: those with source rows that are equal in On and Acts.
func (m *merger[K]) subtract(ctx context.Context) error {
	cols := append(append([]*form.Column(nil), m.on...), m.acts...)
	keys := keyset.NewKeys(cols, true)
	if keys.OneWord() {
		return subtract[[1]uint64](ctx, m.mergeJob, keys, m.rivals)
	}
	return subtract[[2]uint64](ctx, m.mergeJob, keys, m.rivals)
}

func subtract[K keyset.Words](ctx context.Context, j *mergeJob, keys *keyset.Keys, rivals []uint32) error {
	m, err := newMerger[K](ctx, j, keys, rivals, func(int) {})
	if err != nil {
		return err
	}
	defer m.release()
	return m.each(ctx, func(w *mergeWorker[K], part int) {
		w.bring(part)
		w.chunks(ofTarget, part, func(chunk []entry[K]) {
			w.find(chunk, func(row uint32, s *sides) { rivals[row] -= s.source })
		})
	})
}

// inConflict says whether two source rows or more act on a target row, whose key the source has twice or more.
func (m *merger[K]) inConflict(row uint32) bool { return m.rivals == nil || m.rivals[row] > 1 }

// insertConflicts counts target rows in conflict.
func (w *mergeWorker[K]) insertConflicts(chunk []entry[K]) {
	for i := range chunk {
		e := &chunk[i]
		if !w.m.inConflict(e.Row()) {
			continue
		}
		known, fresh := w.table.At(e, w.table.Start(&e.Key))
		if fresh {
			known.Payload = uint32(len(w.sums))
			w.sums = append(w.sums, sides{firstTarget: e.Row()})
		}
		s := &w.sums[known.Payload]
		s.target++
		s.firstTarget = min(s.firstTarget, e.Row())
	}
}

// tell counts the conflicts of one partition by rivals.
func (w *mergeWorker[K]) tell(part int) {
	w.table.Fill(func() {
		w.sums = w.sums[:0]
		w.chunks(ofTarget, part, w.insertConflicts)
	})
	w.sum.ConflictKeys += int64(len(w.sums))
	w.table.All(func(e *entry[K]) {
		s := w.sums[e.Payload]
		w.sum.Conflicts += int64(s.target)
		w.conflicts.Add(ranked(e.Key, w.m.rivals[s.firstTarget], s.firstTarget+1, part))
	})
	w.trim(part)
}

// trim drops keys that won't be listed.
func (w *mergeWorker[K]) trim(part int) {
	w.conflicts.Trim(part, nil)
	w.duplicates.Trim(part, nil)
}
