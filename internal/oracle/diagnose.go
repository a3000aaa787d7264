package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
)

// diagnosis is one call: a table, row by row, and its key.
type diagnosis struct {
	*table
	key, others []int
	pairs       [][2]int
	pairsGiven  bool
	load        map[int]bool
	findings    map[grain.Cause]*finding
}

type finding struct {
	keys    int64
	columns map[int]bool
}

// Diagnose answers what grain.Diagnose answers, without samples and remedies. Of the options it knows the columns and the placeholders.
func Diagnose(batches []arrow.Record, key []string, opts grain.DiagnoseOptions) (*grain.Diagnosis, error) {
	if len(key) == 0 {
		return nil, onerow.ErrNoKey
	}
	t, err := readTable("batches", batches)
	if err != nil {
		return nil, err
	}
	out := &grain.Diagnosis{Key: key, Rows: int64(len(t.rows)), Causes: []grain.Finding{}}
	d := &diagnosis{table: t, findings: map[grain.Cause]*finding{}}
	if d.key, err = t.columns(key, canBeKey); err != nil {
		return nil, err
	}
	for c := range t.names {
		if !slices.Contains(d.key, c) {
			d.others = append(d.others, c)
		}
	}
	if err := d.readOptions(opts); err != nil {
		return nil, err
	}
	listed, err := d.readPlaceholders(opts.Placeholders)
	if err != nil {
		return nil, err
	}
	d.findPairs()

	groups, keyless := d.groups()
	for _, rows := range keyless {
		d.explain(grain.NullKey, func(c int) bool { return slices.Contains(d.key, c) && t.rows[rows[0]][c].Null() })
	}
	placeholders := d.placeholders(groups, listed)
	var left [][]int
	for k, rows := range groups {
		out.Keys++
		if len(rows) > 1 {
			out.DuplicateKeys++
		}
		if !placeholders[k] && len(rows) > 1 && !d.settle(rows) {
			left = append(left, rows)
		}
	}
	d.settleRest(left)
	d.textForms(groups, placeholders)

	for _, c := range slices.Sorted(maps.Keys(d.findings)) {
		f := grain.Finding{Cause: c, Columns: []string{}, Keys: d.findings[c].keys}
		for _, column := range slices.Sorted(maps.Keys(d.findings[c].columns)) {
			f.Columns = append(f.Columns, t.names[column])
		}
		out.Causes = append(out.Causes, f)
	}
	return out, nil
}

func (d *diagnosis) readOptions(opts grain.DiagnoseOptions) error {
	outside := func(name string) (int, error) {
		c, err := d.column(name)
		if err == nil && slices.Contains(d.key, c) {
			err = onerow.ErrOption
		}
		return c, err
	}
	if (opts.ValidFrom == "") != (opts.ValidTo == "") {
		return onerow.ErrOption
	}
	if opts.ValidFrom != "" {
		start, err := outside(opts.ValidFrom)
		if err != nil {
			return err
		}
		end, err := outside(opts.ValidTo)
		if err != nil {
			return err
		}
		if !canBeEqual(d.types[start], d.types[end]) {
			return &onerow.TypeError{Column: opts.ValidFrom, Type: d.types[start], Why: "unfit"}
		}
		d.pairs, d.pairsGiven = [][2]int{{start, end}}, true
	}
	if opts.Load != nil {
		d.load = map[int]bool{}
	}
	for _, name := range opts.Load {
		c, err := outside(name)
		if err != nil {
			return err
		}
		d.load[c] = true
	}
	return nil
}

// readPlaceholders returns what says whether a cell of a key column is listed.
func (d *diagnosis) readPlaceholders(given []onerow.Value) (func(column int, v Value) bool, error) {
	if given == nil {
		return func(_ int, v Value) bool { return usualPlaceholder(v) }, nil
	}
	lists := map[int]literals{}
	held := make([]bool, len(given))
	for _, c := range d.key {
		lists[c] = literals{}
		for i, g := range given {
			if familyOf(d.types[c]) == nullFamily { // of every family, and without a value
				held[i] = true
			} else if l, err := readLiterals([]onerow.Value{g}, d.names[c], d.types[c]); err == nil {
				maps.Copy(lists[c], l)
				held[i] = true
			}
		}
	}
	if i := slices.Index(held, false); i >= 0 {
		return nil, fmt.Errorf("%w: no key column can hold %v", onerow.ErrType, given[i])
	}
	return func(column int, v Value) bool { return lists[column].have(v) }, nil
}

