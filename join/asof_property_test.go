package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/join"
)

// drawn draws choices from rapid, seeded from a generator.
type drawn struct{ t *rapid.T }

func (c drawn) Choose(what string, n int) int { return rapid.IntRange(0, n-1).Draw(c.t, what) }

type seeded struct{ *rand.Rand }

func (c seeded) Choose(_ string, n int) int { return c.IntN(n) }

// failing is a test, of this package or of rapid.
type failing interface {
	arrowtest.TB
	Fatalf(format string, args ...any)
}

// TestRangeProperties runs the properties of AsOf and Between on random facts and versions.
func TestRangeProperties(t *testing.T) { checkRangeProperties(t) }

// TestRangeUnderOneHash runs them again while every hash is the same: a hash may only ever reject.
func TestRangeUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	checkRangeProperties(t)
}

func checkRangeProperties(t *testing.T) {
	for name, holds := range map[string]func(t *rapid.T, s *rangeScene){
		"oracle":      func(t *rapid.T, s *rangeScene) { s.agree(t, s.cut(t, drawn{t})) },
		"permutation": permutes,
		"sizes":       sizesAddUp,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { holds(t, newRangeScene(drawn{t}, 12)) })
		})
	}
}

// sides are the batches of a scene.
type sides struct{ facts, versions []arrow.Record }

// cut makes the batches of a scene, cut at random.
func (s *rangeScene) cut(t arrowtest.TB, src oracle.Source) sides {
	mem := arrowtest.Allocator(t)
	cut := func(columns []string, rows [][]any) []arrow.Record {
		var parts [][][]any
		for len(parts) == 0 || len(rows) > 0 && len(parts) < 4 {
			n := src.Choose("cut", len(rows)+1)
			parts, rows = append(parts, rows[:n]), rows[n:]
		}
		return arrowtest.Batches(t, mem, columns, append(parts, rows)...)
	}
	return sides{cut(s.factColumns, s.factRows), cut(s.versionColumns, s.versionRows)}
}

func (s *rangeScene) inputs(b sides) (join.Facts, join.Versions, join.RangeOptions) {
	f, v := s.facts, s.versions
	f.Batches, v.Batches = b.facts, b.versions
	return f, v, s.opts
}

// told is what a call says, without what the oracle doesn't tell.
type told struct {
	Rows   []uint32
	Status []join.Status
	Report join.AsOfReport
}

func tell(m *join.Matches) told {
	r := m.Report
	r.Versions.Overlapping = bare(r.Versions.Overlapping)
	return told{m.Rows, m.Status, r}
}

func bare(keys []onerow.KeyRows) (out []onerow.KeyRows) {
	for _, k := range keys {
		out = append(out, onerow.KeyRows{Count: k.Count, Rows: k.Rows})
	}
	return out
}

func (s *rangeScene) asOf(t failing, b sides) *join.Matches {
	f, v, opts := s.inputs(b)
	m, err := join.AsOf(context.Background(), f, v, opts)
	if err != nil {
		t.Fatalf("%v\n%v", err, s)
	}
	return m
}

func (s *rangeScene) between(t failing, b sides) *join.RangeSize {
	f, v, opts := s.inputs(b)
	size, err := join.Between(context.Background(), f, v, opts)
	if err != nil {
		t.Fatalf("%v\n%v", err, s)
	}
	return size
}

// agree compares both calls with the oracle, whichever way facts are looked up.
func (s *rangeScene) agree(t failing, b sides) {
	f, v, opts := s.inputs(b)
	want, err := oracle.JoinAsOf(f, v, opts)
	if err != nil {
		t.Fatalf("oracle: %v\n%v", err, s)
	}
	eachWay(func(way string) {
		if want, got := tell(want), tell(s.asOf(t, b)); !reflect.DeepEqual(want, got) {
			t.Fatalf("oracle: %+v\n%s:  %+v\n%v", want, way, got, s)
		}
	})
	if s.versions.ValidTo == "" {
		return
	}
	size, err := oracle.JoinBetween(f, v, opts)
	if err != nil {
		t.Fatalf("oracle: %v\n%v", err, s)
	}
	eachWay(func(way string) {
		got := s.between(t, b)
		got.Versions.Overlapping = bare(got.Versions.Overlapping)
		if !reflect.DeepEqual(size, got) {
			t.Fatalf("oracle: %+v\n%s:  %+v\n%v", size, way, got, s)
		}
	})
}

// eachWay calls f while facts are looked up in a board, and while they are dealt out.
func eachWay(f func(way string)) {
	for way, boards := range map[string]bool{"board": true, "dealt": false} {
		restore := join.SetBoards(boards)
		func() {
			defer restore()
			f(way)
		}()
	}
}

