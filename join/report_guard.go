package join

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/tally"
)

// Require is nil when the rows that match have at most the relationship: under ManyToOne each left row meets at most one right row, and
// OneToOne satisfies it as well. No match satisfies every relationship. Keys that repeat without a match don't matter: see [Side].Unique.
//
// Else it is a *onerow.KeysError with Kind ErrRelationship that lists the keys that repeat on the side that must not, and their rows there; where
// both sides must not and do, the errors of both, joined. Under None it lists those of the matched keys that [Size].Worst has.
func (s *Size) Require(r Relationship) error {
	if r > ManyToMany {
		return fmt.Errorf("%w: no relationship has the number %d", onerow.ErrOption, r)
	}
	if r == None && s.MatchedKeys > 0 {
		return s.keysError(leftSide, onerow.ErrRelationship, s.Worst, s.MatchedKeys,
			fmt.Sprintf("no match was allowed, and %s match", tally.Number(s.Left.MatchedRows, "left row", "left rows")))
	}
	var errs []error
	for side := range sideNames {
		one := r == OneToOne || r == ManyToOne && side == rightSide || r == OneToMany && side == leftSide
		if d := s.side(side); one && d.RepeatedKeys > 0 {
			errs = append(errs, s.keysError(side, onerow.ErrRelationship, d.Repeats, d.RepeatedKeys,
				fmt.Sprintf("more than one %s row each; %v was required, the rows are %v", sideNames[side], r, s.Relationship)))
		}
	}
	return joined(errs)
}

// Growth is the number of rows of the left join for each row of the left side: 1 when nothing is multiplied, and for an empty left side.
func (s *Size) Growth() float64 {
	if s.Left.Rows == 0 {
		return 1
	}
	return s.Rows.Left.Float64() / float64(s.Left.Rows)
}

// MaxGrowth is nil when the left join has at most factor times the rows of the left side; 1 says that nothing may be multiplied. Else it is a
// *onerow.KeysError with Kind ErrGrowth that lists the keys that repeat on the right and make the most rows, and their rows there. A factor below
// 1, which no left join can meet, wraps [onerow.ErrOption].
func (s *Size) MaxGrowth(factor float64) error {
	if over, err := grown(s.Rows.Left, factor, s.Left.Rows); err != nil || !over {
		return err
	}
	return s.keysError(rightSide, onerow.ErrGrowth, s.Right.Repeats, s.Right.RepeatedKeys, fmt.Sprintf("a left join makes %v rows of %d, %s times as many, of at most %v",
		s.Rows.Left, s.Left.Rows, decimal(s.Growth()), factor))
}

// grown says whether a left join has more than factor times the rows of the left side.
func grown(join Count, factor float64, left int64) (bool, error) {
	if !(factor >= 1) {
		return false, fmt.Errorf("%w: MaxGrowth takes a factor of 1 or more, not %v", onerow.ErrOption, factor)
	}
	most := new(big.Rat).SetFloat64(factor)
	if most == nil { // infinite
		return false, nil
	}
	most.Mul(most, new(big.Rat).SetInt64(left))
	return new(big.Rat).SetInt(join.Big()).Cmp(most) > 0, nil
}

// keysError lists the first of some keys, with their rows on a side.
func (s *Size) keysError(side int, kind error, keys []KeySize, total int64, why string) error {
	e := &onerow.KeysError{Kind: kind, Input: sideNames[side], Columns: s.On.Left, Total: total, Why: why}
	if side == rightSide {
		e.Columns = s.On.Right
	}
	for _, m := range keys[:min(len(keys), onerow.MaxSampleKeys)] {
		k := onerow.KeyRows{Values: m.Values, Count: m.Left, Rows: m.LeftRows,
			Why: fmt.Sprintf("meets %s: %v rows, %s of the inner join", tally.Number(m.Right, "right row", "right rows"), m.Inner, percent(m.Share))}
		if side == rightSide {
			k.Count, k.Rows = m.Right, m.RightRows
			k.Why = fmt.Sprintf("meets %s: %v rows, %s of the inner join", tally.Number(m.Left, "left row", "left rows"), m.Inner, percent(m.Share))
		}
		e.Keys = append(e.Keys, k)
	}
	return e
}

// joined leaves a single error as it is.
func joined(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}
