package grain

import (
	"encoding/binary"
	"math/bits"
)

// setIndex is some sets of columns, none of which holds another, that can be asked whether a set holds one of them.
type setIndex struct {
	names  map[string]bool // by setName
	byLast [][][]int       // by their last column
}

func newSetIndex(columns int) setIndex {
	return setIndex{names: map[string]bool{}, byLast: make([][][]int, columns)}
}

// add adds a set, and keeps it.
func (x *setIndex) add(set []int) {
	x.names[setName(set)] = true
	last := set[len(set)-1]
	x.byLast[last] = append(x.byLast[last], set)
}

// holdsLast says whether a set holds one with the same last column. It goes through the sets there are, or through the subsets of the set,
// whichever are fewer.
func (x *setIndex) holdsLast(set []int) bool {
	last := len(set) - 1
	some := x.byLast[set[last]]
	if uint64(len(some)) < 1<<last {
		for _, s := range some {
			if within(s, set) {
				return true
			}
		}
		return false
	}
	name := make([]byte, 0, 4*maxMaxColumns)
	for mask := range uint64(1) << last {
		name = name[:0]
		for m := mask; m != 0; m &= m - 1 {
			name = binary.LittleEndian.AppendUint32(name, uint32(set[bits.TrailingZeros64(m)]))
		}
		if x.names[string(binary.LittleEndian.AppendUint32(name, uint32(set[last])))] {
			return true
		}
	}
	return false
}

// holdsAny says whether a set holds one, whatever its last column.
func (x *setIndex) holdsAny(set []int) bool {
	for n := range set {
		if x.holdsLast(set[:n+1]) {
			return true
		}
	}
	return false
}

// within says whether all of a is in b. Both are in ascending order.
func within(a, b []int) bool {
	for _, c := range b {
		if len(a) == 0 {
			return true
		}
		if a[0] == c {
			a = a[1:]
		}
	}
	return len(a) == 0
}

// setName is a set as the key of a map.
func setName(set []int) string {
	var name []byte
	for _, c := range set {
		name = binary.LittleEndian.AppendUint32(name, uint32(c))
	}
	return string(name)
}
