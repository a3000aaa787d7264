package scd2

import (
	"cmp"
	"slices"

	"github.com/onerow-go/onerow/internal/keyset"
)

// collectVersions brings the lists of the workers into one order that doesn't depend on them.
func (out *outcome) collectVersions(lives []*life) {
	var inserts, edits []*pile[change]
	var refs []*pile[uint32]
	base := uint32(0)
	for _, l := range lives {
		l.inserts.each(func(c *change) { c.version.refs += base })
		l.edits.each(func(c *change) { c.version.refs += base })
		l.mems.each(func(m *remembered) { m.refs += base })
		base += uint32(l.keptRefs.n / out.j.slots)
		inserts, edits, refs = append(inserts, &l.inserts), append(edits, &l.edits), append(refs, &l.keptRefs)
		out.removes = append(out.removes, l.removes...)
	}
	out.refs = flat(refs...)
	out.inserts = byRow(flat(inserts...), (*change).rowOf)
	settle(out.inserts, (*change).rowOf, func(run []change) {
		slices.SortFunc(run, func(a, b change) int {
			return cmp.Or(cmp.Compare(a.version.pos, b.version.pos), cmp.Compare(a.key, b.key))
		})
	})
	out.edits = byRow(flat(edits...), (*change).rowOf)
	out.removes = byRow(out.removes, func(a *Action) uint32 { return a.Row })
}

// collectState does so for what the state is to know.
func (out *outcome) collectState(lives []*life) {
	var mems []*pile[remembered]
	for _, l := range lives {
		mems = append(mems, &l.mems)
		for _, row := range l.forgotten {
			if out.forgotten == nil {
				out.forgotten = keyset.NewBitmap(uint32(out.j.state.Rows))
			}
			out.forgotten.Set(row - out.j.firstSt)
			out.dropped++
		}
	}
	out.mems = byRow(flat(mems...), (*remembered).keyOf)
	settle(out.mems, (*remembered).keyOf, func(run []remembered) {
		slices.SortFunc(run, func(a, b remembered) int { return cmp.Compare(a.pos, b.pos) })
	})
}

// layRefs brings the rows that give the slots of versions into the order in which records are made of them: each column reads them.
func (out *outcome) layRefs() {
	n := uint32(out.j.slots)
	refs := make([]uint32, 0, len(out.refs))
	lay := func(at *uint32) {
		from := uint64(*at) * uint64(n)
		*at = uint32(len(refs) / int(n))
		refs = append(refs, out.refs[from:from+uint64(n)]...)
	}
	for i := range out.inserts {
		lay(&out.inserts[i].version.refs)
	}
	for i := range out.edits {
		lay(&out.edits[i].version.refs)
	}
	for i := range out.mems {
		lay(&out.mems[i].refs)
	}
	out.refs = refs
}

func (c *change) rowOf() uint32     { return c.row }
func (m *remembered) keyOf() uint32 { return m.key }
