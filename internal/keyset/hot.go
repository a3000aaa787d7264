package keyset

const (
	// hotKeys is how many keys a worker keeps at hand: their table stays in the core's own cache.
	hotKeys = 1 << 12
	// hotTrial is how many rows a worker reads before it judges whether that pays, again and again.
	hotTrial = 1 << 13
)

// Hot keeps a few keys at hand before rows are dealt out to partitions. The verb merges rows of these keys into their
// entries as they come, so that they go no further: nearly all rows, when keys are few or a few keys have most of the rows. In the end
// the entries are dealt out like rows, so the outcome is the same with and without it. A Hot belongs to one goroutine.
type Hot[K Words, P any] struct {
	on     bool
	table  *Table[K, P]
	seen   int // rows of this trial
	merged int // of these, rows that went no further
}

// NewHot returns an empty one. It is off from the start when rows are so few that dealing them out costs little.
func NewHot[K Words, P any](k *Keys, rows uint32) *Hot[K, P] {
	return &Hot[K, P]{on: rows > 2*hotTrial, table: NewTable[K, P](k)}
}

// On says whether rows are to be merged. Once off, it stays off.
func (h *Hot[K, P]) On() bool { return h.on }

// Place returns the entry at hand of a key; fresh, if it became one now, as a copy of e. It is nil when the key isn't at hand and there is
// no room for more.
func (h *Hot[K, P]) Place(e *Entry[K, P]) (s *Entry[K, P], fresh bool) {
	if h.table.Len() >= hotKeys {
		return h.table.Find(e), false
	}
	return h.table.At(e, h.table.Start(&e.Key))
}

// Judge counts rows that came and those of them that were merged, and says whether that still pays.
func (h *Hot[K, P]) Judge(seen, merged int) bool {
	h.seen += seen
	h.merged += merged
	if h.seen < hotTrial {
		return true
	}
	pays := 2*h.merged >= h.seen || h.table.Len() < hotKeys
	h.seen, h.merged = 0, 0
	return pays
}

// Drain turns it off, and calls f for each entry at hand; only the first time. Find still knows the entries.
func (h *Hot[K, P]) Drain(f func(*Entry[K, P])) {
	if h.on {
		h.on = false
		h.table.All(f)
	}
}

// Find returns the entry at hand of a key, or nil.
func (h *Hot[K, P]) Find(e *Entry[K, P]) *Entry[K, P] { return h.table.Find(e) }
