package lint_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/onerow-go/onerow/internal/lint"
)

// clean is a small module that keeps every rule.
var clean = map[string]string{
	"go.mod": `module github.com/onerow-go/onerow

go 1.26.0

require github.com/apache/arrow/go/v15 v15.0.2

require (
	github.com/google/go-cmp v0.7.0
	example.org/far v1.0.0 // indirect
)
`,
	"README.md":           "# onerow\n\n```go\nif true {\n\tfmt.Println(1)\n}\n// Output: 1\n```\n[a](dedupe/latest.go#L3) [b](docs/design) [c](https://example.org/x.md) [d](#here)\n",
	"docs/design/0001.md": "[up](../../README.md)\n",
	"doc.go":              "// Package onerow is the root.\npackage onerow\n\nimport _ \"github.com/onerow-go/onerow/internal/take\"\n",
	"dedupe/latest.go": `// Package dedupe keeps one row per key.
package dedupe

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
)

// Latest finds rows.
func Latest() {}

// Plan is an outcome.
type Plan struct{}

// Take makes a record.
func (p *Plan) Take() {}

func (p *Plan) String() string { return "" }

type hidden[T any] struct{}

func (h *hidden[T]) Public() {}

// The ways.
const (
	WayOne = iota
	WayTwo
)

var (
	// ErrA is one.
	ErrA error
	ErrB error // is another
	errC error
)
`,
	"dedupe/example_readme_test.go": `package dedupe_test

import "fmt"

func ExampleLatest() {
	if true {
		fmt.Println(1)
	}
	// Output: 1
}

func ExamplePlan_Take_in_parts() {
	// Output:
}
`,
	"dedupe/latest_test.go": `package dedupe_test

import (
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/google/go-cmp/cmp"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/internal/form"
)
`,
	"internal/take/take.go":       "package take\n",
	"internal/form/form.go":       "package form\n\nimport \"github.com/cespare/xxhash/v2\"\n\nfunc Undocumented() {}\n",
	"internal/frame/frame.go":     "package frame\n\nimport (\n\t\"github.com/onerow-go/onerow\"\n\t\"github.com/onerow-go/onerow/internal/order\"\n)\n",
	"internal/order/order.go":     "package order\n\nimport \"github.com/onerow-go/onerow/internal/keyset\"\n",
	"internal/keyset/keyset.go":   "package keyset\n\nimport \"github.com/onerow-go/onerow/internal/form\"\n",
	"internal/oracle/oracle.go":   "package oracle\n\nimport (\n\t\"github.com/onerow-go/onerow/dedupe\"\n\t\"pgregory.net/rapid\"\n)\n",
	"internal/cases/run/main.go":  "package main\n\nimport \"github.com/onerow-go/onerow/internal/cases\"\n",
	"internal/cases/cases.go":     "package cases\n",
	"examples/quickstart/main.go": "package main\n\nimport \"github.com/onerow-go/onerow/dedupe\"\n\nfunc Shown() {}\n",
	"internal/peer/go.mod":        "module peer\n",
	"internal/peer/peer.go":       "package peer\n\nimport \"example.org/duck\"\n",
	"dedupe/testdata/broken.go":   "this is no Go",
	".hidden/x.go":                "neither is this",
}

