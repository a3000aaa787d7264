package join_test

import (
	"bytes"
	gocmp "cmp"
	"encoding/binary"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/join"
)

var updateSketches = flag.Bool("update", false, "write join/testdata/sketch_*.bin anew: only ever for new files")

// goldenKeys are the rows of the golden sketches that aren't of one family: keys of many rows, of two, and of one.
func goldenKeys(n, from int) (keys []int64) {
	for i := range n {
		k := int64(from+i) * 1_000_003
		for range 1 + max(0, 40-10*i) + i%2 {
			keys = append(keys, k)
		}
	}
	return keys
}

// goldenSketches are the sketches of the files testdata/sketch_NAME.bin.
func goldenSketches(t *testing.T) map[string]*join.Sketch {
	one := func(typ string, cells ...any) *join.Sketch {
		var rows [][]any
		for _, c := range append(cells, nil, cells[0]) {
			rows = append(rows, []any{c})
		}
		return sketchTable(t, []string{"key:" + typ}, rows, join.SketchOptions{Keys: 64})
	}
	m := map[string]*join.Sketch{
		"null":         sketchTable(t, []string{"key:null"}, [][]any{{nil}, {nil}}, join.SketchOptions{Keys: 64}),
		"bool":         one("bool", true, false),
		"integer":      one("int32", 7, -1, 1<<31-1),
		"huge_integer": one("uint64", map[string]any{"i": "18446744073709551615"}, map[string]any{"i": "9223372036854775808"}, 1),
		"float":        one("float32", 1.5, map[string]any{"f": "-0"}, map[string]any{"f": "NaN"}, map[string]any{"f": "-Infinity"}),
		"decimal":      one("decimal(10,2)", map[string]any{"d": "1.50"}, map[string]any{"d": "-200"}, map[string]any{"d": "0"}),
		"text":         one("string", "", "a", "ü\n", strings.Repeat("long ", 20), map[string]any{"x": "ff"}),
		"binary":       one("binary", []byte{}, []byte{255, 0}, bytes.Repeat([]byte{7}, 200)),
		"date":         one("date32", "2026-01-31", "1969-12-31"),
		"time_of_day":  one("time64[us]", "09:00:01", "23:59:59"),
		"naive":        one("timestamp[s]", "2026-01-31T09:00:00", "1969-12-31T23:59:59"),
		"instant":      one("timestamp[us,UTC]", "2026-06-01T12:00:00Z", "1969-06-01T14:00:00Z"),
		"duration":     one("duration[s]", 5, -5),
		"struct":       one("struct<a:int32,b:string>", map[string]any{"a": 1, "b": "x"}, map[string]any{"a": nil, "b": "x"}),
		"list":         one("list<list<int16>>", []any{[]any{1, nil}, nil}, []any{}),
		"composite":    sketchTable(t, []string{"tenant:string", "id:int64"}, [][]any{{"a", 1}, {"a", 1}, {"b", 1}, {nil, 2}}, join.SketchOptions{}),
		"nulls_equal":  sketchTable(t, []string{"tenant:string", "id:int64"}, [][]any{{"a", 1}, {nil, 2}, {nil, 2}, {nil, nil}}, join.SketchOptions{Nulls: join.NullsEqual}),
		"full":         sketchInts(t, goldenKeys(200, 0), 64),
		"merged":       mustMerge(t, sketchInts(t, goldenKeys(200, 0), 64), sketchInts(t, goldenKeys(150, 100), 128)),
		"merged_exact": mustMerge(t, sketchInts(t, goldenKeys(60, 0), 64), sketchInts(t, goldenKeys(60, 30), 64)),
		"no_batches":   sketchTable(t, []string{"key:null"}, nil, join.SketchOptions{}),
		"long_composite": sketchTable(t, []string{"a:string", "b:string", "c:int8"},
			[][]any{{strings.Repeat("a", 30), strings.Repeat("b", 30), 1}, {"a", "b", 1}}, join.SketchOptions{}),
	}
	return m
}

func goldenFile(name string) string { return filepath.Join("testdata", "sketch_"+name+".bin") }

