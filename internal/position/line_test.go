package position_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/position"
)

// family is types of comparable columns, and cells; a column leaves out those that its type can't hold.
type family struct {
	types []string
	cells []any
}

func whole(n any) any { return map[string]any{"i": fmt.Sprint(n)} }

func float(s string) any { return map[string]any{"f": s} }

var families = map[string]family{
	"bool": {[]string{"bool"}, []any{true, false}},
	"int": {[]string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"},
		[]any{0, 1, -1, 127, 128, -128, 32768, math.MaxInt32, math.MinInt32, whole(int64(math.MaxUint32)), whole(int64(math.MaxInt64)), whole(int64(math.MinInt64))}},
	"natural": {[]string{"uint64", "int64", "int8", "uint16"}, []any{0, 1, 7, whole(int64(math.MaxInt64)), whole(uint64(1 << 63)), whole(uint64(math.MaxUint64))}},
	"sign":    {[]string{"uint64", "int64", "int8"}, []any{0, 1, -1, whole(int64(math.MaxInt64)), whole(int64(math.MinInt64))}},
	"mixed": {[]string{"uint64", "int64", "int32"},
		[]any{0, 1, 2, -1, -2, whole(int64(math.MaxInt64)), whole(int64(math.MinInt64)), whole(uint64(1 << 63)), whole(uint64(math.MaxUint64)), whole(uint64(math.MaxUint64 - 1))}},
	"float": {[]string{"float16", "float32", "float64"},
		[]any{0, float("-0"), 1, -1, 1.5, float("NaN"), float("NaN#1"), float("NaN#3"), float("Infinity"), float("-Infinity"), 65504, -65504, 0.1, 1e300, -1e300,
			math.Float64frombits(1), math.Float64frombits(0xfff8000000000009)}},
	"decimal": {[]string{"decimal(38,10)"}, []any{"0", "1", "-1", "1.25", "-0.05", "922337203.6854775807", "-922337203.6854775808"}},
	"clamped": {[]string{"decimal(38,10)", "decimal256(76,10)"},
		[]any{"0", "-1", "922337203.6854775806", "922337203.6854775807", "922337203.6854775808", "-922337203.6854775808", "-922337203.6854775809", strings.Repeat("9", 28),
			"-" + strings.Repeat("9", 28)}},
	"scales": {[]string{"decimal(38,10)", "decimal(5,2)", "decimal256(76,0)", "decimal(38,-30)"}, []any{"0", "1", "1.25", "-1.25", "-1", "1" + strings.Repeat("0", 31)}},
	"text": {[]string{"string", "large_string", "string_view", "dict<int8,string>", "ree<string>"},
		[]any{"", "\x00", "a", "a\x00", "a\x00\x00", "abcdefgh", "abcdefgh\x00", "abcdefghi", "abcdefgi", "\xff\xff\xff\xff\xff\xff\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff", "2026-01-31", "2026-01-30"}},
	"binary": {[]string{"binary", "large_binary", "binary_view", "fsb(2)"}, []any{[]byte{}, []byte{0}, []byte{0, 0}, []byte{255, 255}, []byte{255}, []byte("abcdefghij")}},
	"date": {[]string{"date32", "date64"},
		[]any{0, 1, -1, "2026-01-31", "9999-12-31", whole(math.MaxInt32), whole(math.MinInt32), whole(int64(math.MaxInt64)), whole(int64(math.MinInt64)), 86_400_000}},
	"time":     {[]string{"time32[s]", "time32[ms]", "time64[us]", "time64[ns]"}, []any{0, 1, -1, "09:00:00", "23:59:59", "09:00:00.001", "09:00:00.000000001", whole(math.MaxInt32)}},
	"naive":    {[]string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "dict<int8,timestamp[us]>"}, []any{0, 1, -1, "2026-01-31T09:00:00", "2026-01-31T09:00:00.25", "9999-12-31T23:59:59"}},
	"boundary": {[]string{"timestamp[s]", "timestamp[us]", "timestamp[ns]"}, []any{0, whole(int64(9223372036)), whole(int64(-9223372036)), whole(int64(9223372036854775)), whole(int64(math.MaxInt64)), whole(int64(math.MinInt64))}},
	"sentinels": {[]string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"},
		[]any{0, -1, "2026-01-31T09:00:00", "9999-12-31T00:00:00", "0001-01-01T00:00:00", whole(int64(9223372036))}},
	"ends": {[]string{"timestamp[s]", "timestamp[us]", "timestamp[ns]"}, []any{0, -1, "9999-12-31T00:00:00", whole(int64(math.MaxInt64 - 1)), whole(int64(math.MinInt64 + 1))}},
	"far": {[]string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"},
		[]any{0, -1, "2026-01-31T09:00:00", "9999-12-31T00:00:00", whole(int64(9223372036)), whole(int64(9223372037)), whole(int64(-9223372037)), whole(int64(math.MaxInt64)), whole(int64(math.MinInt64)), whole(int64(18446744073))}},
	"instant":  {[]string{"timestamp[s,UTC]", "timestamp[us,+05:30]", "ree<timestamp[ms,UTC]>"}, []any{0, 1, -1, "2026-01-31T09:00:00Z", "2026-01-31T10:00:00+01:00"}},
	"duration": {[]string{"duration[s]", "duration[ms]", "duration[us]", "duration[ns]"}, []any{0, 1, -1, 1000, -1000, whole(int64(math.MaxInt64)), whole(int64(math.MinInt64))}},
	"null":     {[]string{"null", "int8", "string", "float64"}, nil},
}

