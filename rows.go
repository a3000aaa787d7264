package onerow

import "math"

// Rows lists row numbers of the batches of one call. Rows are numbered from 0 across the batches, in the order in
// which the batches were given. Lists that a verb returns are in ascending order unless it says otherwise.
type Rows []uint32

// MaxRows is the number of rows that one in-memory call takes, over all its inputs. More is an error that wraps
// [ErrTooManyRows].
const MaxRows = math.MaxUint32 - 1
