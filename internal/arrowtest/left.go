package arrowtest

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
)

// NothingLeft fails the test when there is something in the folder, a file is open, or there are more goroutines than before.
func NothingLeft(t testing.TB, what any, dir string, handles, goroutines int) {
	t.Helper()
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v: %v is left, error %v", what, files, err)
	}
	if handles != 0 {
		t.Errorf("%v: %d files are open", what, handles)
	}
	GoroutinesEnd(t, goroutines)
}

// Ending is a context that ends when it has been looked at so many times.
type Ending struct {
	context.Context
	left atomic.Int64
}

// EndAt makes a context that may be looked at so many times.
func EndAt(ctx context.Context, looks int64) *Ending {
	e := &Ending{Context: ctx}
	e.left.Store(looks)
	return e
}

// Err counts a look.
func (e *Ending) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Left is how many looks are left.
func (e *Ending) Left() int64 { return e.left.Load() }
