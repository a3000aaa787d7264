package scd2_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/scd2"
)

// keyedVersion is a version of one of many keys. It is open if to is below 0.
type keyedVersion struct{ key, from, to int }

// manyKeys has four versions a key, by start. Of every seventh key one ends too late, of every eleventh two are open, of every thirteenth two start
// at one time, of every seventeenth one ends before it starts, and of every nineteenth there is a gap.
func manyKeys(keys int) (all []keyedVersion) {
	for v := range 4 {
		for k := range keys {
			x := keyedVersion{k, 100*v + k%50, 100*v + 100 + k%50}
			switch {
			case v == 3:
				x.to = -1
			case k%7 == 0 && v == 1:
				x.to += 30
			case k%11 == 0 && v == 2:
				x.to = -1
			case k%13 == 0 && v == 1:
				x.from -= 100
			case k%17 == 0 && v == 0:
				x.to = x.from - 5
			case k%19 == 0 && v == 2:
				x.to -= 20
			}
			all = append(all, x)
		}
	}
	return all
}

// compareAll says what is wrong with versions, by comparing all of a key with each other. Its findings have kinds and rows.
func compareAll(all []keyedVersion) *scd2.CheckReport {
	r := &scd2.CheckReport{Key: []string{"k"}, Rows: int64(len(all))}
	rows := map[int][]uint32{}
	for i, v := range all {
		rows[v.key] = append(rows[v.key], uint32(i))
	}
	r.Keys = int64(len(rows))
	for _, of := range rows {
		found := len(r.Findings)
		add := func(k scd2.Kind, rows ...uint32) { r.Findings = append(r.Findings, scd2.Finding{Kind: k, Rows: rows}) }
		var open, live []uint32
		starts := map[int][]uint32{}
		for _, i := range of {
			v := all[i]
			switch {
			case v.to < 0:
				open, live = append(open, i), append(live, i)
			case v.to < v.from:
				r.Inverted++
				add(scd2.Inverted, i)
				continue
			default:
				live = append(live, i)
			}
			starts[v.from] = append(starts[v.from], i)
		}
		end := func(i uint32) int { return map[bool]int{true: math.MaxInt, false: all[i].to}[all[i].to < 0] }
		if len(open) > 1 {
			r.TwoOpen++
			add(scd2.TwoOpen, open...)
		}
		for _, same := range starts {
			if len(same) > 1 {
				r.DuplicateStarts++
				add(scd2.DuplicateStart, same...)
			}
		}
		for n, i := range live {
			for _, j := range live[n+1:] {
				if all[i].from < end(j) && all[j].from < end(i) {
					r.Overlaps++
					add(scd2.Overlap, i, j)
				}
			}
		}
		slices.SortFunc(live, func(i, j uint32) int { return cmp.Or(cmp.Compare(all[i].from, all[j].from), cmp.Compare(i, j)) })
		for n, i := range live[:len(live)-1] {
			reach := i
			for _, j := range live[:n] {
				if end(j) > end(reach) {
					reach = j
				}
			}
			if next := live[n+1]; all[next].from > end(reach) {
				r.Gaps++
				add(scd2.Gap, min(reach, next), max(reach, next))
			}
		}
		if len(r.Findings) > found {
			r.BrokenKeys++
		}
	}
	slices.SortFunc(r.Findings, func(a, b scd2.Finding) int {
		return cmp.Or(cmp.Compare(a.Rows[0], b.Rows[0]), cmp.Compare(a.Kind, b.Kind), slices.Compare(a.Rows, b.Rows))
	})
	return r
}

// TestCheckManyKeys: keys enough for tables that grow, and entries for several chunks, while workers take turns at small batches.
func TestCheckManyKeys(t *testing.T) {
	keys := map[string]func(k int) any{
		"k:int64":  func(k int) any { return k },
		"k:string": func(k int) any { return fmt.Sprint(k) },
		"k:binary": func(k int) any { return fmt.Appendf(nil, "a key that is longer than two words, %d", k) },
	}
	orders := map[string]func([]keyedVersion){
		"by time": func([]keyedVersion) {},
		"by key":  func(v []keyedVersion) { slices.SortStableFunc(v, func(a, b keyedVersion) int { return a.key - b.key }) },
		"back":    slices.Reverse[[]keyedVersion],
		"none": func(v []keyedVersion) {
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
		},
	}
	for column, key := range keys {
		for order, sort := range orders {
			t.Run(column+" "+order, func(t *testing.T) {
				all := manyKeys(1500)
				sort(all)
				checkManyKeys(t, column, key, all)
			})
		}
	}
}

// TestCheckManyKeysUnderOneHash: the same where all keys have one hash, and those that are long one digest.
func TestCheckManyKeysUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	checkManyKeys(t, "k:string", func(k int) any { return fmt.Sprintf("a key that is longer than two words, %d", k) }, manyKeys(300))
}

