package oracle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/oracle"
)

// caseFolders are where case files may be: in the repository, or next to it.
var caseFolders = []string{"../cases/testdata", "../../../shared/cases"}

// oneCase is a case of a case file, in so far as the oracle answers it.
type oneCase struct {
	ID      string                    `json:"id"`
	Call    string                    `json:"call"`
	Input   map[string]arrowtest.Spec `json:"input"`
	Options caseOptions               `json:"options"`
	Want    caseWant                  `json:"want"`
}

type caseOptions struct {
	Key     []string `json:"key"`
	Nulls   string   `json:"nulls"`
	NullKey string   `json:"null_key"`
	Ties    string   `json:"ties"`
	Order   []struct{ Column, Dir, Nulls string }
	Op      struct {
		Column           string
		Delete, Snapshot []any
	}
	Fill []struct {
		Column      string
		Unavailable any
	}
}

type caseWant struct {
	Error    string           `json:"error"`
	Rows     *[][]any         `json:"rows"`
	SetAside *[][]any         `json:"set_aside"`
	Report   map[string]int64 `json:"report"`
	Worst    [][]any          `json:"worst"`
}

// TestCases runs the cases of both calls, as they stand.
func TestCases(t *testing.T) {
	ran := 0
	for _, c := range readCases(t) {
		run := map[string]func(*testing.T, oneCase, []string, []arrow.Record){"dedupe.latest": runLatest, "grain.check": runCheck}[c.Call]
		if run == nil {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			alloc := arrowtest.Allocator(t)
			for _, spec := range c.Input {
				batches, err := spec.Build(alloc)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { arrowtest.Release(batches) })
				run(t, c, spec.Columns, batches)
			}
		})
	}
	if ran < 80 {
		t.Errorf("ran %d cases only", ran)
	}
}

func readCases(t *testing.T) (all []oneCase) {
	t.Helper()
	var files []string
	for _, folder := range caseFolders {
		if files == nil {
			files, _ = filepath.Glob(folder + "/*/*.json")
		}
	}
	if files == nil {
		t.Skipf("no case files in %v", caseFolders)
	}
	for _, name := range files {
		if kind := filepath.Base(filepath.Dir(name)); kind != "dedupe" && kind != "grain" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var some []oneCase
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&some); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, some...)
	}
	return all
}

var caseErrors = map[string]error{"null_key": onerow.ErrNullKey, "null_order": onerow.ErrNullOrder, "tie": onerow.ErrTie,
	"no_column": onerow.ErrNoColumn, "type": onerow.ErrType, "no_key": onerow.ErrNoKey}

func runLatest(t *testing.T, c oneCase, columns []string, batches []arrow.Record) {
	opts := dedupe.Options{
		NullKey: onerow.NullKey(max(0, slices.Index([]string{"reject", "equal", "set_aside"}, c.Options.NullKey))),
		Ties:    dedupe.Ties(max(0, slices.Index([]string{"reject", "content", "first", "last", "set_aside"}, c.Options.Ties))),
		Op:      dedupe.Op{Column: c.Options.Op.Column, Delete: c.Options.Op.Delete, Snapshot: c.Options.Op.Snapshot},
	}
	for _, f := range c.Options.Fill {
		opts.Fill = append(opts.Fill, dedupe.Fill{Column: f.Column, Unavailable: f.Unavailable})
	}
	var order []onerow.Order
	for _, o := range c.Options.Order {
		order = append(order, onerow.Order{Column: o.Column, Ascending: o.Dir == "asc",
			Nulls: onerow.NullOrder(max(0, slices.Index([]string{"reject", "lowest", "highest"}, o.Nulls)))})
	}
	got, err := oracle.Latest(batches, c.Options.Key, order, opts)
	if want := caseErrors[c.Want.Error]; want != nil || err != nil {
		if !errors.Is(err, want) {
			t.Errorf("got error %v, want %v", err, want)
		}
		return
	}
	if c.Want.Rows != nil {
		sameRows(t, "rows", columns, *c.Want.Rows, got.Taken)
	}
	if c.Want.SetAside != nil {
		var rows [][]oracle.Value
		for _, r := range got.SetAside {
			rows = append(rows, oracle.Rows(batches...)[r])
		}
		sameRows(t, "set aside", columns, *c.Want.SetAside, rows)
	}
	sameCounts(t, c.Want.Report, got.Report)
}

// sameRows compares rows as a multiset.
func sameRows(t *testing.T, what string, columns []string, cells [][]any, got [][]oracle.Value) {
	t.Helper()
	want := formatted(oracle.Rows(arrowtest.Table(t, arrowtest.Allocator(t), columns, cells)...))
	if g := formatted(got); !slices.Equal(g, want) {
		t.Errorf("%s: got %q, want %q", what, g, want)
	}
}

var nanBits = regexp.MustCompile("NaN#[0-9a-f]+")

func formatted(rows [][]oracle.Value) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, nanBits.ReplaceAllString(oracle.FormatRow(r), "NaN"))
	}
	slices.Sort(out)
	return out
}

// sameCounts compares the counts that a case names with those of a report, by its JSON.
func sameCounts(t *testing.T, want map[string]int64, report any) {
	t.Helper()
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for name, n := range want {
		if g, ok := got[name].(float64); !ok || int64(g) != n {
			t.Errorf("%s: got %v, want %d", name, got[name], n)
		}
	}
}

func runCheck(t *testing.T, c oneCase, _ []string, batches []arrow.Record) {
	nulls := grain.NullsDistinct
	if c.Options.Nulls == "equal" {
		nulls = grain.NullsEqual
	}
	got, err := oracle.Check(batches, c.Options.Key, nulls)
	if want := caseErrors[c.Want.Error]; want != nil || err != nil {
		if !errors.Is(err, want) {
			t.Errorf("got error %v, want %v", err, want)
		}
		return
	}
	sameCounts(t, c.Want.Report, got)
	for i, w := range c.Want.Worst {
		if n, _ := w[len(w)-1].(json.Number).Int64(); i >= len(got.Worst) || got.Worst[i].Count != n {
			t.Errorf("worst key %d: want %d rows, got %+v", i, n, got.Worst)
		}
	}
}
