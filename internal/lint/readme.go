package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The Example that the README shows.
const (
	readmeFile    = "dedupe/example_readme_test.go"
	readmeExample = "ExampleLatest"
)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// Readme checks that the first block of Go in README.md is the body of the README's Example, so that it compiles and does
// what it says.
func Readme(m *Module) []string {
	block := goBlock.FindStringSubmatch(m.Docs["README.md"])
	if block == nil {
		return []string{"README.md: no program: a block that starts with ```go"}
	}
	body, ok := m.body(readmeFile, readmeExample)
	if !ok {
		return []string{fmt.Sprintf("%s: no %s, which the README shows", readmeFile, readmeExample)}
	}
	if got := strings.TrimSpace(block[1]); got != body {
		return []string{fmt.Sprintf("README.md: its program isn't the body of %s in %s, which is:\n%s", readmeExample, readmeFile, body)}
	}
	return nil
}

// body is the text of a function's body, one level of indentation less.
func (m *Module) body(file, function string) (string, bool) {
	for _, p := range m.Packages {
		for _, f := range p.Files {
			if f.Name != file {
				continue
			}
			for _, d := range f.AST.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == function {
					from := m.fset.Position(fn.Body.Lbrace).Offset + 1
					to := m.fset.Position(fn.Body.Rbrace).Offset
					text := bytes.ReplaceAll(f.Text[from:to], []byte("\n\t"), []byte("\n"))
					return strings.TrimSpace(string(text)), true
				}
			}
		}
	}
	return "", false
}

var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Links checks that what a Markdown file links to within the module is there.
func Links(m *Module) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m.Docs)) {
		for _, link := range markdownLink.FindAllStringSubmatch(m.Docs[name], -1) {
			target, _, _ := strings.Cut(link[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if !m.paths[path.Join(path.Dir(name), target)] {
				out = append(out, fmt.Sprintf("%s: links to %s, which isn't there", name, link[1]))
			}
		}
	}
	return out
}
