package join

import "math"

// check refuses what contradicts itself: no estimate of a sketch that passes it overflows, or finds a row that isn't there.
func (s *Sketch) check() error {
	names := map[string]bool{}
	for _, c := range s.columns {
		if names[c.name] {
			return notSketch("the key names column %q twice", c.name)
		}
		names[c.name] = true
	}
	switch {
	case len(s.columns) == 0:
		return notSketch("it has no key columns")
	case s.rows > math.MaxInt64 || s.nullRows > s.rows:
		return notSketch("it has %d rows, of which %d with NULL", s.rows, s.nullRows)
	case len(s.sample) > s.size || s.full && len(s.sample) < s.size:
		return notSketch("the sample of %d keys has %d", s.size, len(s.sample))
	}
	sum := uint64(0)
	for i, k := range s.sample {
		if i > 0 && compareSampled(s.sample[i-1], k) >= 0 || !k.wellFormed(len(s.columns)) {
			return notSketch("key %d of the sample isn't in its place", i)
		}
		if k.low == 0 || k.low > s.keyed()-sum {
			return notSketch("key %d of the sample has %d rows", i, k.low)
		}
		sum += k.low
	}
	if !s.full {
		if sum != s.keyed() {
			return notSketch("its keys have %d rows, of %d", sum, s.keyed())
		}
		return nil
	}
	return s.checkFull()
}

// wellFormed says whether a key has bytes that one of so many columns can have, and texts.
func (k *sketchKey) wellFormed(columns int) bool {
	for _, t := range k.texts {
		if len(t) > maxSketchText {
			return false
		}
	}
	if len(k.id) > 0 && k.id[0] == digested {
		return len(k.id) == digestedLen
	}
	return columns <= len(k.id) && len(k.id) <= maxSketchID
}

// checkFull looks at the heavy keys and the buckets.
func (s *Sketch) checkFull() error {
	switch {
	case len(s.heavy) > heavyKeys(s.size):
		return notSketch("it has %d heavy keys, of at most %d", len(s.heavy), heavyKeys(s.size))
	case len(s.buckets) != bucketCount(s.size):
		return notSketch("it has %d buckets, of %d", len(s.buckets), bucketCount(s.size))
	}
	heavy := map[keyRef]bool{}
	for i, k := range s.heavy {
		if heavy[k.keyRef] || i > 0 && compareHeavy(s.heavy[i-1], k) >= 0 || !k.wellFormed(len(s.columns)) {
			return notSketch("heavy key %d isn't in its place", i)
		}
		heavy[k.keyRef] = true
		if k.low < 2 || k.high > s.keyed() {
			return notSketch("heavy key %d has %d to %d rows", i, k.low, k.high)
		}
		if s.covers(k) && (k.low != k.high || s.sampled(k) != k.low) {
			return notSketch("heavy key %d has other rows in the sample", i)
		}
	}
	if err := s.checkBuckets(heavy); err != nil {
		return err
	}
	if s.least <= uint64(len(s.sample)) || s.least > s.mostKeys() {
		return notSketch("it has %d to %d distinct keys", s.least, s.mostKeys())
	}
	return nil
}

// checkBuckets compares the buckets with what the known keys put into them at least.
func (s *Sketch) checkBuckets(heavy map[keyRef]bool) error {
	type sums struct{ low, high uint64 }
	known := make([]sums, len(s.buckets))
	for _, k := range s.heavy {
		b := &known[bucketOf(k.hash, len(known))]
		b.low, b.high = addCapped(b.low, k.low), addCapped(b.high, k.high)
	}
	light := make([]bucket, len(s.buckets))
	for _, k := range s.sample {
		if !heavy[k.keyRef] {
			b := &light[bucketOf(k.hash, len(light))]
			b.rows += k.low
			b.addLight(k.low)
		}
	}
	sum := uint64(0)
	for i, b := range s.buckets {
		if b.rows > s.keyed()-sum || b.keys > b.rows || b.most > b.rows {
			return notSketch("bucket %d has more rows or keys than there are", i)
		}
		sum += b.rows
		l, rest := light[i], b.rows-min(b.rows, known[i].high)
		switch {
		case addCapped(known[i].low, l.rows) > b.rows, l.keys > b.keys, l.most > b.most, b.squares.less(l.squares):
			return notSketch("bucket %d has less than its keys", i)
		case product(b.keys, b.most).less(CountOf(rest)), b.squares.less(CountOf(rest)):
			return notSketch("bucket %d has more rows than its keys", i)
		}
	}
	if sum != s.keyed() {
		return notSketch("its buckets have %d rows, of %d", sum, s.keyed())
	}
	return nil
}
