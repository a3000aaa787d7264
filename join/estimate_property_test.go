package join_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/join"
)

// TestEstimateProperties runs the properties of Estimate and Split on random tables.
func TestEstimateProperties(t *testing.T) { estimateProperties(t) }

// TestEstimateUnderOneHash runs them again while every hash is the same: a hash may only ever reject.
func TestEstimateUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	estimateProperties(t)
}

func estimateProperties(t *testing.T) {
	for _, p := range []struct {
		name  string
		holds func(l *pairLab)
	}{
		{"oracle", func(l *pairLab) { l.agree(l.sides) }},
		{"forms", sameSizeForAllForms},
		{"permutation", sameSizeForAllOrders},
		{"swapped", mirroredWhenSwapped},
		{"doubled", doubled},
	} {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { p.holds(newPairLab(t, drawnPairs{t})) })
		})
	}
}

// drawnPairs draws choices from rapid.
type drawnPairs struct{ t *rapid.T }

func (d drawnPairs) Choose(what string, n int) int { return rapid.IntRange(0, n-1).Draw(d.t, what) }

// spentPairs takes choices from bytes; when they are used up, all are 0.
type spentPairs struct{ bytes []byte }

func (s *spentPairs) Choose(_ string, n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b) % n
}

// pairLab is one trial of a property: two random tables and a call. What it makes is released when the trial ends.
type pairLab struct {
	t     arrowtest.TB
	src   oracle.Source
	alloc *memory.CheckedAllocator

	on      join.Key
	opts    join.Options
	columns [2][]string
	rows    [2][][]any
	sides   [2][]arrow.Record
}

// newPairLab makes small tables over few values, so that keys repeat and meet.
func newPairLab(t arrowtest.TB, src oracle.Source) *pairLab {
	l := &pairLab{t: t, src: src, alloc: arrowtest.Allocator(t)}
	l.opts.Nulls = join.Nulls(src.Choose("nulls", 2))
	l.opts.Worst = []int{0, 1, 2, -1}[src.Choose("worst", 4)]
	nulls := []int{0, 3, 10}[src.Choose("nulls there", 3)]
	var samples []oracle.Sample
	for i := range 1 + max(0, src.Choose("columns", 5)-2) {
		names := [2]string{fmt.Sprint("key", i), fmt.Sprint([]string{"key", "ref"}[src.Choose("other name", 2)], i)}
		sample := oracle.ChooseSample(src, names[0]+" sample", false)
		samples = append(samples, sample.Narrow(src, names[0], 5))
		for side, name := range names {
			l.columns[side] = append(l.columns[side], name+":"+sample.ChooseType(src, name))
		}
		l.on = l.on.And(names[0], names[1])
	}
	switch src.Choose("placeholders", 4) {
	case 1:
		l.opts.Placeholders = []onerow.Value{}
	case 2:
		l.opts.Placeholders = l.givenPlaceholders()
	}
	for side := range l.sides {
		l.columns[side] = append(l.columns[side], "number:int32")
		for n := range src.Choose("rows", 12) {
			var row []any
			for i, s := range samples {
				row = append(row, s.ChooseCell(src, l.on.Left[i], nulls))
			}
			l.rows[side] = append(l.rows[side], append(row, n))
		}
		l.sides[side] = arrowtest.Table(t, l.alloc, l.columns[side], l.rows[side])
	}
	return l
}

// fitting are values of columns by the start of the type's name, some of which the samples hold.
var fitting = map[string][]onerow.Value{"int": {0, 7, -1}, "uint": {0, 1, 127}, "string": {"", "a", "b"}, "float": {0.0, 1.5, math.NaN()}, "binary": {[]byte{0xff}, []byte{}},
	"date": {"1970-01-01", "2026-01-31"}, "bool": {true, false}, "decimal": {"0", "10"}, "timestamp[s]": {"1970-01-01T00:00:00"}, "duration": {"0", "5s", -5 * time.Second}}

