package join

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// foremost keeps the first keys in some order, and gives the others away. Keys that compare equal to the last one that is kept are kept as well.
type foremost struct {
	limit   int
	compare func(a, b sketchedKey) int
	drop    func(sketchedKey)
	keys    []sketchedKey // up to 2*limit and what ties, then cut back
	next    int           // length at which they are cut back
	last    sketchedKey   // once cut back: keys after this one aren't kept
	full    bool
}

func (f *foremost) add(k sketchedKey) {
	if f.full && f.compare(k, f.last) > 0 {
		f.drop(k)
		return
	}
	if f.keys = append(f.keys, k); len(f.keys) >= f.next {
		f.cut()
	}
}

func (f *foremost) cut() {
	slices.SortFunc(f.keys, f.compare)
	if len(f.keys) > f.limit {
		f.last, f.full = f.keys[f.limit-1], true
		keep := f.limit
		for keep < len(f.keys) && f.compare(f.keys[keep], f.last) == 0 {
			keep++
		}
		for _, k := range f.keys[keep:] {
			f.drop(k)
		}
		f.keys = f.keys[:keep]
	}
	f.next = max(2*f.limit, 2*len(f.keys))
}

// foremost returns the keys that may be in the sample, and those that may be heavy; a key that isn't goes to its bucket. No two keys compare equal
// as heavy ones.
func (b *sketching) foremost(buckets []bucket) (sample, heavy foremost) {
	sample = foremost{limit: b.s.size, next: 2 * b.s.size, drop: func(sketchedKey) {},
		compare: func(x, y sketchedKey) int { return cmp.Compare(x.hash, y.hash) }}
	heavy = foremost{limit: heavyKeys(b.s.size), next: 2 * heavyKeys(b.s.size), drop: func(k sketchedKey) {
		buckets[bucketOf(k.hash, len(buckets))].addLight(uint64(k.count))
	}, compare: func(x, y sketchedKey) int {
		return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(x.hash, y.hash), cmp.Compare(x.row, y.row))
	}}
	return sample, heavy
}

// addLight takes a key that isn't heavy in.
func (b *bucket) addLight(rows uint64) {
	b.keys++
	b.most = max(b.most, rows)
	b.squares = b.squares.plus(product(rows, rows))
}

// named reads the values of keys.
func (b *sketching) named(ctx context.Context, keys []sketchedKey) ([]sketchKey, error) {
	watch := keyset.NewWatch(ctx)
	out := make([]sketchKey, len(keys))
	var buf []byte
	for i, k := range keys {
		if watch.OverAfter(64) {
			return nil, watch.Err()
		}
		chunk, at := b.table.At(k.row)
		out[i] = sketchKey{hash: k.hash, low: uint64(k.count), high: uint64(k.count)}
		buf = buf[:0]
		for _, c := range b.cols {
			buf = form.AppendCanonical(buf, c.Chunks[chunk], at)
			out[i].texts = append(out[i].texts, c.Format(k.row))
		}
		out[i].id = sketchID(buf)
	}
	return out, nil
}

// maxSketchID is the greatest length of a key that a sketch holds as it is.
const maxSketchID = 64

// digested stands before the digest of a longer key; no canonical key begins with it.
const digested = 0xff

// sketchID is what a sketch holds of the canonical bytes of a key: these, or their SHA-256, of which no two different inputs with one
// output are known.
func sketchID(key []byte) string {
	if len(key) <= maxSketchID {
		return string(key)
	}
	sum := sha256.Sum256(key)
	return string(append([]byte{digested}, sum[:]...))
}

// compareSampled is the order of samples, the same on all sides.
func compareSampled(a, b sketchKey) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.id, b.id))
}
