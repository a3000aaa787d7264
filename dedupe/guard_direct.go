package dedupe

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Most keys of a batch need no more than a comparison of orders: with the row that is held, and with the other rows of the key in the batch. Those
// are decided here. Keys with rows equal in order, to each other or to the row that is held, are left to Latest, with all their rows.

// maxDirect is the number of rows up to which batches are decided directly, on one goroutine.
const maxDirect = maxChunk

// settled are the rows of the batches that are decided, and how: all rows of their keys. A job that has them decides the others.
type settled struct {
	rows, kept, stale keyset.Bitmap
}

func (s *settled) has(row uint32) bool {
	return s != nil && int(row>>6) < len(s.rows) && s.rows.Has(row)
}

// met is what a guard finds of some batches: the plan, or what Latest needs to make it.
type met struct {
	plan    *Plan
	settled *settled       // nil: no row
	target  []arrow.Record // for Options.Against
	state   uint64         // of the guard
}

// meet finds out about batches.
func (g *Guard) meet(ctx context.Context, batches []arrow.Record) (m met, err error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	// A batch that makes this fail is told of by Latest.
	if err := keyset.Guard(func() error { return g.direct(ctx, batches, &m) }); err != nil || m.plan == nil && m.settled == nil {
		m.settled = nil
		m.target, err = g.held.meet(ctx, g, batches)
		return met{target: m.target, state: g.state}, err
	}
	if m.state = g.state; m.plan != nil {
		m.plan.job.guard, m.plan.job.state = g, g.state
	}
	return m, nil
}

// decider decides batches. Its memory is used again.
type decider struct {
	g      *Guard
	shape  *guardShape
	layout *form.Layout
	cols   [][]*form.Array // of each batch, all its columns
	keys   [][]*form.Array // of each batch
	orders [][]*form.Array

	words []uint64 // of the rows' keys
	ranks []uint32
	at    []uint32 // slots
	held  []uint32 // their ranks
	table []uint32 // 1 + the greatest row of a key, at the first free place from that of its word on
	equal []uint32 // rows whose rank is that of the row held
	hard  []uint32 // rows whose keys are left to Latest

	kept, stale keyset.Bitmap
}

var deciders = sync.Pool{New: func() any { return new(decider) }}

// direct decides batches, or leaves m as it is.
func (g *Guard) direct(ctx context.Context, batches []arrow.Record, m *met) error {
	shape, err := g.shapeOf(batches)
	if err != nil || shape == nil {
		return err
	}
	f, err := frame.New("batches", batches)
	if err != nil || f.Rows == 0 || f.Rows > maxDirect {
		return err
	}
	d := deciders.Get().(*decider)
	defer func() {
		*d = decider{words: d.words, ranks: d.ranks, at: d.at, held: d.held, table: d.table, equal: d.equal[:0], hard: d.hard[:0]}
		deciders.Put(d)
	}()
	d.g, d.shape = g, shape
	if fit, err := d.read(f); err != nil || !fit {
		return err
	}
	if err := d.decide(ctx); err != nil {
		return err
	}
	if len(d.hard) == 0 {
		m.plan = d.plan(f)
		return nil
	}
	s, target, err := d.split(ctx)
	if err != nil {
		return err
	}
	m.settled, m.target = s, target
	return nil
}

// read reads the columns, and says whether the batches may be decided directly: rows with NULL in key or order are left to Latest.
func (d *decider) read(f *frame.Frame) (fit bool, err error) {
	d.layout = form.NewLayout(f.Lens(nil))
	keys, orders := len(d.shape.keyAt), len(d.shape.orderAt)
	for _, b := range f.Batches {
		cols, some := make([]*form.Array, b.NumCols()), make([]*form.Array, keys+orders)
		for i := range cols {
			if cols[i], err = form.Of(b.Column(i)); err != nil {
				return false, err
			}
		}
		for i, at := range slices.Concat(d.shape.keyAt, d.shape.orderAt) {
			some[i] = cols[at]
		}
		if mayNull(some) {
			return false, nil
		}
		d.cols, d.keys, d.orders = append(d.cols, cols), append(d.keys, some[:keys]), append(d.orders, some[keys:])
	}
	n := int(f.Rows)
	d.words, d.ranks, d.at, d.held = room(d.words, n), room(d.ranks, n), room(d.at, n), room(d.held, n)
	d.table = room(d.table, 2<<bits.Len(uint(n-1)))
	clear(d.table)
	d.kept, d.stale = keyset.NewBitmap(uint32(n)), keyset.NewBitmap(uint32(n))
	return true, nil
}

