package grain_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
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

// diagnoseLab is one trial of a property of Diagnose: a random table and a call.
type diagnoseLab struct {
	t     arrowtest.TB
	src   oracle.Source
	alloc *memory.CheckedAllocator

	columns []string
	rows    [][]any
	batches []arrow.Record
	key     []string
	opts    grain.DiagnoseOptions
}

// diagnoseKeys and diagnoseOthers are columns that causes speak of, beside any others.
var (
	diagnoseKeys = []oracle.Sample{
		{Types: []string{"string", "dict<int8,string>", "ree<string>", "large_string"},
			Cells: []any{"a", "A ", "straße", "STRASSE", "caf\u00e9", "CAFE\u0301", "b", "n/a", "N/A", "", "\u212a", "k", map[string]any{"x": "ff"}, " "}},
		{Types: []string{"string"}, Cells: []any{"a", "A", "b", "B"}},
		{Types: []string{"int64", "int16", "dict<int8,int64>"}, Cells: []any{7, 8, 0, -1, 999, 9}},
		{Types: []string{"float64"}, Cells: []any{1.5, 0.0, map[string]any{"f": "-0"}, -1.0, map[string]any{"f": "NaN"}, 999.0}},
		{Types: []string{"date32", "timestamp[s]"}, Cells: []any{0, 1, 2932896}},
		{Types: []string{"binary", "fsb(2)"}, Cells: []any{map[string]any{"x": "0000"}, map[string]any{"x": "0001"}}},
	}
	diagnoseOthers = []oracle.Sample{
		{Types: []string{"timestamp[us]", "timestamp[s]", "dict<int8,timestamp[us]>"},
			Cells: []any{"2026-01-01T00:00:00", "2026-01-02T00:00:00", "2026-01-03T12:00:00", "2026-01-04T00:00:00", "9999-12-31T23:59:59"}},
		{Types: []string{"timestamp[us,UTC]"}, Cells: []any{"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "9999-12-31T00:00:00Z"}},
		{Types: []string{"date32", "date64"}, Cells: []any{"2026-01-01", "2026-01-02", "2026-01-03", "9999-12-31"}},
		{Types: []string{"int8", "uint64", "dict<int8,int32>"}, Cells: []any{1, 2, 3}},
		{Types: []string{"string", "ree<string>"}, Cells: []any{"x", "y", "z"}},
		{Types: []string{"bool"}, Cells: []any{true, false}},
		{Types: []string{"decimal(8,2)", "float64", "duration[s]"}, Cells: []any{1, 2, 3}},
	}
)

func newDiagnoseLab(t arrowtest.TB, src oracle.Source) *diagnoseLab {
	l := &diagnoseLab{t: t, src: src, alloc: arrowtest.Allocator(t)}
	var samples []oracle.Sample
	var nulls []int
	column := func(name string, from []oracle.Sample, often int) {
		s := from[src.Choose(name+" sample", len(from))]
		if src.Choose(name+" any", 8) == 7 {
			s = oracle.ChooseSample(src, name, false)
		}
		s = s.Narrow(src, name, 6)
		samples, nulls = append(samples, s), append(nulls, often)
		l.columns = append(l.columns, name+":"+s.ChooseType(src, name))
	}
	for i := range 1 + max(0, src.Choose("keys", 4)-2) {
		l.key = append(l.key, fmt.Sprint("key", i))
		column(l.key[i], diagnoseKeys, []int{0, 8}[src.Choose("NULL in keys", 2)])
	}
	var others []string
	for i := range src.Choose("others", 6) {
		others = append(others, fmt.Sprint("other", i))
		column(others[i], diagnoseOthers, []int{0, 0, 4}[src.Choose("NULL in others", 3)])
	}
	for range src.Choose("rows", 14) {
		row := make([]any, len(samples))
		same := len(l.rows) > 0 && src.Choose("like the row before", 3) > 0
		for i, s := range samples {
			if same && src.Choose("another cell", 4) > 0 {
				row[i] = l.rows[len(l.rows)-1][i]
			} else {
				row[i] = s.ChooseCell(src, l.columns[i], nulls[i])
			}
		}
		l.rows = append(l.rows, row)
	}
	if src.Choose("versions", 3) == 2 {
		l.addVersions()
	}
	l.chooseOptions(others)
	cut := src.Choose("cut", len(l.rows)+1)
	l.batches = arrowtest.Batches(t, l.alloc, l.columns, l.rows[:cut], l.rows[cut:])
	return l
}

// addVersions makes the rows of one key, and perhaps of the others, follow each other by two date columns at the end.
func (l *diagnoseLab) addVersions() {
	typ := []string{"date32", "timestamp[us]", "timestamp[s,UTC]"}[l.src.Choose("versions' type", 3)]
	l.columns = append(l.columns, "start:"+typ, "end:"+typ)
	at := func(day int) any {
		switch typ {
		case "date32":
			return day
		case "timestamp[us]":
			return int64(day) * 86_400_000_000
		}
		return day * 86_400
	}
	day := map[string]int{}
	for i, row := range l.rows {
		key := fmt.Sprint(row[:len(l.key)])
		from := day[key] + l.src.Choose("gap", 4)/3
		day[key] = from + 1 + l.src.Choose("length", 2)
		end := at(day[key])
		switch {
		case l.src.Choose("broken", 12) == 11:
			end = at(from - l.src.Choose("by", 2))
		case i == len(l.rows)-1:
			end = []any{nil, at(2_932_896)}[l.src.Choose("open", 2)]
		}
		l.rows[i] = append(row, at(from), end)
	}
}

func (l *diagnoseLab) chooseOptions(others []string) {
	var load []string
	for _, o := range others {
		if l.src.Choose("load "+o, 2) == 1 {
			load = append(load, o)
		}
	}
	if l.src.Choose("load given", 5) == 4 {
		l.opts.Load = append([]string{}, load...)
	}
	if len(l.columns) > len(l.key)+len(others) && l.src.Choose("range given", 5) == 4 {
		l.opts.ValidFrom, l.opts.ValidTo = "start", "end"
	}
	if l.src.Choose("placeholders given", 5) == 4 {
		l.opts.Placeholders = [][]onerow.Value{{}, {7}, {"a", "b"}, {"n/a", 7}, {9, "A "}}[l.src.Choose("which", 5)]
	}
	l.opts.Samples = []int{0, 1, -1}[l.src.Choose("samples", 3)]
	l.opts.Resources.Workers = 1 + l.src.Choose("workers", 3)
}

// agree compares the diagnosis of some batches with the oracle's.
func (l *diagnoseLab) agree(batches []arrow.Record, what string) *grain.Diagnosis {
	l.t.Helper()
	want, wantErr := oracle.Diagnose(batches, l.key, l.opts)
	got, err := grain.Diagnose(context.Background(), batches, l.key, l.opts)
	if (err == nil) != (wantErr == nil) || err != nil && !errors.Is(err, sentinelOf(wantErr)) {
		l.t.Fatalf("%s: error %v, want %v", what, err, wantErr)
	}
	if err != nil {
		return nil
	}
	bare := *got
	bare.Causes = []grain.Finding{}
	for _, f := range got.Causes {
		if n := map[int]int64{0: grain.DefaultSamples, 1: 1, -1: 0}[l.opts.Samples]; int64(len(f.Samples)) != min(n, f.Keys) {
			l.t.Fatalf("%s: %v has %d samples of %d keys", what, f.Cause, len(f.Samples), f.Keys)
		}
		f.Samples, f.Remedy, f.Rows = nil, "", 0
		bare.Causes = append(bare.Causes, f)
	}
	if d := cmp.Diff(want, &bare); d != "" {
		l.t.Fatalf("%s: columns %q key %q options %+v rows %v (-want +got):\n%s", what, l.columns, l.key, l.opts, l.rows, d)
	}
	l.explained(batches, got, what)
	return got
}

// explained says that the causes explain each row with NULL in its key and each row of a key that repeats, once.
func (l *diagnoseLab) explained(batches []arrow.Record, d *grain.Diagnosis, what string) {
	l.t.Helper()
	r, err := grain.Check(context.Background(), batches, l.key, grain.Options{})
	if err != nil {
		l.t.Fatalf("%s: %v", what, err)
	}
	var rows, nulls int64
	for _, f := range d.Causes {
		switch f.Cause {
		case grain.TextForm:
			if f.Rows < 2*f.Keys {
				l.t.Fatalf("%s: %d rows of %d keys in text form", what, f.Rows, f.Keys)
			}
		case grain.NullKey:
			nulls = f.Rows
		default:
			rows += f.Rows
		}
	}
	if nulls != r.NullKeyRows || rows != r.DuplicateKeys+r.DuplicateRows {
		l.t.Fatalf("%s: %d rows with NULL in the key and %d of keys that repeat are explained, of %d and %d", what, nulls, rows, r.NullKeyRows, r.DuplicateKeys+r.DuplicateRows)
	}
}

func sentinelOf(err error) error {
	for _, s := range []error{onerow.ErrNoKey, onerow.ErrNoColumn, onerow.ErrType, onerow.ErrOption} {
		if errors.Is(err, s) {
			return s
		}
	}
	return err
}

// sameDiagnosis asks again in all forms of the table: the outcome is the same, samples and all.
func sameDiagnosis(l *diagnoseLab) {
	if len(l.rows) == 0 {
		return
	}
	whole := arrowtest.Batches(l.t, l.alloc, l.columns, l.rows)
	want := l.agree(whole, "one batch")
	if want == nil {
		return
	}
	variants := arrowtest.Variants(l.alloc, whole)
	defer variants.Release()
	for i, v := range variants {
		opts := l.opts
		opts.Resources.Workers = 1 + i%4
		got, err := grain.Diagnose(context.Background(), v.Batches, l.key, opts)
		if err != nil {
			l.t.Fatalf("%s: %v", v.Name, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			l.t.Fatalf("%s (-want +got):\n%s", v.Name, d)
		}
	}
}

// anyOrder asks again with the rows in other orders.
func anyOrder(l *diagnoseLab) {
	for seed := range uint64(3) {
		v := arrowtest.Shuffled(l.alloc, l.batches, seed)
		l.agree(v.Batches, v.Name)
		v.Release()
	}
}

func TestDiagnoseProperties(t *testing.T) { diagnoseProperties(t) }

// TestDiagnoseUnderOneHash runs them while every hash is the same.
func TestDiagnoseUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	diagnoseProperties(t)
}

func diagnoseProperties(t *testing.T) {
	for _, p := range []struct {
		name  string
		holds func(*diagnoseLab)
	}{
		{"oracle", func(l *diagnoseLab) { l.agree(l.batches, "as given") }},
		{"forms", sameDiagnosis},
		{"permutation", anyOrder},
	} {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { p.holds(newDiagnoseLab(t, drawn{t})) })
		})
	}
}

