package keyset

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrMalformed is wrapped by errors about arrays whose buffers contradict their shape.
var ErrMalformed = errors.New("malformed array")

// errLeft is the error of a worker that ends without returning: the caller's code called runtime.Goexit.
var errLeft = errors.New("a worker left its task")

// Guard runs f and turns a runtime panic in it, as an array makes whose offsets or indices point outside its buffers, into an
// error that wraps ErrMalformed. Other panics go on.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r, ok := p.(runtime.Error)
			if !ok {
				panic(p)
			}
			err = fmt.Errorf("%w: %w", ErrMalformed, r)
		}
	}()
	return f()
}

// Run calls do for the tasks 0 to n-1 on the given number of workers, and waits for all of them. The first error, or the
// context's end, stops the work at the next task. A task should take no more than some milliseconds. A panic that Guard lets through goes on
// in the caller's goroutine, after all workers have stopped.
func Run(ctx context.Context, workers, n int, do func(worker, task int) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var next atomic.Int64
	var failed atomic.Bool
	work := func(w int) error {
		for {
			t := int(next.Add(1)) - 1
			if t >= n || failed.Load() {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := Guard(func() error { return do(w, t) }); err != nil {
				failed.Store(true)
				return err
			}
		}
	}
	workers = min(workers, n)
	if workers <= 1 {
		return work(0)
	}
	errs := make([]error, workers)
	panics := make([]any, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[w] = errLeft
			defer func() {
				if panics[w] = recover(); panics[w] != nil || errs[w] != nil {
					failed.Store(true)
				}
			}()
			errs[w] = work(w)
		}()
	}
	wg.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Span is a run of rows of one batch.
type Span struct {
	Chunk, Lo, N int
	Row          uint32 // number of the first
}

// spanRows is the number of rows in a task: some milliseconds of work.
const spanRows = 64 * BlockRows

// Spans cuts the rows of batches into tasks. start gives the number of the first row of a batch.
func Spans(lens []int, start func(chunk int) uint32) []Span {
	var out []Span
	for c, n := range lens {
		for lo := 0; lo < n; lo += spanRows {
			out = append(out, Span{Chunk: c, Lo: lo, N: min(spanRows, n-lo), Row: start(c) + uint32(lo)})
		}
	}
	return out
}

// Blocks calls f for each block of the span.
func (s Span) Blocks(f func(lo, n int, row uint32)) {
	for at := 0; at < s.N; at += BlockRows {
		f(s.Lo+at, min(BlockRows, s.N-at), s.Row+uint32(at))
	}
}