// forms has each type of a family as one column in each of its variants.
func forms(t *testing.T, mem memory.Allocator, r *rand.Rand, f family) (out [][]*form.Column) {
	t.Helper()
	for _, typ := range f.types {
		schema, err := arrowtest.Schema([]string{"c:" + typ})
		if err != nil {
			t.Fatal(err)
		}
		cells := [][]any{{nil}}
		for range 30 {
			var c any
			if len(f.cells) > 0 && r.IntN(6) > 0 {
				c = f.cells[r.IntN(len(f.cells))]
			}
			if v, err := arrowtest.Value(form.Logical(schema.Field(0).Type), c); err == nil {
				cells = append(cells, []any{v})
			}
		}
		r.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		rec, err := arrowtest.Record(mem, schema, cells)
		if err != nil {
			t.Fatal(err)
		}
		variants := arrowtest.Variants(mem, []arrow.Record{rec})
		rec.Release()
		t.Cleanup(variants.Release)
		var cols []*form.Column
		for _, v := range variants {
			cols = append(cols, column(t, v.Batches))
		}
		out = append(out, cols)
	}
	return out
}

// choose takes up to four columns of a family; of the all-NULL one they are of one type and the null type.
func choose(r *rand.Rand, forms [][]*form.Column, oneType bool) (cols []*form.Column) {
	one := r.IntN(len(forms))
	for range 1 + r.IntN(4) {
		k := r.IntN(len(forms))
		if oneType && k != 0 {
			k = one
		}
		cols = append(cols, forms[k][r.IntN(len(forms[k]))])
	}
	return cols
}

func column(t testing.TB, batches []arrow.Record) *form.Column {
	t.Helper()
	var arrs []arrow.Array
	var lens []int
	for _, b := range batches {
		arrs, lens = append(arrs, b.Column(0)), append(lens, int(b.NumRows()))
	}
	chunks, err := form.OfAll(arrs)
	if err != nil {
		t.Fatal(err)
	}
	return &form.Column{Name: "c", Type: batches[0].Schema().Field(0).Type, Chunks: chunks, Layout: form.NewLayout(lens)}
}

