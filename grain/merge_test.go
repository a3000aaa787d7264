package grain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// spoilt is a MERGE with one of everything.
func spoilt(t *testing.T) (target, source []arrow.Record) {
	mem := arrowtest.Allocator(t)
	columns := []string{"k:int64", "v:string"}
	target = arrowtest.Table(t, mem, columns, [][]any{{1, "a"}, {2, "b"}, {1, "x"}, {nil, "n"}})
	source = arrowtest.Table(t, mem, columns, [][]any{{1, "x"}, {9, "m"}, {1, "y"}, {1, "z"}, {nil, "o"}, {9, "n"}, {nil, "p"}, {2, "c"}})
	return target, source
}

func TestMergeConflicts(t *testing.T) {
	target, source := spoilt(t)
	want := &grain.MergeReport{On: []string{"k"}, Acts: []string{"v"}, TargetRows: 4, SourceRows: 8, MatchedRows: 4, UnmatchedRows: 4,
		Conflicts: 2, ConflictKeys: 1, UnmatchedDuplicates: 1, UnmatchedDuplicateKeys: 1, NullKeyRows: 2, NullKeyRepeats: 2,
		Nulls:           []onerow.ColumnNulls{{Column: "k", Rows: 2, First: 4}},
		WorstConflicts:  []grain.MergeConflict{{Values: []string{"1"}, Conflicts: 2, Target: onerow.Rows{0, 2}, Hits: 3, Source: onerow.Rows{0, 2, 3}}},
		WorstDuplicates: []onerow.KeyRows{{Values: []string{"9"}, Count: 2, Rows: onerow.Rows{1, 5}}},
	}
	got, err := grain.MergeConflicts(t.Context(), target, source, []string{"k"}, grain.MergeOptions{Acts: []string{"v"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}

	// NULL-safe, both source rows without a key act on the target row without one.
	got, err = grain.MergeConflicts(t.Context(), target, source, []string{"k"}, grain.MergeOptions{Nulls: grain.NullsEqual})
	if err != nil {
		t.Fatal(err)
	}
	null := grain.MergeConflict{Values: []string{"NULL"}, Conflicts: 1, Target: onerow.Rows{3}, Hits: 2, Source: onerow.Rows{4, 6}}
	if got.Conflicts != 3 || got.MatchedRows != 6 || len(got.WorstConflicts) != 2 || !cmp.Equal(got.WorstConflicts[1], null) {
		t.Errorf("NULL-safe: %+v", got)
	}
}

func TestMergeReportErr(t *testing.T) {
	target, source := spoilt(t)
	r, err := grain.MergeConflicts(t.Context(), target, source, []string{"k"}, grain.MergeOptions{Acts: []string{"v"}})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Err()
	for _, kind := range []error{onerow.ErrMergeConflict, onerow.ErrDuplicateKey, onerow.ErrNullKey} {
		if !errors.Is(err, kind) {
			t.Errorf("%v isn't in %v", kind, err)
		}
	}
	want := `merge conflict: 1 key: two or more source rows act on 2 target rows; k=1 in 3 rows of source (rows 0, 2, 3), act on target rows 0, 2
duplicate key: 1 key: the target doesn't have them, MERGE inserts 1 row beyond the first ones; k=9 in 2 rows of source (rows 1, 5)
NULL in key of source: column "k" in 2 rows (first: row 4)`
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Error(d)
	}
	var keys *onerow.KeysError
	if err := (&grain.MergeReport{On: []string{"k"}, Conflicts: 1, ConflictKeys: 1}).Err(); !errors.As(err, &keys) || keys.Kind != onerow.ErrMergeConflict {
		t.Errorf("a single fault: %#v", err)
	}
	if err := (&grain.MergeReport{NullSafe: true, NullKeyRows: 3, SourceRows: 3, MatchedRows: 3}).Err(); err != nil {
		t.Errorf("NULL-safe: %v", err)
	}
}

func TestMergeReportText(t *testing.T) {
	target, source := spoilt(t)
	r, err := grain.MergeConflicts(t.Context(), target, source, []string{"k"}, grain.MergeOptions{Acts: []string{"v"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `MERGE fails: two or more source rows act on 2 target rows
  an error of BigQuery, Databricks, Db2, Delta Lake (Spark), Delta Lake (delta-rs), Iceberg (Spark), Oracle, PostgreSQL, Redshift, SQL Server, Snowflake, Teradata, Trino
  none of DuckDB, Hudi (Spark)
MERGE inserts 1 new key more than once, without an error
MERGE inserts 2 rows with NULL in ON each time it is run, without an error
target rows                        4
  in conflict                      2
    keys of these                  1
source rows                        8
  that match                       4
  to insert                        4
    beyond the first of their key  1
      keys of these                1
  with NULL in ON                  2
    whose key the target has       2
    in k                           2

hits  k  target rows  source rows
   3  1  0, 2         0, 2, 3

inserts  k  rows
      2  9  1, 5`
	if d := cmp.Diff(want, r.String()); d != "" {
		t.Error(d)
	}
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("merge", "r", r)
	want = `msg=merge r.on=[k] r.null_safe=false r.safe=false r.acts=[v] r.target_rows=4 r.conflicts=2 r.conflict_keys=1 r.source_rows=8 ` +
		`r.matched_rows=4 r.unmatched_rows=4 r.unmatched_duplicates=1 r.unmatched_duplicate_keys=1 r.null_key_rows=2 r.null_key_repeats=2 r.null.k=2` + "\n"
	if _, got, _ := strings.Cut(b.String(), "level=INFO "); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	var back grain.MergeReport
	if text, err := json.Marshal(r); err != nil || json.Unmarshal(text, &back) != nil || !cmp.Equal(*r, back) {
		t.Errorf("%v: as JSON and back: %+v", err, back)
	}
}

// TestMergeErrors: refusals name the column, both types and the input.
func TestMergeErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	target := arrowtest.Table(t, mem, []string{"k:int64", "v:string", "m:map<string,int8>", "z:timestamp[us]"}, nil)
	source := arrowtest.Table(t, mem, []string{"k:string", "w:string", "v:int8", "m:map<string,int8>", "z:timestamp[us,UTC]"}, nil)
	for _, test := range []struct {
		on, acts []string
		want     error
		says     []string
	}{
		{nil, nil, onerow.ErrNoKey, nil},
		{[]string{"k"}, nil, onerow.ErrType, []string{`"k" of type int64 in target`, `"k" of type utf8 in source`}},
		{[]string{"z"}, nil, onerow.ErrType, []string{"without a zone"}},
		{[]string{"w"}, nil, onerow.ErrNoColumn, []string{`column "w": no such column in target`}},
		{[]string{"z"}, []string{"v", "q", "m"}, onerow.ErrType, []string{`acts: column "v" of type utf8 in target`, `"q": no such column in source`, "map is not a key type"}},
		{[]string{"k", "k"}, nil, onerow.ErrOption, []string{`names column "k" twice`}},
	} {
		r, err := grain.MergeConflicts(t.Context(), target, source, test.on, grain.MergeOptions{Acts: test.acts})
		if r != nil || !errors.Is(err, test.want) {
			t.Errorf("on %q, acts %q: %v", test.on, test.acts, err)
			continue
		}
		for _, s := range test.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("on %q, acts %q: %v doesn't say %q", test.on, test.acts, err, s)
			}
		}
	}
	if _, err := grain.MergeConflicts(t.Context(), target, target, []string{"k"}, grain.MergeOptions{Nulls: 2}); !errors.Is(err, onerow.ErrOption) {
		t.Errorf("%v", err)
	}
	if _, err := grain.MergeConflicts(t.Context(), target, []arrow.Record{target[0], source[0]}, []string{"k"}, grain.MergeOptions{}); !errors.Is(err, onerow.ErrSchema) {
		t.Errorf("%v", err)
	}
}

// TestMergeSourceNames: columns of the source that are called otherwise there, one by the name of another column of the target.
func TestMergeSourceNames(t *testing.T) {
	target, source := spoilt(t)
	mem := arrowtest.Allocator(t)
	want, err := grain.MergeConflicts(t.Context(), target, source, []string{"k"}, grain.MergeOptions{Acts: []string{"v"}})
	if err != nil {
		t.Fatal(err)
	}
	named := renamed(source, map[string]string{"k": "v", "v": "new v"})
	defer arrowtest.Release(named)
	opts := grain.MergeOptions{Acts: []string{"v"}, SourceNames: map[string]string{"k": "v", "v": "new v"}}
	got, err := grain.MergeConflicts(t.Context(), target, named, []string{"k"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	want.SourceNames, want.Nulls[0].Column = opts.SourceNames, "v"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, says := range []string{"k=1 in 3 rows of source", "v=9 in 2 rows of source", `NULL in key of source: column "v"`} {
		if !strings.Contains(got.Err().Error(), says) {
			t.Errorf("%v doesn't say %q", got.Err(), says)
		}
	}
	for _, says := range []string{"hits  k  ", "inserts  v  ", "in v "} {
		if !strings.Contains(got.String(), says) {
			t.Errorf("%v\ndoesn't say %q", got, says)
		}
	}
	if log := got.LogValue().String(); !strings.Contains(log, "source_names=map[k:v v:new v]") {
		t.Error(log)
	}
	other := arrowtest.Table(t, mem, []string{"id:string"}, nil)
	for says, names := range map[string]map[string]string{
		`column "kk": no such column in source`:               {"k": "kk"},
		`"k" of type int64 in target and column "id" of type`: {"k": "id"},
		`SourceNames names column "v", which is neither`:      {"v": "id", "k": "id"},
	} {
		r, err := grain.MergeConflicts(t.Context(), target, other, []string{"k"}, grain.MergeOptions{SourceNames: names})
		if r != nil || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", names, err)
		}
	}
}

// renamed gives columns other names.
func renamed(batches []arrow.Record, names map[string]string) (out []arrow.Record) {
	for _, b := range batches {
		fields := b.Schema().Fields()
		for i, f := range fields {
			if n, ok := names[f.Name]; ok {
				fields[i].Name = n
			}
		}
		out = append(out, array.NewRecord(arrow.NewSchema(fields, nil), b.Columns(), b.NumRows()))
	}
	return out
}

// TestMergeNoRows: either side may have no rows, or no batches.
func TestMergeNoRows(t *testing.T) {
	mem := arrowtest.Allocator(t)
	some := largeTable(t, mem, "int64", []int{1, 1, 2})
	empty := largeTable(t, mem, "int64", nil)
	for name, none := range map[string][]arrow.Record{"no batches": nil, "an empty batch": {empty}} {
		for _, acts := range [][]string{nil, {"l"}} {
			opts := grain.MergeOptions{Acts: acts}
			r, err := grain.MergeConflicts(t.Context(), none, []arrow.Record{some}, []string{"k"}, opts)
			if err != nil || r.UnmatchedDuplicates != 1 || r.UnmatchedRows != 3 || r.Conflicts != 0 {
				t.Errorf("%s of the target: %+v, %v", name, r, err)
			}
			r, err = grain.MergeConflicts(t.Context(), []arrow.Record{some}, none, []string{"k"}, opts)
			if err != nil || r.TargetRows != 3 || r.Err() != nil {
				t.Errorf("%s of the source: %+v, %v", name, r, err)
			}
			if r, err = grain.MergeConflicts(t.Context(), none, none, []string{"k"}, opts); err != nil || r.Err() != nil {
				t.Errorf("%s of both: %+v, %v", name, r, err)
			}
		}
	}
}

// mergeCalls are the ways through MergeConflicts.
func mergeCalls(t *testing.T) map[string]func(ctx context.Context, r onerow.Resources) error {
	mem := arrowtest.Allocator(t)
	target := []arrow.Record{largeTable(t, mem, "int64", largeKeys("many keys", true))}
	source := []arrow.Record{largeTable(t, mem, "int64", largeKeys("one key has half", true)[:largeRows()/2])}
	out := map[string]func(ctx context.Context, r onerow.Resources) error{}
	for name, acts := range map[string][]string{"all act": nil, "some act": {"l"}} {
		out[name] = func(ctx context.Context, r onerow.Resources) error {
			_, err := grain.MergeConflicts(ctx, target, source, []string{"k"}, grain.MergeOptions{Acts: acts, Resources: r})
			return err
		}
	}
	return out
}

// TestMergeCancel ends the context at each point at which MergeConflicts looks at it.
func TestMergeCancel(t *testing.T) {
	for name, call := range mergeCalls(t) {
		for _, workers := range []int{1, 4} {
			before := runtime.NumGoroutine()
			points := int64(0)
			for step := int64(1); ; points += step {
				err := call(arrowtest.EndAt(t.Context(), points), onerow.Resources{Workers: workers})
				arrowtest.GoroutinesEnd(t, before)
				if err == nil {
					break
				}
				if err != context.Canceled {
					t.Fatalf("%s, %d workers, at point %d: %v", name, workers, points, err)
				}
				if points > 20 {
					step = 5
				}
			}
			if points < int64(largeRows()*3/2/4096) {
				t.Errorf("%s, %d workers: the context is looked at %d times", name, workers, points)
			}
		}
	}
}

// TestMergeProgress: each stage counts up to its rows.
func TestMergeProgress(t *testing.T) {
	for name, call := range mergeCalls(t) {
		ends := map[onerow.Stage][2]int64{}
		var stages []onerow.Stage
		err := call(t.Context(), onerow.Resources{Workers: 3, Progress: func(done, total int64, s onerow.Stage) {
			if _, ok := ends[s]; !ok {
				stages = append(stages, s)
			}
			ends[s] = [2]int64{done, total}
		}})
		if err != nil || !slices.Equal(stages, []onerow.Stage{onerow.StageEncode, onerow.StageGroup}) {
			t.Errorf("%s: stages %v, %v", name, stages, err)
		}
		for s, e := range ends {
			if e[0] != e[1] {
				t.Errorf("%s: %s ends at %d of %d", name, s, e[0], e[1])
			}
		}
	}
}

// TestMergeHostile: buffers that contradict their shape are an error, and no panic.
func TestMergeHostile(t *testing.T) {
	mem := arrowtest.Allocator(t)
	good := largeTable(t, mem, "long text", []int{1, 1, 2})
	broken := brokenTexts(t, 3)
	for name, sides := range map[string][2]arrow.Record{"target": {broken, good}, "source": {good, broken}, "both": {broken, broken}} {
		for _, acts := range [][]string{nil, {"l"}} {
			for _, on := range []string{"k", "l"} {
				r, err := grain.MergeConflicts(t.Context(), sides[:1], sides[1:], []string{on}, grain.MergeOptions{Acts: acts})
				if !errors.Is(err, onerow.ErrMalformed) || r != nil {
					t.Errorf("%s, on %s: %+v, %v", name, on, r, err)
				}
			}
		}
	}
}

// brokenTexts has texts whose offsets point beyond the bytes.
func brokenTexts(t *testing.T, rows int) arrow.Record {
	t.Helper()
	mem := arrowtest.Allocator(t)
	b := array.NewStringBuilder(mem)
	defer b.Release()
	for i := range rows {
		b.Append(fmt.Sprint("a text that is long enough ", i))
	}
	whole := b.NewStringArray()
	defer whole.Release()
	d := whole.Data()
	buffers := slices.Clone(d.Buffers())
	buffers[2] = nil
	cutOff := array.NewData(d.DataType(), rows, buffers, nil, 0, 0)
	defer cutOff.Release()
	col := brokenArray{whole, cutOff}
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: d.DataType()}, {Name: "l", Type: d.DataType()}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{col, col}, int64(rows))
	t.Cleanup(rec.Release)
	return rec
}

// brokenArray is an array whose data isn't its own.
type brokenArray struct {
	arrow.Array
	data arrow.ArrayData
}

func (b brokenArray) Data() arrow.ArrayData { return b.data }
