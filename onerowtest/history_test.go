package onerowtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

// Each fault of a history fails the test, by name, with the rows that it is about; gaps and deletion rows don't.
func TestCheckHistory(t *testing.T) {
	table := scd2.Table{Key: []string{"org", "id"}, ValidFrom: "since", ValidTo: "until", Current: "live", Deleted: "gone", OpenEnd: 99}
	const columns = "org:string id:int64 since:int64 until:int64 live:bool gone:bool"
	tests := []struct {
		name string
		rows []string
		want string
	}{
		{"well-formed", []string{"a 1 10 20 false false", "a 1 20 30 false true", "a 1 40 99 true -",
			"a 2 10 - true false", "b 1 10 20 false false", "b 1 20 - false true"}, ""},
		{"no rows", nil, ""},
		{"an overlap", []string{"x 9 1 2 false -", "a 1 10 30 false -", "a 1 20 99 true -"},
			"org=\"a\", id=1: rows 1 and 2 overlap from 20 to 30\n\n" +
				"row  org:string  id:int64  since:int64  until:int64  live:bool  gone:bool\n" +
				"1    a           1         10           30           false      -\n" +
				"2    a           1         20           99           true       -\n"},
		{"inverted", []string{"a 1 10 5 false -"}, `org="a", id=1: row 0 ends before it starts`},
		{"empty", []string{"a 1 10 10 false -"}, `org="a", id=1: row 0 ends where it starts`},
		{"two open", []string{"a 1 10 - true -", "a 1 20 99 true -"}, `org="a", id=1: rows 0 and 1 are open`},
		{"no start", []string{"a 1 - 10 false -"}, `org="a", id=1: row 0 has no start`},
		{"no key", []string{"a - 1 10 false -"}, `org="a", id=NULL: row 0 has NULL in its key`},
		{"a wrong flag", []string{"a 1 10 20 true -"}, `org="a", id=1: row 0 has a wrong current flag`},
	}
	for _, test := range tests {
		f := &fakeT{}
		table.Batches = onerowtest.Records(t, columns+"\n"+strings.Join(test.rows, "\n"))
		onerowtest.CheckHistory(f, table)
		got := f.end()
		switch after, ok := strings.CutPrefix(got, "onerowtest: the history isn't well-formed:\n"); {
		case f.fatal || ok != (test.want != ""):
			t.Errorf("%s: the test fails with %q", test.name, got)
		case !strings.Contains(after, test.want):
			t.Errorf("%s: %s", test.name, cmp.Diff(test.want, after))
		}
	}
}

func TestCheckHistoryOfManyFaults(t *testing.T) {
	rows := "id:int64 valid_from:int64 valid_to:int64"
	for i := range 50 {
		rows += fmt.Sprintf("\n%d 10 5", i)
	}
	f := &fakeT{}
	onerowtest.CheckHistory(f, scd2.Table{Batches: onerowtest.Records(t, rows), Key: []string{"id"}})
	if got := f.end(); !strings.Contains(got, "\nid=19: row 19 ends before it starts\n… and 30 more\n\nrow ") || strings.Contains(got, "row 20") {
		t.Errorf("the test fails with %s", got)
	}
}

func TestCheckHistoryThatIsNone(t *testing.T) {
	f := &fakeT{}
	onerowtest.CheckHistory(f, scd2.Table{Batches: onerowtest.Records(t, "id:int64\n1"), Key: []string{"id"}})
	if got := f.end(); f.fatal || !strings.Contains(got, "can't be checked") || !strings.Contains(got, `"valid_from"`) {
		t.Errorf("the test fails with %q", got)
	}
	f = &fakeT{}
	onerowtest.CheckHistory(f, scd2.Table{Batches: []arrow.Record{nil}, Key: []string{"id"}})
	if got := f.end(); !strings.Contains(got, "can't be checked") {
		t.Errorf("the test fails with %q", got)
	}
}
