package onerow

import "math"

// Rows lists row numbers of the batches of one call. Rows are numbered from 0 across the batches, in the order in
// which the batches were given. Lists that a verb returns are in ascending order unless it says otherwise.
type Rows []uint32

// Without returns the rows that aren't in other. Both lists are in ascending order, as is the result.
func (r Rows) Without(other Rows) Rows {
	rest := make(Rows, 0, len(r))
	for _, row := range r {
		for len(other) > 0 && other[0] < row {
			other = other[1:]
		}
		if len(other) == 0 || other[0] != row {
			rest = append(rest, row)
		}
	}
	return rest
}

// MaxRows is the number of rows that one in-memory call takes, over all its inputs; batches whose rows name previous keys count
// twice. More is an error that wraps [ErrTooManyRows].
const MaxRows = math.MaxUint32 - 1
