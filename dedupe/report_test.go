package dedupe_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/dedupe"
)

func TestReportString(t *testing.T) {
	tests := []struct {
		name   string
		report dedupe.Report
		want   string
	}{
		{"nothing", dedupe.Report{}, `rows in       0
  kept        0
  superseded  0
  duplicates  0`},
		{"everything", full(t), `rows in                     101
  kept                      102
    deletes                 111
  superseded                103
  duplicates                104
  set aside                 105
    tied                    108
  stale                     106
    replays                 113
rows with NULL in key       109
rows with NULL in order     110
keys with a tie             107
keys with a delete tie      112
keys ended by a key change  114
values carried forward      115
values still unavailable    116`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.report.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// full is a report in which every count differs from every other.
func full(t *testing.T) dedupe.Report {
	var r dedupe.Report
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(int64(101 + i))
	}
	if v.NumField() != 16 {
		t.Fatalf("the report has %d counts: say where the new ones are shown", v.NumField())
	}
	return r
}

// A log has every count that isn't zero, under its JSON name.
func TestReportLogValue(t *testing.T) {
	r := full(t)
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Info("done", "report", r)
	var logged struct{ Report json.RawMessage }
	if err := json.Unmarshal(b.Bytes(), &logged); err != nil {
		t.Fatal(err)
	}
	var got, want map[string]int
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(logged.Report, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	b.Reset()
	slog.New(slog.NewTextHandler(&b, nil)).Info("done", "report", dedupe.Report{In: 3, Kept: 3})
	if want := "report.in=3 report.kept=3 report.superseded=0 report.duplicates=0\n"; !strings.HasSuffix(b.String(), "msg=done "+want) {
		t.Errorf("got %s, want %s", b.String(), want)
	}
}
