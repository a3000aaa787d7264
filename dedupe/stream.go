package dedupe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/spill"
	"github.com/onerow-go/onerow/internal/take"
)

// stream is a call of NewReader. Its records have the columns of the stream, decoded, and the numbers of their rows in the last one.
//
//	batches ─► pool: rows that haven't lost ─┬──────────────────────► decide ─┬► won    ─► Reader
//	                                         └► files, by key ─► pool ─► … ─┘ └► aside ─► Reader.SetAside
type stream struct {
	key    []string
	order  []onerow.Order
	opts   Options       // without progress
	input  *arrow.Schema // as the batches have it
	schema *arrow.Schema // as the reader's records have it
	plain  *arrow.Schema // as it is kept: decoded, without extension types and numbers
	kept   *arrow.Schema // plain, and the numbers
	// decodes: batches have columns that are kept otherwise.
	decodes bool
	mem     memory.Allocator
	room    int64 // bytes to work in; 0: without bound
	folder  *spill.Folder

	won, aside *ordered
	progress   *frame.Progress
	report     Report
	nullKeys   nullCount
	nullOrders nullCount
	ties       *onerow.KeysError // nil: none so far
}

// streamFS is where the folders of calls are.
var streamFS spill.FS = spill.OS{}

// leastRoom is what smaller budgets get: with less, files are so small that they cost more than their rows.
var leastRoom int64 = 2 << 20

// fixedRoom is for what doesn't grow with the rows.
const fixedRoom = 8 << 20

func newStream(input *arrow.Schema, key []string, order []onerow.Order, opts Options) (*stream, error) {
	s := &stream{key: slices.Clone(key), order: slices.Clone(order), opts: opts, input: input, mem: opts.Resources.Allocator,
		folder: spill.NewFolder(streamFS, opts.Resources.Dir), progress: frame.NewProgress(opts.Resources)}
	s.opts.Resources.Progress = nil
	if s.mem == nil {
		s.mem = memory.DefaultAllocator
	}
	if n := opts.Resources.Memory; n > 0 {
		// The collector, by its default, lets garbage grow as large as what is in use.
		s.room = max(leastRoom, n/4, n/2-fixedRoom)
	}
	s.layOut()
	s.won, s.aside = newOrdered(s, "won"), newOrdered(s, "aside")
	return s, s.check()
}

