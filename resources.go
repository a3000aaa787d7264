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

	// Memory is a budget in bytes: by how much the call may let the heap grow. What has no room goes to files in Dir, and comes back in parts;
	// it never changes a result. The budget holds what the call keeps and what it works with. Beside it there are the batch that was read
	// last, the output, and about 8 MiB and 8 MiB a worker that don't depend on the data; and one key, if it is larger than the budget.
	// It reckons with the garbage that Go's collector leaves by default: with GOGC above 100 there is more of it.
	//
	// Calls on streams heed it: dedupe.NewReader and join.EstimateReaders. Calls on batches in memory don't: their documentation says what they need.
	// Default 0: no budget, nothing goes to files. Negative: an error that wraps [ErrOption].
	Memory int64

	// Dir is the folder for these files. The call makes a folder of its own in it, which only this user may enter, when there is something
	// to write, and removes it in the end, also after an error or a panic, and when the context ends. What goes wrong with the files is
	// an error that wraps [ErrSpill]. A process that is killed leaves it behind. Default "": that of os.TempDir.
	Dir string

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
