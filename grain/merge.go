package grain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// MergeOptions are the optional parts of [MergeConflicts].
type MergeOptions struct {
	// Nulls says how the ON clause compares: under NullsDistinct it is plain (t.k = s.k), and a row with NULL in On matches nothing; under
	// NullsEqual it is NULL-safe (IS NOT DISTINCT FROM, <=>). Default NullsDistinct.
	Nulls Nulls

	// Acts are columns of both inputs: a match acts when at least one of them differs, NULL-safely, as under
	// WHEN MATCHED AND t.v IS DISTINCT FROM s.v. Default none: every match acts.
	Acts []string

	// SourceNames has the names that columns of on and Acts have in the source, where they differ there: {"customer_id": "cust"} is
	// ON t.customer_id = s.cust. Default none: all names are the same on both sides.
	SourceNames map[string]string

	// Worst is the number of keys that each list of the report holds. Default 0: DefaultWorst. Negative: none.
	Worst int

	// Resources bounds what the call may use. Default: all processors.
	Resources onerow.Resources
}

// MergeReport says what a MERGE would meet. SourceRows = MatchedRows + UnmatchedRows.
type MergeReport struct {
	// On are the columns of the ON clause, Acts those of the acting condition, as the target names them.
	On   []string `json:"on"`
	Acts []string `json:"acts,omitempty"`
	// SourceNames has the names of these columns in the source, where they differ there.
	SourceNames map[string]string `json:"source_names,omitempty"`
	// NullSafe says that NULL equals NULL in the ON clause.
	NullSafe bool `json:"null_safe"`

	// TargetRows and SourceRows are the numbers of rows of the inputs.
	TargetRows int64 `json:"target_rows"`
	SourceRows int64 `json:"source_rows"`
	// MatchedRows is the number of source rows that match a target row, whether they act or not; UnmatchedRows that of the others, which
	// WHEN NOT MATCHED inserts.
	MatchedRows   int64 `json:"matched_rows"`
	UnmatchedRows int64 `json:"unmatched_rows"`

	// Conflicts is the number of target rows on which two or more source rows act; ConflictKeys is the number of their keys.
	Conflicts    int64 `json:"conflicts"`
	ConflictKeys int64 `json:"conflict_keys"`

	// UnmatchedDuplicates is the number of source rows beyond the first of each key that the target doesn't have: the MERGE inserts all of
	// them, without a word. UnmatchedDuplicateKeys is the number of their keys. Keys with NULL count only under NullSafe.
	UnmatchedDuplicates    int64 `json:"unmatched_duplicates"`
	UnmatchedDuplicateKeys int64 `json:"unmatched_duplicate_keys"`

	// NullKeyRows is the number of source rows with NULL in On. Unless NullSafe they match nothing: the MERGE inserts them each time it is run.
	NullKeyRows int64 `json:"null_key_rows"`
	// NullKeyRepeats is the number of these whose key, NULL and all, the target has already.
	NullKeyRepeats int64 `json:"null_key_repeats"`
	// Nulls counts the source rows with NULL for each column of On that has any, as the source names it.
	Nulls []onerow.ColumnNulls `json:"nulls,omitempty"`

	// WorstConflicts are the keys of conflicts: those whose first row has the most hits come first, equal ones in the order of target rows.
	WorstConflicts []MergeConflict `json:"worst_conflicts,omitempty"`
	// WorstDuplicates are the unmatched keys with the most source rows, equal ones by first appearance. Rows are those of the source.
	WorstDuplicates []onerow.KeyRows `json:"worst_duplicates,omitempty"`
}

// MergeConflict is a key with target rows that several source rows act on.
type MergeConflict struct {
	// Values are the values of the On columns as text, in their order, as the target has them.
	Values []string `json:"values"`
	// Conflicts is the number of the key's target rows that are in conflict, Target are the first of them, at most [onerow.MaxSampleRows].
	Conflicts int64       `json:"conflicts"`
	Target    onerow.Rows `json:"target"`
	// Hits is the number of source rows that act on the first row of Target, and Source are the first of these, at most
	// [onerow.MaxSampleRows].
	Hits   int64       `json:"hits"`
	Source onerow.Rows `json:"source"`
}

