package onerowtest_test

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

// exampleT stands in for the *testing.T of a test: it prints what the test would fail with.
type exampleT struct{ cleanups []func() }

func (t *exampleT) Helper()                           {}
func (t *exampleT) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (t *exampleT) Fatalf(format string, args ...any) { t.Errorf(format, args...) }
func (t *exampleT) Cleanup(f func())                  { t.cleanups = append(t.cleanups, f) }

// end is the end of the test.
func (t *exampleT) end() {
	for ; len(t.cleanups) > 0; t.cleanups = t.cleanups[:len(t.cleanups)-1] {
		t.cleanups[len(t.cleanups)-1]()
	}
}

// A table is written as one reads it. NULL is -, text with blanks is in quotes, and a line of dashes ends a batch.
func ExampleRecords() {
	t := &exampleT{}
	defer t.end()

	batches := onerowtest.Records(t, `
		id:int64  plan:string  paid:decimal(8,2)  valid_from:timestamp[us,UTC]  valid_to:timestamp[us,UTC]
		7         basic        9.90               2026-01-01                    2026-02-01T09:30Z
		---
		7         "team of 5"  49                 2026-02-01T09:30Z             -                           # still open
	`)
	fmt.Println(len(batches), "batches of", batches[0].NumCols(), "columns")

	onerowtest.Records(t, `
		id:int64  plan:string
		seven     basic
	`)
	// Output:
	// 2 batches of 5 columns
	// onerowtest: line 3, column 3: column "id": "seven" is no integer
}

// What Text writes can be pasted into a test.
func ExampleText() {
	t := &exampleT{}
	defer t.end()

	batches := onerowtest.Records(t, "id:int64! tags:list<string> since:date32\n 1 [\"new\",null] 2026-01-31\n 2 - -\n---\n 3 [] 2026-02-28")
	fmt.Print(onerowtest.Text(batches))
	// Output:
	// id:int64!  tags:list<string>  since:date32
	// 1          ["new",null]       2026-01-31
	// 2          -                  -
	// ---
	// 3          []                 2026-02-28
}

// The code under test gets an allocator that finds what it forgets to release.
func ExampleAllocator() {
	t := &exampleT{}
	defer t.end()

	alloc := onerowtest.Allocator(t)
	b := alloc.Allocate(64)
	fmt.Println(len(b), "bytes in use")
	alloc.Free(b) // or the test fails with the place of this allocation
	// Output: 64 bytes in use
}

// What the code under test returns is the test's to release.
func ExampleRelease() {
	t := &exampleT{}
	defer t.end()

	merge := func(changes []arrow.Record) arrow.Record { return changes[0].NewSlice(1, 2) }
	result := merge(onerowtest.Records(t, "id:int64\n1\n2\n3"))
	onerowtest.Release(t, result)
	fmt.Println(result.NumRows(), "row")
	// Output: 1 row
}

// Rows are compared by value, whatever their order and their batches.
func ExampleDiff() {
	t := &exampleT{}
	defer t.end()

	want := onerowtest.Records(t, `
		id:int64  plan:string  seats:int64
		1         basic        1
		2         team         5
		3         basic        1`)
	got := onerowtest.Records(t, `
		id:int64  plan:string  seats:int32
		2         team         50
		1         basic        1
		4         basic        1`)
	fmt.Print(onerowtest.Diff(want, got, "id"))
	// Output:
	//   id:int64  plan:string  seats:int64 → int32
	// ~ 2         team         5 → 50
	// - 3         basic        1
	// + 4         basic        1
}

// Equal fails the test with the diff.
func ExampleEqual() {
	t := &exampleT{}
	defer t.end()

	want := onerowtest.Records(t, "id:int64 plan:string\n1 basic\n2 team")
	got := onerowtest.Records(t, "id:int64 plan:string\n2 team\n1 pro")
	onerowtest.Equal(t, want, got, "id")
	// Output:
	// onerowtest: the rows differ (- missing, + surplus, ~ changed):
	//   id:int64  plan:string
	// ~ 1         basic → pro
}

