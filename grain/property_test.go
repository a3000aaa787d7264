package grain_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
)

// TestCheckProperties runs the properties of Check on random tables.
func TestCheckProperties(t *testing.T) { checkProperties(t) }

// TestCheckUnderOneHash runs them again while every hash is the same: a hash may only ever reject.
func TestCheckUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	checkProperties(t)
}

func checkProperties(t *testing.T) {
	for _, p := range properties {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { p.holds(newLab(t, drawn{t})) })
		})
	}
}

// TestCheckManyKeys compares reports on thousands of keys with the oracle's.
func TestCheckManyKeys(t *testing.T) {
	for seed, columns := range [][]string{{"k:int64"}, {"k:int32", "l:int16"}, {"k:string"}, {"k:uint8", "l:string", "m:float64"}, {"k:dict<int32,string>"}} {
		t.Run(strings.Join(columns, ","), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(seed), 1))
			l := &lab{t: t, src: random{rnd}, alloc: arrowtest.Allocator(t), columns: columns}
			for _, c := range columns {
				l.key = append(l.key, c[:1])
			}
			for range 20000 {
				n := rnd.IntN(9000)
				row := []any{n, n % 3, n % 7}[:len(columns)]
				for i, c := range columns {
					switch {
					case n%500 == i:
						row[i] = nil
					case strings.Contains(c, "string"):
						row[i] = fmt.Sprintf("a text that starts alike %d", n)
					case strings.Contains(c, "uint8"):
						row[i] = n % 200
					}
				}
				l.rows = append(l.rows, row)
			}
			l.batches = arrowtest.Batches(t, l.alloc, columns, l.rows[:7000], nil, l.rows[7000:7001], l.rows[7001:])
			for _, l.opts.Nulls = range []grain.Nulls{grain.NullsDistinct, grain.NullsEqual} {
				l.agree(l.batches)
			}
		})
	}
}

var properties = []struct {
	name  string
	holds func(l *lab)
}{
	{"oracle", func(l *lab) { l.agree(l.batches) }},
	{"forms", sameForAllForms},
	{"permutation", sameForAllOrders},
	{"once", uniqueOnce},
}

// drawn draws choices from rapid.
type drawn struct{ t *rapid.T }

func (d drawn) Choose(what string, n int) int { return rapid.IntRange(0, n-1).Draw(d.t, what) }

// spent takes choices from bytes; when they are used up, all are 0.
type spent struct{ bytes []byte }

func (s *spent) Choose(_ string, n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b) % n
}

// random takes choices from a random number generator.
type random struct{ *rand.Rand }

func (r random) Choose(_ string, n int) int { return r.IntN(n) }

// lab is one trial of a property: a random table and a call. What it makes is released when the trial ends.
type lab struct {
	t     arrowtest.TB
	src   oracle.Source
	alloc *memory.CheckedAllocator

	columns []string
	rows    [][]any
	batches []arrow.Record
	key     []string
	opts    grain.Options
}

// newLab makes a small table over few values, so that keys repeat.
func newLab(t arrowtest.TB, src oracle.Source) *lab {
	l := &lab{t: t, src: src, alloc: arrowtest.Allocator(t)}
	l.opts.Nulls = grain.Nulls(src.Choose("nulls", 2))
	l.opts.Worst = []int{0, 1, 2, -1}[src.Choose("worst", 4)]
	nulls := []int{0, 3, 10}[src.Choose("nulls there", 3)]

	var samples []oracle.Sample
	for i := range 1 + max(0, src.Choose("columns", 5)-2) {
		name := fmt.Sprint("key", i)
		sample := oracle.ChooseSample(src, name+" sample", false)
		samples = append(samples, sample.Narrow(src, name, 5))
		l.columns = append(l.columns, name+":"+sample.ChooseType(src, name))
		l.key = append(l.key, name)
	}
	l.columns = append(l.columns, "number:int32")
	for n := range src.Choose("rows", 16) {
		var row []any
		for i, s := range samples {
			row = append(row, s.ChooseCell(src, l.key[i], nulls))
		}
		l.rows = append(l.rows, append(row, n))
	}
	l.batches = arrowtest.Table(t, l.alloc, l.columns, l.rows)
	return l
}

func (l *lab) String() string {
	text := fmt.Sprintf("key %q options %+v columns %q\n", l.key, l.opts, l.columns)
	for i, r := range l.rows[:min(len(l.rows), 100)] {
		text += fmt.Sprintf("%4d %v\n", i, r)
	}
	return text
}

