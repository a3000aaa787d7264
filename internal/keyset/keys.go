package keyset

import "github.com/onerow-go/onerow/internal/form"

// Words is a key as one word or two.
type Words interface {
	[1]uint64 | [2]uint64
}

// BlockRows is the number of rows that are read at a time.
const BlockRows = 1024

// maxPacked is the number of columns that a mask of NULLs in one word has room for.
const maxPacked = 64

// nullText is the top byte of the second word of a NULL text; no text has it.
const nullText = 0xfe

// Keys reads the key of each row. It is safe for concurrent use.
type Keys struct {
	cols    []*form.Column
	readers []*form.Reader
	how     how
	nulls   bool // NULL is a value like any other
	mayNull bool
	place   []place  // packed: where each column's word goes
	fits    []fitted // fits: where each column's cell goes
}

// how says what the words of a key are.
type how uint8

const (
	single how = iota // one word: the cell
	packed            // one or two words: cells side by side
	masked            // two words: cells side by side, and which of them are NULL
	text              // two words: a text, inlined if short
	fits              // two words: cells side by side; the same as digest for keys whose cells don't fit
	digest            // two hashes
)

type place struct {
	word  int
	shift uint
	mask  uint64
}

// NewKeys chooses how keys are read, by the types of the columns and by a sample of their values. The columns are of key types and share one
// layout. With nulls, NULL is a value that equals itself; else the keys of rows with NULL mean nothing.
func NewKeys(cols []*form.Column, nulls bool) *Keys {
	k := newKeys(cols, nulls)
	if k.how == digest && k.chooseFit() {
		k.how = fits
	}
	k.setReaders()
	return k
}

// NewStableKeys is [NewKeys] for keys whose blocks are to have the stable hash: it goes by the types alone.
func NewStableKeys(cols []*form.Column, nulls bool) *Keys {
	k := newKeys(cols, nulls)
	k.setReaders()
	return k
}

func newKeys(cols []*form.Column, nulls bool) *Keys {
	k := &Keys{cols: cols, nulls: nulls}
	for _, c := range cols {
		k.mayNull = k.mayNull || c.MayNull()
	}
	k.choose()
	return k
}

func (k *Keys) setReaders() {
	mode := k.mode()
	for j, c := range k.cols {
		if k.how == fits {
			mode = k.fits[j].way.mode(c)
		}
		k.readers = append(k.readers, form.NewReader(c.Chunks, mode))
	}
}

// mode is how the columns are read, but for fits, which has a mode a column.
func (k *Keys) mode() form.Mode {
	switch k.how {
	case text:
		return form.Text
	case digest:
		return form.Digest
	}
	return form.Word
}

func (k *Keys) choose() {
	mask := k.nulls && k.mayNull
	if len(k.cols) == 1 && isText(k.cols[0]) {
		k.how = text
		return
	}
	k.how = digest
	for _, c := range k.cols {
		if !form.FitsWord(c.Chunks) {
			return
		}
	}
	if len(k.cols) == 1 && !mask {
		k.how = single
		return
	}
	words := 2
	if mask {
		words = 1
	}
	if len(k.cols) <= maxPacked && k.pack(words) {
		k.how = packed
		if mask {
			k.how = masked
		}
	}
}

// pack puts each column into the first word that has room for it.
func (k *Keys) pack(words int) bool {
	var used [2]int
	k.place = make([]place, len(k.cols))
	for i, c := range k.cols {
		n := form.WordBytes(c.Chunks)
		w := 0
		for w < words && used[w]+n > 8 {
			w++
		}
		if w == words {
			return false
		}
		k.place[i] = place{word: w, shift: uint(8 * used[w]), mask: ^uint64(0) >> (64 - 8*max(n, 1))}
		used[w] += n
	}
	return true
}

func isText(c *form.Column) bool {
	f := form.FamilyOf(c.Type)
	return f == form.TextFamily || f == form.BinaryFamily
}

// Columns returns the key columns.
func (k *Keys) Columns() []*form.Column { return k.cols }

// MayNull is false when no key can be NULL.
func (k *Keys) MayNull() bool { return k.mayNull }

// OneWord says whether keys are one word, [1]uint64, and not two.
func (k *Keys) OneWord() bool {
	if k.how == packed {
		for _, p := range k.place {
			if p.word == 1 {
				return false
			}
		}
		return true
	}
	return k.how == single
}

// Exact says whether words alone decide: no key needs [Keys.Same].
func (k *Keys) Exact() bool {
	for i := range k.fits {
		if !k.fits[i].whole {
			return false
		}
	}
	return k.how != text && k.how != digest
}

// Same compares the keys of two rows by their cells.
func (k *Keys) Same(a, b uint32) bool {
	for _, c := range k.cols {
		if c.Compare(a, b, form.ByValue) != 0 {
			return false
		}
	}
	return true
}

// SamePairs compares the keys of pairs of rows, many at a time: it clears same[i] where those of as[i] and bs[i] differ.
func (k *Keys) SamePairs(as, bs []uint32, same []bool) {
	for _, c := range k.cols {
		c.SamePairs(as, bs, same)
	}
}

// Null says whether the key of a row has NULL in it.
func (k *Keys) Null(row uint32) bool {
	for _, c := range k.cols {
		if c.Null(row) {
			return true
		}
	}
	return false
}

// Hashes reads the stable hashes of keys alone. It belongs to one goroutine.
type Hashes struct {
	keys *Keys
	one  *Block[[1]uint64]
	two  *Block[[2]uint64]
}

// NewHashes reads the hashes of keys that k reads.
func NewHashes(k *Keys) *Hashes {
	if k.how == fits {
		k = NewStableKeys(k.cols, k.nulls)
	}
	if k.OneWord() {
		return &Hashes{keys: k, one: NewHashBlock[[1]uint64](k)}
	}
	return &Hashes{keys: k, two: NewHashBlock[[2]uint64](k)}
}

// Read returns the hashes of rows lo to lo+n of batch c, n at most BlockRows. They are valid until the next call.
func (h *Hashes) Read(c, lo, n int) []uint64 {
	if h.one != nil {
		Read(h.keys, c, lo, n, h.one)
		return h.one.Hash[:n]
	}
	Read(h.keys, c, lo, n, h.two)
	return h.two.Hash[:n]
}