// room returns a slice of n elements, of any content.
func room[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// decide marks the rows that are kept and those that are stale, and finds rows whose keys are left to Latest: at least one of each such key.
func (d *decider) decide(ctx context.Context) error {
	for k := range d.cols {
		if err := d.decideBatch(ctx, k); err != nil {
			return err
		}
	}
	d.compareEqual()
	d.compete()
	return nil
}

func (d *decider) decideBatch(ctx context.Context, k int) error {
	h, first := &d.g.held, int(d.layout.Start(k))
	keys, ranks := d.g.secret.reader(d.keys[k]), rankReader{first: d.orders[k][0], snapshot: d.shape.snapshot}
	if d.shape.snapshot != nil {
		ranks.op = d.cols[k][d.shape.opAt]
	}
	p, err := d.pairing()
	if err != nil {
		return err
	}
	for lo := 0; lo < int(d.layout.Start(k+1))-first; lo += wordBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		from, to := first+lo, min(first+lo+wordBlock, int(d.layout.Start(k+1)))
		words, at := d.words[from:to], d.at[from:to]
		keys.read(lo, words)
		ranks.read(&h.scale, lo, d.ranks[from:to])
		h.index.seek(words, at, d.held[from:to])
		if p != nil {
			for i, same := range p.compare(uint32(from), at) {
				if at[i] != noSlot && !same {
					d.hard = append(d.hard, uint32(from+i))
				}
			}
		}
		d.compareRanks(from, to)
	}
	return nil
}

// pairing is nil where words alone decide which keys are equal.
func (d *decider) pairing() (*pairing, error) {
	if d.exact() {
		return nil, nil
	}
	cols := make([]*form.Column, len(d.shape.keyAt))
	lens := make([]int, len(d.keys))
	for i := range cols {
		cols[i] = &form.Column{Layout: d.layout}
		for k, keys := range d.keys {
			cols[i].Chunks = append(cols[i].Chunks, keys[i])
			lens[k] = int(d.layout.Start(k+1) - d.layout.Start(k))
		}
	}
	both, starts, err := d.g.held.beside(cols, lens)
	return &pairing{held: &d.g.held, both: both, starts: starts}, err
}

// exact says whether keys are equal if their words are. A key that is NULL has a word that isn't one of a number, but might be.
func (d *decider) exact() bool { return d.shape.exact && !d.g.held.nullKeys && !form.IsConstantHash() }

// compareRanks ranks rows against those held. Only where the ranks don't decide is there a branch: which of two rows is greater can't be foretold.
func (d *decider) compareRanks(from, to int) {
	for i := from; i < to; i++ {
		mine, held := uint64(d.ranks[i]), uint64(d.held[i])
		fresh := 1 - differs(uint64(d.at[i]), uint64(noSlot))
		d.kept[i>>6] |= ((held-mine)>>63 | fresh) << (i & 63)
		d.stale[i>>6] |= (mine - held) >> 63 &^ fresh << (i & 63)
		if mine == held && fresh == 0 {
			d.equal = append(d.equal, uint32(i))
		}
	}
}

