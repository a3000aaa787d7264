package take

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// TestShare lets parts of a job end in an order that is not theirs.
func TestShare(t *testing.T) {
	c := newCrew()
	c.begin()
	helped := make(chan struct{})
	go func() {
		c.help()
		close(helped)
	}()
	begun, failed := make([]chan struct{}, 2), make(chan struct{})
	begun[0], begun[1] = make(chan struct{}), make(chan struct{})
	ended := [4]bool{}
	g := &gather{ctx: context.Background(), typ: arrow.Null, crew: c}
	p := &picks{rows: make([]uint32, 4*block)}
	err := g.each(p, func(_ *gather, part int, _ []segment) error {
		defer func() { ended[part] = true }()
		close(begun[part]) // no part behind them begins
		<-begun[1-part]
		if part == 0 {
			<-failed
			for c.isOpen() {
				runtime.Gosched()
			}
		} else {
			close(failed)
		}
		return fmt.Errorf("part %d", part)
	})
	if err == nil || err.Error() != "part 0" || ended != [4]bool{true, true} {
		t.Errorf("error %v, ended %v", err, ended)
	}
	select {
	case <-helped:
		t.Error("a helper left while a column was in work")
	default:
	}
	c.end()
	<-helped
}

// isOpen says whether there are parts to begin.
func (c *crew) isOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.jobs) > 0
}

// TestShareWaits returns when the last part is done, whoever does it, and makes an error of a helper's panic.
func TestShareWaits(t *testing.T) {
	c := newCrew()
	c.begin()
	go c.help()
	both, done := make(chan struct{}), false
	g := &gather{ctx: context.Background(), typ: arrow.Null, crew: c}
	j := &job{owner: g, picks: &picks{rows: make([]uint32, 2*block)}, parts: 2}
	j.do = func(mine *gather, _ int, _ []segment) error {
		if mine == g {
			<-both
			return nil
		}
		close(both)
		for c.running(j) > 1 { // until the owner has done its part
			runtime.Gosched()
		}
		done = true
		panic("a helper's")
	}
	err := c.share(j)
	c.end()
	var data *DataError
	if !errors.As(err, &data) || !done {
		t.Errorf("error %v, done %v", err, done)
	}
}

// running is the number of parts in work.
func (c *crew) running(j *job) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return j.running
}

// TestCopyStaysInPart copies the first of two parts: nothing behind it is written, as others may write there.
func TestCopyStaysInPart(t *testing.T) {
	for _, size := range []int{1, 5, 16, 20, 70} {
		const n = 2 * block
		offsets := make([]int32, n+1)
		for i := range offsets {
			offsets[i] = int32(i * size)
		}
		text := bytes.Repeat([]byte("0123456789abcdef"), n*size/16)
		d := array.NewData(arrow.BinaryTypes.String, n, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(text)}, nil, 0, 0)
		rows := make([]uint32, n)
		for k := range rows {
			rows[k] = uint32(k ^ 1) // no runs
		}
		p, err := locate([]int64{0, n}, rows, 1)
		if err != nil {
			t.Fatal(err)
		}
		g, cs := &gather{ctx: context.Background()}, []chunk{newChunk(d)}
		e := extents[int32]{offsets: make([]int32, n+1)}
		if err := e.find(g, arrow.BinaryTypes.String, cs, p, nil, []int64{int64(len(text))}, Bytes); err != nil {
			t.Fatal(err)
		}
		p.segs = p.part(0)
		out := bytes.Repeat([]byte{0xa5}, n*size)
		if err := e.copyBytes(g, cs, p, out); err != nil {
			t.Fatal(err)
		}
		if at := bytes.IndexFunc(out[block*size:], func(r rune) bool { return r < 0x80 }); at >= 0 {
			t.Errorf("%d bytes each: byte %d behind the part is written", size, at)
		}
	}
}
