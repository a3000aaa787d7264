package scd2_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/scd2"
)

// refReport counts confusions by Go maps over the texts of the reference.
func refReport(f scd2.HashForm, sep string, rec arrow.Record, limit int) *scd2.ConfusionReport {
	r := &scd2.ConfusionReport{Form: f, Rows: rec.NumRows()}
	var types []arrow.DataType
	for _, field := range rec.Schema().Fields() {
		types = append(types, field.Type)
		r.Columns = append(r.Columns, field.Name)
	}
	texts := map[string]map[string][]uint32{}
	for i, row := range arrowtest.Cells(rec) {
		var text string
		switch f {
		case scd2.SparkSHA2, scd2.SparkMD5:
			text = refJoined(sep, types, row)
		case scd2.DBTKey:
			text = refDBT("_dbt_utils_surrogate_key_null_", types, row)
		case scd2.DBTLegacyKey:
			text = refDBT("", types, row)
		default:
			text = refHash(f, types, row) // as good as what is hashed
		}
		var cells []string
		for _, v := range row {
			cells = append(cells, arrowtest.Format(arrowtest.Key(v)))
		}
		key := strings.Join(cells, ";")
		if texts[text] == nil {
			texts[text] = map[string][]uint32{}
		}
		texts[text][key] = append(texts[text][key], uint32(i))
	}
	for text, rows := range texts {
		if len(rows) < 2 {
			continue
		}
		c := scd2.Confusion{Text: fmt.Sprintf("%q", text), Distinct: int64(len(rows))}
		for _, list := range rows {
			c.Rows += int64(len(list))
			c.Samples = append(c.Samples, onerow.KeyRows{Count: int64(len(list)), Rows: list[:min(len(list), onerow.MaxSampleRows)]})
		}
		slices.SortFunc(c.Samples, func(a, b onerow.KeyRows) int { return cmp.Compare(a.Rows[0], b.Rows[0]) })
		c.Samples = c.Samples[:min(len(c.Samples), onerow.MaxSampleKeys)]
		r.Texts++
		r.Distinct += c.Distinct
		r.Confused += c.Rows
		r.Findings = append(r.Findings, c)
	}
	slices.SortFunc(r.Findings, func(a, b scd2.Confusion) int { return cmp.Compare(a.Samples[0].Rows[0], b.Samples[0].Rows[0]) })
	r.Findings = r.Findings[:min(len(r.Findings), limit)]
	return r
}

// confusable makes a table in which joined texts meet: short texts of separators and letters, small numbers, lists, NULLs.
func confusable(t testing.TB, mem memory.Allocator, rnd *rand.Rand, rows int) arrow.Record {
	t.Helper()
	kinds := []struct {
		typ   string
		cells []any
	}{
		{"string", []any{"", "a", "b", "a|", "|", "ab", "|a", "_dbt_utils_surrogate_key_null_", "-", "1", "true", "a-b"}},
		{"int8", []any{1, 11, -1, 0}},
		{"dict<int8,string>", []any{"", "a", "ab", "b"}},
		{"bool", []any{true, false}},
		{"list<string>", []any{[]any{}, []any{"a"}, []any{"a", "b"}, []any{"a", nil}, []any{nil}}},
		{"float64", []any{0.0, map[string]any{"f": "-0"}, 1}},
		{"ree<int32>", []any{1, 11, 111}},
	}
	var columns []string
	var picked [][]any
	for c := range 2 + rnd.IntN(3) {
		k := kinds[rnd.IntN(len(kinds))]
		columns, picked = append(columns, fmt.Sprintf("c%d:%s", c, k.typ)), append(picked, k.cells)
	}
	cells := make([][]any, rows)
	for i := range cells {
		for _, p := range picked {
			var cell any
			if rnd.IntN(3) > 0 {
				cell = p[rnd.IntN(len(p))]
			}
			cells[i] = append(cells[i], cell)
		}
	}
	return arrowtest.Table(t, mem, columns, cells)[0]
}

var sameFindings = []gocmp.Option{cmpopts.IgnoreFields(onerow.KeyRows{}, "Values"), cmpopts.IgnoreUnexported(scd2.ConfusionReport{})}

