package join

import (
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
	"github.com/onerow-go/onerow/internal/recast"
)

// fate is where a row goes.
type fate = uint32

const (
	toJoin fate = iota
	asNull
	asPlaceholder
	asChosen
	fates
)

// dividing is a call of [Split] with its columns found. Keys that go into quarantine are rows of the same table as both sides: rows of these, or, for keys
// given as values, further rows behind them.
type dividing struct {
	*sides
	res    onerow.Resources
	marked *marked // placeholders that are looked for in each row
	rows   []quarantined
}

// quarantined is a row whose key goes into quarantine.
type quarantined struct {
	row uint32
	as  fate
}

func newDividing(ctx context.Context, left, right []arrow.Record, on Key, opts SplitOptions) (*dividing, error) {
	s := &dividing{res: opts.Resources}
	var err error
	if s.sides, err = newSides(left, right, on, opts.Nulls); err != nil {
		return nil, err
	}
	// Keys given as values come last: behind them the table has more rows than both sides.
	return s, errors.Join(s.addPlaceholders(ctx, opts), s.addListed(opts.Listed), s.addKeys(opts.Keys, opts.Nulls))
}

// addPlaceholders reads the given placeholders, or detects them.
func (s *dividing) addPlaceholders(ctx context.Context, opts SplitOptions) (err error) {
	if opts.Placeholders != nil {
		s.marked, err = s.mark(opts.Placeholders)
		return err
	}
	e := &estimate{sides: s.sides, opts: Options{Nulls: opts.Nulls, Worst: -1, Resources: opts.Resources}}
	e.opts.Resources.Progress = nil
	size, err := e.size(ctx)
	if err != nil {
		return err
	}
	for i := range size.Placeholders.Keys {
		if err := s.addSize(&size.Placeholders.Keys[i], asPlaceholder); err != nil {
			return err
		}
	}
	return nil
}

