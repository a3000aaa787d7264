package join

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

// Merge is the sketch of the rows of both: parts of one side, which may share keys. Neither sketch changes. The sample and the numbers of
// rows are those of a sketch of all rows at once, whatever the order of merges. Where both are exact, or one has no keys, all else is as well.
// Otherwise the number of keys becomes an estimate, and bounds grow wider: a key that is in both sketches and in neither's sample nor heavy keys
// can't be recognised. Where no key can be in both, as in partitions by key ([onerow.Partition]), MergeDisjoint keeps them.
//
// Of sketches of different sizes (see [SketchOptions]) the outcome has the smaller one. The sketches must agree in the names and types of their
// key columns and in Nulls. Errors wrap [onerow.ErrOption], [onerow.ErrNoKey], [onerow.ErrSchema], [onerow.ErrType] or [onerow.ErrTooManyRows] (more
// than 2^63-1).
func (s *Sketch) Merge(o *Sketch) (*Sketch, error) { return s.merge(o, false) }

// MergeDisjoint is [Sketch.Merge] for parts of one side of which no key is in both. Nothing is lost then: the outcome is the sketch of all rows at
// once. That no key is in both is the caller's word: where it doesn't hold, bounds of the outcome don't. A key that both sketches know, as one of
// the sample or a heavy one, refutes it: the error is a *onerow.KeysError with Kind ErrDuplicateKey that lists such keys. Other errors are
// those of Merge.
func (s *Sketch) MergeDisjoint(o *Sketch) (*Sketch, error) { return s.merge(o, true) }

func (s *Sketch) merge(o *Sketch, disjoint bool) (*Sketch, error) {
	if err := checkParts(s, o); err != nil {
		return nil, err
	}
	m := &Sketch{nulls: s.nulls, size: min(s.size, o.size), rows: s.rows + o.rows, nullRows: s.nullRows + o.nullRows}
	for i, c := range s.columns {
		c.typ = unified(c.typ, o.columns[i].typ)
		m.columns = append(m.columns, c)
	}
	if disjoint {
		if both := knownToBoth(s, o); len(both) > 0 {
			return nil, sharedKeys(s, both)
		}
	}
	all := mergeSamples(s, o)
	m.full = s.full || o.full || len(all) > m.size
	m.sample = all[:min(len(all), m.size):min(len(all), m.size)]
	switch {
	case !m.full:
	case !s.full && !o.full:
		m.sum(all)
	default:
		n := bucketCount(m.size)
		s, o = s.whole().folded(n), o.whole().folded(n)
		disjoint = disjoint || s.keyed() == 0 || o.keyed() == 0
		mergeBuckets(m, s, o, disjoint)
		mergeHeavy(m, s, o, disjoint)
		if m.least = max(s.least, o.least, uint64(m.size)+1); disjoint {
			m.least = s.least + o.least
		}
	}
	return m, nil
}

// unified is the type that stands for the keys of two parts. In nested types too, the null type gives way to the other one.
func unified(a, b arrow.DataType) arrow.DataType {
	switch t := a.(type) {
	case *arrow.NullType:
		return b
	case *arrow.StructType:
		o, ok := b.(*arrow.StructType)
		if !ok {
			return a
		}
		fields := slices.Clone(t.Fields())
		for i := range fields {
			fields[i].Type = unified(fields[i].Type, o.Field(i).Type)
		}
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		if o, ok := b.(*arrow.ListType); ok {
			return arrow.ListOf(unified(t.Elem(), o.Elem()))
		}
	}
	return a
}

func checkParts(s, o *Sketch) error {
	if err := checkSketches(s, o, [2]string{"one part", "other part"}); err != nil {
		return err
	}
	for i, c := range s.columns {
		if n := o.columns[i].name; n != c.name {
			return fmt.Errorf("%w: key column %d is %q in one part of the side and %q in the other", onerow.ErrSchema, i, c.name, n)
		}
	}
	if s.rows+o.rows > math.MaxInt64 {
		return fmt.Errorf("%w: the sketches have %d and %d", onerow.ErrTooManyRows, s.rows, o.rows)
	}
	return nil
}

