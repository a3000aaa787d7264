package keyset

import (
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
)

// Block is what Read makes of some rows, one entry a row.
type Block[K Words] struct {
	// Keys are the words of the keys, the first of them scrambled.
	Keys []K
	// Hash is the stable hash, nil in a block made without.
	Hash []uint64
	// Null is 1 for rows whose key has NULL in it. Under nulls it is 0 everywhere.
	Null    []uint8
	AnyNull bool
	// NullCounts counts NULL cells, a number a column, of the rows of this block.
	NullCounts []int
	// NullRows counts the rows of this block whose key has NULL in it, also under nulls.
	NullRows int

	raw  *form.Block
	keys []K
	sum  *form.Block // of several columns
	fit  *fitting    // fits
}

// NewBlock returns a block for BlockRows rows, without stable hashes.
func NewBlock[K Words](k *Keys) *Block[K] { return newBlock[K](k, k.how == digest) }

// NewHashBlock returns a block for BlockRows rows, with stable hashes of keys that [NewStableKeys] made.
func NewHashBlock[K Words](k *Keys) *Block[K] { return newBlock[K](k, true) }

func newBlock[K Words](k *Keys, hashes bool) *Block[K] {
	words := form.NewBlock
	if hashes {
		words = form.NewHashBlock
	}
	b := &Block[K]{raw: words(BlockRows), keys: make([]K, BlockRows), NullCounts: make([]int, len(k.cols))}
	if len(k.cols) > 1 || k.how >= masked && k.how != text {
		b.sum = words(BlockRows)
	}
	if k.how == fits {
		b.fit = &fitting{miss: make([]uint8, BlockRows)}
	}
	return b
}

// Read reads the keys of rows lo to lo+n of batch c, n at most BlockRows.
func Read[K Words](k *Keys, c, lo, n int, b *Block[K]) {
	clear(b.NullCounts)
	if b.direct(k, c, lo, n) {
		return
	}
	out := b.raw
	if b.sum != nil {
		out = b.sum
	}
	var first []uint64
	if k.how == fits {
		first = b.readFit(k, c, lo, n)
	} else {
		b.read(k, c, lo, n)
		first = out.K0
	}
	b.Hash, b.Null, b.AnyNull, b.NullRows = out.H, out.Null, out.AnyNull, 0
	if out.AnyNull {
		for _, z := range out.Null {
			b.NullRows += int(z)
		}
	}
	if k.nulls && out.AnyNull {
		k.nullsAsValues(out)
		b.AnyNull = false
	}
	b.Keys = b.keys[:n]
	switch keys := any(b.Keys).(type) {
	case [][1]uint64:
		secrets.Words(unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(keys))), n), first[:n])
	case [][2]uint64:
		scrambleTwo(first, out.K1, keys)
	}
}

// read reads the columns into the sum, a single one into raw.
func (b *Block[K]) read(k *Keys, c, lo, n int) {
	for j := range k.cols {
		k.readers[j].Read(c, lo, n, b.raw)
		b.countNulls(j)
		if b.sum != nil {
			b.sum.Grow(n)
			k.merge(b.raw, b.sum, j)
		}
	}
}

func (b *Block[K]) countNulls(col int) {
	if b.raw.AnyNull {
		for _, z := range b.raw.Null {
			b.NullCounts[col] += int(z)
		}
	}
}

// merge adds column j, read into b, to the key in sum.
func (k *Keys) merge(b, sum *form.Block, j int) {
	if j == 0 {
		clear(sum.K0)
		clear(sum.K1)
		copy(sum.H, b.H)
		copy(sum.Null, b.Null)
		sum.AnyNull = b.AnyNull
	} else {
		for i, h := range b.H {
			sum.H[i] = form.Combine(sum.H[i], h)
		}
		if b.AnyNull {
			for i, z := range b.Null {
				sum.Null[i] |= z
			}
			sum.AnyNull = true
		}
	}
	switch k.how {
	case packed, masked:
		p := k.place[j]
		dst := sum.K0
		if p.word == 1 {
			dst = sum.K1
		}
		for i, w := range b.K0 {
			dst[i] |= w & p.mask << p.shift
		}
		if k.how == masked && b.AnyNull {
			for i, z := range b.Null {
				sum.K1[i] |= uint64(z) << (j & 63)
			}
		}
	case digest:
		copy(sum.K0, sum.H)
		for i, s := range b.K1 {
			if b.Null[i] != 0 {
				s = nullText
			}
			sum.K1[i] = form.Combine(sum.K1[i], s) | form.LongText<<56
		}
	}
}

// nullsAsValues gives NULL a key of its own where the words can't tell it from a value.
func (k *Keys) nullsAsValues(b *form.Block) {
	if k.how == text {
		for i, z := range b.Null {
			if z != 0 {
				b.K1[i] = nullText << 56
			}
		}
	}
	clear(b.Null)
	b.AnyNull = false
}
