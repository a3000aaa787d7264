package oracle

import (
	"cmp"
	"math/big"
	"reflect"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

// Ranges answers what scd2.Check answers, comparing each version of a key with each other. Findings have kinds and rows only.
func Ranges(t scd2.Table, opts scd2.CheckOptions) (*scd2.CheckReport, error) {
	g, err := readRanges(t)
	if err != nil {
		return nil, err
	}
	key, err := g.columns(t.Key, canBeKey)
	if err != nil {
		return nil, err
	}
	if len(key) == 0 {
		return nil, onerow.ErrNoKey
	}
	c := &rangeCheck{ranges: g, opts: opts, report: &scd2.CheckReport{Key: t.Key, Rows: int64(len(g.rows))}, broken: map[string]bool{}}
	keys := map[string][]int{}
	for r, row := range g.rows {
		k := Canonical(cells(row, key))
		if anyNull(cells(row, key)) {
			c.key = k + string(rune(r)) // of its own
			c.add(scd2.NullKey, r)
		} else {
			c.key = k
			keys[k] = append(keys[k], r)
		}
		c.single(r)
	}
	c.report.Keys = int64(len(keys))
	for k, rows := range keys {
		c.key = k
		c.group(rows)
	}
	c.report.BrokenKeys = int64(len(c.broken))
	slices.SortFunc(c.report.Findings, func(a, b scd2.Finding) int {
		return cmp.Or(cmp.Compare(a.Rows[0], b.Rows[0]), cmp.Compare(a.Kind, b.Kind), slices.Compare(a.Rows, b.Rows))
	})
	limit := opts.MaxFindings
	if limit == 0 {
		limit = scd2.DefaultMaxFindings
	}
	c.report.Findings = c.report.Findings[:min(len(c.report.Findings), max(limit, 0))]
	return c.report, nil
}

// Current answers what scd2.Current answers.
func Current(t scd2.Table) (rows onerow.Rows, err error) {
	g, err := readRanges(t)
	if err != nil {
		return nil, err
	}
	for r := range g.rows {
		if g.isOpen(r) && !g.isDeleted(r) {
			rows = append(rows, uint32(r))
		}
	}
	return rows, nil
}

// AsOf answers what scd2.AsOf answers.
func AsOf(t scd2.Table, at onerow.Value) (rows onerow.Rows, err error) {
	g, err := readRanges(t)
	if err != nil {
		return nil, err
	}
	time, ok := readLiteral(at, plain(g.types[g.from]))
	if !ok {
		return nil, &onerow.TypeError{Column: t.ValidFrom, Type: g.types[g.from], Why: "can't hold the time"}
	}
	for r, row := range g.rows {
		if g.lasts(r) && !g.isDeleted(r) && comparePlace(row[g.from], time) <= 0 && (g.isOpen(r) || comparePlace(time, row[g.to]) < g.closed) {
			rows = append(rows, uint32(r))
		}
	}
	return rows, nil
}

// ranges is a history as rows of values.
type ranges struct {
	*table
	from, to, current, deleted int // columns; -1 where there is none
	open                       Value
	closed                     int // 1 when the end belongs to a version, else 0
	unit                       *big.Rat
}

func readRanges(t scd2.Table) (*ranges, error) {
	base, err := readTable("history", t.Batches)
	if err != nil {
		return nil, err
	}
	g := &ranges{table: base, current: -1, deleted: -1}
	for _, c := range []struct {
		name, otherwise string
		at              *int
	}{{t.ValidFrom, scd2.DefaultValidFrom, &g.from}, {t.ValidTo, scd2.DefaultValidTo, &g.to}, {t.Current, "", &g.current}, {t.Deleted, "", &g.deleted}} {
		if name := cmp.Or(c.name, c.otherwise); name != "" {
			if *c.at, err = base.column(name); err != nil {
				return nil, err
			}
		}
	}
	from, to := base.types[g.from], base.types[g.to]
	if !canBeOrder(from) || !canBeOrder(to) || !canBeEqual(from, to) {
		return nil, &onerow.TypeError{Column: base.names[g.from], Type: from, OtherColumn: base.names[g.to], OtherType: to, Why: "no boundaries"}
	}
	if t.OpenEnd != nil && familyOf(to) != nullFamily {
		var ok bool
		if g.open, ok = readLiteral(t.OpenEnd, plain(to)); !ok {
			return nil, &onerow.TypeError{Column: base.names[g.to], Type: to, Why: "can't hold the open end"}
		}
	}
	if t.Bounds == scd2.Closed {
		g.closed = 1
		g.unit = readUnit(t.Unit, plain(to))
	}
	return g, nil
}

// readUnit returns the step between ends and starts, in seconds for dates and times; nil where there is no step.
func readUnit(given onerow.Value, t arrow.DataType) *big.Rat {
	switch d, isDuration := given.(time.Duration); {
	case isDuration:
		return big.NewRat(int64(d), int64(time.Second))
	case given != nil:
		v := reflect.ValueOf(given)
		if v.CanUint() {
			return new(big.Rat).SetInt(new(big.Int).SetUint64(v.Uint()))
		}
		return new(big.Rat).SetInt64(v.Int())
	}
	switch familyOf(t) {
	case integerFamily:
		return big.NewRat(1, 1)
	case dateFamily:
		return big.NewRat(86_400, 1)
	case clockFamily, naiveFamily, zonedFamily, durationFamily:
		return big.NewRat(int64(t.(arrow.TemporalWithUnit).TimeUnit().Multiplier()), int64(time.Second))
	}
	return nil
}

func (g *ranges) isOpen(r int) bool {
	end := g.rows[r][g.to]
	return end.Null() || !g.open.Null() && equal(end, g.open)
}

func (g *ranges) isDeleted(r int) bool {
	return g.deleted >= 0 && !g.rows[r][g.deleted].Null() && g.rows[r][g.deleted].exact.Sign() != 0
}

// lasts says whether a version has a start and time in it.
func (g *ranges) lasts(r int) bool {
	row := g.rows[r]
	return !row[g.from].Null() && (g.isOpen(r) || comparePlace(row[g.from], row[g.to]) < g.closed)
}

// startsBy says whether version b starts while a is valid, or before.
func (g *ranges) startsBy(a, b int) bool {
	return g.isOpen(a) || comparePlace(g.rows[b][g.from], g.rows[a][g.to]) < g.closed
}

// rangeCheck is one call of Ranges.
type rangeCheck struct {
	*ranges
	opts   scd2.CheckOptions
	report *scd2.CheckReport
	key    string // that is looked at
	broken map[string]bool
}

func (c *rangeCheck) add(kind scd2.Kind, rows ...int) {
	r := c.report
	switch kind {
	case scd2.Overlap:
		r.Overlaps++
	case scd2.Gap:
		r.Gaps++
	case scd2.Inverted:
		r.Inverted++
	case scd2.ZeroLength:
		r.ZeroLength++
	case scd2.TwoOpen:
		r.TwoOpen++
	case scd2.DuplicateStart:
		r.DuplicateStarts++
	case scd2.NullStart:
		r.NullStarts++
	case scd2.NullKey:
		r.NullKeys++
	case scd2.CurrentMismatch:
		r.CurrentMismatches++
	}
	f := scd2.Finding{Kind: kind}
	for _, row := range rows {
		f.Rows = append(f.Rows, uint32(row))
	}
	slices.Sort(f.Rows)
	r.Findings = append(r.Findings, f)
	c.broken[c.key] = true
}

// single looks at one row.
func (c *rangeCheck) single(r int) {
	row := c.rows[r]
	switch {
	case row[c.from].Null():
		c.add(scd2.NullStart, r)
	case c.lasts(r):
	case comparePlace(row[c.to], row[c.from]) < 0:
		c.add(scd2.Inverted, r)
	case c.opts.ZeroLength == scd2.ReportZeroLength:
		c.add(scd2.ZeroLength, r)
	}
	if c.current < 0 {
		return
	}
	flag := row[c.current]
	if flag.Null() || (flag.exact.Sign() != 0) != (c.isOpen(r) && !c.isDeleted(r)) {
		c.add(scd2.CurrentMismatch, r)
	}
}

// group looks at the rows of one key.
func (c *rangeCheck) group(rows []int) {
	var open, lasting []int
	starts := map[string][]int{}
	for _, r := range rows {
		if c.isOpen(r) {
			open = append(open, r)
		}
		if c.lasts(r) {
			lasting = append(lasting, r)
		}
		start := c.rows[r][c.from]
		inverted := !start.Null() && !c.isOpen(r) && comparePlace(c.rows[r][c.to], start) < 0
		if !start.Null() && !inverted {
			starts[canonical(start)] = append(starts[canonical(start)], r)
		}
	}
	if len(open) > 1 {
		c.add(scd2.TwoOpen, open...)
	}
	for _, same := range starts {
		if len(same) > 1 {
			c.add(scd2.DuplicateStart, same...)
		}
	}
	for i, a := range lasting {
		for _, b := range lasting[i+1:] {
			if c.startsBy(a, b) && c.startsBy(b, a) {
				c.add(scd2.Overlap, a, b)
			}
		}
	}
	if c.opts.Gaps == scd2.ReportGaps {
		c.gaps(lasting)
	}
}

// gaps looks, for each start that no version reaches, at the longest reach of those that start before it.
func (c *rangeCheck) gaps(rows []int) {
	seen := map[string]bool{}
	for _, next := range rows { // of those that start together the first row stands for all
		start := c.rows[next][c.from]
		if seen[canonical(start)] {
			continue
		}
		seen[canonical(start)] = true
		reach := -1
		for _, r := range rows {
			if comparePlace(c.rows[r][c.from], start) < 0 && (reach < 0 || c.reachesFurther(r, reach)) {
				reach = r
			}
		}
		if reach >= 0 && !c.isOpen(reach) && c.apart(c.rows[reach][c.to], start) {
			c.add(scd2.Gap, reach, next)
		}
	}
}

func (c *rangeCheck) reachesFurther(a, b int) bool {
	switch {
	case c.isOpen(b):
		return false
	case c.isOpen(a):
		return true
	}
	return comparePlace(c.rows[a][c.to], c.rows[b][c.to]) > 0
}

// apart says whether there is time between an end and a start.
func (c *rangeCheck) apart(end, start Value) bool {
	if comparePlace(start, end) <= 0 || c.unit == nil {
		return comparePlace(start, end) > 0
	}
	return new(big.Rat).Sub(start.exact, end.exact).Cmp(c.unit) > 0
}
