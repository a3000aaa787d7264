package frame_test

import (
	"sync"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
)

// TestProgress adds from several goroutines: the caller sees one call at a time, with numbers that grow, up to the total.
func TestProgress(t *testing.T) {
	type call struct {
		done, total int64
		stage       onerow.Stage
	}
	var calls []call // not guarded: the race detector sees two calls at a time
	p := frame.NewProgress(onerow.Resources{Progress: func(done, total int64, stage onerow.Stage) {
		calls = append(calls, call{done, total, stage})
	}})
	for _, stage := range []onerow.Stage{onerow.StageEncode, onerow.StageGroup} {
		calls = nil
		p.Start(stage, 400)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 50 {
					p.Add(2)
					p.Add(0)
				}
			})
		}
		wg.Wait()
		if len(calls) != 200 {
			t.Errorf("%d calls", len(calls))
		}
		for i, c := range calls {
			if c != (call{int64(i+1) * 2, 400, stage}) {
				t.Errorf("call %d: %+v", i, c)
			}
		}
	}
	none := frame.NewProgress(onerow.Resources{})
	none.Start(onerow.StageEncode, 1)
	none.Add(1)
}
