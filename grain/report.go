package grain

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"unicode/utf8"

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
		Why:     "more than one row each, " + number(r.DuplicateRows, "row", "rows") + " beyond the first ones",
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
		names[i] = columnName(k)
	}
	verdict := "one row per " + strings.Join(names, ", ")
	if r.DuplicateKeys > 0 {
		verdict = "not " + verdict + ": " + number(r.DuplicateKeys, "key repeats", "keys repeat")
	}
	if left := r.Rows - r.Keys - r.DuplicateRows; left > 0 {
		verdict += "; " + number(left, "row", "rows") + " with NULL in key left out"
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
		counts = append(counts, tally.Count{Key: "null." + c.Column, Label: "in " + columnName(c.Column), Depth: 1, N: c.Rows})
	}
	return counts
}

// worstTable has a line for each of the worst keys: its number of rows, its values, and its first rows.
func worstTable(count string, key []string, worst []onerow.KeyRows) string {
	head := []string{count}
	for _, k := range key {
		head = append(head, columnName(k))
	}
	table := [][]string{append(head, "rows")}
	for _, k := range worst {
		line := []string{strconv.FormatInt(k.Count, 10)}
		for _, v := range k.Values {
			line = append(line, cut(v))
		}
		table = append(table, append(line, rowList(k)))
	}
	return tally.Table(table, 0)
}

// rowList lists the rows of a key as far as they are known: 3, 7, …
func rowList(k onerow.KeyRows) string {
	var list []string
	for _, row := range k.Rows {
		list = append(list, strconv.FormatUint(uint64(row), 10))
	}
	if int64(len(k.Rows)) < k.Count {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// columnName quotes a name that would break a line or hide its ends.
func columnName(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` || strings.TrimSpace(name) != name || name == "" {
		return quoted
	}
	return name
}

// maxCell is the number of characters of a value that a table shows.
const maxCell = 40

func cut(value string) string {
	if utf8.RuneCountInString(value) <= maxCell {
		return value
	}
	return string([]rune(value)[:maxCell-1]) + "…"
}

func number(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
