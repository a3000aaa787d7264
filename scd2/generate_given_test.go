package scd2_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onerow-go/onerow/scd2"
)

// chooseGiven makes well-formed versions for the keys.
func (s *scene) chooseGiven() {
	for k := range s.keys {
		var rows [][]any
		at := len(s.given.columns) - 2 // of valid_from
		for _, flag := range []string{s.table.Current, s.table.Deleted} {
			at -= min(1, len(flag))
		}
		last := -1       // the version or deletion row that is open
		var starts []int // of rows
		end := s.most + 1
		if s.opts.Mode == scd2.Snapshot {
			end = 5
		}
		for pos := range end {
			switch s.src.Choose("given at", 6) {
			case 4, 5:
				vals := s.chooseCells(true)
				if last >= 0 && s.sameTracked(vals, rows[last]) {
					continue
				}
				rows, starts = s.startGiven(rows, last, at, k, pos, vals, false), append(starts, pos)
				last = len(rows) - 1
				s.starts[s.place(k, pos)] = vals
			case 3:
				if last < 0 || s.isMarker(rows[last]) {
					continue
				}
				if s.opts.Deletes == scd2.DeletesAsRows {
					rows, starts = s.startGiven(rows, last, at, k, pos, s.cellsOf(rows[last]), true), append(starts, pos)
					last = len(rows) - 1
					continue
				}
				s.endGiven(rows[last], at, pos)
				last = -1
			}
		}
		s.tellOrders(k, rows, starts)
		s.given.rows = append(s.given.rows, rows...)
	}
	for i := len(s.given.rows) - 1; i > 0; i-- {
		j := i - s.src.Choose("place of a row", i+1)
		s.given.rows[i], s.given.rows[j] = s.given.rows[j], s.given.rows[i]
	}
}

// tellOrders writes the order of the start of each version, where the history stores it. Deletion rows have what the version before them has.
func (s *scene) tellOrders(key int, rows [][]any, starts []int) {
	if s.orders == 0 {
		return
	}
	at := len(s.table.Key)
	for i, row := range rows {
		if s.isMarker(row) {
			copy(row[at:at+2], rows[i-1][at:at+2])
			continue
		}
		place, seq := s.place(key, starts[i]), s.src.Choose("seq of a version", len(s.seqs))
		s.told[place] = true
		s.said[fmt.Sprint(place, " ", seq)] = s.starts[place]
		row[at], row[at+1] = s.seqs[seq], s.line.cell(starts[i])
	}
}

func (s *scene) place(key, pos int) string { return fmt.Sprint(key, " at ", pos) }

// startGiven adds a row that starts at a position, and ends the one before.
func (s *scene) startGiven(rows [][]any, last, at, key, pos int, vals []any, marker bool) [][]any {
	if last >= 0 {
		s.endGiven(rows[last], at, pos)
	}
	row := append(slices.Clone(s.keys[key]), make([]any, s.orders)...)
	for i, v := range s.values {
		if v.base != "" {
			row = append(row, vals[i])
		}
	}
	row = append(row, s.line.cell(pos))
	if row = append(row, nil); s.table.OpenEnd != nil && s.src.Choose("NULL beside the sentinel", 4) < 3 {
		row[at+1] = s.line.open
	}
	if s.table.Current != "" {
		row = append(row, !marker)
	}
	if s.table.Deleted != "" {
		row = append(row, marker)
	}
	return append(rows, row)
}

func (s *scene) endGiven(row []any, at, pos int) {
	if row[at+1] = s.line.cell(pos); s.table.Current != "" {
		row[at+2] = false
	}
}

func (s *scene) isMarker(row []any) bool { return s.table.Deleted != "" && row[len(row)-1] == true }

// cellsOf are the values of a given row.
func (s *scene) cellsOf(row []any) []any {
	vals := make([]any, len(s.values))
	at := len(s.table.Key) + s.orders
	for i, v := range s.values {
		if v.base != "" {
			vals[i] = row[at]
			at++
		}
	}
	return vals
}

// sameTracked says whether values are the cells of a given version in the tracked columns, of which cells that differ may still be equal.
func (s *scene) sameTracked(vals, row []any) bool {
	if s.isMarker(row) {
		return false
	}
	other := s.cellsOf(row)
	for i, v := range s.values {
		if v.tracked && v.base != "" && (vals[i] == nil) != (other[i] == nil) {
			return false
		}
		if v.tracked && v.base != "" && fmt.Sprint(vals[i]) != fmt.Sprint(other[i]) && !strings.Contains(v.base, "float") {
			return false
		}
	}
	return true
}