// fit chooses a value that a key column can hold, or "a", which some can't.
func (l *pairLab) fit(i int) onerow.Value {
	_, typ, _ := strings.Cut(l.columns[0][i], ":")
	for prefix, values := range fitting {
		if strings.HasPrefix(typ, prefix) {
			return values[l.src.Choose("value", len(values))]
		}
	}
	return "a"
}

// givenPlaceholders are one or two values.
func (l *pairLab) givenPlaceholders() (out []onerow.Value) {
	for range 1 + l.src.Choose("second placeholder", 2) {
		out = append(out, l.fit(l.src.Choose("placeholder's column", len(l.on.Left))))
	}
	return out
}

func (l *pairLab) String() string {
	text := fmt.Sprintf("on %v options %+v\n", l.on, l.opts)
	for side, rows := range l.rows {
		text += fmt.Sprintf("%q\n", l.columns[side])
		for i, r := range rows {
			text += fmt.Sprintf("%4d %v\n", i, r)
		}
	}
	return text
}

// estimate makes the call; the error, which both must have, is nil or of a placeholder that nothing holds.
func (l *pairLab) estimate(sides [2][]arrow.Record, on join.Key) (*join.Size, bool) {
	l.t.Helper()
	l.opts.Resources.Workers = 1 + l.src.Choose("workers", 4)
	s, err := join.Estimate(context.Background(), sides[0], sides[1], on, l.opts)
	if errors.Is(err, onerow.ErrType) && len(l.opts.Placeholders) > 0 {
		return nil, false
	}
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	return s, true
}

// agree compares the size of some form of the tables with the oracle's.
func (l *pairLab) agree(sides [2][]arrow.Record) {
	l.t.Helper()
	want, err := oracle.Estimate(l.sides[0], l.sides[1], l.on, l.opts)
	got, ok := l.estimate(sides, l.on)
	switch {
	case !ok: // the oracle holds some values that no cell equals, such as bytes of another width
		return
	case err != nil:
		l.t.Fatalf("the oracle says %v\n%v", err, l)
	}
	limit := l.opts.Worst
	if limit == 0 {
		limit = join.DefaultWorst
	}
	want.Worst = want.Worst[:min(len(want.Worst), max(0, limit))]
	for _, m := range slices.Concat(got.Worst, got.Left.Repeats, got.Right.Repeats, got.Placeholders.Keys) {
		if len(m.Values) != len(l.on.Left) {
			l.t.Errorf("a key has the values %q", m.Values)
		}
	}
	if d := cmp.Diff(want, got, plainSize...); d != "" {
		l.t.Fatalf("size (-want +got): %s\n%v", d, l)
	}
	l.checkGuards(got)
}

// plainSize leaves out the texts of the values, and the difference between no list and an empty one.
var plainSize = []cmp.Option{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(join.KeySize{}, "Values"), cmp.Comparer(func(a, b join.Count) bool { return a == b })}

// checkGuards asks for each relationship: it holds exactly when no key repeats on a side where it must not.
func (l *pairLab) checkGuards(s *join.Size) {
	l.t.Helper()
	left, right := s.Left.RepeatedKeys > 0, s.Right.RepeatedKeys > 0
	for r, bad := range map[join.Relationship]bool{join.None: s.MatchedKeys > 0, join.OneToOne: left || right, join.OneToMany: left,
		join.ManyToOne: right, join.ManyToMany: false} {
		if err := s.Require(r); bad != errors.Is(err, onerow.ErrRelationship) || !bad && err != nil {
			l.t.Fatalf("Require(%v) of %v: %v\n%v", r, s.Relationship, err, l)
		}
	}
	for _, factor := range []float64{1, 1.5, 2} {
		grows := s.Rows.Left.Float64() > factor*float64(s.Left.Rows)
		if err := s.MaxGrowth(factor); grows != errors.Is(err, onerow.ErrGrowth) || !grows && err != nil {
			l.t.Fatalf("MaxGrowth(%v) of %v rows: %v\n%v", factor, s.Rows.Left, err, l)
		}
	}
}

