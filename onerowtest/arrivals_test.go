package onerowtest_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/onerowtest"
)

// numbers makes a table of the numbers from 0, in batches of the given lengths.
func numbers(t *testing.T, lengths ...int) []arrow.Record {
	t.Helper()
	text, n := "n:int64", 0
	for i, length := range lengths {
		if i > 0 {
			text += "\n---"
		}
		for range length {
			text += fmt.Sprintf("\n%d", n)
			n++
		}
	}
	return onerowtest.Records(t, text)
}

// shape shows which rows are in which batch.
func shape(batches []arrow.Record) string {
	var parts []string
	for _, b := range batches {
		var cells []string
		for _, row := range arrowtest.Cells(b) {
			cells = append(cells, fmt.Sprint(row[0]))
		}
		parts = append(parts, strings.Join(cells, " "))
	}
	return strings.Join(parts, "|")
}

func shapes(seq iter.Seq2[string, []arrow.Record]) []string {
	var out []string
	for name, batches := range seq {
		out = append(out, name+": "+shape(batches))
	}
	return out
}

func TestCuts(t *testing.T) {
	for _, test := range []struct {
		lengths []int
		want    []string
	}{
		{[]int{4, 1}, []string{
			"as given: 0 1 2 3|4",
			"as given, empty between: |0 1 2 3||4|",
			"batches of 1: 0|1|2|3|4",
			"batches of 1, empty between: |0||1||2||3||4|",
			"batches of 2: 0 1|2 3|4",
			"batches of 2, empty between: |0 1||2 3||4|",
			"batches of 3: 0 1 2|3 4",
			"batches of 3, empty between: |0 1 2||3 4|",
			"one batch: 0 1 2 3 4",
			"one batch, empty between: |0 1 2 3 4|"}},
		{[]int{1}, []string{"as given: 0", "as given, empty between: |0|", "one batch: 0", "one batch, empty between: |0|"}},
		{[]int{0, 0}, []string{"as given: |", "as given, empty between: ||||", "one batch: ", "one batch, empty between: ||"}},
	} {
		if d := cmp.Diff(test.want, shapes(onerowtest.Cuts(t, numbers(t, test.lengths...)))); d != "" {
			t.Errorf("batches of %v: %s", test.lengths, d)
		}
	}
	if got := shapes(onerowtest.Cuts(t, nil)); !slices.Equal(got, []string{"as given: "}) {
		t.Errorf("no batches: %q", got)
	}
}

func TestArrivals(t *testing.T) {
	for rows := range 8 {
		batches := numbers(t, rows)
		cuts, all := shapes(onerowtest.Cuts(t, batches)), shapes(onerowtest.Arrivals(t, batches))
		if d := cmp.Diff(cuts, all[:len(cuts)]); d != "" {
			t.Error(d)
		}
		want := map[int]int{0: 0, 1: 0, 2: 1, 3: 5, 4: 23, 5: 25, 6: 25, 7: 25}[rows]
		if got := len(all) - len(cuts); got != 2*want {
			t.Errorf("%d rows come in %d other ways, want %d", rows, got, 2*want)
		}
		orders, cut := map[string]int{}, map[int]bool{}
		for _, s := range all[len(cuts):] {
			_, s, _ := strings.Cut(s, ": ")
			fields := strings.Fields(strings.ReplaceAll(s, "|", " "))
			orders[strings.Join(fields, " ")]++
			cut[strings.Count(s, "|")+1] = true
			slices.Sort(fields)
			if len(slices.Compact(fields)) != rows {
				t.Errorf("an order of %d rows is %s", rows, s)
			}
		}
		if len(orders) != want {
			t.Errorf("%d rows: %d of %d orders differ", rows, len(orders), want)
		}
		for order, n := range orders {
			if n != 2 {
				t.Errorf("the order %s comes %d times", order, n)
			}
		}
		if rows > 3 && len(cut) != len(map[int]bool{1: true, rows: true, (rows + 1) / 2: true, (rows + 2) / 3: true}) {
			t.Errorf("%d rows come in %v batches", rows, cut)
		}
		if d := cmp.Diff(all, shapes(onerowtest.Arrivals(t, batches))); d != "" {
			t.Errorf("another time: %s", d)
		}
	}
	if got := shapes(onerowtest.Arrivals(t, nil)); !slices.Equal(got, []string{"as given: "}) {
		t.Errorf("no batches: %q", got)
	}
}

// The batches live as long as the test, and a loop may end early.
func TestArrivalsAreReleased(t *testing.T) {
	f := &fakeT{}
	var kept []arrow.Record
	given := onerowtest.Records(f, "n:int64  s:dict<int8,string>\n1 a\n2 -\n---\n3 b\n4 a\n5 c")
	for _, batches := range onerowtest.Arrivals(f, given) {
		kept = append(kept, batches...)
	}
	for range 13 {
		n := 0
		for range onerowtest.Arrivals(f, given) {
			if n++; n > 12 {
				break
			}
		}
	}
	for _, b := range kept {
		arrowtest.Cells(b)
	}
	if got := f.end(); got != "" {
		t.Errorf("the test fails with %s", got)
	}

	f = &fakeT{}
	for _, batches := range onerowtest.Arrivals(f, onerowtest.Records(f, "n:int64\n1")) {
		batches[0].Retain()
	}
	if got := f.end(); !strings.Contains(got, "LEAK") {
		t.Errorf("batches are held on to, and the test fails with %q", got)
	}
}

func TestArrivalsOfOtherSchemas(t *testing.T) {
	f := &fakeT{}
	a, b := onerowtest.Records(f, "n:int64\n1"), onerowtest.Records(f, "n:int8\n1")
	for name := range onerowtest.Arrivals(f, []arrow.Record{a[0], b[0]}) {
		t.Errorf("there is %s", name)
	}
	if got := f.end(); !f.fatal || !strings.Contains(got, "batch 1 differs in schema") {
		t.Errorf("the test fails with %q", got)
	}
}
