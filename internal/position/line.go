package position

import (
	"context"
	"math"
	"sync"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Line lays the cells of some columns on one line. It is safe for concurrent use, and borrows the columns.
type Line struct {
	lanes []lane
	unit  uint64    // one word's step, in the finest unit of the family; 0 when words are ranks
	bent  bool      // an end of the line stands for a cell far beyond it
	rooms sync.Pool // of *form.Block
}

// lane is one column.
type lane struct {
	col    *form.Column
	reader *form.Reader
	turns  []turn   // by batch: how its ordinals become words; nil when words are ranks
	ranks  []uint64 // by row: 1 + the number of smaller cells that differ, 0 for NULL
}

// turn takes ordinals of one batch to words.
type turn struct {
	in, out uint64 // flipped before and after
	mul     uint64
	// With mul above 1: cells beyond these are at the ends of the line.
	least, most int64
}

func (t turn) word(ordinal uint64) uint64 {
	w := ordinal ^ t.in
	if t.mul > 1 {
		switch n := int64(w); {
		case n > t.most:
			return math.MaxInt64 ^ t.out
		case n < t.least:
			return 1<<63 ^ t.out
		}
	}
	return w*t.mul ^ t.out
}

// New reads columns of comparable families (see form.Comparable) that have an order (see form.IsOrder). They may have different layouts and
// types. It fails when the context ends or an array is malformed.
func New(ctx context.Context, workers int, cols ...*form.Column) (*Line, error) {
	l := &Line{}
	l.rooms.New = func() any { return form.NewBlock(keyset.BlockRows) }
	err := keyset.Guard(func() error {
		for _, c := range cols {
			l.lanes = append(l.lanes, lane{col: c, reader: form.NewReader(c.Chunks, form.Ordinal)})
		}
		fits, err := l.fit(ctx, workers)
		if err == nil && !fits {
			err = l.rank(ctx, workers)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Step returns how many words a step is, rounded down, which is given in the finest unit of the family: nanoseconds, milliseconds for dates, 1 for
// integers. Cells that are more than so many words apart are more than the step apart, and others aren't. ok is false when words are
// ranks, or one of them stands for a cell far beyond the others, of which that can't be said.
func (l *Line) Step(step uint64) (words uint64, ok bool) {
	if l.unit == 0 || l.bent {
		return 0, false
	}
	return step / l.unit, true
}

// Read puts the words of rows lo to lo+n of batch chunk of column col into words[:n], and 1 into null for NULL cells, whose words mean nothing, 0
// for others. It says whether any was NULL.
func (l *Line) Read(col, chunk, lo, n int, words []uint64, null []uint8) bool {
	words, null = words[:n], null[:n]
	c := &l.lanes[col]
	if c.turns == nil {
		return c.readRanks(chunk, lo, words, null)
	}
	t := c.turns[chunk]
	if c.readRaw(chunk, lo, t, words) {
		return c.col.Chunks[chunk].Nulls(lo, null)
	}
	found := false
	room := l.rooms.Get().(*form.Block)
	for at := 0; at < n; at += keyset.BlockRows {
		k := min(keyset.BlockRows, n-at)
		c.reader.Read(chunk, lo+at, k, room)
		for i, w := range room.K0 {
			words[at+i] = t.word(w)
		}
		copy(null[at:], room.Null)
		found = found || room.AnyNull
	}
	l.rooms.Put(room)
	return found
}

// readRaw reads words right from the column's memory, where that holds words of 64 bits.
func (c *lane) readRaw(chunk, lo int, t turn, words []uint64) bool {
	a := c.col.Chunks[chunk]
	raw, _ := a.RawSlots(lo, len(words))
	if raw == nil {
		return false
	}
	t.in ^= a.Flip()
	if t.mul == 1 {
		flip := t.in ^ t.out
		for i, w := range raw {
			words[i] = w ^ flip
		}
		return true
	}
	for i, w := range raw {
		words[i] = t.word(w)
	}
	return true
}

func (c *lane) readRanks(chunk, lo int, words []uint64, null []uint8) bool {
	from := int(c.col.Start(chunk)) + lo
	var found uint8
	for i, w := range c.ranks[from : from+len(words)] {
		words[i], null[i] = w, 0
		if w == 0 {
			null[i] = 1
		}
		found |= null[i]
	}
	return found != 0
}

// At returns the word of a cell; ok is false for NULL. row counts across the column's batches.
func (l *Line) At(col int, row uint32) (word uint64, ok bool) {
	c := &l.lanes[col]
	if c.turns == nil {
		return c.ranks[row], c.ranks[row] != 0
	}
	k, i := c.col.At(row)
	w, ok := c.col.Chunks[k].Ordinal(i)
	if !ok {
		return 0, false
	}
	return c.turns[k].word(w), true
}

const signBit = 1 << 63

// fit says whether the cells of all columns fit words as they are, and if so how.
func (l *Line) fit(ctx context.Context, workers int) (bool, error) {
	sum, ok := l.measure()
	if !ok {
		return false, nil
	}
	signed := !sum.unsigned || sum.signed
	mixed := sum.signed && sum.unsigned
	if mixed || sum.scan {
		r, err := l.ranges(ctx, workers, func(m form.Measure) bool { return mixed || m.Decimals || m.Unit > sum.unit }, sum.unit)
		if err != nil || !r.fits {
			return false, err
		}
		if mixed {
			if r.negative && r.large {
				return false, nil
			}
			signed = !r.large
		}
		if l.bent = r.above.cells || r.below.cells; l.bent {
			// An end of the line is free to stand for what is beyond it, when no cell is there.
			free, err := l.ranges(ctx, workers, func(m form.Measure) bool { return m.Unit == sum.unit }, sum.unit)
			if err != nil || r.above.cells && free.last || r.below.cells && free.first {
				return false, err
			}
		}
	}
	l.unit = max(sum.unit, 1)
	for i := range l.lanes {
		c := &l.lanes[i]
		c.turns = make([]turn, len(c.col.Chunks))
		for k, a := range c.col.Chunks {
			m := a.Measure()
			t := turn{mul: 1}
			if m.Cells {
				t.mul = m.Unit / l.unit
				t.least, t.most = math.MinInt64/int64(t.mul), math.MaxInt64/int64(t.mul)
			}
			if m.Integers {
				if !m.Unsigned {
					t.in = signBit
				}
				if signed {
					t.out = signBit
				}
			}
			c.turns[k] = t
		}
	}
	return true, nil
}

// summary is what the measures of all batches come to.
type summary struct {
	unit             uint64 // the finest; 0 without cells
	signed, unsigned bool   // integers of that kind
	scan             bool   // the values decide
}

// measure is false when words can't hold the columns, whatever their cells.
func (l *Line) measure() (s summary, ok bool) {
	scale, decimals, widest := int32(0), false, uint64(0)
	for _, c := range l.lanes {
		for _, a := range c.col.Chunks {
			m := a.Measure()
			if !m.Cells {
				continue
			}
			if !m.Exact {
				return s, false
			}
			if m.Decimals {
				if decimals && m.Scale != scale {
					return s, false
				}
				scale, decimals, s.scan = m.Scale, true, true
			}
			if s.unit == 0 || m.Unit < s.unit {
				s.unit = m.Unit
			}
			widest = max(widest, m.Unit)
			s.signed = s.signed || m.Integers && !m.Unsigned
			s.unsigned = s.unsigned || m.Integers && m.Unsigned
		}
	}
	s.scan = s.scan || widest > s.unit
	return s, true
}

// limits is what a scan of the cells found.
type limits struct {
	fits            bool // in words of the unit, but for those beyond
	negative, large bool // integers below 0, beyond the largest int64
	first, last     bool // signed integers in the unit that are the least int64, the largest
	above, below    beyond
}

// beyond is times that aren't in words of the unit, on one side of the line: in seconds, or parts of them, and the unit of the batch. Only one is allowed for, such as 9999-12-31 for
// all that has no end.
type beyond struct {
	cells bool
	at    int64
	unit  uint64
}

// and is false when the two are not one time.
func (b beyond) and(o beyond) (beyond, bool) {
	switch {
	case !o.cells:
		return b, true
	case !b.cells:
		return o, true
	case b.unit < o.unit:
		b, o = o, b
	}
	mul := int64(b.unit / o.unit)
	return b, o.at%mul == 0 && o.at/mul == b.at
}

func (r limits) and(o limits) limits {
	above, oneAbove := r.above.and(o.above)
	below, oneBelow := r.below.and(o.below)
	return limits{r.fits && o.fits && oneAbove && oneBelow, r.negative || o.negative, r.large || o.large, r.first || o.first, r.last || o.last, above, below}
}

// ranges reads the cells of the batches that are to be read because their values decide.
func (l *Line) ranges(ctx context.Context, workers int, read func(form.Measure) bool, unit uint64) (limits, error) {
	type task struct {
		lane int
		span keyset.Span
	}
	var tasks []task
	for i, c := range l.lanes {
		for _, s := range keyset.Spans(lens(c.col), c.col.Start) {
			tasks = append(tasks, task{i, s})
		}
	}
	found := make([]limits, max(workers, 1))
	for w := range found {
		found[w].fits = true
	}
	err := keyset.Run(ctx, len(found), len(tasks), func(w, t int) error {
		c, s := l.lanes[tasks[t].lane], tasks[t].span
		m := c.col.Chunks[s.Chunk].Measure()
		if !m.Cells || !read(m) {
			return nil
		}
		room := l.rooms.Get().(*form.Block)
		s.Blocks(func(lo, n int, _ uint32) {
			low, high := uint64(math.MaxUint64), uint64(0)
			c.reader.Read(s.Chunk, lo, n, room)
			for i, x := range room.K0 {
				if room.Null[i] == 0 {
					low, high = min(low, x), max(high, x)
				}
			}
			if low <= high {
				found[w] = found[w].and(judge(m, unit, low, high, room))
			}
		})
		l.rooms.Put(room)
		return nil
	})
	for _, r := range found[1:] {
		found[0] = found[0].and(r)
	}
	return found[0], err
}

// judge says what the ordinals of a block mean, of which the least and the greatest are known.
func judge(m form.Measure, unit, low, high uint64, room *form.Block) limits {
	switch {
	case m.Decimals:
		return limits{fits: low > 0 && high < math.MaxUint64}
	case m.Unsigned:
		return limits{fits: true, large: high > math.MaxInt64}
	}
	lowest, highest, mul := int64(low^signBit), int64(high^signBit), int64(m.Unit/unit)
	r := limits{fits: true, negative: lowest < 0, first: low == 0, last: high == math.MaxUint64}
	least, most := math.MinInt64/mul, math.MaxInt64/mul
	if lowest >= least && highest <= most {
		return r
	}
	for i, x := range room.K0 {
		if n := int64(x ^ signBit); room.Null[i] == 0 && (n < least && n != lowest || n > most && n != highest) {
			return limits{}
		}
	}
	if lowest < least {
		r.below = beyond{true, lowest, m.Unit}
	}
	if highest > most {
		r.above = beyond{true, highest, m.Unit}
	}
	return r
}

func lens(c *form.Column) []int {
	out := make([]int, c.Layout.Chunks())
	for i := range out {
		out[i] = int(c.Start(i+1) - c.Start(i))
	}
	return out
}