// words reads a column in blocks of uneven lengths and compares what it reads with At.
func words(t *testing.T, l *position.Line, col int, c *form.Column) (all []uint64) {
	t.Helper()
	room, null := make([]uint64, 5000), make([]uint8, 5000)
	for k := range c.Layout.Chunks() {
		n := int(c.Start(k+1) - c.Start(k))
		for lo, step := 0, 3; lo < n; lo, step = lo+step, step*2 {
			step = min(step, n-lo)
			for i := range null {
				null[i] = 7
			}
			found := false
			got := l.Read(col, k, lo, step, room, null)
			for i := range step {
				row := c.Start(k) + uint32(lo+i)
				w, ok := l.At(col, row)
				isNull := c.Null(row)
				found = found || isNull
				if ok == isNull || (null[i] == 1) != isNull || null[i] > 1 || ok && room[i] != w {
					t.Errorf("row %d (%s): Read has %x, null %d; At %x, %v", row, c.Format(row), room[i], null[i], w, ok)
				}
			}
			if got != found {
				t.Errorf("Read says NULL %v, want %v", got, found)
			}
			all = append(all, room[:step]...)
		}
	}
	return all
}

// TestWords compares all pairs of cells with form.Compare.
func TestWords(t *testing.T) {
	for name, f := range families {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			r := rand.New(rand.NewPCG(uint64(len(name)), 1))
			forms := forms(t, mem, r, f)
			for seed := range uint64(60) {
				cols := choose(r, forms, f.cells == nil)
				l, err := position.New(context.Background(), 1+int(seed%3), cols...)
				if err != nil {
					t.Fatal(err)
				}
				all := make([][]uint64, len(cols))
				for i, c := range cols {
					all[i] = words(t, l, i, c)
				}
				for i, c := range cols {
					for j, d := range cols {
						comparePairs(t, c, d, all[i], all[j])
					}
				}
				if t.Failed() {
					for _, c := range cols {
						t.Logf("seed %d: column of type %v", seed, c.Type)
					}
					return
				}
			}
		})
	}
}

func comparePairs(t *testing.T, c, d *form.Column, v, w []uint64) {
	t.Helper()
	for a := range v {
		for b := range w {
			if c.Null(uint32(a)) || d.Null(uint32(b)) {
				continue
			}
			ka, i := c.At(uint32(a))
			kb, j := d.At(uint32(b))
			if want := form.Compare(c.Chunks[ka], i, d.Chunks[kb], j, form.ByValue); cmp.Compare(v[a], w[b]) != want {
				t.Errorf("words %x of %s and %x of %s, which rank %d", v[a], c.Format(uint32(a)), w[b], d.Format(uint32(b)), want)
			}
		}
	}
}

func table(t *testing.T, mem memory.Allocator, typ string, cells ...any) *form.Column {
	t.Helper()
	var rows [][]any
	for _, c := range cells {
		rows = append(rows, []any{c})
	}
	return column(t, arrowtest.Table(t, mem, []string{"c:" + typ}, rows))
}

