package keyset_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/onerow-go/onerow/internal/keyset"
)

// TestRun does each task once, a worker's one after the other, and has ended when it returns.
func TestRun(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 8} {
		for _, n := range []int{0, 1, 7, 500} {
			done := make([]atomic.Int32, n)
			busy := make([]atomic.Bool, max(workers, 1))
			var running atomic.Int32
			err := keyset.Run(t.Context(), workers, n, func(worker, task int) error {
				running.Add(1)
				defer running.Add(-1)
				if !busy[worker].CompareAndSwap(false, true) {
					t.Errorf("worker %d has two tasks at a time", worker)
				}
				runtime.Gosched()
				done[task].Add(1)
				busy[worker].Store(false)
				return nil
			})
			if err != nil || running.Load() != 0 {
				t.Fatalf("%d workers, %d tasks: %v, %d tasks still run", workers, n, err, running.Load())
			}
			for task := range done {
				if got := done[task].Load(); got != 1 {
					t.Errorf("%d workers: task %d of %d was done %d times", workers, task, n, got)
				}
			}
		}
	}
}

// TestRunStops: after an error, the context's end or a panic the work ends: a lone worker begins no more tasks, others few.
func TestRunStops(t *testing.T) {
	const n, at = 500_000, 20
	broken := errors.New("broken")
	for _, workers := range []int{1, 2, 8} {
		for name, test := range map[string]struct {
			stop func(cancel context.CancelFunc) error
			want error
		}{
			"error":   {func(context.CancelFunc) error { return broken }, broken},
			"context": {func(cancel context.CancelFunc) error { cancel(); return nil }, context.Canceled},
			"panic": {func(context.CancelFunc) error {
				none := []int{}
				return errors.New(strings.Repeat("x", none[workers]))
			}, keyset.ErrMalformed},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			var mu sync.Mutex
			var begun, late, running int
			stopped := false
			err := keyset.Run(ctx, workers, n, func(_, task int) error {
				mu.Lock()
				begun++
				running++
				isLate := stopped
				if isLate {
					late++
				}
				mu.Unlock()
				if isLate {
					runtime.Gosched()
				}
				defer func() {
					mu.Lock()
					defer mu.Unlock()
					running--
					stopped = stopped || task == at
				}()
				if task == at {
					return test.stop(cancel)
				}
				return nil
			})
			cancel()
			if !errors.Is(err, test.want) {
				t.Errorf("%s, %d workers: %v", name, workers, err)
			}
			// Between the end of a task and the word that it failed the others may begin a few.
			if running != 0 || begun < at || workers == 1 && (late != 0 || begun != at+1) || begun == n {
				t.Errorf("%s, %d workers: %d tasks begun, %d of them late, %d still run", name, workers, begun, late, running)
			}
		}
	}
}

// TestRunCanceled begins no task when the context has ended.
func TestRunCanceled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no more"))
	for _, workers := range []int{1, 4} {
		err := keyset.Run(ctx, workers, 10, func(int, int) error {
			t.Error("a task was begun")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}

// TestGuard makes errors of the panics of the Go runtime, and of no others.
func TestGuard(t *testing.T) {
	own := errors.New("own")
	if err := keyset.Guard(func() error { return own }); err != own {
		t.Errorf("%v, want the function's own error", err)
	}
	for name, f := range map[string]func(){
		"index":     func() { none := []int{}; none[len(name(""))]++ },
		"slice":     func() { s := []byte("ab"); s = s[len(s)+1:]; runtime.KeepAlive(s) },
		"nil":       func() { *pointer()++ },
		"interface": func() { runtime.KeepAlive(failure().Error()) },
	} {
		err := keyset.Guard(func() error { f(); return nil })
		var r runtime.Error
		if !errors.Is(err, keyset.ErrMalformed) || !errors.As(err, &r) || !strings.Contains(err.Error(), "runtime error") {
			t.Errorf("%s: %v", name, err)
		}
	}
	defer func() {
		if p := recover(); p != "bug" {
			t.Errorf("recovered %v, want the panic of the function", p)
		}
	}()
	keyset.Guard(func() error { panic("bug") })
}

// What these return the compiler doesn't see.

//go:noinline
func name(s string) string { return s }

//go:noinline
func pointer() *int { return nil }

//go:noinline
func failure() error { return nil }

// TestRunPanics: a panic that isn't of the Go runtime goes on in the caller's goroutine, after the work has ended.
func TestRunPanics(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		var running atomic.Int32
		func() {
			defer func() {
				if p := recover(); p != "bug" || running.Load() != 0 {
					t.Errorf("%d workers: recovered %v, %d tasks still run", workers, p, running.Load())
				}
			}()
			err := keyset.Run(t.Context(), workers, 100, func(_, task int) error {
				running.Add(1)
				defer running.Add(-1)
				if task == 20 {
					panic("bug")
				}
				return nil
			})
			t.Errorf("%d workers: no panic, error %v", workers, err)
		}()
	}
}

// TestRunLeft: a worker that leaves its task without returning, as runtime.Goexit in the caller's code makes it, didn't do the work.
func TestRunLeft(t *testing.T) {
	err := keyset.Run(t.Context(), 2, 100, func(_, task int) error {
		if task == 50 {
			runtime.Goexit()
		}
		return nil
	})
	if err == nil {
		t.Error("the work counts as done")
	}
}
