package arrowtest

import (
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
)

// GoroutinesStarted returns the number of goroutines that a call starts: the least of several runs, since now and then the runtime starts some of its
// own.
func GoroutinesStarted(call func()) uint64 {
	created := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	least := uint64(math.MaxUint64)
	for range 5 {
		metrics.Read(created)
		before := created[0].Value.Uint64()
		call()
		metrics.Read(created)
		least = min(least, created[0].Value.Uint64()-before)
	}
	return least
}

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