// TestBent: one time beyond the line, and one before it, leave the words of the others what the cells are, unless a cell lies at that end.
func TestBent(t *testing.T) {
	const last, first = int64(math.MaxInt64), int64(math.MinInt64)
	for _, test := range []struct {
		name string
		cols [][]any // type, cells; a column of nanoseconds, 0 and 5, comes first
		bent bool
	}{
		{"a sentinel", [][]any{{"timestamp[us]", "9999-12-31T00:00:00", 7}}, true},
		{"in several units", [][]any{{"timestamp[s]", "9999-12-31T00:00:00", nil}, {"timestamp[us]", "9999-12-31T00:00:00"}}, true},
		{"on both sides", [][]any{{"timestamp[s]", "9999-12-31T00:00:00", "0001-01-01T00:00:00"}}, true},
		{"two", [][]any{{"timestamp[s]", "9999-12-31T00:00:00", "9999-12-31T00:00:01"}}, false},
		{"two in two batches", [][]any{{"timestamp[s]", "9999-12-31T00:00:00"}, {"timestamp[s]", "9999-12-31T00:00:01"}}, false},
		{"two in two units", [][]any{{"timestamp[s]", "9999-12-31T00:00:00"}, {"timestamp[us]", "9999-12-31T00:00:00.000001"}}, false},
		{"two before", [][]any{{"timestamp[s]", "0001-01-01T00:00:00"}, {"timestamp[ms]", "0001-01-01T00:00:01"}}, false},
		{"a cell at the end", [][]any{{"timestamp[s]", "9999-12-31T00:00:00"}, {"timestamp[ns]", whole(last)}}, false},
		{"a cell at the start", [][]any{{"timestamp[s]", "0001-01-01T00:00:00"}, {"timestamp[ns]", whole(first)}}, false},
		{"a cell beside the end", [][]any{{"timestamp[s]", "9999-12-31T00:00:00"}, {"timestamp[ns]", whole(last - 1), whole(first)}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			cols := []*form.Column{table(t, mem, "timestamp[ns]", 0, 5)}
			for _, c := range test.cols {
				cols = append(cols, table(t, mem, c[0].(string), c[1:]...))
			}
			l, err := position.New(context.Background(), 2, cols...)
			if err != nil {
				t.Fatal(err)
			}
			zero, _ := l.At(0, 0)
			five, _ := l.At(0, 1)
			if apart := five - zero; (apart == 5) != test.bent {
				t.Errorf("5 nanoseconds are %d words; bent should be %v", apart, test.bent)
			}
			if words, ok := l.Step(1); ok {
				t.Errorf("a step is %d words, and cells are far beyond", words)
			}
		})
	}
}

// TestStep: which columns keep their cells as words, and what a step is then.
func TestStep(t *testing.T) {
	for _, test := range []struct {
		name  string
		cols  [][]any // type, cells
		step  uint64
		words uint64
		ok    bool
	}{
		{"integers", [][]any{{"int64", 1}, {"uint8", 2}}, 5, 5, true},
		{"signed and unsigned", [][]any{{"int64", 1}, {"uint64", whole(uint64(math.MaxUint64))}}, 5, 5, true},
		{"signed and unsigned, below", [][]any{{"int64", -1}, {"uint64", whole(int64(math.MaxInt64))}}, 5, 5, true},
		{"signed and unsigned, too far", [][]any{{"int64", -1}, {"uint64", whole(uint64(math.MaxUint64))}}, 5, 0, false},
		{"seconds", [][]any{{"timestamp[s]", whole(int64(math.MaxInt64))}}, 2_500_000_000, 2, true},
		{"seconds and microseconds", [][]any{{"timestamp[s]", "9999-12-31T00:00:00"}, {"timestamp[us]", 0}}, 2_500, 2, true},
		{"at the boundary", [][]any{{"timestamp[s]", whole(int64(9223372036)), whole(int64(-9223372036))}, {"timestamp[ns]", 0}}, 7, 7, true},
		{"beyond the boundary", [][]any{{"timestamp[s]", whole(int64(9223372037))}, {"timestamp[ns]", 0}}, 7, 0, false},
		{"below the boundary", [][]any{{"timestamp[s]", whole(int64(-9223372037))}, {"timestamp[ns]", 0}}, 7, 0, false},
		{"the finer unit is all NULL", [][]any{{"timestamp[s]", whole(int64(9223372037))}, {"timestamp[ns]", nil}}, 2_000_000_000, 2, true},
		{"the far cell is NULL", [][]any{{"timestamp[s]", nil, 3}, {"timestamp[ns]", 0}}, 7, 7, true},
		{"days", [][]any{{"date32", whole(math.MaxInt32)}}, 86_400_000, 1, true},
		{"days and milliseconds", [][]any{{"date32", whole(math.MaxInt32)}, {"date64", 0}}, 86_400_000, 86_400_000, true},
		{"text", [][]any{{"string", "a"}}, 1, 0, false},
		{"decimals of two scales", [][]any{{"decimal(10,2)", "1"}, {"decimal(10,3)", "1"}}, 1, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			var cols []*form.Column
			for _, c := range test.cols {
				cols = append(cols, table(t, mem, c[0].(string), c[1:]...))
			}
			l, err := position.New(context.Background(), 2, cols...)
			if err != nil {
				t.Fatal(err)
			}
			if w, ok := l.Step(test.step); w != test.words || ok != test.ok {
				t.Errorf("a step of %d is %d words, %v; want %d, %v", test.step, w, ok, test.words, test.ok)
			}
		})
	}
}

