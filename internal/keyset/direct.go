package keyset

import (
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
)

// The commonest keys are read from the columns' own memory and scrambled at once, in one pass over it: words of 64 bits, one or two, and texts,
// all without NULL.

// direct reads keys so, if they are among these.
func (b *Block[K]) direct(k *Keys, c, lo, n int) bool {
	done := false
	switch a := k.cols[0].Chunks[c]; k.how {
	case single:
		done = b.directWord(a, lo, n)
	case packed:
		done = len(k.cols) == 2 && b.directWords(a, k.cols[1].Chunks[c], lo, n)
	case text:
		done = b.raw.H == nil && !form.IsConstantHash() && b.directTexts(a, lo, n)
	}
	if done {
		b.raw.Grow(n)
		clear(b.raw.Null)
		b.Keys, b.Hash, b.Null, b.AnyNull, b.NullRows = b.keys[:n], b.raw.H, b.raw.Null, false, 0
	}
	return done
}

func (b *Block[K]) directWord(a *form.Array, lo, n int) bool {
	words, mul := a.Raw(lo, n)
	if words == nil {
		return false
	}
	b.raw.Grow(n)
	secrets.Words(unsafe.Slice(&b.keys[0][0], n), words) // keys are of one word each
	if b.raw.H != nil {
		form.HashWords(words, mul, b.raw.H)
		if form.IsConstantHash() {
			clear(b.raw.H)
		}
	}
	return true
}

// directWords reads keys of two columns: if the cells of both are of 64 bits, each fills a word.
func (b *Block[K]) directWords(first, second *form.Array, lo, n int) bool {
	k0, _ := first.Raw(lo, n)
	k1, _ := second.Raw(lo, n)
	if k0 == nil || k1 == nil || b.raw.H != nil {
		return false
	}
	scrambleTwo(k0, k1, any(b.keys).([][2]uint64))
	return true
}

// scrambleTwo makes keys of words.
func scrambleTwo(k0, k1 []uint64, keys [][2]uint64) {
	secret := secrets
	k1, keys = k1[:len(k0)], keys[:len(k0)]
	for i, w := range k0 {
		keys[i] = [2]uint64{secret.two(w, k1[i]), k1[i]}
	}
}

// directTexts gives up where the first text of the block is long or at the end of its buffer, as then others will be.
func (b *Block[K]) directTexts(a *form.Array, lo, n int) bool {
	keys := any(b.keys).([][2]uint64)[:n]
	if t := a.RawTexts(lo, n); len(t.Offs) > 0 {
		return scrambleTexts(t, keys)
	}
	t := a.RawLargeTexts(lo, n)
	return len(t.Offs) > 0 && scrambleTexts(t, keys)
}

func scrambleTexts[O form.Offset](t form.Texts[O], keys [][2]uint64) bool {
	for i := scrambleShort(&t, 0, keys); i < len(keys); i += 1 + scrambleShort(&t, i+1, keys[i+1:]) {
		if i == 0 {
			return false
		}
		k0, k1 := t.Words(i)
		keys[i] = [2]uint64{secrets.two(k0, k1), k1}
	}
	return true
}

// scrambleShort makes keys of texts, from one on, up to the first that isn't short, and returns their number.
func scrambleShort[O form.Offset](t *form.Texts[O], at int, keys [][2]uint64) int {
	offs, base, last := t.Offs[at:][:len(keys)+1], t.Base, t.Last
	secret := secrets
	for i := range keys {
		start := uint64(offs[i])
		n := uint64(offs[i+1] - offs[i])
		if n > form.MaxInline || start >= last {
			return i
		}
		k0, k1 := form.Inline(unsafe.Add(base, start), n)
		keys[i] = [2]uint64{secret.two(k0, k1), k1}
	}
	return len(keys)
}
