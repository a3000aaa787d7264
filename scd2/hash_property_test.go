package scd2_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/scd2"
)

var allForms = []scd2.HashForm{scd2.CanonicalHash, scd2.SparkSHA2, scd2.SparkMD5, scd2.SparkXXHash64, scd2.DBTKey, scd2.DBTLegacyKey}

// hashOptions are options under which a form has a hash for as many values as it can; texts are joined by "|".
func hashOptions(mem memory.Allocator, f scd2.HashForm, workers int) scd2.HashOptions {
	o := scd2.HashOptions{Form: f, Resources: onerow.Resources{Allocator: mem, Workers: workers}}
	if f == scd2.SparkSHA2 || f == scd2.SparkMD5 {
		o.Separator, o.Decimals, o.Floats = "|", scd2.PlainDecimals, scd2.NewJavaFloats
	}
	return o
}

// rowHashes calls RowHash, and prints the hashes.
func rowHashes(t testing.TB, batches []arrow.Record, columns []string, o scd2.HashOptions) ([]string, error) {
	t.Helper()
	arrs, err := scd2.RowHash(t.Context(), batches, columns, o)
	if err != nil {
		if arrs != nil {
			t.Fatalf("arrays beside the error %v", err)
		}
		return nil, err
	}
	defer releaseHashes(arrs)
	if len(arrs) != len(batches) {
		t.Fatalf("%d arrays for %d batches", len(arrs), len(batches))
	}
	for i, b := range batches {
		if int64(arrs[i].Len()) != b.NumRows() {
			t.Fatalf("batch %d: %d hashes for %d rows", i, arrs[i].Len(), b.NumRows())
		}
	}
	return readHashes(t, arrs), nil
}

func releaseHashes(arrs []arrow.Array) {
	for _, a := range arrs {
		a.Release()
	}
}

// hashFamilies are the samples of all key types, and values at the ends of their ranges.
func hashFamilies() []oracle.Sample {
	i := func(n int64) any { return map[string]any{"i": fmt.Sprint(n)} }
	u := func(n uint64) any { return map[string]any{"i": fmt.Sprint(n)} }
	nines := func(n int) string { return strings.Repeat("9", n) }
	return append(slices.Clone(oracle.Samples),
		oracle.Sample{Types: []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"},
			Cells: []any{0, -1, 127, 128, 255, 256, 65535, -32768, math.MaxInt32, i(math.MaxUint32), i(math.MaxInt64), i(math.MinInt64), u(math.MaxUint64), u(1 << 63)}},
		oracle.Sample{Types: []string{"decimal(38,0)", "decimal(38,10)", "decimal(5,2)", "decimal(18,18)", "decimal(19,3)", "decimal(38,38)", "decimal(3,-2)", "decimal256(38,5)", "decimal256(76,0)", "decimal256(76,76)"},
			Cells: []any{"0", "1", "-1", "1.2", "-0.05", "100", "99900", "0.000001", "0.0000001", nines(18), "-" + nines(19), nines(38), nines(76), "-0." + nines(38), "127", "128", "-128", "-129",
				"18446744073709551616", "9223372036854775808", "-9223372036854775808", "1" + strings.Repeat("0", 31), "-0." + strings.Repeat("0", 75) + "1"}},
		oracle.Sample{Types: []string{"float16", "float32", "float64"}, Cells: []any{6e-8, 0.1, 1e-45, 1e300, 5e-324, 65504, 1e23, 100, 9999999, 1e7, 0.001, 0.00099, 123456789.125}},
		oracle.Sample{Types: []string{"date32", "date64"}, Cells: []any{"0001-01-01", "9999-12-31", "1899-02-28", "2000-02-29", i(math.MinInt32), i(math.MaxInt64), 1}},
		oracle.Sample{Types: []string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"},
			Cells: []any{"9999-12-31T23:59:59", "0001-01-01T00:00:00", "2026-01-31T09:00:00.25", "1969-12-31T23:59:59.999999", "2026-01-31T09:00:00.000000001", i(math.MaxInt64), i(math.MinInt64), i(1 << 55)}},
		oracle.Sample{Types: []string{"time64[ns]", "time64[us]", "time32[ms]"}, Cells: []any{i(math.MaxInt64), i(math.MinInt64), 1, "09:00:00.001"}},
		oracle.Sample{Types: []string{"duration[s]", "duration[ns]"}, Cells: []any{i(math.MaxInt64), i(math.MinInt64), 1, i(1_000_000_000)}},
		oracle.Sample{Types: []string{"string", "large_string", "string_view"}, Cells: []any{"é\xff", "", "\x00", strings.Repeat("x", 12), strings.Repeat("x", 13), strings.Repeat("y", 300)}},
		oracle.Sample{Types: []string{"list<list<string>>", "large_list<fsl<large_string,1>>"}, Cells: []any{[]any{}, []any{[]any{"a"}}, []any{nil}, []any{[]any{nil}}}},
		oracle.Sample{Types: []string{"struct<>"}, Cells: []any{map[string]any{}}},
	)
}

