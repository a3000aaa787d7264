// Package hold ties the life of a buffer of one version of Arrow to a buffer of the other whose bytes it has.
package hold

import (
	"reflect"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Of is the allocator of one buffer, in either version: it owns a reference to the buffer that the bytes come from, and freeing the bytes
// is giving that back.
type Of[Parent buffer] struct {
	parent Parent
}

type buffer interface {
	comparable
	Retain()
	Release()
}

// Take makes h own a reference to the parent.
func (h *Of[Parent]) Take(parent Parent) {
	parent.Retain()
	h.parent = parent
}

// Free gives the reference back, once.
func (h *Of[Parent]) Free([]byte) {
	var none Parent
	if p := h.parent; p != none {
		h.parent = none
		p.Release()
	}
}

// Allocate and Reallocate serve someone who resizes the buffer: it has bytes of its own then, and the parent keeps what it has.

// Allocate makes bytes that nothing need free.
func (h *Of[Parent]) Allocate(size int) []byte { return memory.NewGoAllocator().Allocate(size) }

// Reallocate makes bytes that begin as b does.
func (h *Of[Parent]) Reallocate(size int, b []byte) []byte {
	fresh := h.Allocate(size)
	copy(fresh, b)
	return fresh
}

// Field is where a Buffer keeps its allocator; nil if that isn't known. Arrow has no method that tells, so the field is looked up by
// name.
func Field[Buffer any]() []int {
	f, ok := reflect.TypeFor[Buffer]().FieldByName("mem")
	if !ok || f.Type.Kind() != reflect.Interface {
		return nil
	}
	return f.Index
}

// Behind returns the parent of a buffer whose allocator is an Of, or nil. Without it a buffer that goes there and back would be behind
// one more reference each time: a table that is kept in one version and changed in the other would grow with every change.
func Behind[Parent buffer, Buffer any](b *Buffer, field []int) (parent Parent) {
	if field == nil {
		return parent
	}
	mem := reflect.ValueOf(b).Elem().FieldByIndex(field).Elem()
	if !mem.IsValid() || mem.Type() != reflect.TypeFor[*Of[Parent]]() {
		return parent
	}
	return (*Of[Parent])(mem.UnsafePointer()).parent
}
