package oracle

import (
	"cmp"
	"errors"
	"math/big"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

func boolean(b bool) Value {
	return Value{family: boolFamily, exact: new(big.Rat).SetInt64(int64(truth(b)))}
}

func isTrue(v Value) bool { return v.family == boolFamily && v.exact.Sign() > 0 }

func (h *history) isOpen(end Value) bool { return end.Null() || !h.open.Null() && equal(end, h.open) }

func (h *history) isTruncate(row []Value) bool { return h.op >= 0 && h.truncates.have(row[h.op]) }

// refuseNulls refuses NULL keys where that is asked for, and NULL order values.
func (h *history) refuseNulls() error {
	aside := func(r int) bool { return h.leftOut(h.source.rows[r]) }
	truncate := func(r int) bool { return h.isTruncate(h.source.rows[r]) }
	var errs []error
	if h.opts.NullKey == onerow.RejectNullKeys {
		if counts := h.source.countNulls(h.sourceKey, truncate, func(int) bool { return true }); counts != nil {
			errs = append(errs, &onerow.NullError{Kind: onerow.ErrNullKey, Input: "changes", Columns: counts})
		}
	}
	refused := func(i int) bool { return h.opts.At[i].Nulls == onerow.RejectNulls }
	if counts := h.source.countNulls(h.order, aside, refused); counts != nil {
		errs = append(errs, &onerow.NullError{Kind: onerow.ErrNullOrder, Input: "changes", Columns: counts})
	}
	return errors.Join(errs...)
}

// leftOut says whether an event is set aside for its key.
func (h *history) leftOut(row []Value) bool {
	return h.opts.NullKey == onerow.SetAsideNullKeys && anyNull(cells(row, h.sourceKey)) && !h.isTruncate(row)
}

func (h *history) life(key []Value) *life {
	text := Canonical(key)
	l, ok := h.lives[text]
	if !ok {
		l = &life{key: key}
		h.lives[text] = l
		h.keys = append(h.keys, text)
	}
	return l
}

// gatherGiven makes events of the rows of the history: each start, and each end at which no other version starts.
func (h *history) gatherGiven() {
	rows := map[*life][][]Value{}
	for _, row := range h.base.rows {
		key := cells(row, h.key)
		if anyNull(key) && h.opts.NullKey != onerow.EqualNullKeys {
			h.apart = append(h.apart, append(slices.Clone(row), make([]Value, h.added())...))
			continue
		}
		l := h.life(key)
		rows[l] = append(rows[l], row)
	}
	for l, versions := range rows {
		slices.SortFunc(versions, func(a, b []Value) int { return comparePlace(a[h.validFrom], b[h.validFrom]) })
		for i, row := range versions {
			e := happening{at: row[h.validFrom], given: true, vals: h.given(row), gone: h.marker >= 0 && isTrue(row[h.marker])}
			e.says = make([]bool, len(e.vals))
			for c := range e.says {
				e.says[c] = true
			}
			if i > 0 && !e.gone {
				before := versions[i-1]
				e.apart = equal(before[h.validTo], e.at) && h.sameTracked(h.given(before), e.vals) && !(h.marker >= 0 && isTrue(before[h.marker]))
			}
			if last, told := h.toldLast(e, row); told && equal(last.at, e.at) {
				last.apart = e.apart
				e = last
			} else if told {
				l.events = append(l.events, last)
			}
			l.events = append(l.events, e)
			end := row[h.validTo]
			if !h.isOpen(end) && (i == len(versions)-1 || !equal(end, versions[i+1][h.validFrom])) {
				l.events = append(l.events, happening{at: end, given: true, gone: true})
			}
		}
	}
}

// toldLast is the last event that fell in a version, of which a history tells that has all order columns and doesn't track them.
func (h *history) toldLast(start happening, row []Value) (last happening, told bool) {
	if len(h.opts.At) == 0 || start.gone {
		return last, false
	}
	last = happening{vals: start.vals, says: start.says}
	for i, o := range h.opts.At {
		c, _ := h.base.find(o.Column)
		if c < 0 || slices.Contains(h.opts.Tracked, o.Column) {
			return last, false
		}
		if last.place = append(last.place, row[c]); i == h.from {
			last.at = row[c]
		}
	}
	return last, !last.at.Null()
}

// added is the number of columns that the source adds.
func (h *history) added() (n int) {
	for _, c := range h.columns {
		n += truth(c.base < 0)
	}
	return n
}

// given are the values of a row of the history.
func (h *history) given(row []Value) []Value {
	vals := make([]Value, len(h.columns))
	for i, c := range h.columns {
		if c.base >= 0 {
			vals[i] = row[c.base]
		}
	}
	return vals
}

// gatherEvents puts the events into the lives of their keys; a truncate into all.
func (h *history) gatherEvents() {
	var truncates []happening
	for _, row := range h.source.rows {
		e := h.event(row)
		if h.isTruncate(row) {
			e.gone = true
			truncates = append(truncates, e)
			continue
		}
		if h.leftOut(row) {
			continue
		}
		key := cells(row, h.sourceKey)
		h.life(key).events = append(h.life(key).events, e)
		before := cells(row, h.previous)
		if allNull(before) || anyNull(before) && h.opts.NullKey == onerow.SetAsideNullKeys || Canonical(before) == Canonical(key) {
			continue
		}
		e.gone = true
		h.life(before).events = append(h.life(before).events, e)
	}
	for _, l := range h.lives {
		l.events = append(l.events, truncates...)
	}
}

func (h *history) event(row []Value) happening {
	e := happening{at: h.now, place: cells(row, h.order), gone: h.op >= 0 && h.deletes.have(row[h.op])}
	if h.from >= 0 {
		e.at = e.place[h.from]
	}
	for _, c := range h.columns {
		var v Value
		says := h.opts.Columns.Missing == scd2.NullMissing
		if c.source >= 0 {
			v = row[c.source]
			says = !v.Null() || !c.silentNull
		}
		e.vals, e.says = append(e.vals, v), append(e.says, says)
	}
	return e
}

func (h *history) sameTracked(a, b []Value) bool {
	for i, c := range h.columns {
		if c.tracked && !equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// comparePlaces compares two events by the full order.
func (h *history) comparePlaces(a, b happening) int {
	for i, o := range h.opts.At {
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

// compareSaid compares two events by content, over the columns that both say.
func (h *history) compareSaid(a, b happening) int {
	for i := range h.columns {
		if a.says[i] && b.says[i] {
			if c := compareContent(a.vals[i], b.vals[i]); c != 0 {
				return c
			}
		}
	}
	return 0
}

// sameSaid says whether two events say the same; tracked: in the tracked columns.
func (h *history) sameSaid(a, b happening, tracked bool) bool {
	for i, c := range h.columns {
		if a.says[i] && b.says[i] && (c.tracked || !tracked) && !equal(a.vals[i], b.vals[i]) {
			return false
		}
	}
	return true
}

// compare is the order of events at one position: the full order, then deletes over upserts, then content.
func (h *history) compare(a, b happening) int {
	return cmp.Or(h.comparePlaces(a, b), cmp.Compare(truth(a.gone), truth(b.gone)), h.compareSaid(a, b))
}
