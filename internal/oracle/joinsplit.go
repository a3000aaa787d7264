package oracle

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

// Split answers what join.Split answers.
func Split(left, right []arrow.Record, on join.Key, opts join.SplitOptions) (*join.Division, error) {
	s := &joinSides{opts: join.Options{Nulls: opts.Nulls, Placeholders: opts.Placeholders}}
	if err := s.setup([2][]arrow.Record{left, right}, on); err != nil {
		return nil, err
	}
	s.gather()
	is, err := s.isPlaceholder(on)
	if err != nil {
		return nil, err
	}
	chosen := map[string]bool{}
	for _, key := range opts.Keys {
		text, err := s.readKey(key)
		if err != nil {
			return nil, err
		}
		chosen[text] = true
	}
	for _, k := range opts.Listed {
		side, rows := 0, k.LeftRows
		if len(rows) == 0 {
			side, rows = 1, k.RightRows
		}
		chosen[Canonical(cells(s.tables[side].rows[rows[0]], s.columns[side]))] = true
	}
	d := &join.Division{On: on}
	placeholders := map[string]bool{}
	for _, k := range s.keys {
		placeholders[Canonical(k.values)] = is(k)
	}
	for side, to := range []*join.DividedSide{&d.Left, &d.Right} {
		for row, values := range s.tables[side].rows {
			key := cells(values, s.columns[side])
			text := Canonical(key)
			list := &to.Join
			switch {
			case !s.takesPart(key):
				list = &to.Null
			case placeholders[text]:
				list = &to.Placeholder
			case chosen[text]:
				list = &to.Chosen
			}
			*list = append(*list, uint32(row))
		}
	}
	return d, nil
}

// readKey reads a key given as values; of a side without batches the types aren't known, and nothing of it can be met.
func (s *joinSides) readKey(key []onerow.Value) (string, error) {
	values := make([]Value, len(key))
	for i, v := range key {
		held := v == nil
		known := false
		for side, t := range s.tables {
			if v == nil || len(t.names) == 0 {
				continue
			}
			typ := t.types[s.columns[side][i]]
			if familyOf(typ) == nullFamily {
				continue
			}
			known = true
			if value, ok := readLiteral(v, plain(typ)); ok && !held {
				values[i], held = value, true
			}
		}
		if !held && known {
			return "", fmt.Errorf("%w: no column holds %v", onerow.ErrType, v)
		}
	}
	return Canonical(values), nil
}
