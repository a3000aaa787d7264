package scd2_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// canonicalVectors are rows and their hashes. They are not to be computed again: a test that fails here found a change of the hash, and tables
// hold hashes of it.
var canonicalVectors = []struct {
	columns string
	row     []any
	hash    string
}{
	{"null", []any{nil}, "6e340b9cffb37a989ca544e6bb780a2c"},
	{"int64", []any{nil}, "6e340b9cffb37a989ca544e6bb780a2c"},
	{"bool", []any{true}, "9dcf97a184f32623d11a73124ceb99a5"},
	{"int8", []any{7}, "95d6f8b53c8e5c1d2e3c443dfee0705a"},
	{"uint64", []any{map[string]any{"i": "18446744073709551615"}}, "339eed010a5e07b4314cb00f1234d636"},
	{"int64", []any{-1}, "b2cf65b90288fa2b93e5322143431218"},
	{"float64", []any{map[string]any{"f": "-0"}}, "93e60f669b99ad3e3ee6284b139e57ad"},
	{"float32", []any{map[string]any{"f": "NaN#1"}}, "6997e9a471855f0157b7143cc36171cf"},
	{"float16", []any{1.5}, "bdfeac9fb853b2ae70ded02ac224f00a"},
	{"decimal(10,4)", []any{"1.2"}, "e6ed4be1ef3c6d997b8de1befa966bad"},
	{"decimal256(76,0)", []any{"-" + strings.Repeat("9", 76)}, "e37ca04d39b377a1004171bea7c81777"},
	{"string", []any{""}, "69c29c051218dbea38795b1cdfd81685"},
	{"large_string", []any{"Zürich"}, "938e84ca05373ade6cb2d4b4f34236b4"},
	{"binary", []any{[]byte("Zürich")}, "63bc71e8da13f34daf868fb540f8e858"},
	{"date32", []any{"2026-01-31"}, "269d2b48cb28ca32feb17db9d03cd61f"},
	{"time64[us]", []any{"09:00:00.000001"}, "54b3827f5f17456de8fabae30217270b"},
	{"timestamp[ms]", []any{"2026-01-31T09:00:00"}, "bac218cbcd01edd2ac6d0e40a625fa25"},
	{"timestamp[ns,UTC]", []any{"2026-01-31T09:00:00Z"}, "eb7a84920785d7de104f5b5ab1c60f41"},
	{"duration[s]", []any{-90}, "596c12359bd89c108d0c934b2ce34330"},
	{"struct<a:int8,b:string>", []any{map[string]any{"a": 1, "b": nil}}, "1592c7932f8626cee2c176eb44bf8ff1"},
	{"list<list<int16>>", []any{[]any{[]any{1, 2}, nil, []any{}}}, "f20111cf64f5cc2db23343175a57deb5"},
	{"string string", []any{"ab", "c"}, "9fb8f332bacdbf5a56a4b33ccf9709f9"},
	{"string string", []any{"a", "bc"}, "03d44aada72f8f6ff097eb6117c95d87"},
	{"int64 string decimal(5,2) timestamp[us,UTC]", []any{7, nil, "10.50", "2026-01-31T09:00:00.25Z"}, "dc41f23a9ef208500e9efe1830895ce5"},
}

