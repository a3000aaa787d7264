package main

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// null is NULL in a CSV file; an empty cell is an empty text.
const null = `\N`

// snapshotColumns stand before the table's columns in a snapshot file: the operation, the snapshot's position and its time.
var snapshotColumns = []string{"op", "lsn", "snapshot_ts"}

// readSnapshot reads a snapshot file, whose header names the table's columns.
func readSnapshot(path string, t *table) (rows []row, err error) {
	file, err := openGzip(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := csv.NewReader(file)
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: header: %w", path, err)
	}
	skip := len(snapshotColumns)
	if len(header) < skip || !slices.Equal(header[:skip], snapshotColumns) {
		return nil, fmt.Errorf("%s: header: got %q, want it to begin with %q", path, header, snapshotColumns)
	}
	for _, name := range header[skip:] {
		t.addColumn(name)
	}
	for _, name := range slices.Concat(t.key, t.integers, t.doubles, t.large) {
		if _, ok := t.index[name]; !ok {
			return nil, fmt.Errorf("%s: header: no column %q", path, name)
		}
	}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err == nil {
			var r row
			if r, err = t.snapshotRow(record); err == nil {
				rows = append(rows, r)
				continue
			}
		}
		line, _ := in.FieldPos(0)
		return nil, fmt.Errorf("%s: line %d: %w", path, line, err)
	}
}

func (t *table) snapshotRow(record []string) (row, error) {
	if record[0] != opSnapshot {
		return row{}, fmt.Errorf("op %q in a snapshot", record[0])
	}
	lsn, err := strconv.ParseUint(record[1], 10, 64)
	if err != nil {
		return row{}, fmt.Errorf("lsn: %w", err)
	}
	r := row{op: opSnapshot, at: position{commitLSN: lsn}}
	for _, s := range record[len(snapshotColumns):] {
		c := cell{}
		if s != null {
			c = text(strings.Clone(s))
		}
		r.cells = append(r.cells, c)
	}
	return r, t.check(r)
}

// writeCSV writes rows under a header; cells that a row lacks at its end are NULL. When it fails it leaves no file.
func writeCSV(path string, header []string, rows [][]cell) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if info, statErr := os.Lstat(path); err != nil && statErr == nil && info.Mode().IsRegular() {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	buffer := bufio.NewWriterSize(file, 1<<16)
	if !strings.HasSuffix(path, ".gz") {
		return errors.Join(writeRows(buffer, header, rows), buffer.Flush())
	}
	zip := gzip.NewWriter(buffer)
	return errors.Join(writeRows(zip, header, rows), zip.Close(), buffer.Flush())
}

func writeRows(w io.Writer, header []string, rows [][]cell) error {
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return err
	}
	record := make([]string, len(header))
	for _, cells := range rows {
		for i, name := range header {
			switch {
			case i >= len(cells) || !cells[i].valid:
				record[i] = null
			case cells[i].text == null:
				return fmt.Errorf("column %q: the text %s can't be told from NULL in a CSV file", name, null)
			default:
				record[i] = cells[i].text
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// gzipFile reads a compressed file and closes both of its layers.
type gzipFile struct {
	*gzip.Reader
	file *os.File
}

func openGzip(path string) (*gzipFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	zip, err := gzip.NewReader(bufio.NewReaderSize(file, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, file.Close()))
	}
	return &gzipFile{zip, file}, nil
}

func (f *gzipFile) Close() error { return errors.Join(f.Reader.Close(), f.file.Close()) }
