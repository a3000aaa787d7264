package join_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// TestAsOfReportForms writes a report as text, as JSON and to a log.
func TestAsOfReportForms(t *testing.T) {
	r := join.AsOfReport{Key: []string{"a", "b"}, Facts: 9, OK: 1, NullKey: 2, Gap: 6, Versions: join.VersionReport{Key: []string{"a", "c"}, Rows: 20, Keys: 3, Idle: 4,
		NullKeys: 1, Overlaps: 30, OverlappingKeys: 2, Overlapping: []onerow.KeyRows{{Values: []string{"1", `"x"`}, Count: 12, Rows: onerow.Rows{3, 5}}}}}
	want := `1 of 9 facts matched
facts                  9
  with a version       1
  with NULL in key     2
  in a gap             6
versions              20
  keys                 3
  with NULL in key     1
  that hold nothing    4
  keys with overlaps   2
  pairs that overlap  30
versions of a=1, c="x" overlap: rows 3, 5, …
… (1 more)`
	if got := r.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back join.AsOfReport
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("%s reads back as %+v, %v", text, back, err)
	}
	if !strings.Contains(string(text), `"before_first":0`) || !strings.Contains(string(text), `"overlapping_keys":2`) {
		t.Errorf("%s", text)
	}
	if m := (&join.Matches{Report: r}); m.String() != want || !reflect.DeepEqual(m.LogValue(), r.LogValue()) {
		t.Errorf("%v", m)
	}
	var b strings.Builder
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("asof", "r", &r)
	const line = `level=INFO msg=asof r.key="[a b]" r.facts=9 r.ok=1 r.null_key=2 r.gap=6 r.versions=20 r.version_keys=3 r.version_null_keys=1 r.idle=4 ` +
		`r.overlapping_keys=2 r.overlaps=30`
	if got := strings.TrimSpace(b.String()); got != line {
		t.Errorf("got  %s\nwant %s", got, line)
	}
	b.Reset()
	log.Info("between", "s", &join.RangeSize{Key: []string{"a"}, Facts: 2, Held: 1, Most: 1, Inner: join.CountOf(1), Left: join.CountOf(math.MaxUint64)})
	if got := strings.TrimSpace(b.String()); got != `level=INFO msg=between s.key=[a] s.inner=1 s.left=9223372036854775807 s.most=1 s.facts=2 s.held=1 s.versions=0 s.version_keys=0` {
		t.Errorf("%s", got)
	}
	one := &join.RangeSize{Facts: 1, Inner: join.CountOf(1)}
	if got, _, _ := strings.Cut(one.String(), "\n"); got != "1 row of 1 fact" {
		t.Errorf("%s", got)
	}
}

