package dedupe

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Reader gives the rows that [Latest] keeps of a stream, in the order of the stream, as records. It is an [array.RecordReader].
//
// When [NewReader] returns, all is decided: [Reader.Report] is complete, and what Latest would refuse was refused. What may still fail is reading
// files back, and the context.
type Reader struct {
	RowReader
	aside  RowReader
	report Report
}

// RowReader is an [array.RecordReader] that knows which rows of the stream its records have. It belongs to one goroutine.
type RowReader struct {
	shared *shared
	from   *ordered
	rec    arrow.Record
	rows   onerow.Rows
	marked onerow.Rows // the deletes of rec, by place
	err    error
}

// shared is what the two streams of a call have in common.
type shared struct {
	*stream
	ctx     context.Context
	refs    atomic.Int64
	readers [2]*RowReader
}

// NewReader finds the latest row of each key of a stream, such as those of Parquet, IPC or Flight, which may be larger than memory. It reads the stream
// to its end, and returns a reader of the winners, which the caller releases. The stream remains the caller's. The rows are those that [Latest]
// keeps of the same rows in memory, and so are the report and what is refused, with row numbers counted over the stream; a stream may have
// [onerow.MaxRows] rows.
//
// # Records
//
// The records have the columns of the stream, decoded: dictionary and run-end columns come as columns of their values, inside structs and lists
// too. An extension type whose storage is so encoded comes as its plain storage. Records have at most 65,536 rows, and where they are cut may depend on
// the budget; nothing else does.
//
// # Memory
//
// With a budget (Options.Resources.Memory) the heap stays within it, as [onerow.Resources] says, whatever the number of rows and keys. Rows are held while
// there is room; then those that lost already go, and if more than half are left, all are dealt out by key to 64 files in Resources.Dir. At
// the end each file is decided by itself; one that has no room is dealt out again. So a row that doesn't lose early is written and read once, and once more for each
// factor of 64 by which all of them outgrow three eighths of the budget; winners are written and read once more, to bring them back into order. Ten thousand million
// bytes within 1 GiB are dealt out once.
//
// Rows of one key that are equal in order to its latest are held together, whatever the budget, and with Options.Fill or SetAsideTies all rows of a key.
//
// Without a budget nothing goes to files: memory grows with the rows that haven't lost, at least a million. Batches of the stream are retained as long as they
// hold such rows.
//
// # Options
//
// Options.Op.PreviousKey can't be used, as it ties keys to each other; nor can Options.Against: a program that merges streams into a target asks a
// [Guard], batch by batch, or joins the winners with the target. Both are errors that wrap [onerow.ErrOption]. Progress is told of the last step, which decides: its
// rows are those that were left by then.
//
// The context is that of the reader too. Errors are those of Latest, what the stream fails with, and [onerow.ErrSpill]. There is no reader then,
// and no file is left.
func NewReader(ctx context.Context, in array.RecordReader, key []string, order []onerow.Order, opts Options) (r *Reader, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if in == nil {
		return nil, fmt.Errorf("%w: the reader is nil", onerow.ErrOption)
	}
	s, err := newStream(in.Schema(), key, order, opts)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r == nil {
			err = s.close(err)
		}
	}()
	if err := s.run(ctx, in); err != nil {
		return nil, err
	}
	r = &Reader{report: s.report}
	sh := &shared{stream: s, ctx: ctx, readers: [2]*RowReader{&r.RowReader, &r.aside}}
	sh.refs.Store(1)
	r.RowReader.shared, r.RowReader.from = sh, s.won
	r.aside.shared, r.aside.from = sh, s.aside
	return r, nil
}

// Report counts what became of the rows of the stream.
func (r *Reader) Report() Report { return r.report }

// Deletes lists the rows of Record that are delete rows, by their place in it: onerow.Take of Record takes them. It is valid until the next call of Next.
func (r *Reader) Deletes() onerow.Rows { return r.marked }

// SetAside reads the rows that were set aside for a NULL key or a tie, in the order of the stream. It may be read before, after or between the winners. It is there as
// long as the reader is, and needn't be released.
func (r *Reader) SetAside() *RowReader { return &r.aside }

// Schema is that of the records.
func (r *RowReader) Schema() *arrow.Schema { return r.shared.schema }

// Record is the record that Next read. It is valid until the next call of Next, unless it is retained.
func (r *RowReader) Record() arrow.Record { return r.rec }

// Rows are the numbers of the record's rows in the stream, in ascending order, from the first record to the last. The list is the caller's.
func (r *RowReader) Rows() onerow.Rows { return r.rows }

// Err is what ended the reading, nil at the end of the rows.
func (r *RowReader) Err() error { return r.err }

// Next reads the next record, and says whether there is one.
func (r *RowReader) Next() bool {
	r.drop()
	if r.err != nil || r.from == nil {
		return false
	}
	sh := r.shared
	err := keyset.Guard(func() error {
		rec, err := r.from.next(sh.ctx)
		if err != nil || rec == nil {
			return err
		}
		defer rec.Release()
		r.rows = onerow.Rows(rec.Column(int(rec.NumCols()) - 1).(*array.Uint32).Uint32Values())
		r.rows = append(onerow.Rows(nil), r.rows...)
		r.rec = sh.given(rec)
		if r == sh.readers[0] {
			r.marked, err = sh.deletesOf(rec)
		}
		return err
	})
	if err != nil {
		r.drop()
		r.err = err
		return false
	}
	if r.rec == nil {
		r.from = nil
		r.err = sh.ended()
	}
	return r.rec != nil
}

func (r *RowReader) drop() {
	if r.rec != nil {
		r.rec.Release()
	}
	r.rec, r.rows, r.marked = nil, nil, nil
}

// Retain adds a reference to the reader. Its two streams are one in this.
func (r *RowReader) Retain() { r.shared.refs.Add(1) }

// Release drops a reference. With the last one the memory and the files go, the current record too.
func (r *RowReader) Release() {
	if r.shared.refs.Add(-1) == 0 {
		r.shared.release()
	}
}

// ended removes the folder when both streams are at their end.
func (s *shared) ended() error {
	for _, r := range s.readers {
		if r.from != nil && !r.from.empty() {
			return nil
		}
	}
	return s.folder.Remove()
}

func (s *shared) release() {
	for _, r := range s.readers {
		r.drop()
		r.from = nil
	}
	_ = s.close(nil) // there is nobody to tell: a caller who reads to the end hears of it there
}
