package oracle

import (
	"cmp"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// event is something that happens to a key: an upsert or a delete row, or a row of another key that ends this one.
type event struct {
	kind kind
	// row is the row's number, in the target if target is set, else in the batches.
	row    int
	target bool
	cells  []Value

	snapshot bool
	place    []Value // the order columns
}

type kind uint8

const (
	upsert kind = iota
	remove
	end
)

// group is what happens to one key.
type group struct {
	events []event // of the batches, by row number
	target *event
}

func (l *latest) group(key string) *group {
	g, ok := l.groups[key]
	if !ok {
		g = &group{}
		l.groups[key] = g
		l.keys = append(l.keys, key)
	}
	return g
}

// gather puts the rows, and the ends that they bring, into the groups of their keys.
func (l *latest) gather() {
	l.fates = make([]fate, len(l.batch.rows))
	for r := range l.batch.rows {
		e := l.event(l.batch, r)
		if anyNull(cells(e.cells, l.columns.key)) {
			l.tally.NullKeyRows++
		}
		if l.leftOut(l.batch, r) {
			l.fates[r] = setAside
			continue
		}
		if anyNull(e.place) {
			l.tally.NullOrderRows++
		}
		g := l.group(l.key(e))
		g.events = append(g.events, e)
		if previous, changed := l.previous(e); changed {
			e.kind = end
			g := l.group(previous)
			g.events = append(g.events, e)
		}
	}
	if l.target == nil {
		return
	}
	for r := range l.target.rows {
		if l.leftOut(l.target, r) {
			continue
		}
		e := l.event(l.target, r)
		g := l.group(l.key(e))
		if g.target == nil || l.compare(e, *g.target) > 0 {
			g.target = &e
		}
	}
}

func (l *latest) event(t *table, row int) event {
	at := l.placedIn(t)
	e := event{row: row, target: t == l.target, cells: t.rows[row], place: cells(t.rows[row], at.order)}
	if at.op >= 0 {
		op := e.cells[at.op]
		e.snapshot = l.snapshots.have(op)
		if l.deletes.have(op) {
			e.kind = remove
		}
	}
	return e
}

// Deleted says for each row whether op makes it a delete.
func Deleted(batches []arrow.Record, op dedupe.Op) ([]bool, error) {
	t, err := readTable("batches", batches)
	if err != nil {
		return nil, err
	}
	gone := make([]bool, len(t.rows))
	if op.Column == "" {
		return gone, nil
	}
	c, err := t.column(op.Column)
	if err != nil {
		return nil, err
	}
	deletes, err := readLiterals(op.Delete, op.Column, t.types[c])
	for r, row := range t.rows {
		gone[r] = deletes.have(row[c])
	}
	return gone, err
}

func (l *latest) key(e event) string {
	if e.target {
		return Canonical(cells(e.cells, l.targetColumns.key))
	}
	return Canonical(cells(e.cells, l.columns.key))
}

// previous is the key that a row of the batches had before, when it had another one. Where NULL keys are set aside, no row
// had a key with a NULL in it.
func (l *latest) previous(e event) (key string, changed bool) {
	before := cells(e.cells, l.columns.previous)
	if e.target || allNull(before) || anyNull(before) && l.opts.NullKey == onerow.SetAsideNullKeys {
		return "", false
	}
	key = Canonical(before)
	return key, key != l.key(e)
}

// compare is the order of two events; the later one is greater.
func (l *latest) compare(a, b event) int {
	if c := cmp.Compare(truth(!a.snapshot), truth(!b.snapshot)); c != 0 {
		return c
	}
	for i, o := range l.orders {
		c := comparePlaces(a.place[i], b.place[i], o.Nulls)
		if o.Ascending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func comparePlaces(a, b Value, nulls onerow.NullOrder) int {
	if !a.Null() && !b.Null() {
		return comparePlace(a, b)
	}
	c := cmp.Compare(notNull(a), notNull(b))
	if nulls == onerow.NullsAreHighest {
		return -c
	}
	return c
}

// same says whether two rows of the batches are copies.
func same(a, b event) bool { return Canonical(a.cells) == Canonical(b.cells) }

// greater says whether a is greater than b by content: values, then the bits of NaNs, then the earlier row.
func greater(a, b event) bool {
	for _, differ := range []func(a, b Value) int{compareContent, compareNaNs} {
		for i := range a.cells {
			if c := differ(a.cells[i], b.cells[i]); c != 0 {
				return c > 0
			}
		}
	}
	return a.row < b.row
}

// unavailable says whether column c of a row of the batches holds the placeholder of its fill.
func (l *latest) unavailable(e event, c int) bool {
	for _, f := range l.fills {
		if f.column == c && f.unavailable.have(e.cells[c]) {
			return true
		}
	}
	return false
}

// compareWithTarget compares a row of the batches with one of the target by content, over the columns that both have and
// that the row knows.
func (l *latest) compareWithTarget(e, target event) int {
	for _, p := range l.common {
		if l.unavailable(e, p.batch) {
			continue
		}
		if c := compareContent(e.cells[p.batch], target.cells[p.target]); c != 0 {
			return c
		}
	}
	return 0
}

// repeats says whether a row of the batches is equal to one of the target, over the same columns.
func (l *latest) repeats(e, target event) bool {
	for _, p := range l.common {
		if !l.unavailable(e, p.batch) && !equal(e.cells[p.batch], target.cells[p.target]) {
			return false
		}
	}
	return true
}

func (l *latest) allRepeat(rows []event, target event) bool {
	for _, e := range rows {
		if !l.repeats(e, target) {
			return false
		}
	}
	return true
}

// pick returns the row that a policy for ties picks of upserts equal in order.
func pick(rows []event, ties dedupe.Ties) event {
	best := rows[0]
	for _, e := range rows[1:] {
		if ties == dedupe.LastTied || ties != dedupe.FirstTied && greater(e, best) {
			best = e
		}
	}
	return best
}