func (l *lab) check(batches []arrow.Record) *grain.Report {
	l.t.Helper()
	l.opts.Resources.Workers = 1 + l.src.Choose("workers", 4)
	r, err := grain.Check(context.Background(), batches, l.key, l.opts)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	return r
}

// agree compares a report on some form of the table with the oracle's.
func (l *lab) agree(batches []arrow.Record) {
	l.t.Helper()
	want, err := oracle.Check(l.batches, l.key, l.opts.Nulls)
	if err != nil {
		l.t.Fatalf("%v", err)
	}
	got := l.check(batches)
	l.checkErr(want, got)
	limit := l.opts.Worst
	if limit == 0 {
		limit = 20
	}
	want.Worst = want.Worst[:min(len(want.Worst), max(0, limit))]
	for i, k := range got.Worst {
		if len(k.Values) != len(l.key) {
			l.t.Errorf("worst key %d has %d values: %q", i, len(k.Values), k.Values)
		}
	}
	if d := cmp.Diff(plain(want), plain(got)); d != "" {
		l.t.Fatalf("report (-want +got): %s\n%v", d, l)
	}
}

// plain leaves out the texts of the values, and the difference between no list and an empty one.
func plain(r *grain.Report) grain.Report {
	p := *r
	p.Worst, p.Nulls = nil, append([]onerow.ColumnNulls(nil), r.Nulls...)
	for _, k := range r.Worst {
		k.Values = nil
		p.Worst = append(p.Worst, k)
	}
	return p
}

func (l *lab) checkErr(want, got *grain.Report) {
	l.t.Helper()
	err := got.Err()
	if (want.DuplicateKeys > 0) != errors.Is(err, onerow.ErrDuplicateKey) || want.DuplicateKeys == 0 && err != nil {
		l.t.Fatalf("%d keys repeat, Err is %v", want.DuplicateKeys, err)
	}
	var e *grain.DuplicateKeyError
	if err == nil {
		return
	}
	if !errors.As(err, &e) || e.Total != want.DuplicateKeys || !slices.Equal(e.Columns, l.key) {
		l.t.Fatalf("%d keys repeat, Err is %+v", want.DuplicateKeys, err)
	}
	for i, k := range e.Keys {
		if i >= onerow.MaxSampleKeys || i >= len(want.Worst) || k.Count != want.Worst[i].Count || !slices.Equal(k.Rows, want.Worst[i].Rows) {
			l.t.Fatalf("Err lists %+v, want the first of %+v", e.Keys, want.Worst)
		}
	}
}

// Cuts, encodings and offsets change nothing.
func sameForAllForms(l *lab) {
	forms := arrowtest.Variants(l.alloc, l.batches)
	defer forms.Release()
	for range 5 {
		v := forms[l.src.Choose("form", len(forms))]
		l.agree(v.Batches)
	}
}

// The order of the rows changes no count.
func sameForAllOrders(l *lab) {
	rows := slices.Clone(l.rows)
	for i := len(rows) - 1; i > 0; i-- {
		j := l.src.Choose("place", i+1)
		rows[i], rows[j] = rows[j], rows[i]
	}
	a, b := counts(l.check(l.batches)), counts(l.check(arrowtest.Table(l.t, l.alloc, l.columns, rows)))
	if d := cmp.Diff(a, b); d != "" {
		l.t.Fatalf("counts depend on the order of the rows: %s\n%v", d, l)
	}
}

// counts leaves what names rows out of a report.
func counts(r *grain.Report) grain.Report {
	p := *r
	p.Worst, p.Nulls = nil, nil
	for _, n := range r.Nulls {
		p.Nulls = append(p.Nulls, onerow.ColumnNulls{Column: n.Column, Rows: n.Rows})
	}
	for _, k := range r.Worst {
		p.Worst = append(p.Worst, onerow.KeyRows{Count: k.Count})
	}
	return p
}

// A table that is given twice has every keyed row twice.
func uniqueOnce(l *lab) {
	once := l.check(l.batches)
	twice := l.check(append(slices.Clone(l.batches), l.batches...))
	want := *once
	want.Rows, want.NullKeyRows, want.MaxCopies = 2*once.Rows, 2*once.NullKeyRows, 2*once.MaxCopies
	want.DuplicateKeys, want.DuplicateRows = once.Keys, 2*once.DuplicateRows+once.Keys
	want.Worst, want.Nulls, twice.Worst, twice.Nulls = nil, nil, nil, nil
	if d := cmp.Diff(want, *twice); d != "" {
		l.t.Fatalf("given twice: %s\n%v", d, l)
	}
}
