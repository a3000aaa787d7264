package onerowtest

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// TB is what the package needs of a testing.T, testing.B, testing.F or rapid.T.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Allocator returns an allocator for what the code under test makes. When the test ends, after all cleanups that are registered
// later, it fails the test if something of it isn't released, naming the places where that was allocated.
func Allocator(t TB) memory.Allocator { return arrowtest.Allocator(t) }

// Release releases records when the test ends: those that the code under test returned to the test, so that they are the test's to release.
func Release(t TB, records ...arrow.Record) {
	t.Cleanup(func() { arrowtest.Release(records) })
}
