package arrow18_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"
)

// poison makes memory unreadable when it is freed: whoever reads it later reads nonsense. It serves both versions.
type poison struct{ memory.Allocator }

func (p poison) Free(b []byte) {
	for i := range b {
		b[i] = 0xdb
	}
	p.Allocator.Free(b)
}

func (p poison) Reallocate(size int, b []byte) []byte {
	out := p.Allocate(size)
	copy(out, b)
	p.Free(b)
	return out
}

// checked is a checked allocator of v18.
type checked = memory.CheckedAllocator

// checked18 and checked15 fail the test when not all of their memory is freed.

func checked18(t testing.TB) *checked {
	mem := memory.NewCheckedAllocator(poison{memory.NewGoAllocator()})
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

func checked15(t testing.TB) *memory15.CheckedAllocator {
	mem := memory15.NewCheckedAllocator(poison{memory.NewGoAllocator()})
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}
