package scd2_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/scd2"
)

// rapidChoice draws choices from rapid, seededChoice from a generator.
type rapidChoice struct{ t *rapid.T }

func (c rapidChoice) Choose(what string, n int) int { return rapid.IntRange(0, n-1).Draw(c.t, what) }

type seededChoice struct{ *rand.Rand }

func (c seededChoice) Choose(_ string, n int) int { return c.IntN(n) }

// TestCheckProperties runs the properties of Check, Current and AsOf on random histories.
func TestCheckProperties(t *testing.T) { checkRangeProperties(t) }

// TestCheckUnderOneHash runs them again while every hash is the same: a hash may only ever reject.
func TestCheckUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	checkRangeProperties(t)
}

func checkRangeProperties(t *testing.T) {
	for name, holds := range map[string]func(t *rapid.T, s *rangeScene){
		"oracle": checkAgrees, "permutation": checkPermutes, "selection": selectionAgrees,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { holds(t, newRangeScene(rapidChoice{t}, 14)) })
		})
	}
}

// build makes the batches of a scene, cut at random.
func (s *rangeScene) build(t arrowtest.TB, src oracle.Source) []arrow.Record {
	var parts [][][]any
	rest := s.rows
	for len(parts) == 0 || len(rest) > 0 && len(parts) < 5 {
		n := src.Choose("cut", len(rest)+1)
		parts, rest = append(parts, rest[:n]), rest[n:]
	}
	return arrowtest.Batches(t, arrowtest.Allocator(t), s.columns, append(parts, rest)...)
}

// bare leaves out what the oracle doesn't tell.
func bare(r *scd2.CheckReport) *scd2.CheckReport {
	c := *r
	c.Findings = nil
	for _, f := range r.Findings {
		c.Findings = append(c.Findings, scd2.Finding{Kind: f.Kind, Rows: f.Rows})
	}
	return &c
}

// fataler is a test, of this package or of rapid.
type fataler interface {
	arrowtest.TB
	Fatalf(format string, args ...any)
}

func (s *rangeScene) check(t fataler, batches []arrow.Record) *scd2.CheckReport {
	table := s.table
	table.Batches = batches
	r, err := scd2.Check(context.Background(), table, s.opts)
	if err != nil {
		t.Fatalf("%v\n%v", err, s)
	}
	return r
}

func (s *rangeScene) agree(t fataler, batches []arrow.Record) {
	table := s.table
	table.Batches = batches
	want, err := oracle.Ranges(table, s.opts)
	if err != nil {
		t.Fatalf("oracle: %v\n%v", err, s)
	}
	if d := cmp.Diff(bare(want), bare(s.check(t, batches))); d != "" {
		t.Fatalf("-oracle +library\n%s\n%v", d, s)
	}
}

func checkAgrees(t *rapid.T, s *rangeScene) { s.agree(t, s.build(t, rapidChoice{t})) }

// checkPermutes: the findings are about the same rows, wherever these are.
func checkPermutes(t *rapid.T, s *rangeScene) {
	s.opts.MaxFindings = 10_000
	place := make([]int, len(s.rows)) // of each row, in the other order
	for i := range place {
		place[i] = i
	}
	place = rapid.Permutation(place).Draw(t, "order")
	other := *s
	other.rows = make([][]any, len(s.rows))
	for i, p := range place {
		other.rows[p] = s.rows[i]
	}
	want, got := s.check(t, s.build(t, rapidChoice{t})), other.check(t, other.build(t, rapidChoice{t}))
	var moved, found []string
	for _, f := range want.Findings {
		if f.Kind == scd2.Gap { // of equal reaches and starts the first row is named
			f.Rows = onerow.Rows{0, 0}
		}
		rows := slices.Clone(f.Rows)
		for i, r := range rows {
			rows[i] = uint32(place[r])
		}
		slices.Sort(rows)
		moved = append(moved, withoutSign(f.Kind, rows, f.From, f.To))
	}
	for _, f := range got.Findings {
		if f.Kind == scd2.Gap {
			f.Rows = onerow.Rows{uint32(place[0]), uint32(place[0])}
		}
		found = append(found, withoutSign(f.Kind, f.Rows, f.From, f.To))
	}
	slices.Sort(moved)
	slices.Sort(found)
	if d := cmp.Diff(moved, found); d != "" {
		t.Fatalf("-before +after rows moved to %v\n%s\n%v", place, d, s)
	}
}

// withoutSign writes -0 as 0: of equal starts the first row's is shown.
func withoutSign(finding ...any) string { return strings.ReplaceAll(fmt.Sprint(finding...), "-0", "0") }

func selectionAgrees(t *rapid.T, s *rangeScene) {
	batches := s.build(t, rapidChoice{t})
	table := s.table
	table.Batches = batches
	want, err := oracle.Current(table)
	got, gotErr := scd2.Current(context.Background(), table, s.opts.Resources)
	if err != nil || gotErr != nil || !slices.Equal(want, got) {
		t.Fatalf("current rows %v (%v), want %v (%v)\n%v", got, gotErr, want, err, s)
	}
	if s.at == nil || slices.Contains(s.columns, "valid_from:null") {
		return
	}
	want, err = oracle.AsOf(table, s.at)
	got, gotErr = scd2.AsOf(context.Background(), table, s.at, s.opts.Resources)
	if err != nil || gotErr != nil || !slices.Equal(want, got) {
		t.Fatalf("rows at %v: %v (%v), want %v (%v)\n%v", s.at, got, gotErr, want, err, s)
	}
}