// hashedColumn builds the cells that a type can hold, twice and with NULLs. The test releases it.
func hashedColumn(t testing.TB, mem memory.Allocator, typ string, cells []any) arrow.Record {
	t.Helper()
	schema, err := arrowtest.Schema([]string{"c:" + typ})
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]any
	for _, c := range slices.Concat([]any{nil}, cells, cells, []any{nil}) {
		if v, err := arrowtest.Value(schema.Field(0).Type, c); err == nil {
			rows = append(rows, []any{v})
		}
	}
	rec, err := arrowtest.Record(mem, schema, rows)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rec.Release)
	return rec
}

// TestCanonicalHash: over all types and encodings of a family, hashes are equal for equal cells and only for them, and are what the definition says.
func TestCanonicalHash(t *testing.T) {
	all := map[string]string{} // over families: the cell that has a hash
	for _, s := range hashFamilies() {
		t.Run(s.Types[0], func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			family := map[string]string{}
			var cells []arrow.Array
			var hashes []string
			for _, typ := range s.Types {
				rec := hashedColumn(t, mem, typ, s.Cells)
				want, err := rowHashes(t, []arrow.Record{rec}, nil, hashOptions(mem, scd2.CanonicalHash, 1))
				if err != nil {
					t.Fatalf("%s: %v", typ, err)
				}
				for i, row := range arrowtest.Cells(rec) {
					text := arrowtest.Format(arrowtest.Key(row[0]))
					if ref := refHash(scd2.CanonicalHash, nil, row); want[i] != ref {
						t.Fatalf("%s: the hash of %s is %s, by definition %s", typ, text, want[i], ref)
					}
					if h, ok := family[text]; ok && h != want[i] {
						t.Fatalf("%s: %s has hash %s, elsewhere %s", typ, text, want[i], h)
					}
					family[text] = want[i]
				}
				checkHashVariants(t, mem, rec, scd2.CanonicalHash, want)
				cells, hashes = append(cells, rec.Column(0)), append(hashes, want...)
			}
			checkHashPairs(t, cells, hashes)
			for text, h := range family {
				if other, ok := all[h]; ok && text != "NULL" && other != fmt.Sprint(form.FamilyOf(cells[0].DataType()), text) {
					t.Errorf("%s and %s have one hash", text, other)
				}
				all[h] = fmt.Sprint(form.FamilyOf(cells[0].DataType()), text)
			}
		})
	}
}

// checkHashPairs: form.Equal says of two cells what their hashes say.
func checkHashPairs(t *testing.T, cols []arrow.Array, hashes []string) {
	t.Helper()
	var at []func() (*form.Array, int)
	for _, c := range cols {
		a, err := form.Of(c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Len {
			at = append(at, func() (*form.Array, int) { return a, i })
		}
	}
	for i := range at {
		a, r := at[i]()
		for k := range i {
			b, s := at[k]()
			if equal := form.Equal(a, r, b, s); equal != (hashes[i] == hashes[k]) {
				t.Fatalf("%v %s and %v %s: equal is %v, hashes %s and %s", a.Type, form.Format(a, r), b.Type, form.Format(b, s), equal, hashes[i], hashes[k])
			}
		}
	}
}

// checkHashVariants: all forms of a table have the same hashes.
func checkHashVariants(t *testing.T, mem memory.Allocator, rec arrow.Record, f scd2.HashForm, want []string) {
	t.Helper()
	variants := arrowtest.Variants(mem, []arrow.Record{rec})
	defer variants.Release()
	for i, v := range variants {
		got, err := rowHashes(t, v.Batches, nil, hashOptions(mem, f, 1+i%3))
		if err != nil {
			t.Fatalf("%v, %v, %s: %v", f, rec.Schema().Fields(), v.Name, err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v, %v, %s: %v, want %v", f, rec.Schema().Fields(), v.Name, got, want)
		}
	}
}

// TestForeignHashes: for each type that a form has hashes for, they are what the definition says, in all encodings. Cells that have none are errors that name column, type and row.
func TestForeignHashes(t *testing.T) {
	for _, f := range allForms[1:] {
		t.Run(f.String(), func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			hashed := 0
			for _, s := range hashFamilies() {
				for _, typ := range s.Types {
					rec := hashedColumn(t, mem, typ, s.Cells)
					if rec = hashable(t, mem, rec, f); rec == nil {
						continue
					}
					hashed++
					want, err := rowHashes(t, []arrow.Record{rec}, nil, hashOptions(mem, f, 1))
					if err != nil {
						t.Fatalf("%s: %v", typ, err)
					}
					types := []arrow.DataType{rec.Schema().Field(0).Type}
					for i, row := range arrowtest.Cells(rec) {
						if ref := refHash(f, types, row); ref != want[i] {
							t.Fatalf("%s: the hash of %s is %s, by definition %s (%q)", typ, arrowtest.Format(row[0]), want[i], ref, refText(types[0], row[0]))
						}
					}
					if f != scd2.SparkMD5 && f != scd2.DBTLegacyKey { // read like others
						checkHashVariants(t, mem, rec, f, want)
					}
				}
			}
			if hashed < 15 {
				t.Errorf("only %d types have hashes", hashed)
			}
		})
	}
}

// hashable leaves the rows of a column that have a hash; nil if the type has none.
func hashable(t testing.TB, mem memory.Allocator, rec arrow.Record, f scd2.HashForm) arrow.Record {
	t.Helper()
	var rows onerow.Rows
	for i := range rec.NumRows() {
		row := rec.NewSlice(i, i+1)
		_, err := rowHashes(t, []arrow.Record{row}, nil, hashOptions(mem, f, 1))
		row.Release()
		var e *onerow.TypeError
		switch {
		case err == nil:
			rows = append(rows, uint32(i))
		case !errors.As(err, &e) || e.Column != "c" || e.Type == nil || e.Why == "":
			t.Fatalf("%v: %v", rec.Schema(), err)
		case !strings.HasPrefix(e.Why, "row 0 holds "):
			return nil
		}
	}
	out, err := onerow.Take(t.Context(), []arrow.Record{rec}, rows, onerow.Resources{Allocator: mem})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Release)
	return out
}

