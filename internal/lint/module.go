package lint

import (
	"bytes"
	"errors"
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
	// GoMod and Readme are the texts of go.mod and README.md.
	GoMod, Readme string

	fset *token.FileSet
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
	m := &Module{fset: token.NewFileSet()}
	for name, text := range map[string]*string{"go.mod": &m.GoMod, "README.md": &m.Readme} {
		b, err := fs.ReadFile(fsys, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		*text = string(b)
	}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(fsys, name)
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		f, err := m.parse(fsys, name)
		if err != nil {
			return err
		}
		p := m.pkg(path.Dir(name))
		p.Files = append(p.Files, f)
		return nil
	})
	slices.SortFunc(m.Packages, func(a, b *Package) int { return strings.Compare(a.Dir, b.Dir) })
	return m, err
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

func (m *Module) parse(fsys fs.FS, name string) (*File, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
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
