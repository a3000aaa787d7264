package arrowtest

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// HeapWatch is an allocator that notes the largest heap it has seen.
type HeapWatch struct {
	memory.Allocator
	base, peak atomic.Int64
}

// NewHeapWatch begins at the heap as it is.
func NewHeapWatch(mem memory.Allocator) *HeapWatch {
	w := &HeapWatch{Allocator: mem}
	runtime.GC()
	runtime.GC() // what pools held is gone
	w.base.Store(w.heap())
	return w
}

func (w *HeapWatch) heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// Look may be called by several goroutines.
func (w *HeapWatch) Look() {
	for now, old := w.heap(), w.peak.Load(); now > old && !w.peak.CompareAndSwap(old, now); old = w.peak.Load() {
	}
}

// Allocate looks at the heap after a larger buffer.
func (w *HeapWatch) Allocate(n int) []byte {
	b := w.Allocator.Allocate(n)
	if n >= 1<<12 {
		w.Look()
	}
	return b
}

// Reallocate looks at the heap after a larger buffer.
func (w *HeapWatch) Reallocate(n int, b []byte) []byte {
	b = w.Allocator.Reallocate(n, b)
	if n >= 1<<12 {
		w.Look()
	}
	return b
}

// Over is by how much the heap grew at most.
func (w *HeapWatch) Over() int64 { return w.peak.Load() - w.base.Load() }

// FixedMemory is what a call may take beside its budget, as [onerow.Resources] has it.
func FixedMemory(workers int) int64 { return int64(8+8*workers) << 20 }
