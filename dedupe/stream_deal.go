package dedupe

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// deal deals rows out to the files, nil being all, and drops the others.
func (p *pool) deal(ctx context.Context, rows onerow.Rows) error {
	lists, err := p.byFile(ctx, rows)
	if err != nil {
		return err
	}
	if p.files == nil {
		p.files = p.folder.NewSet("rows", p.kept, fileN)
	}
	cut, err := newPieces(p.held, p.pieceBytes())
	if err != nil {
		return err
	}
	err = p.write(p.files, func(res onerow.Resources, put func(int, arrow.Record) error) error {
		for file, list := range lists {
			err := cut.each(list, func(some []uint32) error {
				rec, err := onerow.Take(ctx, p.held, some, res)
				if err != nil {
					return err
				}
				return put(file, rec)
			})
			if err != nil {
				return err
			}
			p.dealt += int64(len(list))
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.dropped(rows)
	release(p.held)
	p.held, p.rows, p.bytes, p.small, p.settled = nil, 0, 0, 0, 0
	return nil
}

// byFile lists rows by the file that their key goes to, nil being all.
func (p *pool) byFile(ctx context.Context, rows onerow.Rows) (lists [fileN][]uint32, err error) {
	f, err := frame.New("batches", p.held)
	if err != nil {
		return lists, err
	}
	t, err := frame.NewTable(frame.Part{Frame: f})
	if err != nil {
		return lists, err
	}
	file := make([]uint8, p.rows)
	err = keyset.Guard(func() error {
		cols, err := t.Keys(p.key)
		if err != nil {
			return err
		}
		spans := keyset.Spans(t.Lens(), t.Start)
		workers := min(p.opts.Resources.WorkerCount(), max(1, len(spans)))
		spreads := make([]*keyset.Spread, workers)
		for w := range spreads {
			spreads[w] = keyset.NewSpread(cols, p.opts.NullKey == onerow.EqualNullKeys)
		}
		return keyset.Run(ctx, workers, len(spans), func(worker, task int) error {
			spans[task].Blocks(func(lo, n int, row uint32) {
				for i, h := range spreads[worker].Read(spans[task].Chunk, lo, n) {
					file[row+uint32(i)] = uint8(h >> (64 - fileBits*(p.level+1)) % fileN)
				}
			})
			return nil
		})
	})
	if err != nil {
		return lists, err
	}
	var counts [fileN]int
	each(rows, file, func(_ uint32, f uint8) { counts[f]++ })
	n := len(rows)
	if rows == nil {
		n = len(file)
	}
	all := make([]uint32, n)
	for f, count := range counts {
		lists[f], all = all[:0:count], all[count:]
	}
	each(rows, file, func(row uint32, f uint8) { lists[f] = append(lists[f], row) })
	return lists, nil
}

// each calls do for some rows with what a list has of them; nil: for all.
func each(rows []uint32, of []uint8, do func(row uint32, v uint8)) {
	if rows == nil {
		for row, v := range of {
			do(uint32(row), v)
		}
	}
	for _, row := range rows {
		do(row, of[row])
	}
}

// end decides between all rows. It leaves the pool empty.
func (p *pool) end(ctx context.Context) error {
	if p.files == nil {
		if p.level == 0 {
			p.progress.Start(onerow.StageGroup, p.rows)
		}
		return p.decide(ctx)
	}
	if p.rows > 0 {
		left, err := p.unbeaten(ctx)
		if err == nil {
			err = p.deal(ctx, left)
		}
		if err != nil {
			return err
		}
	}
	if err := p.files.Seal(); err != nil {
		return err
	}
	if p.level == 0 {
		p.progress.Start(onerow.StageGroup, p.dealt)
	}
	for file := range fileN {
		if p.files.Rows(file) == 0 {
			continue
		}
		if err := p.endFile(ctx, file); err != nil {
			return err
		}
	}
	return nil
}

// endFile decides between the rows of a file, and removes it.
func (p *pool) endFile(ctx context.Context, file int) error {
	below := &pool{stream: p.stream, level: p.level + 1}
	if p.files.Rows(file) == p.dealt {
		below.alone = p.alone + 1
	}
	defer below.close()
	err := p.files.Each(file, p.mem, func(rec arrow.Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		rec.Retain()
		return below.add(ctx, rec)
	})
	if err != nil {
		return err
	}
	if err := p.files.Remove(file); err != nil {
		return err
	}
	return below.end(ctx)
}
