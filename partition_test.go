package onerow_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// partitionOf deals rows out and checks that each is in one list, and that lists are in ascending order. It returns the
// partition of each row.
func partitionOf(t *testing.T, batches []arrow.Record, key []string, n int) []int {
	t.Helper()
	parts, err := onerow.Partition(t.Context(), batches, key, n)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if len(parts) != n {
		t.Fatalf("%d lists of %d partitions", len(parts), n)
	}
	var total int64
	for _, b := range batches {
		total += b.NumRows()
	}
	of := make([]int, total)
	seen := make([]bool, total)
	var listed int64
	for p, rows := range parts {
		if !slices.IsSorted(rows) {
			t.Errorf("partition %d isn't in ascending order", p)
		}
		for _, r := range rows {
			if seen[r] {
				t.Fatalf("row %d is listed twice", r)
			}
			seen[r], of[r] = true, p
		}
		listed += int64(len(rows))
	}
	if listed != total {
		t.Fatalf("%d rows listed of %d", listed, total)
	}
	return of
}

// golden is a key and its partition of 1<<20, frozen: shards of a job may run different versions.
type golden struct {
	Columns   []string `json:"columns"`
	Row       []any    `json:"row"`
	Partition int      `json:"partition"`
}

func readGolden(t *testing.T) (all []golden) {
	t.Helper()
	f, err := os.Open("testdata/partition.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		d := json.NewDecoder(strings.NewReader(s.Text()))
		d.UseNumber()
		var g golden
		if err := d.Decode(&g); err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		all = append(all, g)
	}
	return all
}

func names(columns []string) (names []string) {
	for _, c := range columns {
		name, _, _ := strings.Cut(c, ":")
		names = append(names, name)
	}
	return names
}

// TestPartitionGolden compares keys of every family with their frozen partitions, and these with the hash as it is documented,
// computed anew here. Other encodings are dealt out over fewer partitions, of which each is a run of the frozen ones.
func TestPartitionGolden(t *testing.T) {
	all := readGolden(t)
	if len(all) < 80 {
		t.Fatalf("%d golden keys", len(all))
	}
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(g golden) bool { return !slices.Equal(g.Columns, all[0].Columns) })
		if n < 0 {
			n = len(all)
		}
		partitionGolden(t, all[:n])
		all = all[n:]
	}
}

// partitionGolden deals out keys of the same columns.
func partitionGolden(t *testing.T, keys []golden) {
	const fewer = 1 << 10
	mem := arrowtest.Allocator(t)
	columns := keys[0].Columns
	var rows [][]any
	for _, g := range keys {
		rows = append(rows, g.Row)
	}
	batches := arrowtest.Table(t, mem, columns, rows)
	values := arrowtest.All(batches)
	for i, p := range partitionOf(t, batches, names(columns), onerow.MaxPartitions) {
		if want := keys[i].Partition; p != want || documented(values[i], onerow.MaxPartitions) != want {
			t.Errorf("%v %s: partition %d, by the documentation %d, frozen is %d", columns, arrowtest.FormatRow(values[i]), p,
				documented(values[i], onerow.MaxPartitions), want)
		}
	}
	variants := arrowtest.Variants(mem, batches)
	defer variants.Release()
	for _, v := range variants {
		for i, p := range partitionOf(t, v.Batches, names(columns), fewer) {
			if want := keys[i].Partition / (onerow.MaxPartitions / fewer); p != want {
				t.Errorf("%v %s, %s: partition %d of %d, want %d", columns, arrowtest.FormatRow(values[i]), v.Name, p, fewer, want)
			}
		}
	}
}