// knownToBoth are the keys that both sketches know, with their rows, at least, in both.
func knownToBoth(s, o *Sketch) (both []sketchKey) {
	at := map[keyRef]uint64{}
	for _, keys := range [][]sketchKey{s.heavy, s.sample} {
		for _, k := range keys {
			at[k.keyRef] = k.low
		}
	}
	for _, keys := range [][]sketchKey{o.heavy, o.sample} {
		for _, k := range keys {
			if rows, ok := at[k.keyRef]; ok {
				k.low = addCapped(k.low, rows)
				both = append(both, k)
				delete(at, k.keyRef)
			}
		}
	}
	slices.SortFunc(both, compareSampled)
	return both
}

// sharedKeys says that parts aren't disjoint.
func sharedKeys(s *Sketch, both []sketchKey) error {
	e := &onerow.KeysError{Kind: onerow.ErrDuplicateKey, Columns: s.names(), Total: int64(len(both)),
		Why: "MergeDisjoint was called for sketches that both have a key"}
	for _, k := range both[:min(len(both), onerow.MaxSampleKeys)] {
		e.Keys = append(e.Keys, onerow.KeyRows{Values: slices.Clone(k.texts), Count: int64(k.low)})
	}
	return e
}

// covers says whether every key of the sketch up to k is in the sample.
func (s *Sketch) covers(k sketchKey) bool {
	return !s.full || compareSampled(k, s.sample[len(s.sample)-1]) <= 0
}

// sampled returns the number of rows of a key that the sample covers.
func (s *Sketch) sampled(k sketchKey) uint64 {
	if i, ok := slices.BinarySearchFunc(s.sample, k, compareSampled); ok {
		return s.sample[i].low
	}
	return 0
}

// mergeSamples adds the samples up, as far as both reach. It is longer than a sample of either size where there are that many.
func mergeSamples(s, o *Sketch) (all []sketchKey) {
	for i, j := 0, 0; i < len(s.sample) || j < len(o.sample); {
		var k sketchKey
		switch c := compareNext(s.sample, i, o.sample, j); {
		case c < 0:
			k = s.sample[i]
			i++
		case c > 0:
			k = o.sample[j]
			j++
		default:
			k = s.sample[i]
			k.low += o.sample[j].low
			k.high = k.low
			if t := o.sample[j].texts; slices.Compare(t, k.texts) < 0 { // shown alike whatever the order of merges
				k.texts = t
			}
			i, j = i+1, j+1
		}
		if !s.covers(k) || !o.covers(k) {
			break
		}
		all = append(all, k)
	}
	return all
}

// compareNext compares the next keys of two samples; those of one at its end come last.
func compareNext(a []sketchKey, i int, b []sketchKey, j int) int {
	switch {
	case i == len(a):
		return 1
	case j == len(b):
		return -1
	}
	return compareSampled(a[i], b[j])
}

// whole returns a sketch with heavy keys and buckets: of one that isn't full they are made of the sample.
func (s *Sketch) whole() *Sketch {
	if s.full {
		return s
	}
	w := *s
	w.sum(s.sample)
	return &w
}

// sum makes the heavy keys and the buckets of all keys of the side, whose rows are known.
func (s *Sketch) sum(all []sketchKey) {
	s.least = uint64(len(all))
	s.buckets = make([]bucket, bucketCount(s.size))
	for i, k := range slices.SortedFunc(slices.Values(all), compareHeavy) {
		b := &s.buckets[bucketOf(k.hash, len(s.buckets))]
		b.rows += k.low
		if k.low > 1 && i < heavyKeys(s.size) {
			s.heavy = append(s.heavy, k)
		} else {
			b.addLight(k.low)
		}
	}
}

// compareHeavy puts the keys with the most rows first.
func compareHeavy(a, b sketchKey) int {
	return cmp.Or(cmp.Compare(b.low, a.low), cmp.Compare(b.high, a.high), compareSampled(a, b))
}