// TestDiagnoseRandom compares many random tables with the oracle, and that every cause was met, alone and among others.
func TestDiagnoseRandom(t *testing.T) {
	met := map[grain.Cause]int{}
	for seed := range uint64(1500) {
		l := newDiagnoseLab(t, random{rand.New(rand.NewPCG(seed, 2))})
		if d := l.agree(l.batches, fmt.Sprint("seed ", seed)); d != nil {
			for _, f := range d.Causes {
				met[f.Cause]++
			}
		}
	}
	for c := grain.NullKey; c <= grain.TextForm; c++ {
		if met[c] < 20 {
			t.Errorf("%v was met %d times", c, met[c])
		}
	}
	t.Log(met)
}

// FuzzDiagnose makes a small table and a call of the bytes, and compares the answer with the oracle's.
func FuzzDiagnose(f *testing.F) {
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
		l := newDiagnoseLab(t, &spent{choices})
		l.agree(l.batches, "as given")
		anyOrder(l)
	})
}

// TestDiagnoseManyKeys compares diagnoses of thousands of keys with the oracle's.
func TestDiagnoseManyKeys(t *testing.T) {
	for seed, columns := range [][]string{
		{"k:int64", "at:timestamp[us]", "v:int32", "w:string"},
		{"k:string", "v:int32", "w:dict<int8,string>", "x:float64", "line:int16"},
		{"k:dict<int16,string>", "from:date32", "to:date32", "w:string"},
	} {
		rnd := rand.New(rand.NewPCG(uint64(seed), 1))
		l := &diagnoseLab{t: t, src: random{rnd}, alloc: arrowtest.Allocator(t), columns: columns, key: []string{"k"}}
		for i := range 12000 {
			n := rnd.IntN(5000)
			row := []any{n}
			if n%7 == 0 {
				n = n % 20
				row[0] = n
			}
			for _, c := range columns[1:] {
				switch c {
				case "at:timestamp[us]":
					row = append(row, i%3)
				case "v:int32":
					row = append(row, []any{n % 2, i % 2 * (n % 3 / 2)}[rnd.IntN(2)])
				case "line:int16":
					row = append(row, i)
				case "from:date32":
					row = append(row, i)
				case "to:date32":
					row = append(row, i+1+n%40/39*5000)
				case "x:float64":
					row = append(row, float64(rnd.IntN(2)))
				default:
					row = append(row, fmt.Sprint("w", n%5))
				}
			}
			if columns[0] != "k:int64" {
				row[0] = []string{fmt.Sprint("key number ", n), fmt.Sprint("Key number ", n)}[rnd.IntN(30)/29]
			}
			l.rows = append(l.rows, row)
		}
		if i := slices.Index(columns, "to:date32"); i >= 0 {
			l.rows[5][i] = nil
		}
		l.batches = arrowtest.Batches(t, l.alloc, columns, l.rows[:7000], nil, l.rows[7000:7001], l.rows[7001:])
		for _, l.opts.Resources.Workers = range []int{1, 3} {
			t.Log(l.agree(l.batches, columns[0]))
		}
	}
}