// Of a key whose history differs all versions are shown.
func ExampleDiffHistory() {
	t := &exampleT{}
	defer t.end()

	want := onerowtest.Records(t, `
		id:int64  plan:string  valid_from:date32  valid_to:date32
		1         basic        2026-01-01         2026-02-01
		1         team         2026-02-01         -
		2         basic        2026-01-01         -`)
	got := onerowtest.Records(t, `
		id:int64  plan:string  valid_from:date32  valid_to:date32
		1         basic        2026-01-01         -
		1         team         2026-02-01         -
		2         basic        2026-01-01         -`)
	fmt.Print(onerowtest.DiffHistory(want, scd2.Table{Batches: got, Key: []string{"id"}}))
	// Output:
	//   id:int64  plan:string  valid_from:date32  valid_to:date32
	// ~ 1         basic        2026-01-01         2026-02-01 → -
	//   1         team         2026-02-01         -
}

// EqualHistory fails the test with the diff.
func ExampleEqualHistory() {
	t := &exampleT{}
	defer t.end()

	want := onerowtest.Records(t, `
		id:int64  plan:string  valid_from:date32  valid_to:date32
		1         basic        2026-01-01         2026-02-01
		1         team         2026-02-01         -`)
	got := onerowtest.Records(t, `
		id:int64  plan:string  valid_from:date32  valid_to:date32
		1         basic        2026-01-01         2026-02-01
		1         team         2026-02-02         -`)
	onerowtest.EqualHistory(t, want, scd2.Table{Batches: got, Key: []string{"id"}})
	// Output:
	// onerowtest: the histories differ (- missing, + surplus, ~ changed):
	//   id:int64  plan:string  valid_from:date32  valid_to:date32
	//   1         basic        2026-01-01         2026-02-01
	// - 1         team         2026-02-01         -
	// + 1         team         2026-02-02         -
}

// A rule that forgets to close the version before is found out.
func ExampleCheckHistory() {
	t := &exampleT{}
	defer t.end()

	history := onerowtest.Records(t, `
		id:int64  plan:string  valid_from:date32  valid_to:date32
		1         basic        2026-01-01         -
		1         team         2026-02-01         -
		2         basic        2026-01-01         2026-01-10
		2         basic        2026-01-20         -`)
	onerowtest.CheckHistory(t, scd2.Table{Batches: history, Key: []string{"id"}})
	// Output:
	// onerowtest: the history isn't well-formed:
	// id=1: rows 0 and 1 overlap from 2026-02-01 on
	// id=1: rows 0 and 1 are open
	//
	// row  id:int64  plan:string  valid_from:date32  valid_to:date32
	// 0    1         basic        2026-01-01         -
	// 1    1         team         2026-02-01         -
}

// A rule that works batch by batch must not care where the batches are cut.
func ExampleCuts() {
	t := &exampleT{}
	defer t.end()

	changes := onerowtest.Records(t, "id:int64\n1\n2\n3\n---\n4")
	for name, batches := range onerowtest.Cuts(t, changes) {
		var lengths []int64
		for _, b := range batches {
			lengths = append(lengths, b.NumRows())
		}
		fmt.Println(name, lengths) // with a *testing.T: t.Run(name, …)
	}
	// Output:
	// as given [3 1]
	// as given, empty between [0 3 0 1 0]
	// batches of 1 [1 1 1 1]
	// batches of 1, empty between [0 1 0 1 0 1 0 1 0]
	// batches of 2 [2 2]
	// batches of 2, empty between [0 2 0 2 0]
	// batches of 3 [3 1]
	// batches of 3, empty between [0 3 0 1 0]
	// one batch [4]
	// one batch, empty between [0 4 0]
}

// This rule keeps whichever plan comes last; so the outcome depends on how the changes arrive.
func ExampleArrivals() {
	t := &exampleT{}
	defer t.end()

	changes := onerowtest.Records(t, "seq:int64 plan:string\n1 basic\n2 team")
	for name, batches := range onerowtest.Arrivals(t, changes) {
		last := batches[len(batches)-1]
		if last.NumRows() > 0 {
			fmt.Printf("%s: %s\n", name, last.Column(1).ValueStr(int(last.NumRows())-1))
		}
	}
	// Output:
	// as given: team
	// batches of 1: team
	// one batch: team
	// order [1 0], row by row: basic
	// order [1 0], batches of 2: basic
}
