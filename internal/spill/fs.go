package spill

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/onerow-go/onerow"
)

// FS is what the package needs of a file system. Tests put one with faults in its place.
type FS interface {
	// MkdirTemp makes a new folder that only this user may enter, in dir; "" is the system's folder for such things.
	MkdirTemp(dir string) (path string, err error)
	// Create makes a new file for writing.
	Create(path string) (io.WriteCloser, error)
	// Open opens a file for reading.
	Open(path string) (io.ReadCloser, error)
	// Remove removes a file.
	Remove(path string) error
	// RemoveAll removes a folder and all in it.
	RemoveAll(path string) error
}

// OS is the file system of the machine.
type OS struct{}

func (OS) MkdirTemp(dir string) (string, error) { return os.MkdirTemp(dir, "onerow-*") }

func (OS) Create(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (OS) Open(path string) (io.ReadCloser, error) { return os.Open(path) }
func (OS) Remove(path string) error                { return os.Remove(path) }
func (OS) RemoveAll(path string) error             { return os.RemoveAll(path) }

// failed makes the error of a call for a path.
func failed(what, path string, err error) error {
	var own *os.PathError
	if errors.As(err, &own) {
		err = own.Err // the path is told once
		if path == "" {
			path = own.Path
		}
	}
	return fmt.Errorf("%w: %s %s: %w", onerow.ErrSpill, what, path, err)
}

// damaged makes the error of a file that isn't as it was written.
func damaged(path string, frame int, why string) error {
	return fmt.Errorf("%w: %s: %w: frame %d: %s", onerow.ErrSpill, path, errDamaged, frame, why)
}

var errDamaged = errors.New("the file isn't as it was written")
