package grain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/oracle"
)

// sums are columns that can be summed, with cells that are hard to add up.
var sums = []oracle.Sample{
	{Types: []string{"int64", "ree<int64>", "dict<int8,int64>"}, Cells: []any{1, -1, whole("9223372036854775807"), whole("-9223372036854775808")}},
	{Types: []string{"uint64"}, Cells: []any{1, whole("18446744073709551615"), 0}},
	{Types: []string{"int8", "int16", "int32", "uint8", "uint16", "uint32"}, Cells: []any{1, 127, 0}},
	{Types: []string{"float64", "dict<int8,float64>"}, Cells: []any{1e308, -1e308, 1e-320, 0.1, 1.0, float("-0"), 5e-324, 1e16}},
	{Types: []string{"float64", "float32", "float16"}, Cells: []any{1.5, float("NaN"), float("Infinity"), float("-Infinity")}},
	{Types: []string{"float32", "float16"}, Cells: []any{1.5, 1.0 / (1 << 24), -1024.0}},
	{Types: []string{"decimal(38,2)", "dict<int8,decimal(38,2)>"}, Cells: []any{dec("999999999999999999999999999999999999.99"), dec("-0.01"), dec("0")}},
	{Types: []string{"decimal256(76,3)"}, Cells: []any{dec("9999999999999999999999999999999999999999999999999999999999999999999999999.999"), dec("-1")}},
	{Types: []string{"decimal(5,-2)"}, Cells: []any{dec("1200"), dec("-100")}},
	{Types: []string{"bool"}, Cells: []any{true, false}},
	{Types: []string{"duration[s]", "duration[ns]", "duration[ms]"}, Cells: []any{1, -5, 100}},
	{Types: []string{"null"}, Cells: []any{nil}},
}

func float(text string) any { return map[string]any{"f": text} }
func whole(text string) any { return map[string]any{"i": text} }
func dec(text string) any   { return map[string]any{"d": text} }

// profileTrial compares the profile of a random table, in some forms and orders, with the oracle's.
func profileTrial(t arrowtest.TB, src oracle.Source) {
	t.Helper()
	alloc := arrowtest.Allocator(t)
	columns := []string{"k:int8", "t:string"}
	opts := grain.ProfileOptions{Nulls: grain.Nulls(src.Choose("nulls", 2))}
	var samples []oracle.Sample
	for i := range src.Choose("sums", 4) {
		s := sums[src.Choose("sample", len(sums))]
		samples = append(samples, s)
		opts.Sums = append(opts.Sums, fmt.Sprint("s", i))
		columns = append(columns, fmt.Sprint("s", i, ":")+s.ChooseType(src, "sum"))
	}
	var rows [][]any
	for range src.Choose("rows", 30) {
		row := []any{src.Choose("k", 4), "x"}
		if row[0] == 3 {
			row = []any{nil, nil}
		}
		for _, s := range samples {
			row = append(row, s.ChooseCell(src, "cell", 6))
		}
		rows = append(rows, row)
	}
	key := []string{"k"}[:src.Choose("key", 2)]
	batches := arrowtest.Table(t, alloc, columns, rows)
	want, err := oracle.Profile(batches, key, opts)
	if err != nil {
		t.Fatalf("%v", err)
	}
	same := func(batches []arrow.Record) {
		t.Helper()
		opts.Resources.Workers = 1 + src.Choose("workers", 3)
		got, err := grain.Profile(context.Background(), batches, key, opts)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if got.NullsEqual != (opts.Nulls == grain.NullsEqual && len(key) > 0) {
			t.Fatalf("key %q, options %+v: NULLs equal: %v", key, opts, got.NullsEqual)
		}
		a, b := *want, *got
		b.NullsEqual = false
		a.Key, b.Key, a.Columns, b.Columns = nil, nil, nil, nil // whose types may differ
		if d := cmp.Diff(a, b); d != "" || !slices.Equal(want.Key, got.Key) {
			t.Fatalf("key %q, options %+v (-want +got): %s\n%v", key, opts, d, rows)
		}
		for i, c := range got.Columns {
			if c.Name != want.Columns[i].Name || c.Nulls != want.Columns[i].Nulls {
				t.Fatalf("column %+v, want %+v", c, want.Columns[i])
			}
		}
	}
	same(batches)
	forms := arrowtest.Variants(alloc, batches)
	defer forms.Release()
	for range 2 {
		same(forms[src.Choose("form", len(forms))].Batches)
	}
	shuffled := arrowtest.Shuffled(alloc, batches, uint64(src.Choose("seed", 100)))
	defer shuffled.Release()
	same(shuffled.Batches)
}

func TestProfileProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { profileTrial(t, drawn{t}) })
}

// FuzzProfile makes a small table and a call of the bytes, and compares the answer with the oracle's.
func FuzzProfile(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		choices := make([]byte, 150)
		for i := range choices {
			choices[i] = byte(rnd.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) { profileTrial(t, &spent{choices}) })
}

// TestProfileSums: what float64 loses on the way isn't lost.
func TestProfileSums(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := arrowtest.Table(t, mem, []string{"f:float64", "i:int64", "d:decimal(5,3)", "w:duration[ms]"},
		[][]any{{1e308, whole("9223372036854775807"), dec("0.007"), 1500}, {1.0, 1, dec("-0.050"), nil}, {1e308, nil, nil, nil}, {-1e308, nil, nil, nil}, {-1e308, nil, nil, nil}})
	p, err := grain.Profile(t.Context(), batches, nil, grain.ProfileOptions{Sums: []string{"f", "i", "d", "w"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []grain.Sum{{"f", "1", 5}, {"i", "9223372036854775808", 2}, {"d", "-0.043", 2}, {"w", "1.500000000", 1}}
	if d := cmp.Diff(want, p.Sums); d != "" {
		t.Error(d)
	}
	var back grain.TableProfile
	if text, err := json.Marshal(p); err != nil || json.Unmarshal(text, &back) != nil || !cmp.Equal(*p, back) {
		t.Errorf("%v: as JSON and back: %+v", err, back)
	}
}

func TestProfileText(t *testing.T) {
	p := &grain.TableProfile{Rows: 9, Key: []string{"id"}, Keys: 7, DuplicateRows: 1, NullKeyRows: 1,
		Columns: []grain.ColumnProfile{{"id", "int64", 1}, {"v", "float64", 0}}, Sums: []grain.Sum{{"v", "12.5", 9}, {"w", "-3", 1}}}
	want := `rows                                9
keys of id                          7
rows beyond the first of their key  1
rows with NULL in key               1
  NULL in id                        1

column   sum  of
v       12.5  9 values
w         -3  1 value`
	if d := cmp.Diff(want, p.String()); d != "" {
		t.Error(d)
	}
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("profile", "p", p)
	want = "msg=profile p.rows=9 p.keys=7 p.duplicate_rows=1 p.null_key_rows=1 p.null.id=1 p.sum.v=12.5 p.sum.w=-3\n"
	if _, got, _ := strings.Cut(b.String(), "level=INFO "); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestProfileErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := arrowtest.Table(t, mem, []string{"k:int64", "t:string", "d:date32"}, [][]any{{1, "a", "2026-01-01"}})
	for name, test := range map[string]struct {
		key  []string
		opts grain.ProfileOptions
		want error
		says string
	}{
		"texts and dates":      {nil, grain.ProfileOptions{Sums: []string{"t", "d"}}, onerow.ErrType, `column "t" of type utf8 in batches: utf8 has no sum`},
		"no such column":       {nil, grain.ProfileOptions{Sums: []string{"q"}}, onerow.ErrNoColumn, `"q"`},
		"a column twice":       {nil, grain.ProfileOptions{Sums: []string{"k", "k"}}, onerow.ErrOption, "twice"},
		"no such key":          {[]string{"q"}, grain.ProfileOptions{}, onerow.ErrNoColumn, `"q"`},
		"NULLs":                {[]string{"k"}, grain.ProfileOptions{Nulls: 3}, onerow.ErrOption, "Nulls"},
		"NULLs, without a key": {nil, grain.ProfileOptions{Nulls: 3}, onerow.ErrOption, "Nulls"},
	} {
		p, err := grain.Profile(t.Context(), batches, test.key, test.opts)
		if p != nil || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if p, err := grain.Profile(t.Context(), nil, nil, grain.ProfileOptions{Sums: []string{"v"}}); err != nil || p.Rows != 0 || p.Sums[0].Sum != "0" {
		t.Errorf("no batches: %+v, %v", p, err)
	}
	if p, err := grain.Profile(t.Context(), []arrow.Record{brokenTexts(t, 3)}, []string{"k"}, grain.ProfileOptions{}); !errors.Is(err, onerow.ErrMalformed) || p != nil {
		t.Errorf("hostile: %+v, %v", p, err)
	}
}

// TestProfileCancel ends the context at each point at which Profile looks at it.
func TestProfileCancel(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := []arrow.Record{largeTable(t, mem, "int64", largeKeys("many keys", true))}
	for _, workers := range []int{1, 4} {
		before := runtime.NumGoroutine()
		for points := int64(0); ; points++ {
			_, err := grain.Profile(arrowtest.EndAt(t.Context(), points), batches, []string{"k"}, grain.ProfileOptions{Sums: []string{"l"}, Resources: onerow.Resources{Workers: workers}})
			arrowtest.GoroutinesEnd(t, before)
			if err == nil {
				if points < int64(3*largeRows()/70_000) {
					t.Errorf("%d workers: the context is looked at %d times", workers, points)
				}
				break
			}
			if err != context.Canceled {
				t.Fatalf("%d workers, at point %d: %v", workers, points, err)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	before := &grain.TableProfile{Rows: 100, Key: []string{"id"}, Keys: 100, Columns: []grain.ColumnProfile{{"id", "int64", 0}, {"v", "int64", 10}, {"old", "int8", 3}},
		Sums: []grain.Sum{{"v", "-1000", 90}, {"f", "NaN", 3}}}
	after := &grain.TableProfile{Rows: 130, Key: []string{"id"}, Keys: 70, DuplicateRows: 60, Columns: []grain.ColumnProfile{{"id", "int64", 0}, {"v", "int64", 10}, {"new", "int8", 0}},
		Sums: []grain.Sum{{"v", "-1300.0", 90}, {"f", "NaN", 3}}}
	inf := math.Inf(1)
	for name, test := range map[string]struct {
		tolerance grain.Tolerance
		refused   string
	}{
		"none":              {grain.Tolerance{}, "rows keys duplicate_rows nulls(old) sum(v) nulls(new)"},
		"just":              {grain.Tolerance{Growth: 0.3, Loss: 0.3}, "duplicate_rows nulls(old) nulls(new)"},
		"just too little":   {grain.Tolerance{Growth: 0.299999, Loss: 0.299999}, "rows keys duplicate_rows nulls(old) sum(v) nulls(new)"},
		"any growth":        {grain.Tolerance{Growth: inf}, "keys nulls(old) sum(v)"},
		"any loss":          {grain.Tolerance{Loss: 1}, "rows duplicate_rows nulls(new)"},
		"anything":          {grain.Tolerance{Growth: inf, Loss: inf}, ""},
		"any surplus alone": {grain.Tolerance{Growth: 1, Loss: 1, Figures: map[string]grain.Share{"duplicate_rows": {Growth: inf}, "nulls(new)": {Growth: inf}, "rows": {}}}, "rows"},
	} {
		c, err := grain.Compare(before, after, test.tolerance)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var refused []string
		for _, f := range c.Figures {
			if f.Refused {
				refused = append(refused, f.Name)
			}
		}
		if got := strings.Join(refused, " "); got != test.refused {
			t.Errorf("%s: refused %s, want %s", name, got, test.refused)
		}
		if err := c.Err(); errors.Is(err, onerow.ErrCompare) != (test.refused != "") || err == nil != (test.refused == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := grain.Compare(before, after, grain.Tolerance{Growth: 0.3, Loss: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	want := `3 figures of 10 changed by more than is allowed

figure          before    after  change
rows               100      130    +30%
keys               100       70    -30%
duplicate_rows       0       60      +∞  refused
nulls(old)           3     none    gone  refused
sum(v)           -1000  -1300.0    -30%
nulls(new)        none        0     new  refused`
	if d := cmp.Diff(want, c.String()); d != "" {
		t.Error(d)
	}
	if got, want := c.Err().Error(), "figures differ: duplicate_rows was 0, is 60 (+∞); nulls(old) was 3, is none (gone); nulls(new) was none, is 0 (new)"; got != want {
		t.Error(got)
	}
	if got := c.LogValue().String(); got != "[figures=10 refused=3 duplicate_rows=0 → 60 nulls(old)=3 → none nulls(new)=none → 0]" {
		t.Error(got)
	}
	if c, err := grain.Compare(before, before, grain.Tolerance{}); err != nil || c.Err() != nil || c.String() != "no figure of 9 changed" {
		t.Errorf("with itself: %v, %v", c, err)
	}
	same := *before
	same.NullsEqual = true
	if c, err := grain.Compare(before, &same, grain.Tolerance{Growth: inf, Loss: inf}); err != nil || c.Err() == nil ||
		c.Err().Error() != "figures differ: key was NULL equals nothing, is NULL equals NULL (other keys)" {
		t.Errorf("%v, %v", c.Err(), err)
	}
	after.Key, after.Sums[1].Sum = []string{"id", "line"}, "3"
	if c, err = grain.Compare(before, after, grain.Tolerance{Growth: inf, Loss: inf}); err != nil || c.Err() == nil ||
		c.Err().Error() != "figures differ: key was id, is id, line (other columns); sum(f) was NaN, is 3 (no number)" {
		t.Errorf("%v, %v", c.Err(), err)
	}
}

// TestCompareSameNames: columns that share a name are compared in the order of the table.
func TestCompareSameNames(t *testing.T) {
	columns := func(nulls ...int64) *grain.TableProfile {
		p := &grain.TableProfile{Rows: 10}
		for _, n := range nulls {
			p.Columns = append(p.Columns, grain.ColumnProfile{Name: "v", Type: "int8", Nulls: n})
		}
		return p
	}
	for _, test := range []struct {
		before, after *grain.TableProfile
		want          string
	}{
		{columns(1, 5), columns(1, 5), "[{rows 10 10  false} {nulls(v) 1 1  false} {nulls(v) 5 5  false}]"},
		{columns(1, 5), columns(1, 6), "[{rows 10 10  false} {nulls(v) 1 1  false} {nulls(v) 5 6 +20% true}]"},
		{columns(1, 5), columns(1), "[{rows 10 10  false} {nulls(v) 1 1  false} {nulls(v) 5  gone true}]"},
		{columns(1), columns(1, 5), "[{rows 10 10  false} {nulls(v) 1 1  false} {nulls(v)  5 new true}]"},
	} {
		c, err := grain.Compare(test.before, test.after, grain.Tolerance{})
		if err != nil || fmt.Sprint(c.Figures) != test.want {
			t.Errorf("%v, %v\nwant %s", c.Figures, err, test.want)
		}
	}
}

func TestCompareErrors(t *testing.T) {
	p := &grain.TableProfile{Rows: 1}
	for name, tolerance := range map[string]grain.Tolerance{
		"negative": {Growth: -1}, "NaN": {Loss: math.NaN()}, "no such figure": {Figures: map[string]grain.Share{"sum(q)": {}}},
		"negative figure": {Figures: map[string]grain.Share{"rows": {Loss: -1}}},
	} {
		if c, err := grain.Compare(p, p, tolerance); c != nil || !errors.Is(err, onerow.ErrOption) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	if c, err := grain.Compare(p, nil, grain.Tolerance{}); c != nil || !errors.Is(err, onerow.ErrOption) {
		t.Errorf("nil: %v, %v", c, err)
	}
}
