package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/scd2"
)

// TestSmallHistory: the history built from the feed as delivered is the true one, byte by byte.
func TestSmallHistory(t *testing.T) {
	for _, name := range []string{"customers", "orders", "flags"} {
		t.Run(name, func(t *testing.T) { testHistory(t, smallFeed, name, "testdata/history_"+name+".txt") })
	}
}

func TestWholeHistory(t *testing.T) {
	dir := wholeFeed(t)
	for _, name := range []string{"customers", "orders", "flags"} {
		t.Run(name, func(t *testing.T) { testHistory(t, dir, name, "") })
	}
}

func testHistory(t *testing.T, dir, name, golden string) {
	versions, summary := runHistory(t, dir, name)
	compareVersions(t, trueVersions(t, dir, name), versions)
	checkHistorySummary(t, summary)
	if golden == "" {
		t.Log("\n" + summary)
		return
	}
	if *update {
		if err := os.WriteFile(golden, []byte(summary), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expected, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(expected), summary); diff != "" {
		t.Errorf("summary (-want +got; run with -update to accept):\n%s", diff)
	}
}

// TestShuffledHistory: whatever the order and the batches, the history is the true one by value: a version that was dealt out twice, once with 0
// and once with -0, has either.
func TestShuffledHistory(t *testing.T) {
	for _, name := range []string{"customers", "orders", "flags"} {
		want := byValue(trueVersions(t, smallFeed, name))
		for _, seed := range []string{"1", "2", "18446744073709551615"} {
			t.Run(name+" "+seed, func(t *testing.T) {
				versions, summary := runHistory(t, smallFeed, name, "-shuffle", seed)
				compareVersions(t, want, byValue(versions))
				checkHistorySummary(t, summary)
			})
		}
	}
}

func TestWholeHistoryShuffled(t *testing.T) {
	dir := wholeFeed(t)
	for _, name := range []string{"customers", "orders", "flags"} {
		t.Run(name, func(t *testing.T) {
			versions, summary := runHistory(t, dir, name, "-shuffle", "1")
			compareVersions(t, byValue(trueVersions(t, dir, name)), byValue(versions))
			checkHistorySummary(t, summary)
			t.Log("\n" + summary)
		})
	}
}

// runHistory runs the program, and returns what it wrote and its summary without the last line, which tells times.
func runHistory(t *testing.T, dir, name string, more ...string) (versions [][]string, summary string) {
	t.Helper()
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	out := filepath.Join(t.TempDir(), name+".csv.gz")
	var printed bytes.Buffer
	args := append([]string{"-dir", dir, "-table", name, "-history", "-out", out, "-v"}, more...)
	if err := run(context.Background(), args, &printed, io.Discard, alloc); err != nil {
		t.Fatal(err)
	}
	summary, _, found := strings.Cut(printed.String(), "plan and apply took ")
	if !found {
		t.Errorf("no times:\n%s", &printed)
	}
	return readTestCSV(t, out), summary
}

// trueVersions reads the true history by value. For flags there is none but the one by commit, which doesn't differ: no flag is a number.
func trueVersions(t *testing.T, dir, name string) [][]string {
	t.Helper()
	if name != "flags" {
		return readTestCSV(t, filepath.Join(dir, "versions_"+name+".csv.gz"))
	}
	versions := readTestCSV(t, filepath.Join(dir, "history_"+name+".csv.gz"))
	end := slices.Index(versions[0], scd2.DefaultValidTo) + 1
	for i := range versions {
		versions[i] = versions[i][:end]
	}
	return versions
}

// byValue writes -0 as 0 in the column score.
func byValue(versions [][]string) [][]string {
	if score := slices.Index(versions[0], "score"); score >= 0 {
		for _, v := range versions {
			if v[score] == "-0" {
				v[score] = "0"
			}
		}
	}
	return versions
}

// compareVersions compares versions as sorted lists, so as sets in which rows count.
func compareVersions(t *testing.T, want, got [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d versions, want %d", len(got)-1, len(want)-1)
	}
	wrong := 0
	for i := range min(len(got), len(want)) {
		if !slices.Equal(got[i], want[i]) {
			if wrong++; wrong <= 5 {
				t.Errorf("version %d (-want +got):\n%s", i, cmp.Diff(want[i], got[i]))
			}
		}
	}
	if wrong > 5 {
		t.Errorf("%d versions differ", wrong)
	}
}

// checkHistorySummary: each plan was followed by a check, and no event was left out.
func checkHistorySummary(t *testing.T, summary string) {
	t.Helper()
	count := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ *([a-z ]+?)  +(\d+)`).FindAllStringSubmatch(summary, -1) {
		count[m[1]] = m[2]
	}
	if count["batches"] == "" || count["checks"] != count["batches"] || count["ignored"] != "0" || count["rejected"] != "0" || count["unsure"] != "0" {
		t.Errorf("not as many checks as batches, or not every event was taken in:\n%s", summary)
	}
}

// TestHistoryIsIdempotent: a second run of the whole feed over its own history changes nothing, and teaches the state nothing.
func TestHistoryIsIdempotent(t *testing.T) {
	for name := range tables {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer alloc.AssertSize(t, 0)
			tab, err := newTable(name)
			if err != nil {
				t.Fatal(err)
			}
			h := newHistorian(tab, alloc)
			defer h.close()
			if err := (feed{smallFeed, tab}).replay(ctx, h.apply); err != nil {
				t.Fatal(err)
			}
			first := h.summary
			if err := (feed{smallFeed, tab}).replay(ctx, h.apply); err != nil {
				t.Fatal(err)
			}
			s := h.summary
			if s.Insert+s.Close+s.Rewrite+s.Remove != first.Insert+first.Close+first.Rewrite+first.Remove || s.Remembered != first.Remembered {
				t.Errorf("the second run changed the history:\nfirst %+v\nboth  %+v", first.Report, s.Report)
			}
		})
	}
}

// TestEveryOrderKnowsTheSame: neither the columns of the history that aren't written nor the state depend on order and batches.
func TestEveryOrderKnowsTheSame(t *testing.T) {
	for name := range tables {
		t.Run(name, func(t *testing.T) {
			history, state := whatIsKnown(t, name, 0)
			for _, seed := range []uint64{1, 2} {
				shuffledHistory, shuffledState := whatIsKnown(t, name, seed)
				if diff := cmp.Diff(history, shuffledHistory); diff != "" {
					t.Errorf("seed %d: history (-as delivered +shuffled):\n%s", seed, diff)
				}
				if diff := cmp.Diff(state, shuffledState); diff != "" {
					t.Errorf("seed %d: state (-as delivered +shuffled):\n%s", seed, diff)
				}
			}
		})
	}
}

// whatIsKnown are the rows of history and state at the end, as text and sorted.
func whatIsKnown(t *testing.T, name string, seed uint64) (history, state []string) {
	t.Helper()
	ctx := context.Background()
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	tab, err := newTable(name)
	if err != nil {
		t.Fatal(err)
	}
	h := newHistorian(tab, alloc)
	defer h.close()
	f := feed{smallFeed, tab}
	if seed == 0 {
		err = f.replay(ctx, h.apply)
	} else {
		err = f.replayShuffled(ctx, seed, h.carrier, h.apply)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rowsAsText(h.batches...), rowsAsText(h.state)
}

// rowsAsText prints the values of each row by name; -0 as 0.
func rowsAsText(batches ...arrow.Record) []string {
	var rows []string
	for _, b := range batches {
		for i := range int(b.NumRows()) {
			var values []string
			for c, field := range b.Schema().Fields() {
				value := b.Column(c).ValueStr(i)
				if value == "-0" {
					value = "0"
				}
				values = append(values, fmt.Sprintf("%s=%q", field.Name, value))
			}
			slices.Sort(values)
			rows = append(rows, strings.Join(values, " "))
		}
	}
	slices.Sort(rows)
	return rows
}

// TestHistoryOfEmptyTable: a table without rows and changes has a history without versions.
func TestHistoryOfEmptyTable(t *testing.T) {
	dir := t.TempDir()
	writeTestGzip(t, filepath.Join(dir, "initial_flags.csv.gz"), "op,lsn,snapshot_ts,key,value\n")
	writeTestGzip(t, filepath.Join(dir, "replayed.jsonl.gz"), "")
	for _, more := range [][]string{nil, {"-shuffle", "1"}} {
		versions, _ := runHistory(t, dir, "flags", more...)
		if diff := cmp.Diff([][]string{{"key", "value", "valid_from", "valid_to"}}, versions); diff != "" {
			t.Errorf("%v: versions (-want +got):\n%s", more, diff)
		}
	}
}
