package frame

import (
	"fmt"
	"sync"

	"github.com/onerow-go/onerow"
)

// Progress tells a caller how far the work is, from one goroutine at a time.
type Progress struct {
	call        func(done, total int64, stage onerow.Stage)
	mu          sync.Mutex
	stage       onerow.Stage
	done, total int64
}

// NewProgress calls what the caller's resources name, if anything.
func NewProgress(r onerow.Resources) *Progress { return &Progress{call: r.Progress} }

// Start begins a stage of so many rows.
func (p *Progress) Start(stage onerow.Stage, total int64) {
	p.stage, p.done, p.total = stage, 0, total
}

// Add counts rows that are done.
func (p *Progress) Add(rows int64) {
	if p.call == nil || rows == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() {
		// A panic of the caller's own code, a runtime panic too, isn't to be taken for one that an array made.
		if v := recover(); v != nil {
			panic(fmt.Errorf("Resources.Progress panicked: %v", v))
		}
	}()
	p.done += rows
	p.call(p.done, p.total, p.stage)
}
