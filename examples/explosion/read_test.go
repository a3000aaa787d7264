package main

import (
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A column has the narrowest type that says all of its cells as they are.
func TestTypesOfCSV(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	for _, c := range []struct{ cells, want string }{
		{"1 -2 0", "int64"},
		{"9223372036854775807 -9223372036854775808", "int64"},
		{"9223372036854775808", "utf8"}, // no int64, and no float64 without loss
		{"007 8", "utf8"},
		{"+1", "utf8"},
		{"-0", "float64"},
		{"1 2.5", "float64"},
		{"2.5 -1", "float64"},
		{"1e3", "utf8"},
		{"0.1234567890123456789", "utf8"},
		{"1 x", "utf8"},
		{"true False", "bool"},
		{"true 1", "utf8"},
		{"NaN", "utf8"},
		{"2026-01-31", "date32"},
		{"2026-02-30", "utf8"},
		{"2026-01-31 2026-01-31T10:00", "timestamp[us]"},
		{"2026-01-31T10:00:00.123456", "timestamp[us]"},
		{"2026-01-31T10:00:00.1234567", "utf8"},
		{"2026-01-31T10:00Z 2026-01-31T10:00:00+02:00", "timestamp[us, tz=UTC]"},
		{"2026-01-31T10:00Z 2026-01-31", "utf8"},
		{"2026-01-31T10:00Z 2026-01-31T10:00", "utf8"},
		{"2026-01-31x10:00", "utf8"},
		{"", "null"},
		{"NULL", "utf8"},
	} {
		text := "key,c\n0,\n"
		for i, cell := range strings.Fields(c.cells) {
			text += string(rune('1'+i)) + "," + cell + "\n"
		}
		got, err := read(context.Background(), files(t, text)[0], nil, alloc)
		if err != nil {
			t.Fatal(err)
		}
		if typ := got.batches[0].Schema().Field(1).Type.String(); typ != c.want {
			t.Errorf("%s is %s, want %s", c.cells, typ, c.want)
		}
		if !got.batches[0].Column(1).IsNull(0) && c.want != "null" {
			t.Errorf("%s: an empty cell isn't NULL", c.cells)
		}
		got.release()
	}
}

// A byte order mark, line ends of Windows, quoted line breaks and compression make no difference.
func TestFormsOfCSV(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	path := filepath.Join(t.TempDir(), "Table.CSV.GZ")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(f)
	w.Write([]byte("\ufeffid,text\r\n1,\"a\nb\"\r\n\r\n2,\"c, d\"\r\n"))
	w.Close()
	f.Close()
	got, err := read(context.Background(), path, nil, alloc)
	if err != nil {
		t.Fatal(err)
	}
	defer got.release()
	if text := got.batches[0].Column(0).String() + got.batches[0].Column(1).String(); got.rows() != 2 || text != `[1 2]["a\nb" "c, d"]` {
		t.Errorf("%d rows: %s", got.rows(), text)
	}
}

// Every cut of a Parquet file, and many a flipped byte, is an error or a table, never a panic.
func TestBrokenParquet(t *testing.T) {
	whole, err := os.ReadFile("testdata/customers.parquet")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "broken.parquet")
	for i := range 200 {
		broken := append([]byte(nil), whole...)
		if at := i * len(whole) / 200; i%2 == 0 {
			broken = broken[:at]
		} else {
			broken[at] ^= 0xff
		}
		if err := os.WriteFile(path, broken, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := read(context.Background(), path, nil, memory.NewGoAllocator())
		if err == nil {
			got.release()
		} else if i%2 == 0 && !strings.Contains(err.Error(), "broken.parquet: ") {
			t.Errorf("the file isn't named: %v", err)
		}
	}
}
