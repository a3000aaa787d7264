package arrowtest

import (
	"runtime"
	"testing"
)

// GoroutinesEnd fails the test when there are more goroutines than before. One that has nothing left to do may still need the processor to end, and
// on a machine with much else to do it waits for it: hence so many rounds.
func GoroutinesEnd(t testing.TB, before int) {
	t.Helper()
	for range 10_000_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before: %s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}
