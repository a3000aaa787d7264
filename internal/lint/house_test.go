package lint_test

import (
	"os"
	"testing"

	"github.com/onerow-go/onerow/internal/lint"
)

var rules = map[string]func(*lint.Module) []string{
	"Imports":      lint.Imports,
	"Requirements": lint.Requirements,
	"Files":        lint.Files,
	"Documented":   lint.Documented,
	"Examples":     lint.Examples,
	"Readme":       lint.Readme,
	"Links":        lint.Links,
}

// This module keeps the rules.
func TestHouse(t *testing.T) {
	m, err := lint.Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Packages) < 5 {
		t.Fatalf("found only %d packages: is this the root of the module?", len(m.Packages))
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			for _, finding := range rule(m) {
				t.Error(finding)
			}
		})
	}
}
