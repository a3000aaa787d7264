package grain

import (
	"sync"

	"github.com/onerow-go/onerow/internal/keyset"
)

// cover is a list of sets that can be asked whether one of them holds a set: for each column, a bit says which of the sets have it.
type cover struct {
	mu  sync.RWMutex
	n   int
	has [][]uint64
}

func newCover(columns int) *cover { return &cover{has: make([][]uint64, columns)} }

// coverSets bounds the sets of a cover: to ask more would take longer than the looks that it saves.
const coverSets = 1 << 16

// add adds a set, unless one holds it already, or there are as many as there may be.
func (c *cover) add(set keyset.Bitmap) {
	members := set.Rows()
	list := make([]int, len(members))
	for i, m := range members {
		list[i] = int(m)
	}
	if len(list) == 0 || c.holds(list) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == coverSets {
		return
	}
	if c.n&63 == 0 {
		for i := range c.has {
			c.has[i] = append(c.has[i], 0)
		}
	}
	for _, m := range list {
		c.has[m][c.n>>6] |= 1 << (c.n & 63)
	}
	c.n++
}

// holds says whether one of the sets holds a set.
func (c *cover) holds(set []int) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for w := range c.has[set[0]] {
		all := ^uint64(0)
		for _, m := range set {
			if all &= c.has[m][w]; all == 0 {
				break
			}
		}
		if all != 0 {
			return true
		}
	}
	return false
}
