package join

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/spill"
	"github.com/onerow-go/onerow/internal/take"
)

const (
	// spillBits of the hash say which partition a key goes to, others each time that keys are dealt out.
	spillBits  = 5
	spillParts = 1 << spillBits
	// maxLevel is how often keys are dealt out at most. Keys that still are too many then have one hash.
	maxLevel = 8
	// rowCost is what counting needs for a row or key beside its columns: its entry (24), its count by row (4), the list of keys (12), and its count
	// and first row as they are now (8). Columns are there twice while those that stay are gathered.
	rowCost = 48
	// maxKept bounds the bytes of the columns of one side, so that no text outgrows the offsets of its type.
	maxKept = 1 << 30
	// maxPiece is the number of rows of a batch that are copied at a time.
	maxPiece = 1 << 16
)

// fixedRoom is for what doesn't grow with the keys: tables, slabs of entries, blocks.
const fixedRoom = 8 << 20

// roomOf is how much of a budget is planned with: half of it, since the collector, by its default, lets garbage grow as large as what is in use.
// What doesn't grow with the keys comes off, but for small budgets.
func roomOf(memory int64) int64 {
	if memory == 0 {
		return 0
	}
	return max(1, memory/4, memory/2-fixedRoom)
}

// workers are those that work on so many rows. Each has a few MiB of its own, which a small budget isn't for.
func (c *streamCall) workers(rows int64) int {
	n := c.opts.Resources.WorkerCount()
	if c.room > 0 {
		n = int(min(int64(n), 1+rows>>15))
	}
	return n
}

// cost is how much room it takes to count keys.
func cost(rows, bytes int64) int64 { return 2*bytes + rowCost*rows }

// fits says whether the keys can be counted together with such a buffer.
func (s *sideKeys) fits(rows, bytes int64) bool {
	bytes += s.held.bytes
	return cost(rows+s.held.rows(), bytes) <= s.room && bytes <= maxKept
}

// limit gives the side the room that the other one leaves. Keys that were dealt out too often have no bound.
func (s *sideKeys) limit(sides *streamed) {
	if s.call.room == 0 || s.level >= maxLevel {
		return
	}
	s.room = s.call.room
	if left := sides[leftSide]; left != s {
		s.room = max(1, s.room-left.held.bytes-8*left.held.rows())
	}
}

// crowded says that the keys so far leave too little room for what comes. One key can't be dealt out.
func (s *sideKeys) crowded() bool {
	return s.room > 0 && s.held.rows() > 1 && (cost(s.held.rows(), s.held.bytes) > s.room/2 || s.held.bytes > maxKept/2)
}

