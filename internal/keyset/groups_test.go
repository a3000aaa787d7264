package keyset_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

func TestBitmap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 4))
	for _, n := range []uint32{0, 1, 63, 64, 65, 1000} {
		a, b := keyset.NewBitmap(n), keyset.NewBitmap(n)
		var inA, inEither []uint32
		for row := range n {
			x, y := rnd.IntN(3) == 0 || row == n-1, rnd.IntN(5) == 0
			if x {
				a.Set(row)
				a.Set(row)
				inA = append(inA, row)
			}
			if y {
				b.Set(row)
			}
			if x || y {
				inEither = append(inEither, row)
			}
		}
		check := func(m keyset.Bitmap, want []uint32) {
			t.Helper()
			if !slices.Equal(m.Rows(), want) || m.Count() != len(want) {
				t.Errorf("of %d rows: %v (%d), want %v", n, m.Rows(), m.Count(), want)
			}
			for row := range n {
				if m.Has(row) != slices.Contains(want, row) {
					t.Errorf("Has(%d) = %v", row, m.Has(row))
				}
			}
		}
		check(a, inA)
		a.Or(b)
		check(a, inEither)
		a.Or(nil)
		check(a, inEither)
	}
	if none := keyset.Bitmap(nil); none.Count() != 0 || none.Rows() != nil {
		t.Error("a nil bitmap marks rows")
	}
}

func TestGroups(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 4))
	for _, n := range []int{1, 2, 50} {
		for _, rows := range []int{0, 1, 300} {
			ids, want := make([]uint32, rows), make([][]uint32, n)
			for row := range ids {
				ids[row] = uint32(rnd.IntN(n + 1))
				if ids[row] == uint32(n) || n == 50 && ids[row] == 7 {
					ids[row] = keyset.None
					continue
				}
				want[ids[row]] = append(want[ids[row]], uint32(row))
			}
			g, err := keyset.NewGroups(t.Context(), ids, n)
			if err != nil {
				t.Fatal(err)
			}
			if g.Len() != n {
				t.Errorf("%d groups, want %d", g.Len(), n)
			}
			for id, w := range want {
				if got := g.Of(uint32(id)); !slices.Equal(got, w) {
					t.Errorf("group %d of %d: %v, want %v", id, n, got, w)
				}
			}
			// A group put into another order leaves the others alone.
			slices.Reverse(g.Of(0))
			slices.Reverse(want[0])
			for id, w := range want {
				if got := g.Of(uint32(id)); !slices.Equal(got, w) {
					t.Errorf("after a change, group %d of %d: %v, want %v", id, n, got, w)
				}
			}
		}
	}
	if g, err := keyset.NewGroups(t.Context(), nil, 0); err != nil || g.Len() != 0 {
		t.Errorf("%d groups of nothing", g.Len())
	}
}

// TestSpans covers each row once, in order, in tasks and blocks that are not too long.
func TestSpans(t *testing.T) {
	for _, lens := range [][]int{{}, {0}, {1}, {0, 0, 3, 0}, {keyset.BlockRows}, {keyset.BlockRows + 1, 1}, {200_000, 0, 1, 65_536, 65_537}} {
		layout := form.NewLayout(lens)
		row := uint32(0)
		for _, s := range keyset.Spans(lens, layout.Start) {
			if s.N < 1 || s.Row != row {
				t.Fatalf("%v: span %+v begins at row %d", lens, s, row)
			}
			s.Blocks(func(lo, n int, at uint32) {
				c, i := layout.At(row)
				if n < 1 || n > keyset.BlockRows || at != row || c != s.Chunk || i != lo || lo+n > lens[c] {
					t.Fatalf("%v: span %+v has a block of %d rows from %d on, row %d, at row %d", lens, s, n, lo, at, row)
				}
				row += uint32(n)
			})
			if row != s.Row+uint32(s.N) {
				t.Fatalf("%v: the blocks of %+v end at row %d", lens, s, row)
			}
		}
		if row != layout.Rows() {
			t.Errorf("%v: the spans cover %d of %d rows", lens, row, layout.Rows())
		}
	}
}
