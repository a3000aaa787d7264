package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the summaries to testdata")

// smallFeed is cut from the whole feed by the command in the folder cut.
const smallFeed = "../testdata/pgcdc"

// wholeFeed returns the folder of the whole feed, or skips the test.
func wholeFeed(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the whole feed takes a few seconds")
	}
	dir := os.Getenv("ONEROW_PGCDC_DIR")
	if dir == "" {
		dir = filepath.FromSlash("../../../shared/data/pgcdc")
	}
	if _, err := os.Stat(filepath.Join(dir, "replayed.jsonl.gz")); err != nil {
		t.Skipf("the whole feed isn't here (ONEROW_PGCDC_DIR names its folder): %v", err)
	}
	return dir
}

func TestSmallFeed(t *testing.T) {
	for _, name := range []string{"customers", "orders", "flags"} {
		t.Run(name, func(t *testing.T) { testFeed(t, smallFeed, name, "testdata/summary_"+name+".txt") })
	}
}

func TestWholeFeed(t *testing.T) {
	dir := wholeFeed(t)
	for _, name := range []string{"customers", "orders", "flags"} {
		t.Run(name, func(t *testing.T) { testFeed(t, dir, name, "") })
	}
}

// testFeed runs the program, and compares its output with what the table held at the end, row by row and cell by cell.
func testFeed(t *testing.T, dir, name, golden string) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	out := filepath.Join(t.TempDir(), name+".csv.gz")
	var summary bytes.Buffer
	err := run(context.Background(), []string{"-dir", dir, "-table", name, "-out", out, "-v"}, &summary, io.Discard, alloc)
	if err != nil {
		t.Fatal(err)
	}
	got, want := readTestCSV(t, out), readTestCSV(t, filepath.Join(dir, "final_"+name+".csv.gz"))
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got)-1, len(want)-1)
	}
	wrong := 0
	for i := range min(len(got), len(want)) {
		if !slices.Equal(got[i], want[i]) {
			if wrong++; wrong <= 5 {
				t.Errorf("row %d (-want +got):\n%s", i, cmp.Diff(want[i], got[i]))
			}
		}
	}
	if wrong > 5 {
		t.Errorf("%d rows differ", wrong)
	}
	if !strings.Contains(summary.String(), " 0  large values not found\n") {
		t.Errorf("values of large columns were not found:\n%s", &summary)
	}
	if golden == "" {
		t.Log("\n" + summary.String())
		return
	}
	if *update {
		if err := os.WriteFile(golden, summary.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expected, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(expected), summary.String()); diff != "" {
		t.Errorf("summary (-want +got; run with -update to accept):\n%s", diff)
	}
}

func readTestCSV(t *testing.T, path string) [][]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var in io.Reader = bytes.NewReader(data)
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(in); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestReplayedFeedIsIdempotent runs the whole feed a second time over its own result: everything is stale then.
func TestReplayedFeedIsIdempotent(t *testing.T) {
	for name := range tables {
		t.Run(name, func(t *testing.T) {
			alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer alloc.AssertSize(t, 0)
			tab, err := newTable(name)
			if err != nil {
				t.Fatal(err)
			}
			f, r := feed{smallFeed, tab}, replica{table: tab, target: newTarget(), alloc: alloc}
			if err := f.replay(context.Background(), r.apply); err != nil {
				t.Fatal(err)
			}
			first, live := r.summary, r.target.live(tab)
			if err := f.replay(context.Background(), r.apply); err != nil {
				t.Fatal(err)
			}
			if r.summary.Kept != first.Kept {
				t.Errorf("the second run kept %d rows", r.summary.Kept-first.Kept)
			}
			if diff := cmp.Diff(live, r.target.live(tab), cmp.AllowUnexported(row{}, position{}, cell{})); diff != "" {
				t.Errorf("the second run changed the table:\n%s", diff)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	broken := t.TempDir()
	writeTestGzip(t, filepath.Join(broken, "initial_flags.csv.gz"), "op,lsn,snapshot_ts,key,value\nr,1,,a,b\n")
	writeTestGzip(t, filepath.Join(broken, "replayed.jsonl.gz"), `{"batch":1,"table":"flags","op":"x"}`+"\n")
	out := filepath.Join(t.TempDir(), "out.csv")
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, "-dir, -table and -out are needed"},
		{"shuffled table", []string{"-dir", smallFeed, "-table", "flags", "-out", out, "-shuffle", "1"}, "-shuffle needs -history"},
		{"seed", []string{"-dir", smallFeed, "-table", "flags", "-out", out, "-history", "-shuffle", "x"}, `invalid value "x" for flag -shuffle`},
		{"argument", []string{"-dir", smallFeed, "flags"}, `unexpected argument "flags"`},
		{"no folder", []string{"-dir", "nowhere", "-table", "flags", "-out", out}, "nowhere: no such file or directory"},
		{"a file", []string{"-dir", "main.go", "-table", "flags", "-out", out}, "main.go is not a folder"},
		{"table", []string{"-dir", smallFeed, "-table", "invoices", "-out", out}, `unknown table "invoices"; the tables are customers, flags, orders`},
		{"empty folder", []string{"-dir", t.TempDir(), "-table", "flags", "-out", out}, "initial_flags.csv.gz: no such file"},
		{"history feed", []string{"-dir", broken, "-table", "flags", "-history", "-out", out}, `replayed.jsonl.gz: line 1: op "x": none of c, u, d, t`},
		{"feed", []string{"-dir", broken, "-table", "flags", "-out", out}, `replayed.jsonl.gz: line 1: op "x": none of c, u, d, t`},
		{"output", []string{"-dir", smallFeed, "-table", "flags", "-out", filepath.Join(broken, "no", "out.csv")}, "no such file or directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := run(context.Background(), test.args, io.Discard, io.Discard, memory.DefaultAllocator)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a refused call wrote its output")
	}
}

func writeTestGzip(t *testing.T, path, text string) {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	zip.Write([]byte(text))
	zip.Close()
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
