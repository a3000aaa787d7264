package scd2

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/onerow-go/onerow/internal/keyset"
)

// lists are what the workers found, each by row, and the rows that give the slots of its versions.
type lists struct {
	inserts, edits []change
	mems           []remembered
	refs           []uint32
}

// collector brings the lists of the workers and what is settled into one order that doesn't depend on them.
type collector struct {
	out    *outcome
	m      *Merge
	j      *job
	s      *settling
	found  lists
	atSpan []place // by span of the changes, and at the end
}

// place is where the inserts and memories of a span begin: among those found by lives, and among all.
type place struct {
	foundInserts, foundMems int
	inserts, mems           int
}

// collect fills the lists of rows of the history, and what the state is to know.
func (out *outcome) collect(ctx context.Context, m *Merge, lives []*life, s *settling) error {
	c := &collector{out: out, m: m, j: out.j, s: s}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.fromLives(ctx, lives); err != nil {
		return err
	}
	if err := c.makeRoom(ctx); err != nil {
		return err
	}
	c.outside()
	edits := c.editRuns()
	return c.j.run(ctx, len(edits)+len(s.spans), func(_, task int) error {
		if task < len(edits) {
			c.editRun(edits[task])
		} else {
			c.span(task - len(edits))
		}
		return nil
	})
}

// fromLives sorts what the lives found.
func (c *collector) fromLives(ctx context.Context, lives []*life) error {
	var inserts, edits []*pile[change]
	var mems []*pile[remembered]
	var refs []*pile[uint32]
	var bases []uint32
	base := uint32(0)
	out, f := c.out, &c.found
	for _, l := range lives {
		bases, base = append(bases, base), base+l.lists
		inserts, edits, mems, refs = append(inserts, &l.inserts), append(edits, &l.edits), append(mems, &l.mems), append(refs, &l.keptRefs)
		out.removes = append(out.removes, l.removes...)
		for _, row := range l.forgotten {
			if out.forgotten == nil {
				out.forgotten = keyset.NewBitmap(uint32(out.j.state.Rows))
			}
			out.forgotten.Set(row - out.j.firstSt)
			out.dropped++
		}
	}
	out.removes = byRow(out.removes, func(a *Action) uint32 { return a.Row })
	c.m.Removes = out.removes
	changes := func(piles []*pile[change]) []change {
		for i, p := range piles {
			p.each(func(c *change) { c.refs += bases[i] })
		}
		return byRow(flat(piles...), (*change).rowOf)
	}
	return c.j.run(ctx, 4, func(_, task int) error {
		switch task {
		case 0:
			f.inserts = changes(inserts)
			settle(f.inserts, (*change).rowOf, func(run []change) {
				slices.SortFunc(run, func(a, b change) int {
					return cmp.Or(cmp.Compare(c.j.wordOf(a.from), c.j.wordOf(b.from)), cmp.Compare(a.key, b.key))
				})
			})
		case 1:
			f.edits = changes(edits)
		case 2:
			for i, p := range mems {
				p.each(func(m *remembered) { m.refs += bases[i] })
			}
			f.mems = byRow(flat(mems...), (*remembered).keyOf)
			settle(f.mems, (*remembered).keyOf, func(run []remembered) {
				slices.SortFunc(run, func(a, b remembered) int { return cmp.Compare(c.j.wordOf(a.cell), c.j.wordOf(b.cell)) })
			})
		case 3:
			f.refs = flat(refs...)
		}
		return nil
	})
}

// makeRoom finds out where each span begins, and makes the lists.
func (c *collector) makeRoom(ctx context.Context) error {
	f, inserts, mems, closes := &c.found, 0, 0, 0
	for i := range len(c.s.spans) + 1 {
		row := c.j.firstSt
		if i < len(c.s.spans) {
			row = c.j.firstChg + c.s.spans[i].Row
		}
		at := place{foundInserts: sort.Search(len(f.inserts), func(k int) bool { return f.inserts[k].row >= row }),
			foundMems: sort.Search(len(f.mems), func(k int) bool { return f.mems[k].key >= row })}
		at.inserts, at.mems = inserts+at.foundInserts, mems+at.foundMems
		c.atSpan = append(c.atSpan, at)
		if i < len(c.s.spans) {
			of := &c.s.found[i]
			inserts, mems, closes = inserts+of.inserts, mems+of.mems, closes+len(of.closes)
		}
	}
	out := c.out
	inserts, mems, closes = inserts+len(f.inserts), mems+len(f.mems), closes+len(f.edits)
	// Much of the time that it takes to make long lists is spent on clearing them.
	return c.j.run(ctx, 5, func(_, task int) error {
		switch task {
		case 0:
			out.inserts = room[change](inserts)
		case 1:
			out.edits = room[change](closes)
		case 2:
			out.mems = room[remembered](mems)
		case 3:
			out.refs = room[uint32](len(c.j.used) * (inserts + mems + closes))
		case 4:
			c.m.Inserts = room[Insert](inserts)
		}
		return nil
	})
}

// room makes a list, nil if it has no element.
func room[T any](n int) []T {
	if n == 0 {
		return nil
	}
	return make([]T, n)
}

