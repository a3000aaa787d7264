package scd2_test

import (
	"fmt"
	"slices"

	"github.com/onerow-go/onerow/scd2"
)

// chooseEvent chooses an event. Unless ties may be, events that are equal in order say the same, and one at the start of a given version
// says what that version says.
func (s *scene) chooseEvent(m may) event {
	if len(s.events) > 0 && s.src.Choose("copy", 8) == 7 {
		return s.events[s.src.Choose("copy of", len(s.events))]
	}
	e := event{key: s.src.Choose("key", len(s.keys)), pos: s.src.Choose("position", s.most+1), op: "u", was: -1}
	if s.seqs != nil {
		e.seq = s.src.Choose("seq", len(s.seqs))
	}
	if s.opts.Mode == scd2.Changes {
		switch s.src.Choose("op", 12) {
		case 7, 8, 9, 10:
			e.op = "d"
		case 11:
			e.op = "t"
		}
	}
	if s.opts.Op.PreviousKey != nil && e.op != "t" && s.flip("key change") {
		e.was = s.src.Choose("previous key", len(s.keys))
	}
	e.vals = s.chooseCells(false)
	if m.ties {
		return e
	}
	if s.hasLost() && (e.op != "u" || e.was >= 0) && s.startsAt(e.pos) {
		e.op, e.was = "u", -1 // nothing in the source says what such a version held
	}
	if e.op == "u" {
		s.untie(&e)
	}
	return e
}

// hasLost says whether the history has a column that the source lacks, so that a given version that is deleted can't come again.
func (s *scene) hasLost() bool {
	return s.opts.Columns.Missing != scd2.NullMissing && slices.ContainsFunc(s.values, func(v valueColumn) bool { return v.typ == "" })
}

func (s *scene) startsAt(pos int) bool {
	for k := range s.keys {
		if s.starts[s.place(k, pos)] != nil {
			return true
		}
	}
	return false
}

// untie lets an upsert say what others of its place say.
func (s *scene) untie(e *event) {
	place := s.place(e.key, e.pos)
	full := fmt.Sprint(place, " ", e.seq)
	start := s.starts[place]
	if s.told[place] {
		start = nil // another order may say otherwise
	}
	if start != nil && s.opts.Ties == scd2.TiesByContent && s.seqs == nil {
		return // the greatest of all
	}
	for i, v := range s.values {
		switch {
		case start == nil || !v.tracked:
		case v.typ != "":
			e.vals[i] = start[i]
		case s.opts.Columns.Missing == scd2.NullMissing && start[i] != nil:
			e.op = "d" // an upsert would say NULL
		}
	}
	if said, ok := s.said[full]; ok && s.opts.Ties == scd2.RejectTies {
		e.vals = said
		return
	}
	s.said[full] = e.vals
}

// rows writes events as rows of the changes.
func (s *scene) rows(events []event) [][]any {
	var rows [][]any
	for _, e := range events {
		var row []any
		for i := range s.table.Key {
			if e.op == "t" {
				row = append(row, nil)
				continue
			}
			row = append(row, s.keys[e.key][i])
		}
		if len(s.opts.At) > 0 {
			row = append(row, s.line.cell(e.pos))
		}
		if s.seqs != nil {
			row = append(row, s.seqs[e.seq])
		}
		if s.opts.Mode == scd2.Changes {
			row = append(row, e.op)
		}
		for i := range s.opts.Op.PreviousKey {
			if e.was < 0 {
				row = append(row, nil)
				continue
			}
			row = append(row, s.keys[e.was][i])
		}
		for i, v := range s.values {
			if v.typ != "" {
				row = append(row, e.vals[i])
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// pick picks events by number.
func pick(events []event, numbers []int) []event {
	out := make([]event, len(numbers))
	for i, n := range numbers {
		out[i] = events[n]
	}
	return out
}
