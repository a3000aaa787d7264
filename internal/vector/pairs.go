package vector

// Least says which keys of two sides are looked at more closely.
type Least struct {
	Product  uint64    // those with at least so many pairs of rows, at least 1;
	Repeated [2]uint64 // those with at least so many pairs that repeat on a side;
	Rows     [2]uint64 // those with at least so many rows on a side, at least 1
}

// sums are how many numbers Met adds up or compares.
const sums = 10

// Met are sums over keys of two sides, in so many parts, lane by lane.
type Met [sums][8]uint64

// What Met has. Of two, the second is of the second side.
const (
	metKeys     = 0 // keys with rows on a side; all others are of keys with rows on both:
	metBoth     = 2 // how many they are,
	metRows     = 3 // their rows,
	metMost     = 5 // the most rows of one,
	metRepeated = 7 // those that have more than one,
	metPairs    = 9 // and pairs of rows
)

func (m *Met) sum(i int) (n uint64) {
	for _, lane := range m[i] {
		n += lane
	}
	return n
}

// Keys is the number of keys on a side.
func (m *Met) Keys(side int) uint64 { return m.sum(metKeys + side) }

// Both is the number of keys on both sides, Rows how many rows of a side they have, Repeated how many of them have more than one there.
func (m *Met) Both() uint64             { return m.sum(metBoth) }
func (m *Met) Rows(side int) uint64     { return m.sum(metRows + side) }
func (m *Met) Repeated(side int) uint64 { return m.sum(metRepeated + side) }

// Pairs is the number of pairs of rows, one of either side.
func (m *Met) Pairs() uint64 { return m.sum(metPairs) }

// Most is the most rows that a key of both sides has on a side.
func (m *Met) Most(side int) (n uint64) {
	for _, lane := range m[metMost+side] {
		n = max(n, lane)
	}
	return n
}

// Meet takes keys in, by slots and the numbers beside them; see CountSecond. It puts the numbers of the slots that are to be looked at into
// list, which has as much room as there are slots, at most 1<<16, and returns how many they are.
func (m *Met) Meet(slots []uint64, second []uint8, least *Least, list []uint16) (n int) {
	second, list = second[:len(slots)], list[:len(slots)]
	done, n := meet(m, slots, second, least, list)
	for i, s := range slots[done:] {
		if m.one(s&low, uint64(second[done+i]), least) {
			list[n] = uint16(done + i)
			n++
		}
	}
	return n
}

// one takes a key in, and says whether it is to be looked at.
func (m *Met) one(l, r uint64, least *Least) bool {
	first, other := min(l, 1), min(r, 1)
	m[metKeys][0] += first
	m[metKeys+1][0] += other
	both := first & other
	m[metBoth][0] += both
	m[metRows][0] += l * both
	m[metRows+1][0] += r * both
	m[metMost][0] = max(m[metMost][0], l*both)
	m[metMost+1][0] = max(m[metMost+1][0], r*both)
	p := l * r
	repeatedL, repeatedR := min(l-first, 1)&both, min(r-other, 1)&both
	m[metRepeated][0] += repeatedL
	m[metRepeated+1][0] += repeatedR
	m[metPairs][0] += p
	return p >= least.Product || l >= least.Rows[0] || r >= least.Rows[1] ||
		repeatedL != 0 && p >= least.Repeated[0] || repeatedR != 0 && p >= least.Repeated[1]
}
