package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Path is the module's path.
const Path = "github.com/onerow-go/onerow"

// Module is the parsed source of a module, without nested modules and testdata.
type Module struct {
	// Packages by folder, "." for the root, in order of folder.
	Packages []*Package
	// GoMod is the text of go.mod, and Docs that of each Markdown file.
	GoMod string
	Docs  map[string]string

	// paths are the files and folders that there are.
	paths map[string]bool
	fset  *token.FileSet
}

// Package is the Go files of one folder, tests included.
type Package struct {
	// Dir is the folder, relative to the module: ".", "dedupe", "internal/form".
	Dir   string
	Files []*File
}

// File is one parsed Go file.
type File struct {
	// Name is the path relative to the module.
	Name string
	// Test is true for _test.go files.
	Test  bool
	Lines int
	Text  []byte
	AST   *ast.File
}

// Load parses the module in fsys.
func Load(fsys fs.FS) (*Module, error) {
	m := &Module{Docs: map[string]string{}, paths: map[string]bool{}, fset: token.NewFileSet()}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		m.paths[name] = true
		if d.IsDir() {
			return enter(fsys, name)
		}
		return m.read(fsys, name)
	})
	slices.SortFunc(m.Packages, func(a, b *Package) int { return strings.Compare(a.Dir, b.Dir) })
	return m, err
}

// read takes a file in, if it is one that a rule looks at.
func (m *Module) read(fsys fs.FS, name string) error {
	if path.Ext(name) != ".go" && path.Ext(name) != ".md" && name != "go.mod" {
		return nil
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	switch {
	case name == "go.mod":
		m.GoMod = string(text)
	case path.Ext(name) == ".md":
		m.Docs[name] = string(text)
	default:
		f, err := m.parse(name, text)
		if err != nil {
			return err
		}
		p := m.pkg(path.Dir(name))
		p.Files = append(p.Files, f)
	}
	return nil
}

// enter skips folders that aren't part of the module, as the go command does.
func enter(fsys fs.FS, dir string) error {
	if dir == "." {
		return nil
	}
	base := path.Base(dir)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(fsys, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func (m *Module) parse(name string, text []byte) (*File, error) {
	tree, err := parser.ParseFile(m.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	return &File{
		Name:  name,
		Test:  strings.HasSuffix(name, "_test.go"),
		Lines: bytes.Count(text, []byte("\n")),
		Text:  text,
		AST:   tree,
	}, nil
}

// pkg finds the package of a folder, or adds it. Files of one folder come one after the other.
func (m *Module) pkg(dir string) *Package {
	for _, p := range m.Packages {
		if p.Dir == dir {
			return p
		}
	}
	p := &Package{Dir: dir}
	m.Packages = append(m.Packages, p)
	return p
}

// at names the place of a node for a finding.
func (m *Module) at(n ast.Node) string {
	p := m.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// imports lists the import paths of a file.
func (f *File) imports() []string {
	var out []string
	for _, spec := range f.AST.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// Public reports whether users import the package: it is neither internal nor a command.
func (p *Package) Public() bool {
	if p.Dir == "internal" || strings.HasPrefix(p.Dir, "internal/") {
		return false
	}
	return !slices.ContainsFunc(p.Files, func(f *File) bool { return f.AST.Name.Name == "main" })
}