// randomHashed makes a table of a few columns of random families.
func randomHashed(t testing.TB, mem memory.Allocator, rnd *rand.Rand, rows int) arrow.Record {
	t.Helper()
	var columns []string
	var samples []oracle.Sample
	for c := range 1 + rnd.IntN(4) {
		s := oracle.Samples[rnd.IntN(len(oracle.Samples))]
		columns = append(columns, fmt.Sprintf("c%d:%s", c, s.Types[rnd.IntN(len(s.Types))]))
		samples = append(samples, s)
	}
	cells := make([][]any, rows)
	for i := range cells {
		for _, s := range samples {
			var cell any
			if rnd.IntN(4) > 0 {
				cell = s.Cells[rnd.IntN(len(s.Cells))]
			}
			cells[i] = append(cells[i], cell)
		}
	}
	return arrowtest.Table(t, mem, columns, cells)[0]
}

// TestHashRandomTables: rows of random tables have equal canonical hashes if and only if they are equal; every form is as defined, over any encoding.
func TestHashRandomTables(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		rec := randomHashed(t, mem, rnd, 1+rnd.IntN(12))
		var types []arrow.DataType
		for _, f := range rec.Schema().Fields() {
			types = append(types, f.Type)
		}
		for _, f := range allForms {
			hashes, err := rowHashes(t, []arrow.Record{rec}, nil, hashOptions(mem, f, 1))
			if err != nil && f != scd2.CanonicalHash && errors.Is(err, onerow.ErrType) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			rows := map[string]string{}
			for i, row := range arrowtest.Cells(rec) {
				if ref := refHash(f, types, row); ref != hashes[i] {
					t.Fatalf("seed %d, %v: row %d has hash %s, by definition %s", seed, f, i, hashes[i], ref)
				}
				key := ""
				for _, v := range row {
					key += arrowtest.Format(arrowtest.Key(v)) + ";"
				}
				if other, ok := rows[hashes[i]]; ok && other != key && f == scd2.CanonicalHash {
					t.Fatalf("seed %d: %s and %s have one hash", seed, key, other)
				}
				rows[hashes[i]] = key
			}
			if seed%6 == 0 {
				checkHashVariants(t, mem, rec, f, hashes)
			}
		}
	}
}

// TestHashedFloats: floats of all sizes and exponents are printed as Java 19 defines it.
func TestHashedFloats(t *testing.T) {
	mem := arrowtest.Allocator(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	var rows [][]any
	for range 400 {
		wide := []uint64{rnd.Uint64(), rnd.Uint64() >> 12 >> rnd.IntN(50), math.Float64bits(math.Ldexp(1, rnd.IntN(2000)-1000)), math.Float64bits(float64(rnd.Int64()))}[rnd.IntN(4)]
		narrow := rnd.Uint32() >> (rnd.IntN(2) * rnd.IntN(31))
		f, g := arrowtest.FloatOf(math.Float64frombits(wide)), arrowtest.FloatOf(float64(math.Float32frombits(narrow)))
		rows = append(rows, []any{f, g})
	}
	rec := arrowtest.Table(t, mem, []string{"f:float64", "g:float32"}, rows)[0]
	types := []arrow.DataType{arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float32}
	for _, f := range []scd2.HashForm{scd2.SparkMD5, scd2.SparkXXHash64, scd2.CanonicalHash} {
		got, err := rowHashes(t, []arrow.Record{rec}, nil, hashOptions(mem, f, 1))
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range arrowtest.Cells(rec) {
			if want := refHash(f, types, row); got[i] != want {
				t.Fatalf("%v: %s, want %q", f, arrowtest.Format(arrowtest.List(row)), refJoined("|", types, row))
			}
		}
	}
}