// folded returns the sketch with n buckets, no more than it has: those that become one have no key in common.
func (s *Sketch) folded(n int) *Sketch {
	if len(s.buckets) <= n {
		return s
	}
	f := *s
	f.buckets = slices.Clone(s.buckets[:n])
	for i, b := range s.buckets[n:] {
		f.buckets[i&(n-1)].addDisjoint(b)
	}
	return &f
}

// mergeBuckets adds the buckets up.
func mergeBuckets(m, s, o *Sketch, disjoint bool) {
	m.buckets = slices.Clone(s.buckets)
	for i, b := range o.buckets {
		if disjoint {
			m.buckets[i].addDisjoint(b)
		} else {
			m.buckets[i].addShared(b)
		}
	}
}

// addDisjoint adds a bucket of other keys.
func (b *bucket) addDisjoint(o bucket) {
	b.rows += o.rows
	b.keys += o.keys
	b.most = max(b.most, o.most)
	b.squares = b.squares.plus(o.squares)
}

// addShared adds a bucket whose keys may be the same: norms are no greater than the sum of the parts' (Minkowski).
func (b *bucket) addShared(o bucket) {
	squares := b.squares.plus(o.squares).plus(twiceRoot(b.squares, o.squares))
	b.rows += o.rows
	b.keys += o.keys
	b.most += o.most
	b.squares = squares
	if p := product(b.most, b.rows); p.less(squares) {
		b.squares = p
	}
}

// twiceRoot is 2·√(a·b), rounded up.
func twiceRoot(a, b Count) Count {
	if p, ok := smallProduct(a, b); ok {
		return CountOf(uint64(math.Ceil(2 * math.Sqrt(float64(p)))))
	}
	p := new(big.Int).Mul(a.Big(), b.Big())
	p.Lsh(p, 2)
	r := new(big.Int).Sqrt(p)
	if new(big.Int).Mul(r, r).Cmp(p) < 0 {
		r.Add(r, big.NewInt(1))
	}
	return countOfBig(r)
}

// mergeHeavy keeps the heaviest keys of both; a key that isn't among the heavy ones of a part may be among its others.
func mergeHeavy(m, s, o *Sketch, disjoint bool) {
	first, second := newLookup(s), newLookup(o)
	var keys []sketchKey
	for _, k := range first.heavy {
		if i, ok := second.at[k.keyRef]; ok && slices.Compare(second.heavy[i].texts, k.texts) < 0 {
			k.texts = second.heavy[i].texts
		}
		keys = append(keys, k.plus(second, disjoint))
	}
	for _, k := range second.heavy {
		if _, ok := first.at[k.keyRef]; !ok {
			keys = append(keys, k.plus(first, disjoint))
		}
	}
	slices.SortFunc(keys, compareHeavy)
	most := min(len(keys), heavyKeys(m.size))
	for _, k := range keys[most:] {
		m.buckets[bucketOf(k.hash, len(m.buckets))].addLight(k.high)
	}
	m.heavy = keys[:most:most]
}

// plus adds the rows that a key has in another part, which has it not where the parts are disjoint.
func (k sketchKey) plus(other *lookup, disjoint bool) sketchKey {
	if !disjoint {
		low, high := other.bounds(k)
		k.low, k.high = k.low+low, k.high+high
	}
	return k
}

// lookup finds what a sketch knows of a key.
type lookup struct {
	*Sketch
	at map[keyRef]int // in heavy
}

func newLookup(s *Sketch) *lookup {
	l := &lookup{Sketch: s, at: make(map[keyRef]int, len(s.heavy))}
	for i, k := range s.heavy {
		l.at[k.keyRef] = i
	}
	return l
}

// bounds are those of the rows of any key.
func (l *lookup) bounds(k sketchKey) (low, high uint64) {
	if l.covers(k) {
		n := l.sampled(k)
		return n, n
	}
	if i, ok := l.at[k.keyRef]; ok {
		return l.heavy[i].low, l.heavy[i].high
	}
	b := l.buckets[bucketOf(k.hash, len(l.buckets))]
	return 0, min(b.most, b.rows)
}

func addCapped(a, b uint64) uint64 {
	if a+b < a {
		return math.MaxUint64
	}
	return a + b
}
