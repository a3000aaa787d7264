package placeholder_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/placeholder"
)

type cells = []any

func text(s string) any  { return map[string]any{"d": s} }
func hex(s string) any   { return map[string]any{"x": s} }
func float(s string) any { return map[string]any{"f": s} }
func whole(s string) any { return map[string]any{"i": s} }

// usual has the cells of each family that are placeholders, and some that look like it.
var usual = []struct {
	types   []string
	yes, no cells
}{
	{[]string{"int64", "dict<int8,int64>", "ree<int64>"}, cells{0, -1, 999, -999, 9999, whole("999999999999999999"), whole("-999999999999999999")},
		cells{nil, 1, 99, -99, 9, 998, 1999, 9990, 9989, whole("-9223372036854775808"), whole("9223372036854775807")}},
	{[]string{"int8"}, cells{0, -1}, cells{1, -128, 127, 99, -99}},
	{[]string{"uint64"}, cells{0, 999, whole("9999999999999999999")}, cells{1, 99, whole("18446744073709551615"), whole("18446744073709550617")}},
	{[]string{"uint16"}, cells{0, 999, 9999}, cells{65535, 1, 99}},
	{[]string{"float64", "float32", "ree<float64>"}, cells{0.0, float("-0"), -1.0, 999.0, -999.0, 999999.0},
		cells{nil, 1.0, 0.5, -1.5, 999.5, 99.0, float("NaN"), float("Infinity"), float("-Infinity"), 1e30}},
	{[]string{"float16"}, cells{0.0, -1.0, 999.0, -999.0}, cells{1.0, float("NaN"), 99.0, float("Infinity")}},
	{[]string{"float64"}, cells{999999999999999.0}, cells{9999999999999999.0, 1e15, 1e300}},
	{[]string{"decimal(10,2)", "decimal256(60,3)"}, cells{text("0"), text("-1"), text("999"), text("-9999.00")},
		cells{nil, text("1"), text("99"), text("9.99"), text("0.01"), text("999.5"), text("1999"), text("-0.5"), text("-10"), text("100")}},
	{[]string{"decimal(38,0)", "decimal256(76,0)"}, cells{text("0"), text("99999999999999999999999999999999999999")},
		cells{text("99999999999999999999999999999999999998")}},
	{[]string{"decimal(5,-2)"}, cells{text("0")}, cells{text("100"), text("99900"), text("-100")}},
	{[]string{"string", "large_string", "string_view", "dict<int8,string>", "ree<string>", "dict<uint16,large_string>"},
		cells{"", " ", "\t\u00a0\u2003", "-", "?", "0", "-1", "000", " 0000 ", "999", "99999", "00000000-0000-0000-0000-000000000000", "n/a", "N/A ",
			"Na", "NaN", "nil", "NONE", "null", "Null", "\nunknown", "UnDefined", "missing", "default", "TBD", "un\u212aNOWN", "unde\ufb01ned", "mi\u017f\u017fing",
			strings.Repeat("0", 300), strings.Repeat("9", 300), strings.Repeat(" ", 300) + "tbd"},
		cells{nil, "00", "9", "99", "--", "1", "n a", "n/a.", "nullable", "unknow", "unknowns", "009", "990", "-999", "defaults", hex("ff"), hex("6eff"),
			"00000000-0000-0000-0000-000000000001", "\u212a", "ｎ/ａ", strings.Repeat("n", 300), "0 0 0", "\u200bnull"}},
	{[]string{"binary", "large_binary", "binary_view", "dict<int8,binary>"}, cells{hex(""), hex("00"), hex("000000000000")},
		cells{nil, hex("30"), hex("0001"), hex("0100"), hex("20"), hex("2d")}},
	{[]string{"fsb(4)", "ree<fsb(4)>"}, cells{hex("00000000")}, cells{nil, hex("00000001"), hex("ffffffff")}},
	{[]string{"date32", "date64", "dict<int8,date32>"}, cells{"0001-01-01", "1900-01-01", "1970-01-01", "9999-12-31"},
		cells{nil, "1900-01-02", "1969-12-31", "1899-12-31", "9999-12-30", "2026-01-01"}},
	{[]string{"timestamp[s]", "timestamp[ms]", "timestamp[us]"},
		cells{"0001-01-01T00:00:00", "1900-01-01T00:00:00", "1970-01-01T00:00:00", "9999-12-31T00:00:00"},
		cells{nil, "1900-01-01T00:00:01", "1969-12-31T23:59:59", "9999-12-31T23:59:59", "2026-01-01T00:00:00"}},
	{[]string{"timestamp[ns]"}, cells{"1900-01-01T00:00:00", "1970-01-01T00:00:00"},
		cells{whole("-9223372036854775808"), whole("9223372036854775807"), 1, -1}},
	{[]string{"timestamp[s]"}, nil, cells{whole("-9223372036854775808"), whole("9223372036854775807")}},
	{[]string{"timestamp[us,UTC]", "timestamp[s,America/New_York]"}, cells{"1900-01-01T00:00:00Z", "1970-01-01T00:00:00Z"}, cells{"1970-01-01T05:00:00Z"}},
	{[]string{"bool"}, nil, cells{true, false, nil}},
	{[]string{"time32[s]"}, nil, cells{"00:00:00"}},
	{[]string{"duration[s]"}, nil, cells{0, -1, 999}},
	{[]string{"null"}, nil, cells{nil}},
	{[]string{"struct<a:int32>"}, nil, cells{map[string]any{"a": 0}, map[string]any{"a": nil}}},
	{[]string{"list<string>"}, nil, cells{cells{}, cells{""}}},
}

