package scd2_test

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// TestHashedText: what is hashed of values, as Spark casts them to text. The texts of timestamps were made with Java's formatter.
func TestHashedText(t *testing.T) {
	mem := arrowtest.Allocator(t)
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip("no zones: ", err)
	}
	i := func(n int64) any { return map[string]any{"i": fmt.Sprint(n)} }
	for _, test := range []struct {
		typ  string
		cell any
		opts scd2.HashOptions
		want string
	}{
		{"timestamp[us,UTC]", 0, scd2.HashOptions{}, "1970-01-01 00:00:00"},
		{"timestamp[us,UTC]", 0, scd2.HashOptions{Zone: newYork}, "1969-12-31 19:00:00"},
		{"timestamp[us,Asia/Kolkata]", i(1769850000250000), scd2.HashOptions{Zone: newYork}, "2026-01-31 04:00:00.25"},
		{"timestamp[us]", i(1769850000250000), scd2.HashOptions{Zone: newYork}, "2026-01-31 09:00:00.25"},
		{"timestamp[ns]", i(-1000), scd2.HashOptions{}, "1969-12-31 23:59:59.999999"},
		{"timestamp[ms]", i(-1), scd2.HashOptions{}, "1969-12-31 23:59:59.999"},
		{"timestamp[us,UTC]", i(-62135596800000001), scd2.HashOptions{Zone: newYork}, "0000-12-31 19:03:57.999999"},
		{"timestamp[us,UTC]", i(-62167219200000001), scd2.HashOptions{}, "-0001-12-31 23:59:59.999999"},
		{"timestamp[us]", i(253402300800000000), scd2.HashOptions{}, "+10000-01-01 00:00:00"},
		{"timestamp[us]", i(math.MaxInt64), scd2.HashOptions{}, "+294247-01-10 04:00:54.775807"},
		{"timestamp[us]", i(math.MinInt64), scd2.HashOptions{}, "-290308-12-21 19:59:05.224192"},
		{"date32", i(math.MaxInt32), scd2.HashOptions{}, "+5881580-07-11"},
		{"date32", i(math.MinInt32), scd2.HashOptions{}, "-5877641-06-23"},
		{"date64", "2024-02-29", scd2.HashOptions{}, "2024-02-29"},
		{"decimal(38,10)", "0", scd2.HashOptions{Decimals: scd2.ScientificDecimals}, "0E-10"},
		{"decimal(38,10)", "0", scd2.HashOptions{Decimals: scd2.PlainDecimals}, "0.0000000000"},
		{"decimal(38,6)", "0", scd2.HashOptions{}, "0.000000"},
		{"decimal(38,7)", "0.0000001", scd2.HashOptions{Decimals: scd2.ScientificDecimals}, "1E-7"},
		{"decimal(38,9)", "-0.000000123", scd2.HashOptions{Decimals: scd2.ScientificDecimals}, "-1.23E-7"},
		{"decimal(38,8)", "-0.00000123", scd2.HashOptions{}, "-0.00000123"},
		{"decimal(38,8)", "-0.00000123", scd2.HashOptions{Decimals: scd2.ScientificDecimals}, "-0.00000123"},
		{"decimal(38,0)", strings.Repeat("9", 38), scd2.HashOptions{}, strings.Repeat("9", 38)},
		{"decimal(38,2)", "10000000000000000000000000000.5", scd2.HashOptions{}, "10000000000000000000000000000.50"},
		{"decimal256(38,2)", "-0.5", scd2.HashOptions{}, "-0.50"},
		{"float64", 1e10, scd2.HashOptions{}, "1.0E10"},
		{"float64", map[string]any{"f": "-0"}, scd2.HashOptions{}, "-0.0"},
		{"float64", map[string]any{"f": "-Infinity"}, scd2.HashOptions{}, "-Infinity"},
		{"float32", map[string]any{"f": "NaN#7"}, scd2.HashOptions{}, "NaN"},
		{"float32", 0.1, scd2.HashOptions{}, "0.1"},
		{"float64", 2e23, scd2.HashOptions{Floats: scd2.OldJavaFloats}, "1.9999999999999998E23"},
		{"float64", 2e23, scd2.HashOptions{Floats: scd2.NewJavaFloats}, "2.0E23"},
		{"uint64", map[string]any{"i": "18446744073709551615"}, scd2.HashOptions{}, "18446744073709551615"},
		{"binary", []byte{0xff, 0}, scd2.HashOptions{}, "\xff\x00"},
		{"bool", false, scd2.HashOptions{}, "false"},
		{"list<date32>", []any{"2026-01-31", nil, "2026-02-01"}, scd2.HashOptions{Separator: "~"}, "2026-01-31~2026-02-01"},
		{"list<string>", []any{}, scd2.HashOptions{Separator: "~"}, ""},
		{"list<string>", []any{""}, scd2.HashOptions{Separator: "~"}, ""},
		{"list<string>", []any{"", ""}, scd2.HashOptions{Separator: "~"}, "~"},
	} {
		o := test.opts
		o.Form, o.Resources.Allocator = scd2.SparkMD5, mem
		got, err := rowHashes(t, arrowtest.Table(t, mem, []string{"c:" + test.typ}, [][]any{{test.cell}}), nil, o)
		if want := fmt.Sprintf("%x", md5.Sum([]byte(test.want))); err != nil || got[0] != want {
			t.Errorf("%s %v is not hashed as %q: %v %v", test.typ, test.cell, test.want, got, err)
		}
	}
}

