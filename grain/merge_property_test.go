package grain_test

import (
	cmpor "cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
)

// mergeLab is one trial of a property of MergeConflicts: two random tables and a call.
type mergeLab struct {
	t     arrowtest.TB
	src   oracle.Source
	alloc *memory.CheckedAllocator

	columns [2][]string
	rows    [2][][]any
	batches [2][]arrow.Record
	on      []string
	opts    grain.MergeOptions
}

// newMergeLab makes two small tables over few values, whose columns may differ in type and place.
func newMergeLab(t arrowtest.TB, src oracle.Source) *mergeLab {
	l := &mergeLab{t: t, src: src, alloc: arrowtest.Allocator(t)}
	l.opts.Nulls = grain.Nulls(src.Choose("nulls", 2))
	l.opts.Worst = []int{0, 1, 2, -1}[src.Choose("worst", 4)]
	nulls := []int{0, 3, 10}[src.Choose("nulls there", 3)]

	var samples []oracle.Sample
	var names []string
	column := func(name string) {
		s := oracle.ChooseSample(src, name, false).Narrow(src, name, 3)
		samples = append(samples, s)
		names = append(names, name)
		for side := range l.columns {
			l.columns[side] = append(l.columns[side], name+":"+s.ChooseType(src, name))
		}
	}
	for i := range 1 + src.Choose("keys", 2) {
		l.on = append(l.on, fmt.Sprint("key", i))
		column(l.on[i])
	}
	for i := range src.Choose("acts", 3) {
		l.opts.Acts = append(l.opts.Acts, fmt.Sprint("act", i))
		column(l.opts.Acts[i])
	}
	if src.Choose("a key acts", 6) == 5 {
		l.opts.Acts = append(l.opts.Acts, l.on[0])
	}
	for side := range l.rows {
		for range src.Choose("rows", 12) {
			var row []any
			for i, s := range samples {
				row = append(row, s.ChooseCell(src, names[i], nulls))
			}
			l.rows[side] = append(l.rows[side], row)
		}
		l.batches[side] = arrowtest.Table(t, l.alloc, l.columns[side], l.rows[side])
	}
	if src.Choose("turned", 2) == 1 {
		l.turn()
	}
	if src.Choose("renamed", 2) == 1 { // two columns of the source change their names
		last := names[len(names)-1]
		l.opts.SourceNames = map[string]string{names[0]: last, last: "other"}
	}
	return l
}

// turn puts the source's columns into another order.
func (l *mergeLab) turn() {
	slices.Reverse(l.columns[1])
	for _, r := range l.rows[1] {
		slices.Reverse(r)
	}
	l.batches[1] = arrowtest.Table(l.t, l.alloc, l.columns[1], l.rows[1])
}

func (l *mergeLab) String() string {
	text := fmt.Sprintf("on %q options %+v\n", l.on, l.opts)
	for side, name := range []string{"target", "source"} {
		text += fmt.Sprintf("%s %q\n", name, l.columns[side])
		for i, r := range l.rows[side][:min(len(l.rows[side]), 50)] {
			text += fmt.Sprintf("%4d %v\n", i, r)
		}
	}
	return text
}

func (l *mergeLab) call(target, source []arrow.Record) *grain.MergeReport {
	l.t.Helper()
	l.opts.Resources.Workers = 1 + l.src.Choose("workers", 4)
	source = renamed(source, l.opts.SourceNames)
	defer arrowtest.Release(source)
	r, err := grain.MergeConflicts(context.Background(), target, source, l.on, l.opts)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	return r
}

// agree compares a report on some forms of the tables with the oracle's.
func (l *mergeLab) agree(target, source []arrow.Record) {
	l.t.Helper()
	want, err := oracle.MergeConflicts(l.batches[0], l.batches[1], l.on, l.opts)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	want.SourceNames = l.opts.SourceNames
	for i, n := range want.Nulls {
		want.Nulls[i].Column = cmpor.Or(l.opts.SourceNames[n.Column], n.Column)
	}
	limit := max(0, l.opts.Worst)
	if l.opts.Worst == 0 {
		limit = grain.DefaultWorst
	}
	want.WorstConflicts = want.WorstConflicts[:min(len(want.WorstConflicts), limit)]
	want.WorstDuplicates = want.WorstDuplicates[:min(len(want.WorstDuplicates), limit)]
	got := l.call(target, source)
	if d := cmp.Diff(plainMerge(want), plainMerge(got)); d != "" {
		l.t.Fatalf("report (-want +got): %s\n%v", d, l)
	}
	if (got.Err() == nil) != (want.Err() == nil) {
		l.t.Fatalf("Err is %v, want %v", got.Err(), want.Err())
	}
}

