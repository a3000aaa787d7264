package frame

import (
	"context"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// NullRows marks the rows from lo to hi, those in skip excepted, in which one of the columns is NULL, and counts them per column.
// Row numbers in the counts begin at 0 with lo. Without any it returns a nil bitmap.
func NullRows(ctx context.Context, cols []*form.Column, lo, hi uint32, skip keyset.Bitmap) (keyset.Bitmap, []onerow.ColumnNulls, error) {
	var marked keyset.Bitmap
	var out []onerow.ColumnNulls
	for _, c := range cols {
		n := onerow.ColumnNulls{Column: c.Name}
		for k, a := range c.Chunks {
			if start := c.Start(k); start < lo || start >= hi || !a.MayNull() {
				continue
			}
			// The array may be longer than its batch.
			spans := keyset.Spans([]int{int(c.Start(k+1) - c.Start(k))}, func(int) uint32 { return c.Start(k) - lo })
			err := keyset.Run(ctx, 1, len(spans), func(_, task int) error {
				for i := range spans[task].N {
					row := spans[task].Row + uint32(i)
					if !a.Null(spans[task].Lo+i) || skip != nil && skip.Has(row) {
						continue
					}
					CountNull(&n, row)
					if marked == nil {
						marked = keyset.NewBitmap(hi - lo)
					}
					marked.Set(row)
				}
				return nil
			})
			if err != nil {
				return nil, nil, err
			}
		}
		if n.Rows > 0 {
			out = append(out, n)
		}
	}
	return marked, out, nil
}

// CountNull counts one more NULL.
func CountNull(c *onerow.ColumnNulls, row uint32) {
	if c.Rows == 0 {
		c.First = row
	}
	c.Rows++
}
