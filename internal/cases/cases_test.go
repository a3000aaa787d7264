package cases_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/cases"
)

func load(t *testing.T) []cases.Case {
	t.Helper()
	all, err := cases.Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCases runs every case through the library.
func TestCases(t *testing.T) {
	for _, c := range load(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			res := cases.Run(c, cases.Public)
			if res.NotBuilt {
				t.Skipf("%s isn't built yet", c.Call)
			}
			for i, f := range res.Failures {
				if i == 5 {
					t.Errorf("and %d wrong answers more", len(res.Failures)-i)
					break
				}
				t.Error(f)
			}
		})
	}
}

// TestTables builds the tables of every case, of calls that aren't built yet too.
func TestTables(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, c := range load(t) {
		for name, spec := range c.Input {
			recs, err := spec.Build(mem)
			if err != nil {
				t.Errorf("%s: %s: %v", c.ID, name, err)
			}
			arrowtest.Release(recs)
		}
	}
}

// TestSharedCases compares testdata with the folder of cases that may lie next to the repository.
func TestSharedCases(t *testing.T) {
	shared := "../../../shared/cases"
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no folder of shared cases")
	}
	contents := func(dir string) map[string][]byte {
		files := make(map[string][]byte)
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			files[name], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	ours := contents("testdata")
	for name, text := range contents(shared) {
		if !bytes.Equal(ours[name], text) {
			t.Errorf("testdata/%s differs from the shared one", name)
		}
	}
}
