package dedupe

import "context"

// watch looks at a context now and then, in loops over the rows of one key: a key may have all of them. It belongs to one worker. Once the
// context is over, what such a loop returns means nothing, and the worker's task ends with err.
type watch struct {
	ctx  context.Context
	n    int
	done bool
}

// over is called once a round: it says whether the context is at its end.
func (w *watch) over() bool {
	return w.overAfter(1)
}

// overAfter is over, for a round of n rows.
func (w *watch) overAfter(n int) bool {
	if w.n += n; w.n >= 4096 {
		w.n = 0
		w.done = w.done || w.ctx.Err() != nil
	}
	return w.done
}

// err is the context's error if it was seen to be over.
func (w *watch) err() error {
	if w.done {
		return w.ctx.Err()
	}
	return nil
}
