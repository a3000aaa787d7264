// Command generate writes the two tables that ship with the example, each as CSV and as Parquet: 4,000 orders of a shop, and the
// history of its customers with what real ones have. The same seed makes the same files.
//
//	cd examples/explosion && go run ./generate testdata
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/csv"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "generate: which folder?")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	s := newShop(1)
	for name, table := range map[string]func(memory.Allocator) arrow.Record{"customers": s.customers, "orders": s.orders} {
		rec := table(memory.DefaultAllocator)
		defer rec.Release()
		if err := writeCSV(filepath.Join(dir, name+".csv"), rec); err != nil {
			return err
		}
		if err := writeParquet(filepath.Join(dir, name+".parquet"), rec); err != nil {
			return err
		}
	}
	return nil
}

func writeCSV(path string, rec arrow.Record) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f, rec.Schema(), csv.WithHeader(true), csv.WithNullWriter(""))
	if err := w.Write(rec); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func writeParquet(path string, rec arrow.Record) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w, err := pqarrow.NewFileWriter(rec.Schema(), f, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy)),
		pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	if err := w.Write(rec); err != nil {
		return err
	}
	return w.Close() // the file too
}
