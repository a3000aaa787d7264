package grain

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/tally"
)

// Err is nil when the MERGE neither meets a conflict nor inserts a key twice, now or when it is run again. Else it joins an error for each:
// a *onerow.KeysError that wraps [onerow.ErrMergeConflict], whose row numbers are those of the source; one that wraps
// [onerow.ErrDuplicateKey], for unmatched duplicates; and, unless NullSafe, a *onerow.NullError that wraps [onerow.ErrNullKey].
func (r *MergeReport) Err() error {
	var errs []error
	if r.Conflicts > 0 {
		e := &onerow.KeysError{Kind: onerow.ErrMergeConflict, Input: "source", Columns: r.On, Total: r.ConflictKeys,
			Why: fmt.Sprintf("two or more source rows act on %s", tally.Number(r.Conflicts, "target row", "target rows"))}
		for _, c := range r.WorstConflicts[:min(len(r.WorstConflicts), onerow.MaxSampleKeys)] {
			e.Keys = append(e.Keys, onerow.KeyRows{Values: c.Values, Count: c.Hits, Rows: c.Source,
				Why: "act on target " + rowsOf(c.Target, c.Conflicts)})
		}
		errs = append(errs, e)
	}
	if r.UnmatchedDuplicates > 0 {
		errs = append(errs, &onerow.KeysError{Kind: onerow.ErrDuplicateKey, Input: "source", Columns: r.sourceOn(), Total: r.UnmatchedDuplicateKeys,
			Keys: r.WorstDuplicates[:min(len(r.WorstDuplicates), onerow.MaxSampleKeys)],
			Why:  "the target doesn't have them, MERGE inserts " + tally.Number(r.UnmatchedDuplicates, "row", "rows") + " beyond the first ones"})
	}
	if r.NullKeyRows > 0 && !r.NullSafe {
		errs = append(errs, &onerow.NullError{Kind: onerow.ErrNullKey, Input: "source", Columns: r.Nulls})
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// sourceOn are the columns of the ON clause as the source names them.
func (r *MergeReport) sourceOn() []string {
	names := slices.Clone(r.On)
	for i, n := range names {
		if own, ok := r.SourceNames[n]; ok {
			names[i] = own
		}
	}
	return names
}

// rowsOf names the first of n rows: row 3; rows 3, 7, ….
func rowsOf(rows onerow.Rows, n int64) string {
	list := tally.Rows(rows, n)
	if n == 1 {
		return "row " + list
	}
	return "rows " + list
}

// String is the report as text: a verdict, with the engines that raise an error if there are conflicts, the counts, and a table of the worst keys
// of each kind. Counts that are rarely used are left out when they are 0, long values are cut. It ends without a newline.
func (r *MergeReport) String() string {
	parts := append(r.verdict(), r.counts().String())
	if len(r.WorstConflicts) > 0 {
		parts = append(parts, "", r.conflictTable())
	}
	if len(r.WorstDuplicates) > 0 {
		parts = append(parts, "", worstTable("inserts", r.sourceOn(), r.WorstDuplicates))
	}
	return strings.Join(parts, "\n")
}

// LogValue makes the report a group: the ON clause, the verdict as safe, and the counts that String shows, under their JSON names. The worst
// keys aren't logged: they are data.
func (r *MergeReport) LogValue() slog.Value {
	attrs := []slog.Attr{slog.Any("on", r.On), slog.Bool("null_safe", r.NullSafe), slog.Bool("safe", r.Err() == nil)}
	if len(r.Acts) > 0 {
		attrs = append(attrs, slog.Any("acts", r.Acts))
	}
	if len(r.SourceNames) > 0 {
		attrs = append(attrs, slog.Any("source_names", r.SourceNames))
	}
	return slog.GroupValue(append(attrs, r.counts().Attrs()...)...)
}

func (r *MergeReport) verdict() []string {
	var lines []string
	if r.Conflicts > 0 {
		var raise, not []string
		for _, e := range mergeEngines {
			if e.Raises {
				raise = append(raise, e.Name)
			} else {
				not = append(not, e.Name)
			}
		}
		lines = append(lines, "MERGE fails: two or more source rows act on "+tally.Number(r.Conflicts, "target row", "target rows"),
			"  an error of "+strings.Join(raise, ", "), "  none of "+strings.Join(not, ", "))
	}
	if r.UnmatchedDuplicates > 0 {
		lines = append(lines, fmt.Sprintf("MERGE inserts %s more than once, without an error",
			tally.Number(r.UnmatchedDuplicateKeys, "new key", "new keys")))
	}
	if r.NullKeyRows > 0 && !r.NullSafe {
		lines = append(lines, fmt.Sprintf("MERGE inserts %s with NULL in ON each time it is run, without an error",
			tally.Number(r.NullKeyRows, "row", "rows")))
	}
	if lines == nil {
		lines = append(lines, "MERGE is safe: at most one source row acts on each target row, and no new key comes twice")
	}
	return lines
}

func (r *MergeReport) counts() tally.Counts {
	counts := tally.Counts{
		{Key: "target_rows", Label: "target rows", N: r.TargetRows},
		{Key: "conflicts", Label: "in conflict", Depth: 1, N: r.Conflicts},
		{Key: "conflict_keys", Label: "keys of these", Depth: 2, N: r.ConflictKeys, Rare: true},
		{Key: "source_rows", Label: "source rows", N: r.SourceRows},
		{Key: "matched_rows", Label: "that match", Depth: 1, N: r.MatchedRows},
		{Key: "unmatched_rows", Label: "to insert", Depth: 1, N: r.UnmatchedRows},
		{Key: "unmatched_duplicates", Label: "beyond the first of their key", Depth: 2, N: r.UnmatchedDuplicates},
		{Key: "unmatched_duplicate_keys", Label: "keys of these", Depth: 3, N: r.UnmatchedDuplicateKeys, Rare: true},
		{Key: "null_key_rows", Label: "with NULL in ON", Depth: 1, N: r.NullKeyRows, Rare: true},
		{Key: "null_key_repeats", Label: "whose key the target has", Depth: 2, N: r.NullKeyRepeats, Rare: true},
	}
	for _, c := range r.Nulls {
		counts = append(counts, tally.Count{Key: "null." + c.Column, Label: "in " + tally.Name(c.Column), Depth: 2, N: c.Rows})
	}
	return counts
}

func (r *MergeReport) conflictTable() string {
	head := []string{"hits"}
	for _, k := range r.On {
		head = append(head, tally.Name(k))
	}
	table := [][]string{append(head, "target rows", "source rows")}
	for _, c := range r.WorstConflicts {
		line := []string{strconv.FormatInt(c.Hits, 10)}
		for _, v := range c.Values {
			line = append(line, tally.Cut(v))
		}
		table = append(table, append(line, tally.Rows(c.Target, c.Conflicts),
			tally.Rows(c.Source, c.Hits)))
	}
	return tally.Table(table, 0)
}
