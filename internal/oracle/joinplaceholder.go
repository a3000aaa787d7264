package oracle

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

// isPlaceholder tells the keys that stand for no value.
func (s *joinSides) isPlaceholder(on join.Key) (func(*joined) bool, error) {
	if s.opts.Placeholders != nil {
		return s.givenPlaceholder(on)
	}
	detected := map[*joined]bool{}
	for side := range s.tables {
		var most []*joined // keys of this side, those with the most rows first
		var rows, keys int
		for _, k := range s.keys {
			if n := len(k.rows[side]); n > 0 {
				most = append(most, k)
				rows += n
				keys++
			}
		}
		slices.SortStableFunc(most, func(a, b *joined) int {
			return cmp.Or(cmp.Compare(len(b.rows[side]), len(a.rows[side])), cmp.Compare(a.rows[side][0], b.rows[side][0]))
		})
		var usual []*joined
		for _, k := range most[:min(len(most), 100)] {
			if len(k.rows[side]) >= 3 && slices.ContainsFunc(k.values, usualPlaceholder) {
				usual = append(usual, k)
				rows -= len(k.rows[side])
				keys--
			}
		}
		for _, k := range usual {
			if len(k.rows[side])*keys >= 3*rows {
				detected[k] = true
			}
		}
	}
	return func(k *joined) bool { return detected[k] }, nil
}

func (s *joinSides) givenPlaceholder(on join.Key) (func(*joined) bool, error) {
	given := make([]literals, len(on.Left))
	for i := range given {
		given[i] = literals{}
	}
	for _, v := range s.opts.Placeholders {
		held := false
		for i := range given {
			for side, t := range s.tables {
				if len(t.names) == 0 {
					held = true
					continue
				}
				typ := t.types[s.columns[side][i]]
				if familyOf(typ) == nullFamily {
					held = true
					continue
				}
				if l, err := readLiterals([]onerow.Value{v}, on.Left[i], typ); err == nil {
					held = true
					for text := range l {
						given[i][text] = true
					}
				}
			}
		}
		if !held {
			return nil, fmt.Errorf("%w: no column holds %v", onerow.ErrType, v)
		}
	}
	return func(k *joined) bool {
		for i, v := range k.values {
			if given[i].have(v) {
				return true
			}
		}
		return false
	}, nil
}

var usualTexts = strings.Fields("- ? 0 -1 n/a na nan nil none null unknown undefined missing default tbd 00000000-0000-0000-0000-000000000000")

// usualPlaceholder says whether a value is one of the usual ones.
func usualPlaceholder(v Value) bool {
	switch v.family {
	case integerFamily, decimalFamily:
		return usualNumber(v.exact)
	case floatFamily:
		if math.IsNaN(v.float) || math.IsInf(v.float, 0) {
			return false
		}
		return usualNumber(new(big.Rat).SetFloat64(v.float))
	case textFamily:
		text := strings.ToLower(strings.TrimSpace(v.text))
		return text == "" || slices.Contains(usualTexts, text) || len(text) > 2 && (strings.Trim(text, "0") == "" || strings.Trim(text, "9") == "")
	case binaryFamily:
		return strings.Trim(v.text, "\x00") == ""
	case dateFamily, naiveFamily, zonedFamily:
		for _, day := range []string{"0001-01-01", "1900-01-01", "1970-01-01", "9999-12-31"} {
			at, err := time.Parse(time.DateOnly, day)
			if err != nil {
				panic(err)
			}
			if v.exact.Cmp(new(big.Rat).SetInt64(at.Unix())) == 0 {
				return true
			}
		}
	}
	return false
}

func usualNumber(n *big.Rat) bool {
	digits := new(big.Rat).Abs(n).RatString()
	return n.RatString() == "0" || n.RatString() == "-1" || len(digits) > 2 && strings.Trim(digits, "9") == ""
}