// plainMerge leaves out the texts of the values, and the difference between no list and an empty one.
func plainMerge(r *grain.MergeReport) grain.MergeReport {
	p := *r
	p.WorstConflicts, p.WorstDuplicates = slices.Clone(r.WorstConflicts), slices.Clone(r.WorstDuplicates)
	for i := range p.WorstConflicts {
		p.WorstConflicts[i].Values = nil
	}
	for i := range p.WorstDuplicates {
		p.WorstDuplicates[i].Values = nil
	}
	if len(p.WorstConflicts) == 0 {
		p.WorstConflicts = nil
	}
	if len(p.WorstDuplicates) == 0 {
		p.WorstDuplicates = nil
	}
	return p
}

// Cuts, encodings and offsets of either side change nothing.
func (l *mergeLab) sameForAllForms() {
	targets, sources := arrowtest.Variants(l.alloc, l.batches[0]), arrowtest.Variants(l.alloc, l.batches[1])
	defer targets.Release()
	defer sources.Release()
	for range 4 {
		l.agree(targets[l.src.Choose("target form", len(targets))].Batches, sources[l.src.Choose("source form", len(sources))].Batches)
	}
}

// The order of the rows changes no count.
func (l *mergeLab) sameForAllOrders() {
	var shuffled [2][]arrow.Record
	for side, rows := range l.rows {
		rows = slices.Clone(rows)
		for i := len(rows) - 1; i > 0; i-- {
			j := l.src.Choose("place", i+1)
			rows[i], rows[j] = rows[j], rows[i]
		}
		shuffled[side] = arrowtest.Table(l.t, l.alloc, l.columns[side], rows)
	}
	a, b := mergeCounts(l.call(l.batches[0], l.batches[1])), mergeCounts(l.call(shuffled[0], shuffled[1]))
	if d := cmp.Diff(a, b); d != "" {
		l.t.Fatalf("counts depend on the order of the rows: %s\n%v", d, l)
	}
}

func mergeCounts(r *grain.MergeReport) grain.MergeReport {
	p := *r
	p.WorstConflicts, p.WorstDuplicates, p.Nulls = nil, nil, nil
	return p
}

func TestMergeConflictsProperties(t *testing.T) { mergeProperties(t) }

// TestMergeConflictsUnderOneHash runs them again while every hash is the same.
func TestMergeConflictsUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	mergeProperties(t)
}

func mergeProperties(t *testing.T) {
	for name, holds := range map[string]func(*mergeLab){
		"oracle":      func(l *mergeLab) { l.agree(l.batches[0], l.batches[1]) },
		"forms":       (*mergeLab).sameForAllForms,
		"permutation": (*mergeLab).sameForAllOrders,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { holds(newMergeLab(t, drawn{t})) })
		})
	}
}

// FuzzMergeConflicts makes two small tables and a call of the bytes, and compares the answer with the oracle's.
func FuzzMergeConflicts(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		choices := make([]byte, 150)
		for i := range choices {
			choices[i] = byte(rnd.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		l := newMergeLab(t, &spent{choices})
		l.agree(l.batches[0], l.batches[1])
		l.sameForAllOrders()
	})
}

// TestMergeConflictsLarge compares reports on many thousand keys, over several partitions and workers, with the oracle's.
func TestMergeConflictsLarge(t *testing.T) {
	for name, keys := range map[string]int{"many keys": 30_000, "some keys": 900} {
		for _, columns := range [][]string{{"k:int64", "v:int8"}, {"k:string", "v:string"}, {"k:int32", "l:int16", "v:float64"}} {
			t.Run(name+"/"+fmt.Sprint(columns), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(uint64(keys), uint64(len(columns))))
				l := &mergeLab{t: t, src: random{rnd}, alloc: arrowtest.Allocator(t)}
				for side, n := range []int{40_000, 9_000} {
					l.columns[side] = columns
					for range n {
						k := rnd.IntN(keys)
						row := []any{k, k % 3, rnd.IntN(3)}
						if columns[0] == "k:string" {
							row = []any{longText(k), longText(rnd.IntN(3))}
						} else if len(columns) == 2 {
							row = []any{k, rnd.IntN(3)}
						}
						if k%300 == 0 {
							row[0] = nil
						}
						l.rows[side] = append(l.rows[side], row)
					}
					l.batches[side] = arrowtest.Batches(t, l.alloc, columns, l.rows[side][:n/3], nil, l.rows[side][n/3:])
				}
				l.on = []string{"k", "l"}[:len(columns)-1]
				for i := range 4 {
					l.opts.Nulls, l.opts.Acts = grain.Nulls(i%2), []string{"v"}[:i/2]
					l.agree(l.batches[0], l.batches[1])
				}
			})
		}
	}
}
