package take

import (
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// elements lists what picks take: chunk and element for each row, nil where the mask says NULL.
func elements(t *testing.T, p *picks) []any {
	t.Helper()
	var out []any
	at := 0
	for _, s := range p.segs {
		if s.lo != at || s.hi <= s.lo || s.hi-s.lo > block {
			t.Fatalf("segment %+v after row %d", s, at)
		}
		at = s.hi
		for k := s.lo; k < s.hi; k++ {
			if p.mask != nil && !bit(p.mask, k) {
				out = append(out, nil)
			} else {
				out = append(out, [2]int{s.chunk, int(p.rows[k]) + s.base})
			}
		}
	}
	if at != len(p.rows) {
		t.Fatalf("segments for %d rows of %d", at, len(p.rows))
	}
	return out
}

func TestLocate(t *testing.T) {
	p, err := locate([]int64{0, 0, 2, 2, 5, 6, 6}, []uint32{0, 1, 2, 4, 5, 3, 0, 0, 5}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{[2]int{1, 0}, [2]int{1, 1}, [2]int{3, 0}, [2]int{3, 2}, [2]int{4, 0}, [2]int{3, 1}, [2]int{1, 0}, [2]int{1, 0}, [2]int{4, 0}}
	if d := cmp.Diff(want, elements(t, p)); d != "" {
		t.Error(d)
	}
	if len(p.segs) != 6 {
		t.Errorf("%d segments, want 6: one for each change of chunk", len(p.segs))
	}
}

func TestLocateLong(t *testing.T) {
	rows := make([]uint32, 3*block+5)
	for i := range rows {
		rows[i] = uint32(i / 2)
	}
	p, err := locate([]int64{0, int64(len(rows))}, rows, 3)
	if err != nil {
		t.Fatal(err)
	}
	for k, e := range elements(t, p) {
		if e != [2]int{0, k / 2} {
			t.Fatalf("row %d takes %v", k, e)
		}
	}
}

func TestPicks(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("no chunk of this machine has 2^32 elements")
	}
	wide := int64(math.MaxUint32)
	far := int(wide + 10)
	p := newPicks(0)
	var want []any
	add := func(chunk, start, count int) {
		p.add(chunk, start, count)
		for i := range count {
			want = append(want, [2]int{chunk, start + i})
		}
	}
	null := func(count int) {
		p.addNull(count)
		for range count {
			want = append(want, nil)
		}
	}
	add(0, 5, 3)
	add(0, 2, 1)
	add(1, 2, 2)
	null(11)
	add(1, far, 2)
	add(1, far-3, 7)
	add(1, 1, 1)
	null(1)
	add(1, int(wide)-block/2, 2*block)
	null(block + 1)
	add(2, 0, 9)
	got := elements(t, p)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d[:min(len(d), 1000)])
	}

	masked := newPicks(4)
	masked.addNull(2)
	masked.add(3, 1, 1)
	if d := cmp.Diff([]any{nil, nil, [2]int{3, 1}}, elements(t, masked)); d != "" {
		t.Error(d)
	}
}
