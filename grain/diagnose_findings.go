package grain

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/tally"
)

// evidence is what is known of one cause.
type evidence struct {
	keys    int64
	rows    int64
	columns columnSet
	worst   []evidenceKey // up to twice the limit, then cut back
}

type evidenceKey struct {
	id   uint32 // of the group; lower ones appear earlier
	rows int
}

// add counts a key.
func (e *evidence) add(d *diagnosing, id uint32, rows int, columns columnSet) {
	e.keys++
	e.rows += int64(rows)
	e.columns.addAll(columns)
	if d.limit == 0 {
		return
	}
	if e.worst = append(e.worst, evidenceKey{id, rows}); len(e.worst) >= 2*d.limit {
		e.cut()
		e.worst = e.worst[:d.limit]
	}
}

func (e *evidence) cut() {
	slices.SortFunc(e.worst, func(a, b evidenceKey) int { return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(a.id, b.id)) })
}

// top returns the groups of the keys with the most rows.
func (e *evidence) top(limit int) []uint32 {
	e.cut()
	var ids []uint32
	for _, k := range e.worst[:min(len(e.worst), limit)] {
		ids = append(ids, k.id)
	}
	return ids
}

// conclude writes the findings.
func (d *diagnosing) conclude() {
	for c := range d.found {
		e := &d.found[c]
		if e.keys == 0 {
			continue
		}
		f := Finding{Cause: Cause(c), Columns: []string{}, Keys: e.keys, Rows: e.rows, Samples: d.samples[c]}
		for _, at := range e.columns.list() {
			f.Columns = append(f.Columns, d.columns[at].Name)
		}
		f.Remedy = f.remedy()
		d.diagnosis.Causes = append(d.diagnosis.Causes, f)
	}
}

var causeNames = [causes]string{NullKey: "null_key", Placeholder: "placeholder", ExactCopies: "exact_copies", Versions: "versions",
	Retries: "retries", MissingColumn: "missing_column", Conflict: "conflict", TextForm: "text_form"}

// String is the cause's name: null_key, placeholder, exact_copies, versions, retries, missing_column, conflict, text_form.
func (c Cause) String() string {
	if int(c) < causes {
		return causeNames[c]
	}
	return fmt.Sprintf("Cause(%d)", uint8(c))
}

// MarshalText gives the cause's name. It fails on a value that isn't a cause.
func (c Cause) MarshalText() ([]byte, error) {
	if int(c) < causes {
		return []byte(causeNames[c]), nil
	}
	return nil, fmt.Errorf("%v is no cause", c)
}

// UnmarshalText reads a cause's name.
func (c *Cause) UnmarshalText(text []byte) error {
	i := slices.Index(causeNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no cause", text)
	}
	*c = Cause(i)
	return nil
}

// remedy is a sentence on what to do.
func (f *Finding) remedy() string {
	columns := columnNames(f.Columns)
	switch f.Cause {
	case NullKey:
		return "Quarantine the rows with NULL in " + columns + ", or fill it: they match nothing, and a MERGE inserts them again each time."
	case Placeholder:
		return "Quarantine the placeholders in " + columns + ", or make them NULL at the source: they stand for many things, not for one."
	case ExactCopies:
		return "Keep one row of each key (dedupe.Latest): any, they are equal."
	case Versions:
		return "Filter to the current version, where " + tally.Name(f.Columns[len(f.Columns)-1]) + " is open, or join by time as well: this is a history."
	case Retries:
		return "Keep the last load of each key (dedupe.Latest, ordered by " + columns + ")."
	case MissingColumn:
		return "Add " + columns + " to the key: the table is finer than the key says."
	case Conflict:
		return "Find out which row holds, and keep it by a rule (dedupe.Latest): rows of one key contradict each other in " + columns + "."
	}
	return "Normalise " + columns + " before keys are compared: trim, fold case, compose (NFC)."
}

func columnNames(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = tally.Name(n)
	}
	return strings.Join(out, ", ")
}

// String is the diagnosis as text: the verdict, and for each cause the numbers of keys and of their rows, the columns, the remedy and the
// samples, with long values cut. It ends without a newline.
func (r *Diagnosis) String() string {
	lines := []string{r.verdict()}
	for _, f := range r.Causes {
		head := f.Cause.String() + ": " + tally.Number(f.Keys, "key", "keys") + ", " + tally.Number(f.Rows, "row", "rows")
		if len(f.Columns) > 0 {
			head += ", by " + columnNames(f.Columns)
		}
		lines = append(lines, "", head, "  "+f.Remedy)
		for _, k := range f.Samples {
			lines = append(lines, "  "+r.sample(k))
		}
	}
	return strings.Join(lines, "\n")
}

func (r *Diagnosis) verdict() string {
	key := columnNames(r.Key)
	if len(r.Causes) == 0 {
		return "one row per " + key + ": nothing to explain"
	}
	return fmt.Sprintf("%s: %s of %d repeat", key, tally.Number(r.DuplicateKeys, "key", "keys"), r.Keys)
}

// sample is a key, its number of rows, and the first of them.
func (r *Diagnosis) sample(k onerow.KeyRows) string {
	line := fmt.Sprintf("%s: %s, %s", shortKey(r.Key, k.Values), tally.Number(k.Count, "row", "rows"), tally.Rows(k.Rows, k.Count))
	if k.Why != "" {
		line += "; " + k.Why
	}
	return line
}

// shortKey is a key on one line: names that would break it in quotes, long values cut.
func shortKey(columns, values []string) string {
	names, short := make([]string, len(columns)), make([]string, len(values))
	for i, n := range columns {
		names[i] = tally.Name(n)
	}
	for i, v := range values {
		short[i] = tally.Cut(v)
	}
	return onerow.FormatKey(names, short)
}

// LogValue makes the diagnosis a group: the key, the numbers of rows, keys and keys that repeat, and the number of keys for each cause. Samples
// aren't logged: they are data.
func (r *Diagnosis) LogValue() slog.Value {
	attrs := []slog.Attr{slog.Any("key", r.Key), slog.Int64("rows", r.Rows), slog.Int64("keys", r.Keys),
		slog.Int64("duplicate_keys", r.DuplicateKeys)}
	for _, f := range r.Causes {
		attrs = append(attrs, slog.Int64(f.Cause.String(), f.Keys))
	}
	return slog.GroupValue(attrs...)
}
