package grain

import (
	"context"
	"maps"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// count counts the keys of one partition, and fills rivals for those that may be in conflict. It returns the number of rows.
func (w *mergeWorker[K]) count(part int) int64 {
	rows := w.bring(part)
	plain := w.m.opts.Nulls == NullsDistinct
	some := false
	w.table.All(func(e *entry[K]) {
		s := &w.sums[e.Payload]
		switch n := int64(s.source); {
		case n == 0:
		case s.null && plain:
			w.sum.UnmatchedRows += n
			if s.target > 0 {
				w.sum.NullKeyRepeats += n
			}
		case s.target > 0:
			w.sum.MatchedRows += n
			some = some || n > 1
		default:
			w.sum.UnmatchedRows += n
			if n > 1 {
				w.sum.UnmatchedDuplicates += n - 1
				w.sum.UnmatchedDuplicateKeys++
				w.duplicates.add(&entry[K]{Key: e.Key, Payload: s.source, Row1: s.first + 1}, part)
			}
		}
		if s.null && !plain && s.target > 0 {
			w.sum.NullKeyRepeats += int64(s.source)
		}
	})
	if !some || w.watch.Done() {
		return rows
	}
	w.m.some.Store(true)
	w.again(part, func(row uint32, s *sides) {
		if s.target == 0 || s.source < 2 || s.null && plain {
			return
		}
		w.m.rivals[row] = 1
		if row < w.m.first {
			w.m.rivals[row] = s.source
		}
	})
	return rows
}

// inConflict says whether a row is of the target, and two source rows or more act on it.
func (m *merger[K]) inConflict(row uint32) bool { return row < m.first && m.rivals[row] > 1 }

// tell counts the conflicts of one partition.
func (w *mergeWorker[K]) tell(part int) {
	w.table.Reset()
	w.sums = w.sums[:0]
	w.chunks(part, func(e *entry[K]) {
		row := e.Row()
		if !w.m.inConflict(row) {
			return
		}
		n := *e
		n.Payload = uint32(len(w.sums))
		at, fresh := w.table.At(&n, w.table.Start(&n.Key))
		if fresh {
			w.sums = append(w.sums, sides{first: row})
		}
		s := &w.sums[at.Payload]
		s.target++
		s.first = min(s.first, row)
	})
	w.sum.ConflictKeys += int64(len(w.sums))
	w.table.All(func(e *entry[K]) {
		s := w.sums[e.Payload]
		w.sum.Conflicts += int64(s.target)
		w.conflicts.add(&entry[K]{Key: e.Key, Payload: w.m.rivals[s.first], Row1: s.first + 1}, part)
	})
}

// collect adds the workers' counts up.
func (m *merger[K]) collect() {
	r := m.report
	nulls := slices.Clone(m.workers[0].nulls)
	for i, w := range m.workers {
		r.MatchedRows += w.sum.MatchedRows
		r.UnmatchedRows += w.sum.UnmatchedRows
		r.Conflicts += w.sum.Conflicts
		r.ConflictKeys += w.sum.ConflictKeys
		r.UnmatchedDuplicates += w.sum.UnmatchedDuplicates
		r.UnmatchedDuplicateKeys += w.sum.UnmatchedDuplicateKeys
		r.NullKeyRows += w.sum.NullKeyRows
		r.NullKeyRepeats += w.sum.NullKeyRepeats
		for c, n := range w.nulls {
			if i == 0 || n.Rows == 0 {
				continue
			}
			if nulls[c].Rows == 0 || n.First < nulls[c].First {
				nulls[c].First = n.First
			}
			nulls[c].Rows += n.Rows
		}
	}
	for _, n := range nulls {
		if n.Rows > 0 {
			n.First -= m.first
			r.Nulls = append(r.Nulls, n)
		}
	}
}

// mergeKey is a key that the report lists, and its first rows.
type mergeKey[K keyset.Words] struct {
	worstKey[K]
	conflict       bool
	conflicts      int64 // target rows in conflict
	target, source []uint32
	last           uint32 // source rows from it on aren't among the first
}

// list puts the worst keys of all workers into the report, each with its first rows.
func (m *merger[K]) list(ctx context.Context) error {
	if m.opts.Worst == 0 {
		return ctx.Err()
	}
	conflicts, duplicates := worst[K]{limit: m.opts.Worst}, worst[K]{limit: m.opts.Worst}
	for _, w := range m.workers {
		conflicts.keys = append(conflicts.keys, w.conflicts.keys...)
		duplicates.keys = append(duplicates.keys, w.duplicates.keys...)
	}
	conflicts.cut()
	duplicates.cut()
	var all []*mergeKey[K]
	byPart := map[int][]*mergeKey[K]{}
	for i, list := range [][]worstKey[K]{conflicts.keys, duplicates.keys} {
		for _, k := range list {
			all = append(all, &mergeKey[K]{worstKey: k, conflict: i == 0, last: keyset.None})
			byPart[k.part] = append(byPart[k.part], all[len(all)-1])
		}
	}
	parts := slices.Sorted(maps.Keys(byPart))
	err := keyset.Run(ctx, len(m.workers), len(parts), func(w, task int) error {
		m.workers[w].sample(parts[task], byPart[parts[task]])
		return m.workers[w].watch.Err()
	})
	if err != nil {
		return err
	}
	for _, k := range all {
		if k.conflict {
			m.report.WorstConflicts = append(m.report.WorstConflicts, MergeConflict{Values: m.values(k.Row()),
				Conflicts: k.conflicts, Target: k.target, Hits: int64(k.Payload), Source: m.ofSource(k.source)})
		} else {
			m.report.WorstDuplicates = append(m.report.WorstDuplicates, onerow.KeyRows{Values: m.values(k.Row()),
				Count: int64(k.Payload), Rows: m.ofSource(k.source)})
		}
	}
	return nil
}

func (m *merger[K]) values(row uint32) (values []string) {
	for _, c := range m.on {
		values = append(values, c.Format(row))
	}
	return values
}

// ofSource numbers rows as the source does.
func (m *merger[K]) ofSource(rows []uint32) onerow.Rows {
	for i := range rows {
		rows[i] -= m.first
	}
	return rows
}

// sample finds the first rows of some keys of one partition.
func (w *mergeWorker[K]) sample(part int, keys []*mergeKey[K]) {
	w.table.Reset()
	for i, k := range keys {
		w.table.At(&entry[K]{Key: k.Key, Payload: uint32(i), Row1: k.Row1}, w.table.Start(&k.Key))
	}
	w.chunks(part, func(e *entry[K]) {
		if s := w.table.Find(e); s != nil {
			w.m.take(keys[s.Payload], e.Row())
		}
	})
	for _, k := range keys {
		k.target, k.source = smallest(k.target), smallest(k.source)
	}
}

// take puts a row among the first rows of its key, if it may be one of them.
func (m *merger[K]) take(k *mergeKey[K], row uint32) {
	const most = 1 << 8 // rows that are kept before the first of them are chosen
	if row < m.first {
		if m.inConflict(row) {
			k.conflicts++
			if k.target = append(k.target, row); len(k.target) > most {
				k.target = smallest(k.target)
			}
		}
		return
	}
	if row >= k.last || k.conflict && !m.act(k.Row(), row) {
		return
	}
	if k.source = append(k.source, row); len(k.source) > most {
		k.source = smallest(k.source)
		k.last = k.source[len(k.source)-1]
	}
}