// compareEqual compares the cells of rows where the ranks don't decide.
func (d *decider) compareEqual() {
	h := &d.g.held
	for _, row := range d.equal {
		k, i := d.layout.At(row)
		c, j := h.at(h.index.slots[d.at[row]].place1 - 1)
		switch r := d.g.ranks.compare(d.orders[k], i, d.isSnapshot(k, i), c.order, j, c.op != nil && h.snapshot.Match(c.op, j)); {
		case r > 0:
			d.kept.Set(row)
		case r < 0:
			d.stale.Set(row)
		default:
			d.hard = append(d.hard, row)
		}
	}
}

func (d *decider) isSnapshot(k, i int) bool {
	return d.shape.snapshot != nil && d.shape.snapshot.Match(d.cols[k][d.shape.opAt], i)
}

// compete leaves the greatest of the rows of a key that are above the one held.
func (d *decider) compete() {
	mask := uint32(len(d.table) - 1)
	for k := range d.kept {
		for w := d.kept[k]; w != 0; w &= w - 1 {
			row := uint32(k)<<6 | uint32(bits.TrailingZeros64(w))
			at := uint32(d.words[row]) & mask
			for d.table[at] != 0 && d.words[d.table[at]-1] != d.words[row] {
				at = (at + 1) & mask
			}
			if d.table[at] != 0 && !d.exceeds(row, d.table[at]-1) {
				d.kept.Clear(row)
				continue
			}
			if d.table[at] != 0 {
				d.kept.Clear(d.table[at] - 1)
			}
			d.table[at] = row + 1
		}
	}
}

// exceeds says whether a row is greater than another that has its word.
func (d *decider) exceeds(a, b uint32) bool {
	ka, i := d.layout.At(a)
	kb, j := d.layout.At(b)
	if !d.exact() && !sameCells(d.keys[ka], i, d.keys[kb], j) {
		d.hard = append(d.hard, a)
		return false
	}
	if d.ranks[a] != d.ranks[b] {
		return d.ranks[a] > d.ranks[b]
	}
	c := d.g.ranks.compare(d.orders[ka], i, d.isSnapshot(ka, i), d.orders[kb], j, d.isSnapshot(kb, j))
	if c == 0 {
		d.hard = append(d.hard, a)
	}
	return c > 0
}

// plan reads the outcome off.
func (d *decider) plan(f *frame.Frame) *Plan {
	n := uint32(f.Rows)
	j := &job{opts: d.g.opts, orders: d.g.order, batches: f, target: &frame.Frame{Input: "against"}, rows: n, known: n, deletes: d.shape.deletes}
	if d.shape.opAt >= 0 {
		j.op = &form.Column{Name: f.Schema.Field(d.shape.opAt).Name, Type: f.Schema.Field(d.shape.opAt).Type, Layout: d.layout}
		for _, cols := range d.cols {
			j.op.Chunks = append(j.op.Chunks, cols[d.shape.opAt])
		}
	}
	j.report.In = f.Rows
	if j.opts.Resources.Progress != nil {
		progress := frame.NewProgress(j.opts.Resources)
		progress.Start(onerow.StageGroup, f.Rows)
		progress.Add(f.Rows)
	}
	return j.finish(&Plan{Rows: d.kept.Rows(), Stale: d.stale.Rows()})
}

// split takes the keys that are left to Latest out of the outcome, and gathers the rows that are held of them. Other keys that have one of their words
// go with them.
func (d *decider) split(ctx context.Context) (*settled, []arrow.Record, error) {
	hard := map[uint64]bool{}
	for _, row := range d.hard {
		hard[d.words[row]] = true
	}
	h, s := &d.g.held, &settled{rows: keyset.NewBitmap(uint32(len(d.words))), kept: d.kept, stale: d.stale}
	var places []uint32
	for row, word := range d.words {
		if !hard[word] {
			s.rows.Set(uint32(row))
			continue
		}
		s.kept.Clear(uint32(row))
		s.stale.Clear(uint32(row))
		k, i := d.layout.At(uint32(row))
		if slot := h.find(word, d.keys[k], i); slot.place1 != 0 {
			places = append(places, slot.place1-1)
		}
	}
	slices.Sort(places)
	target, err := h.gather(ctx, slices.Compact(places))
	return s, target, err
}