// TestHashTypeErrors: types without a hash, in columns, fields and elements, all at once.
func TestHashTypeErrors(t *testing.T) {
	spark, sparkText := []scd2.HashForm{scd2.SparkSHA2, scd2.SparkMD5, scd2.SparkXXHash64}, []scd2.HashForm{scd2.SparkSHA2, scd2.SparkMD5}
	dbt := []scd2.HashForm{scd2.DBTKey, scd2.DBTLegacyKey}
	for _, test := range []struct {
		typ   string
		forms []scd2.HashForm
		why   string
	}{
		{"map<string,int8>", allForms, "map"},
		{"duration[s]", spark, "duration has no equal in Spark"},
		{"time32[s]", spark, "time32 has no equal in Spark"},
		{"float16", spark, "Spark has no floats of 16 bits"},
		{"decimal256(39,0)", spark, "Spark's decimals have at most 38 digits, and a scale from 0 to their number"},
		{"decimal(5,-2)", spark, "Spark's decimals"},
		{"decimal(5,6)", spark, "Spark's decimals"},
		{"dict<int8,duration[s]>", spark, "duration has no equal in Spark"},
		{"list<duration[s]>", spark, "element: duration"},
		{"uint64", []scd2.HashForm{scd2.SparkXXHash64}, "cast to int64 or decimal(20,0)"},
		{"list<struct<a:uint64>>", []scd2.HashForm{scd2.SparkXXHash64}, `element: field "a": Spark has no unsigned integers`},
		{"struct<a:int8>", sparkText, "Spark's concat_ws takes no structs"},
		{"list<struct<a:int8>>", sparkText, "element: Spark's concat_ws takes no structs"},
		{"list<list<string>>", sparkText, "element: Spark's concat_ws takes no list of lists"},
		{"float64", dbt, "engines cast float64 to text in different ways"},
		{"timestamp[us]", dbt, "engines cast timestamp to text in different ways"},
		{"timestamp[us,UTC]", dbt, "engines cast timestamp"},
		{"binary", dbt, "engines cast binary"},
		{"list<string>", dbt, "engines cast list"},
		{"struct<a:int8>", dbt, "engines cast struct"},
		{"time64[us]", dbt, "engines cast time64"},
		{"decimal256(39,0)", dbt, "the decimals of SQL have at most 38 digits"},
	} {
		mem := arrowtest.Allocator(t)
		for _, f := range allForms {
			for _, rows := range [][][]any{nil, {{nil, 1}}} {
				_, err := rowHashes(t, arrowtest.Table(t, mem, []string{"bad:" + test.typ, "n:int8"}, rows), nil, hashOptions(mem, f, 2))
				var e *onerow.TypeError
				wrong := slices.Contains(test.forms, f)
				if wrong && (!errors.As(err, &e) || e.Column != "bad" || e.Input != "batches" || !strings.Contains(e.Error(), test.why) || !errors.Is(err, onerow.ErrType)) {
					t.Errorf("%v of %s: %v", f, test.typ, err)
				}
				if !wrong && err != nil && !errors.Is(err, onerow.ErrType) {
					t.Errorf("%v of %s: %v", f, test.typ, err)
				}
			}
		}
	}
	mem := arrowtest.Allocator(t)
	_, err := rowHashes(t, arrowtest.Table(t, mem, []string{"a:map<string,int8>", "b:int8", "c:duration[s]"}, nil), []string{"c", "b", "a", "x"}, hashOptions(mem, scd2.SparkMD5, 1))
	for _, want := range []string{`column "a" of type map`, `column "c" of type duration[s] in batches`, `column "x": no such column`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: nothing about %s", err, want)
		}
	}
}

