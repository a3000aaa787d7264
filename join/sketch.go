package join

import (
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
)

// Sketch is a summary of the keys of one side of a join, of a size that doesn't grow with the rows. Two sides that can't be brought to one
// machine are each summarised where they are; the sketches are sent ([Sketch.MarshalBinary]) and say together how many rows the join makes:
// [EstimateSketches]. Parts of one side are summarised apart and put together: [Sketch.Merge], [Sketch.MergeDisjoint].
//
// A sketch holds
//
//   - a sample: the keys whose hashes are smallest, each with its number of rows. The hash is a function of the key's value alone, so that the
//     samples of two sides hold the same keys. A side of few keys is in its sample whole, and nothing about it is estimated.
//   - the heavy keys: those with the most rows, each with its number of rows.
//   - for each of some thousand buckets, into which keys fall by other bits of the hash: the number of its rows; and of its keys that aren't
//     heavy how many they are, the most rows that one has, and the sum of the squares of their numbers of rows. Bounds come of these.
//
// A Sketch is made by [NewSketch], [ReadSketch], a merge or [Sketch.UnmarshalBinary], and doesn't change afterwards: it may be used by several
// goroutines. The zero value has no key columns and goes with no other.
type Sketch struct {
	columns  []sketchColumn
	nulls    Nulls
	rows     uint64 // all rows
	nullRows uint64 // those with NULL in a key column

	size   int         // keys that the sample may hold
	sample []sketchKey // ascending by compareSampled; every key of the side up to the last of them is in it
	full   bool        // the side has keys beyond the sample

	// Of sketches that are full:

	heavy   []sketchKey // by compareHeavy, at most heavyKeys(size)
	buckets []bucket    // bucketCount(size) of them
	least   uint64      // distinct keys, at least; exact where the buckets hold no more
}

// sketchColumn is a key column. The type stands for all that can equal it.
type sketchColumn struct {
	name string
	typ  arrow.DataType
}

// sketchKey is a key with bounds of its number of rows. In samples, low = high.
type sketchKey struct {
	keyRef
	low, high uint64
	texts     []string // of the key columns, as in KeySize.Values
}

// keyRef tells keys apart.
type keyRef struct {
	hash uint64 // see sketchHash
	id   string // see sketchID
}

// bucket sums up the keys of one part of the hashes. rows is exact; the others are exact as well until sketches are merged, and upper bounds
// from then on.
type bucket struct {
	rows    uint64 // of all its keys
	keys    uint64 // keys that aren't heavy
	most    uint64 // rows of such a key, the most
	squares Count  // of the rows of such keys, the sum
}

// DefaultSketchKeys is the number of keys that the sample of a [Sketch] holds unless the options say otherwise.
const DefaultSketchKeys = 4096

// MaxSketchKeys is the most keys that a sample may hold, MinSketchKeys the least.
const (
	MaxSketchKeys = 1 << 20
	MinSketchKeys = 64
)

// SketchOptions are the optional parts of [NewSketch] and [ReadSketch].
type SketchOptions struct {
	// Nulls says whether NULLs in key columns meet. Sketches that differ in it don't go together. Default NullsNever.
	Nulls Nulls

	// Keys is the number of keys in the sample, from MinSketchKeys to MaxSketchKeys. A side that has no more is summarised exactly. The
	// error of what is estimated falls with the square root of it. A sketch has 30 to 50 bytes for each of them where keys are integers, and up
	// to 64 and 160 a column more for texts. Sketches of different numbers go together: the smaller one tells. Default 0: DefaultSketchKeys.
	Keys int

	// Resources bounds what the call may use. Memory isn't heeded: the calls say what they need. Default: all processors.
	Resources onerow.Resources
}

func (o *SketchOptions) check() error {
	if o.Keys == 0 {
		o.Keys = DefaultSketchKeys
	}
	errs := []error{checkNulls(o.Nulls)}
	if o.Keys < leastSketchKeys || o.Keys > MaxSketchKeys {
		errs = append(errs, fmt.Errorf("%w: Keys is %d, of %d to %d", onerow.ErrOption, o.Keys, leastSketchKeys, MaxSketchKeys))
	}
	if n := o.Resources.Memory; n < 0 {
		errs = append(errs, fmt.Errorf("%w: Resources.Memory is %d", onerow.ErrOption, n))
	}
	return errors.Join(errs...)
}

