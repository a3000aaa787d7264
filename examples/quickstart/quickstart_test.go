package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/dedupe"
)

var update = flag.Bool("update", false, "write the output to testdata/output.txt")

func TestOutput(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	var out bytes.Buffer
	if err := run(context.Background(), &out, alloc); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/output.txt"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("output (-want +got; run with -update to accept):\n%s", diff)
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if n := len([]rune(line)); n > 110 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
		if n := len([]rune(line)); n > 80 && strings.ContainsAny(line, "█▶│") {
			t.Errorf("a line of %d characters in a picture: %s", n, line)
		}
	}
}

// TestResultIsTheTable compares the winners with what the source table held at the end. That comes from the database's own
// log of the rows, not from the feed.
func TestResultIsTheTable(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	messages, err := readFeed(feed)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := makeRecord(messages, alloc)
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Release()
	plan, err := dedupe.Latest(context.Background(), []arrow.Record{batch}, key, order, options)
	if err != nil {
		t.Fatal(err)
	}
	latest, err := plan.Take(context.Background(), alloc)
	if err != nil {
		t.Fatal(err)
	}
	defer latest.Release()
	if diff := cmp.Diff(finalTable(t), outcomes(latest), cmp.AllowUnexported(outcome{})); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// finalTable is the table at the end.
func finalTable(t *testing.T) map[customerKey]outcome {
	t.Helper()
	final := map[customerKey]outcome{}
	for _, row := range readTruth(t, "final_customers.csv.gz") {
		final[row.key] = row.outcome
	}
	return final
}

// truth is a row of the files that lie beside the feed of the pgcdc example, from which this feed is made.
type truth struct {
	key     customerKey
	outcome outcome
	get     func(column string) *string
}

func readTruth(t *testing.T, name string) []truth {
	t.Helper()
	file, err := os.Open("../testdata/pgcdc/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(zip).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []truth
	for _, row := range rows[1:] {
		get := func(name string) *string {
			if i := slices.Index(rows[0], name); row[i] != `\N` {
				return &row[i]
			}
			return nil
		}
		id, err := strconv.ParseInt(*get("customer_id"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		updated := strings.Replace(strings.TrimSuffix(*get("updated_at"), "+00"), " ", "T", 1) + ".000000Z"
		c := customer{Name: get("name"), City: get("city"), Segment: get("segment"), Credit: get("credit"),
			UpdatedAt: &updated, LoyaltyTier: get("loyalty_tier")}
		all = append(all, truth{customerKey{*get("tenant_id"), id}, outcome{content(&c), value(get("notes"))}, get})
	}
	return all
}

func TestBrokenFeed(t *testing.T) {
	for _, test := range []struct{ name, feed, want string }{
		{"json", `{"op":`, "message 1"},
		{"row", `{"op":"u","source":{"sequence":"[null,\"1\"]"}}`, "message 1: neither before nor after"},
		{"sequence", `{"op":"u","after":{"tenant_id":"a"},"source":{"sequence":"7"}}`, "message 1: source.sequence"},
		{"position", `{"op":"u","after":{"tenant_id":"a"},"source":{"sequence":"[\"x\",\"1\"]"}}`, "message 1: source.sequence"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var compressed bytes.Buffer
			zip := gzip.NewWriter(&compressed)
			zip.Write([]byte(test.feed))
			zip.Close()
			if _, err := readFeed(compressed.Bytes()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	if _, err := readFeed([]byte("no gzip")); err == nil {
		t.Error("no error for a feed that isn't compressed")
	}

	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	when := "yesterday"
	if _, err := makeRecord([]*message{{After: &customer{UpdatedAt: &when}}}, alloc); err == nil || !strings.Contains(err.Error(), `"updated_at"`) {
		t.Errorf("got %v, want an error about updated_at", err)
	}
}

func TestTableAligns(t *testing.T) {
	var out bytes.Buffer
	p := printer{out: &out}
	p.table([]string{"key", "rows"}, [][]string{{"é", "1,234"}, {"long", "7"}})
	want := "  key    rows\n  é     1,234\n  long      7\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestShortAndCount(t *testing.T) {
	if got := short("a\u2028bcdé", 5); got != "a·bc…" {
		t.Errorf("got %q", got)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}
