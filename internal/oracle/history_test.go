package oracle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/scd2"
)

// historyCase is a case of scd2.plan, in so far as the oracle answers it.
type historyCase struct {
	ID      string                    `json:"id"`
	Input   map[string]arrowtest.Spec `json:"input"`
	Steps   [][][]any                 `json:"steps"`
	Options struct {
		Key        []string
		Mode       string
		At         []struct{ Column string }
		Now        any
		Tracked    []string
		ValidFrom  string `json:"valid_from"`
		ValidTo    string `json:"valid_to"`
		Current    string
		Deleted    string
		OpenEnd    any `json:"open_end"`
		Op         struct{ Column, Delete, Truncate any }
		Late       string
		Unchanged  string
		Deletes    string
		Ties       string
		Absent     string
		MaxClose   float64 `json:"max_close"`
		AllowEmpty bool    `json:"allow_empty"`
		NullKey    string  `json:"null_key"`
		Columns    struct{ Missing string }
	}
	Want struct {
		Error   string
		History *[][]any
	}
}

var historyErrors = map[string]error{"null_key": onerow.ErrNullKey, "null_order": onerow.ErrNullOrder, "tie": onerow.ErrTie, "no_column": onerow.ErrNoColumn,
	"type": onerow.ErrType, "too_many_closed": onerow.ErrTooManyClosed, "empty_source": onerow.ErrEmptySource}

// TestHistoryCases runs the cases of scd2.plan, as they stand. Late events that aren't put where they belong, and broken histories,
// aren't the oracle's; of several steps it gets all events at once.
func TestHistoryCases(t *testing.T) {
	ran := 0
	for _, c := range readHistoryCases(t) {
		kind, known := historyErrors[c.Want.Error]
		if c.Options.Late != "" || c.Options.Mode == "" || !known && c.Want.Error != "" || c.ID == "scd2_plan/broken-but-not-touched" {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			got, err := c.run(t)
			if kind != nil || err != nil {
				if !errors.Is(err, kind) {
					t.Errorf("got error %v, want %v", err, kind)
				}
				return
			}
			if c.Want.History != nil {
				want := oracle.Rows(arrowtest.Table(t, arrowtest.Allocator(t), c.Input["history"].Columns, *c.Want.History)...)
				if g, w := canonicalRows(got), canonicalRows(want); !slices.Equal(g, w) {
					t.Errorf("got %q, want %q", g, w)
				}
			}
		})
	}
	if ran < 90 {
		t.Errorf("ran %d cases only", ran)
	}
}

func canonicalRows(rows [][]oracle.Value) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, oracle.Canonical(r))
	}
	slices.Sort(out)
	return out
}

func (c historyCase) run(t *testing.T) ([][]oracle.Value, error) {
	alloc, o := arrowtest.Allocator(t), c.Options
	build := func(spec arrowtest.Spec) []arrow.Record {
		batches, err := spec.Build(alloc)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { arrowtest.Release(batches) })
		return batches
	}
	table := scd2.Table{Batches: build(c.Input["history"]), Key: o.Key, ValidFrom: o.ValidFrom, ValidTo: o.ValidTo, Current: o.Current, Deleted: o.Deleted, OpenEnd: number(o.OpenEnd)}
	changes := build(c.Input["changes"])
	for _, rows := range c.Steps {
		changes = append(changes, build(arrowtest.Spec{Columns: c.Input["changes"].Columns, Rows: rows})...)
	}
	choose := func(text string, names ...string) uint8 { return uint8(max(0, slices.Index(names, text))) }
	list := func(v any) (values []onerow.Value) { some, _ := v.([]any); return append(values, some...) }
	opts := scd2.Options{Tracked: o.Tracked, Now: number(o.Now), MaxClose: o.MaxClose, AllowEmpty: o.AllowEmpty,
		Mode:      scd2.Mode(choose(o.Mode, "", "changes", "snapshot")),
		Unchanged: scd2.Unchanged(choose(o.Unchanged, "collapse", "keep")),
		Deletes:   scd2.Deletes(choose(o.Deletes, "close", "row")),
		Ties:      scd2.Ties(choose(o.Ties, "reject", "content")),
		Absent:    scd2.Absent(choose(o.Absent, "", "close", "keep")),
		NullKey:   onerow.NullKey(choose(o.NullKey, "reject", "equal", "set_aside")),
		Columns:   scd2.Columns{Missing: scd2.Missing(choose(o.Columns.Missing, "", "keep", "null"))},
		Op:        scd2.Op{Delete: list(o.Op.Delete), Truncate: list(o.Op.Truncate)}}
	opts.Op.Column, _ = o.Op.Column.(string)
	for _, one := range o.At {
		opts.At = append(opts.At, onerow.Desc(one.Column))
	}
	if opts.Mode == scd2.Snapshot {
		return oracle.Snapshot(table, changes, opts)
	}
	return oracle.History(table, changes, opts)
}

// number makes an integer of a number of a case file.
func number(v any) onerow.Value {
	if n, ok := v.(json.Number); ok {
		i, _ := n.Int64()
		return i
	}
	return v
}

func readHistoryCases(t *testing.T) (all []historyCase) {
	t.Helper()
	for _, folder := range caseFolders {
		files, err := filepath.Glob(folder + "/scd2_plan/*.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var some []historyCase
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&some); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, some...)
		}
		if all != nil {
			return all
		}
	}
	t.Skipf("no case files in %v", caseFolders)
	return nil
}
