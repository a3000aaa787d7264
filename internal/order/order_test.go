package order_test

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/internal/order"
)

// compareValues ranks two values of one logical type, neither NULL: NaN greatest, the zeros equal.
func compareValues(a, b any) int {
	switch x := a.(type) {
	case bool:
		return cmp.Compare(number(x), number(b.(bool)))
	case int64, uint64:
		return integer(x).Cmp(integer(b))
	case arrowtest.Float:
		y := b.(arrowtest.Float)
		if x.IsNaN() || y.IsNaN() {
			return cmp.Compare(number(x.IsNaN()), number(y.IsNaN()))
		}
		return cmp.Compare(x.Float64(), y.Float64())
	case string:
		return cmp.Compare(x, b.(string))
	case arrowtest.Bytes:
		return cmp.Compare(x, b.(arrowtest.Bytes))
	case arrowtest.Decimal:
		return rational(x).Cmp(rational(b.(arrowtest.Decimal)))
	case arrowtest.Date:
		return cmp.Compare(x, b.(arrowtest.Date))
	case arrowtest.Timestamp:
		y := b.(arrowtest.Timestamp)
		return cmp.Or(cmp.Compare(x.Sec, y.Sec), cmp.Compare(x.Nano, y.Nano))
	case arrowtest.TimeOfDay:
		y := b.(arrowtest.TimeOfDay)
		return cmp.Or(cmp.Compare(x.Sec, y.Sec), cmp.Compare(x.Nano, y.Nano))
	case arrowtest.Duration:
		y := b.(arrowtest.Duration)
		return cmp.Or(cmp.Compare(x.Sec, y.Sec), cmp.Compare(x.Nano, y.Nano))
	}
	panic(fmt.Sprintf("no order for %T", a))
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func integer(v any) *big.Int {
	if u, ok := v.(uint64); ok {
		return new(big.Int).SetUint64(u)
	}
	return big.NewInt(v.(int64))
}

func rational(d arrowtest.Decimal) *big.Rat {
	r, _ := new(big.Rat).SetString(string(d))
	return r
}

// place is one order column as a caller asks for it.
type place struct {
	ascending bool
	nulls     order.Nulls
}

// compareRows is the slow reference: the rank of two rows by values.
func compareRows(places []place, snapshot map[int]bool, rows [][]any, a, b int) int {
	if snapshot[a] != snapshot[b] {
		return number(snapshot[b]) - number(snapshot[a])
	}
	for i, p := range places {
		x, y := rows[a][i], rows[b][i]
		var c int
		switch {
		case x == nil && y == nil:
		case x == nil || y == nil:
			c = 1
			if (x == nil) == (p.nulls == order.Lowest) {
				c = -1
			}
		default:
			c = compareValues(x, y)
		}
		if p.ascending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

type random struct{ *rand.Rand }

func (r random) Choose(_ string, n int) int { return r.IntN(n) }

// TestOrder compares random rows with the slow reference. Words must agree with it: a greater word is a greater row.
func TestOrder(t *testing.T) {
	for seed := range uint64(600) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomOrder(t, random{rand.New(rand.NewPCG(seed, 5))}) })
	}
}

func randomOrder(t *testing.T, src random) {
	mem := arrowtest.Allocator(t)
	var places []place
	var samples []oracle.Sample
	var names []string
	for i := range src.IntN(4) {
		s := oracle.ChooseSample(src, "order", true)
		samples, names = append(samples, s), append(names, fmt.Sprintf("o%d:%s", i, s.ChooseType(src, "type")))
		places = append(places, place{src.IntN(2) == 1, order.Nulls(src.IntN(2))})
	}
	names = append(names, "op:"+[]string{"string", "dict<int8,string>"}[src.IntN(2)])
	nulls := []int{0, 4}[src.IntN(2)]
	cells := make([][]any, 2+src.IntN(30))
	for i := range cells {
		for _, s := range samples {
			cells[i] = append(cells[i], s.ChooseCell(src, "cell", nulls))
		}
		cells[i] = append(cells[i], []any{"u", "r", "d", nil}[src.IntN(4)])
	}
	cut := src.IntN(len(cells))
	batches := arrowtest.Batches(t, mem, names, cells[:cut], cells[cut:])

	layout := form.NewLayout([]int{cut, len(cells) - cut})
	var by []order.By
	for i, p := range places {
		by = append(by, order.By{Column: column(t, layout, batches, i), Ascending: p.ascending, Nulls: p.nulls})
	}
	var op *form.Column
	var snapshots *form.Matcher
	snapshot := map[int]bool{}
	if src.IntN(2) == 1 {
		op = column(t, layout, batches, len(places))
		var err error
		if snapshots, err = form.NewMatcher(arrow.BinaryTypes.String, []any{"r", "read"}); err != nil {
			t.Fatal(err)
		}
		for i, r := range cells {
			snapshot[i] = r[len(places)] == "r"
		}
	}
	o := order.New(by, op, snapshots)
	checkOrder(t, o, layout, arrowtest.All(batches), places, snapshot)
	if t.Failed() {
		t.Logf("%q %+v snapshots %v\n%s", names, places, op != nil, arrowtest.FormatRows(arrowtest.All(batches)))
	}
}

func column(t *testing.T, layout *form.Layout, batches []arrow.Record, i int) *form.Column {
	t.Helper()
	c := &form.Column{Name: batches[0].Schema().Field(i).Name, Type: batches[0].Schema().Field(i).Type, Layout: layout}
	var arrs []arrow.Array
	for _, b := range batches {
		arrs = append(arrs, b.Column(i))
	}
	var err error
	if c.Chunks, err = form.OfAll(arrs); err != nil {
		t.Fatal(err)
	}
	return c
}