// TestPartitionOfEqualKeys: equal keys are in one partition, whatever their types.
func TestPartitionOfEqualKeys(t *testing.T) {
	const n = 1 << 14
	num := func(text string) any { return map[string]any{"i": text} }
	float := func(text string) any { return map[string]any{"f": text} }
	pair := func(a, b any) any { return map[string]any{"a": a, "b": b} }
	long := "a text of more than fifteen bytes"
	for _, test := range []struct {
		types []string
		cell  any
	}{
		{[]string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "dict<int8,int32>", "ree<uint8>"}, 7},
		{[]string{"int8", "int16", "int32", "int64"}, -1},
		{[]string{"int64", "uint64"}, num("9223372036854775807")},
		{[]string{"float16", "float32", "float64", "dict<int8,float32>"}, 1.5},
		{[]string{"float16", "float32", "float64"}, float("NaN")},
		{[]string{"decimal(10,2)", "decimal(38,20)", "decimal256(12,1)", "decimal256(76,40)", "decimal(5,1)"}, "-12.5"},
		{[]string{"string", "large_string", "string_view", "dict<int8,string>", "ree<large_string>"}, ""},
		{[]string{"string", "large_string", "string_view", "dict<int8,string>", "ree<large_string>"}, "exactly 15 byte"},
		{[]string{"string", "large_string", "string_view", "dict<int8,string>", "ree<large_string>"}, "exactly 16 bytes"},
		{[]string{"string", "large_string", "string_view", "dict<int8,string>", "ree<large_string>"}, long},
		{[]string{"binary", "large_binary", "binary_view", "fsb(4)"}, []byte{0, 1, 0, 255}},
		{[]string{"date32", "date64"}, "1969-12-31"},
		{[]string{"time32[s]", "time32[ms]", "time64[us]", "time64[ns]"}, "09:00:01"},
		{[]string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"}, "1969-12-31T23:59:59"},
		{[]string{"timestamp[s,UTC]", "timestamp[ms,Europe/Vienna]", "timestamp[us,+02:00]", "timestamp[ns,UTC]"}, "2026-01-31T09:00:00Z"},
		{[]string{"struct<a:int8,b:string>", "struct<a:int64,b:large_string>", "struct<a:uint16,b:dict<int8,string>>"}, pair(7, "x")},
		{[]string{"struct<a:int8,b:string>", "struct<a:int64,b:large_string>"}, pair(nil, long)},
		{[]string{"list<int8>", "large_list<int64>", "fsl<int16,2>"}, []any{1, nil}},
		{[]string{"null", "int8", "string", "struct<a:int8>", "decimal(5,1)", "dict<int8,string>", "ree<date32>", "list<int8>"}, nil},
	} {
		mem := arrowtest.Allocator(t)
		for _, beside := range []string{"", "b:int32", "b:string"} {
			want := -1
			for _, typ := range test.types {
				columns, row := []string{"k:" + typ}, []any{test.cell}
				switch beside {
				case "b:int32":
					columns, row = append(columns, beside), append(row, 7)
				case "b:string":
					columns, row = append([]string{beside}, columns...), append([]any{"a"}, row...)
				}
				got := partitionOf(t, arrowtest.Table(t, mem, columns, [][]any{row}), names(columns), n)[0]
				if want < 0 {
					want = got
				}
				if got != want {
					t.Errorf("%v %v: partition %d as %s, %d as %s", columns, row, got, typ, want, test.types[0])
				}
			}
		}
	}
	mem := arrowtest.Allocator(t)
	zeros := arrowtest.Table(t, mem, []string{"k:float64"}, [][]any{{0.0}, {float("-0")}, {float("NaN")}, {float("NaN#1")}})
	if p := partitionOf(t, zeros, []string{"k"}, n); p[0] != p[1] || p[2] != p[3] || p[0] == p[2] {
		t.Errorf("zeros and NaNs are in partitions %v", p)
	}
}

// TestPartitionRows deals out thousands of rows over few and many partitions: each row once, equal keys together, whatever the
// number of batches.
func TestPartitionRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 6))
	for _, columns := range [][]string{{"k:int64"}, {"k:int16", "l:string"}, {"k:string"}, {"l:float32", "k:dict<int16,int32>"}} {
		mem := arrowtest.Allocator(t)
		var rows [][]any
		for range 5000 {
			row := make([]any, len(columns))
			for i, c := range columns {
				switch n := rnd.IntN(600); {
				case n%50 == 0:
				case strings.HasSuffix(c, ":string"):
					row[i] = fmt.Sprintf("customer number %d", n)
				default:
					row[i] = n
				}
			}
			rows = append(rows, row)
		}
		whole := arrowtest.Table(t, mem, columns, rows)
		cut := arrowtest.Batches(t, mem, columns, nil, rows[:1], rows[1:2500], nil, rows[2500:])
		for _, n := range []int{1, 2, 7, 1000, onerow.MaxPartitions} {
			of := partitionOf(t, whole, names(columns), n)
			if !slices.Equal(of, partitionOf(t, cut, names(columns), n)) {
				t.Errorf("%v, %d partitions: other ones by other batches", columns, n)
			}
			known, used := map[string]int{}, map[int]bool{}
			for r, v := range arrowtest.All(whole) {
				key := arrowtest.FormatRow(v)
				if p, ok := known[key]; ok && p != of[r] {
					t.Fatalf("%v, %d partitions: the key %s is in partitions %d and %d", columns, n, key, p, of[r])
				}
				known[key], used[of[r]] = of[r], true
			}
			if len(used) < min(n, len(known))/2 {
				t.Errorf("%v, %d partitions: %d keys are in %d of them", columns, n, len(known), len(used))
			}
		}
	}
}

