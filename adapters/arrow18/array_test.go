package arrow18_test

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/adapters/arrow18"
)

// Every type, in several forms, goes to v15 and back: the same cells in the same memory. The bytes live as long as the last of the
// three arrays, whichever that is.
func TestEveryType(t *testing.T) {
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for _, c := range everyType() {
		t.Run(c.name, func(t *testing.T) {
			mem := checked18(t)
			whole := c.build(t, mem)
			defer whole.Release()
			all := forms(mem, whole)
			all["whole"] = c.build(t, mem)
			for name, arr := range all {
				t.Run(name, func(t *testing.T) {
					for _, order := range orders {
						arr.Retain()
						there, back := thereAndBack(t, arr)
						releaseInOrder(t, order, arr, there, back)
					}
				})
				arr.Release()
			}
		})
	}
}

func thereAndBack(t *testing.T, arr arrow.Array) (arrow15.Array, arrow.Array) {
	t.Helper()
	there, err := arrow18.FromArray(arr)
	if err != nil {
		t.Fatal(err)
	}
	back, err := arrow18.ToArray(there)
	if err != nil {
		t.Fatal(err)
	}
	if want, got := tree18(arr.Data()), tree15(there.Data()); got != want {
		t.Errorf("there\n got %s\nwant %s", got, want)
	}
	if want, got := tree18(arr.Data()), tree18(back.Data()); got != want {
		t.Errorf("back\n got %s\nwant %s", got, want)
	}
	if want, got := cells(arr), cells(there); got != want {
		t.Errorf("there\n got %s\nwant %s", got, want)
	}
	if !array.Equal(arr, back) && arr.DataType().ID() != arrow.FLOAT16 && arr.DataType().ID() != arrow.FLOAT32 && arr.DataType().ID() != arrow.FLOAT64 {
		t.Errorf("back: %v, want %v", back, arr)
	}
	return there, back
}

// releaseInOrder releases the three, and reads those that are left after each.
func releaseInOrder(t *testing.T, order []int, arrs ...interface{ Release() }) {
	t.Helper()
	want := cellsOf(arrs[0])
	for k, i := range order {
		arrs[i].Release()
		for _, left := range order[k+1:] {
			if got := cellsOf(arrs[left]); got != want {
				t.Errorf("released %v: array %d has\n%s, want\n%s", order[:k+1], left, got, want)
			}
		}
	}
}

func cellsOf(arr any) string {
	switch arr := arr.(type) {
	case arrow.Array:
		return cells(arr)
	case arrow15.Array:
		return cells(arr)
	}
	panic("neither version")
}

// The other way: arrays that v15 made, each released in both orders.
func TestEveryTypeOfV15(t *testing.T) {
	for _, c := range everyType() {
		t.Run(c.name, func(t *testing.T) {
			schema, err := arrow18.FromSchema(arrow.NewSchema([]arrow.Field{{Name: "x", Type: c.dt}}, nil))
			if err != nil {
				t.Fatal(err)
			}
			mem := checked15(t)
			for _, first := range []int{0, 1} {
				whole := build15(t, mem, schema.Field(0).Type, c.cells)
				arr := array15.NewSlice(whole, 1, 5)
				whole.Release()
				there, err := arrow18.ToArray(arr)
				if err != nil {
					t.Fatal(err)
				}
				if want, got := tree15(arr.Data()), tree18(there.Data()); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				releaseInOrder(t, []int{first, 1 - first}, arr, there)
			}
		})
	}
}

// References may be taken and given back many times on both sides.
func TestRetain(t *testing.T) {
	for _, c := range everyType() {
		t.Run(c.name, func(t *testing.T) {
			arr := c.build(t, checked18(t))
			there, back := thereAndBack(t, arr)
			want := cells(arr)
			for range 3 {
				there.Retain()
				back.Retain()
				there.Release()
			}
			arr.Release()
			there.Release()
			for range 3 {
				if got := cells(back); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				back.Release()
			}
			back.Release()
		})
	}
}

// What goes there and back has the very buffers that it began with, so that going round and round adds nothing.
func TestRoundAndRound(t *testing.T) {
	for _, c := range everyType() {
		t.Run(c.name, func(t *testing.T) {
			arr := c.build(t, checked18(t))
			defer arr.Release()
			there, back := thereAndBack(t, arr)
			defer there.Release()
			defer back.Release()
			if want, got := pointers(arr.Data()), pointers(back.Data()); !slices.Equal(want, got) {
				t.Errorf("buffers %v, want %v", got, want)
			}
		})
	}
}

func pointers(d arrow.ArrayData) []*memory.Buffer {
	out := slices.Clone(d.Buffers())
	for _, kid := range d.Children() {
		out = append(out, pointers(kid)...)
	}
	return out
}
