package keyset

import (
	"math/bits"
	"math/rand/v2"

	"github.com/onerow-go/onerow/internal/form"
)

var spreadBy = rand.Uint64()

// Spread hashes keys under secrets of the process, whatever their type: equal keys of one column or another have equal hashes, as long as
// the columns are comparable. It owes nothing to the stable hash, nor to the word that [Parts] go by, so keys that share a partition of either, or
// were crafted to, don't share these. It belongs to one goroutine.
type Spread struct {
	keys  *Keys
	block *Block[[2]uint64]
	hash  []uint64
}

// NewSpread reads the hashes of a key. With nulls, NULL is a value that equals itself; else the hashes of rows with NULL mean nothing.
func NewSpread(cols []*form.Column, nulls bool) *Spread {
	k := &Keys{cols: cols, nulls: nulls, how: digest}
	for _, c := range cols {
		k.mayNull = k.mayNull || c.MayNull()
		k.readers = append(k.readers, form.NewReader(c.Chunks, form.Digest))
	}
	return &Spread{keys: k, block: NewBlock[[2]uint64](k), hash: make([]uint64, BlockRows)}
}

// Read returns the hashes of rows lo to lo+n of batch c, n at most BlockRows. They are valid until the next call.
func (s *Spread) Read(c, lo, n int) []uint64 {
	Read(s.keys, c, lo, n, s.block)
	for i := range n {
		k := &s.block.Keys[i]
		hi, lo := bits.Mul64(k[0]^secrets.second, k[1]^spreadBy)
		s.hash[i] = hi ^ lo
	}
	return s.hash[:n]
}
