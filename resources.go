package onerow

import (
	"runtime"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Resources bounds what a call may use. The zero value is good for most programs.
type Resources struct {
	// Workers is the number of goroutines that work on the call, at most [MaxWorkers]. It never changes a result.
	// Default 0: GOMAXPROCS.
	Workers int

	// Allocator makes the buffers of the records that come of the call, where no other is named. Default nil:
	// memory.DefaultAllocator.
	Allocator memory.Allocator

	// Progress is called as the work goes on, from one goroutine at a time, with the rows done and the rows there are in
	// this stage. It must return quickly. Default nil: not called.
	Progress func(done, total int64, stage Stage)
}

// MaxWorkers bounds [Resources].Workers: more are as good as that many.
const MaxWorkers = 256

// Stage names a part of a call's work, for [Resources.Progress].
type Stage string

const (
	// StageEncode reads the key and order columns and deals the rows out by key.
	StageEncode Stage = "encode"
	// StageGroup finds the rows of each key.
	StageGroup Stage = "group"
)

// WorkerCount returns Workers or its default.
func (r Resources) WorkerCount() int {
	if r.Workers > 0 {
		return min(r.Workers, MaxWorkers)
	}
	return runtime.GOMAXPROCS(0)
}