// leastSketchKeys is MinSketchKeys, but for tests, in which small tables fill smaller sketches.
var leastSketchKeys = MinSketchKeys

// heavyKeys is how many heavy keys go with a sample of some size, and bucketCount how many buckets.
func heavyKeys(size int) int { return max(1, size/16) }

func bucketCount(size int) int {
	n := 1
	for n < size {
		n *= 2
	}
	return n
}

// sketchHash makes the hash that sketches go by of the stable hash: samples of one partition (onerow.Partition goes by the high bits), or of
// what a caller chose by the stable hash in other ways, are still fair. It is a bijection.
func sketchHash(hash uint64) uint64 {
	w := [1]uint64{hash}
	form.HashWords(w[:], 1, w[:])
	return w[0]
}

// bucketOf goes by the low bits of the hash: the sample goes by its value, and so by the high ones.
func bucketOf(hash uint64, buckets int) int { return int(hash & uint64(buckets-1)) }

// Side says what the sketch stands for.
func (s *Sketch) Side() SketchedSide {
	return SketchedSide{Columns: s.names(), Rows: int64(s.rows), NullRows: int64(s.nullRows), Keys: s.keys(), MaxRows: int64(s.maxRows()), Exact: !s.full}
}

func (s *Sketch) names() []string {
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.name
	}
	return names
}

// keys is the number of distinct keys.
func (s *Sketch) keys() Approx {
	if !s.full {
		return exactly(CountOf(uint64(len(s.sample))))
	}
	a := Approx{Low: CountOf(s.least), High: CountOf(s.mostKeys())}
	// The k-th smallest of n hashes lies at k/n; the estimate and its error are those of Bar-Yossef, Jayram, Kumar, Sivakumar and
	// Trevisan (Counting distinct elements in a data stream, 2002), unbiased with k-1 (Beyer et al., 2007).
	k := float64(len(s.sample))
	n := (k - 1) / portion(s.sample[len(s.sample)-1].hash)
	return a.around(n, n/math.Sqrt(max(1, k-2)))
}

// mostKeys is the number of distinct keys of a full sketch, at most.
func (s *Sketch) mostKeys() uint64 {
	most := uint64(len(s.heavy))
	for _, b := range s.buckets {
		most = addCapped(most, b.keys)
	}
	return min(most, s.keyed())
}

// maxRows is what no key has more rows than.
func (s *Sketch) maxRows() (most uint64) {
	for _, keys := range [][]sketchKey{s.sample, s.heavy} {
		for _, k := range keys {
			most = max(most, k.high)
		}
	}
	for _, b := range s.buckets {
		most = max(most, b.most)
	}
	return most
}

// keyed is the number of rows that have a key.
func (s *Sketch) keyed() uint64 {
	if s.nulls == NullsNever {
		return s.rows - s.nullRows
	}
	return s.rows
}

// checkSketches says why two sketches don't go together, as sides of a join or as parts of one side.
func checkSketches(s, o *Sketch, inputs [2]string) error {
	switch {
	case s == nil || o == nil:
		return fmt.Errorf("%w: a sketch is nil", onerow.ErrOption)
	case len(s.columns) == 0 || len(o.columns) == 0:
		return fmt.Errorf("%w: a sketch has no key columns", onerow.ErrNoKey)
	case len(s.columns) != len(o.columns):
		return fmt.Errorf("%w: the sketches have keys of %d and %d columns", onerow.ErrOption, len(s.columns), len(o.columns))
	case s.nulls != o.nulls:
		return fmt.Errorf("%w: NULLs meet in one of the sketches and don't in the other", onerow.ErrOption)
	}
	var errs []error
	for i, c := range s.columns {
		d := o.columns[i]
		if ok, why := form.Comparable(c.typ, d.typ); !ok {
			errs = append(errs, &onerow.TypeError{Column: c.name, Type: c.typ, Input: inputs[0], OtherColumn: d.name, OtherType: d.typ,
				OtherInput: inputs[1], Why: why})
		}
	}
	return errors.Join(errs...)
}
