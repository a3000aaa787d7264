package join_test

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/spill/faultfs"
	"github.com/onerow-go/onerow/join"
)

// keyStream makes batches of keys as they are asked for: the numbers from lo to hi, each scattered by a product.
type keyStream struct {
	array.RecordReader // nil: what isn't here isn't called
	mem                memory.Allocator
	schema             *arrow.Schema
	lo, hi, step       int
	key                func(b array.Builder, n int)
	rec                arrow.Record
	at                 func() // called with each batch
}

func newKeyStream(mem memory.Allocator, form string, lo, hi int) *keyStream {
	f := keyForms[form]
	return &keyStream{mem: mem, lo: lo, hi: hi, step: 8192, key: f.append, schema: arrow.NewSchema([]arrow.Field{{Name: "k", Type: f.typ}}, nil)}
}

func (s *keyStream) Schema() *arrow.Schema { return s.schema }
func (s *keyStream) Record() arrow.Record  { return s.rec }
func (s *keyStream) Err() error            { return nil }

func (s *keyStream) Next() bool {
	s.Release()
	if s.at != nil {
		s.at()
	}
	if s.lo >= s.hi {
		return false
	}
	b := array.NewRecordBuilder(s.mem, s.schema)
	defer b.Release()
	for end := min(s.hi, s.lo+s.step); s.lo < end; s.lo++ {
		s.key(b.Field(0), int(uint32(s.lo)*2654435761))
	}
	s.rec = b.NewRecord()
	return true
}

func (s *keyStream) Release() {
	if s.rec != nil {
		s.rec.Release()
		s.rec = nil
	}
}

// TestStreamMemory: the heap stays within the budget, whatever the number of keys, and the size is right.
func TestStreamMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for _, test := range []struct {
		form        string
		keys, short int
		budget      int64
	}{
		{"int64", 3_000_000, 500_000, 32 << 20},
		{"long text", 400_000, 80_000, 16 << 20},
	} {
		n := test.keys
		if testing.Short() {
			n = test.short
		}
		dir := t.TempDir()
		w := arrowtest.NewHeapWatch(arrowtest.Allocator(t))
		fs := &faultfs.FS{Did: func(faultfs.Op) { w.Look() }}
		restore := join.SetSpillFS(fs)
		left, right := newKeyStream(w, test.form, 0, n), newKeyStream(w, test.form, n/2, n)
		left.at, right.at = w.Look, w.Look
		r := onerow.Resources{Memory: test.budget, Workers: 2, Allocator: w, Dir: dir}
		s, err := join.EstimateReaders(t.Context(), left, right, join.On("k"), join.Options{Resources: r})
		restore()
		if err != nil {
			t.Fatal(err)
		}
		if s.Left.Keys != int64(n) || s.Right.Keys != int64(n-n/2) || s.MatchedKeys != s.Right.Keys || !s.Left.Unique || s.Relationship != join.OneToOne {
			t.Errorf("%s: %v", test.form, s)
		}
		t.Logf("%d keys of %s, a budget of %d MiB: %.1f MiB more heap", n, test.form, test.budget>>20, float64(w.Over())/(1<<20))
		if w.Over() > test.budget+arrowtest.FixedMemory(r.Workers) {
			t.Errorf("%s: %d bytes more heap, of %d", test.form, w.Over(), test.budget)
		}
		if len(fs.Folders) == 0 {
			t.Errorf("%s: nothing spilled", test.form)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left, error %v", left, err)
		}
	}
}