// permutes: each fact meets the same version, wherever both are.
func permutes(t *rapid.T, s *rangeScene) {
	order := func(n int, what string) []int {
		place := make([]int, n)
		for i := range place {
			place[i] = i
		}
		return rapid.Permutation(place).Draw(t, what)
	}
	factPlace, versionPlace := order(len(s.factRows), "facts"), order(len(s.versionRows), "versions")
	other := *s
	other.factRows, other.versionRows = make([][]any, len(s.factRows)), make([][]any, len(s.versionRows))
	for i, p := range factPlace {
		other.factRows[p] = s.factRows[i]
	}
	for i, p := range versionPlace {
		other.versionRows[p] = s.versionRows[i]
	}
	was, is := s.asOf(t, s.cut(t, drawn{t})), other.asOf(t, other.cut(t, drawn{t}))
	for i, p := range factPlace {
		want := was.Rows[i]
		if want != join.NoMatch {
			want = uint32(versionPlace[want])
		}
		if is.Status[p] != was.Status[i] || is.Rows[p] != want {
			t.Fatalf("fact %d: %v %d, moved to %d: %v %d\n%v", i, was.Status[i], was.Rows[i], p, is.Status[p], is.Rows[p], s)
		}
	}
	was.Report.Versions.Overlapping, is.Report.Versions.Overlapping = nil, nil
	if !reflect.DeepEqual(was.Report, is.Report) {
		t.Fatalf("%+v, permuted %+v\n%v", was.Report, is.Report, s)
	}
}

// sizesAddUp: what Between counts is what AsOf finds, where no fact is ambiguous.
func sizesAddUp(t *rapid.T, s *rangeScene) {
	b := s.cut(t, drawn{t})
	m := s.asOf(t, b)
	r := m.Report
	if sum := r.OK + r.NullKey + r.NullTime + r.NoKey + r.BeforeFirst + r.Gap + r.Ambiguous; sum != r.Facts || r.Facts != int64(len(s.factRows)) {
		t.Fatalf("%d facts, the counts come to %d: %+v", len(s.factRows), sum, r)
	}
	facts, versions := m.Inner()
	if len(facts) != int(r.OK) || len(versions) != len(facts) || !slices.Equal(facts, m.Of(join.OK)) {
		t.Fatalf("inner rows %v and %v of %v", facts, versions, m.Rows)
	}
	if s.versions.ValidTo == "" {
		return
	}
	size := s.between(t, b)
	if size.Held != r.OK+r.Ambiguous || r.Ambiguous == 0 && fmt.Sprint(size.Inner) != fmt.Sprint(r.OK) || (size.Most > 1) != (r.Ambiguous > 0) {
		t.Fatalf("%+v, but %+v\n%v", size, r, s)
	}
}

// TestRangeForms: the same outcome for every form of the batches.
func TestRangeForms(t *testing.T) {
	for seed := range uint64(2 * len(clocks)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			src := seeded{rand.New(rand.NewPCG(seed, 1))}
			s := newRangeScene(src, 10)
			mem := arrowtest.Allocator(t)
			given := sides{arrowtest.Batches(t, mem, s.factColumns, s.factRows), arrowtest.Batches(t, mem, s.versionColumns, s.versionRows)}
			want := s.asOf(t, given)
			facts, versions := arrowtest.Variants(mem, given.facts), arrowtest.Variants(mem, given.versions)
			defer facts.Release()
			defer versions.Release()
			for i := range max(len(facts), len(versions)) {
				f, v := facts[i%len(facts)], versions[i%len(versions)]
				s.opts.Resources.Workers = 1 + i%3
				got := s.asOf(t, sides{f.Batches, v.Batches})
				if !slices.Equal(want.Rows, got.Rows) || !slices.Equal(want.Status, got.Status) || !reflect.DeepEqual(want.Report, got.Report) {
					t.Fatalf("facts %s, versions %s: %+v\nas given: %+v\n%v", f.Name, v.Name, got, want, s)
				}
				checkTaken(t, mem, got, v.Batches)
			}
			s.agree(t, given)
		})
	}
}

// checkTaken compares the right side of the left join, cell by cell.
func checkTaken(t *testing.T, mem memory.Allocator, m *join.Matches, versions []arrow.Record) {
	t.Helper()
	rec, err := m.Versions(t.Context(), mem)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	all, got := arrowtest.All(versions), arrowtest.Cells(rec)
	if len(got) != len(m.Rows) {
		t.Fatalf("%d rows beside %d facts", len(got), len(m.Rows))
	}
	for i, row := range m.Rows {
		want := make([]any, len(versions[0].Columns()))
		if row != join.NoMatch {
			want = all[row]
		}
		if w, g := arrowtest.FormatRow(want), arrowtest.FormatRow(got[i]); w != g {
			t.Fatalf("fact %d: %s, want %s", i, g, w)
		}
	}
}