// TestPartitionEven spreads keys that lie close to each other over partitions as even as chance would.
func TestPartitionEven(t *testing.T) {
	const keys = 1 << 16
	for name, test := range map[string]struct {
		columns []string
		row     func(i int) []any
	}{
		"ascending":   {[]string{"k:int64"}, func(i int) []any { return []any{i} }},
		"steps":       {[]string{"k:int64"}, func(i int) []any { return []any{int64(i) << 24} }},
		"descending":  {[]string{"k:int32"}, func(i int) []any { return []any{-i} }},
		"floats":      {[]string{"k:float64"}, func(i int) []any { return []any{float64(i)} }},
		"texts":       {[]string{"k:string"}, func(i int) []any { return []any{fmt.Sprint("c", i)} }},
		"long texts":  {[]string{"k:string"}, func(i int) []any { return []any{fmt.Sprintf("https://example.org/customers/%d", i)} }},
		"pairs":       {[]string{"k:int32", "l:int32"}, func(i int) []any { return []any{i >> 8, i & 255} }},
		"mirrored":    {[]string{"k:int32", "l:int32"}, func(i int) []any { return []any{i, i} }},
		"text pairs":  {[]string{"k:string", "l:string"}, func(i int) []any { return []any{fmt.Sprint(i >> 8), fmt.Sprint(i & 255)} }},
		"days":        {[]string{"k:timestamp[us]"}, func(i int) []any { return []any{int64(i) * int64(86_400_000_000)} }},
		"decimals":    {[]string{"k:decimal(20,2)"}, func(i int) []any { return []any{fmt.Sprintf("%d.25", i)} }},
		"lists":       {[]string{"k:list<int32>"}, func(i int) []any { return []any{[]any{i >> 8, i & 255}} }},
		"with a NULL": {[]string{"k:int32", "l:int32"}, func(i int) []any { return []any{nil, i} }},
	} {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			rows := make([][]any, keys)
			for i := range rows {
				rows[i] = test.row(i)
			}
			batches := arrowtest.Table(t, mem, test.columns, rows)
			for _, n := range []int{3, 64, 1000} {
				parts, err := onerow.Partition(t.Context(), batches, names(test.columns), n)
				if err != nil {
					t.Fatal(err)
				}
				// The sum over partitions of (rows - expected)² / expected is n-1 on average, with a deviation of √(2n).
				var chi float64
				want := float64(keys) / float64(n)
				for _, p := range parts {
					chi += (float64(len(p)) - want) * (float64(len(p)) - want) / want
				}
				if limit := float64(n) + 6*sqrt(2*float64(n)); chi > limit {
					t.Errorf("%d partitions: chi square %.0f, more than %.0f", n, chi, limit)
				}
			}
		})
	}
}

func sqrt(x float64) float64 {
	r := x
	for range 60 {
		r = (r + x/r) / 2
	}
	return r
}

func TestPartitionErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	table := arrowtest.Table(t, mem, []string{"k:int64", "m:map<string,int8>", "v:string", "v:string"}, nil)
	other := arrowtest.Table(t, mem, []string{"k:int32", "m:map<string,int8>", "v:string", "v:string"}, nil)
	for _, test := range []struct {
		name    string
		batches []arrow.Record
		key     []string
		n       int
		is      []error
		says    []string
	}{
		{"no partitions", table, []string{"k"}, 0, []error{onerow.ErrOption}, []string{"0 partitions, of 1 to 1048576"}},
		{"fewer than none", table, []string{"k"}, -1, []error{onerow.ErrOption}, nil},
		{"too many", table, []string{"k"}, onerow.MaxPartitions + 1, []error{onerow.ErrOption}, []string{"1048577"}},
		{"no key", table, nil, 4, []error{onerow.ErrNoKey}, nil},
		{"a key of nothing", table, []string{}, 4, []error{onerow.ErrNoKey}, nil},
		{"a missing column", table, []string{"k", "x"}, 4, []error{onerow.ErrNoColumn}, []string{`"x"`, "batches", "k, m, v, v"}},
		{"an ambiguous column", table, []string{"v"}, 4, []error{onerow.ErrNoColumn}, []string{`"v"`, "2 columns"}},
		{"a map", table, []string{"m"}, 4, []error{onerow.ErrType}, []string{`"m"`, "map"}},
		{"a column twice", table, []string{"k", "k"}, 4, []error{onerow.ErrOption}, []string{`the key names column "k" twice`}},
		{"several", table, []string{"x", "m", "k", "k"}, 4, []error{onerow.ErrNoColumn, onerow.ErrType, onerow.ErrOption}, nil},
		{"two schemas", []arrow.Record{table[0], other[0]}, []string{"k"}, 4, []error{onerow.ErrSchema}, []string{"batch 1", `"k"`, "int64", "int32"}},
	} {
		parts, err := onerow.Partition(t.Context(), test.batches, test.key, test.n)
		for _, is := range test.is {
			if !errors.Is(err, is) {
				t.Errorf("%s: error %v, want %q", test.name, err, is)
			}
		}
		for _, says := range test.says {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v doesn't say %s", test.name, err, says)
			}
		}
		if parts != nil {
			t.Errorf("%s: parts with an error", test.name)
		}
	}
	if parts, err := onerow.Partition(t.Context(), nil, []string{"k"}, 4); err != nil || len(parts) != 4 {
		t.Errorf("without batches: %v, %v", parts, err)
	}
	// Nothing is in as many partitions.
	for _, p := range partitionOf(t, table, []string{"k"}, 3) {
		t.Errorf("a row in partition %d of a table without rows", p)
	}
}

// TestPartitionTooManyRows: batches of the null type may claim any number of rows.
func TestPartitionTooManyRows(t *testing.T) {
	const most = 1<<31 - 1
	col := array.NewNull(most)
	defer col.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.Null, Nullable: true}}, nil), []arrow.Array{col}, most)
	defer rec.Release()
	batches := []arrow.Record{rec, rec, rec}
	if _, err := onerow.Partition(t.Context(), batches, []string{"k"}, 4); !errors.Is(err, onerow.ErrTooManyRows) {
		t.Errorf("Partition: %v", err)
	}
	if _, err := onerow.Take(t.Context(), batches, onerow.Rows{0}, onerow.Resources{}); !errors.Is(err, onerow.ErrTooManyRows) {
		t.Errorf("Take: %v", err)
	}
}

// TestPartitionMalformed names the column whose buffers contradict its shape, where that is seen before the work.
func TestPartitionMalformed(t *testing.T) {
	short := []*memory.Buffer{memory.NewBufferBytes([]byte{1}), memory.NewBufferBytes(make([]byte, 100))}
	col := array.MakeFromData(array.NewData(arrow.PrimitiveTypes.Int8, 100, short, nil, array.UnknownNullCount, 0))
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: col.DataType(), Nullable: true}}, nil), []arrow.Array{col}, 100)
	_, err := onerow.Partition(t.Context(), []arrow.Record{rec}, []string{"k"}, 4)
	if !errors.Is(err, onerow.ErrMalformed) || !strings.Contains(err.Error(), `column "k"`) {
		t.Errorf("%v", err)
	}
}

// polls is a context that ends when it has been asked so often.
type polls struct {
	context.Context
	left int
}

func (p *polls) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestPartitionCanceled ends the context at each point at which Partition looks at it, and counts these points: one in
// some ten thousand rows at least, while keys are read and while rows are listed.
func TestPartitionCanceled(t *testing.T) {
	const rows = 300_000
	mem := arrowtest.Allocator(t)
	b := array.NewInt64Builder(mem)
	defer b.Release()
	for i := range rows {
		b.Append(int64(i))
	}
	col := b.NewArray()
	defer col.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: col.DataType()}}, nil), []arrow.Array{col}, rows)
	defer rec.Release()
	for n := range 100 {
		ctx := &polls{t.Context(), n}
		parts, err := onerow.Partition(ctx, []arrow.Record{rec}, []string{"k"}, 4)
		if err == nil {
			if n < 2*rows/70_000 {
				t.Errorf("Partition looks at the context %d times in %d rows", n, rows)
			}
			return
		}
		if err != context.Canceled || parts != nil {
			t.Fatalf("at point %d: %v", n, err)
		}
	}
	t.Error("Partition looks at the context a hundred times")
}
