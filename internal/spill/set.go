package spill

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

// Set is a number of partitions, each a file of records of one schema. First records are appended, then [Set.Seal] is called, then
// partitions are read and removed, in any order, several at a time by cursors. A set that wasn't sealed is closed by [Set.Close].
type Set struct {
	folder *Folder
	name   string
	schema *arrow.Schema
	parts  []partition
}

// partition is one file; it has no path until something is appended.
type partition struct {
	path   string
	file   io.WriteCloser // nil: not open
	seed   uint64
	frames int
	rows   int64
	bytes  int64
	widest int64 // bytes of the largest frame
}

// Len is the number of partitions.
func (s *Set) Len() int { return len(s.parts) }

// Rows is the number of rows in a partition.
func (s *Set) Rows(part int) int64 { return s.parts[part].rows }

// Bytes is the number of bytes of a partition's file.
func (s *Set) Bytes(part int) int64 { return s.parts[part].bytes }

// Append writes a record to a partition. It borrows the record, which must have the set's schema. After an error the set is of no use.
func (s *Set) Append(part int, rec arrow.Record) error {
	p := &s.parts[part]
	if p.path == "" {
		if err := s.create(part); err != nil {
			return err
		}
	}
	n, err := s.folder.w.write(p.file, p.seed+uint64(p.frames), rec)
	p.bytes += n
	s.folder.bytes += n
	if err != nil {
		return failed("write", p.path, err)
	}
	p.widest = max(p.widest, n)
	p.frames++
	p.rows += rec.NumRows()
	return nil
}

func (s *Set) create(part int) error {
	if err := s.folder.make(); err != nil {
		return err
	}
	s.folder.files++
	path := filepath.Join(s.folder.path, fmt.Sprintf("%d-%s-%d", s.folder.files, s.name, part))
	file, err := s.folder.fs.Create(path)
	if err != nil {
		return failed("create", path, err)
	}
	s.parts[part].path, s.parts[part].file = path, file
	return nil
}

// Seal ends the writing: what the system has not taken yet comes out as an error here.
func (s *Set) Seal() error {
	var errs []error
	for i := range s.parts {
		if p := &s.parts[i]; p.file != nil {
			if err := p.file.Close(); err != nil {
				errs = append(errs, failed("write", p.path, err))
			}
			p.file = nil
		}
	}
	return errors.Join(errs...)
}

// Close closes what is open, after an error. The files stay until they are removed.
func (s *Set) Close() { _ = s.Seal() } // an error is what led here

// Remove removes the file of a partition, which is empty afterwards.
func (s *Set) Remove(part int) error {
	p := &s.parts[part]
	path := p.path
	*p = partition{seed: p.seed}
	if path == "" {
		return nil
	}
	if err := s.folder.fs.Remove(path); err != nil {
		return failed("remove", path, err)
	}
	return nil
}

// Each calls do for each record of a partition, in the order in which they were appended. The record is do's only until it returns, unless it
// retains it. The buffers are made by mem, all those of a record at once.
func (s *Set) Each(part int, mem memory.Allocator, do func(arrow.Record) error) (err error) {
	c := s.Open(part, mem)
	defer func() { err = errors.Join(err, c.Close()) }()
	for {
		rec, err := c.Next()
		if err != nil || rec == nil {
			return err
		}
		err = do(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
}

// Cursor reads a partition record by record.
type Cursor struct {
	reader
	fs   FS
	file io.ReadCloser // nil: not open
	at   int           // the frame that is next
	err  error         // what ended the reading
}

// Open begins to read a partition of a sealed set from its start. The file is opened when the first record is asked for.
func (s *Set) Open(part int, mem memory.Allocator) *Cursor {
	p := &s.parts[part]
	return &Cursor{reader: reader{partition: p, schema: s.schema, mem: mem, left: p.bytes}, fs: s.folder.fs}
}

// Next reads the next record, which is the caller's to release; nil after the last one. After an error, or Close, there is none.
func (c *Cursor) Next() (arrow.Record, error) {
	if c.err != nil || c.partition.path == "" {
		return nil, c.err
	}
	var rec arrow.Record
	if rec, c.err = c.read(); c.err != nil {
		return nil, c.err
	}
	return rec, nil
}

func (c *Cursor) read() (arrow.Record, error) {
	if c.file == nil {
		file, err := c.fs.Open(c.partition.path)
		if err != nil {
			return nil, failed("open", c.partition.path, err)
		}
		c.file, c.from = file, file
	}
	if c.at == c.partition.frames {
		return nil, c.end()
	}
	c.at++
	return c.next(c.at - 1)
}

// errClosed is the error of a cursor that was closed.
var errClosed = fmt.Errorf("%w: the file was closed", onerow.ErrSpill)

// Close closes the file.
func (c *Cursor) Close() error {
	if c.err == nil {
		c.err = errClosed
	}
	if c.file == nil {
		return nil
	}
	file := c.file
	c.file = nil
	if err := file.Close(); err != nil {
		return failed("read", c.partition.path, err)
	}
	return nil
}
