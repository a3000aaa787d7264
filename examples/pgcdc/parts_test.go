package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
)

var opaque = cmp.AllowUnexported(row{}, position{}, cell{}, microBatch{})

// flagsTable is the table flags as its snapshot declares it.
func flagsTable(t *testing.T) *table {
	t.Helper()
	tab, err := newTable("flags")
	if err != nil {
		t.Fatal(err)
	}
	tab.addColumn("key")
	tab.addColumn("value")
	return tab
}

func flag1(op string, lsn uint64, key, value string) row {
	return row{op: op, at: position{commitLSN: lsn}, cells: []cell{text(key), text(value)}}
}

func TestReadFeed(t *testing.T) {
	lines := []string{
		`{"batch":1,"table":"flags","op":"c","commit_lsn":5,"seq_in_tx":1,"key":{"key":"a"},"after":{"key":"a","value":"one` + "\u2028" + `line"}}`,
		`{"batch":1,"table":"orders","op":"d","commit_lsn":5,"seq_in_tx":2,"key":{"order_id":"1"},"after":null}`,
		`{"batch":2,"table":"orders","op":"d","commit_lsn":5,"seq_in_tx":2,"key":{"order_id":"1"},"after":null}`,
		`{"batch":3,"table":"flags","op":"u","commit_lsn":6,"seq_in_tx":1,"key":{"key":"b"},"old_key":{"key":"a"},"after":{"key":"b","value":null,"note":""}}`,
		`{"batch":3,"table":"flags","op":"t","commit_lsn":6,"seq_in_tx":2,"key":null,"after":null}`,
		`{"batch":3,"table":"flags","op":"d","commit_lsn":7,"seq_in_tx":1,"key":{"key":""},"after":null}`,
	}
	path := filepath.Join(t.TempDir(), "feed.jsonl.gz")
	writeTestGzip(t, path, strings.Join(lines, "\n")) // without a line feed at the end
	tab := flagsTable(t)
	var got []microBatch
	for batch, err := range readFeed(path, tab) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, batch)
	}
	want := []microBatch{
		{1, []row{{op: "c", at: position{5, 1}, cells: []cell{text("a"), text("one\u2028line")}}}},
		{3, []row{
			{op: "u", at: position{6, 1}, cells: []cell{text("b"), {}, text("")}, previous: []cell{text("a")}},
			{op: "t", at: position{6, 2}},
			{op: "d", at: position{7, 1}, cells: []cell{text(""), {}, {}}},
		}},
	}
	if diff := cmp.Diff(want, got, opaque); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"key", "value", "note"}, tab.columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

func TestReadFeedRefuses(t *testing.T) {
	for _, test := range []struct{ table, line, want string }{
		{"flags", `{"batch":`, "line 1: unexpected end of JSON input"},
		{"flags", `{"table":"flags","op":"d","key":null}`, `line 1: no value for the key column "key"`},
		{"flags", `{"table":"flags","op":"c","key":{"key":"a"},"after":{"value":"b"}}`, `line 1: key column "key" is NULL`},
		{"flags", `{"table":"flags","op":"c","key":{"key":"a"},"after":{"key":"a"},"unchanged":["value"]}`, `column "value" was left out`},
		{"orders", `{"table":"orders","op":"d","key":{"order_id":"1.5"}}`, `column "order_id": strconv.ParseInt`},
		{"orders", `{"table":"orders","op":"c","key":{"order_id":"1"},"after":{"order_id":"1","customer_id":"x"}}`, `column "customer_id": strconv.ParseInt`},
	} {
		path := filepath.Join(t.TempDir(), "feed.jsonl.gz")
		writeTestGzip(t, path, test.line+"\n")
		tab, err := newTable(test.table)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"key", "value", "order_id", "customer_id"} {
			tab.addColumn(name)
		}
		for _, err = range readFeed(path, tab) {
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.line, err, test.want)
		}
	}
}

