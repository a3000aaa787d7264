package faultfs

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// Call is a call that spills into a folder. It says whether it gave a result.
type Call func(fs *FS, dir string) (result bool, err error)

// Faults lets each kind of call of the file system fail at several points: the error comes back, without a result, names the folder, and nothing is left.
func Faults(t *testing.T, call Call) {
	t.Helper()
	well := &FS{}
	if _, err := call(well, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for op, calls := range well.Done {
		points := []int64{0, calls * 2 / 3, calls / 3, calls - 1}
		if testing.Short() {
			points = points[:2]
		}
		for _, after := range points {
			fs := &FS{Fails: op, Err: syscall.ENOSPC, After: after}
			what := fmt.Sprint(op, " after ", after)
			fs.refused(t, what, syscall.ENOSPC, call)
		}
	}
}

// Damages changes the files that are opened at some points, in several ways: that is an error too. The last file that is opened is one of them.
func Damages(t *testing.T, call Call, opens ...int64) {
	t.Helper()
	well := &FS{}
	if _, err := call(well, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func([]byte) []byte{
		"a bit":    func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"cut":      func(b []byte) []byte { return b[:len(b)-1] },
		"appended": func(b []byte) []byte { return append(b, b...) },
	} {
		for _, at := range append(opens, well.Done[Open]) {
			opened := int64(0)
			fs := &FS{Damage: func(_ string, b []byte) []byte {
				if opened++; opened == at {
					return damage(b)
				}
				return b
			}}
			fs.refused(t, fmt.Sprintf("%s, file %d", name, at), onerow.ErrSpill, call)
		}
	}
}

// refused: a call on such files ends with an error of the kind, and nothing is left.
func (f *FS) refused(t *testing.T, what string, kind error, call Call) {
	t.Helper()
	dir, goroutines := t.TempDir(), runtime.NumGoroutine()
	result, err := call(f, dir)
	if result || !errors.Is(err, onerow.ErrSpill) || !errors.Is(err, kind) || !strings.Contains(fmt.Sprint(err), dir) {
		t.Errorf("%s: a result %v, error %v", what, result, err)
	}
	if f.Fails == RemoveAll {
		for _, folder := range f.Folders {
			if err := os.Remove(folder); err != nil { // it is empty: the files went one by one
				t.Error(err)
			}
		}
	}
	arrowtest.NothingLeft(t, what, dir, f.Handles(), goroutines)
}