// copyPlain buffers the rows of a batch, decoded, in pieces that are small beside the room. What refers to dictionaries or runs is counted first:
// there keys repeat, and each is decoded once.
func (s *sideKeys) copyPlain(ctx context.Context, batch keyChunk) error {
	rows := batch.rec.NumRows()
	step := max(keyset.BlockRows, min(maxPiece, s.room/8/rowCost))
	for lo := int64(0); lo < rows; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		slice := keyChunk{rec: batch.rec.NewSlice(lo, min(rows, lo+step)), first: batch.first + uint32(lo)}
		err := s.copySlice(ctx, slice)
		slice.release()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sideKeys) copySlice(ctx context.Context, slice keyChunk) error {
	sizes, err := frame.NewSizes(sideNames[s.side], slice.rec)
	if err != nil {
		return err
	}
	var keys keyCounts
	if s.encoded {
		var err error
		if keys, err = s.count(ctx, []keyChunk{slice}); err != nil {
			return err
		}
	} else {
		keys.rows = make([]uint32, slice.rec.NumRows())
		for i := range keys.rows {
			keys.rows[i] = uint32(i)
		}
	}
	for lo := 0; lo < len(keys.rows); {
		n, err := sizes.Fit(keys.rows[lo:], s.room/8)
		if err != nil {
			return err
		}
		hi := lo + n
		rec, err := take.PlainRecord(ctx, s.mem, s.given, []arrow.Record{slice.rec}, keys.rows[lo:hi], s.call.opts.Resources.WorkerCount())
		if err != nil {
			return frame.TakeError(sideNames[s.side], s.given, err)
		}
		c := keyChunk{rec: rec, first: slice.first + uint32(lo), bytes: frame.Bytes(rec)}
		if s.encoded {
			c.counts, c.firsts = keys.counts[lo:hi], keys.firsts[lo:hi]
		}
		if err := s.add(ctx, c); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// flush deals the keys so far out to the partitions on disk.
func (s *sideKeys) flush(ctx context.Context) error {
	rec := s.withCounts()
	defer rec.Release()
	if s.spilled == nil {
		s.spilled = s.call.folder.NewSet(sideNames[s.side], rec.Schema(), spillParts)
	}
	rows, starts, err := s.dealOut(ctx)
	if err != nil {
		return err
	}
	for part := range spillParts {
		list := rows[starts[part]:starts[part+1]]
		if len(list) == 0 {
			continue
		}
		out, err := onerow.Take(ctx, []arrow.Record{rec}, list, s.call.opts.Resources)
		if err != nil {
			return err
		}
		err = s.spilled.Append(part, out)
		out.Release()
		if err != nil {
			return err
		}
	}
	s.held.release()
	return nil
}

// withCounts is the record of the keys, with their counts and first rows as two more columns.
func (s *sideKeys) withCounts() arrow.Record {
	keys := s.batches()[0]
	fields, cols := slices.Clone(s.schema.Fields()), slices.Clone(keys.Columns())
	for _, v := range [][]uint32{s.held.counts, s.held.firsts} {
		d := array.NewData(arrow.PrimitiveTypes.Uint32, len(v), []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(v))}, nil, 0, 0)
		col := array.NewUint32Data(d)
		defer col.Release()
		d.Release()
		fields, cols = append(fields, arrow.Field{Type: arrow.PrimitiveTypes.Uint32}), append(cols, col)
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, keys.NumRows())
}

// dealOut lists the rows of the keys by partition.
func (s *sideKeys) dealOut(ctx context.Context) (rows []uint32, starts [spillParts + 1]uint32, err error) {
	part := make([]uint8, s.held.rows())
	err = keyset.Guard(func() error {
		cols, table, err := s.columns([]arrow.Record{s.held.rec})
		if err != nil {
			return err
		}
		spread := keyset.NewSpread(cols, s.call.opts.Nulls == NullsEqual)
		spans := keyset.Spans(table.Lens(), table.Start)
		return keyset.Run(ctx, 1, len(spans), func(_, task int) error {
			spans[task].Blocks(func(lo, n int, row uint32) {
				for i, h := range spread.Read(spans[task].Chunk, lo, n) {
					p := uint8(h >> (64 - spillBits*(s.level+1)) % spillParts)
					part[row+uint32(i)] = p
					starts[p+1]++
				}
			})
			return nil
		})
	})
	if err != nil {
		return nil, starts, err
	}
	for p := range spillParts {
		starts[p+1] += starts[p]
	}
	rows, next := make([]uint32, len(part)), starts
	for row, p := range part {
		rows[next[p]] = uint32(row)
		next[p]++
	}
	return rows, starts, nil
}

// readBack reads a partition, and removes it.
func (s *sideKeys) readBack(ctx context.Context, from *spill.Set, part int) error {
	err := from.Each(part, s.mem, func(rec arrow.Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		cols := rec.Columns()
		k := len(cols) - 2
		keys := array.NewRecord(s.schema, cols[:k], rec.NumRows())
		return s.add(ctx, keyChunk{rec: keys, counts: slices.Clone(cols[k].(*array.Uint32).Uint32Values()),
			firsts: slices.Clone(cols[k+1].(*array.Uint32).Uint32Values()), bytes: frame.Bytes(keys)})
	})
	if err == nil {
		err = s.compact(ctx)
	}
	if err == nil {
		err = from.Remove(part)
	}
	return err
}