// TestHashValueErrors: values without a hash are told of with their row, of several the first, in dictionaries too, but not those of a dictionary that no row refers to.
func TestHashValueErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	i := func(n int64) any { return map[string]any{"i": fmt.Sprint(n)} }
	for _, test := range []struct {
		form      scd2.HashForm
		typ       string
		good, bad any
		why       string
	}{
		{scd2.SparkMD5, "timestamp[ns]", 1000, 1001, "holds 1001 nanoseconds: Spark's timestamps are of microseconds"},
		{scd2.SparkXXHash64, "timestamp[ns,UTC]", 0, -1, "holds -1 nanoseconds"},
		{scd2.SparkXXHash64, "timestamp[s]", 0, i(math.MaxInt64/1000000 + 1), "Spark's timestamps are microseconds in 64 bits"},
		{scd2.SparkSHA2, "timestamp[ms]", 0, i(math.MinInt64/1000 - 1), "Spark's timestamps are microseconds in 64 bits"},
		{scd2.SparkMD5, "date64", 86_400_000, 1, "holds 1 milliseconds: it isn't at midnight"},
		{scd2.SparkXXHash64, "date64", 0, i(86_400_000 * (math.MaxInt32 + 1)), "dates have 32 bits elsewhere"},
		{scd2.DBTKey, "date32", "9999-12-31", "9999-12-31", ""},
		{scd2.DBTKey, "date32", "0001-01-01", i(-719163), "engines print years before 1 and after 9999 in different ways"},
		{scd2.DBTLegacyKey, "date32", 0, i(2932897), "holds +10000-01-01: engines print years"},
		{scd2.SparkMD5, "decimal(38,7)", "0.000001", "0.0000001", "holds 0.0000001: Spark prints it in different ways with and without ANSI mode; say which in Decimals"},
		{scd2.SparkMD5, "decimal(38,10)", "1", "0", "holds 0.0000000000: Spark prints"},
		{scd2.SparkSHA2, "float64", 1e10, 2e23, "holds 2e+23: older and newer Javas print it in different ways; say which in Floats"},
	} {
		for _, typ := range []string{test.typ, "dict<int8," + test.typ + ">", "ree<" + test.typ + ">", "list<" + test.typ + ">"} {
			cell := func(v any) any {
				if strings.HasPrefix(typ, "list") {
					return []any{v}
				}
				return v
			}
			if strings.HasPrefix(typ, "list") && test.form != scd2.SparkXXHash64 && test.form != scd2.SparkMD5 && test.form != scd2.SparkSHA2 {
				continue
			}
			good, bad := cell(test.good), cell(test.bad)
			batches := arrowtest.Batches(t, mem, []string{"n:int8", "c:" + typ}, [][]any{{1, good}, {1, nil}}, [][]any{{1, good}, {1, bad}, {1, bad}}, [][]any{{1, bad}})
			_, err := rowHashes(t, batches, nil, scd2.HashOptions{Form: test.form, Resources: onerow.Resources{Workers: 3}})
			if test.why == "" {
				if err != nil {
					t.Errorf("%v of %s: %v", test.form, typ, err)
				}
				continue
			}
			var e *onerow.TypeError
			if !errors.As(err, &e) || e.Column != "c" || !strings.HasPrefix(e.Why, "row 3 holds ") || !strings.Contains(e.Why, test.why) || len(strings.Split(err.Error(), "\n")) > 1 {
				t.Errorf("%v of %s: %v", test.form, typ, err)
			}
			if _, err := rowHashes(t, batches[:1], nil, scd2.HashOptions{Form: test.form}); err != nil {
				t.Errorf("%v of %s: %v", test.form, typ, err)
			}
		}
	}
	unused := arrowtest.Spec{Columns: []string{"c:dict<int8,date64>"}, Rows: [][]any{{0}, {2}, {nil}}, Dictionaries: map[string][][]any{"c": {{86_400_000, 1, nil}}}}
	batches, err := unused.Build(mem)
	if err != nil {
		t.Fatal(err)
	}
	defer arrowtest.Release(batches)
	if got, err := rowHashes(t, batches, nil, hashOptions(mem, scd2.SparkMD5, 1)); err != nil || got[1] != got[2] || got[0] == got[1] {
		t.Errorf("%v, %v", got, err)
	}
}