// foreignVectors were made by other tools: the first ones of a form are printed by the documentation or the tests of these tools.
var foreignVectors = []struct {
	form    scd2.HashForm
	sep     string
	columns string
	row     []any
	hash    string
}{
	{scd2.SparkSHA2, "", "string", []any{"Spark"}, "529bc3b07127ecb7e53a4dcf1991d9152c24537d919178022b2c42657f79a26b"},
	{scd2.SparkSHA2, "", "string", []any{nil}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{scd2.SparkMD5, "", "string", []any{"Spark"}, "8cde774d6f7333752ed72cacddb05126"},
	{scd2.SparkMD5, "-", "string string string", []any{"a", "b", "c"}, "7b193b3d33184464106f41ddf733783b"},
	{scd2.SparkMD5, "-", "string list<string> string", []any{"a", []any{"b", nil}, "c"}, "7b193b3d33184464106f41ddf733783b"},
	{scd2.SparkMD5, "-", "string string string", []any{"a", nil, "c"}, "982b7e37ccf157dfc3e5c030fb36c534"},

	{scd2.SparkXXHash64, "", "string list<int32> int32", []any{"Spark", []any{123}, 2}, "5602566077635097486"},
	{scd2.SparkXXHash64, "", "string", []any{"Spark"}, "-4294468057691064905"},
	{scd2.SparkXXHash64, "", "string", []any{""}, "-7444071767201028348"},
	{scd2.SparkXXHash64, "", "string", []any{"12345678"}, "6863040065134489090"},
	{scd2.SparkXXHash64, "", "string", []any{"12345678djdejidecjjeijcneknceincne"}, "-633855189410948723"},
	{scd2.SparkXXHash64, "", "string", []any{nil}, "42"},
	{scd2.SparkXXHash64, "", "int64", []any{map[string]any{"i": "9223372036854775807"}}, "-3246596055638297850"},
	{scd2.SparkXXHash64, "", "int64", []any{1}, "-7001672635703045582"},
	{scd2.SparkXXHash64, "", "uint32", []any{1}, "-7001672635703045582"},
	{scd2.SparkXXHash64, "", "timestamp[us]", []any{1}, "-7001672635703045582"},
	{scd2.SparkXXHash64, "", "decimal(18,3)", []any{"0.001"}, "-7001672635703045582"},
	{scd2.SparkXXHash64, "", "int64", []any{-1}, "3858142552250413010"},
	{scd2.SparkXXHash64, "", "int32", []any{-1}, "2017008487422258757"},
	{scd2.SparkXXHash64, "", "date32", []any{-1}, "2017008487422258757"},
	{scd2.SparkXXHash64, "", "int16", []any{1}, "-6698625589789238999"},
	{scd2.SparkXXHash64, "", "uint8", []any{1}, "-6698625589789238999"},
	{scd2.SparkXXHash64, "", "bool", []any{true}, "-6698625589789238999"},
	{scd2.SparkXXHash64, "", "bool", []any{false}, "3614696996920510707"},
	{scd2.SparkXXHash64, "", "float64", []any{map[string]any{"f": "-0"}}, "-5252525462095825812"},
	{scd2.SparkXXHash64, "", "float64", []any{1.0}, "-2162451265447482029"},
	{scd2.SparkXXHash64, "", "float64", []any{map[string]any{"f": "NaN#3"}}, "-3127944061524951246"},
	{scd2.SparkXXHash64, "", "float32", []any{1.0}, "700633588856507837"},
	{scd2.SparkXXHash64, "", "float32", []any{map[string]any{"f": "NaN#3"}}, "2692338816207849720"},
	{scd2.SparkXXHash64, "", "float32", []any{map[string]any{"f": "-Infinity"}}, "-7580553461823983095"},
	{scd2.SparkXXHash64, "", "string int32", []any{"", 0}, "5333022629466737987"},
	{scd2.SparkXXHash64, "", "string int32", []any{nil, 0}, "3614696996920510707"},
	{scd2.SparkXXHash64, "", "struct<a:string,b:int32>", []any{map[string]any{"a": "", "b": 0}}, "5333022629466737987"},

	{scd2.DBTKey, "", "string string string", []any{"a", "b", "c"}, "7b193b3d33184464106f41ddf733783b"},
	{scd2.DBTKey, "", "string string string", []any{"a", nil, "c"}, "4f32a73dc87b7bbb7a654d8898d58c7e"},
	{scd2.DBTKey, "", "string string string", []any{nil, nil, "c"}, "d9c538b129f1a3ad6ecfe55345c32a05"},
	{scd2.DBTKey, "", "string null int8", []any{nil, nil, nil}, "2fa5491950d66d153d23cfbcfea4e164"},
	{scd2.DBTKey, "", "string", []any{"a"}, "0cc175b9c0f1b6a831c399e269772661"},
	{scd2.DBTKey, "", "string", []any{nil}, "f14cc5cdce0420f4a5a6b6d9d7b85f39"},
	{scd2.DBTKey, "", "string string string", []any{"value1", "value2", "2020-12-28 02:46:55.90"}, "6a0d80e46ff42fd1c32d9f5a267dfe06"},
	{scd2.DBTLegacyKey, "", "string", []any{nil}, "d41d8cd98f00b204e9800998ecf8427e"},
}

func TestHashVectors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	check := func(columns string, row []any, o scd2.HashOptions, want string) {
		t.Helper()
		var named []string
		for i, c := range strings.Fields(columns) {
			named = append(named, string(rune('a'+i))+":"+c)
		}
		o.Resources.Allocator = mem
		got, err := rowHashes(t, arrowtest.Table(t, mem, named, [][]any{row}), nil, o)
		if err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("%v of %s: %v, %v, want %s", o.Form, columns, got, err, want)
		}
	}
	for _, v := range canonicalVectors {
		check(v.columns, v.row, scd2.HashOptions{}, v.hash)
	}
	for _, v := range foreignVectors {
		check(v.columns, v.row, scd2.HashOptions{Form: v.form, Separator: v.sep}, v.hash)
	}
}

// TestXXH64: the two implementations of XXH64 agree for all lengths around its blocks; each is checked against the known hash of nothing.
func TestXXH64(t *testing.T) {
	data := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 5))
	for n := range 150 {
		for _, seed := range []uint64{0, 42, 1 << 63, 0x9e3779b97f4a7c15} {
			d := xxhash.NewWithSeed(seed)
			d.Write(data[:n])
			if got := refXXH64(data[:n], seed); got != d.Sum64() {
				t.Fatalf("%d bytes, seed %d: %#x and %#x", n, seed, got, d.Sum64())
			}
		}
	}
	if got := refXXH64(nil, 0); got != 0xef46db3751d8e999 {
		t.Errorf("of nothing: %#x", got)
	}
}
