package oracle

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
)

// Check answers what grain.Check answers. The keys of Worst are all that repeat, without their values.
func Check(batches []arrow.Record, key []string, nulls grain.Nulls) (*grain.Report, error) {
	if len(key) == 0 {
		return nil, onerow.ErrNoKey
	}
	t, err := readTable("batches", batches)
	if err != nil {
		return nil, err
	}
	columns, err := t.columns(key, canBeKey)
	if err != nil {
		return nil, err
	}
	report := &grain.Report{Key: key, Rows: int64(len(t.rows))}
	report.Nulls = t.countNulls(columns, func(int) bool { return false }, func(int) bool { return true })

	var keys []*onerow.KeyRows
	numbers := map[string]int{}
	for r, row := range t.rows {
		k := cells(row, columns)
		if anyNull(k) {
			report.NullKeyRows++
			if nulls == grain.NullsDistinct {
				continue
			}
		}
		text := Canonical(k)
		n, ok := numbers[text]
		if !ok {
			n = len(keys)
			numbers[text] = n
			keys = append(keys, &onerow.KeyRows{})
		}
		keys[n].Count++
		if len(keys[n].Rows) < onerow.MaxSampleRows {
			keys[n].Rows = append(keys[n].Rows, uint32(r))
		}
	}

	report.Keys = int64(len(keys))
	for _, k := range keys {
		report.MaxCopies = max(report.MaxCopies, k.Count)
		if k.Count > 1 {
			report.DuplicateKeys++
			report.DuplicateRows += k.Count - 1
			report.Worst = append(report.Worst, *k)
		}
	}
	slices.SortStableFunc(report.Worst, func(a, b onerow.KeyRows) int { return cmp.Compare(b.Count, a.Count) })
	return report, nil
}