func TestUsual(t *testing.T) {
	for _, family := range usual {
		for _, typ := range family.types {
			var rows [][]any
			for _, cell := range append(append(cells{}, family.yes...), family.no...) {
				rows = append(rows, []any{cell})
			}
			each(t, typ, rows, func(name string, c *form.Column) {
				m := placeholder.Usual(c)
				for i := range rows {
					if got, want := m.Has(uint32(i)), i < len(family.yes); got != want {
						t.Errorf("%s, %s: %s is a placeholder: %v", typ, name, c.Format(uint32(i)), got)
					}
				}
				each := 0
				for k := range c.Chunks {
					m.Each(k, 0, int(c.Start(k+1)-c.Start(k)), func(i int) {
						if each++; int(c.Start(k))+i >= len(family.yes) {
							t.Errorf("%s, %s: row %d of batch %d is a placeholder", typ, name, i, k)
						}
					})
				}
				if each != len(family.yes) {
					t.Errorf("%s, %s: %d rows are placeholders, of %d", typ, name, each, len(family.yes))
				}
				if len(family.yes) > 0 && !m.Any() {
					t.Errorf("%s: no cell can be a placeholder", typ)
				}
			})
		}
	}
}

// each calls f with a column of one type in all its forms.
func each(t *testing.T, typ string, rows [][]any, f func(name string, c *form.Column)) {
	t.Helper()
	mem := arrowtest.Allocator(t)
	variants := arrowtest.Variants(mem, arrowtest.Table(t, mem, []string{"k:" + typ}, rows))
	defer variants.Release()
	for _, v := range variants {
		f(v.Name, column(t, v.Batches, 0))
	}
}

func column(t *testing.T, batches []arrow.Record, at int) *form.Column {
	t.Helper()
	var arrs []arrow.Array
	var lens []int
	for _, b := range batches {
		arrs, lens = append(arrs, b.Column(at)), append(lens, int(b.NumRows()))
	}
	chunks, err := form.OfAll(arrs)
	if err != nil {
		t.Fatal(err)
	}
	f := batches[0].Schema().Field(at)
	return &form.Column{Name: f.Name, Type: f.Type, Chunks: chunks, Layout: form.NewLayout(lens)}
}

func TestGiven(t *testing.T) {
	mem := arrowtest.Allocator(t)
	table := arrowtest.Table(t, mem, []string{"i:int8", "s:dict<int8,string>", "z:null"}, [][]any{
		{42, "x", nil}, {0, "42", nil}, {nil, "n/a", nil}, {1, "X", nil}})
	cols := []*form.Column{column(t, table, 0), column(t, table, 1), column(t, table, 2)}
	has := func(m *placeholder.Matches) (rows []int) {
		for i := range 4 {
			if m.Has(uint32(i)) {
				rows = append(rows, i)
			}
		}
		return rows
	}
	m, err := placeholder.Given(cols, []any{42, "x"})
	if err != nil {
		t.Fatal(err)
	}
	if i, s := has(m[0]), has(m[1]); len(i) != 1 || i[0] != 0 || len(s) != 1 || s[0] != 0 {
		t.Errorf("42 in rows %v, x in rows %v", i, s)
	}
	if m, err = placeholder.Given(cols, []any{}); err != nil || m[0].Any() || m[1].Any() || has(m[0]) != nil {
		t.Errorf("none given: %v, %v", has(m[0]), err)
	}
	if _, err = placeholder.Given(cols[:2], []any{300, 2.5, 7}); err == nil || !strings.Contains(err.Error(), "300") || !strings.Contains(err.Error(), "2.5") {
		t.Errorf("values that fit nowhere: %v", err)
	}
}