// texts makes a column of n random digits, of which many repeat.
func texts(t *testing.T, n int) *form.Column {
	mem := arrowtest.Allocator(t)
	b := array.NewStringBuilder(mem)
	defer b.Release()
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		b.Append(fmt.Sprintf("2026-01-31 %06d", r.IntN(n)))
	}
	arr := b.NewArray()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{arr}, int64(n))
	arr.Release()
	t.Cleanup(rec.Release)
	return column(t, []arrow.Record{rec})
}

// TestManyRanks: more cells than are sorted at a time.
func TestManyRanks(t *testing.T) {
	c := texts(t, 70_000)
	l, err := position.New(context.Background(), 3, c, c)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		a, b := r.Uint32N(c.Rows()), r.Uint32N(c.Rows())
		v, _ := l.At(0, a)
		w, _ := l.At(1, b)
		if want := c.Compare(a, b, form.ByValue); cmp.Compare(v, w) != want {
			t.Fatalf("words %d of %s and %d of %s, which rank %d", v, c.Format(a), w, c.Format(b), want)
		}
	}
}

// countdown is a context that ends after it was asked n times.
type countdown struct {
	context.Context
	mu sync.Mutex
	n  int
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel: wherever the context ends, there is no line.
func TestCancel(t *testing.T) {
	c := texts(t, 70_000)
	mem := arrowtest.Allocator(t)
	seconds, nanos := table(t, mem, "timestamp[s]", 1), table(t, mem, "timestamp[ns]", 1)
	ended := 0
	for n := range 40 {
		for _, cols := range [][]*form.Column{{c}, {seconds, nanos}} {
			l, err := position.New(&countdown{Context: context.Background(), n: n}, 1, cols...)
			if err != nil {
				ended++
			}
			if (err == nil) != (l != nil) || err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d: %v, %v", n, l, err)
			}
		}
	}
	if ended < 20 {
		t.Errorf("only %d calls ended early", ended)
	}
}

// TestMalformed: offsets beyond the data are an error.
func TestMalformed(t *testing.T) {
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 900, 2}))
	d := array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, offsets, memory.NewBufferBytes([]byte("ab"))}, nil, 0, 0)
	a, err := form.Of(array.MakeFromData(d))
	if err != nil {
		t.Fatal(err)
	}
	c := &form.Column{Name: "c", Type: arrow.BinaryTypes.String, Chunks: []*form.Array{a}, Layout: form.NewLayout([]int{2})}
	if _, err := position.New(context.Background(), 1, c); !errors.Is(err, keyset.ErrMalformed) {
		t.Errorf("%v", err)
	}
}

// TestConcurrent: one line, several readers.
func TestConcurrent(t *testing.T) {
	mem := arrowtest.Allocator(t)
	c := table(t, mem, "dict<int8,timestamp[s]>", 1, nil, 3, 2, 5)
	d := table(t, mem, "timestamp[ms]", 1000, 5000)
	l, err := position.New(context.Background(), 1, c, d)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			room, null := make([]uint64, 5), make([]uint8, 5)
			for range 100 {
				if !l.Read(0, 0, 0, 5, room, null) || room[4] <= room[2] || null[1] != 1 {
					t.Errorf("words %x, NULL %v", room, null)
				}
				if w, ok := l.At(1, 1); !ok || w != room[4] {
					t.Errorf("5000 ms has the word %x, 5 s %x", w, room[4])
				}
			}
		}()
	}
	wg.Wait()
}
