package dedupe

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/spill"
)

// write appends the records that produce puts, which it takes over, each to a file of a set. With several workers one of them writes the last record
// while the others make the next one; res is for those.
func (s *stream) write(to *spill.Set, produce func(res onerow.Resources, put func(file int, rec arrow.Record) error) error) error {
	res := s.opts.Resources
	if res.Workers = res.WorkerCount(); res.Workers == 1 {
		return produce(res, func(file int, rec arrow.Record) error { return appendTo(to, file, rec) })
	}
	res.Workers--
	p := &pipe{to: to, queue: make(chan written), ended: make(chan struct{})}
	go p.drain()
	made := p.during(func() error { return produce(res, p.put) })
	switch {
	case p.panicked != nil:
		panic(p.panicked)
	case p.err != nil:
		return p.err
	}
	return made
}

func appendTo(to *spill.Set, file int, rec arrow.Record) error {
	defer rec.Release()
	return to.Append(file, rec)
}

// written is a record for a file.
type written struct {
	file int
	rec  arrow.Record
}

// pipe hands records to a goroutine that writes them.
type pipe struct {
	to    *spill.Set
	queue chan written
	ended chan struct{} // closed when nobody writes any more
	// Valid once ended is closed.
	err      error
	panicked any
}

// drain writes until the queue is closed, or an error.
func (p *pipe) drain() {
	defer close(p.ended)
	defer func() { p.panicked = recover() }()
	for w := range p.queue {
		if p.err = appendTo(p.to, w.file, w.rec); p.err != nil {
			return
		}
	}
}

// during calls do, and waits for what it put to be written.
func (p *pipe) during(do func() error) error {
	defer func() {
		close(p.queue)
		<-p.ended
	}()
	return do()
}

// put hands a record on, once the one before is written. After an error of the writing there is another one.
func (p *pipe) put(file int, rec arrow.Record) error {
	select {
	case p.queue <- written{file, rec}:
		return nil
	case <-p.ended:
		rec.Release()
		return fmt.Errorf("%w: the writing has ended", onerow.ErrSpill)
	}
}
