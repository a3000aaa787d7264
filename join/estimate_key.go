package join

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/tally"
)

// Key says which columns of the two sides are to be equal: Left[i] of the left side to Right[i] of the right side, for each i.
type Key struct {
	Left  []string `json:"left"`
	Right []string `json:"right"`
}

// On is the key of columns that have the same names on both sides.
func On(columns ...string) Key {
	return Key{Left: append([]string(nil), columns...), Right: append([]string(nil), columns...)}
}

// Pair is the key of one column on each side.
func Pair(left, right string) Key { return Key{}.And(left, right) }

// And is the key with one more pair of columns. It doesn't change k.
func (k Key) And(left, right string) Key {
	return Key{Left: append(k.Left[:len(k.Left):len(k.Left)], left), Right: append(k.Right[:len(k.Right):len(k.Right)], right)}
}

// String is the key as an ON clause has it: tenant, id = ref.
func (k Key) String() string {
	var parts []string
	for i := range min(len(k.Left), len(k.Right)) {
		text := tally.Name(k.Left[i])
		if k.Left[i] != k.Right[i] {
			text += " = " + tally.Name(k.Right[i])
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func (k Key) clone() Key {
	return Key{Left: append([]string(nil), k.Left...), Right: append([]string(nil), k.Right...)}
}

func (k Key) check() error {
	switch {
	case len(k.Left) == 0 && len(k.Right) == 0:
		return onerow.ErrNoKey
	case len(k.Left) != len(k.Right):
		return fmt.Errorf("%w: the key has %d columns on the left and %d on the right", onerow.ErrOption, len(k.Left), len(k.Right))
	}
	seen := map[[2]string]bool{}
	var errs []error
	for i := range k.Left {
		pair := [2]string{k.Left[i], k.Right[i]}
		if seen[pair] {
			errs = append(errs, fmt.Errorf("%w: the key names columns %q and %q twice", onerow.ErrOption, pair[0], pair[1]))
		}
		seen[pair] = true
	}
	return errors.Join(errs...)
}

// sides are both inputs of a call as one table: the left side's rows, then the right side's.
type sides struct {
	on     Key
	frames [2]*frame.Frame
	rows   *frame.Table
	first  uint32 // row of the table that is the first of the right side
	cols   []*form.Column
	keys   *keyset.Keys // nil without batches
}

// The two sides, as indices.
const (
	leftSide = iota
	rightSide
)

var sideNames = [2]string{"left", "right"}

// of returns the side of a row of the table.
func (s *sides) of(row uint32) int {
	if row >= s.first {
		return rightSide
	}
	return leftSide
}

// own returns the number that a row of the table has on its side.
func (s *sides) own(row uint32) uint32 {
	if row >= s.first {
		return row - s.first
	}
	return row
}

// names returns the key columns of a side.
func (s *sides) names(side int) []string {
	if side == rightSide {
		return s.on.Right
	}
	return s.on.Left
}

// typeOf is the type of a side's column in pair i of the key; null without batches.
func (s *sides) typeOf(side, i int) arrow.DataType {
	f := s.frames[side]
	if f.Schema == nil {
		return arrow.Null
	}
	fields, _ := f.Schema.FieldsByName(s.names(side)[i])
	return fields[0].Type
}

// pairColumn names the column of the table for pair i of the key, so that one column can be in several pairs.
func pairColumn(i int) string { return fmt.Sprintf("pair %d", i) }

// read finds the columns of the key, in both sides and in further parts, which have them under their names in the table. What is wrong with several
// comes back together.
func (s *sides) read(nulls Nulls, more ...frame.Part) error {
	var parts []frame.Part
	for side, f := range s.frames {
		p := frame.Part{Frame: f, Names: map[string]string{}}
		for i, name := range s.names(side) {
			p.Names[pairColumn(i)] = name
		}
		parts = append(parts, p)
	}
	var err error
	if s.rows, err = frame.NewTable(append(parts, more...)...); err != nil {
		return err
	}
	s.first, s.cols = uint32(s.frames[leftSide].Rows), nil
	var errs []error
	for i := range s.on.Left {
		c, err := s.rows.Column(pairColumn(i), form.IsKey)
		errs = append(errs, err)
		c.Name = s.on.Left[i]
		s.cols = append(s.cols, c)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if s.rows.Chunks() > 0 {
		s.keys = keyset.NewKeys(s.cols, nulls == NullsEqual)
	}
	return nil
}
