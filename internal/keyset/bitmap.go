package keyset

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/onerow-go/onerow/internal/prefetch"
)

// Bitmap marks rows.
type Bitmap []uint64

// NewBitmap returns a bitmap for n rows, none marked.
func NewBitmap(n uint32) Bitmap { return make(Bitmap, (uint64(n)+63)/64) }

// Set marks a row.
func (b Bitmap) Set(row uint32) { b[row>>6] |= 1 << (row & 63) }

// SetAll marks rows, whose words are fetched before: they lie anywhere.
func (b Bitmap) SetAll(rows []uint32) {
	var at [256]uint32
	for len(rows) > 0 {
		some := rows[:min(len(at), len(rows))]
		rows = rows[len(some):]
		for i, r := range some {
			at[i] = r / 8
		}
		prefetch.Cells(unsafe.Pointer(unsafe.SliceData(b)), 1, at[:len(some)])
		for _, r := range some {
			b.Set(r)
		}
	}
}

// Clear takes the mark from a row.
func (b Bitmap) Clear(row uint32) { b[row>>6] &^= 1 << (row & 63) }

// Has says whether a row is marked.
func (b Bitmap) Has(row uint32) bool { return b[row>>6]>>(row&63)&1 != 0 }

// Or marks the rows of another bitmap of the same size.
func (b Bitmap) Or(o Bitmap) {
	for i, w := range o {
		b[i] |= w
	}
}

// Count is the number of marked rows.
func (b Bitmap) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Rows lists the marked rows in ascending order.
func (b Bitmap) Rows() []uint32 { return b.RowsBy(1) }

// RowsBy is Rows by at most so many goroutines, which have ended when it returns.
func (b Bitmap) RowsBy(workers int) []uint32 {
	const least = 1 << 12 // words that are worth a goroutine
	n := max(1, min(workers, len(b)/least))
	cut := func(w int) int { return len(b) * w / n }
	starts := make([]int, n+1)
	atOnce(n, func(w int) { starts[w+1] = b[cut(w):cut(w+1)].Count() })
	for w := range n {
		starts[w+1] += starts[w]
	}
	if starts[n] == 0 {
		return nil
	}
	out := make([]uint32, starts[n])
	atOnce(n, func(w int) { b[cut(w):cut(w+1)].list(uint32(cut(w))<<6, out[starts[w]:starts[w+1]]) })
	return out
}

// list writes the marked rows, counted from first, to out, which has room for exactly these.
func (b Bitmap) list(first uint32, out []uint32) {
	k := 0
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			out[k] = first + uint32(i)<<6 + uint32(bits.TrailingZeros64(w))
			k++
		}
	}
}

// atOnce calls f for 0 to n-1, on a goroutine each.
func atOnce(n int, f func(int)) {
	var wg sync.WaitGroup
	for i := 1; i < n; i++ {
		wg.Go(func() { f(i) })
	}
	f(0)
	wg.Wait()
}
