package grain

import (
	"context"
	"maps"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

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
	keyset.Ranked[K]
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
	conflicts, duplicates := keyset.Top[K]{Limit: max(m.opts.Worst, 0)}, keyset.Top[K]{Limit: max(m.opts.Worst, 0)}
	for _, w := range m.workers {
		conflicts.Keys = append(conflicts.Keys, w.conflicts.Keys...)
		duplicates.Keys = append(duplicates.Keys, w.duplicates.Keys...)
	}
	conflicts.Cut()
	duplicates.Cut()
	var all []*mergeKey[K]
	byPart := map[int][]*mergeKey[K]{}
	for i, list := range [][]keyset.Ranked[K]{conflicts.Keys, duplicates.Keys} {
		for _, k := range list {
			all = append(all, &mergeKey[K]{Ranked: k, conflict: i == 0, last: keyset.None})
			byPart[k.Part] = append(byPart[k.Part], all[len(all)-1])
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
				Conflicts: k.conflicts, Target: k.target, Hits: int64(k.Rank), Source: m.ofSource(k.source)})
		} else {
			m.report.WorstDuplicates = append(m.report.WorstDuplicates, onerow.KeyRows{Values: m.values(k.Row()),
				Count: int64(k.Rank), Rows: m.ofSource(k.source)})
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
	for side, take := range [2]func(*mergeKey[K], uint32){ofTarget: w.m.takeTarget, ofSource: w.m.takeSource} {
		w.chunks(side, part, func(chunk []entry[K]) {
			found := w.found[:len(chunk)]
			w.table.FindAll(chunk, found)
			for i, s := range found {
				if s != nil {
					take(keys[s.Payload], chunk[i].Row())
				}
			}
		})
	}
	for _, k := range keys {
		k.target, k.source = smallest(k.target), smallest(k.source)
	}
}

// sampleRows is the number of rows that are kept before the first of them are chosen.
const sampleRows = 1 << 8

// takeTarget puts a target row among the first rows of its key, if it is in conflict.
func (m *merger[K]) takeTarget(k *mergeKey[K], row uint32) {
	if !m.inConflict(row) {
		return
	}
	k.conflicts++
	if k.target = append(k.target, row); len(k.target) > sampleRows {
		k.target = smallest(k.target)
	}
}

// takeSource puts a source row among the first rows of its key, if it may be one of them.
func (m *merger[K]) takeSource(k *mergeKey[K], row uint32) {
	if row >= k.last || k.conflict && !m.act(k.Row(), row) {
		return
	}
	if k.source = append(k.source, row); len(k.source) > sampleRows {
		k.source = smallest(k.source)
		k.last = k.source[len(k.source)-1]
	}
}
