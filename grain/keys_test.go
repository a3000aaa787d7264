package grain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// lines is a table of order lines in which one line was delivered twice, and with a column of NULLs.
func lines(t *testing.T) []arrow.Record {
	rows := [][]any{}
	for i := range 20 {
		rows = append(rows, []any{i / 4, i % 4, fmt.Sprint("sku", i%7), 1000 + i, nil})
	}
	rows[19] = []any{4, 2, "sku4", 1018, nil}
	rows[3][3] = nil
	return arrowtest.Table(t, arrowtest.Allocator(t), []string{"order:int64", "line:int8", "sku:string", "scan:int32", "note:string"}, rows)
}

func TestKeys(t *testing.T) {
	batches := lines(t)
	r, err := grain.Keys(t.Context(), batches, grain.KeysOptions{NearShare: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	want := `no key of at most 4 columns in 20 rows of 5 columns

violations  near-key     worst key  rows
         1  order, line  4, 2       18, 19
         1  order, sku   4, "sku4"  18, 19
         1  line, sku    2, "sku4"  18, 19
         2  scan         1018       18, 19`
	if d := cmp.Diff(want, r.String()); d != "" {
		t.Error(d)
	}
	if got := fmt.Sprint(r.Columns); got != "[{order 5 0} {line 4 0} {sku 7 0} {scan 18 1} {note 0 20}]" {
		t.Error(got)
	}
	if n := r.Near[3].Report; n.NullKeyRows != 1 || n.DuplicateRows != 1 {
		t.Errorf("%+v", n)
	}
	if r, err = grain.Keys(t.Context(), batches, grain.KeysOptions{Columns: []string{"sku", "line"}, MaxNear: -1}); err != nil || len(r.Columns) != 2 || len(r.Keys) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("keys", "r", &grain.KeysReport{Rows: 3, MaxColumns: 4, Columns: make([]grain.KeyColumn, 2), Keys: [][]string{{"a", "b"}}})
	if _, got, _ := strings.Cut(b.String(), "level=INFO "); got != "msg=keys r.rows=3 r.columns=2 r.max_columns=4 r.keys=1 r.near=0 r.first=\"[a b]\"\n" {
		t.Error(got)
	}
	var back grain.KeysReport
	if text, err := json.Marshal(r); err != nil || json.Unmarshal(text, &back) != nil || !cmp.Equal(*r, back) {
		t.Errorf("%v: as JSON and back: %+v", err, back)
	}
}

// TestKeysText lists many keys, and one.
func TestKeysText(t *testing.T) {
	r := &grain.KeysReport{Rows: 1, MaxColumns: 1, Columns: make([]grain.KeyColumn, 1)}
	for i := range 25 {
		r.Keys = append(r.Keys, []string{fmt.Sprint("a", i), "b\n"})
	}
	text := r.String()
	if !strings.HasPrefix(text, "25 minimal keys of at most 1 column in 1 row of 1 column\n  a0, \"b\\n\"\n") || !strings.HasSuffix(text, "\n  a19, \"b\\n\"\n  … (5 more)") {
		t.Error(text)
	}
}

func TestKeysErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := arrowtest.Table(t, mem, []string{"k:int64", "m:map<string,int8>", "d:int8", "d:int8"}, [][]any{{1, nil, 1, 1}})
	for name, test := range map[string]struct {
		opts grain.KeysOptions
		want error
		says string
	}{
		"a column that isn't there": {grain.KeysOptions{Columns: []string{"q"}}, onerow.ErrNoColumn, `column "q"`},
		"a type":                    {grain.KeysOptions{Columns: []string{"k", "m"}}, onerow.ErrType, `column "m" of type map`},
		"a name twice":              {grain.KeysOptions{Columns: []string{"k", "k"}}, onerow.ErrOption, "twice"},
		"a name of two columns":     {grain.KeysOptions{}, onerow.ErrNoColumn, `column "d": 2 columns`},
		"NULLs":                     {grain.KeysOptions{Nulls: 7}, onerow.ErrOption, "Nulls"},
		"too few columns":           {grain.KeysOptions{MaxColumns: -1}, onerow.ErrOption, "MaxColumns"},
		"too many columns":          {grain.KeysOptions{MaxColumns: 33}, onerow.ErrOption, "MaxColumns"},
		"a share of half":           {grain.KeysOptions{NearShare: 0.5}, onerow.ErrOption, "NearShare"},
		"a share that is no number": {grain.KeysOptions{NearShare: math.NaN()}, onerow.ErrOption, "NearShare"},
	} {
		r, err := grain.Keys(t.Context(), batches, test.opts)
		if r != nil || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestKeysNoRows: a table of fewer than two rows has no keys.
func TestKeysNoRows(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for name, batches := range map[string][]arrow.Record{
		"no batches": nil, "an empty batch": arrowtest.Table(t, mem, []string{"k:int64"}, nil), "one row": arrowtest.Table(t, mem, []string{"k:int64"}, [][]any{{1}}),
		"no columns": {array.NewRecord(arrow.NewSchema(nil, nil), nil, 3)},
	} {
		r, err := grain.Keys(t.Context(), batches, grain.KeysOptions{})
		if err != nil || r.Keys == nil || r.Columns == nil || len(r.Keys)+len(r.Near) != 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if r, err := grain.Keys(t.Context(), nil, grain.KeysOptions{Columns: []string{"k"}}); err != nil || len(r.Keys) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestKeysCancel ends the context at many of the points at which Keys looks at it.
func TestKeysCancel(t *testing.T) {
	rec := wideTable(20_000, 12)
	defer rec.Release()
	batches := []arrow.Record{rec}
	for _, workers := range []int{1, 4} {
		before := runtime.NumGoroutine()
		points := int64(0)
		for ; ; points += 1 + points/4 {
			_, err := grain.Keys(arrowtest.EndAt(t.Context(), points), batches, grain.KeysOptions{Resources: onerow.Resources{Workers: workers}})
			arrowtest.GoroutinesEnd(t, before)
			if err == nil {
				break
			}
			if err != context.Canceled {
				t.Fatalf("%d workers, at point %d: %v", workers, points, err)
			}
		}
		if points < 500 {
			t.Errorf("%d workers: Keys looks at the context %d times", workers, points)
		}
	}
}

// TestKeysCancelWide: before any set is looked at, a wide table has thousands of sampled pairs of rows to compare, each in all columns.
func TestKeysCancelWide(t *testing.T) {
	var columns []string
	rows := make([][]any, 200)
	for c := range 100 {
		columns = append(columns, fmt.Sprintf("c%d:bool", c))
		for i := range rows {
			rows[i] = append(rows[i], (i*40503>>c%20+c)%3 == 0)
		}
	}
	batches := arrowtest.Table(t, arrowtest.Allocator(t), columns, rows)
	ctx := arrowtest.EndAt(t.Context(), math.MaxInt64)
	if _, err := grain.Keys(ctx, batches, grain.KeysOptions{MaxColumns: 1, Resources: onerow.Resources{Workers: 1}}); err != nil {
		t.Fatal(err)
	}
	if looks := math.MaxInt64 - ctx.Left(); looks < 2000 {
		t.Errorf("Keys looks at the context %d times", looks)
	}
}

// TestKeysNearShare: a share is the decimal number that it is written as. As a float64, 0.29 of 100 is a little less than 29.
func TestKeysNearShare(t *testing.T) {
	var rows [][]any
	for i := range 100 {
		rows = append(rows, []any{max(i, 29)})
	}
	batches := arrowtest.Table(t, arrowtest.Allocator(t), []string{"k:int64"}, rows)
	for share, near := range map[float64]int{0.28: 0, 0.2899: 0, 0.29: 1} {
		r, err := grain.Keys(t.Context(), batches, grain.KeysOptions{NearShare: share})
		if err != nil || len(r.Near) != near || near == 1 && r.Near[0].Violations != 29 {
			t.Errorf("%v: %v, %v", share, r, err)
		}
	}
}

// TestKeysManyNulls: a column of the null type may claim any number of rows, and takes no memory for them.
func TestKeysManyNulls(t *testing.T) {
	const rows = 1<<31 - 1
	col := array.NewNull(rows)
	defer col.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.Null, Nullable: true}}, nil), []arrow.Array{col}, rows)
	defer rec.Release()
	for nulls, distinct := range map[grain.Nulls]int64{grain.NullsDistinct: 0, grain.NullsEqual: 1} {
		want := &grain.KeysReport{Rows: rows, MaxColumns: 4, Columns: []grain.KeyColumn{{Name: "k", Distinct: distinct, NullRows: rows}}, Keys: [][]string{}}
		if r, err := grain.Keys(t.Context(), []arrow.Record{rec}, grain.KeysOptions{Nulls: nulls}); err != nil || !cmp.Equal(want, r) {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// TestKeysProgress counts the cells.
func TestKeysProgress(t *testing.T) {
	rec := wideTable(1000, 8)
	defer rec.Release()
	var done, total int64
	_, err := grain.Keys(t.Context(), []arrow.Record{rec, rec}, grain.KeysOptions{Resources: onerow.Resources{Workers: 2,
		Progress: func(d, n int64, s onerow.Stage) {
			if s != onerow.StageEncode || d < done {
				t.Errorf("%s: %d of %d", s, d, n)
			}
			done, total = d, n
		}}})
	if err != nil || done != 16_000 || total != 16_000 {
		t.Errorf("%d of %d, %v", done, total, err)
	}
}

// TestKeysHostile: buffers that contradict their shape are an error, and no panic; so are too many rows.
func TestKeysHostile(t *testing.T) {
	if r, err := grain.Keys(t.Context(), []arrow.Record{brokenTexts(t, 3)}, grain.KeysOptions{}); !errors.Is(err, onerow.ErrMalformed) || r != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := grain.Keys(t.Context(), []arrow.Record{nil}, grain.KeysOptions{}); !errors.Is(err, onerow.ErrSchema) || r != nil {
		t.Errorf("%+v, %v", r, err)
	}
	const most = 1<<31 - 1
	col := array.NewNull(most)
	defer col.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.Null, Nullable: true}}, nil), []arrow.Array{col}, most)
	defer rec.Release()
	if r, err := grain.Keys(t.Context(), []arrow.Record{rec, rec, rec}, grain.KeysOptions{}); !errors.Is(err, onerow.ErrTooManyRows) || r != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
