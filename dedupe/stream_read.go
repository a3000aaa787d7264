package dedupe

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/take"
)

// layOut finds the schemas.
func (s *stream) layOut() {
	s.plain = take.PlainSchema(s.input)
	s.kept = arrow.NewSchema(append(slices.Clone(s.plain.Fields()), arrow.Field{Type: arrow.PrimitiveTypes.Uint32}), nil)
	fields := slices.Clone(s.input.Fields())
	for i, f := range s.input.Fields() {
		fields[i].Type = take.DecodedType(f.Type)
		s.decodes = s.decodes || !arrow.TypeEqual(f.Type, s.plain.Field(i).Type)
	}
	meta := s.input.Metadata()
	s.schema = arrow.NewSchema(fields, &meta)
}

// given makes the record that a reader gives of one that was kept.
func (s *stream) given(rec arrow.Record) arrow.Record {
	cols := slices.Clone(rec.Columns()[:s.schema.NumFields()])
	for i, f := range s.schema.Fields() {
		if !arrow.TypeEqual(f.Type, cols[i].DataType(), arrow.CheckMetadata()) {
			cols[i] = take.Retyped(cols[i], f.Type)
			defer cols[i].Release()
		}
	}
	return array.NewRecord(s.schema, cols, rec.NumRows())
}

// content is a record without the numbers of its rows; the caller releases it.
func (s *stream) content(rec arrow.Record) arrow.Record {
	return array.NewRecord(s.plain, rec.Columns()[:s.plain.NumFields()], rec.NumRows())
}

// numbered makes a record that is kept of one that is decoded, by the numbers of its rows.
func (s *stream) numbered(rec arrow.Record, number func(to []uint32)) arrow.Record {
	n := int(rec.NumRows())
	b := memory.NewResizableBuffer(s.mem)
	defer b.Release()
	b.Resize(4 * n)
	number(arrow.Uint32Traits.CastFromBytes(b.Bytes()))
	d := array.NewData(arrow.PrimitiveTypes.Uint32, n, []*memory.Buffer{nil, b}, nil, 0, 0)
	defer d.Release()
	numbers := array.NewUint32Data(d)
	defer numbers.Release()
	return array.NewRecord(s.kept, append(slices.Clone(rec.Columns()[:s.plain.NumFields()]), numbers), int64(n))
}

// numberedFrom does so for rows whose numbers follow each other.
func (s *stream) numberedFrom(rec arrow.Record, first uint32) arrow.Record {
	return s.numbered(rec, func(to []uint32) {
		for i := range to {
			to[i] = first + uint32(i)
		}
	})
}

// numbersOf are the numbers of the rows of a record that is kept.
func numbersOf(rec arrow.Record) []uint32 {
	return rec.Column(int(rec.NumCols()) - 1).(*array.Uint32).Uint32Values()
}

// read takes a batch of the stream in, whose rows are numbered from first on.
func (s *stream) read(ctx context.Context, p *pool, batch arrow.Record, first uint32) error {
	inKey, err := s.countNulls(ctx, batch, first)
	if err != nil || s.refuses() || batch.NumRows() == 0 {
		return err
	}
	setAside := inKey != nil && s.opts.NullKey == onerow.SetAsideNullKeys
	if !setAside && !s.decodes && s.room == 0 {
		return p.add(ctx, s.numberedFrom(batch, first))
	}
	sizes, err := frame.NewSizes("batches", batch)
	if err != nil {
		return err
	}
	rows := onerow.Rows(allRows(batch))
	if setAside {
		aside := inKey.Rows()
		if err := s.copyRows(ctx, sizes, batch, aside, first, s.aside.add); err != nil {
			return err
		}
		return s.copyRows(ctx, sizes, batch, rows.Without(aside), first, p.add)
	}
	borrows, err := s.borrows(batch, sizes)
	switch {
	case err != nil:
		return err
	case borrows:
		return p.add(ctx, s.numberedFrom(batch, first))
	}
	return s.copyRows(ctx, sizes, batch, rows, first, p.add)
}

// borrows says, under a budget, whether a batch is retained rather than copied: it must not hold on to much more memory than its rows take.
func (s *stream) borrows(batch arrow.Record, sizes *frame.Sizes) (bool, error) {
	if s.decodes {
		return false, nil
	}
	bytes := frame.Bytes(batch)
	total, err := sizes.Total()
	return bytes <= s.room/8 && batch.NumRows() <= s.pieceRows() && bytes <= 2*total+1<<12, err
}

// unboundedPiece is how many bytes are copied at a time where there is no budget: no text outgrows the offsets of its type.
const unboundedPiece = 256 << 20

// pieceBytes bounds a record that is made, if it has more than one row.
func (s *stream) pieceBytes() int64 {
	if s.room == 0 {
		return unboundedPiece
	}
	return min(unboundedPiece, max(1, s.room/32))
}

// pieceRows bounds the rows of a record that comes into a pool.
func (s *stream) pieceRows() int64 {
	if s.room == 0 {
		return onerow.MaxRows
	}
	return max(1, s.room/8/s.costRow())
}

// copyRows decodes some rows of a batch and hands them on, in pieces that are small beside the room.
func (s *stream) copyRows(ctx context.Context, sizes *frame.Sizes, batch arrow.Record, rows []uint32, first uint32,
	add func(context.Context, arrow.Record) error) error {
	for len(rows) > 0 {
		n, err := sizes.Fit(rows[:min(int64(len(rows)), s.pieceRows())], s.pieceBytes())
		if err != nil {
			return err
		}
		rec, err := take.PlainRecord(ctx, s.mem, s.input, []arrow.Record{batch}, rows[:n], s.opts.Resources.WorkerCount())
		if err != nil {
			return frame.TakeError("batches", s.input, err)
		}
		kept := s.numbered(rec, func(to []uint32) {
			for i, row := range rows[:n] {
				to[i] = first + row
			}
		})
		rec.Release()
		if err := add(ctx, kept); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

func allRows(batch arrow.Record) []uint32 {
	rows := make([]uint32, batch.NumRows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows
}

// deletesOf lists the delete rows of a record that is kept, by their place.
func (s *stream) deletesOf(rec arrow.Record) (onerow.Rows, error) {
	if len(s.opts.Op.Delete) == 0 {
		return nil, nil
	}
	content := s.content(rec)
	defer content.Release()
	f, err := frame.New("batches", []arrow.Record{content})
	if err != nil {
		return nil, err
	}
	j := &job{opts: s.opts, batches: f, target: &frame.Frame{}}
	if err := j.setOp(); err != nil {
		return nil, err
	}
	var out onerow.Rows
	for row := range uint32(rec.NumRows()) {
		if j.isDelete(row) {
			out = append(out, row)
		}
	}
	return out, nil
}
