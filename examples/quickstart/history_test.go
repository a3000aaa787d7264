package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

// life is a version as the test compares it: what it says, whether time without a version comes after it, and whether it is open.
type life struct {
	says      outcome
	gap, open bool
}

// livesOf lists the versions of each key by start. Neighbours that say the same are one: the truth has columns that the feed lacks.
func livesOf(versions map[customerKey][]version) map[customerKey][]life {
	lives := map[customerKey][]life{}
	for k, of := range versions {
		slices.SortFunc(of, func(a, b version) int { return cmp.Compare(a.from, b.from) })
		var all []life
		for i, v := range of {
			next := life{v.says, i+1 < len(of) && v.to != of[i+1].from, v.open}
			if n := len(all); n > 0 && all[n-1].says == next.says && !all[n-1].gap {
				all[n-1] = next
				continue
			}
			all = append(all, next)
		}
		lives[k] = all
	}
	return lives
}

type version struct {
	span
	says outcome
}

func versionsOf(batches []arrow.Record) map[customerKey][]version {
	versions := map[customerKey][]version{}
	for _, rec := range batches {
		for i := range int(rec.NumRows()) {
			row := rec.NewSlice(int64(i), int64(i)+1)
			k := keyAt(row, 0)
			versions[k] = append(versions[k], version{spanAt(row, 0), outcomes(row)[k]})
			row.Release()
		}
	}
	return versions
}

// TestHistoryIsTheTruth compares the history with what the source table held at each commit. That comes from the database's own
// log of the rows, not from the feed. Its positions are the commits' own, and those of the feed are of the commits before.
func TestHistoryIsTheTruth(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	messages, err := readFeed(feed)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := keepHistory(context.Background(), messages, deliveries, alloc)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.release()

	want := map[customerKey][]version{}
	for _, row := range readTruth(t, "versions_customers.csv.gz") {
		v := version{says: row.outcome, span: span{open: row.get("valid_to") == nil}}
		if v.from, err = strconv.ParseInt(*row.get("valid_from"), 10, 64); err != nil {
			t.Fatal(err)
		}
		if !v.open {
			if v.to, err = strconv.ParseInt(*row.get("valid_to"), 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		want[row.key] = append(want[row.key], v)
	}
	allow := gocmp.AllowUnexported(life{}, outcome{})
	if diff := gocmp.Diff(livesOf(want), livesOf(versionsOf(kept.table.Batches)), allow); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestHistoryIsTheSameForEveryOrder merges the polls in other orders, the snapshot last among them.
func TestHistoryIsTheSameForEveryOrder(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	messages, err := readFeed(feed)
	if err != nil {
		t.Fatal(err)
	}
	history := func(deliveries []int) []string {
		kept, err := keepHistory(context.Background(), messages, deliveries, alloc)
		if err != nil {
			t.Fatalf("%v: %v", deliveries, err)
		}
		defer kept.release()
		var rows []string
		for _, rec := range kept.table.Batches {
			for i := range int(rec.NumRows()) {
				row := ""
				for _, f := range historySchema.Fields() {
					row += fmt.Sprintf("%q ", value(cell(rec, f.Name, i)))
				}
				rows = append(rows, row)
			}
		}
		slices.Sort(rows)
		return rows
	}
	want := history([]int{0, 1, 2, 3, 4, 5, 6, 7})
	for _, other := range [][]int{deliveries, {7, 6, 5, 4, 3, 2, 1, 0}, {3, 3, 0, 7, 1, 1, 6, 2, 5, 4, 0}, rand.New(rand.NewPCG(1, 2)).Perm(8)} {
		if diff := gocmp.Diff(want, history(other)); diff != "" {
			t.Errorf("deliveries %v (-in order +got):\n%s", other, diff)
		}
	}
}

// TestReplayChangesNothing merges the last poll again.
func TestReplayChangesNothing(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	messages, err := readFeed(feed)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := keepHistory(context.Background(), messages, deliveries, alloc)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.release()
	r := kept.steps[len(kept.steps)-1].plan
	if r.Applied+r.Insert+r.Close+r.Rewrite+r.Remove != 0 || r.Events != r.Unchanged+r.Superseded+r.Duplicates {
		t.Errorf("the last poll again: %+v", r)
	}
}

func TestHistoryErrors(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	messages, err := readFeed(feed)
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := keepHistory(cancelled, messages, deliveries, alloc); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}

	// Without the second order column the states inside a transaction are ties.
	before := planOptions.At
	planOptions.At = order[:1]
	defer func() { planOptions.At = before }()
	if _, err := keepHistory(context.Background(), messages, deliveries, alloc); !errors.Is(err, onerow.ErrTie) {
		t.Errorf("got %v, want a tie", err)
	}
}

func TestAgree(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	messages, err := readFeed(feed)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := keepHistory(context.Background(), messages, []int{0}, alloc)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.release()
	if err := kept.agree(context.Background(), map[customerKey]outcome{}); err == nil {
		t.Error("no error for a history that isn't the table's")
	}
}

// TestNaiveHistory holds the naive merge to its two statements.
func TestNaiveHistory(t *testing.T) {
	at := func(op string, position int64) *message {
		m := &message{Op: op, Before: &customer{}, afterCommit: position}
		if op != "d" {
			m.After = &customer{}
		}
		return m
	}
	var messages []*message
	fill := func(some ...*message) {
		for n := range poll {
			m := &message{Op: "d", Before: &customer{customerKey: customerKey{"other", int64(n)}}}
			if n < len(some) {
				m = some[n]
			}
			messages = append(messages, m)
		}
	}
	fill(at("c", 10))
	fill(at("u", 30))
	fill(at("u", 20))              // older than the second poll
	fill(at("u", 40), at("u", 50)) // two of a key
	fill(at("d", 60), at("c", 70)) // gone and back
	var got []string
	for _, v := range naiveHistory(messages, []int{0, 1, 2, 3, 4}) {
		got = append(got, fmt.Sprintf("%d %d %v", v.from, v.to, v.open))
	}
	want := []string{"10 30 false", "30 40 false", "20 40 false", "40 60 false", "50 60 false", "70 0 true"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPicture takes a key out of a history whose versions are in no order, over several batches.
func TestPicture(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	k, other := customer{customerKey: customerKey{"a", 1}}, customer{customerKey: customerKey{"a", 2}}
	var history []arrow.Record
	defer func() { release(history) }()
	for _, versions := range [][]naiveVersion{
		{{span{from: 5, open: true}, 1, other}, {span{from: 20, open: true}, 1, k}},
		{{span{from: 10, to: 25}, 1, k}},
	} {
		rec, err := historyRecord(versions, alloc)
		if err != nil {
			t.Fatal(err)
		}
		history = append(history, rec)
	}
	p, err := takePicture(context.Background(), history, k.customerKey, alloc)
	if err != nil {
		t.Fatal(err)
	}
	defer p.versions.Release()
	if want := []span{{from: 10, to: 25}, {from: 20, open: true}}; !slices.Equal(p.spans, want) {
		t.Errorf("got %v, want %v", p.spans, want)
	}
	if p.proof.Overlaps != 1 || len(p.proof.Findings) != 1 || p.proof.Findings[0].Kind != scd2.Overlap {
		t.Errorf("got %v", p.proof)
	}
}
