package oracle

import (
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

// Snapshot answers what one snapshot makes of a history, in Snapshot mode. Rows come as from [History]. Errors wrap ErrEmptySource,
// ErrTooManyClosed, ErrLate and those of History.
func Snapshot(table scd2.Table, source []arrow.Record, opts scd2.Options) ([][]Value, error) {
	h, err := newHistory(table, source, opts)
	if err != nil {
		return nil, err
	}
	if err := h.refuseNulls(); err != nil {
		return nil, err
	}
	s := &snapshot{history: h, errs: map[error]bool{}}
	if len(h.source.rows) == 0 && !opts.AllowEmpty {
		s.errs[onerow.ErrEmptySource] = true
	}
	h.gatherEvents()
	there := map[string]bool{}
	for _, k := range h.keys {
		there[k] = true
	}
	versions := s.versions()
	var rows [][]Value
	for _, k := range h.keys {
		v := versions[k]
		if there[k] {
			v = s.seen(v, h.lives[k].events)
		} else if opts.Absent == scd2.AbsentCloses {
			v = s.missed(v)
		}
		for _, one := range v {
			rows = append(rows, h.row(h.lives[k], one))
		}
	}
	if float64(s.closed) > opts.MaxClose*float64(s.open) {
		s.errs[onerow.ErrTooManyClosed] = true
	}
	for e := range s.errs {
		err = errors.Join(err, e)
	}
	return append(rows, h.apart...), err
}

// snapshot is one call of Snapshot.
type snapshot struct {
	*history
	open, closed int // open versions, and those closed by absence
	errs         map[error]bool
}

// versions are the rows of the history by key, each with its own end.
func (s *snapshot) versions() map[string][]version {
	out := map[string][]version{}
	for _, row := range s.base.rows {
		key := cells(row, s.key)
		v := version{from: row[s.validFrom], to: row[s.validTo], open: s.isOpen(row[s.validTo]), vals: s.given(row), marker: s.marker >= 0 && isTrue(row[s.marker])}
		if v.open && !v.marker {
			s.open++
		}
		if anyNull(key) && s.opts.NullKey != onerow.EqualNullKeys {
			s.apart = append(s.apart, append(slices.Clone(row), make([]Value, s.added())...))
			continue
		}
		s.life(key)
		out[Canonical(key)] = append(out[Canonical(key)], v)
	}
	for _, vs := range out {
		slices.SortFunc(vs, func(a, b version) int { return comparePlace(a.from, b.from) })
	}
	return out
}

// seen is a key that the snapshot has.
func (s *snapshot) seen(versions []version, events []happening) []version {
	e, tied := s.decide(events)
	if tied {
		s.errs[onerow.ErrTie] = true
		return versions
	}
	n := len(versions)
	if n == 0 {
		return s.happen(nil, e)
	}
	last := &versions[n-1]
	valid := last.open && !last.marker
	edge := last.from
	if !last.open {
		edge = last.to
	}
	older := comparePlace(e.at, edge)
	vals := slices.Clone(last.vals)
	for i := range vals {
		if e.says[i] {
			vals[i] = e.vals[i]
		}
	}
	switch {
	case valid && s.opts.Unchanged == scd2.CollapseUnchanged && s.sameTracked(vals, last.vals):
		e.at = last.to // no matter: no version is made
	case valid && older <= 0 && len(s.order) > 0:
		return versions // it isn't newer
	case valid && older <= 0:
		s.errs[onerow.ErrLate] = true
		return versions
	case !valid && older < 0:
		e.at = edge
	}
	return s.happen(versions, e)
}

// missed is a key that the snapshot doesn't have.
func (s *snapshot) missed(versions []version) []version {
	last := versions[len(versions)-1]
	if !last.open || last.marker {
		return versions
	}
	s.closed++
	if comparePlace(s.now, last.from) <= 0 {
		s.errs[onerow.ErrLate] = true
		return versions
	}
	return s.happen(versions, happening{at: s.now, gone: true})
}
