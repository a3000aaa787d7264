package arrow18_test

import (
	"os"
	"testing"

	"github.com/onerow-go/onerow/internal/lint"
)

// This module keeps the rules of the house that don't speak of the main module.
func TestHouse(t *testing.T) {
	m, err := lint.Load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Packages) < 4 {
		t.Fatalf("found only %d packages", len(m.Packages))
	}
	for name, rule := range map[string]func(*lint.Module) []string{
		"Files": lint.Files, "Documented": lint.Documented, "Examples": lint.Examples, "Links": lint.Links,
	} {
		for _, finding := range rule(m) {
			t.Errorf("%s: %s", name, finding)
		}
	}
}
