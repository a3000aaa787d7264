package frame_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
)

// everyColumn has a column of every type that a table of tests can have, and n rows, some of them all NULL.
func everyColumn(t *testing.T, mem memory.Allocator, n int) []arrow.Record {
	t.Helper()
	columns := []string{"a:null", "b:bool", "c:int8", "d:uint64", "e:float16", "f:float64", "g:string", "h:large_string", "i:string_view", "j:large_binary",
		"k:fsb(3)", "l:date32", "m:timestamp[us,UTC]", "n:decimal(10,2)", "o:decimal256(50,9)", "p:dict<int16,string>", "q:ree<int32>",
		"r:list<struct<a:int8,b:string>>", "s:fsl<int16,2>", "t:struct<a:dict<int16,string>,b:ree<bool>>", "u:large_list<string_view>", "v:map<string,string>"}
	rows := make([][]any, n)
	for i := range rows {
		text := strings.Repeat("long ", i*i%17)
		rows[i] = []any{nil, i%2 == 0, i % 100, i, float64(i % 100), float64(i) / 4, text, fmt.Sprint(i), text, arrowtest.Bytes(text + "\xff"), arrowtest.Bytes("abc"),
			i, i, fmt.Sprint(i), fmt.Sprint(i), fmt.Sprint(i % 5), i / 2, []any{map[string]any{"a": i % 100, "b": text}, nil}[:i%3],
			[]any{i % 100, nil}, map[string]any{"a": "y", "b": true}, []any{text, "", nil}[:i%4], []any{map[string]any{"key": text, "value": nil}}[:i%2]}
		if i%7 == 3 {
			rows[i] = make([]any, len(columns))
		}
	}
	return arrowtest.Table(t, mem, columns, rows)
}

// rowBytes are the bytes of each row, told cell by cell.
func rowBytes(t *testing.T, recs []arrow.Record) []int64 {
	t.Helper()
	var out []int64
	for _, rec := range recs {
		each := make([]int64, rec.NumRows())
		for _, c := range rec.Columns() {
			a, err := form.Of(c)
			if err != nil {
				t.Fatal(err)
			}
			for i := range each {
				each[i] += a.PlainBytes(i, i+1)
			}
		}
		out = append(out, each...)
	}
	return out
}

// fitting is what Fit is to return.
func fitting(each []int64, rows []uint32, room int64) int {
	for n, row := range rows {
		if room -= each[row]; room < 0 {
			return max(1, n)
		}
	}
	return len(rows)
}

func sum(each []int64, rows []uint32) (n int64) {
	for _, row := range rows {
		n += each[row]
	}
	return n
}

// checkFit compares Fit with the model, for lists in and out of order and for room that is just enough, and just not.
func checkFit(t *testing.T, name string, recs []arrow.Record, rnd *rand.Rand) {
	t.Helper()
	s, err := frame.NewSizes("batches", recs...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	each := rowBytes(t, recs)
	all := make([]uint32, len(each))
	for i := range all {
		all[i] = uint32(i)
	}
	if total, err := s.Total(); err != nil || total != sum(each, all) {
		t.Errorf("%s: %d bytes in all, error %v, want %d", name, total, err, sum(each, all))
	}
	var some []uint32 // ascending
	for _, row := range all {
		if rnd.IntN(3) > 0 {
			some = append(some, row)
		}
	}
	shuffled := slices.Clone(all)
	rnd.Shuffle(len(all), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for k, rows := range [][]uint32{all, some, shuffled, append(slices.Clone(some), shuffled...), {}} {
		rooms := []int64{-1 << 40, -1, 0, 1, 1 << 60}
		for range 3 {
			some := sum(each, rows[:rnd.IntN(len(rows)+1)])
			rooms = append(rooms, some-1, some, some+1)
		}
		for _, room := range rooms {
			if n, err := s.Fit(rows, room); err != nil || n != fitting(each, rows, room) {
				t.Fatalf("%s: %d of the %d rows of list %d fit %d bytes, error %v, want %d", name, n, len(rows), k, room, err, fitting(each, rows, room))
			}
		}
	}
}

// TestFit: as many rows as there is room for, in every type and form.
func TestFit(t *testing.T) {
	mem := arrowtest.Allocator(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	variants := arrowtest.Variants(mem, everyColumn(t, mem, 20))
	defer variants.Release()
	for _, v := range variants {
		checkFit(t, v.Name, v.Batches, rnd)
	}
	checkFit(t, "nothing", nil, rnd)
}

// TestFitColumns: of each type alone, as rows of one width are counted otherwise than texts.
func TestFitColumns(t *testing.T) {
	mem := arrowtest.Allocator(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	variants := arrowtest.Variants(mem, everyColumn(t, mem, 20))
	defer variants.Release()
	for _, v := range variants {
		if !strings.Contains(v.Name, "cut 3") && !strings.Contains(v.Name, "given") {
			continue
		}
		for i, f := range v.Batches[0].Schema().Fields() {
			var recs []arrow.Record
			for _, b := range v.Batches {
				rec := array.NewRecord(arrow.NewSchema([]arrow.Field{f}, nil), []arrow.Array{b.Column(i)}, b.NumRows())
				defer rec.Release()
				recs = append(recs, rec)
			}
			checkFit(t, fmt.Sprintf("%s, %v", v.Name, f), recs, rnd)
		}
	}
}

// TestFitLong: lists longer than what is looked at together, over records that end anywhere.
func TestFitLong(t *testing.T) {
	mem := arrowtest.Allocator(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	rows := make([][]any, 7000)
	for i := range rows {
		rows[i] = []any{i, strings.Repeat("x", i*i%37)}
	}
	for range 4 {
		var batches [][][]any
		for left := rows; len(left) > 0; {
			n := min(len(left), []int{0, 1, 1024, 1025, 3000}[rnd.IntN(5)])
			batches, left = append(batches, left[:n]), left[n:]
		}
		recs := arrowtest.Batches(t, mem, []string{"n:int32", "s:string"}, append(batches, nil)...)
		checkFit(t, fmt.Sprintf("%d records", len(recs)), recs, rnd)
	}
}