// MergeConflicts says whether a MERGE of a source into a target would fail or do harm, before it is run: which target rows two or more
// source rows act on, which new keys it would insert more than once, and which rows with NULL in the ON clause would be inserted again and
// again. See [MergeEngines] for what engines do about the first; none of them reports the others.
//
// on names the columns of the ON clause, which both inputs have; see [MergeOptions].SourceNames for names that differ. Types may differ within a
// family (see package onerow). Row numbers are those of each input. One source row may hit several target rows; that is no conflict. Source
// rows that are equal in all columns are as many hits: no engine looks at what they would write.
//
// The target may be those of its rows that can match, or just those of its columns that on and Acts name. It may be empty, as may the
// source; batches are borrowed for the call.
//
// MergeConflicts reads the On columns of both inputs once, and once more with Acts those rows whose key the target has and the source has twice
// or more; matches are counted, never made, so that hot keys on both sides cost no more than others. While it runs, it needs 16 to 24 bytes of
// memory for each source row and each target row whose key the source has, two bytes more for each source row, and with Acts 4 bytes for each row
// of both and 16 to 24 for those that are read again. The outcome depends neither on how the rows are cut into batches, nor on encodings, nor on the number
// of workers. It returns ctx.Err() soon after the context ends.
//
// Conflicts are no error of MergeConflicts: see [MergeReport.Err]. Errors wrap [onerow.ErrNoKey], [onerow.ErrNoColumn],
// [onerow.ErrType], [onerow.ErrSchema], [onerow.ErrOption], [onerow.ErrTooManyRows] or [onerow.ErrMalformed].
func MergeConflicts(ctx context.Context, target, source []arrow.Record, on []string, opts MergeOptions) (r *MergeReport, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		r, err = mergeConflicts(ctx, target, source, on, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// mergeJob is one call.
type mergeJob struct {
	report *MergeReport
	opts   MergeOptions
	table  *frame.Table // the target's rows, then the source's
	first  uint32       // the number of the source's first row
	on     []*form.Column
	acts   []*form.Column // those that aren't among on
}

func mergeConflicts(ctx context.Context, target, source []arrow.Record, on []string, opts MergeOptions) (*MergeReport, error) {
	if opts.Nulls > NullsEqual {
		return nil, fmt.Errorf("%w: Nulls has no value %d", onerow.ErrOption, opts.Nulls)
	}
	t, err1 := frame.New("target", target)
	s, err2 := frame.New("source", source)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	table, err := frame.NewTable(frame.Part{Frame: t}, frame.Part{Frame: s, Names: opts.SourceNames})
	if err != nil {
		return nil, err
	}
	j := &mergeJob{opts: opts, table: table, first: uint32(t.Rows)}
	if err := j.readColumns(on); err != nil {
		return nil, err
	}
	j.report = &MergeReport{On: slices.Clone(on), Acts: slices.Clone(opts.Acts), SourceNames: maps.Clone(opts.SourceNames), NullSafe: opts.Nulls == NullsEqual,
		TargetRows: t.Rows, SourceRows: s.Rows}
	if opts.Worst == 0 {
		opts.Worst = DefaultWorst
	}
	j.opts.Worst = int(max(0, min(int64(opts.Worst), t.Rows+s.Rows)))
	if s.Rows == 0 {
		return j.report, ctx.Err()
	}
	keys := keyset.NewKeys(j.on, true)
	if keys.OneWord() {
		err = merge[[1]uint64](ctx, j, keys)
	} else {
		err = merge[[2]uint64](ctx, j, keys)
	}
	if err != nil {
		return nil, err
	}
	return j.report, nil
}

// readColumns reads the columns of both clauses. What is wrong with several comes back together.
func (j *mergeJob) readColumns(on []string) error {
	cols, err := j.table.Keys(on)
	errs := []error{err}
	for _, name := range slices.Sorted(maps.Keys(j.opts.SourceNames)) {
		if !slices.Contains(on, name) && !slices.Contains(j.opts.Acts, name) {
			errs = append(errs, fmt.Errorf("%w: SourceNames names column %q, which is neither in the ON clause nor in Acts", onerow.ErrOption, name))
		}
	}
	j.on = cols
	if len(j.opts.Acts) > 0 {
		acts, err := j.table.Keys(j.opts.Acts)
		if err != nil {
			errs = append(errs, fmt.Errorf("acts: %w", err))
		}
		for _, c := range acts {
			if !slices.Contains(on, c.Name) {
				j.acts = append(j.acts, c)
			}
		}
	}
	return errors.Join(errs...)
}

// sourceName is what the source calls a column.
func (j *mergeJob) sourceName(column string) string {
	if name, ok := j.opts.SourceNames[column]; ok {
		return name
	}
	return column
}

// neverActs says that no match can act: all columns of the condition are columns of the ON clause, and equal where rows match.
func (j *mergeJob) neverActs() bool { return len(j.opts.Acts) > 0 && len(j.acts) == 0 }

// act says whether a match of two rows acts.
func (j *mergeJob) act(target, source uint32) bool {
	for _, c := range j.acts {
		if c.Compare(target, source, form.ByValue) != 0 {
			return true
		}
	}
	return len(j.opts.Acts) == 0
}
