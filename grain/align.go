package grain

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/tally"
)

// Alignment compares two grains of one table: the key that it was deduped by, and the columns of an ON clause. NULL equals NULL in its
// counts; under a plain ON, rows with NULL in On match nothing and are inserted each time (see On.NullKeyRows).
type Alignment struct {
	// Deduped and On are the reports of [Check] at either grain, under NullsEqual.
	Deduped *Report `json:"deduped"`
	On      *Report `json:"on"`
	// Missing are the columns of the dedupe key that the ON clause lacks, Extra those that only the ON clause has.
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
	// BothKeys is the number of distinct keys over the columns of both.
	BothKeys int64 `json:"both_keys"`
}

// Coarser says whether rows of different dedupe keys meet at the ON clause: a target row is then hit by several source rows, and the MERGE
// fails or picks one of them.
func (a *Alignment) Coarser() bool { return a.BothKeys > a.On.Keys }

// Finer says whether one dedupe key has several keys at the ON clause: where the target holds one of them, the MERGE inserts the others
// beside it.
func (a *Alignment) Finer() bool { return a.BothKeys > a.Deduped.Keys }

// Err is nil when, in this table, the two grains are one and the ON clause finds one row each. Else it wraps
// [onerow.ErrGrain] if the grains differ, and is a *DuplicateKeyError (errors.As) if a key of the ON clause repeats.
func (a *Alignment) Err() error {
	on := a.On.Err()
	if !a.Coarser() && !a.Finer() {
		return on
	}
	var why []string
	if a.Coarser() {
		why = append(why, fmt.Sprintf("%d keys meet in %d", a.BothKeys, a.On.Keys))
	}
	if a.Finer() {
		why = append(why, fmt.Sprintf("%d keys fall apart into %d", a.Deduped.Keys, a.BothKeys))
	}
	err := fmt.Errorf("%w: deduped by (%s), ON names (%s): %s", onerow.ErrGrain, strings.Join(a.Deduped.Key, ", "),
		strings.Join(a.On.Key, ", "), strings.Join(why, "; "))
	if on != nil {
		return fmt.Errorf("%w: %w", err, on)
	}
	return err
}

// String is the alignment as text: the verdict, and the counts at either grain. It ends without a newline.
func (a *Alignment) String() string {
	return a.verdict() + "\n" + a.counts().String()
}

// LogValue makes the alignment a group: both keys, coarser and finer, and the counts that String shows.
func (a *Alignment) LogValue() slog.Value {
	attrs := []slog.Attr{slog.Any("deduped", a.Deduped.Key), slog.Any("on", a.On.Key),
		slog.Bool("coarser", a.Coarser()), slog.Bool("finer", a.Finer())}
	return slog.GroupValue(append(attrs, a.counts().Attrs()...)...)
}

func (a *Alignment) verdict() string {
	keys := fmt.Sprintf("deduped by (%s), ON names (%s): ", strings.Join(a.Deduped.Key, ", "), strings.Join(a.On.Key, ", "))
	switch coarser, finer := a.Coarser(), a.Finer(); {
	case coarser && finer:
		return keys + "neither grain holds the other"
	case coarser:
		return keys + "ON is coarser"
	case finer:
		return keys + "ON is finer"
	}
	return keys + "one grain"
}

func (a *Alignment) counts() tally.Counts {
	return tally.Counts{
		{Key: "rows", Label: "rows", N: a.On.Rows},
		{Key: "deduped_keys", Label: "keys of the dedupe", N: a.Deduped.Keys},
		{Key: "on_keys", Label: "keys of ON", N: a.On.Keys},
		{Key: "on_duplicate_keys", Label: "that repeat", Depth: 1, N: a.On.DuplicateKeys},
		{Key: "both_keys", Label: "keys of both together", N: a.BothKeys},
		{Key: "on_null_rows", Label: "rows with NULL in ON", N: a.On.NullKeyRows, Rare: true},
	}
}

// Align says whether the grain that a table was deduped at is the grain of a MERGE's ON clause. Both are named by their columns;
// where the names differ, the rows decide, so the answer holds for this table only. Options.Nulls is not used.
//
// It costs as much as one [Check], or up to three where the columns differ, and has its errors.
func Align(ctx context.Context, batches []arrow.Record, deduped, on []string, opts Options) (*Alignment, error) {
	opts.Nulls = NullsEqual
	a := &Alignment{Missing: without(deduped, on), Extra: without(on, deduped)}
	var err error
	if a.Deduped, err = Check(ctx, batches, deduped, opts); err != nil {
		return nil, err
	}
	if a.On = a.Deduped; !slices.Equal(deduped, on) {
		if a.On, err = Check(ctx, batches, on, opts); err != nil {
			return nil, err
		}
	}
	switch {
	case len(a.Missing) == 0:
		a.BothKeys = a.On.Keys
	case len(a.Extra) == 0:
		a.BothKeys = a.Deduped.Keys
	default:
		opts.Worst = -1
		both, err := Check(ctx, batches, slices.Concat(deduped, a.Extra), opts)
		if err != nil {
			return nil, err
		}
		a.BothKeys = both.Keys
	}
	return a, nil
}

// without returns the names that are not among others.
func without(names, others []string) (rest []string) {
	for _, n := range names {
		if !slices.Contains(others, n) {
			rest = append(rest, n)
		}
	}
	return rest
}