// TestSketchGolden compares the bytes of sketches with those of version 1, which never change, and what is read from them.
func TestSketchGolden(t *testing.T) {
	sketches := goldenSketches(t)
	for name, s := range sketches {
		got := sketchBytes(t, s)
		if *updateSketches {
			if err := os.WriteFile(goldenFile(name), got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(goldenFile(name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%s: other bytes than in the file", name)
		}
		var read join.Sketch
		if err := read.UnmarshalBinary(want); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(s.Side(), read.Side(), cmp.Comparer(func(a, b join.Count) bool { return a == b })); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		e, err := join.EstimateSketches(s, &read)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if s.Side().Exact && e.MatchedKeys != s.Side().Keys {
			t.Errorf("%s: %v keys meet, of %v", name, e.MatchedKeys, s.Side().Keys)
		}
	}
	files, err := filepath.Glob(goldenFile("*"))
	if err != nil || len(files) != len(sketches) {
		t.Errorf("%d files for %d sketches, %v", len(files), len(sketches), err)
	}
}

// sketchFile is a file as the comment of MarshalBinary says that it is to be read.
type sketchFile struct {
	Flags                 byte
	Size                  uint64
	Columns               []string // the name, and the numbers of the families as they stand
	Rows, NullRows, Least uint64
	Sample, Heavy         []fileKey
	Buckets               []fileBucket
}

type fileKey struct {
	Hash      uint64
	Bytes     string
	Rows, Out uint64 // at least, and how many more
	Texts     []string
}

type fileBucket struct{ Rows, Keys, Most, High, Low uint64 }

// parseSketch reads a file, and fails when it doesn't end where it should.
func parseSketch(t *testing.T, data []byte) (f sketchFile) {
	t.Helper()
	take := func(n int) []byte {
		if n > len(data) {
			t.Fatalf("%d bytes are left, not %d", len(data), n)
		}
		b := data[:n]
		data = data[n:]
		return b
	}
	number := func() uint64 {
		n, size := binary.Uvarint(data)
		if size <= 0 {
			t.Fatal("no number")
		}
		take(size)
		return n
	}
	text := func() string { return string(take(int(number()))) }
	if sum := xxhash.Sum64(data[:len(data)-8]); sum != binary.LittleEndian.Uint64(data[len(data)-8:]) {
		t.Fatal("checksum")
	}
	data = data[:len(data)-8]
	if string(take(8)) != "1rowskch" || take(1)[0] != 1 {
		t.Fatal("head")
	}
	f.Flags = take(1)[0]
	f.Size = number()
	var shape func() string
	shape = func() string {
		family := take(1)[0]
		s := string(rune('a' + family))
		switch family {
		case 12:
			for range number() {
				s += "(" + text() + " " + shape() + ")"
			}
		case 13:
			s += shape()
		}
		return s
	}
	for range number() {
		f.Columns = append(f.Columns, text()+":"+shape())
	}
	f.Rows, f.NullRows = number(), number()
	keys := func(more bool) (keys []fileKey) {
		for range number() {
			k := fileKey{Hash: binary.LittleEndian.Uint64(take(8)), Bytes: text(), Rows: number()}
			if more {
				k.Out = number()
			}
			for range f.Columns {
				k.Texts = append(k.Texts, text())
			}
			keys = append(keys, k)
		}
		return keys
	}
	f.Sample = keys(false)
	if f.Flags&2 != 0 {
		f.Least = number()
		f.Heavy = keys(true)
		for range 1 << number() {
			f.Buckets = append(f.Buckets, fileBucket{number(), number(), number(), number(), number()})
		}
	}
	if len(data) > 0 {
		t.Fatalf("%d bytes are left", len(data))
	}
	return f
}

func readGolden(t *testing.T, name string) sketchFile {
	t.Helper()
	data, err := os.ReadFile(goldenFile(name))
	if err != nil {
		t.Fatal(err)
	}
	return parseSketch(t, data)
}

// splitmix64 is the next number of the generator, and the hash of an integer.
func splitmix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// TestSketchFormat makes the content of a golden file by the comment alone, of integers, and compares; and looks into others.
func TestSketchFormat(t *testing.T) {
	rows := map[int64]uint64{}
	want := sketchFile{Flags: 2, Size: 64, Columns: []string{"k:c"}, Buckets: make([]fileBucket, 64)}
	for _, k := range goldenKeys(200, 0) {
		rows[k]++
		want.Rows++
	}
	var all []fileKey
	for k, n := range rows {
		id := binary.LittleEndian.AppendUint64([]byte{2}, uint64(k))
		all = append(all, fileKey{Hash: splitmix64(splitmix64(uint64(k))), Bytes: string(id), Rows: n, Texts: []string{strconv.FormatInt(k, 10)}})
	}
	want.Least = uint64(len(all))
	slices.SortFunc(all, func(a, b fileKey) int { return gocmp.Compare(a.Hash, b.Hash) })
	want.Sample = slices.Clone(all[:64])
	slices.SortStableFunc(all, func(a, b fileKey) int { return gocmp.Compare(b.Rows, a.Rows) })
	want.Heavy = all[:4]
	for i, k := range all {
		b := &want.Buckets[k.Hash&63]
		b.Rows += k.Rows
		if i >= 4 {
			b.Keys++
			b.Most = max(b.Most, k.Rows)
			b.Low += k.Rows * k.Rows
		}
	}
	if d := cmp.Diff(want, readGolden(t, "full")); d != "" {
		t.Errorf("full (-want +got): %s", d)
	}

	merged := readGolden(t, "merged")
	var sum uint64
	for _, b := range merged.Buckets {
		sum += b.Rows
	}
	if merged.Size != 64 || len(merged.Sample) != 64 || len(merged.Heavy) != 4 || len(merged.Buckets) != 64 || sum != merged.Rows || merged.Least != 200 {
		t.Errorf("merged %+v", merged)
	}
	for name, c := range map[string][]string{"null": {"key:a"}, "bool": {"key:b"}, "huge_integer": {"key:c"}, "float": {"key:d"}, "decimal": {"key:e"},
		"text": {"key:f"}, "binary": {"key:g"}, "date": {"key:h"}, "time_of_day": {"key:i"}, "naive": {"key:j"}, "instant": {"key:k"},
		"duration": {"key:l"}, "struct": {"key:m(a c)(b f)"}, "list": {"key:nnc"}, "composite": {"tenant:f", "id:c"}} {
		if f := readGolden(t, name); !slices.Equal(f.Columns, c) || f.Flags != 0 {
			t.Errorf("%s has the columns %q, flags %d", name, f.Columns, f.Flags)
		}
	}
	equal := readGolden(t, "nulls_equal")
	if equal.Flags != 1 || equal.Rows != 4 || equal.NullRows != 3 || len(equal.Sample) != 3 {
		t.Errorf("nulls equal: %+v", equal)
	}
	for _, k := range equal.Sample {
		if k.Texts[1] == "NULL" && k.Bytes != "\x00\x00" {
			t.Errorf("two NULLs are %q", k.Bytes)
		}
	}
	for _, k := range readGolden(t, "binary").Sample {
		if long := len(k.Texts[0]) > 20; long != (k.Bytes[0] == 255 && len(k.Bytes) == 33) || len(k.Texts[0]) > 160 {
			t.Errorf("%q has the bytes %q", k.Texts, k.Bytes)
		}
	}
}