// check looks at options and columns before anything is read.
func (s *stream) check() error {
	var errs []error
	for _, o := range []struct {
		bad  bool
		what string
	}{{s.opts.Resources.Memory < 0, fmt.Sprintf("Resources.Memory is %d", s.opts.Resources.Memory)},
		{s.opts.Against != nil, "Against can't be used on a stream"},
		{s.opts.Op.PreviousKey != nil, "Op.PreviousKey can't be used on a stream"}} {
		if o.bad {
			errs = append(errs, fmt.Errorf("%w: %s", onerow.ErrOption, o.what))
		}
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	return keyset.Guard(func() error {
		none, err := take.Record(context.Background(), s.mem, s.input, nil, nil, 1)
		if err != nil {
			return err
		}
		defer none.Release()
		_, err = newJob([]arrow.Record{none}, s.key, s.order, s.opts)
		return err
	})
}

// run reads the stream to its end, and decides.
func (s *stream) run(ctx context.Context, in array.RecordReader) error {
	p := &pool{stream: s}
	defer p.close()
	for n := 0; in.Next(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := in.Record()
		if why := form.SchemasDiffer(s.input, batch.Schema()); why != "" {
			return &onerow.SchemaError{Input: "batches", Batch: n, Why: why}
		}
		if rows := batch.NumRows(); rows < 0 {
			return fmt.Errorf("%w: batches: batch %d has %d rows", onerow.ErrMalformed, n, rows)
		}
		first := s.report.In
		if s.report.In += batch.NumRows(); s.report.In > onerow.MaxRows {
			return fmt.Errorf("%w: batches: more than %d", onerow.ErrTooManyRows, int64(onerow.MaxRows))
		}
		if err := s.read(ctx, p, batch, uint32(first)); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("batches: %w", err)
	}
	if err := cmp.Or(ctx.Err(), s.refusedNulls()); err != nil {
		return err
	}
	if err := p.end(ctx); err != nil {
		return err
	}
	if s.ties != nil {
		return s.ties
	}
	s.finish()
	return cmp.Or(s.won.seal(ctx), s.aside.seal(ctx))
}

// finish completes the report, as that of Latest is.
func (s *stream) finish() {
	r := &s.report
	r.NullKeyRows, r.NullOrderRows = s.nullKeys.rows, s.nullOrders.rows
	r.Kept, r.SetAside = s.won.rows, s.aside.rows
	r.Superseded = r.In - r.Kept - r.Duplicates - r.SetAside
}

// close removes all that the call made, after an error or at the end of the reading.
func (s *stream) close(err error) error {
	s.won.close()
	s.aside.close()
	return errors.Join(err, s.folder.Remove())
}

// nullCount counts what one rule on NULLs is about.
type nullCount struct {
	rows      int64
	columns   []onerow.ColumnNulls
	rejecting bool // there is one where none may be
}

// add counts the columns of a batch.
func (n *nullCount) add(columns []onerow.ColumnNulls, first uint32) {
	for _, c := range columns {
		c.First += first
		at := slices.IndexFunc(n.columns, func(o onerow.ColumnNulls) bool { return o.Column == c.Column })
		if at < 0 {
			n.columns = append(n.columns, c)
			continue
		}
		n.columns[at].Rows += c.Rows
	}
}

// error lists the columns in the order in which they were asked for.
func (n *nullCount) error(kind error, order []string) error {
	slices.SortFunc(n.columns, func(a, b onerow.ColumnNulls) int {
		return cmp.Compare(slices.Index(order, a.Column), slices.Index(order, b.Column))
	})
	return &onerow.NullError{Kind: kind, Input: "batches", Columns: n.columns}
}

// countNulls counts the NULLs of a batch, and marks the rows with one in the key; nil: none.
func (s *stream) countNulls(ctx context.Context, batch arrow.Record, first uint32) (inKey keyset.Bitmap, err error) {
	f, err := frame.New("batches", []arrow.Record{batch})
	if err != nil {
		return nil, err
	}
	t, err := frame.NewTable(frame.Part{Frame: f})
	if err != nil {
		return nil, err
	}
	rows := uint32(batch.NumRows())
	cols, err := t.Keys(s.key)
	if err != nil {
		return nil, err
	}
	inKey, columns, err := frame.NullRows(ctx, cols, 0, rows, nil)
	if err != nil {
		return nil, err
	}
	s.nullKeys.rows += int64(inKey.Count())
	s.nullKeys.add(columns, first)
	s.nullKeys.rejecting = s.nullKeys.rows > 0 && s.opts.NullKey == onerow.RejectNullKeys
	var skip keyset.Bitmap
	if s.opts.NullKey == onerow.SetAsideNullKeys {
		skip = inKey
	}
	return inKey, s.countOrderNulls(ctx, t, rows, first, skip)
}

func (s *stream) countOrderNulls(ctx context.Context, t *frame.Table, rows, first uint32, skip keyset.Bitmap) error {
	var cols, rejecting []*form.Column
	for _, o := range s.order {
		c, err := t.Column(o.Column, form.IsOrder)
		if err != nil {
			return err
		}
		cols = append(cols, c)
		if o.Nulls == onerow.RejectNulls {
			rejecting = append(rejecting, c)
		}
	}
	marked, _, err := frame.NullRows(ctx, cols, 0, rows, skip)
	if err != nil || marked == nil {
		return err
	}
	s.nullOrders.rows += int64(marked.Count())
	_, columns, err := frame.NullRows(ctx, rejecting, 0, rows, skip)
	s.nullOrders.add(columns, first)
	s.nullOrders.rejecting = len(s.nullOrders.columns) > 0
	return err
}

// refuses says that the call will fail for a NULL: what comes is counted, and not kept.
func (s *stream) refuses() bool { return s.nullKeys.rejecting || s.nullOrders.rejecting }

func (s *stream) refusedNulls() error {
	var names []string
	for _, o := range s.order {
		names = append(names, o.Column)
	}
	switch {
	case s.nullKeys.rejecting:
		return s.nullKeys.error(onerow.ErrNullKey, s.key)
	case s.nullOrders.rejecting:
		return s.nullOrders.error(onerow.ErrNullOrder, names)
	}
	return nil
}
