package keyset

import "context"

// Watch looks at a context now and then, in loops over the rows of one key: a key may have all of them. It belongs to one worker. Once the
// context is over, what such a loop returns means nothing, and the worker's task ends with Err.
type Watch struct {
	ctx  context.Context
	n    int
	done bool
}

// NewWatch returns a watch of a context.
func NewWatch(ctx context.Context) Watch { return Watch{ctx: ctx} }

// Over is called once a round: it says whether the context is at its end.
func (w *Watch) Over() bool {
	return w.OverAfter(1)
}

// OverAfter is Over, for a round of n rows.
func (w *Watch) OverAfter(n int) bool {
	if w.n += n; w.n >= 4096 {
		w.n = 0
		w.done = w.done || w.ctx.Err() != nil
	}
	return w.done
}

// Done says whether the context was seen to be over.
func (w *Watch) Done() bool { return w.done }

// Err is the context's error if it was seen to be over.
func (w *Watch) Err() error {
	if w.done {
		return w.ctx.Err()
	}
	return nil
}
