package grain_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
)

// repeated is a report with everything in it.
func repeated() *grain.Report {
	return &grain.Report{
		Key:  []string{"tenant_id", "customer\nid"},
		Rows: 1208, Keys: 1200, DuplicateKeys: 2, DuplicateRows: 5, MaxCopies: 5, NullKeyRows: 3,
		Nulls: []onerow.ColumnNulls{{Column: "tenant_id", Rows: 1, First: 4}, {Column: "customer\nid", Rows: 3, First: 4}},
		Worst: []onerow.KeyRows{
			{Values: []string{`"acme"`, "7"}, Count: 5, Rows: onerow.Rows{0, 3, 17}},
			{Values: []string{`"` + strings.Repeat("é", 50) + `"`, "1234567"}, Count: 2, Rows: onerow.Rows{1, 2}},
		},
	}
}

func TestReportString(t *testing.T) {
	tests := []struct {
		name   string
		report *grain.Report
		want   string
	}{
		{"repeated", repeated(), `not one row per tenant_id, "customer\nid": 2 keys repeat; 3 rows with NULL in key left out
rows                                1208
keys                                1200
  keys that repeat                     2
rows beyond the first of their key     5
rows of the worst key                  5
rows with NULL in key                  3
  in tenant_id                         1
  in "customer\nid"                    3

copies  tenant_id                                 "customer\nid"  rows
     5  "acme"                                    7               0, 3, 17, …
     2  "` + strings.Repeat("é", 38) + `…  1234567         1, 2`},
		{"unique", &grain.Report{Key: []string{"id"}, Rows: 3, Keys: 3, MaxCopies: 1}, `one row per id
rows                                3
keys                                3
  keys that repeat                  0
rows beyond the first of their key  0
rows of the worst key               1`},
		{"NULL is a value", &grain.Report{Key: []string{"id"}, Rows: 3, Keys: 3, MaxCopies: 1, NullKeyRows: 1}, `one row per id
rows                                3
keys                                3
  keys that repeat                  0
rows beyond the first of their key  0
rows of the worst key               1
rows with NULL in key               1`},
		{"one, and names that hide", &grain.Report{Key: []string{"", " id", "naïve id"}, Rows: 2, Keys: 1, DuplicateKeys: 1, DuplicateRows: 1, MaxCopies: 2}, `not one row per "", " id", naïve id: 1 key repeats
rows                                2
keys                                1
  keys that repeat                  1
rows beyond the first of their key  1
rows of the worst key               2`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.report.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A log has the counts, and no values of keys.
func TestReportLogValue(t *testing.T) {
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("checked", "grain", repeated())
	want := `msg=checked grain.key="[tenant_id customer\nid]" grain.unique=false grain.rows=1208 grain.keys=1200 grain.duplicate_keys=2 ` +
		`grain.duplicate_rows=5 grain.max_copies=5 grain.null_key_rows=3 grain.null.tenant_id=1 "grain.null.customer\nid"=3` + "\n"
	if _, got, _ := strings.Cut(b.String(), "level=INFO "); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestReportErr(t *testing.T) {
	if err := (&grain.Report{Key: []string{"id"}, Rows: 2, Keys: 2}).Err(); err != nil {
		t.Errorf("a unique key has the error %v", err)
	}

	r := repeated()
	err := r.Err()
	want := &onerow.KeysError{
		Kind: onerow.ErrDuplicateKey, Columns: r.Key, Total: 2, Keys: r.Worst,
		Why: "more than one row each, 5 rows beyond the first ones",
	}
	var got *grain.DuplicateKeyError
	if !errors.Is(err, onerow.ErrDuplicateKey) || !errors.As(err, &got) {
		t.Fatalf("%v is no DuplicateKeyError", err)
	}
	if diff := cmp.Diff(*want, *got, cmp.Comparer(func(a, b error) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
}

// An error lists a bounded number of keys, and none when the report has none.
func TestReportErrSample(t *testing.T) {
	for listed, want := range map[int]int{0: 0, 3: 3, onerow.MaxSampleKeys: onerow.MaxSampleKeys, 20: onerow.MaxSampleKeys} {
		r := &grain.Report{Key: []string{"id"}, Rows: 200, Keys: 100, DuplicateKeys: 100, DuplicateRows: 100}
		for range listed {
			r.Worst = append(r.Worst, onerow.KeyRows{Values: []string{"1"}, Count: 2, Rows: onerow.Rows{0, 1}})
		}
		var got *onerow.KeysError
		if err := r.Err(); !errors.As(err, &got) || len(got.Keys) != want || got.Total != 100 {
			t.Errorf("with %d listed: %v has %d keys of %d, want %d of 100", listed, err, len(got.Keys), got.Total, want)
		}
	}
}