func (s *dividing) addListed(keys []KeySize) error {
	var errs []error
	for i := range keys {
		err := s.addSize(&keys[i], asChosen)
		if err == nil {
			err = s.isListed(&keys[i])
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("listed key %d: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

// addSize adds a key by its first row.
func (s *dividing) addSize(k *KeySize, as fate) error {
	if len(k.LeftRows) == 0 && len(k.RightRows) == 0 {
		return fmt.Errorf("%w: the key has no rows", onerow.ErrRow)
	}
	first := k.first()
	side, row := int(first[0]), first[1]
	if f := s.frames[side]; int64(row) >= f.Rows {
		return fmt.Errorf("%s: %w", sideNames[side], &onerow.RowError{Row: row, Rows: f.Rows})
	}
	if side == rightSide {
		row += s.first
	}
	s.rows = append(s.rows, quarantined{row, as})
	return nil
}

// isListed finds lists of other batches: the row must show the values that the list has for it. The key is the last that was added.
func (s *dividing) isListed(k *KeySize) error {
	row := s.rows[len(s.rows)-1].row
	var values []string
	for _, c := range s.cols {
		values = append(values, c.Format(row))
	}
	if k.Values == nil || slices.Equal(values, k.Values) {
		return nil
	}
	return fmt.Errorf("%w: %s row %d has the key %s, not %s; the list is of other batches", onerow.ErrRow, sideNames[s.of(row)], s.own(row),
		onerow.FormatKey(s.names(s.of(row)), values), onerow.FormatKey(s.on.Left, k.Values))
}

// addKeys lays keys that are given as values behind both sides, each as a part of one row.
func (s *dividing) addKeys(keys [][]onerow.Value, nulls Nulls) error {
	if len(keys) == 0 || s.keys == nil {
		return nil
	}
	var parts []frame.Part
	var errs []error
	for i, values := range keys {
		rec, err := s.oneRow(values)
		if err != nil {
			errs = append(errs, fmt.Errorf("key %d of Keys: %w", i, err))
			continue
		}
		s.rows = append(s.rows, quarantined{s.first + uint32(s.frames[rightSide].Rows) + uint32(len(parts)), asChosen})
		parts = append(parts, frame.Part{Frame: &frame.Frame{Input: "keys", Schema: rec.Schema(), Batches: []arrow.Record{rec}, Rows: 1}})
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return s.read(nulls, parts...)
}

// oneRow makes a row of the values of a key, in columns of types of either side.
func (s *dividing) oneRow(values []onerow.Value) (arrow.Record, error) {
	if len(values) != len(s.on.Left) {
		return nil, fmt.Errorf("%w: %d values for a key of %d columns", onerow.ErrOption, len(values), len(s.on.Left))
	}
	var fields []arrow.Field
	var cols []arrow.Array
	var errs []error
	for i, v := range values {
		cell, err := s.cell(i, v)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fields = append(fields, arrow.Field{Name: pairColumn(i), Type: cell.DataType(), Nullable: true})
		cols = append(cols, cell)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, 1), nil
}

// cell makes an array of a value for pair i of the key: NULL where it is nil, or where no type is known.
func (s *dividing) cell(i int, v onerow.Value) (arrow.Array, error) {
	var last error
	var typ arrow.DataType
	for side := range sideNames {
		if t := s.typeOf(side, i); v != nil && t.ID() != arrow.NULL {
			cell, err := recast.Literal(memory.NewGoAllocator(), form.Logical(t), v)
			if err == nil {
				return cell, nil
			}
			last, typ = err, t
		}
	}
	if last != nil {
		return nil, &onerow.TypeError{Column: s.on.Left[i], Type: typ, Why: last.Error()}
	}
	return array.NewNull(1), nil
}

// divide reads the keys once.
func (s *dividing) divide(ctx context.Context) (*Division, error) {
	d := &Division{On: s.on}
	switch {
	case s.keys == nil:
		return d, ctx.Err()
	case s.keys.OneWord():
		return d, divideKeys[[1]uint64](ctx, s, d)
	}
	return d, divideKeys[[2]uint64](ctx, s, d)
}

func divideKeys[K keyset.Words](ctx context.Context, s *dividing, d *Division) error {
	table := tableOf[K](s)
	rows := s.first + uint32(s.frames[rightSide].Rows)
	var spans []keyset.Span
	for _, span := range keyset.Spans(s.sides.rows.Lens(), s.sides.rows.Start) {
		if span.Row < rows {
			spans = append(spans, span)
		}
	}
	lists := make([][fates]onerow.Rows, len(spans))
	blocks := make([]*keyset.Block[K], min(s.res.WorkerCount(), max(1, len(spans))))
	progress := frame.NewProgress(s.res)
	progress.Start(onerow.StageEncode, int64(rows))
	err := keyset.Run(ctx, len(blocks), len(spans), func(w, task int) error {
		if blocks[w] == nil {
			blocks[w] = keyset.NewBlock[K](s.keys)
		}
		span := spans[task]
		lists[task][toJoin] = make(onerow.Rows, 0, span.N)
		span.Blocks(func(lo, n int, row uint32) {
			keyset.Read(s.keys, span.Chunk, lo, n, blocks[w])
			place(s, table, blocks[w], row, &lists[task])
		})
		progress.Add(int64(span.N))
		return nil
	})
	if err != nil {
		return err
	}
	var bySide [2][][fates]onerow.Rows
	for i, span := range spans {
		side := s.of(span.Row)
		bySide[side] = append(bySide[side], lists[i])
	}
	d.Left.gather(bySide[leftSide])
	d.Right.gather(bySide[rightSide])
	return nil
}

// gather puts the lists of the spans of a side together.
func (d *DividedSide) gather(spans [][fates]onerow.Rows) {
	for to, list := range [fates]*onerow.Rows{toJoin: &d.Join, asNull: &d.Null, asPlaceholder: &d.Placeholder, asChosen: &d.Chosen} {
		n := 0
		for i := range spans {
			n += len(spans[i][to])
		}
		if n == 0 {
			continue
		}
		*list = make(onerow.Rows, 0, n)
		for i := range spans {
			*list = append(*list, spans[i][to]...)
		}
	}
}

// tableOf holds the keys that go into quarantine, placeholders first; a key's payload is its fate.
func tableOf[K keyset.Words](s *dividing) *keyset.Table[K, fate] {
	table := keyset.NewTable[K, fate](s.keys)
	block := keyset.NewBlock[K](s.keys)
	for _, q := range s.rows {
		chunk, i := s.sides.rows.At(q.row)
		keyset.Read(s.keys, chunk, i, 1, block)
		if block.Null[0] != 0 {
			continue // meets nothing
		}
		table.At(&keyset.Entry[K, fate]{Key: block.Keys[0], Payload: q.as, Row1: q.row + 1}, table.Start(&block.Keys[0]))
	}
	return table
}

// place puts the rows of a block into the lists.
func place[K keyset.Words](s *dividing, table *keyset.Table[K, fate], b *keyset.Block[K], row uint32, lists *[fates]onerow.Rows) {
	for i, key := range b.Keys {
		at := row + uint32(i)
		as := toJoin
		switch {
		case b.Null[i] != 0:
			as = asNull
		case s.marked != nil && s.marked.has(at):
			as = asPlaceholder
		case table.Len() > 0:
			if e := table.Find(&keyset.Entry[K, fate]{Key: key, Row1: at + 1}); e != nil {
				as = e.Payload
			}
		}
		lists[as] = append(lists[as], s.own(at))
	}
}
