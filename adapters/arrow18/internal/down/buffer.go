package down

import (
	dstmemory "github.com/apache/arrow/go/v15/arrow/memory"

	srcmemory "github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/onerow-go/onerow/adapters/arrow18/internal/hold"
)

// allocator is where a src buffer keeps its allocator.
var allocator = hold.Field[srcmemory.Buffer]()

// share makes dst buffers over the bytes of src buffers, nil where there is none. A src buffer that was made of a dst buffer is
// that one again. The caller releases them.
func share(from []*srcmemory.Buffer) []*dstmemory.Buffer {
	to := make([]*dstmemory.Buffer, len(from))
	holds := make([]hold.Of[*srcmemory.Buffer], len(from))
	for i, b := range from {
		if b == nil {
			continue
		}
		if parent := hold.Behind[*dstmemory.Buffer](b, allocator); parent != nil && same(parent.Bytes(), b.Bytes()) {
			parent.Retain()
			to[i] = parent
			continue
		}
		holds[i].Take(b)
		to[i] = dstmemory.NewBufferWithAllocator(b.Bytes(), &holds[i])
	}
	return to
}

// same says whether two buffers have the same bytes, not whether they have equal ones: one may have been resized.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
