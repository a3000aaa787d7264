package oracle

// Source makes the choices of a random table. Tests draw them from rapid, fuzz targets from bytes.
type Source interface {
	// Choose returns a number from 0 to n-1. Small numbers stand for simple things.
	Choose(what string, n int) int
}

// Sample is a family of columns that can be compared with each other, with a few cells that each of the types can hold.
// Types and cells are written as in package arrowtest.
type Sample struct {
	Types []string
	Cells []any
	// NoOrder is set when the columns can't be order columns.
	NoOrder bool
}

// Samples has every family of key columns. Cells are chosen for what goes wrong with them: zeros and NaNs of other
// bits, neighbours beyond 2^53, texts that differ after sixteen bytes, NULL inside a struct.
var Samples = []Sample{
	{Types: []string{"int64", "int8", "int16", "int32"}, Cells: []any{0, 7, -1, -128}},
	{Types: []string{"string", "large_string", "string_view", "dict<int8,string>", "ree<string>", "dict<uint16,large_string>"},
		Cells: []any{"", "a", "a text of more than sixteen bytes", "a text of more than sixteen bytez", "exactly 16 bytes", "b\x00"}},
	{Types: []string{"float64", "float32", "float16", "ree<float64>", "dict<int16,float32>"},
		Cells: []any{0.0, float("-0"), float("NaN"), float("NaN#1"), 1.5, float("-Infinity"), 1.0 / (1 << 24)}},
	{Types: []string{"uint64", "uint8", "uint16", "uint32", "int32", "dict<int32,uint8>"}, Cells: []any{0, 1, 127, 100}},
	{Types: []string{"int64", "ree<int64>"}, Cells: []any{whole("9007199254740992"), whole("9007199254740993"), whole("-9223372036854775808")}},
	{Types: []string{"uint64"}, Cells: []any{whole("9223372036854775808"), whole("18446744073709551615"), 1}},
	{Types: []string{"binary", "large_binary", "binary_view", "dict<int32,binary>", "ree<binary>"},
		Cells: []any{hex(""), hex("ff"), hex("00"), hex("ff00ff00ff00ff00ff00ff00ff00ff00ff01"), hex("ff00ff00ff00ff00ff00ff00ff00ff00ff02")}},
	{Types: []string{"fsb(4)", "binary", "dict<int8,fsb(4)>"}, Cells: []any{hex("00000000"), hex("000000ff"), hex("ff000000")}},
	{Types: []string{"fsb(20)"}, Cells: []any{hex("00000000000000000000000000000000000000ff"), hex("ff00000000000000000000000000000000000000")}},
	{Types: []string{"decimal(10,2)", "decimal(6,1)", "decimal256(40,3)", "decimal256(60,12)"},
		Cells: []any{dec("1.5"), dec("0"), dec("-2"), dec("10")}},
	{Types: []string{"decimal(38,0)", "decimal256(40,0)", "decimal256(76,0)"},
		Cells: []any{dec("100000000000000000000"), dec("100000000000000000001"), dec("-100000000000000000001"), dec("0")}},
	{Types: []string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"},
		Cells: []any{"1970-01-01T00:00:00", "2026-01-31T09:00:00", "1969-12-31T23:59:59"}},
	{Types: []string{"timestamp[us]", "timestamp[ns]", "dict<int8,timestamp[us]>"},
		Cells: []any{"2026-01-31T09:00:00.000001", "2026-01-31T09:00:00.000002", "1900-01-01T00:00:00.999999"}},
	{Types: []string{"timestamp[us,UTC]", "timestamp[s,America/New_York]", "timestamp[ns,+02:00]"},
		Cells: []any{"2026-06-01T12:00:00Z", "2026-06-01T14:00:00Z", "1969-06-01T14:00:00Z"}},
	{Types: []string{"timestamp[s]"}, Cells: []any{whole("9223372036854775807"), whole("-9223372036854775808"), 0}},
	{Types: []string{"date32", "date64", "ree<date32>"}, Cells: []any{"1970-01-01", "2026-01-31", "1969-12-31"}},
	{Types: []string{"time32[s]", "time32[ms]", "time64[us]", "time64[ns]"}, Cells: []any{"00:00:00", "09:00:01", "23:59:59"}},
	{Types: []string{"duration[s]"}, Cells: []any{0, 5, -5}},
	{Types: []string{"bool", "dict<int8,bool>", "ree<bool>"}, Cells: []any{true, false}},
	{Types: []string{"null"}, Cells: []any{nil}},
	{Types: []string{"struct<a:int32,b:string>", "struct<a:int64,b:large_string>", "struct<a:int8,b:dict<int8,string>>"},
		Cells: []any{pairCell(1, "x"), pairCell(nil, "x"), pairCell(1, nil), pairCell(nil, nil)}, NoOrder: true},
	{Types: []string{"struct<f:float64>", "struct<f:float32>", "ree<struct<f:float64>>"},
		Cells: []any{inner(0.0), inner(float("-0")), inner(float("NaN")), inner(float("NaN#1"))}, NoOrder: true},
	{Types: []string{"list<int32>", "large_list<int64>", "dict<int8,list<int32>>"},
		Cells: []any{[]any{}, []any{1}, []any{1, nil}, []any{1, 2}, []any{nil, 1}}, NoOrder: true},
	{Types: []string{"fsl<int16,2>", "list<int32>"}, Cells: []any{[]any{1, 2}, []any{1, nil}, []any{2, 1}}, NoOrder: true},
	{Types: []string{"list<struct<f:float64>>"},
		Cells: []any{[]any{inner(0.0)}, []any{inner(float("-0"))}, []any{nil}, []any{inner(nil)}, []any{}}, NoOrder: true},
	{Types: []string{"list<string>", "list<dict<int8,string>>", "large_list<ree<string>>"},
		Cells: []any{[]any{"a", "bc"}, []any{"ab", "c"}, []any{"abc", ""}, []any{"abc"}}, NoOrder: true},
}

func float(text string) any { return map[string]any{"f": text} }
func whole(text string) any { return map[string]any{"i": text} }
func hex(text string) any   { return map[string]any{"x": text} }
func dec(text string) any   { return map[string]any{"d": text} }
func inner(f any) any       { return map[string]any{"f": f} }
func pairCell(a, b any) any { return map[string]any{"a": a, "b": b} }

// ChooseSample chooses a family, for an order column if order is set.
func ChooseSample(src Source, what string, order bool) Sample {
	for {
		s := Samples[src.Choose(what, len(Samples))]
		if !order || !s.NoOrder {
			return s
		}
		what += " again"
	}
}

// ChooseType chooses one of the sample's types; half of the time the first.
func (s Sample) ChooseType(src Source, what string) string {
	return s.Types[max(0, src.Choose(what+" type", 2*len(s.Types))-len(s.Types))]
}

// Narrow leaves at most n of the sample's cells, so that columns repeat them.
func (s Sample) Narrow(src Source, what string, n int) Sample {
	if len(s.Cells) > n {
		from := src.Choose(what+" cells", len(s.Cells)-n+1)
		s.Cells = s.Cells[from : from+n]
	}
	return s
}

// ChooseCell chooses a cell; once in nulls times it is NULL, never for 0.
func (s Sample) ChooseCell(src Source, what string, nulls int) any {
	if nulls > 0 && src.Choose(what+" null", nulls) == nulls-1 {
		return nil
	}
	return s.Cells[src.Choose(what, len(s.Cells))]
}
