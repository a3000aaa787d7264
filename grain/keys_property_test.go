package grain_test

import (
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

// keysLab is one trial of a property of Keys: a random table and a call.
type keysLab struct {
	t     arrowtest.TB
	src   oracle.Source
	alloc *memory.CheckedAllocator

	columns []string
	rows    [][]any
	batches []arrow.Record
	opts    grain.KeysOptions
}

// newKeysLab makes a small table of several columns, each of few values or of many.
func newKeysLab(t arrowtest.TB, src oracle.Source) *keysLab {
	l := &keysLab{t: t, src: src, alloc: arrowtest.Allocator(t)}
	l.opts.Nulls = grain.Nulls(src.Choose("nulls", 2))
	l.opts.MaxColumns = src.Choose("max columns", 7)
	l.opts.NearShare = []float64{0, 0.05, 0.2, 0.45}[src.Choose("near share", 4)]
	l.opts.MaxNear = []int{1000, 1, -1, 0}[src.Choose("max near", 4)]
	l.opts.Worst = src.Choose("worst", 3) - 1
	nulls := []int{0, 3, 20}[src.Choose("nulls there", 3)]

	type column struct {
		sample oracle.Sample
		values int // 0: those of the sample, else numbers
	}
	var all []column
	for i := range src.Choose("columns", 8) {
		name := fmt.Sprint("c", i)
		c := column{sample: oracle.ChooseSample(src, name, false), values: []int{0, 2, 3, 5, 40}[src.Choose("values", 5)]}
		typ := c.sample.ChooseType(src, name)
		if c.values > 0 {
			typ = []string{"int64", "int8", "float64", "dict<int8,int32>"}[src.Choose("number type", 4)]
		}
		all = append(all, c)
		l.columns = append(l.columns, name+":"+typ)
	}
	l.columns = append(l.columns, "m:map<string,int8>")
	for range src.Choose("rows", 25) {
		var row []any
		for i, c := range all {
			cell := c.sample.ChooseCell(src, fmt.Sprint("c", i), nulls)
			if cell != nil && c.values > 0 {
				cell = src.Choose("number", c.values)
			}
			row = append(row, cell)
		}
		l.rows = append(l.rows, append(row, nil))
	}
	l.batches = arrowtest.Table(t, l.alloc, l.columns, l.rows)
	return l
}

func (l *keysLab) String() string {
	text := fmt.Sprintf("options %+v columns %q\n", l.opts, l.columns)
	for i, r := range l.rows[:min(len(l.rows), 50)] {
		text += fmt.Sprintf("%4d %v\n", i, r)
	}
	return text
}

func (l *keysLab) call(batches []arrow.Record) *grain.KeysReport {
	l.t.Helper()
	l.opts.Resources.Workers = 1 + l.src.Choose("workers", 4)
	r, err := grain.Keys(context.Background(), batches, l.opts)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	return r
}

// agree compares a report on some form of the table with the oracle's.
func (l *keysLab) agree(batches []arrow.Record) {
	l.t.Helper()
	want, err := oracle.Keys(l.batches, l.opts)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	limit := l.opts.MaxNear
	if limit == 0 {
		limit = grain.DefaultMaxNear
	}
	want.Near = want.Near[:min(len(want.Near), max(0, limit))]
	got := l.call(batches)
	for _, n := range got.Near {
		r, err := grain.Check(context.Background(), batches, n.Columns, grain.Options{Nulls: l.opts.Nulls, Worst: l.opts.Worst})
		if err != nil || !cmp.Equal(r, n.Report) || n.Violations != r.Rows-r.Keys {
			l.t.Fatalf("near-key %q: %+v, %v: want %+v\n%v", n.Columns, n.Report, err, r, l)
		}
	}
	if d := cmp.Diff(plainKeys(want), plainKeys(got)); d != "" {
		l.t.Fatalf("report (-want +got): %s\n%v", d, l)
	}
}

// plainKeys leaves out the reports, and the difference between no list and an empty one.
func plainKeys(r *grain.KeysReport) grain.KeysReport {
	p := *r
	p.Keys, p.Near, p.Columns = append([][]string(nil), r.Keys...), append([]grain.NearKey(nil), r.Near...), append([]grain.KeyColumn(nil), r.Columns...)
	for i := range p.Near {
		p.Near[i].Report = nil
	}
	return p
}

// Cuts, encodings and offsets change nothing.
func (l *keysLab) sameForAllForms() {
	forms := arrowtest.Variants(l.alloc, l.batches)
	defer forms.Release()
	for range 2 {
		l.agree(forms[l.src.Choose("form", len(forms))].Batches)
	}
}

// The order of the rows changes nothing but the rows that are listed.
func (l *keysLab) sameForAllOrders() {
	rows := slices.Clone(l.rows)
	for i := len(rows) - 1; i > 0; i-- {
		j := l.src.Choose("place", i+1)
		rows[i], rows[j] = rows[j], rows[i]
	}
	a, b := plainKeys(l.call(l.batches)), plainKeys(l.call(arrowtest.Table(l.t, l.alloc, l.columns, rows)))
	if d := cmp.Diff(a, b); d != "" {
		l.t.Fatalf("keys depend on the order of the rows: %s\n%v", d, l)
	}
}

func TestKeysProperties(t *testing.T) { keysProperties(t) }

// TestKeysUnderOneHash runs them again while every hash is the same.
func TestKeysUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	keysProperties(t)
}

func keysProperties(t *testing.T) {
	for name, holds := range map[string]func(*keysLab){
		"oracle":      func(l *keysLab) { l.agree(l.batches) },
		"forms":       (*keysLab).sameForAllForms,
		"permutation": (*keysLab).sameForAllOrders,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { holds(newKeysLab(t, drawn{t})) })
		})
	}
}

// FuzzKeys makes a small table and a call of the bytes, and compares the answer with the oracle's.
func FuzzKeys(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		choices := make([]byte, 200)
		for i := range choices {
			choices[i] = byte(rnd.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		l := newKeysLab(t, &spent{choices})
		l.agree(l.batches)
		l.sameForAllOrders()
	})
}

// TestKeysLarge compares reports on tables of some thousand rows with the oracle's.
func TestKeysLarge(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 9))
			l := &keysLab{t: t, src: random{rnd}, alloc: arrowtest.Allocator(t)}
			l.opts = grain.KeysOptions{Nulls: grain.Nulls(seed % 2), NearShare: []float64{0.002, 0.01, 0.05}[seed%3], MaxNear: []int{1000, 5, 2, 1}[seed]}
			values := []int{2, 10, 40, 200, 900, 60}
			for i := range values {
				l.columns = append(l.columns, fmt.Sprintf("c%d:int64", i))
			}
			for range 1500 {
				var row []any
				for i, n := range values {
					row = append(row, rnd.IntN(n))
					if i == 4 && rnd.IntN(500) == 0 {
						row[i] = nil
					}
				}
				if rnd.IntN(400) == 0 && len(l.rows) > 0 {
					row = slices.Clone(l.rows[rnd.IntN(len(l.rows))])
				}
				l.rows = append(l.rows, row)
			}
			l.batches = arrowtest.Batches(t, l.alloc, l.columns, l.rows[:500], l.rows[500:])
			l.agree(l.batches)
		})
	}
}
