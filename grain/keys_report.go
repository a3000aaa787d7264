package grain

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/onerow-go/onerow/internal/tally"
)

// shownKeys is the number of keys that String shows.
const shownKeys = 20

// String is the report as text: the number of keys, a list of the first of them, and a table of near-keys with the worst key that violates each. It ends
// without a newline.
func (r *KeysReport) String() string {
	lines := []string{r.verdict()}
	for _, k := range r.Keys[:min(len(r.Keys), shownKeys)] {
		lines = append(lines, "  "+columnList(k))
	}
	if more := len(r.Keys) - shownKeys; more > 0 {
		lines = append(lines, fmt.Sprintf("  … (%d more)", more))
	}
	if len(r.Near) > 0 {
		table := [][]string{{"violations", "near-key", "worst key", "rows"}}
		for _, n := range r.Near {
			line := []string{strconv.FormatInt(n.Violations, 10), columnList(n.Columns), "", ""}
			if len(n.Report.Worst) > 0 {
				line[2], line[3] = tally.Cut(strings.Join(n.Report.Worst[0].Values, ", ")), tally.Rows(n.Report.Worst[0].Rows, n.Report.Worst[0].Count)
			}
			table = append(table, line)
		}
		lines = append(lines, "", tally.Table(table, 0))
	}
	return strings.Join(lines, "\n")
}

// LogValue makes the report a group: the numbers of rows, columns, keys and near-keys, and the first key.
func (r *KeysReport) LogValue() slog.Value {
	attrs := []slog.Attr{slog.Int64("rows", r.Rows), slog.Int("columns", len(r.Columns)), slog.Int("max_columns", r.MaxColumns),
		slog.Int("keys", len(r.Keys)), slog.Int("near", len(r.Near))}
	if len(r.Keys) > 0 {
		attrs = append(attrs, slog.Any("first", r.Keys[0]))
	}
	return slog.GroupValue(attrs...)
}

func (r *KeysReport) verdict() string {
	of := fmt.Sprintf(" of at most %s in %s of %s", tally.Number(int64(r.MaxColumns), "column", "columns"), tally.Number(r.Rows, "row", "rows"),
		tally.Number(int64(len(r.Columns)), "column", "columns"))
	if len(r.Keys) == 0 {
		return "no key" + of
	}
	return tally.Number(int64(len(r.Keys)), "minimal key", "minimal keys") + of
}

func columnList(names []string) string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = tally.Name(n)
	}
	return strings.Join(list, ", ")
}