func checkOrder(t *testing.T, o *order.Order, layout *form.Layout, rows [][]any, places []place, snapshot map[int]bool) {
	t.Helper()
	words := readWords(o, layout)
	for a := range rows {
		for b := range rows {
			want := compareRows(places, snapshot, rows, a, b)
			if got := o.Compare(uint32(a), uint32(b)); got != want {
				t.Errorf("rows %d and %d rank %d, want %d", a, b, got, want)
			}
			if words[a] > words[b] && want <= 0 {
				t.Errorf("row %d has the word %x, row %d has %x; they rank %d", a, words[a], b, words[b], want)
			}
		}
	}
}

// readWords reads the words of all rows, in blocks of uneven lengths.
func readWords(o *order.Order, layout *form.Layout) (words []uint32) {
	b, room := form.NewBlock(keyset.BlockRows), make([]uint32, keyset.BlockRows)
	for c := range layout.Chunks() {
		n := int(layout.Start(c+1) - layout.Start(c))
		for lo, step := 0, 5; lo < n; lo, step = lo+step, step%7+1 {
			step = min(step, n-lo)
			o.Words(c, lo, step, b, room)
			words = append(words, room[:step]...)
		}
	}
	return words
}

// TestWordsTell: for most pairs of rows the word alone tells which is greater.
func TestWordsTell(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, typ := range []string{"int8", "uint64", "float32", "timestamp[us,UTC]", "date32", "string", "decimal(20,2)", "dict<int16,int64>"} {
		for _, ascending := range []bool{false, true} {
			var cells [][]any
			for i := range 300 {
				switch typ {
				case "int8":
					cells = append(cells, []any{min(max(i-150, -128), 127)})
				case "string":
					cells = append(cells, []any{fmt.Sprintf("%07d", i)})
				default:
					cells = append(cells, []any{i})
				}
			}
			if typ == "int8" {
				cells = cells[22:278] // from the least to the greatest
			}
			batches := arrowtest.Table(t, mem, []string{"o:" + typ}, cells)
			layout := form.NewLayout([]int{len(cells)})
			words := readWords(order.New([]order.By{{Column: column(t, layout, batches, 0), Ascending: ascending}}, nil, nil), layout)
			for i := range words[1:] {
				if words[i] < words[i+1] == ascending || words[i] == words[i+1] {
					t.Fatalf("%s, ascending %v: words %x and %x of neighbours", typ, ascending, words[i], words[i+1])
				}
			}
		}
	}
}

// TestNoOrder: without columns and snapshot reads all rows are equal.
func TestNoOrder(t *testing.T) {
	o := order.New(nil, nil, nil)
	room := []uint32{7, 7, 7}
	o.Words(0, 0, 3, form.NewBlock(3), room)
	if room[0] != room[1] || room[1] != room[2] || o.Compare(0, 1) != 0 {
		t.Errorf("words %v, rank %d", room, o.Compare(0, 1))
	}
}

// TestContent ranks rows by all columns, from left to right.
func TestContent(t *testing.T) {
	zero, below, nan, other := 0.0, map[string]any{"f": "-0"}, map[string]any{"f": "NaN"}, map[string]any{"f": "NaN#1"}
	inner := func(f any) any { return map[string]any{"f": f} }
	for _, test := range []struct {
		a, b                     []any
		byValue, byContent, bits int
	}{
		{[]any{1, "a", zero, nil}, []any{1, "a", zero, nil}, 0, 0, 0},
		{[]any{1, "b", zero, nil}, []any{2, "a", zero, nil}, -1, -1, -1},
		{[]any{1, "b", zero, nil}, []any{1, "a", nan, nil}, 1, 1, 1},
		{[]any{nil, "b", zero, nil}, []any{-128, "a", zero, nil}, -1, -1, -1},
		{[]any{1, "a", zero, nil}, []any{1, "a", below, nil}, 0, 1, 1},
		{[]any{1, "a", nan, nil}, []any{1, "a", other, nil}, 0, 0, -1},
		{[]any{1, "a", nil, []any{}}, []any{1, "a", nil, []any{inner(nil)}}, -1, -1, -1},
		{[]any{1, "a", nil, []any{inner(below)}}, []any{1, "a", nil, []any{inner(zero)}}, 0, -1, -1},
		{[]any{1, "a", below, []any{inner(1)}}, []any{1, "a", zero, []any{inner(0)}}, 1, -1, -1},
	} {
		mem := arrowtest.Allocator(t)
		batches := arrowtest.Table(t, mem, []string{"i:int8", "t:string", "f:float64", "l:list<struct<f:float32>>"}, [][]any{test.a, test.b})
		layout := form.NewLayout([]int{2})
		var cols []*form.Column
		for i := range batches[0].Columns() {
			cols = append(cols, column(t, layout, batches, i))
		}
		for rank, want := range map[form.Rank]int{form.ByValue: test.byValue, form.ByContent: test.byContent} {
			if got := order.Content(cols, 0, 1, rank); got != want || order.Content(cols, 1, 0, rank) != -want {
				t.Errorf("%v and %v rank %d by %d, want %d", test.a, test.b, got, rank, want)
			}
		}
		// Which of two NaNs is greater by bits is up to their bits, but it is one of them.
		got := order.Content(cols, 0, 1, form.ByBits)
		if got != test.bits && (test.bits == 0 || test.byContent != 0) || (got == 0) != (test.bits == 0) || order.Content(cols, 1, 0, form.ByBits) != -got {
			t.Errorf("%v and %v rank %d by bits, want %d", test.a, test.b, got, test.bits)
		}
	}
}
