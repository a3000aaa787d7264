package grain

import (
	"bytes"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/textform"
)

// textForms finds the keys that become equal when text is trimmed, folded and composed. Groups that are aside count for nothing.
func (d *diagnosing) textForms(asides []uint32) error {
	formed, err := d.formedKey()
	if formed == nil || err != nil {
		return err
	}
	var aside keyset.Bitmap
	if len(asides) > 0 {
		aside = keyset.NewBitmap(d.table.Rows())
	}
	for _, id := range asides {
		if d.watch.OverAfter(len(d.sorted.groups.Of(id))) {
			return d.watch.Err()
		}
		for _, row := range d.sorted.groups.Of(id) {
			aside.Set(row)
		}
	}
	s, err := sortRows(d.ctx, d.table, keyset.NewKeys(formed, true), func(_, _, n int, row uint32, _ []int, to []class) (other bool) {
		clear(to)
		for i := range n {
			if aside != nil && aside.Has(row+uint32(i)) {
				to[i], other = leftOut, true
			}
		}
		return other
	}, d.opts.Resources)
	if err != nil || s.groups == nil {
		return err
	}
	ids := make([]uint32, s.groups.Len())
	for i := range ids {
		ids[i] = uint32(i)
	}
	differ, err := d.differing(s.groups, ids, d.key)
	if err != nil {
		return err
	}
	e := &d.found[TextForm]
	for id, columns := range differ {
		if d.watch.Over() {
			return d.watch.Err()
		}
		if !columns.empty() {
			e.add(d, uint32(id), len(s.groups.Of(uint32(id))), columns)
		}
	}
	d.samples[TextForm], err = d.spellings(s.groups, e.top(d.limit))
	return err
}

// formedKey returns the key columns with text in its form. It is nil when that changes no cell.
func (d *diagnosing) formedKey() ([]*form.Column, error) {
	var out []*form.Column
	for i, at := range d.key {
		c := d.columns[at]
		if form.FamilyOf(c.Type) != form.TextFamily {
			continue
		}
		if plain, err := d.allRows(formless(c)); err != nil {
			return nil, err
		} else if plain {
			continue
		}
		if out == nil {
			for _, at := range d.key {
				out = append(out, d.columns[at])
			}
		}
		w := &form.Rewriter{Cell: textform.Append, Over: func() bool { return d.ctx.Err() != nil }}
		formed := &form.Column{Name: c.Name, Type: c.Type, Layout: c.Layout, Chunks: make([]*form.Array, len(c.Chunks))}
		for k, a := range c.Chunks {
			formed.Chunks[k] = w.Rewrite(a)
			if err := d.ctx.Err(); err != nil {
				return nil, err
			}
		}
		out[i] = formed
	}
	return out, nil
}

// formless returns a condition: the cell of a row is its own form.
func formless(c *form.Column) func(chunk, i int) bool {
	return func(chunk, i int) bool {
		a := c.Chunks[chunk]
		if a.Null(i) {
			return true
		}
		cell := a.Text(i)
		var room [64]byte
		return textform.Plain(cell) || bytes.Equal(textform.Append(room[:0], cell), cell)
	}
}

// spellings lists groups of keys that have one form: the values of the first, and the first row of each.
func (d *diagnosing) spellings(g *keyset.Groups, ids []uint32) ([]onerow.KeyRows, error) {
	var out []onerow.KeyRows
	watch := keyset.NewWatch(d.ctx)
	for _, id := range ids {
		var rows []uint32
		for _, row := range g.Of(id) {
			if len(rows) == onerow.MaxSampleRows {
				break
			}
			if watch.Over() {
				return nil, watch.Err()
			}
			if !slices.ContainsFunc(rows, func(r uint32) bool { return d.equal(r, row, d.key) }) {
				rows = append(rows, row)
			}
		}
		k := frame.KeyRows(d.keyColumns(), int64(len(g.Of(id))), rows)
		for i, row := range rows[1:] {
			sep := ", "
			if i == 0 {
				sep = "also "
			}
			k.Why += sep + shortKey(d.diagnosis.Key, frame.KeyRows(d.keyColumns(), 0, []uint32{row}).Values)
		}
		out = append(out, k)
	}
	return out, nil
}