// TestCheckForms: the same report for every form of the batches.
func TestCheckForms(t *testing.T) {
	for seed := range uint64(2 * len(boundaries)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			src := seededChoice{rand.New(rand.NewPCG(seed, 1))}
			s := newRangeScene(src, 14)
			mem := arrowtest.Allocator(t)
			batches := arrowtest.Batches(t, mem, s.columns, s.rows)
			want := s.check(t, batches)
			variants := arrowtest.Variants(mem, batches)
			defer variants.Release()
			for i, v := range variants {
				s.opts.Resources.Workers = 1 + i%3
				if d := cmp.Diff(want, s.check(t, v.Batches)); d != "" {
					t.Fatalf("%s: -as given +here\n%s\n%v", v.Name, d, s)
				}
			}
			s.agree(t, batches)
		})
	}
}

// TestCheckLarger compares keys of some hundreds of versions with the oracle: more than are sorted by insertion, and more pairs than are listed.
func TestCheckLarger(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			src := seededChoice{rand.New(rand.NewPCG(seed, 2))}
			s := newRangeScene(src, 1)
			if s.opts.MaxFindings == 0 {
				s.opts.MaxFindings = 40
			}
			b := boundaries[seed%3]
			from := []string{"int32", "int64", "date32"}[seed%3]
			s.columns = []string{"k:int8", "valid_from:" + from, "valid_to:" + from, "cur:bool", "del:bool"}
			s.table.Key, s.table.OpenEnd, s.rows = []string{"k"}, nil, nil
			if s.table.Unit != nil {
				s.table.Unit = b.units[1]
			}
			for range 250 {
				start := src.IntN(100)
				s.rows = append(s.rows, []any{src.IntN(2), start, start + src.IntN(1+src.IntN(60)) - 1, true, nil})
			}
			s.agree(t, s.build(t, src))
		})
	}
}

// madeVersion is a version of a large key.
type madeVersion struct{ from, to int }

// patterns are keys of many versions.
var patterns = map[string]func(i, n int, r *rand.Rand) madeVersion{
	"random":       func(i, n int, r *rand.Rand) madeVersion { f := r.IntN(n); return madeVersion{f, f + 1 + r.IntN(20)} },
	"nested":       func(i, n int, _ *rand.Rand) madeVersion { return madeVersion{i, 2*n - i} },
	"nested, late": func(i, n int, _ *rand.Rand) madeVersion { return madeVersion{n - i, n + i + 1} },
	"stairs":       func(i, n int, _ *rand.Rand) madeVersion { return madeVersion{i, i + 3} },
	"sound":        func(i, n int, _ *rand.Rand) madeVersion { return madeVersion{i, i + 1} },
	"sound, back":  func(i, n int, _ *rand.Rand) madeVersion { return madeVersion{n - i, n - i + 1} },
	"one holds all": func(i, n int, _ *rand.Rand) madeVersion {
		return map[bool]madeVersion{true: {0, 2 * n}, false: {i, i + 1}}[i == 0]
	},
	"one holds all, last": func(i, n int, _ *rand.Rand) madeVersion {
		return map[bool]madeVersion{true: {0, 2 * n}, false: {i + 1, i + 2}}[i == n-1]
	},
	"equal":    func(i, n int, _ *rand.Rand) madeVersion { return madeVersion{3, 5} },
	"two runs": func(i, n int, _ *rand.Rand) madeVersion { return madeVersion{i / 2 * (1 + i%2), i/2*(1+i%2) + 1} },
}

// TestCheckOneKey: a key of many versions, and more pairs than anyone lists: their number, and the first of them.
func TestCheckOneKey(t *testing.T) {
	const n = 400
	for name, pattern := range patterns {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			versions := make([]madeVersion, n)
			var rows [][]any
			for i := range versions {
				versions[i] = pattern(i, n, r)
				rows = append(rows, []any{7, versions[i].from, versions[i].to})
			}
			var pairs []onerow.Rows
			for i, a := range versions {
				for j := i + 1; j < n; j++ {
					if b := versions[j]; a.from < b.to && b.from < a.to {
						pairs = append(pairs, onerow.Rows{uint32(i), uint32(j)})
					}
				}
			}
			batches := arrowtest.Table(t, arrowtest.Allocator(t), []string{"k:int8", "valid_from:int32", "valid_to:int32"}, rows)
			for _, limit := range []int{1, 10, 450, 10 * n * n} {
				rep, err := scd2.Check(context.Background(), scd2.Table{Batches: batches, Key: []string{"k"}}, scd2.CheckOptions{MaxFindings: limit})
				if err != nil {
					t.Fatal(err)
				}
				if rep.Overlaps != uint64(len(pairs)) {
					t.Fatalf("%d overlaps, want %d", rep.Overlaps, len(pairs))
				}
				var got []onerow.Rows
				for _, f := range rep.Findings {
					if f.Kind == scd2.Overlap {
						got = append(got, f.Rows)
					}
				}
				if rep.DuplicateStarts == 0 {
					if want := pairs[:min(limit, len(pairs))]; !reflect.DeepEqual(slices.Clone(want), got) && len(want)+len(got) > 0 {
						t.Errorf("limit %d: %d pairs listed, want %d: %v and %v", limit, len(got), len(want), got[:min(len(got), 5)], want[:min(len(want), 5)])
					}
				} else if len(rep.Findings) != min(limit, len(pairs)+int(rep.DuplicateStarts)) || !slices.EqualFunc(pairs[:min(len(got), len(pairs))], got, slices.Equal) {
					t.Errorf("limit %d: %d pairs listed of %d findings", limit, len(got), len(rep.Findings))
				}
			}
		})
	}
}
