package dedupe

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/form"
)

// guardShape is what a schema of batches means to a guard, found out once for all batches of it. Latest refuses none of its columns.
type guardShape struct {
	schema         *arrow.Schema
	direct         bool // keys may be decided directly
	keyAt, orderAt []int
	opAt           int // -1: none
	deletes        *form.Matcher
	snapshot       *form.Matcher
	exact          bool // two keys, of a batch or held, are equal if their words are
}

// shapeOf returns the shape of batches whose keys may be decided directly, or nil. The guard holds columns.
func (g *Guard) shapeOf(batches []arrow.Record) (*guardShape, error) {
	if g.held.schema == nil || len(batches) == 0 || len(g.order) == 0 || len(g.opts.Fill) > 0 || g.opts.Op.PreviousKey != nil || batches[0] == nil {
		return nil, nil
	}
	s := g.shape.Load()
	if schema := batches[0].Schema(); s == nil || s.schema != schema && form.SchemasDiffer(s.schema, schema) != "" {
		var err error
		if s, err = g.newShape(batches[:1]); err != nil {
			return nil, err
		}
		g.shape.Store(s)
	}
	if !s.direct {
		return nil, nil
	}
	return s, nil
}

// newShape asks Latest what it thinks of the columns of a batch, beside the guard's.
func (g *Guard) newShape(batch []arrow.Record) (*guardShape, error) {
	h := &g.held
	none, err := h.none()
	if err != nil {
		return nil, err
	}
	opts := g.opts
	opts.Against = []arrow.Record{none}
	j, err := newJob(batch, g.key, g.order, opts)
	if err != nil {
		return nil, err
	}
	s := &guardShape{schema: j.batches.Schema, opAt: -1, deletes: j.deletes}
	if s.snapshot, err = j.matcher(j.op, g.opts.Op.Snapshot); err != nil {
		return nil, err
	}
	if j.op != nil {
		s.opAt = s.schema.FieldIndices(j.op.Name)[0]
	}
	for _, k := range g.key {
		s.keyAt = append(s.keyAt, s.schema.FieldIndices(k)[0])
	}
	for _, o := range g.order {
		s.orderAt = append(s.orderAt, s.schema.FieldIndices(o.Column)[0])
	}
	s.direct = s.alike(h, s.orderAt[0], h.orderAt[0])
	first := j.keyCols[0].Chunks[0]
	s.exact = len(g.key) == 1 && isNumber(first) && first.Measure().Unit == 1 && s.alike(h, s.keyAt[0], h.keyAt[0])
	return s, nil
}

// alike says whether words mean the same in a column of the batches and one of the guard.
func (s *guardShape) alike(h *held, mine, other int) bool {
	return form.SameType(form.Logical(s.schema.Field(mine).Type), h.schema.Field(other).Type)
}
