package oracle

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/grain"
)

// Keys answers what grain.Keys answers, by trying each set of columns. The near-keys are all of them, and have no report.
func Keys(batches []arrow.Record, opts grain.KeysOptions) (*grain.KeysReport, error) {
	t, err := readTable("batches", batches)
	if err != nil {
		return nil, err
	}
	r := &grain.KeysReport{Rows: int64(len(t.rows)), MaxColumns: cmp.Or(opts.MaxColumns, 4)}
	names := opts.Columns
	if names == nil {
		for i, n := range t.names {
			if canBeKey(t.types[i]) {
				names = append(names, n)
			} else {
				r.Skipped = append(r.Skipped, n)
			}
		}
	}
	columns, err := t.columns(names, canBeKey)
	if err != nil {
		return nil, err
	}
	apart := opts.Nulls == grain.NullsDistinct
	for i, c := range columns {
		stat := grain.KeyColumn{Name: names[i], Distinct: int64(len(t.rows)) - t.violations([]int{c}, apart)}
		for _, row := range t.rows {
			stat.NullRows += int64(truth(row[c].Null()))
		}
		r.Columns = append(r.Columns, stat)
	}
	if len(t.rows) < 2 {
		return r, nil
	}
	limit := int64(0)
	if opts.MaxNear >= 0 {
		limit = int64(math.Floor(cmp.Or(opts.NearShare, 0.001) * float64(len(t.rows))))
	}
	var known, near []uint
	size, most := 1, cmp.Or(opts.MaxNear, 5)
	for _, set := range setsBySize(len(columns), r.MaxColumns) {
		if n := bits.OnesCount(set); n > size && limit > 0 && len(r.Near) >= most {
			// So many are found: larger ones must be better.
			slices.SortStableFunc(r.Near, func(a, b grain.NearKey) int { return cmp.Compare(a.Violations, b.Violations) })
			limit = min(limit, r.Near[most-1].Violations-1)
		}
		size = bits.OnesCount(set)
		within := func(k uint) bool { return k&^set == 0 }
		if slices.ContainsFunc(known, within) {
			continue
		}
		var some []int
		var called []string
		for i, c := range columns {
			if set>>i&1 != 0 {
				some, called = append(some, c), append(called, names[i])
			}
		}
		switch n := t.violations(some, apart); {
		case n == 0:
			known = append(known, set)
			r.Keys = append(r.Keys, called)
		case n <= limit && !slices.ContainsFunc(near, within):
			near = append(near, set)
			r.Near = append(r.Near, grain.NearKey{Columns: called, Violations: n})
		}
	}
	slices.SortStableFunc(r.Near, func(a, b grain.NearKey) int { return cmp.Compare(a.Violations, b.Violations) })
	return r, nil
}

// violations counts the rows beyond the first of each key, and those with NULL if NULLs are apart.
func (t *table) violations(columns []int, apart bool) (n int64) {
	seen := map[string]bool{}
	for _, row := range t.rows {
		key := cells(row, columns)
		text := Canonical(key)
		if apart && anyNull(key) || seen[text] {
			n++
			continue
		}
		seen[text] = true
	}
	return n
}

// setsBySize lists the sets of up to most of n columns as bits, smaller sets first, then by their columns.
func setsBySize(n, most int) (sets []uint) {
	for set := uint(1); set < 1<<n; set++ {
		if bits.OnesCount(set) <= most {
			sets = append(sets, set)
		}
	}
	slices.SortFunc(sets, func(a, b uint) int {
		return cmp.Or(cmp.Compare(bits.OnesCount(a), bits.OnesCount(b)), cmp.Compare(bits.Reverse(b), bits.Reverse(a)))
	})
	return sets
}
