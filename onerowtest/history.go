package onerowtest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/scd2"
)

// Equal fails the test when the rows of two tables differ, and shows how; see [Diff].
func Equal(t TB, want, got []arrow.Record, key ...string) {
	t.Helper()
	if d := Diff(want, got, key...); d != "" {
		t.Errorf("onerowtest: the rows differ (- missing, + surplus, ~ changed):\n%s", d)
	}
}

// DiffHistory is [Diff] for histories: a version is known by its key and its start, and of a key whose history differs all versions
// are shown, those that are as wanted without a mark. The table says which columns they are, for both sides.
func DiffHistory(want []arrow.Record, got scd2.Table) string {
	start := cmp.Or(got.ValidFrom, scd2.DefaultValidFrom)
	return diff(want, got.Batches, got.Key, append(slices.Clone(got.Key), start))
}

// EqualHistory fails the test when a history isn't the one wanted, and shows how; see [DiffHistory].
func EqualHistory(t TB, want []arrow.Record, got scd2.Table) {
	t.Helper()
	if d := DiffHistory(want, got); d != "" {
		t.Errorf("onerowtest: the histories differ (- missing, + surplus, ~ changed):\n%s", d)
	}
}

// CheckHistory fails the test when a history isn't well-formed: when versions of a key overlap, start at one time, end before they start
// or where they start, when several are open, when a start or a key is NULL, or a current flag says otherwise than the end. It
// lists the faults, and the rows that they are about. Time between two versions is no fault: the key was deleted. Whatever
// the changes, a merge of a well-formed history leaves one. See [scd2.Check].
func CheckHistory(t TB, history scd2.Table) {
	t.Helper()
	const most = 20
	report, err := scd2.Check(context.Background(), history, scd2.CheckOptions{MaxFindings: most})
	if err != nil {
		t.Errorf("onerowtest: the history can't be checked: %v", err)
		return
	}
	faults := report.Overlaps + uint64(report.Inverted+report.ZeroLength+report.TwoOpen+report.DuplicateStarts+
		report.NullStarts+report.NullKeys+report.CurrentMismatches)
	if faults == 0 {
		return
	}
	var b strings.Builder
	for _, f := range report.Findings {
		fmt.Fprintf(&b, "%s: %v\n", keyText(history.Key, f.Key), f)
	}
	if more := faults - uint64(len(report.Findings)); more > 0 {
		fmt.Fprintf(&b, "… and %d more\n", more)
	}
	t.Errorf("onerowtest: the history isn't well-formed:\n%s\n%s", b.String(), rowsText(history.Batches, report.Findings))
}

// keyText writes a key as org=a, id=1.
func keyText(columns, values []string) string {
	parts := make([]string, min(len(columns), len(values)))
	for i := range parts {
		parts[i] = columns[i] + "=" + values[i]
	}
	return strings.Join(parts, ", ")
}

// rowsText shows the rows that findings are about.
func rowsText(batches []arrow.Record, findings []scd2.Finding) string {
	t, err := tableOf("history", batches)
	if err != nil {
		return err.Error()
	}
	var numbers []uint32
	for _, f := range findings {
		numbers = append(numbers, f.Rows...)
	}
	slices.Sort(numbers)
	rows := t.rows()
	lines := [][]string{append([]string{"row"}, t.header()...)}
	for _, n := range slices.Compact(numbers) {
		lines = append(lines, append([]string{fmt.Sprint(n)}, t.texts(rows[n])...))
	}
	return align(lines)
}
