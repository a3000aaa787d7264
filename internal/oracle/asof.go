package oracle

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

// JoinAsOf answers what join.AsOf answers, comparing each fact with each version, and each version with each other. Keys with overlaps are listed without
// their values.
func JoinAsOf(facts join.Facts, versions join.Versions, opts join.RangeOptions) (*join.Matches, error) {
	j, err := readRangeJoin(facts, versions, opts)
	if err != nil {
		return nil, err
	}
	m := &join.Matches{Rows: []uint32{}, Status: []join.Status{}, Report: join.AsOfReport{Key: facts.Key, Facts: int64(len(j.facts.rows)), Versions: j.report()}}
	counts := map[join.Status]*int64{join.OK: &m.Report.OK, join.NullKey: &m.Report.NullKey, join.NullTime: &m.Report.NullTime, join.NoKey: &m.Report.NoKey,
		join.BeforeFirst: &m.Report.BeforeFirst, join.Gap: &m.Report.Gap, join.Ambiguous: &m.Report.Ambiguous}
	for f := range j.facts.rows {
		row, status := join.NoMatch, j.status(f)
		if status == join.OK {
			row = uint32(j.holders(f)[0])
		}
		m.Rows, m.Status = append(m.Rows, row), append(m.Status, status)
		*counts[status]++
	}
	return m, nil
}

// JoinBetween answers what join.Between answers.
func JoinBetween(facts join.Facts, versions join.Versions, opts join.RangeOptions) (*join.RangeSize, error) {
	j, err := readRangeJoin(facts, versions, opts)
	if err != nil {
		return nil, err
	}
	s := &join.RangeSize{Key: facts.Key, Facts: int64(len(j.facts.rows)), Versions: j.report()}
	inner, left := uint64(0), uint64(0)
	for f := range j.facts.rows {
		n := uint32(len(j.holders(f)))
		if n > 0 {
			s.Held++
		}
		if n > s.Most {
			s.Most, s.MostAt = n, uint32(f)
		}
		inner += uint64(n)
		left += uint64(max(n, 1))
	}
	s.Inner, s.Left = join.CountOf(inner), join.CountOf(left)
	return s, nil
}

// rangeJoin is facts and versions as rows of values.
type rangeJoin struct {
	facts, versions *table
	factKey, key    []int
	at, from, to    int // columns; to is -1 where there is none
	open            Value
	closed          int // 1 when the end belongs to a version, else 0
	nullsEqual      bool
}

func readRangeJoin(facts join.Facts, versions join.Versions, opts join.RangeOptions) (*rangeJoin, error) {
	j := &rangeJoin{to: -1, nullsEqual: opts.Nulls == join.NullsEqual}
	var err [7]error
	j.facts, err[0] = readTable("facts", facts.Batches)
	j.versions, err[1] = readTable("versions", versions.Batches)
	key := versions.Key
	if key == nil {
		key = facts.Key
	}
	j.factKey, err[2] = j.facts.columns(facts.Key, canBeKey)
	j.key, err[3] = j.versions.columns(key, canBeKey)
	j.at, err[4] = j.facts.column(facts.At)
	j.from, err[5] = j.versions.column(versions.ValidFrom)
	if versions.ValidTo != "" {
		j.to, err[6] = j.versions.column(versions.ValidTo)
	}
	for _, e := range err {
		if e != nil {
			return nil, e
		}
	}
	if versions.Bounds == join.Closed {
		j.closed = 1
	}
	return j, j.fit(versions.OpenEnd)
}

// fit says whether the columns go together.
func (j *rangeJoin) fit(open onerow.Value) error {
	if len(j.key) == 0 {
		return onerow.ErrNoKey
	}
	if len(j.key) != len(j.factKey) {
		return fmt.Errorf("%w: keys of %d and %d columns", onerow.ErrOption, len(j.factKey), len(j.key))
	}
	unfit := func(a, b arrow.DataType) error { return &onerow.TypeError{Type: a, OtherType: b, Why: "unfit"} }
	for i, c := range j.key {
		if a, b := j.facts.types[j.factKey[i]], j.versions.types[c]; !canBeEqual(a, b) {
			return unfit(a, b)
		}
	}
	times := []arrow.DataType{j.facts.types[j.at], j.versions.types[j.from]}
	if j.to >= 0 {
		times = append(times, j.versions.types[j.to])
	}
	for _, a := range times {
		for _, b := range times {
			if !canBeOrder(a) || !canBeEqual(a, b) {
				return unfit(a, b)
			}
		}
	}
	if open != nil && familyOf(times[2]) != nullFamily {
		var ok bool
		if j.open, ok = readLiteral(open, plain(times[2])); !ok {
			return unfit(times[2], times[2])
		}
	}
	return nil
}