// explain counts a key for a cause, and the columns that are to blame.
func (d *diagnosis) explain(c grain.Cause, blame func(column int) bool) {
	f := d.findings[c]
	if f == nil {
		f = &finding{columns: map[int]bool{}}
		d.findings[c] = f
	}
	f.keys++
	for column := range d.names {
		if blame(column) {
			f.columns[column] = true
		}
	}
}

// groups returns the rows of each key, those with a NULL apart.
func (d *diagnosis) groups() (groups, keyless map[string][]int) {
	groups, keyless = map[string][]int{}, map[string][]int{}
	for r, row := range d.rows {
		k, to := cells(row, d.key), groups
		if anyNull(k) {
			to = keyless
		}
		to[Canonical(k)] = append(to[Canonical(k)], r)
	}
	return groups, keyless
}

func (d *diagnosis) placeholders(groups map[string][]int, listed func(int, Value) bool) map[string]bool {
	holds := func(rows []int, c int) bool { return slices.Contains(d.key, c) && listed(c, d.rows[rows[0]][c]) }
	candidates, keys, all := map[string]bool{}, 0, 0
	for k, rows := range groups {
		if slices.ContainsFunc(d.key, func(c int) bool { return holds(rows, c) }) {
			candidates[k] = true
		} else {
			keys, all = keys+1, all+len(rows)
		}
	}
	out := map[string]bool{}
	for k := range candidates {
		rows := groups[k]
		often := len(rows) >= 3
		if keys > 0 {
			mean := big.NewRat(int64(all), int64(keys))
			often = often && big.NewRat(int64(len(rows)), 3).Cmp(mean) >= 0
		}
		if often {
			out[k] = true
			d.explain(grain.Placeholder, func(c int) bool { return holds(rows, c) })
		}
	}
	return out
}

// distinct collapses equal rows.
func (d *diagnosis) distinct(rows []int) [][]Value {
	var out [][]Value
	seen := map[string]bool{}
	for _, r := range rows {
		if text := Canonical(d.rows[r]); !seen[text] {
			seen[text] = true
			out = append(out, d.rows[r])
		}
	}
	return out
}

// differs says whether some rows aren't all equal in a column.
func differs(rows [][]Value, column int) bool {
	return slices.ContainsFunc(rows, func(row []Value) bool { return !equal(row[column], rows[0][column]) })
}

// settle finds the cause of a key by its own rows, if it can.
func (d *diagnosis) settle(rows []int) bool {
	some := d.distinct(rows)
	if len(some) == 1 {
		d.explain(grain.ExactCopies, func(int) bool { return false })
		return true
	}
	for _, p := range d.pairs {
		if follow(some, p[0], p[1]) {
			d.explain(grain.Versions, func(c int) bool { return c == p[0] || c == p[1] })
			return true
		}
	}
	for _, c := range d.others {
		if d.outOf(some, c) {
			return false
		}
	}
	d.explain(grain.Retries, func(c int) bool { return slices.Contains(d.others, c) && differs(some, c) })
	return true
}

// outOf says whether rows differ in a column that isn't a load time.
func (d *diagnosis) outOf(rows [][]Value, c int) bool {
	if !differs(rows, c) {
		return false
	}
	if d.load != nil {
		return !d.load[c]
	}
	f := familyOf(d.types[c])
	return f != naiveFamily && f != zonedFamily || d.inPair(c)
}

func (d *diagnosis) inPair(c int) bool {
	return slices.ContainsFunc(d.pairs, func(p [2]int) bool { return c == p[0] || c == p[1] })
}

