package join

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/spill"
)

// EstimateReaders is [Estimate] for sides that are streams, such as those of Parquet or IPC files. It reads the left one to its end, then the right
// one. The readers remain the caller's, who releases them.
//
// # Memory
//
// Without a budget (Resources.Memory), memory grows with the distinct keys, not with the rows: of each side it keeps the key columns once a key,
// and 8 bytes beside them. The key columns of the latest batches are kept until they have a million rows, or as many as there are keys so far;
// then their keys are counted, with 16 to 40 bytes a row and key. So the peak is about three times the key columns of the distinct keys (of
// a million rows where keys are fewer), and 80 bytes for each. Columns that share memory with the rest of their batch, as those of IPC do, hold all
// of it until they are counted. The key columns of a side then may not have more than 2 GiB of text where their type is string or binary.
//
// With a budget the heap stays within it, as [onerow.Resources] says, whatever the number of keys. Key columns are copied as they come, and
// dictionaries and runs decoded, so batches needn't be small. Keys that have no room are dealt out by a hash to 32 files a side, and estimated
// file by file; one that still has no room is dealt out again. So each spilled key is written once, and once more for each factor of 32 by which
// the distinct keys outgrow a quarter of the budget or so: its columns, 8 bytes, and some hundred bytes for each file and each time that memory was full. A key that
// comes again after it was written is written again. Keys that all fit cost one copy of the key columns. The size is the same with each budget.
//
// A side may have [onerow.MaxRows] rows.
//
// # Outcome
//
// The size is that of Estimate, but for the lists of keys: of each key they have the first row of each side. Progress is told of the last
// step, which matches the keys: its rows are those of both sides. Errors are those of Estimate, what the readers fail with, and
// [onerow.ErrSpill]; [onerow.ErrTooLarge] for key columns that outgrow their type. There is no size then, and no file is left.
func EstimateReaders(ctx context.Context, left, right array.RecordReader, on Key, opts Options) (s *Size, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if left == nil || right == nil {
		return nil, fmt.Errorf("%w: a reader is nil", onerow.ErrOption)
	}
	readers := [2]array.RecordReader{left, right}
	if err := checkStreams(readers, on, opts); err != nil {
		return nil, err
	}
	c := newStreamCall(on.clone(), opts)
	defer func() {
		if failed := c.folder.Remove(); failed != nil {
			s, err = nil, errors.Join(err, failed)
		}
	}()
	return c.size(ctx, readers)
}

// streamCall is a call of EstimateReaders. The keys of each side are counted as its rows come; what has no room goes to partitions on disk. Then
// the keys of both sides are matched: all at once, or one partition after the other.
//
//	batches ─► sideKeys: keys, counts, first rows ─┬────────────────────────────────► estimate ─► findings ─► Size
//	                                               └► partitions on disk ─► sideKeys ─► estimate ─► findings ┘ one by one
type streamCall struct {
	on       Key
	opts     Options
	folder   *spill.Folder
	room     int64 // bytes for the keys of both sides, and for the work on them; 0: without bound
	progress *frame.Progress
	found    findings
}

func newStreamCall(on Key, opts Options) *streamCall {
	if opts.Worst == 0 {
		opts.Worst = DefaultWorst
	}
	r := opts.Resources
	return &streamCall{on: on, opts: opts, folder: spill.NewFolder(spillFS, r.Dir), room: roomOf(r.Memory), progress: frame.NewProgress(r)}
}

// spillFS is where the folders of calls are.
var spillFS spill.FS = spill.OS{}

func (c *streamCall) size(ctx context.Context, readers [2]array.RecordReader) (*Size, error) {
	sides := &streamed{}
	defer sides.close()
	var rows [2]int64
	total := int64(0)
	for side, r := range readers {
		k := newSideKeys(c, side, r.Schema())
		sides[side] = k
		k.limit(sides)
		if err := k.readAll(ctx, r); err != nil {
			return nil, err
		}
		rows[side] = k.rows
		c.found.sum.nullRows[side], c.found.nulls[side] = k.nullRows, k.nullsOf()
		total += c.found.sum.keyed(k.rows, side, c.opts.Nulls)
	}
	c.progress.Start(onerow.StageGroup, total)
	if err := c.estimate(ctx, sides); err != nil {
		return nil, err
	}
	return c.found.size(c.on, c.opts, rows), nil
}

// estimate adds what is found of the keys of both sides to the call's findings. It leaves the sides without keys.
func (c *streamCall) estimate(ctx context.Context, sides *streamed) error {
	if sides[leftSide].spilled == nil && sides[rightSide].spilled == nil {
		return c.estimateHeld(ctx, sides)
	}
	for _, k := range sides {
		if err := k.flush(ctx); err != nil {
			return err
		}
		if err := k.spilled.Seal(); err != nil {
			return err
		}
	}
	for part := range spillParts {
		if sides[leftSide].spilled.Rows(part) == 0 && sides[rightSide].spilled.Rows(part) == 0 {
			continue
		}
		if err := c.estimatePart(ctx, sides, part); err != nil {
			return err
		}
	}
	return nil
}

// estimateHeld matches keys that are in memory.
func (c *streamCall) estimateHeld(ctx context.Context, sides *streamed) error {
	return keyset.Guard(func() error {
		e, err := newEstimate(sides[leftSide].batches(), sides[rightSide].batches(), c.on, c.opts)
		if err != nil {
			return err
		}
		e.stream, e.progress = sides, c.progress
		f, err := e.find(ctx)
		if err != nil {
			return err
		}
		c.found.add(f, c.opts.Worst)
		return nil
	})
}

// estimatePart reads a partition of both sides back. What is still too large is dealt out once more.
func (c *streamCall) estimatePart(ctx context.Context, sides *streamed, part int) error {
	below := &streamed{}
	defer below.close()
	for side, k := range sides {
		below[side] = k.part()
		below[side].limit(below)
		if err := below[side].readBack(ctx, k.spilled, part); err != nil {
			return err
		}
	}
	return c.estimate(ctx, below)
}

// checkStreams looks at options and columns before anything is read.
func checkStreams(readers [2]array.RecordReader, on Key, opts Options) error {
	s := &sides{on: on}
	errs := []error{on.check(), checkNulls(opts.Nulls)}
	if n := opts.Resources.Memory; n < 0 {
		errs = append(errs, fmt.Errorf("%w: Resources.Memory is %d", onerow.ErrOption, n))
	}
	if errs[0] != nil {
		return errors.Join(errs...)
	}
	for side, r := range readers {
		s.frames[side] = &frame.Frame{Input: sideNames[side], Schema: r.Schema()}
	}
	for i := range on.Left {
		s.cols = append(s.cols, &form.Column{Name: on.Left[i]})
		errs = append(errs, s.checkPair(i))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	_, err := s.mark(opts.Placeholders)
	return err
}

// checkPair finds the columns of pair i in the schemas.
func (s *sides) checkPair(i int) error {
	var types [2]arrow.DataType
	var errs []error
	for side, f := range s.frames {
		name := s.names(side)[i]
		at, err := f.Index(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		types[side] = f.Schema.Field(at).Type
		if ok, why := form.IsKey(types[side]); !ok {
			errs = append(errs, &onerow.TypeError{Column: name, Type: types[side], Input: f.Input, Why: why})
		}
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	if ok, why := form.Comparable(types[leftSide], types[rightSide]); !ok {
		return &onerow.TypeError{Column: s.on.Left[i], Type: types[leftSide], Input: sideNames[leftSide],
			OtherColumn: s.on.Right[i], OtherType: types[rightSide], OtherInput: sideNames[rightSide], Why: why}
	}
	return nil
}
