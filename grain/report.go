package grain

import (
	"log/slog"
	"strconv"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/tally"
)

// Err is nil when no key repeats, else a *DuplicateKeyError with the worst keys that the report lists, at most
// [onerow.MaxSampleKeys]. Rows left out for a NULL in the key are no duplicates.
func (r *Report) Err() error {
	if r.DuplicateKeys == 0 {
		return nil
	}
	return &DuplicateKeyError{
		Kind:    onerow.ErrDuplicateKey,
		Columns: r.Key,
		Total:   r.DuplicateKeys,
		Keys:    r.Worst[:min(len(r.Worst), onerow.MaxSampleKeys)],
		Why:     "more than one row each, " + tally.Number(r.DuplicateRows, "row", "rows") + " beyond the first ones",
	}
}

// String is the report as text: whether there is one row per key, the counts, and a table of the worst keys. Counts that are rarely
// used are left out when they are 0, long values are cut. It ends without a newline.
func (r *Report) String() string {
	parts := []string{r.verdict(), r.counts().String()}
	if len(r.Worst) > 0 {
		parts = append(parts, "", worstTable("copies", r.Key, r.Worst))
	}
	return strings.Join(parts, "\n")
}

// LogValue makes the report a group: the verdict as unique, the key, and the counts that String shows, under their JSON
// names. The worst keys aren't logged: they are data.
func (r *Report) LogValue() slog.Value {
	attrs := append([]slog.Attr{slog.Any("key", r.Key), slog.Bool("unique", r.DuplicateKeys == 0)}, r.counts().Attrs()...)
	return slog.GroupValue(attrs...)
}

func (r *Report) verdict() string {
	names := make([]string, len(r.Key))
	for i, k := range r.Key {
		names[i] = tally.Name(k)
	}
	verdict := "one row per " + strings.Join(names, ", ")
	if r.DuplicateKeys > 0 {
		verdict = "not " + verdict + ": " + tally.Number(r.DuplicateKeys, "key repeats", "keys repeat")
	}
	if left := r.Rows - r.Keys - r.DuplicateRows; left > 0 {
		verdict += "; " + tally.Number(left, "row", "rows") + " with NULL in key left out"
	}
	return verdict
}

func (r *Report) counts() tally.Counts {
	counts := tally.Counts{
		{Key: "rows", Label: "rows", N: r.Rows},
		{Key: "keys", Label: "keys", N: r.Keys},
		{Key: "duplicate_keys", Label: "keys that repeat", Depth: 1, N: r.DuplicateKeys},
		{Key: "duplicate_rows", Label: "rows beyond the first of their key", N: r.DuplicateRows},
		{Key: "max_copies", Label: "rows of the worst key", N: r.MaxCopies, Rare: true},
		{Key: "null_key_rows", Label: "rows with NULL in key", N: r.NullKeyRows, Rare: true},
	}
	for _, c := range r.Nulls {
		counts = append(counts, tally.Count{Key: "null." + c.Column, Label: "in " + tally.Name(c.Column), Depth: 1, N: c.Rows})
	}
	return counts
}

// worstTable has a line for each of the worst keys: its number of rows, its values, and its first rows.
func worstTable(count string, key []string, worst []onerow.KeyRows) string {
	head := []string{count}
	for _, k := range key {
		head = append(head, tally.Name(k))
	}
	table := [][]string{append(head, "rows")}
	for _, k := range worst {
		line := []string{strconv.FormatInt(k.Count, 10)}
		for _, v := range k.Values {
			line = append(line, tally.Cut(v))
		}
		table = append(table, append(line, tally.Rows(k.Rows, k.Count)))
	}
	return tally.Table(table, 0)
}