func TestReadSnapshotRefuses(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"", "header: EOF"},
		{"key,value\n", `header: got ["key" "value"]`},
		{"op,lsn,snapshot_ts,value\n", `header: no column "key"`},
		{"op,lsn,snapshot_ts,key,value\nc,1,,a,b\n", `line 2: op "c" in a snapshot`},
		{"op,lsn,snapshot_ts,key,value\nr,x,,a,b\n", "line 2: lsn"},
		{"op,lsn,snapshot_ts,key,value\nr,1,,\\N,b\n", `line 2: key column "key" is NULL`},
		{"op,lsn,snapshot_ts,key,value\nr,1,,a\n", "wrong number of fields"},
	} {
		path := filepath.Join(t.TempDir(), "initial.csv.gz")
		writeTestGzip(t, path, test.file)
		tab, err := newTable("flags")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readSnapshot(path, tab); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %q", test.file, err, test.want)
		}
	}
}

// TestCSVKeepsValues: NULL, ” and what CSV must quote come back as they were, compressed or not.
func TestCSVKeepsValues(t *testing.T) {
	tab := flagsTable(t)
	rows := [][]cell{{text(""), {}}, {text(" a,\"b\"\nc"), text("")}, {text(`\.`)}}
	want := [][]string{{"key", "value"}, {"", `\N`}, {" a,\"b\"\nc", ""}, {`\.`, `\N`}}
	for _, name := range []string{"out.csv", "out.csv.gz"} {
		path := filepath.Join(t.TempDir(), name)
		if err := writeCSV(path, tab.columns, rows); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, readTestCSV(t, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	path := filepath.Join(t.TempDir(), "out.csv")
	err := writeCSV(path, tab.columns, [][]cell{{text("a"), text(null)}})
	if err == nil || !strings.Contains(err.Error(), `column "value"`) {
		t.Errorf("got %v, want an error about the column value", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file that couldn't be written was left")
	}
}

func TestRecordKeepsRows(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	tab, err := newTable("customers")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tenant_id", "customer_id", "credit", "row_version", "score", "loyalty_tier"} {
		tab.addColumn(name)
	}
	rows := []row{
		{op: "r", at: position{1, 0}, cells: []cell{text(""), text("-9223372036854775808"), text("NaN"), {}, text("-0")}},
		{op: "u", at: position{1 << 63, 9}, cells: []cell{text("a"), text("7"), {}, text("1"), text("1e+15"), text("gold")}, previous: []cell{text(""), text("0")}},
		tab.tombstone([]cell{text("b"), text("8")}, position{3, 4}),
	}
	rec := tab.record(rows, alloc)
	defer rec.Release()
	rows[0].cells = append(rows[0].cells, cell{}) // a row from before loyalty_tier is NULL in it
	if diff := cmp.Diff(rows, tab.rowsOf(rec), opaque); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestTargetTruncate(t *testing.T) {
	tab := flagsTable(t)
	g := newTarget()
	for _, r := range []row{
		flag1("r", 50, "snapshot", "x"),
		flag1("c", 10, "older", "x"),
		tab.tombstone([]cell{text("deleted")}, position{commitLSN: 11}),
		flag1("c", 30, "newer", "x"),
	} {
		g.put(tab, r)
	}
	at := position{20, 7}
	if ended := g.truncate(tab, at); ended != 2 {
		t.Errorf("ended %d rows, want 2", ended)
	}
	if ended := g.truncate(tab, position{commitLSN: 15}); ended != 0 || g.truncated != at {
		t.Errorf("an older truncate ended %d rows and moved the newest to %v", ended, g.truncated)
	}
	if diff := cmp.Diff([]row{flag1("c", 30, "newer", "x")}, g.live(tab), opaque); diff != "" {
		t.Errorf("live rows (-want +got):\n%s", diff)
	}

	asked := []row{flag1("u", 12, "never seen", "x"), flag1("u", 12, "older", "x"), flag1("u", 31, "newer", "y"), flag1("u", 32, "newer", "z")}
	want := []row{
		tab.tombstone([]cell{text("never seen")}, at),
		tab.tombstone([]cell{text("older")}, at),
		flag1("c", 30, "newer", "x"),
	}
	if diff := cmp.Diff(want, g.touched(tab, asked), opaque); diff != "" {
		t.Errorf("touched (-want +got):\n%s", diff)
	}
}

// TestMapKey: no two keys are one, whatever the cut between their columns.
func TestMapKey(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range [][]cell{
		{text("a"), text("bc")}, {text("ab"), text("c")}, {text("abc"), text("")}, {text(""), text("abc")},
		{text("\x01"), text("\x01")}, {text("\x01\x01"), text("")},
	} {
		k := mapKey(key)
		if seen[k] {
			t.Errorf("key %v is like another", key)
		}
		seen[k] = true
	}
}
