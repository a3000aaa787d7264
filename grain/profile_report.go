package grain

import (
	"log/slog"
	"strings"

	"github.com/onerow-go/onerow/internal/tally"
)

// String is the profile as text: the counts, a line for each column that has NULLs, and the sums. It ends without a newline.
func (p *TableProfile) String() string {
	parts := []string{p.counts().String()}
	if len(p.Sums) > 0 {
		table := [][]string{{"column", "sum", "of"}}
		for _, s := range p.Sums {
			table = append(table, []string{tally.Name(s.Column), s.Sum, tally.Number(s.Rows, "value", "values")})
		}
		parts = append(parts, "", tally.Table(table, 1))
	}
	return strings.Join(parts, "\n")
}

// LogValue makes the profile a group of its counts, and of the sums as text.
func (p *TableProfile) LogValue() slog.Value {
	attrs := p.counts().Attrs()
	for _, s := range p.Sums {
		attrs = append(attrs, slog.String("sum."+s.Column, s.Sum))
	}
	return slog.GroupValue(attrs...)
}

func (p *TableProfile) counts() tally.Counts {
	counts := tally.Counts{{Key: "rows", Label: "rows", N: p.Rows}}
	if len(p.Key) > 0 {
		counts = append(counts,
			tally.Count{Key: "keys", Label: "keys of " + columnList(p.Key), N: p.Keys},
			tally.Count{Key: "duplicate_rows", Label: "rows beyond the first of their key", N: p.DuplicateRows},
			tally.Count{Key: "null_key_rows", Label: "rows with NULL in key", N: p.NullKeyRows, Rare: true})
	}
	for _, c := range p.Columns {
		counts = append(counts, tally.Count{Key: "null." + c.Name, Label: "NULL in " + tally.Name(c.Name), Depth: 1, N: c.Nulls, Rare: true})
	}
	return counts
}