// TestDecimalBeyondItsType: Arrow lets a decimal have more digits than its type says; no engine does.
func TestDecimalBeyondItsType(t *testing.T) {
	mem := arrowtest.Allocator(t)
	raw := array.NewData(&arrow.Decimal128Type{Precision: 3, Scale: 1}, 2, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes([]int64{999, 0, -1000, -1}))}, nil, 0, 0)
	defer raw.Release()
	arr := array.MakeFromData(raw)
	defer arr.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "d", Type: arr.DataType()}}, nil), []arrow.Array{arr}, 2)
	defer rec.Release()
	for _, f := range allForms {
		_, err := rowHashes(t, []arrow.Record{rec}, nil, hashOptions(mem, f, 1))
		var e *onerow.TypeError
		if f != scd2.CanonicalHash && (!errors.As(err, &e) || e.Why != "row 1 holds 100.0: it has more digits than its type") || f == scd2.CanonicalHash && err != nil {
			t.Errorf("%v: %v", f, err)
		}
	}
}

func TestHashOptionErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	rec := arrowtest.Table(t, mem, []string{"a:int8", "b:string", "b:string"}, [][]any{{1, "x", "y"}})
	for _, test := range []struct {
		columns []string
		opts    scd2.HashOptions
		is      error
		why     string
	}{
		{nil, scd2.HashOptions{Form: 6}, onerow.ErrOption, "Form has no value 6"},
		{nil, scd2.HashOptions{Form: scd2.SparkMD5, Decimals: 3}, onerow.ErrOption, "Decimals has no value 3"},
		{nil, scd2.HashOptions{Form: scd2.SparkMD5, Floats: 3}, onerow.ErrOption, "Floats has no value 3"},
		{nil, scd2.HashOptions{Separator: "|"}, onerow.ErrOption, "Separator is for the forms spark_sha2 and spark_md5 alone"},
		{nil, scd2.HashOptions{Form: scd2.SparkXXHash64, Zone: time.UTC}, onerow.ErrOption, "Zone is for"},
		{nil, scd2.HashOptions{Form: scd2.DBTKey, Decimals: scd2.PlainDecimals}, onerow.ErrOption, "Decimals is for"},
		{nil, scd2.HashOptions{Form: scd2.DBTKey, Floats: scd2.OldJavaFloats}, onerow.ErrOption, "Floats is for"},
		{[]string{"x"}, scd2.HashOptions{}, onerow.ErrNoColumn, `column "x"`},
		{[]string{"b"}, scd2.HashOptions{}, onerow.ErrNoColumn, `2 columns of batches have this name`},
	} {
		for _, batches := range [][]arrow.Record{rec, nil} {
			if _, err := rowHashes(t, batches, test.columns, test.opts); batches == nil && test.is == onerow.ErrNoColumn {
				if err != nil {
					t.Errorf("without batches: %v", err)
				}
			} else if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.why) {
				t.Errorf("%+v: %v", test.opts, err)
			}
			if _, err := scd2.Confusions(t.Context(), batches, test.columns, test.opts); batches != nil && !errors.Is(err, test.is) {
				t.Errorf("%+v: %v", test.opts, err)
			}
		}
	}
	_, err := rowHashes(t, rec, nil, scd2.HashOptions{Separator: "|", Zone: time.UTC})
	if err == nil || !strings.Contains(err.Error(), "Separator") || !strings.Contains(err.Error(), "Zone") {
		t.Errorf("two at once: %v", err)
	}
	other := arrowtest.Table(t, mem, []string{"a:int16", "b:string", "b:string"}, nil)
	if _, err := rowHashes(t, append(rec[:1:1], other...), nil, scd2.HashOptions{}); !errors.Is(err, onerow.ErrSchema) {
		t.Errorf("%v", err)
	}
	if _, err := rowHashes(t, []arrow.Record{nil}, nil, scd2.HashOptions{}); !errors.Is(err, onerow.ErrSchema) {
		t.Errorf("%v", err)
	}
	// A column may be named twice, and all of several of one name are hashed where none is named.
	twice, err := rowHashes(t, rec, []string{"a", "a"}, scd2.HashOptions{})
	if err != nil {
		t.Fatal(err)
	}
	once, err := rowHashes(t, rec, []string{"a"}, scd2.HashOptions{})
	if err != nil || once[0] == twice[0] {
		t.Errorf("%v, %v, %v", once, twice, err)
	}
	if _, err := rowHashes(t, rec, nil, scd2.HashOptions{}); err != nil {
		t.Error(err)
	}
}

