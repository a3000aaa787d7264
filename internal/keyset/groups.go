package keyset

import "context"

// Groups lists rows by a small number, such as the id of their key.
type Groups struct {
	start []uint32 // of each group in rows, and at the end their number
	rows  []uint32
}

// None stands in a list of ids for a row that belongs to no group.
const None = ^uint32(0)

// NewGroups groups the rows 0 to len(ids)-1 by ids from 0 to n-1. Rows of a group are in ascending order. It fails only when the context
// ends.
func NewGroups(ctx context.Context, ids []uint32, n int) (*Groups, error) {
	g := &Groups{start: make([]uint32, n+1)}
	for i, id := range ids {
		if i&0xfffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if id != None {
			g.start[id]++
		}
	}
	var sum uint32
	for id, c := range g.start {
		g.start[id] = sum
		sum += c
	}
	g.rows = make([]uint32, sum)
	next := append([]uint32(nil), g.start[:n]...)
	for row, id := range ids {
		if row&0xfffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if id != None {
			g.rows[next[id]] = uint32(row)
			next[id]++
		}
	}
	return g, nil
}

// Len is the number of groups.
func (g *Groups) Len() int { return len(g.start) - 1 }

// Rows is the number of rows in all groups.
func (g *Groups) Rows() int { return len(g.rows) }

// Of returns the rows of a group. The caller may put them into another order.
func (g *Groups) Of(id uint32) []uint32 { return g.rows[g.start[id]:g.start[id+1]] }
