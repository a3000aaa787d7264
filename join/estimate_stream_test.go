package join_test

import (
	"context"
	"errors"
	"os"
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

// TestStreamProperties compares the sizes of streams with the oracle's, in all forms, while keys are counted every few rows and with budgets that
// don't hold them.
func TestStreamProperties(t *testing.T) {
	for name, rows := range map[string]int64{"row by row": 1, "three rows": 3, "at the end": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			defer join.SetBufferRows(rows)()
			dir := t.TempDir()
			rapid.Check(t, func(t *rapid.T) { sameSizeOfStreams(newPairLab(t, drawnPairs{t}), dir) })
		})
	}
	t.Run("one hash", func(t *testing.T) {
		form.ConstantHash(true)
		defer form.ConstantHash(false)
		defer join.SetBufferRows(2)()
		dir := t.TempDir()
		rapid.Check(t, func(t *rapid.T) { sameSizeOfStreams(newPairLab(t, drawnPairs{t}), dir) })
	})
}

func sameSizeOfStreams(l *pairLab, dir string) {
	want, wantErr := oracle.Estimate(l.sides[0], l.sides[1], l.on, l.opts)
	lefts, rights := arrowtest.Variants(l.alloc, l.sides[0]), arrowtest.Variants(l.alloc, l.sides[1])
	defer lefts.Release()
	defer rights.Release()
	for range 2 {
		left := lefts[l.src.Choose("left form", len(lefts))]
		right := rights[l.src.Choose("right form", len(rights))]
		opts := l.opts
		opts.Resources = onerow.Resources{Workers: 1 + l.src.Choose("workers", 4), Allocator: l.alloc, Dir: dir,
			Memory: []int64{0, 1, 1000, 2500, 64 << 10}[l.src.Choose("memory", 5)]}
		leftReader, rightReader := readerOf(l.t, left.Batches), readerOf(l.t, right.Batches)
		got, err := join.EstimateReaders(context.Background(), leftReader, rightReader, l.on, opts)
		leftReader.Release()
		rightReader.Release()
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			l.t.Fatalf("%v is left, error %v", files, err)
		}
		if errors.Is(err, onerow.ErrType) && len(opts.Placeholders) > 0 {
			return
		}
		if err != nil || wantErr != nil {
			l.t.Fatalf("%s, %s, %d bytes: %v; the oracle says %v\n%v", left.Name, right.Name, opts.Resources.Memory, err, wantErr, l)
		}
		opts.Resources.Memory = 0
		leftReader, rightReader = readerOf(l.t, left.Batches), readerOf(l.t, right.Batches)
		unbound, err := join.EstimateReaders(context.Background(), leftReader, rightReader, l.on, opts)
		leftReader.Release()
		rightReader.Release()
		if d := cmp.Diff(unbound, got, plainCounts); err != nil || d != "" {
			l.t.Fatalf("%s, %s: with a budget and without (-without +with): %s, error %v\n%v", left.Name, right.Name, d, err, l)
		}
		limit := opts.Worst
		if limit == 0 {
			limit = join.DefaultWorst
		}
		cut := *want
		cut.Worst = slices.Clone(cut.Worst[:min(len(cut.Worst), max(0, limit))])
		cut.Left.Repeats, cut.Right.Repeats = slices.Clone(cut.Left.Repeats), slices.Clone(cut.Right.Repeats)
		cut.Placeholders.Keys = slices.Clone(cut.Placeholders.Keys)
		onlyFirstRows(&cut)
		if d := cmp.Diff(&cut, got, plainSize...); d != "" {
			l.t.Fatalf("%s, %s, %d bytes (-want +got): %s\n%v", left.Name, right.Name, opts.Resources.Memory, d, l)
		}
	}
}

