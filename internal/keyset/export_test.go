package keyset

import "math/rand/v2"

// Scramble makes of words what Read makes of them.
func Scramble[K Words](k K) K {
	if len(k) == 1 {
		k[0] = secrets.One(k[0])
	} else {
		k[0] = secrets.two(k[0], k[len(k)-1])
	}
	return k
}

// NewSecrets takes other secrets, the same for a seed on every run. Tables and partitions of keys read before mean nothing then, nor after restore.
func NewSecrets(seed uint64) (restore func()) {
	was := secrets
	secrets = newScrambler(rand.New(rand.NewPCG(seed, 0)).Uint64)
	return func() { secrets = was }
}

// SampleFrom makes keys of few rows go by a sample too, of a row of so many, and gives room to a number of values. A value that a sample
// has once is one of few with again 1.
func SampleFrom(rows, every uint32, again, room int) (restore func()) {
	was := sampling
	sampling.from, sampling.every, sampling.again, sampling.room = rows, every, again, room
	return func() { sampling = was }
}

// Ways says how keys are read, in a letter a column: w for a whole word, n for a narrowed one, t for a text, c for a number of few; "" when
// they don't go by a sample.
func (k *Keys) Ways() (ways string) {
	for _, f := range k.fits {
		switch {
		case f.way == byText:
			ways += "t"
		case f.way == byCode:
			ways += "c"
		case f.whole:
			ways += "w"
		default:
			ways += "n"
		}
	}
	return ways
}

// LoneCodes says which codes are found to stand for values of their own, where workers enter what the keys of their values have.
func LoneCodes(workers [][]uint32) (lone []bool) {
	n := 0
	for _, at := range workers {
		n += len(at)
	}
	l := newLone(n, len(workers))
	l.at = l.at[:0]
	for w, at := range workers {
		l.at = append(l.at, at...)
		l.enter(w, at)
	}
	for part := range 3 {
		l.join(part, 3)
	}
	for code := range l.at {
		lone = append(lone, l.is(code))
	}
	return lone
}

// See calls f for the entries of a partition with their blocks, as those who look for rows do.
func (b *Bare) See(part int, until uint32, f func(key [1]uint64, block uint32) uint32) {
	b.see(part, until, f)
}

// Slot is the slot of a key, 0 without one.
func (c *Counts) Slot(key [1]uint64) uint64 { return c.slot(key[0] << BareBits) }
