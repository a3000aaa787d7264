package dedupe

import (
	"cmp"

	"github.com/onerow-go/onerow/internal/keyset"
)

const (
	// hotKeys is how many keys a worker keeps at hand: their table stays in the core's own cache.
	hotKeys = 1 << 12
	// hotTrial is how many rows a worker reads before it judges whether that pays, again and again.
	hotTrial = 1 << 13
)

// hot keeps the greatest rows of a few keys before rows are dealt out. Rows that lose to the best row at hand go no further, which
// is nearly all of them when keys are few or a few keys have most of the rows. At the end the best rows are
// dealt out like any others, so the outcome is the same with and without it.
type hot[K keyset.Words] struct {
	on      bool
	table   *keyset.Table[K, hotBest]
	seen    int // rows of this trial
	dropped int // of these, rows that went no further
}

// hotBest is the greatest row of a key so far, with the whole hash of the key.
type hotBest struct {
	word, hash uint64
}

func newHot[K keyset.Words](j *job) *hot[K] {
	return &hot[K]{on: j.rows > 2*hotTrial, table: keyset.NewTable[K, hotBest](j.keys)}
}

// absorb takes a block of rows in; those it can't drop are dealt out.
func (h *hot[K]) absorb(f *finder[K], n int, row uint32) {
	for i := range n {
		if f.keys.Null[i] != 0 {
			continue
		}
		hash := f.keys.Hash[i]
		e := keyset.Entry[K, hotBest]{Payload: hotBest{f.words[i], hash}, Key: f.keys.Keys[i], Row: row + uint32(i), Hash: keyset.Tag(hash)}
		if !h.take(f.j, &e) {
			f.parts.Add(hash, entry[K]{Payload: f.words[i], Key: e.Key, Row: e.Row, Hash: e.Hash})
		}
	}
	h.seen += n
	if h.seen >= hotTrial {
		if 2*h.dropped < h.seen && h.table.Len() >= hotKeys {
			h.flush(f)
		}
		h.seen, h.dropped = 0, 0
	}
}

// take keeps a row as the best of its key, or drops it for a better one; it refuses rows that neither can be done with.
func (h *hot[K]) take(j *job, e *keyset.Entry[K, hotBest]) bool {
	s := h.table.Hit(e)
	if s == nil {
		if h.table.Len() >= hotKeys {
			if s = h.table.Find(e); s == nil {
				return false
			}
		} else {
			var fresh bool
			if s, fresh = h.table.At(e); fresh {
				return true
			}
		}
	}
	c := cmp.Compare(e.Payload.word, s.Payload.word)
	if c == 0 {
		c = j.order.Compare(e.Row, s.Row)
	}
	if c == 0 {
		return false
	}
	h.dropped++
	if c > 0 {
		s.Payload.word, s.Row = e.Payload.word, e.Row
	}
	return true
}

// flush deals the best rows out and ends the work at hand.
func (h *hot[K]) flush(f *finder[K]) {
	h.table.All(func(s *keyset.Entry[K, hotBest]) {
		f.parts.Add(s.Payload.hash, entry[K]{Payload: s.Payload.word, Key: s.Key, Row: s.Row, Hash: s.Hash})
	})
	h.table.Reset()
	h.on = false
}