// follow says whether rows, by start, each end at or before the next start.
func follow(rows [][]Value, start, end int) bool {
	rows = slices.Clone(rows)
	for _, row := range rows {
		if row[start].Null() {
			return false
		}
	}
	slices.SortFunc(rows, func(a, b []Value) int {
		if c := comparePlace(a[start], b[start]); c != 0 || a[end].Null() && b[end].Null() {
			return c
		}
		if a[end].Null() || b[end].Null() {
			return cmp.Compare(truth(a[end].Null()), truth(b[end].Null()))
		}
		return comparePlace(a[end], b[end])
	})
	for i := range rows[1:] {
		if rows[i][end].Null() || comparePlace(rows[i][end], rows[i+1][start]) > 0 {
			return false
		}
	}
	return true
}

// findPairs finds the range pairs.
func (d *diagnosis) findPairs() {
	if d.pairsGiven {
		return
	}
	for _, start := range d.others {
		for _, end := range d.others {
			f := familyOf(d.types[start])
			if start < end && f == familyOf(d.types[end]) && (f == dateFamily || f == naiveFamily || f == zonedFamily) && d.isRange(start, end) {
				d.pairs = append(d.pairs, [2]int{start, end})
			}
		}
	}
}

func (d *diagnosis) isRange(start, end int) bool {
	anyOpen := false
	for _, row := range d.rows {
		open := row[end].Null() || day(row[end]) == 2932896
		if row[start].Null() || !open && row[end].exact.Cmp(row[start].exact) <= 0 {
			return false
		}
		anyOpen = anyOpen || open
	}
	return anyOpen
}

// day is the day on which a date or an instant lies, counted from 1970-01-01.
func day(v Value) int64 {
	seconds := new(big.Int).Div(v.exact.Num(), v.exact.Denom())
	return seconds.Div(seconds, big.NewInt(86400)).Int64()
}

// settleRest decides between a missing column and conflicts.
func (d *diagnosis) settleRest(left [][]int) {
	set := d.missing(left)
	for _, rows := range left {
		if set != nil {
			d.explain(grain.MissingColumn, func(c int) bool { return slices.Contains(set, c) })
			continue
		}
		some := d.distinct(rows)
		d.explain(grain.Conflict, func(c int) bool { return slices.Contains(d.others, c) && differs(some, c) })
	}
}

// missing tries all sets of candidates, small ones first.
func (d *diagnosis) missing(left [][]int) []int {
	if len(left) < 2 {
		return nil
	}
	var keys [][][]Value
	for _, rows := range left {
		keys = append(keys, d.distinct(rows))
	}
	var candidates []int
	for _, c := range d.others {
		if d.isCandidate(c, keys) {
			candidates = append(candidates, c)
		}
	}
	sets := [][]int{nil}
	for range 3 {
		var larger [][]int
		for _, s := range sets {
			for _, c := range candidates {
				if len(s) == 0 || c > s[len(s)-1] {
					larger = append(larger, append(slices.Clone(s), c))
				}
			}
		}
		for _, s := range larger {
			if d.identifies(s, keys) {
				return s
			}
		}
		sets = larger
	}
	return nil
}

func (d *diagnosis) isCandidate(c int, keys [][][]Value) bool {
	switch familyOf(d.types[c]) {
	case boolFamily, integerFamily, textFamily, binaryFamily, dateFamily, clockFamily, naiveFamily, zonedFamily:
	default:
		return false
	}
	for _, rows := range keys {
		if slices.ContainsFunc(rows, func(row []Value) bool { return row[c].Null() }) {
			return false
		}
	}
	return !d.inPair(c)
}

func (d *diagnosis) identifies(set []int, keys [][][]Value) bool {
	more := false
	for _, rows := range keys {
		seen := map[string]bool{}
		for _, row := range rows {
			seen[Canonical(cells(row, set))] = true
		}
		if len(seen) < len(rows) {
			return false
		}
		more = more || slices.ContainsFunc(d.others, func(c int) bool { return !slices.Contains(set, c) && differs(rows, c) })
	}
	return more
}