// refsAt are the rows of a version or memory by its number: edits come first, then inserts, then memories, as records are made of them.
func (c *collector) refsAt(n int) []uint32 {
	k := len(c.j.used)
	return c.out.refs[n*k : (n+1)*k]
}

// laid copies the rows of a list that a life kept to their place; see life.keepRefs.
func (c *collector) laid(n int, list uint32) uint32 {
	if k := len(c.j.used); k == 1 {
		c.out.refs[n] = list
	} else {
		copy(c.refsAt(n), c.found.refs[int(list)*k:])
	}
	return uint32(n)
}

func (c *collector) foundInsert(at, i int) {
	e := &c.out.inserts[at]
	*e = c.found.inserts[i]
	e.refs = c.laid(len(c.out.edits)+at, e.refs)
	c.insert(at, e.row, e.reason)
}

// insert lists an insert.
func (c *collector) insert(at int, row uint32, why Reason) {
	j, in := c.j, &c.m.Inserts[at]
	switch in.Reason = why; {
	case row >= j.firstOld:
		in.From, in.Row = FromChanges, row-j.firstOld
	case row >= j.firstSt:
		in.From, in.Row = FromState, row-j.firstSt
	case row >= j.firstChg:
		in.From, in.Row = FromChanges, row-j.firstChg
	default:
		in.From, in.Row = FromHistory, row
	}
}

func (c *collector) foundMem(at, i int) {
	e := c.found.mems[i]
	e.refs = c.laid(len(c.out.edits)+len(c.out.inserts)+at, e.refs)
	c.out.mems[at] = e
}

// outside takes over what was found at rows that aren't of the changes: those of the history come first, those of the state and of previous keys last.
func (c *collector) outside() {
	first, last := c.atSpan[0], c.atSpan[len(c.atSpan)-1]
	for i := range first.foundInserts {
		c.foundInsert(i, i)
	}
	for i := range first.foundMems {
		c.foundMem(i, i)
	}
	for i := last.foundInserts; i < len(c.found.inserts); i++ {
		c.foundInsert(i+last.inserts-last.foundInserts, i)
	}
	for i := last.foundMems; i < len(c.found.mems); i++ {
		c.foundMem(i+last.mems-last.foundMems, i)
	}
}

// span puts together the inserts and memories at the changes of a span.
func (c *collector) span(task int) {
	at, end := c.atSpan[task], c.atSpan[task+1]
	var inserts, mems [keyset.BlockRows]uint32
	c.s.spans[task].Blocks(func(_, n int, row uint32) {
		// What there is to write is picked without branches that could be guessed wrong.
		i, m := 0, 0
		for k, w := range c.s.of[row:][:n] {
			f := c.s.fateOf(w, c.j.kinds[row+uint32(k)])
			inserts[i], mems[m] = row+uint32(k), row+uint32(k)
			i, m = i+int(f.insert), m+int(f.mem)
		}
		for _, change := range inserts[:i] {
			c.settledInsert(&at, end.foundInserts, change)
		}
		for _, change := range mems[:m] {
			c.settledMem(&at, end.foundMems, change)
		}
	})
	for ; at.foundInserts < end.foundInserts; at.inserts, at.foundInserts = at.inserts+1, at.foundInserts+1 {
		c.foundInsert(at.inserts, at.foundInserts)
	}
	for ; at.foundMems < end.foundMems; at.mems, at.foundMems = at.mems+1, at.foundMems+1 {
		c.foundMem(at.mems, at.foundMems)
	}
}

// settledInsert writes the insert of a settled change, after those that were found at rows before it.
func (c *collector) settledInsert(at *place, end int, change uint32) {
	row, w := c.j.firstChg+change, c.s.of[change]
	for at.foundInserts < end && c.found.inserts[at.foundInserts].row < row {
		c.foundInsert(at.inserts, at.foundInserts)
		at.inserts, at.foundInserts = at.inserts+1, at.foundInserts+1
	}
	e, refs := &c.out.inserts[at.inserts], len(c.out.edits)+at.inserts
	c.j.insertOf(e, row, w)
	e.refs = uint32(refs)
	c.j.settledRefs(c.refsAt(refs), row, w)
	c.insert(at.inserts, row, e.reason)
	at.inserts++
}

// settledMem writes the memory of a settled change, likewise.
func (c *collector) settledMem(at *place, end int, change uint32) {
	row, w := c.j.firstChg+change, c.s.of[change]
	for at.foundMems < end && c.found.mems[at.foundMems].key < row {
		c.foundMem(at.mems, at.foundMems)
		at.mems, at.foundMems = at.mems+1, at.foundMems+1
	}
	e, refs := &c.out.mems[at.mems], len(c.out.edits)+len(c.out.inserts)+at.mems
	e.kind, e.cell, e.key, e.order, e.refs = c.j.kinds[change], c.j.cellOf(row), row, row, uint32(refs)
	c.j.settledRefs(c.refsAt(refs), row, w)
	at.mems++
}

func (c *change) rowOf() uint32     { return c.row }
func (m *remembered) keyOf() uint32 { return m.key }