func load(t *testing.T, files map[string]string) *lint.Module {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	m, err := lint.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The clean module has no finding.
func TestClean(t *testing.T) {
	m := load(t, clean)
	for name, rule := range rules {
		for _, finding := range rule(m) {
			t.Errorf("%s: %s", name, finding)
		}
	}
}

// Each rule finds what breaks it, and only the rule that is broken speaks.
func TestBroken(t *testing.T) {
	root := lint.Path
	importing := func(pkg, imp string) string { return "package " + pkg + "\n\nimport \"" + imp + "\"\n" }
	tests := []struct {
		name, file, text string
		rule, want       string
	}{
		{"root imports a verb", "a.go", importing("onerow", root+"/dedupe"), "Imports", "a.go: imports " + root + "/dedupe"},
		{"root imports frame", "a.go", importing("onerow", root+"/internal/frame"), "Imports", "may import only"},
		{"form imports the root", "internal/form/a.go", importing("form", root), "Imports", "internal/form may import only []"},
		{"keyset imports order", "internal/keyset/a.go", importing("keyset", root+"/internal/order"), "Imports", "may import only [internal/form internal/prefetch internal/vector]"},
		{"order imports the root", "internal/order/a.go", importing("order", root), "Imports", "internal/order/a.go"},
		{"frame imports a verb", "internal/frame/a.go", importing("frame", root+"/grain"), "Imports", "internal/frame/a.go"},
		{"a verb imports another", "dedupe/a.go", importing("dedupe", root+"/grain"), "Imports", "dedupe may import only"},
		{"a verb imports a test package", "dedupe/a.go", importing("dedupe", root+"/internal/oracle"), "Imports", "for tests only"},
		{"the oracle imports the kernel", "internal/oracle/a.go", importing("oracle", root+"/internal/form"), "Imports", "internal/oracle may import only"},
		{"an example imports an internal package", "examples/quickstart/a.go", importing("main", root+"/internal/frame"), "Imports", "examples/quickstart may import only"},
		{"a package without a rule", "internal/stranger/a.go", "package spill\n", "Imports", "internal/stranger: this package has no line"},
		{"a foreign module", "dedupe/a.go", importing("dedupe", "example.org/far"), "Imports", "not a dependency that the core may have"},
		{"a module whose name begins like an allowed one", "dedupe/a.go", importing("dedupe", "golang.org/x/exposed"), "Imports", "not a dependency"},
		{"a foreign module in a test", "dedupe/a_test.go", importing("dedupe", "example.org/far"), "Imports", "not a dependency"},
		{"a test module", "dedupe/a.go", importing("dedupe", "pgregory.net/rapid"), "Imports", "for tests only"},
		{"compute", "dedupe/a.go", importing("dedupe", "github.com/apache/arrow/go/v15/arrow/compute"), "Imports", "not a part of Arrow"},
		{"parquet", "dedupe/a.go", importing("dedupe", "github.com/apache/arrow/go/v15/parquet/pqarrow"), "Imports", "not a part of Arrow"},
		{"flight", "dedupe/a.go", importing("dedupe", "github.com/apache/arrow/go/v15/arrow/flight"), "Imports", "not a part of Arrow"},

		{"one more requirement", "go.mod", "module m\n\nrequire (\n\texample.org/far v1.0.0\n)\n", "Requirements", "requires example.org/far"},
		{"one more requirement on a line", "go.mod", "module m\n\nrequire example.org/far v1.0.0\n", "Requirements", "requires example.org/far"},
		{"replace", "go.mod", "module m\n\nreplace example.org/far => ../far\n", "Requirements", "replace"},

		{"util", "dedupe/util.go", "package dedupe\n", "Files", "dedupe/util.go: a file's name"},
		{"helpers of tests", "dedupe/helpers_test.go", "package dedupe\n", "Files", "a file's name"},
		{"common for one system", "internal/form/common_amd64.go", "package form\n", "Files", "a file's name"},
		{"a long file", "dedupe/a.go", "package dedupe\n" + strings.Repeat("\n", 399), "Files", "dedupe/a.go: 400 lines"},
		{"left for later", "dedupe/a.go", "package dedupe\n\n// TO" + "DO: the rest.\n", "Files", "dedupe/a.go:3: a comment leaves work"},

		{"a method without doc", "dedupe/a.go", "package dedupe\n\nfunc (p Plan) Other() {}\n", "Documented", "dedupe/a.go:3: Other has no doc"},
		{"a function without doc", "dedupe/a.go", "package dedupe\n\nfunc Other() {}\n", "Documented", "Other has no doc"},
		{"a type without doc", "dedupe/a.go", "package dedupe\n\ntype Other int\n", "Documented", "Other has no doc"},
		{"a type in a documented group", "dedupe/a.go", "package dedupe\n\n// Types.\ntype (\n\tOther int\n)\n", "Documented", "Other has no doc"},
		{"a variable without doc", "dedupe/a.go", "package dedupe\n\nvar other, Other int\n", "Documented", "Other has no doc"},
		{"a constant without doc", "dedupe/a.go", "package dedupe\n\nconst (\n\tOther = 1\n)\n", "Documented", "Other has no doc"},
		{"a package without doc", "grain/a.go", "package grain\n", "Documented", "grain: the package has no doc"},

		{"a function without Example", "dedupe/a.go", "package dedupe\n\n// Other is.\nfunc Other() {}\n", "Examples", "write ExampleOther"},
		{"a method without Example", "dedupe/a.go", "package dedupe\n\n// Other is.\nfunc (p *Plan) Other() {}\n", "Examples", "write ExamplePlan_Other"},
		{"a generic type's method without Example", "dedupe/a.go", "package dedupe\n\n// T is.\ntype T[A, B any] int\n\n// Other is.\nfunc (t T[A, B]) Other() {}\n", "Examples", "write ExampleT_Other"},
		{"an Example without output", "dedupe/a_test.go", "package dedupe_test\n\nfunc ExamplePlan() {}\n", "Examples", "ExamplePlan has no output"},

		{"no program", "README.md", "# onerow\n", "Readme", "no program"},
		{"another program", "README.md", "```go\nfmt.Println(2)\n```\n", "Readme", "isn't the body of ExampleLatest"},
		{"a link to nothing", "docs/a.md", "see [b](b.md)\n", "Links", "docs/a.md: links to b.md"},
		{"the Example gone", "dedupe/example_readme_test.go", "package dedupe_test\n\nfunc ExampleLatest_other() {\n\t// Output:\n}\n\nfunc ExamplePlan_Take() {\n\t// Output:\n}\n", "Readme", "no ExampleLatest"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := maps.Clone(clean)
			files[test.file] = test.text
			m := load(t, files)
			found := rules[test.rule](m)
			if len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), test.want) {
				t.Errorf("%s finds %q, want one with %q", test.rule, found, test.want)
			}
			// A function without doc or Example breaks both rules, and so does what it is made of.
			pair := map[string]string{"Documented": "Examples", "Examples": "Documented"}
			for name, rule := range rules {
				if name == test.rule || name == pair[test.rule] {
					continue
				}
				if found := rule(m); len(found) > 0 {
					t.Errorf("%s finds %q too", name, found)
				}
			}
		})
	}
}

// What can't be parsed is an error, not a module without it.
func TestLoadError(t *testing.T) {
	_, err := lint.Load(fstest.MapFS{"a.go": {Data: []byte("no Go")}})
	if err == nil || !strings.Contains(err.Error(), "a.go") {
		t.Errorf("got %v, want an error that names a.go", err)
	}
}
