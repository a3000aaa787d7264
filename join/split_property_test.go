package join_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/join"
)

// TestSplitProperties runs the properties of Split on random tables.
func TestSplitProperties(t *testing.T) { splitProperties(t) }

// TestSplitUnderOneHash runs them again while every hash is the same.
func TestSplitUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	splitProperties(t)
}

func splitProperties(t *testing.T) {
	for _, p := range []struct {
		name  string
		holds func(l *pairLab)
	}{
		{"oracle", func(l *pairLab) { l.agreeOnSplit(l.sides) }},
		{"forms", sameSplitForAllForms},
		{"no longer joined", quarantined},
	} {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { p.holds(newPairLab(t, drawnPairs{t})) })
		})
	}
}

// splitOptions chooses keys to put into quarantine: values that may fit, or those that make the most rows.
func (l *pairLab) splitOptions() join.SplitOptions {
	opts := join.SplitOptions{Nulls: l.opts.Nulls, Placeholders: l.opts.Placeholders}
	opts.Resources.Workers = 1 + l.src.Choose("workers", 4)
	for range l.src.Choose("keys", 3) {
		var key []onerow.Value
		for i := range l.on.Left {
			if l.src.Choose("NULL", 4) == 3 {
				key = append(key, nil)
			} else {
				key = append(key, l.fit(i))
			}
		}
		opts.Keys = append(opts.Keys, key)
	}
	if size, ok := l.estimate(l.sides, l.on); ok && l.src.Choose("listed", 2) == 1 {
		opts.Listed = slices.Concat(size.Worst, size.Left.Repeats)
	}
	return opts
}

// agreeOnSplit compares the division of some form of the tables with the oracle's.
func (l *pairLab) agreeOnSplit(sides [2][]arrow.Record) (join.SplitOptions, *join.Division) {
	l.t.Helper()
	opts := l.splitOptions()
	want, wantErr := oracle.Split(l.sides[0], l.sides[1], l.on, opts)
	got, err := join.Split(context.Background(), sides[0], sides[1], l.on, opts)
	if err != nil || wantErr != nil {
		// The oracle holds some values that no cell equals, such as bytes of another width.
		if !errors.Is(err, onerow.ErrType) || len(opts.Keys)+len(opts.Placeholders) == 0 || got != nil {
			l.t.Fatalf("%v; the oracle says %v\n%+v\n%v", err, wantErr, opts, l)
		}
		return opts, nil
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		l.t.Fatalf("division (-want +got): %s\n%+v\n%v", d, opts, l)
	}
	return opts, got
}

// Cuts, encodings and offsets change nothing.
func sameSplitForAllForms(l *pairLab) {
	lefts, rights := arrowtest.Variants(l.alloc, l.sides[0]), arrowtest.Variants(l.alloc, l.sides[1])
	defer lefts.Release()
	defer rights.Release()
	for range 4 {
		l.agreeOnSplit([2][]arrow.Record{lefts[l.src.Choose("left form", len(lefts))].Batches, rights[l.src.Choose("right form", len(rights))].Batches})
	}
}

// The rows to join make the rows of the inner join that no key in quarantine makes, and each row is in one list.
func quarantined(l *pairLab) {
	opts, d := l.agreeOnSplit(l.sides)
	if d == nil {
		return
	}
	var kept [2][]arrow.Record
	for i, side := range []*join.DividedSide{&d.Left, &d.Right} {
		all := slices.Concat(side.Join, side.Quarantine())
		slices.Sort(all)
		for row := range all {
			if all[row] != uint32(row) {
				l.t.Fatalf("rows %v\n%v", all, l)
			}
		}
		if len(all) != len(l.rows[i]) {
			l.t.Fatalf("%d rows of %d\n%v", len(all), len(l.rows[i]), l)
		}
		rec, err := onerow.Take(context.Background(), l.sides[i], side.Join, onerow.Resources{Allocator: l.alloc})
		if err != nil {
			l.t.Fatalf("%v", err)
		}
		defer rec.Release()
		kept[i] = []arrow.Record{rec}
	}
	l.opts.Placeholders = opts.Placeholders
	before, ok := l.estimate(l.sides, l.on)
	after, _ := l.estimate(kept, l.on)
	if ok && (after.Rows.Inner.Cmp(before.Rows.Inner) > 0 || opts.Nulls == join.NullsNever && after.Left.NullRows > 0) {
		l.t.Fatalf("before: %v\nafter: %v\n%v", before, after, l)
	}
	for _, k := range opts.Listed {
		if ok && slices.ContainsFunc(after.Worst, func(a join.KeySize) bool { return cmp.Equal(a.Values, k.Values) }) {
			l.t.Fatalf("%v is still joined\n%v", k.Values, l)
		}
	}
}