// onlyFirstRows leaves the first row of each side in the lists, as EstimateReaders has them.
func onlyFirstRows(s *join.Size) {
	for _, list := range [][]join.KeySize{s.Worst, s.Left.Repeats, s.Right.Repeats, s.Placeholders.Keys} {
		for i := range list {
			k := &list[i]
			k.LeftRows, k.RightRows = k.LeftRows[:min(1, len(k.LeftRows))], k.RightRows[:min(1, len(k.RightRows))]
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

// TestStreamLarge compares the sizes of streams of many keys with those of the same rows in memory, with budgets and without.
func TestStreamLarge(t *testing.T) {
	defer join.SetBufferRows(5000)()
	rows := 40_000
	if testing.Short() {
		rows = 12_000
	}
	dir := t.TempDir()
	for _, spread := range []string{"many keys", "few keys", "-1 has half"} {
		for form := range keyForms {
			mem := arrowtest.Allocator(t)
			sides := [2][]arrow.Record{largeSide(t, mem, form, spreadKeys(spread, 1, rows)), largeSide(t, mem, form, spreadKeys("many keys", 2, rows*3/4))}
			for i, side := range sides {
				sides[i] = cutBatches(side[0], 700)
				defer arrowtest.Release(sides[i])
			}
			on := join.On("k").And("l", "k")
			for i, nulls := range []join.Nulls{join.NullsNever, join.NullsEqual} {
				opts := join.Options{Nulls: nulls, Resources: onerow.Resources{Workers: 2, Allocator: mem}}
				want, err := join.Estimate(t.Context(), sides[0], sides[1], on, opts)
				if err != nil {
					t.Fatal(err)
				}
				onlyFirstRows(want)
				budgets := [][]int64{{0, int64(50 * rows)}, {int64(100 * rows), 1 << 30}}[i]
				if spread == "few keys" && form == "int64" && i == 0 {
					budgets = append(budgets, 64<<10)
				}
				for _, memory := range budgets {
					opts.Resources.Memory, opts.Resources.Dir = memory, dir
					left, right := readerOf(t, sides[0]), readerOf(t, sides[1])
					got, err := join.EstimateReaders(t.Context(), left, right, on, opts)
					left.Release()
					right.Release()
					if err != nil {
						t.Fatal(err)
					}
					if d := cmp.Diff(want, got, plainCounts); d != "" {
						t.Errorf("%s, %s, %d bytes (-want +got): %.3000s", spread, form, memory, d)
					}
				}
			}
		}
	}
}

// cutBatches cuts a record into batches. The caller releases them.
func cutBatches(rec arrow.Record, rows int64) (out []arrow.Record) {
	for lo := int64(0); lo < rec.NumRows(); lo += rows {
		out = append(out, rec.NewSlice(lo, min(lo+rows, rec.NumRows())))
	}
	return out
}

// TestStreamEmpty: readers without batches, or without rows, of every key type.
func TestStreamEmpty(t *testing.T) {
	mem := arrowtest.Allocator(t)
	p, s := arrow.PrimitiveTypes, arrow.BinaryTypes
	dict := func(v arrow.DataType) arrow.DataType { return &arrow.DictionaryType{IndexType: p.Int8, ValueType: v} }
	types := []arrow.DataType{arrow.Null, arrow.FixedWidthTypes.Boolean, p.Int8, p.Uint64, p.Float64, arrow.FixedWidthTypes.Float16, s.String, s.LargeBinary, s.StringView, s.BinaryView,
		&arrow.FixedSizeBinaryType{ByteWidth: 3}, &arrow.Decimal128Type{Precision: 9}, &arrow.Decimal256Type{Precision: 9}, p.Date32, arrow.FixedWidthTypes.Time64ns,
		arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Duration_s, arrow.StructOf(arrow.Field{Name: "a", Type: dict(s.String)}), arrow.ListOf(p.Int8),
		arrow.LargeListOf(p.Int8), arrow.ListViewOf(p.Int8), arrow.LargeListViewOf(p.Int8), arrow.FixedSizeListOf(2, p.Int8), dict(s.String), dict(arrow.ListOf(p.Int8)), dict(dict(p.Int8)),
		arrow.RunEndEncodedOf(p.Int32, s.String), arrow.RunEndEncodedOf(p.Int16, dict(s.String))}
	for _, typ := range types {
		schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: typ}}, nil)
		for _, memory := range []int64{0, 1, 1 << 30} {
			none, err := array.NewRecordReader(schema, nil)
			if err != nil {
				t.Fatal(err)
			}
			r := onerow.Resources{Memory: memory, Allocator: mem, Dir: "/no/such/folder"}
			size, err := join.EstimateReaders(t.Context(), none, none, join.On("k"), join.Options{Resources: r})
			none.Release()
			if err != nil || size.Rows != (join.Sizes{}) || !size.Left.Unique {
				t.Errorf("%v, %d bytes: %v, error %v", typ, memory, size, err)
			}
		}
	}
	ids := arrowtest.Table(t, mem, []string{"k:int64"}, [][]any{{1}, {1}})
	for _, memory := range []int64{0, 1 << 30} {
		left, right := readerOf(t, ids), readerOf(t, arrowtest.Batches(t, mem, []string{"k:int8"}, nil, nil))
		r := onerow.Resources{Memory: memory, Allocator: mem}
		size, err := join.EstimateReaders(t.Context(), left, right, join.On("k"), join.Options{Placeholders: []onerow.Value{1}, Resources: r})
		left.Release()
		right.Release()
		if err != nil || size.Left.Keys != 1 || size.Rows.Left != join.CountOf(2) || size.Placeholders.Left != 2 {
			t.Errorf("%d bytes: %v, error %v", memory, size, err)
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
		{join.On("id"), join.Options{Resources: onerow.Resources{Memory: -1}}, onerow.ErrOption, "Resources.Memory is -1"},
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
	spills := onerow.Resources{Memory: 1, Dir: "/no/such/folder"}
	if err := estimate(t.Context(), readerOf(t, ids), readerOf(t, ids), join.On("id"), join.Options{Resources: spills}); !errors.Is(err, onerow.ErrSpill) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for points := int64(0); ; points++ {
		defer join.SetBufferRows(1)()
		ctx := arrowtest.EndAt(t.Context(), points)
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
