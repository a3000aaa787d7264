package dedupe

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/spill"
)

// pool holds rows of a stream, or of one of the files that its rows were dealt out to, in the order of their numbers.
type pool struct {
	*stream
	level int // how often its rows were dealt out
	alone int // how often of these all went to one file

	held    []arrow.Record
	rows    int64
	bytes   int64
	settled int64 // rows when those that lost were dropped last
	small   int   // the last so many records have few rows

	files *spill.Set // nil: all rows are held
	dealt int64      // rows in files
}

const (
	// fileBits of the hash say which file a row goes to, others each time that rows are dealt out.
	fileBits = 6
	fileN    = 1 << fileBits
	// maxLevel is how often rows are dealt out at most, and maxAlone how often all to one file: they have one key then, or a hash.
	maxLevel, maxAlone = 8, 2
	// rowCost is what deciding needs for a row beside its columns, and livesCost what it needs where all rows of a key are looked at (see Latest).
	rowCost, livesCost = 40, 180
	// fewRows are too few for a record to be worth keeping, and manySmall too many of such records: they are made one.
	fewRows, manySmall = 1 << 10, 1 << 8
	// smallBytes bounds such a record, so that many of them are no text that outgrows the offsets of its type.
	smallBytes = 1 << 20
	// columnCost is what a column of a record takes beside its buffers.
	columnCost = 1 << 10
)

// settleRows is the least number of rows among which those that lost are looked for, without a budget.
var settleRows int64 = 1 << 20

func (p *pool) close() {
	release(p.held)
	p.held, p.rows, p.bytes, p.small = nil, 0, 0, 0
	if p.files != nil {
		p.files.Close()
	}
}

// bound is the room for the pool; 0: it has none, or its rows can't be dealt out.
func (p *pool) bound() int64 {
	if p.level >= maxLevel || p.alone >= maxAlone {
		return 0
	}
	return p.room * 3 / 4
}

// dropsLosers says whether a row that is less in order than another of its key is of no further use.
func (s *stream) dropsLosers() bool { return len(s.opts.Fill) == 0 && s.opts.Ties != SetAsideTies }

// costRow is what it takes to decide about a row, beside its columns.
func (s *stream) costRow() int64 {
	if len(s.opts.Fill) > 0 {
		return livesCost
	}
	return rowCost
}

// cost is what it takes to decide between so many rows.
func (s *stream) cost(rows, bytes int64) int64 { return bytes + s.costRow()*rows }

// add takes a record over.
func (p *pool) add(ctx context.Context, rec arrow.Record) error {
	held := false
	defer func() {
		if !held { // after an error or a panic
			rec.Release()
		}
	}()
	fixed := columnCost * rec.NumCols()
	bytes := frame.Bytes(rec) + fixed
	if err := p.makeRoom(ctx, rec.NumRows(), bytes, fixed); err != nil {
		return err
	}
	held = true
	p.held, p.rows, p.bytes = append(p.held, rec), p.rows+rec.NumRows(), p.bytes+bytes
	if rec.NumRows() >= fewRows || bytes > min(16*fixed, smallBytes) {
		p.small = 0
	} else if p.small++; p.small == manySmall {
		if err := p.join(ctx); err != nil {
			return err
		}
	}
	if p.bound() == 0 && p.dropsLosers() && p.rows >= max(settleRows, 2*p.settled) {
		return p.settle(ctx)
	}
	return nil
}

// makeRoom makes some for a record of so many rows and bytes; each takes fixed bytes beside its rows.
func (p *pool) makeRoom(ctx context.Context, rows, bytes, fixed int64) error {
	b := p.bound()
	full := func() bool { return b > 0 && p.rows > 0 && p.cost(p.rows+rows, p.bytes+bytes) > b }
	if full() && int64(p.small-1)*fixed > b/4 {
		if err := p.join(ctx); err != nil {
			return err
		}
	}
	if full() {
		return p.settle(ctx)
	}
	return nil
}

// join makes one record of the last small ones.
func (p *pool) join(ctx context.Context) error {
	last := p.held[len(p.held)-p.small:]
	rows := int64(0)
	for _, rec := range last {
		rows += rec.NumRows()
	}
	all := make([]uint32, rows)
	for i := range all {
		all[i] = uint32(i)
	}
	one, err := onerow.Take(ctx, last, all, p.opts.Resources)
	if err != nil {
		return err
	}
	for _, rec := range last {
		p.bytes -= frame.Bytes(rec) + columnCost*rec.NumCols()
	}
	release(last)
	p.held = append(p.held[:len(p.held)-len(last)], one)
	p.bytes += frame.Bytes(one) + columnCost*one.NumCols()
	if p.small = 0; rows < fewRows {
		p.small = 1
	}
	return nil
}

// settle drops rows that lost, and deals the others out if there is too little room for what comes.
func (p *pool) settle(ctx context.Context) error {
	left, err := p.unbeaten(ctx)
	if err != nil {
		return err
	}
	n, b := p.rows, p.bound()
	if left != nil {
		n = int64(len(left))
	}
	if b > 0 && p.cost(n, p.bytes*n/p.rows) > b/2 {
		return p.deal(ctx, left)
	}
	if n > p.rows*3/4 {
		p.settled = p.rows
		return nil
	}
	var kept []arrow.Record
	var rows, bytes int64
	defer func() { release(kept) }()
	cut, err := newPieces(p.held, p.pieceBytes())
	if err != nil {
		return err
	}
	err = cut.each(left, func(some []uint32) error {
		rec, err := onerow.Take(ctx, p.held, some, p.opts.Resources)
		if err != nil {
			return err
		}
		kept, rows, bytes = append(kept, rec), rows+rec.NumRows(), bytes+frame.Bytes(rec)+columnCost*rec.NumCols()
		return nil
	})
	if err != nil {
		return err
	}
	p.dropped(left)
	release(p.held)
	p.held, p.rows, p.bytes, p.small, p.settled = kept, rows, bytes, 0, rows
	kept = nil
	return nil
}

// pieces takes rows of some records, so many at a time that what is made of them isn't large.
type pieces struct {
	recs  []arrow.Record
	limit int64
	sizes *frame.Sizes // nil: all rows together are no larger
}

func newPieces(recs []arrow.Record, limit int64) (*pieces, error) {
	p, all := &pieces{recs: recs, limit: limit}, int64(0)
	for _, rec := range recs {
		all += frame.Bytes(rec)
	}
	if all <= limit {
		return p, nil
	}
	var err error
	p.sizes, err = frame.NewSizes("batches", recs...)
	return p, err
}

// cut returns how many of the rows, from the first on, are a piece.
func (p *pieces) cut(rows []uint32) (int, error) {
	if p.sizes == nil {
		return len(rows), nil
	}
	return p.sizes.Fit(rows, p.limit)
}

// each hands rows on, piece by piece.
func (p *pieces) each(rows []uint32, do func(some []uint32) error) error {
	for len(rows) > 0 {
		n, err := p.cut(rows)
		if err != nil {
			return err
		}
		if err := do(rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// dropped tells the progress of the rows that aren't kept, nil being none. While the stream is read there is none to tell of.
func (p *pool) dropped(kept onerow.Rows) {
	if p.level > 0 && kept != nil {
		p.progress.Add(p.rows - int64(len(kept)))
	}
}
