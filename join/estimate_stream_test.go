package join_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/join"
)

// TestStreamProperties compares the sizes of streams with the oracle's, in all forms, while keys are counted every few rows.
func TestStreamProperties(t *testing.T) {
	for name, rows := range map[string]int64{"row by row": 1, "three rows": 3, "at the end": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			defer join.SetBufferRows(rows)()
			rapid.Check(t, func(t *rapid.T) { sameSizeOfStreams(newPairLab(t, drawnPairs{t})) })
		})
	}
	t.Run("one hash", func(t *testing.T) {
		form.ConstantHash(true)
		defer form.ConstantHash(false)
		defer join.SetBufferRows(2)()
		rapid.Check(t, func(t *rapid.T) { sameSizeOfStreams(newPairLab(t, drawnPairs{t})) })
	})
}

func sameSizeOfStreams(l *pairLab) {
	want, wantErr := oracle.Estimate(l.sides[0], l.sides[1], l.on, l.opts)
	lefts, rights := arrowtest.Variants(l.alloc, l.sides[0]), arrowtest.Variants(l.alloc, l.sides[1])
	defer lefts.Release()
	defer rights.Release()
	for range 3 {
		left := lefts[l.src.Choose("left form", len(lefts))]
		right := rights[l.src.Choose("right form", len(rights))]
		opts := l.opts
		opts.Resources = onerow.Resources{Workers: 1 + l.src.Choose("workers", 4), Allocator: l.alloc}
		leftReader, rightReader := readerOf(l.t, left.Batches), readerOf(l.t, right.Batches)
		got, err := join.EstimateReaders(context.Background(), leftReader, rightReader, l.on, opts)
		leftReader.Release()
		rightReader.Release()
		if errors.Is(err, onerow.ErrType) && len(opts.Placeholders) > 0 {
			return
		}
		if err != nil || wantErr != nil {
			l.t.Fatalf("%s, %s: %v; the oracle says %v\n%v", left.Name, right.Name, err, wantErr, l)
		}
		limit := opts.Worst
		if limit == 0 {
			limit = join.DefaultWorst
		}
		cut := *want
		cut.Worst = cut.Worst[:min(len(cut.Worst), max(0, limit))]
		for _, list := range []*[]join.KeySize{&cut.Worst, &cut.Left.Repeats, &cut.Right.Repeats, &cut.Placeholders.Keys} {
			*list = slices.Clone(*list)
			for i := range *list {
				k := &(*list)[i]
				k.LeftRows, k.RightRows = k.LeftRows[:min(1, len(k.LeftRows))], k.RightRows[:min(1, len(k.RightRows))]
			}
		}
		if d := cmp.Diff(&cut, got, plainSize...); d != "" {
			l.t.Fatalf("%s, %s (-want +got): %s\n%v", left.Name, right.Name, d, l)
		}
	}
}