// sameKey says whether a fact, or another version, has the key of a version.
func (j *rangeJoin) sameKey(key []Value, version int) bool {
	other := cells(j.versions.rows[version], j.key)
	return (j.nullsEqual || !anyNull(key)) && Canonical(key) == Canonical(other)
}

// end is that of a version; ok is false for one that never ends.
func (j *rangeJoin) end(version int) (end Value, ok bool) {
	row := j.versions.rows[version]
	if j.to >= 0 {
		end = row[j.to]
		return end, !end.Null() && (j.open.Null() || !equal(end, j.open))
	}
	for other, o := range j.versions.rows {
		start := o[j.from]
		if j.sameKey(cells(row, j.key), other) && !start.Null() && comparePlace(start, row[j.from]) > 0 && (!ok || comparePlace(start, end) < 0) {
			end, ok = start, true
		}
	}
	return end, ok
}

// lasts says whether a version has a start and time in it.
func (j *rangeJoin) lasts(version int) bool {
	start := j.versions.rows[version][j.from]
	if start.Null() {
		return false
	}
	end, ends := j.end(version)
	return !ends || comparePlace(start, end) < j.closed
}

// reaches says whether a version has not ended at a time.
func (j *rangeJoin) reaches(version int, t Value) bool {
	end, ends := j.end(version)
	return !ends || comparePlace(t, end) < j.closed
}

// holders lists the versions that hold a fact.
func (j *rangeJoin) holders(fact int) (list []int) {
	row := j.facts.rows[fact]
	if row[j.at].Null() {
		return nil
	}
	for v, version := range j.versions.rows {
		if j.sameKey(cells(row, j.factKey), v) && j.lasts(v) && comparePlace(version[j.from], row[j.at]) <= 0 && j.reaches(v, row[j.at]) {
			list = append(list, v)
		}
	}
	return list
}

func (j *rangeJoin) status(fact int) join.Status {
	row := j.facts.rows[fact]
	key := cells(row, j.factKey)
	known, lasting, started := false, false, false
	for v, version := range j.versions.rows {
		if !j.sameKey(key, v) {
			continue
		}
		known = true
		if !row[j.at].Null() && j.lasts(v) {
			lasting = true
			started = started || comparePlace(version[j.from], row[j.at]) <= 0
		}
	}
	held := len(j.holders(fact))
	switch {
	case !j.nullsEqual && anyNull(key):
		return join.NullKey
	case row[j.at].Null():
		return join.NullTime
	case !known:
		return join.NoKey
	case lasting && !started:
		return join.BeforeFirst
	case held == 0:
		return join.Gap
	case held > 1:
		return join.Ambiguous
	}
	return join.OK
}

// report says what there is to say of the versions.
func (j *rangeJoin) report() join.VersionReport {
	r := join.VersionReport{Rows: int64(len(j.versions.rows))}
	for _, c := range j.key {
		r.Key = append(r.Key, j.versions.names[c])
	}
	sharing := map[string][]uint32{} // by key
	keys := map[string]bool{}
	for a, row := range j.versions.rows {
		if !j.lasts(a) {
			r.Idle++
		}
		key := cells(row, j.key)
		if !j.nullsEqual && anyNull(key) {
			r.NullKeys++
			continue
		}
		keys[Canonical(key)] = true
		shares := false
		for b, other := range j.versions.rows {
			if a == b || !j.sameKey(key, b) || !j.lasts(a) || !j.lasts(b) || !j.reaches(a, other[j.from]) || !j.reaches(b, row[j.from]) {
				continue
			}
			shares = true
			if a < b {
				r.Overlaps++
			}
		}
		if shares {
			sharing[Canonical(key)] = append(sharing[Canonical(key)], uint32(a))
		}
	}
	r.Keys, r.OverlappingKeys = int64(len(keys)), int64(len(sharing))
	for _, rows := range sharing {
		r.Overlapping = append(r.Overlapping, onerow.KeyRows{Count: int64(len(rows)), Rows: rows[:min(len(rows), onerow.MaxSampleRows)]})
	}
	slices.SortFunc(r.Overlapping, func(a, b onerow.KeyRows) int { return int(a.Rows[0]) - int(b.Rows[0]) })
	r.Overlapping = r.Overlapping[:min(len(r.Overlapping), onerow.MaxSampleKeys)]
	return r
}
