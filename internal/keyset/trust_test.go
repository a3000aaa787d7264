package keyset

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/form"
)

// TestFill fills tables with texts too long to be words: once where digests tell them apart, and once more where they don't.
func TestFill(t *testing.T) {
	for _, constant := range []bool{false, true} {
		t.Run(fmt.Sprintf("constant=%v", constant), func(t *testing.T) {
			form.ConstantHash(constant)
			defer form.ConstantHash(false)
			const rows, distinct = 3 * trusted, 500
			keys, release := longTexts(t, rows, distinct)
			defer release()
			block := NewBlock[[2]uint64](keys)
			var entries []Entry[[2]uint64, uint32]
			for _, s := range Spans([]int{rows}, func(int) uint32 { return 0 }) {
				s.Blocks(func(lo, n int, row uint32) {
					Read(keys, 0, lo, n, block)
					for i, k := range block.Keys {
						entries = append(entries, Entry[[2]uint64, uint32]{Key: k, Payload: 1, Row1: row + uint32(i) + 1})
					}
				})
			}
			table := NewTable[[2]uint64, uint32](keys)
			calls := 0
			table.Fill(func() {
				calls++
				for lo := 0; lo < rows; lo += ChunkRows {
					Sum(table, entries[lo:min(lo+ChunkRows, rows)])
				}
			})
			if want := map[bool]int{false: 1, true: 2}[constant]; calls != want {
				t.Errorf("put was called %d times, want %d", calls, want)
			}
			if table.Len() != distinct {
				t.Errorf("%d keys, want %d", table.Len(), distinct)
			}
			found := make([]*Entry[[2]uint64, uint32], distinct)
			table.FindAll(entries[:distinct], found)
			for i, s := range found {
				if s == nil || s.Row() != uint32(i) || s.Payload != rows/distinct && s.Payload != rows/distinct+1 {
					t.Fatalf("row %d was found as %+v", i, s)
				}
			}
		})
	}
}

// longTexts makes the keys of a column in which row i has text i modulo distinct.
func longTexts(t *testing.T, rows, distinct int) (keys *Keys, release func()) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	b := array.NewStringBuilder(mem)
	for i := range rows {
		b.Append(fmt.Sprintf("a text that is no word: %d", i%distinct))
	}
	arr := b.NewArray()
	b.Release()
	chunks, err := form.OfAll([]arrow.Array{arr})
	if err != nil {
		t.Fatal(err)
	}
	col := &form.Column{Name: "text", Type: arr.DataType(), Chunks: chunks, Layout: form.NewLayout([]int{rows})}
	return NewKeys([]*form.Column{col}, false), func() {
		arr.Release()
		mem.AssertSize(t, 0)
	}
}