func readerOf(t arrowtest.TB, batches []arrow.Record) array.RecordReader {
	r, err := array.NewRecordReader(batches[0].Schema(), batches)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

// TestStreamLarge compares the sizes of streams of many keys with those of the same rows in memory.
func TestStreamLarge(t *testing.T) {
	defer join.SetBufferRows(5000)()
	for _, spread := range []string{"many keys", "few keys", "-1 has half"} {
		for form := range keyForms {
			mem := arrowtest.Allocator(t)
			sides := [2][]arrow.Record{largeSide(t, mem, form, spreadKeys(spread, 1, 40_000)), largeSide(t, mem, form, spreadKeys("many keys", 2, 30_000))}
			for i, side := range sides {
				var cut []arrow.Record
				for lo := int64(0); lo < side[0].NumRows(); lo += 700 {
					cut = append(cut, side[0].NewSlice(lo, min(lo+700, side[0].NumRows())))
				}
				defer arrowtest.Release(cut)
				sides[i] = cut
			}
			on := join.On("k").And("l", "k")
			for _, nulls := range []join.Nulls{join.NullsNever, join.NullsEqual} {
				opts := join.Options{Nulls: nulls, Resources: onerow.Resources{Workers: 2, Allocator: mem}}
				want, err := join.Estimate(t.Context(), sides[0], sides[1], on, opts)
				if err != nil {
					t.Fatal(err)
				}
				left, right := readerOf(t, sides[0]), readerOf(t, sides[1])
				got, err := join.EstimateReaders(t.Context(), left, right, on, opts)
				left.Release()
				right.Release()
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []*join.Size{want, got} {
					for _, list := range [][]join.KeySize{s.Worst, s.Left.Repeats, s.Right.Repeats, s.Placeholders.Keys} {
						for i := range list {
							list[i].LeftRows, list[i].RightRows = list[i].LeftRows[:min(1, len(list[i].LeftRows))], list[i].RightRows[:min(1, len(list[i].RightRows))]
						}
					}
				}
				if d := cmp.Diff(want, got, plainCounts); d != "" {
					t.Errorf("%s, %s (-want +got): %.3000s", spread, form, d)
				}
			}
		}
	}
}

// brokenReader fails after its batches.
type brokenReader struct {
	array.RecordReader
	err error
}

func (r *brokenReader) Err() error { return r.err }

var errDisk = errors.New("disk on fire")

// TestStreamErrors: what a reader fails with comes back, and so does what is wrong with the call, before anything is read.
func TestStreamErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	ids := arrowtest.Batches(t, mem, []string{"id:int64", "v:string"}, [][]any{{1, "a"}}, [][]any{{2, "b"}})
	texts := arrowtest.Table(t, mem, []string{"id:string"}, [][]any{{"a"}})
	estimate := func(ctx context.Context, left, right array.RecordReader, on join.Key, opts join.Options) error {
		opts.Resources.Allocator = mem
		s, err := join.EstimateReaders(ctx, left, right, on, opts)
		if s != nil {
			t.Errorf("a size: %v", s)
		}
		for _, r := range []array.RecordReader{left, right} {
			if r != nil {
				r.Release()
			}
		}
		return err
	}
	if err := estimate(t.Context(), readerOf(t, ids), &brokenReader{readerOf(t, ids), errDisk}, join.On("id"), join.Options{}); !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "right: ") {
		t.Errorf("%v", err)
	}
	if err := estimate(t.Context(), readerOf(t, ids), nil, join.On("id"), join.Options{}); !errors.Is(err, onerow.ErrOption) {
		t.Errorf("%v", err)
	}
	for _, test := range []struct {
		on   join.Key
		opts join.Options
		kind error
		says string
	}{
		{join.On("id"), join.Options{}, onerow.ErrType, `column "id" of type int64 in left and column "id" of type utf8 in right`},
		{join.On("v"), join.Options{}, onerow.ErrNoColumn, `column "v"`},
		{join.Key{}, join.Options{}, onerow.ErrNoKey, ""},
		{join.On("id"), join.Options{Nulls: 9}, onerow.ErrOption, "Nulls"},
	} {
		left := readerOf(t, ids)
		left.Retain()
		err := estimate(t.Context(), left, readerOf(t, texts), test.on, test.opts)
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v: %v", test.on, err)
		}
		if !left.Next() {
			t.Errorf("%v: the left side was read", test.on)
		}
		left.Release()
	}
	for points := int64(0); ; points++ {
		defer join.SetBufferRows(1)()
		ctx := &endAt{Context: t.Context()}
		ctx.left.Store(points)
		left, right := readerOf(t, ids), readerOf(t, ids)
		_, err := join.EstimateReaders(ctx, left, right, join.On("id", "v"), join.Options{Resources: onerow.Resources{Allocator: mem}})
		left.Release()
		right.Release()
		if err == nil {
			if points < 10 {
				t.Errorf("the context is looked at %d times", points)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("at point %d: %v", points, err)
		}
	}
}
