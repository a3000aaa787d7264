package spill

import (
	"math/rand/v2"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow"
)

// Folder holds the files of one call.
type Folder struct {
	fs    FS
	dir   string // the caller's
	path  string // "" until there is a file
	files int
	bytes int64
	w     writer
}

// NewFolder is a folder to be in dir, "" being the system's for temporary files. Nothing is made until something is written.
func NewFolder(fs FS, dir string) *Folder { return &Folder{fs: fs, dir: dir} }

// Bytes is the number of bytes that were written.
func (f *Folder) Bytes() int64 { return f.bytes }

// Remove removes the folder and all in it. Sets of it can't be used any more.
func (f *Folder) Remove() error {
	if f.path == "" {
		return nil
	}
	path := f.path
	f.path = ""
	if err := f.fs.RemoveAll(path); err != nil {
		return failed("remove", path, err)
	}
	return nil
}

// make makes the folder if there is none yet.
func (f *Folder) make() error {
	if f.path != "" {
		return nil
	}
	path, err := f.fs.MkdirTemp(f.dir)
	if err != nil {
		return failed("make a folder in", f.dir, err)
	}
	f.path = path
	return nil
}

// NewSet is a set of partitions, all empty, for records of a schema. The name is part of the names of its files.
func (f *Folder) NewSet(name string, schema *arrow.Schema, partitions int) *Set {
	s := &Set{folder: f, name: filepath.Base(name), schema: schema, parts: make([]partition, partitions)}
	for i := range s.parts {
		s.parts[i].seed = rand.Uint64()
	}
	return s
}
