package grain

import (
	"github.com/onerow-go/onerow/internal/keyset"
)

// oneWord are keys of one word, as which they were dealt out bare.
func oneWord[K keyset.Words](keys []K) [][1]uint64 { return any(keys).([][1]uint64) }

// setRows makes the worst keys find first rows, where keys were dealt out bare.
func (c *counter[K]) setRows(workers []*counter[K]) {
	if c.bare == nil {
		return
	}
	c.rows = newBareRows(c.keys, workers)
	c.worst.Rows = any(c.rows).(keyset.FirstRows[K])
	c.rank = func(k K) uint64 { return uint64(c.bares.Of([1]uint64{k[0]})) }
}

func newBareRows[K keyset.Words](keys *keyset.Keys, workers []*counter[K]) *keyset.BareRows {
	var from []*keyset.Bare
	var drained []*keyset.Parts[[1]uint64, uint32]
	for _, c := range workers {
		from, drained = append(from, c.bare), append(drained, any(c.parts).(*keyset.Parts[[1]uint64, uint32]))
	}
	return keyset.NewBareRows(keys, 0, keys.Columns()[0].Layout.Rows(), from, drained)
}

// countBare is count for keys that were dealt out bare.
func (c *counter[K]) countBare(workers []*counter[K], part int) int64 {
	c.bares.Reset()
	for _, from := range workers {
		from.bare.Chunks(part, c.bares.Sum)
		from.parts.Chunks(part, func(chunk []entry[K]) {
			for i := range chunk {
				c.bares.AddMany([1]uint64{chunk[i].Key[0]}, chunk[i].Payload)
			}
		})
	}
	c.walkBare(part)
	c.worst.Trim(part, c.rank)
	keys, rows := int64(c.bares.Len()), c.bares.Rows()
	c.sum.Keys += keys
	c.sum.DuplicateRows += rows - keys
	return rows
}

// walkBare is walk for keys that were dealt out bare.
func (c *counter[K]) walkBare(part int) {
	var twice uint64
	most, floor := uint64(1), max(c.worst.Floor(), 2)
	least := min(floor, most+1) // of numbers that matter
	for _, s := range c.bares.Slots() {
		n := keyset.InSlot(s)
		twice += (n + keyset.MaxInSlot - 1) / (keyset.MaxInSlot + 1)
		if n < least {
			continue
		}
		if n >= floor {
			if k := c.bareKey(s, part); k.Rank == n { // else it is among the many
				c.worst.Add(k)
				floor = max(c.worst.Floor(), 2)
			}
		}
		most = max(most, n)
		least = min(floor, most+1)
	}
	c.bares.Many(func(s uint64, n uint32) { // of these, the slots say too little
		if keyset.InSlot(s) == 1 {
			twice++
		}
		if most = max(most, uint64(n)); uint64(n) >= floor {
			c.worst.Add(c.bareKey(s, part))
		}
	})
	c.sum.DuplicateKeys += int64(twice)
	c.most(uint32(most))
}

// bareKey is the key of a slot, with the number of its rows. Its first row isn't known.
func (c *counter[K]) bareKey(slot uint64, part int) keyset.Ranked[K] {
	return ranked(any(c.bares.Key(slot, part)).(K), c.bares.InAll(slot), 0, part)
}