// Cuts, encodings and offsets change nothing.
func sameSizeForAllForms(l *pairLab) {
	lefts, rights := arrowtest.Variants(l.alloc, l.sides[0]), arrowtest.Variants(l.alloc, l.sides[1])
	defer lefts.Release()
	defer rights.Release()
	for range 4 {
		l.agree([2][]arrow.Record{lefts[l.src.Choose("left form", len(lefts))].Batches, rights[l.src.Choose("right form", len(rights))].Batches})
	}
}

// sizeCounts leaves what names rows or keys out of a size.
func sizeCounts(s *join.Size) join.Size {
	c := *s
	c.Worst, c.Left.Repeats, c.Right.Repeats, c.Placeholders.Keys = nil, nil, nil, nil
	for _, side := range []*join.Side{&c.Left, &c.Right} {
		side.Nulls = slices.Clone(side.Nulls)
		for i := range side.Nulls {
			side.Nulls[i].First = 0
		}
	}
	for _, m := range s.Worst {
		c.Worst = append(c.Worst, join.KeySize{Inner: m.Inner})
	}
	return c
}

// The order of the rows changes no count.
func sameSizeForAllOrders(l *pairLab) {
	var other [2][]arrow.Record
	for side := range l.sides {
		rows := slices.Clone(l.rows[side])
		for i := len(rows) - 1; i > 0; i-- {
			j := l.src.Choose("place", i+1)
			rows[i], rows[j] = rows[j], rows[i]
		}
		other[side] = arrowtest.Table(l.t, l.alloc, l.columns[side], rows)
	}
	a, ok := l.estimate(l.sides, l.on)
	if !ok {
		return
	}
	b, _ := l.estimate(other, l.on)
	if d := cmp.Diff(sizeCounts(a), sizeCounts(b), plainSize...); d != "" {
		l.t.Fatalf("counts depend on the order of the rows: %s\n%v", d, l)
	}
}

// Swapped sides give the mirrored size.
func mirroredWhenSwapped(l *pairLab) {
	a, ok := l.estimate(l.sides, l.on)
	if !ok {
		return
	}
	b, _ := l.estimate([2][]arrow.Record{l.sides[1], l.sides[0]}, join.Key{Left: l.on.Right, Right: l.on.Left})
	want, got := sizeCounts(a), sizeCounts(b)
	got.On, got.Left, got.Right = want.On, got.Right, got.Left
	got.Placeholders.Left, got.Placeholders.Right = got.Placeholders.Right, got.Placeholders.Left
	r := got.Rows
	got.Rows = join.Sizes{Inner: r.Inner, Left: r.Right, Right: r.Left, Full: r.Full, LeftSemi: r.RightSemi, LeftAnti: r.RightAnti, RightSemi: r.LeftSemi, RightAnti: r.LeftAnti}
	switch got.Relationship {
	case join.OneToMany:
		got.Relationship = join.ManyToOne
	case join.ManyToOne:
		got.Relationship = join.OneToMany
	}
	if d := cmp.Diff(want, got, plainSize...); d != "" {
		l.t.Fatalf("swapped (-want +got): %s\n%v", d, l)
	}
}

// A left side that is given twice makes twice the inner and left rows.
func doubled(l *pairLab) {
	once, ok := l.estimate(l.sides, l.on)
	if !ok {
		return
	}
	twice, _ := l.estimate([2][]arrow.Record{slices.Concat(l.sides[0], l.sides[0]), l.sides[1]}, l.on)
	if a, b := 2*once.Rows.Inner.Float64(), twice.Rows.Inner.Float64(); a != b {
		l.t.Fatalf("inner %v, then %v\n%v", a, b, l)
	}
	if a, b := 2*once.Rows.Left.Float64(), twice.Rows.Left.Float64(); a != b || once.Rows.RightSemi != twice.Rows.RightSemi || twice.Left.Keys != once.Left.Keys {
		l.t.Fatalf("left %v, then %v\n%v", a, b, l)
	}
}

// FuzzEstimate makes small tables and a call of the bytes, and compares the answer with the oracle's.
func FuzzEstimate(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		choices := make([]byte, 160)
		for i := range choices {
			choices[i] = byte(rnd.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		l := newPairLab(t, &spentPairs{choices})
		l.agree(l.sides)
		mirroredWhenSwapped(l)
	})
}
