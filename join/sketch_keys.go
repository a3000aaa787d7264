package join

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"unicode/utf8"

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

// foremost returns the keys that may be in the sample, and those that may be heavy; a key that isn't goes to its bucket. Keys that compare
// equal are told apart by their bytes, in named.
func (b *sketching) foremost(buckets []bucket) (sample, heavy foremost) {
	sample = foremost{limit: b.s.size, next: 2 * b.s.size, drop: func(sketchedKey) {},
		compare: func(x, y sketchedKey) int { return cmp.Compare(x.hash, y.hash) }}
	heavy = foremost{limit: heavyKeys(b.s.size), next: 2 * heavyKeys(b.s.size), drop: func(k sketchedKey) {
		buckets[bucketOf(k.hash, len(buckets))].addLight(uint64(k.count))
	}, compare: func(x, y sketchedKey) int {
		return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(x.hash, y.hash))
	}}
	return sample, heavy
}

// addLight takes a key that isn't heavy in.
func (b *bucket) addLight(rows uint64) {
	b.keys++
	b.most = max(b.most, rows)
	b.squares = b.squares.plus(product(rows, rows))
}

// namedKey is a key with its bytes.
type namedKey struct {
	sketchedKey
	id string
}

// named reads the values of the keys that are kept. Of those that tie for the last places it keeps the ones with the least bytes, and gives the
// others away.
func (b *sketching) named(ctx context.Context, f *foremost) ([]sketchKey, error) {
	f.cut()
	compare := func(x, y namedKey) int {
		return cmp.Or(f.compare(x.sketchedKey, y.sketchedKey), cmp.Compare(x.id, y.id))
	}
	watch := keyset.NewWatch(ctx)
	var keys []namedKey
	cut := func() {
		slices.SortFunc(keys, compare)
		for _, k := range keys[min(f.limit, len(keys)):] {
			f.drop(k.sketchedKey)
		}
		keys = keys[:min(f.limit, len(keys))]
	}
	var buf []byte
	for _, k := range f.keys {
		buf = b.appendKey(buf[:0], k.row)
		if watch.OverAfter(64 + len(buf)) {
			return nil, watch.Err()
		}
		if keys = append(keys, namedKey{k, sketchID(buf)}); len(keys) >= 2*f.limit {
			cut()
		}
	}
	cut()
	out := make([]sketchKey, len(keys))
	texts := make([]string, len(keys)*len(b.cols))
	for i, k := range keys {
		if watch.OverAfter(64) {
			return nil, watch.Err()
		}
		t := texts[i*len(b.cols):][:len(b.cols):len(b.cols)]
		for j, c := range b.cols {
			t[j] = cutText(c.Format(k.row))
		}
		out[i] = sketchKey{keyRef{k.hash, k.id}, uint64(k.count), uint64(k.count), t}
	}
	return out, nil
}

// appendKey appends the canonical bytes of the key of a row.
func (b *sketching) appendKey(to []byte, row uint32) []byte {
	chunk, at := b.table.At(row)
	for _, c := range b.cols {
		to = form.AppendCanonical(to, c.Chunks[chunk], at)
	}
	return to
}

// maxSketchText is the greatest number of bytes of a value's text that a sketch holds.
const maxSketchText = 160

// cutText cuts a text that is longer, not inside a character.
func cutText(text string) string {
	if len(text) <= maxSketchText {
		return text
	}
	n := maxSketchText - len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// maxSketchID is the greatest length of a key that a sketch holds as it is.
const maxSketchID = 64

// digested stands before the digest of a longer key; no canonical key begins with it. Both together have digestedLen bytes.
const (
	digested    = 0xff
	digestedLen = 1 + sha256.Size
)

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
