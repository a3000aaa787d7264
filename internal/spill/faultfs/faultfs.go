// Package faultfs is a file system with faults, for tests of what spills.
package faultfs

import (
	"bytes"
	"io"
	"io/fs"
	"sync"
	"testing/iotest"

	"github.com/onerow-go/onerow/internal/spill"
)

// Op is a call of the file system.
type Op string

// The calls that can fail.
const (
	Mkdir     Op = "mkdir"
	Create    Op = "create"
	Write     Op = "write"
	Close     Op = "close" // of a file that was written
	Open      Op = "open"
	Read      Op = "read"
	CloseRead Op = "close read" // of a file that was read
	Remove    Op = "remove"
	RemoveAll Op = "remove all"
)

// FS is that of the machine, but for its faults.
type FS struct {
	// Fails is the call that fails with Err, once After calls (of Write: bytes) went well. A write that fails takes what is left of them, as a
	// full disk does.
	Fails Op
	Err   error
	After int64
	// Damage, if set, changes what a file is read as.
	Damage func(path string, content []byte) []byte
	// Slow delivers a byte a read.
	Slow bool
	// Did is called before each call.
	Did func(Op)

	mu   sync.Mutex
	os   spill.OS
	open int
	// Folders are those that were made, and Done counts the calls (of Write: bytes) that went well.
	Folders []string
	Done    map[Op]int64
}

// Handles is the number of files that are open.
func (f *FS) Handles() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// pass lets n calls through, or fewer, and the fault.
func (f *FS) pass(op Op, path string, n int64) (int64, error) {
	if f.Did != nil {
		f.Did(op)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Done == nil {
		f.Done = map[Op]int64{}
	}
	if f.Done[op] += n; op != f.Fails || f.Done[op] <= f.After {
		return n, nil
	}
	n -= f.Done[op] - f.After
	f.Done[op] = f.After
	return n, &fs.PathError{Op: string(op), Path: path, Err: f.Err}
}

func (f *FS) count(by int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open += by
}

// MkdirTemp makes a folder.
func (f *FS) MkdirTemp(dir string) (string, error) {
	if _, err := f.pass(Mkdir, dir, 1); err != nil {
		return "", err
	}
	path, err := f.os.MkdirTemp(dir)
	f.Folders = append(f.Folders, path)
	return path, err
}

// Create makes a file.
func (f *FS) Create(path string) (io.WriteCloser, error) {
	if _, err := f.pass(Create, path, 1); err != nil {
		return nil, err
	}
	to, err := f.os.Create(path)
	if err != nil {
		return nil, err
	}
	f.count(1)
	return &written{f, path, to}, nil
}

type written struct {
	fs   *FS
	path string
	to   io.WriteCloser
}

func (w *written) Write(b []byte) (int, error) {
	n, fault := w.fs.pass(Write, w.path, int64(len(b)))
	k, err := w.to.Write(b[:n])
	if err == nil {
		err = fault
	}
	return k, err
}

func (w *written) Close() error {
	w.fs.count(-1)
	_, fault := w.fs.pass(Close, w.path, 1)
	if err := w.to.Close(); err != nil {
		return err
	}
	return fault
}

// Open opens a file.
func (f *FS) Open(path string) (io.ReadCloser, error) {
	if _, err := f.pass(Open, path, 1); err != nil {
		return nil, err
	}
	file, err := f.os.Open(path)
	if err != nil {
		return nil, err
	}
	var from io.Reader = file
	if f.Damage != nil {
		content, err := io.ReadAll(file)
		if err != nil {
			return nil, err
		}
		from = bytes.NewReader(f.Damage(path, content))
	}
	if f.Slow {
		from = iotest.OneByteReader(from)
	}
	f.count(1)
	return &opened{f, path, from, file}, nil
}

type opened struct {
	fs   *FS
	path string
	from io.Reader
	file io.Closer
}

func (r *opened) Read(b []byte) (int, error) {
	if _, err := r.fs.pass(Read, r.path, 1); err != nil {
		return 0, err
	}
	return r.from.Read(b)
}

func (r *opened) Close() error {
	r.fs.count(-1)
	_, fault := r.fs.pass(CloseRead, r.path, 1)
	if err := r.file.Close(); err != nil {
		return err
	}
	return fault
}

// Remove removes a file.
func (f *FS) Remove(path string) error {
	if _, err := f.pass(Remove, path, 1); err != nil {
		return err
	}
	return f.os.Remove(path)
}

// RemoveAll removes a folder.
func (f *FS) RemoveAll(path string) error {
	if _, err := f.pass(RemoveAll, path, 1); err != nil {
		return err
	}
	return f.os.RemoveAll(path)
}