// TestVersionReportErr: overlaps are an error that names them, and nothing else is.
func TestVersionReportErr(t *testing.T) {
	v := join.VersionReport{Key: []string{"k"}, Rows: 5, Idle: 3, NullKeys: 1}
	if err := v.Err(); err != nil {
		t.Errorf("%v", err)
	}
	v.Overlaps, v.OverlappingKeys, v.Overlapping = 1<<40, 2, []onerow.KeyRows{{Values: []string{"7"}, Count: 2, Rows: onerow.Rows{0, 4}}}
	err := v.Err()
	var keys *onerow.KeysError
	if !errors.As(err, &keys) || !errors.Is(err, onerow.ErrBrokenHistory) || keys.Total != 2 {
		t.Fatalf("%v", err)
	}
	if want := "broken history: 2 keys: 1099511627776 pairs of versions share time; k=7 in 2 rows of versions (rows 0, 4); … (1 more)"; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestStatusText: statuses are written and read by name.
func TestStatusText(t *testing.T) {
	names := []string{"ok", "null_key", "null_time", "no_key", "before_first", "gap", "ambiguous"}
	for i, name := range names {
		s := join.Status(i)
		text, err := s.MarshalText()
		var back join.Status
		if s.String() != name || string(text) != name || err != nil || back.UnmarshalText(text) != nil || back != s {
			t.Errorf("%d: %v, %s, %v, %v", i, s, text, err, back)
		}
	}
	bad := join.Status(len(names))
	if _, err := bad.MarshalText(); err == nil || bad.String() != "Status(7)" || bad.UnmarshalText([]byte("OK")) == nil {
		t.Errorf("%v, %v", bad, err)
	}
}

// leftJoin matches three facts: with version 1, with none, with version 0.
func leftJoin(t *testing.T, mem memory.Allocator, column string, batches ...[][]any) (*join.Matches, []arrow.Record) {
	t.Helper()
	facts := arrowtest.Table(t, mem, []string{"k:int8", "t:int8"}, [][]any{{2, 5}, {3, 5}, {1, 5}})
	versions := arrowtest.Batches(t, mem, []string{"k:int8", "f:int8!", column}, batches...)
	m, err := join.AsOf(t.Context(), join.Facts{Batches: facts, Key: []string{"k"}, At: "t"}, join.Versions{Batches: versions, ValidFrom: "f"}, join.RangeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m, versions
}

// TestVersionsOfEveryType: the right side of the left join has NULL for facts without a match, in columns of every type and encoding.
func TestVersionsOfEveryType(t *testing.T) {
	for typ, cells := range map[string][2]any{
		"bool": {true, false}, "int16": {1, 2}, "string": {"a", "b"}, "large_binary": {[]byte{1}, []byte{2}}, "string_view": {"a text that is long", "b"},
		"fsb(2)": {[]byte("ab"), []byte("cd")}, "decimal256(40,2)": {"1.5", "2"}, "dict<int8,string>": {"a", "b"}, "ree<int32>": {1, 2}, "list<string>": {[]any{"a"}, []any{}},
		"fsl<int8,2>": {[]any{1, 2}, []any{3, nil}}, "struct<a:int8,b:string>": {map[string]any{"a": 1, "b": "x"}, map[string]any{"a": nil, "b": "y"}},
		"timestamp[us,UTC]": {"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"}, "null": {nil, nil}, "dict<int16,struct<a:int8>>": {map[string]any{"a": 1}, map[string]any{"a": 2}},
	} {
		for _, cut := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/cut=%v", typ, cut), func(t *testing.T) {
				mem := arrowtest.Allocator(t)
				rows := [][]any{{1, 0, cells[0]}, {2, 0, cells[1]}}
				batches := [][][]any{rows}
				if cut {
					batches = [][][]any{rows[:1], {}, rows[1:]}
				}
				m, versions := leftJoin(t, mem, "v:"+typ, batches...)
				rec, err := m.Versions(t.Context(), mem, "v", "f")
				if err != nil {
					t.Fatal(err)
				}
				defer rec.Release()
				all := arrowtest.All(versions)
				want := [][]any{{all[1][2], all[1][1]}, {nil, nil}, {all[0][2], all[0][1]}}
				if d := arrowtest.DiffList(want, arrowtest.Cells(rec)); d != "" {
					t.Error(d)
				}
				for i, name := range []string{"v", "f"} {
					if f := rec.Schema().Field(i); f.Name != name || !f.Nullable {
						t.Errorf("column %v", f)
					}
				}
				if got := rec.Column(0).DataType(); !arrow.TypeEqual(got, versions[0].Column(2).DataType()) {
					t.Errorf("type %v", got)
				}
			})
		}
	}
}

// TestVersionsKeepDictionary: batches of one dictionary give a column of it.
func TestVersionsKeepDictionary(t *testing.T) {
	mem := arrowtest.Allocator(t)
	m, versions := leftJoin(t, mem, "v:dict<int8,string>", [][]any{{1, 0, "a"}, {2, 0, "b"}, {7, 0, "not used"}})
	rec, err := m.Versions(t.Context(), mem, "v")
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	got, want := rec.Column(0).(*array.Dictionary).Dictionary(), versions[0].Column(2).(*array.Dictionary).Dictionary()
	if got.Len() != want.Len() || got.Data().Buffers()[2] != want.Data().Buffers()[2] {
		t.Errorf("dictionary %v, want %v as it is", got, want)
	}
}

// TestVersionsErrors: columns that aren't there, a call that has ended, and whose allocator makes the record.
func TestVersionsErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	m, versions := leftJoin(t, mem, "v:int8", [][]any{{1, 0, 5}, {2, 0, 6}})
	rec, err := m.Versions(t.Context(), mem, "v", "x", "y")
	if !errors.Is(err, onerow.ErrNoColumn) || !strings.Contains(err.Error(), `"x"`) || !strings.Contains(err.Error(), `"y"`) || rec != nil {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if rec, err := m.Versions(ctx, mem); !errors.Is(err, context.Canceled) || rec != nil {
		t.Errorf("%v", err)
	}
	own := memory.NewCheckedAllocator(memory.NewGoAllocator())
	facts := arrowtest.Table(t, mem, []string{"k:int8", "t:int8"}, [][]any{{2, 5}})
	m, err = join.AsOf(t.Context(), join.Facts{Batches: facts, Key: []string{"k"}, At: "t"}, join.Versions{Batches: versions, ValidFrom: "f"},
		join.RangeOptions{Resources: onerow.Resources{Allocator: own}})
	if err != nil {
		t.Fatal(err)
	}
	if rec, err = m.Versions(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if own.CurrentAlloc() == 0 {
		t.Error("the record isn't of the call's allocator")
	}
	rec.Release()
	own.AssertSize(t, 0)
}
