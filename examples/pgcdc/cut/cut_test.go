package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	shipped     = "../../testdata/pgcdc"
	shippedFeed = "../../quickstart/feed.jsonl.gz"
)

// TestShippedFilesAreTheCut makes the files again from the whole feed.
func TestShippedFilesAreTheCut(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole feed takes a few seconds")
	}
	from := os.Getenv("ONEROW_PGCDC_DIR")
	if from == "" {
		from = filepath.FromSlash("../../../../shared/data/pgcdc")
	}
	if _, err := os.Stat(filepath.Join(from, "replayed.jsonl.gz")); err != nil {
		t.Skipf("the whole feed isn't here (ONEROW_PGCDC_DIR names its folder): %v", err)
	}
	to := t.TempDir()
	feed := filepath.Join(to, "feed.jsonl.gz")
	if err := run(from, to, feed, io.Discard); err != nil {
		t.Fatal(err)
	}
	same(t, feed, shippedFeed)
	files, err := filepath.Glob(filepath.Join(shipped, "*.gz"))
	if err != nil || len(files) != 13 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		same(t, filepath.Join(to, filepath.Base(file)), file)
	}
}

// same compares two files unpacked: another version of Go may pack them in another way.
func same(t *testing.T, got, want string) {
	t.Helper()
	g, err := readGzip(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := readGzip(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(g, w) {
		t.Errorf("%s isn't what the cut makes", want)
	}
}

// TestChoiceIsClosed: of a row all events stay, or none, whatever key it had.
func TestChoiceIsClosed(t *testing.T) {
	all, err := readEvents(filepath.Join(shipped, "replayed.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	some := []want{
		{"customers", "key changes", 20, func(f *family) bool { return len(f.keys) > 1 }},
		{"orders", "some", 10, func(*family) bool { return true }},
	}
	c := choose(all, some, io.Discard)
	kept := 0
	for _, e := range all {
		if c.has(e) {
			kept++
		}
		if e.oldKey != "" && c.keys[e.key] != c.keys[e.oldKey] {
			t.Errorf("one key of a change is chosen and one isn't: %s", e.line)
		}
	}
	if kept < 100 || kept > len(all)/2 {
		t.Errorf("%d of %d events stay", kept, len(all))
	}
}

// TestCutOfTheCut: the small feed, cut once more by the same rules, is itself.
func TestCutOfTheCut(t *testing.T) {
	to := t.TempDir()
	if err := run(shipped, to, "", io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"replayed.jsonl.gz", "changes.jsonl.gz", "final_customers.csv.gz", "versions_orders.csv.gz"} {
		same(t, filepath.Join(to, name), filepath.Join(shipped, name))
	}
}

func TestFamilies(t *testing.T) {
	key := func(id string) map[string]*string { return map[string]*string{"order_id": &id} }
	var events []*event
	add := func(op, id, old string) {
		e := &event{Table: "orders", Op: op, Key: key(id)}
		if old != "" {
			e.OldKey = key(old)
		}
		e.key, e.oldKey = eventKey(e.Table, e.Key), eventKey(e.Table, e.OldKey)
		events = append(events, e)
	}
	add("c", "1", "")
	add("c", "2", "")
	add("u", "3", "1") // a swap of 1 and 2, by way of 3
	add("c", "4", "")
	add("u", "1", "2")
	add("u", "2", "3")
	events = append(events, &event{Table: "orders", Op: "t"})

	var got []string
	for _, f := range families(events) {
		slices.Sort(f.keys)
		got = append(got, fmt.Sprint(f.keys, len(f.events)))
	}
	slices.Sort(got)
	want := []string{"[orders/1:1 orders/1:2 orders/1:3] 5", "[orders/1:4] 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("families (-want +got):\n%s", diff)
	}
}

// TestKeyChangeIsTwoMessages: the halves of a key change take two places in their transaction, and what comes after moves on.
func TestKeyChangeIsTwoMessages(t *testing.T) {
	dir := t.TempDir()
	lines := `{"batch":1,"commit_lsn":20,"lsn":11,"xid":1,"commit_ts":"2026-01-31T00:00:00Z","seq_in_tx":1,"table":"customers","op":"u","key":{"tenant_id":"b","customer_id":"2"},"old_key":{"tenant_id":"a","customer_id":"1"},"after":{"tenant_id":"b","customer_id":"2","updated_at":"2026-01-31 01:02:03+00"},"unchanged":["notes"]}
{"batch":1,"commit_lsn":20,"lsn":12,"xid":1,"commit_ts":"2026-01-31T00:00:00Z","seq_in_tx":2,"table":"customers","op":"d","key":{"tenant_id":"b","customer_id":"2"},"after":null}
{"batch":2,"commit_lsn":30,"lsn":22,"xid":2,"commit_ts":"2026-01-31T00:00:01Z","seq_in_tx":1,"table":"customers","op":"d","key":{"tenant_id":"c","customer_id":"3"},"after":null}
`
	for _, name := range []string{"changes.jsonl.gz", "replayed.jsonl.gz"} {
		if err := writeGzip(filepath.Join(dir, name), []byte(lines)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeCSV(filepath.Join(dir, "initial_customers.csv.gz"), [][]string{{"op", "lsn", "snapshot_ts", "tenant_id", "customer_id"}}); err != nil {
		t.Fatal(err)
	}
	events, err := readEvents(filepath.Join(dir, "replayed.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	all := &choice{keys: map[string]bool{}}
	for _, e := range events {
		all.keys[e.key] = true
	}
	out := filepath.Join(dir, "feed.jsonl.gz")
	if err := writeDebezium(dir, out, all); err != nil {
		t.Fatal(err)
	}
	data, err := readGzip(out)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for dec := json.NewDecoder(bytes.NewReader(data)); dec.More(); {
		var m message
		if err := dec.Decode(&m); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintln(m.Op, m.Headers, m.Before["tenant_id"], m.After["tenant_id"], m.After["notes"], m.After["updated_at"],
			m.Source.Sequence, m.Transaction.TotalOrder))
	}
	want := []string{
		`d map[__debezium.newkey:map[customer_id:2 tenant_id:b]] a <nil> <nil> <nil> ["0","11"] 1` + "\n",
		`c map[__debezium.oldkey:map[customer_id:1 tenant_id:a]] <nil> b __debezium_unavailable_value 2026-01-31T01:02:03.000000Z ["0","11"] 2` + "\n",
		`d map[] b <nil> <nil> <nil> ["0","12"] 3` + "\n",
		`d map[] c <nil> <nil> <nil> ["20","22"] 1` + "\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}
