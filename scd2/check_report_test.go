package scd2_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

// brokenReport is a report with everything in it.
func brokenReport() *scd2.CheckReport {
	r := &scd2.CheckReport{
		Key: []string{"tenant_id", "customer\nid"}, Rows: 1208, Keys: 300, Overlaps: math.MaxUint64, Gaps: 1, Inverted: 2, ZeroLength: 3, TwoOpen: 4,
		DuplicateStarts: 5, NullStarts: 6, NullKeys: 7, CurrentMismatches: 8, BrokenKeys: 20,
	}
	long := `"` + strings.Repeat("é", 50) + `"`
	r.Findings = []scd2.Finding{
		{Kind: scd2.Overlap, Rows: onerow.Rows{0, 3}, Key: []string{`"a"`, "7"}, From: "5", To: long},
		{Kind: scd2.TwoOpen, Rows: onerow.Rows{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, Key: []string{`"a"`, "7"}},
		{Kind: scd2.NullKey, Rows: onerow.Rows{1}, Key: []string{long, "NULL"}},
		{Kind: scd2.NullKey, Rows: onerow.Rows{2}, Key: []string{long, "NULL"}},
		{Kind: scd2.CurrentMismatch, Rows: onerow.Rows{2}, Key: []string{long, "NULL"}},
	}
	return r
}

func TestCheckReportString(t *testing.T) {
	want := `broken history of tenant_id, "customer\nid": 18446744073709551615 overlaps, 1 gap, 2 inverted versions, 3 empty versions, 4 keys with several open versions, 5 starts of several versions, 6 versions without a start, 7 rows with NULL in key, 8 wrong current flags
rows                                            1208
keys                                             300
  keys with faults                                20
overlapping pairs                9223372036854775807
gaps                                               1
inverted versions                                  2
empty versions                                     3
keys with several open versions                    4
starts of several versions                         5
versions without a start                           6
rows with NULL in key                              7
wrong current flags                                8

fault             tenant_id                                 "customer\nid"  rows                                      from  to
overlap           "a"                                       7               0, 3                                      5     "éééééééééééééééééééééééééééééééééééééé…
two_open          "a"                                       7               0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … (2 more)
null_key          "éééééééééééééééééééééééééééééééééééééé…  NULL            1
null_key          "éééééééééééééééééééééééééééééééééééééé…  NULL            2
current_mismatch  "éééééééééééééééééééééééééééééééééééééé…  NULL            2
… (18446744073709551610 more)`
	r := brokenReport()
	r.Overlaps -= 36 // so that all findings together can be counted
	want = strings.Replace(want, "18446744073709551615 overlaps", "18446744073709551579 overlaps", 1)
	if d := cmp.Diff(want, r.String()); d != "" {
		t.Error(d)
	}
	want = `sound history of "", id
rows                3
keys                2
  keys with faults  0`
	if d := cmp.Diff(want, (&scd2.CheckReport{Key: []string{"", "id"}, Rows: 3, Keys: 2}).String()); d != "" {
		t.Error(d)
	}
}

// A log has the counts, and no values of keys.
func TestCheckReportLogValue(t *testing.T) {
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("checked", "history", brokenReport())
	want := `msg=checked history.key="[tenant_id customer\nid]" history.sound=false history.rows=1208 history.keys=300 history.broken_keys=20 ` +
		`history.overlaps=9223372036854775807 history.gaps=1 history.inverted=2 history.zero_length=3 history.two_open=4 history.duplicate_starts=5 ` +
		`history.null_starts=6 history.null_keys=7 history.current_mismatches=8` + "\n"
	if _, got, _ := strings.Cut(b.String(), "level=INFO "); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// A report is the same after a way through JSON.
func TestCheckReportJSON(t *testing.T) {
	text, err := json.Marshal(brokenReport())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `{"kind":"two_open","rows":[0,`) {
		t.Errorf("%s", text)
	}
	var back *scd2.CheckReport
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(brokenReport(), back); d != "" {
		t.Error(d)
	}
}

// TestKind: the names are those of case files and of JSON.
func TestKind(t *testing.T) {
	names := strings.Fields("overlap gap inverted zero_length two_open duplicate_start null_start null_key current_mismatch")
	for i, name := range names {
		k := scd2.Kind(i + 1)
		text, err := k.MarshalText()
		if k.String() != name || string(text) != name || err != nil {
			t.Errorf("kind %d is %q, %q, %v; want %q", i+1, k.String(), text, err, name)
		}
		var back scd2.Kind
		if err := back.UnmarshalText(text); err != nil || back != k {
			t.Errorf("%q is read as %v, %v", text, back, err)
		}
	}
	for _, k := range []scd2.Kind{0, 10, 255} {
		if _, err := k.MarshalText(); err == nil || k.String() != fmt.Sprintf("Kind(%d)", uint8(k)) {
			t.Errorf("kind %d has a name: %v", uint8(k), k)
		}
	}
	var k scd2.Kind
	for _, text := range []string{"", "Overlap", "overlaps"} {
		if err := k.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, k)
		}
	}
}

