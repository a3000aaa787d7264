package frame_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/take"
)

// TestTakeError: what a take can't do has the names of the input and the column, and the documented sentinel; other errors stay what they are.
func TestTakeError(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int8}, {Name: "long text", Type: arrow.BinaryTypes.String}}, nil)
	inner := arrow.ListOf(arrow.BinaryTypes.String)
	column := func(err error) error { return fmt.Errorf("taking: %w", &take.ColumnError{Index: 1, Err: err}) }
	err := frame.TakeError("batches", schema, column(&take.SizeError{Type: inner, Size: 1 << 32, Limit: 1 << 31, Unit: take.Elements}))
	var size *onerow.SizeError
	want := onerow.SizeError{Column: "long text", Type: inner, Size: 1 << 32, Limit: 1 << 31, Unit: take.Elements}
	if !errors.As(err, &size) || *size != want || !errors.Is(err, onerow.ErrTooLarge) {
		t.Errorf("size: error %v", err)
	}
	err = frame.TakeError("against", schema, column(&take.DataError{Type: inner, Why: "no offsets"}))
	start := fmt.Sprintf(`against: column "long text" of type %v: `, inner)
	if text := fmt.Sprint(err); !errors.Is(err, onerow.ErrMalformed) || !strings.HasPrefix(text, start) || !strings.HasSuffix(text, "no offsets") {
		t.Errorf("data: error %v", err)
	}
	stop := errors.New("stop")
	if err := frame.TakeError("against", schema, column(stop)); !errors.Is(err, stop) || err.Error() != `against: column "long text": stop` {
		t.Errorf("of a column: error %v", err)
	}
	if err := frame.TakeError("against", schema, stop); err != stop {
		t.Errorf("of no column: error %v", err)
	}
}

// TestBytes: the buffers as they are, all of them below too, whatever part of them the rows are.
func TestBytes(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, test := range []struct {
		column string
		cells  []any
		want   int64
	}{
		{"c:null", []any{nil, nil}, 0},
		{"c:int32", []any{1, 2, 3}, 12},
		{"c:int32", []any{1, nil, 3}, 12 + 1},
		{"c:string", []any{"ab", "", "cde"}, 16 + 5},
		{"c:dict<int8,string>", []any{"ab", "ab", "cde"}, 3 + 12 + 5},
		{"c:ree<int16>", []any{7, 7, 7, 8}, 8 + 4},
		{"c:struct<a:int8,b:list<int64>>", []any{map[string]any{"a": 1, "b": []any{1, 2}}, nil}, 1 + 2 + 12 + 16},
	} {
		var rows [][]any
		for _, c := range test.cells {
			rows = append(rows, []any{c})
		}
		rec := arrowtest.Table(t, mem, []string{test.column}, rows)[0]
		if got := frame.Bytes(rec); got != test.want {
			t.Errorf("%s of %v: %d bytes, want %d", test.column, test.cells, got, test.want)
		}
		part := rec.NewSlice(1, 1)
		if got := frame.Bytes(part); got != test.want {
			t.Errorf("a slice of %s of %v: %d bytes, want %d", test.column, test.cells, got, test.want)
		}
		part.Release()
	}
}