func checkManyKeys(t *testing.T, column string, key func(int) any, all []keyedVersion) {
	const batch = 170
	columns := []string{column, "valid_from:timestamp[us]", "valid_to:timestamp[s]"}
	var parts [][][]any
	for i, v := range all {
		if i%batch == 0 {
			parts = append(parts, nil)
		}
		row := []any{key(v.key), wholeCell(1_000_000 * v.from), nil}
		if v.to >= 0 {
			row[2] = wholeCell(v.to)
		}
		parts[i/batch] = append(parts[i/batch], row)
	}
	table := scd2.Table{Batches: arrowtest.Batches(t, arrowtest.Allocator(t), columns, parts...), Key: []string{"k"}}
	want := compareAll(all)
	for _, gaps := range []scd2.Gaps{scd2.ReportGaps, scd2.AllowGaps} {
		if gaps == scd2.AllowGaps {
			want = withoutGaps(want, all)
		}
		for workers := 1; workers < 4; workers++ {
			r, err := scd2.Check(context.Background(), table, scd2.CheckOptions{Gaps: gaps, MaxFindings: len(all) * 4, Resources: onerow.Resources{Workers: workers}})
			if err != nil {
				t.Fatal(err)
			}
			if d := gocmp.Diff(want, bare(r)); d != "" {
				t.Fatalf("%d workers, gaps %d: -want +got\n%s", workers, gaps, d)
			}
		}
	}
}

// withoutGaps is a report as if gaps were none.
func withoutGaps(r *scd2.CheckReport, all []keyedVersion) *scd2.CheckReport {
	c := *r
	c.Gaps, c.Findings, c.BrokenKeys = 0, nil, 0
	broken := map[int]bool{}
	for _, f := range r.Findings {
		if f.Kind != scd2.Gap {
			c.Findings = append(c.Findings, f)
			broken[all[f.Rows[0]].key] = true
		}
	}
	c.BrokenKeys = int64(len(broken))
	return &c
}

// TestCheckEndsOfTheLine: starts at the least word and ends at the greatest are cells like others.
func TestCheckEndsOfTheLine(t *testing.T) {
	least, most := wholeCell(int64(math.MinInt64)), wholeCell(uint64(math.MaxUint64))
	signed, unsigned := []string{"k:int8", "valid_from:int64", "valid_to:int64"}, []string{"k:int8", "valid_from:uint64", "valid_to:uint64"}
	for name, c := range map[string]struct {
		columns []string
		bounds  scd2.Bounds
		gaps    scd2.Gaps
		rows    [][]any
		want    string
	}{
		"the least start":              {signed, scd2.HalfOpen, scd2.ReportGaps, [][]any{{1, least, 5}, {1, 5, nil}}, ""},
		"the least start, late":        {signed, scd2.HalfOpen, scd2.ReportGaps, [][]any{{1, 5, nil}, {1, least, 5}}, ""},
		"the least start, and a gap":   {signed, scd2.HalfOpen, scd2.ReportGaps, [][]any{{1, least, 5}, {1, 6, nil}}, "1 gap"},
		"the least start, overlapping": {signed, scd2.HalfOpen, scd2.AllowGaps, [][]any{{1, least, 5}, {1, 4, nil}}, "1 overlap"},
		"the least start, twice":       {signed, scd2.HalfOpen, scd2.AllowGaps, [][]any{{1, least, 5}, {1, least, 4}}, "1 overlap, 1 start of several versions"},
		"the least start, open":        {signed, scd2.HalfOpen, scd2.AllowGaps, [][]any{{1, least, nil}, {1, 3, nil}}, "1 overlap, 1 key with several open versions"},
		"the least start and end":      {signed, scd2.HalfOpen, scd2.AllowGaps, [][]any{{1, least, least}, {1, least, 7}}, "1 empty version, 1 start of several versions"},
		"the greatest end":             {unsigned, scd2.HalfOpen, scd2.ReportGaps, [][]any{{1, 3, most}, {1, most, nil}}, ""},
		"the greatest end, included":   {unsigned, scd2.Closed, scd2.ReportGaps, [][]any{{1, 0, 2}, {1, 3, most}}, ""},
		"the greatest end and open":    {unsigned, scd2.Closed, scd2.AllowGaps, [][]any{{1, 3, most}, {1, 5, nil}}, "1 overlap"},
		"the greatest end, one open":   {unsigned, scd2.Closed, scd2.AllowGaps, [][]any{{1, 3, most}, {1, most, most}, {1, most, nil}}, "3 overlaps, 1 start of several versions"},
	} {
		t.Run(name, func(t *testing.T) {
			for workers := 1; workers < 3; workers++ {
				var parts [][][]any
				for _, row := range c.rows {
					parts = append(parts, [][]any{row})
				}
				table := scd2.Table{Batches: arrowtest.Batches(t, arrowtest.Allocator(t), c.columns, parts...), Key: []string{"k"}, Bounds: c.bounds}
				r, err := scd2.Check(context.Background(), table, scd2.CheckOptions{Gaps: c.gaps, Resources: onerow.Resources{Workers: workers}})
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				if e := (*onerow.KeysError)(nil); errors.As(r.Err(), &e) {
					got = e.Why
				}
				if got != c.want || r.Keys != 1 {
					t.Errorf("found %q, want %q", got, c.want)
				}
			}
		})
	}
}