// TestHashCanceled: a context that has ended, or ends under way, stops both calls, and nothing leaks.
func TestHashCanceled(t *testing.T) {
	mem := arrowtest.Allocator(t)
	rows := make([][]any, 3000)
	for i := range rows {
		rows[i] = []any{i, "x"}
	}
	one := arrowtest.Table(t, mem, []string{"a:int64", "b:dict<int8,string>"}, rows)[0]
	var batches []arrow.Record
	for range 40 {
		batches = append(batches, one)
	}
	for _, f := range allForms {
		for _, workers := range []int{1, 3} {
			ctx, cancel := context.WithCancelCause(t.Context())
			o := hashOptions(mem, f, workers)
			o.Resources.Progress = func(done, total int64, stage onerow.Stage) {
				if stage != onerow.StageEncode || total != 120_000 {
					t.Errorf("%s of %d", stage, total)
				}
				if done >= 30_000 {
					cancel(nil)
				}
			}
			if arrs, err := scd2.RowHash(ctx, batches, nil, o); !errors.Is(err, context.Canceled) || arrs != nil {
				t.Errorf("%v: %v, %v", f, arrs, err)
			}
			if r, err := scd2.Confusions(ctx, batches, nil, o); !errors.Is(err, context.Canceled) || r != nil {
				t.Errorf("%v: %v, %v", f, r, err)
			}
			if _, err := scd2.RowHash(ctx, nil, nil, o); !errors.Is(err, context.Canceled) {
				t.Errorf("%v: %v", f, err)
			}
			cancel(nil)
		}
	}
}

// endsLater is a context that has ended when it was asked a number of times.
type endsLater struct {
	context.Context
	asked, last int
}

func (c *endsLater) Err() error {
	if c.asked++; c.asked > c.last {
		return context.Canceled
	}
	return nil
}

// TestHashCanceledInside: a batch of long texts, or a dictionary of them, is left inside.
func TestHashCanceledInside(t *testing.T) {
	mem := arrowtest.Allocator(t)
	rows := make([][]any, 2000)
	for i := range rows {
		rows[i] = []any{fmt.Sprint(i, strings.Repeat("x", 2000))}
	}
	for typ, most := range map[string]int{"string": 12, "dict<int16,string>": 3} {
		batches := arrowtest.Table(t, mem, []string{"a:" + typ}, rows)
		for _, f := range allForms {
			for last := range most {
				ctx := &endsLater{Context: t.Context(), last: last}
				if _, err := scd2.RowHash(ctx, batches, nil, hashOptions(mem, f, 1)); !errors.Is(err, context.Canceled) || ctx.asked > last+4 {
					t.Fatalf("%v of %s, asked %d times, of %d: %v", f, typ, ctx.asked, last, err)
				}
				if _, err := scd2.Confusions(ctx, batches, nil, hashOptions(mem, f, 1)); !errors.Is(err, context.Canceled) {
					t.Fatalf("%v of %s: %v", f, typ, err)
				}
			}
		}
	}
}
