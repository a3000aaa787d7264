package dedupe

import (
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
	table   *keyset.Table[K]
	best    []best
	hash    []uint64 // by id
	seen    int      // rows of this trial
	dropped int      // of these, rows that went no further
}

func newHot[K keyset.Words](j *job) *hot[K] {
	return &hot[K]{on: j.rows > 2*hotTrial, table: keyset.NewTable[K](j.keys)}
}

// absorb takes a block of rows in; those it can't drop are dealt out.
func (h *hot[K]) absorb(f *finder[K], n int, row uint32) {
	for i := range n {
		if f.keys.Null[i] != 0 {
			continue
		}
		e := entry[K]{Payload: f.words[i], Key: f.keys.Keys[i], Row: row + uint32(i), Hash: uint32(f.keys.Hash[i])}
		if !h.take(f, &e, f.keys.Hash[i]) {
			f.parts.Add(f.keys.Hash[i], e)
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
func (h *hot[K]) take(f *finder[K], e *entry[K], hash uint64) bool {
	id, known := h.table.Find(&e.Key, e.Hash, e.Row)
	if !known {
		if h.table.Len() >= hotKeys {
			return false
		}
		h.table.Insert(&e.Key, e.Hash, e.Row)
		h.best = append(h.best, best{word: e.Payload, row: e.Row})
		h.hash = append(h.hash, hash)
		return true
	}
	b := &h.best[id]
	c := 1
	if e.Payload == b.word {
		c = f.j.order.Compare(e.Row, b.row)
	} else if e.Payload < b.word {
		c = -1
	}
	if c == 0 {
		return false
	}
	h.dropped++
	if c > 0 {
		*b = best{word: e.Payload, row: e.Row}
	}
	return true
}

// flush deals the best rows out and ends the work at hand.
func (h *hot[K]) flush(f *finder[K]) {
	for id := range h.best {
		b := &h.best[id]
		f.parts.Add(h.hash[id], entry[K]{Payload: b.word, Key: h.table.Key(uint32(id)), Row: b.row, Hash: uint32(h.hash[id])})
	}
	h.on, h.best, h.hash = false, nil, nil
}