func TestCheckReportErr(t *testing.T) {
	if err := (&scd2.CheckReport{Key: []string{"id"}, Rows: 2, Keys: 2}).Err(); err != nil {
		t.Errorf("a sound history has the error %v", err)
	}
	r := brokenReport()
	long := r.Findings[2].Key[0]
	want := &onerow.KeysError{
		Kind: onerow.ErrBrokenHistory, Input: "history", Columns: r.Key, Total: 20,
		Why: "18446744073709551615 overlaps, 1 gap, 2 inverted versions, 3 empty versions, 4 keys with several open versions, " +
			"5 starts of several versions, 6 versions without a start, 7 rows with NULL in key, 8 wrong current flags",
		Keys: []onerow.KeyRows{
			{Values: []string{`"a"`, "7"}, Count: 12, Rows: onerow.Rows{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
				Why: "rows 0 and 3 overlap from 5 to " + long + "; rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … (2 more) are open"},
			{Values: []string{long, "NULL"}, Count: 1, Rows: onerow.Rows{1}, Why: "row 1 has NULL in its key"},
			{Values: []string{long, "NULL"}, Count: 1, Rows: onerow.Rows{2}, Why: "row 2 has NULL in its key; row 2 has a wrong current flag"},
		},
	}
	var got *onerow.KeysError
	if err := r.Err(); !errors.Is(err, onerow.ErrBrokenHistory) || !errors.As(err, &got) {
		t.Fatalf("%v is no KeysError", err)
	}
	if d := cmp.Diff(*want, *got, cmp.Comparer(func(a, b error) bool { return a == b })); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(brokenReport(), r); d != "" {
		t.Errorf("Err changes the report: %s", d)
	}
}

// An error lists a bounded number of keys and faults, and none when the report has none.
func TestCheckReportErrSample(t *testing.T) {
	for listed, want := range map[int]int{0: 0, 3: 3, 40: onerow.MaxSampleKeys} {
		r := &scd2.CheckReport{Key: []string{"id"}, Rows: 200, Keys: 100, BrokenKeys: 100, Inverted: 500}
		for i := range listed {
			for j := range 5 {
				r.Findings = append(r.Findings, scd2.Finding{Kind: scd2.Inverted, Rows: onerow.Rows{uint32(10*i + j)}, Key: []string{fmt.Sprint(i)}})
			}
		}
		var got *onerow.KeysError
		if err := r.Err(); !errors.As(err, &got) || len(got.Keys) != want || got.Total != 100 {
			t.Fatalf("with %d listed: %v has %d keys of %d, want %d of 100", listed, err, len(got.Keys), got.Total, want)
		}
		if why := "row 0 ends before it starts; row 1 ends before it starts; row 2 ends before it starts; … (2 more)"; want > 0 && got.Keys[0].Why != why {
			t.Errorf("%q, want %q", got.Keys[0].Why, why)
		}
	}
}
