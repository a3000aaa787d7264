package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The files that ship are those that the generator writes.
func TestShipped(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"customers.csv", "customers.parquet", "orders.csv", "orders.parquet"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("../testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s isn't what the generator writes: go run ./generate testdata", name)
		}
	}
}