// TestConfusionsRandom compares reports with those of Go maps, also when all hashes are the same, for all numbers of workers, cuts and encodings.
func TestConfusionsRandom(t *testing.T) {
	found := map[scd2.HashForm]int64{}
	for _, constant := range []bool{false, true} {
		form.ConstantHash(constant)
		defer form.ConstantHash(false)
		mem := arrowtest.Allocator(t)
		for seed := range uint64(24) {
			rnd := rand.New(rand.NewPCG(seed, 8))
			rec := confusable(t, mem, rnd, rnd.IntN(60))
			for _, f := range allForms {
				o := hashOptions(mem, f, 1)
				o.MaxFindings = 1 + rnd.IntN(6)
				if f == scd2.SparkMD5 {
					o.Separator = ""
				}
				var want *scd2.ConfusionReport
				check := func(what string, batches []arrow.Record) {
					t.Helper()
					got, err := scd2.Confusions(t.Context(), batches, nil, o)
					if errors.Is(err, onerow.ErrType) && f != scd2.CanonicalHash {
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if want == nil {
						want = refReport(f, o.Separator, rec, o.MaxFindings)
					}
					opts := sameFindings
					if f == scd2.SparkXXHash64 {
						opts = append(slices.Clone(opts), cmpopts.IgnoreFields(scd2.Confusion{}, "Text"))
					}
					if diff := gocmp.Diff(want, got, opts...); diff != "" {
						t.Fatalf("%s, constant %v, seed %d, %v: (-want +got)\n%s", what, constant, seed, f, diff)
					}
					found[f] += got.Texts
				}
				check("as given", []arrow.Record{rec})
				if seed%8 == 0 {
					variants := arrowtest.Variants(mem, []arrow.Record{rec})
					for i, v := range variants {
						o.Resources.Workers = 1 + i%4
						check(v.Name, v.Batches)
					}
					variants.Release()
				}
			}
		}
	}
	for _, f := range allForms {
		if (found[f] > 0) == (f == scd2.CanonicalHash) {
			t.Errorf("%v: %d texts", f, found[f])
		}
	}
}

// TestConfusionsLarge sorts many rows: with one text, with texts of their own, and with equal rows.
func TestConfusionsLarge(t *testing.T) {
	mem := arrowtest.Allocator(t)
	const n = 30_000
	rows := make([][]any, n)
	for i := range rows {
		switch i % 3 {
		case 0: // one text, of which there are 16 different rows
			rows[i] = []any{"aaaaaaaaaaaaaaaa"[:i/3%16], "aaaaaaaaaaaaaaaa"[i/3%16:]}
		case 1:
			rows[i] = []any{fmt.Sprint(i), "x"}
		default:
			rows[i] = []any{"same", "row"}
		}
	}
	rec := arrowtest.Table(t, mem, []string{"a:string", "b:string"}, rows)[0]
	for _, workers := range []int{1, 3} {
		got, err := scd2.Confusions(t.Context(), []arrow.Record{rec}, nil, scd2.HashOptions{Form: scd2.SparkSHA2, Resources: onerow.Resources{Workers: workers}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(refReport(scd2.SparkSHA2, "", rec, 10), got, sameFindings...); diff != "" {
			t.Errorf("%d workers: (-want +got)\n%s", workers, diff)
		}
	}
}

func TestConfusionReport(t *testing.T) {
	mem := arrowtest.Allocator(t)
	long := strings.Repeat("long ", 60)
	batches := arrowtest.Batches(t, mem, []string{"a:string", "b:string"}, [][]any{{"ab", "c"}, {"a", "bc"}}, [][]any{{"ab", "c"}, {nil, long}, {long, nil}, {"z", "z"}})
	r, err := scd2.Confusions(t.Context(), batches, []string{"a", "b"}, scd2.HashOptions{Form: scd2.SparkMD5})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{`"ab"`, `"c"`}; !slices.Equal(r.Findings[0].Samples[0].Values, want) || r.Texts != 2 || r.Distinct != 4 || r.Confused != 5 {
		t.Errorf("%+v", r)
	}
	if text := r.Findings[1].Text; len(text) > 230 || !strings.HasSuffix(text, "… (300 bytes)") {
		t.Errorf("a long text is %s", text)
	}
	var keys *onerow.KeysError
	if err := r.Err(); !errors.As(err, &keys) || !errors.Is(err, onerow.ErrDuplicateKey) || keys.Total != 4 || len(keys.Keys) != 4 || !slices.Equal(keys.Columns, []string{"a", "b"}) {
		t.Errorf("%v", err)
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.HasPrefix(string(text), `{"form":"spark_md5","columns":["a","b"],"rows":6,"texts":2,"distinct":4,"confused":5,"findings":[{"text":"\"abc\"","rows":3,"distinct":2,"samples":[{"values":`) {
		t.Errorf("%s, %v", text, err)
	}
	if got := fmt.Sprint(r.LogValue()); r.LogValue().Kind() != slog.KindGroup || got != "[form=spark_md5 columns=[a b] rows=6 texts=2 distinct=4 confused=5]" {
		t.Errorf("%s", got)
	}
	chain, err := scd2.Confusions(t.Context(), batches, []string{"a", "b"}, scd2.HashOptions{Form: scd2.SparkXXHash64, MaxFindings: -1})
	if err != nil || chain.Texts != 1 || chain.Findings != nil || !errors.As(chain.Err(), &keys) || len(keys.Keys) != 0 {
		t.Errorf("%+v, %v", chain, err)
	}
	if chain, err = scd2.Confusions(t.Context(), batches, []string{"a"}, scd2.HashOptions{Form: scd2.SparkMD5}); err != nil || chain.Err() != nil || !strings.HasPrefix(chain.String(), "spark_md5 tells all rows apart\n") {
		t.Errorf("%v, %v", chain, err)
	}
	for f := range scd2.HashForm(8) {
		if name := f.String(); name == "" || (f > scd2.DBTLegacyKey) != strings.HasPrefix(name, "HashForm(") {
			t.Errorf("%d is called %q", f, name)
		}
	}
}
