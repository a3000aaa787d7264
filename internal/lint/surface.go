package lint

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"regexp"
	"strings"
)

// conventional are methods that satisfy an interface of the standard library and mean what that interface says: they
// need neither a doc comment nor an Example. (Where the outcome is worth seeing, as with a report's String, there is an
// Example of the type.)
var conventional = map[string]bool{
	"Error": true, "Unwrap": true, "Is": true, "As": true,
	"String": true, "LogValue": true, "MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true, "UnmarshalText": true,
}

// recordReader are the methods of Arrow's array.RecordReader: one Example shows them all.
var recordReader = map[string]bool{"Schema": true, "Next": true, "Record": true, "Err": true, "Retain": true, "Release": true}

// symbol is an exported function or a method of an exported type.
type symbol struct {
	decl *ast.FuncDecl
	// recv is the type's name, "" for a function.
	recv string
}

func (s symbol) name() string {
	if s.recv == "" {
		return s.decl.Name.Name
	}
	return s.recv + "." + s.decl.Name.Name
}

// Documented checks that each public package, and each exported function, method, type, constant and variable of it, has a
// doc comment. A group of constants or variables may have one for all.
func Documented(m *Module) []string {
	var out []string
	for _, p := range m.Packages {
		if !p.Public() {
			continue
		}
		packageDoc := false
		for _, f := range p.sources() {
			packageDoc = packageDoc || f.AST.Doc != nil
			for _, name := range undocumented(f.AST) {
				out = append(out, fmt.Sprintf("%s: %s has no doc comment", m.at(name), name.Name))
			}
		}
		if !packageDoc && len(p.sources()) > 0 {
			out = append(out, fmt.Sprintf("%s: the package has no doc comment", p.Dir))
		}
	}
	return out
}

func undocumented(f *ast.File) []*ast.Ident {
	var out []*ast.Ident
	for _, s := range functions(f) {
		if s.decl.Doc == nil && (s.recv == "" || !conventional[s.decl.Name.Name]) {
			out = append(out, s.decl.Name)
		}
	}
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok == token.IMPORT {
			continue
		}
		for _, spec := range decl.Specs {
			out = append(out, undocumentedNames(decl, spec)...)
		}
	}
	return out
}

func undocumentedNames(decl *ast.GenDecl, spec ast.Spec) []*ast.Ident {
	var out []*ast.Ident
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && (decl.Doc == nil || decl.Lparen.IsValid()) {
			out = append(out, s.Name)
		}
	case *ast.ValueSpec:
		if s.Doc != nil || s.Comment != nil || decl.Doc != nil {
			return nil
		}
		for _, name := range s.Names {
			if name.IsExported() {
				out = append(out, name)
			}
		}
	}
	return out
}

// Examples checks that each exported function F of a public package has an Example named ExampleF or ExampleF_suffix, and
// each method M of an exported type T one named ExampleT_M or ExampleT_M_suffix, with output that the test checks.
// Conventional methods need none.
func Examples(m *Module) []string {
	var out []string
	for _, p := range m.Packages {
		if !p.Public() {
			continue
		}
		shown := map[string]bool{}
		for _, f := range p.Files {
			if !f.Test {
				continue
			}
			for _, e := range doc.Examples(f.AST) {
				if e.Output == "" && !e.EmptyOutput {
					out = append(out, fmt.Sprintf("%s: Example%s has no output to check", f.Name, e.Name))
				}
				shown[withoutSuffix(e.Name)] = true
			}
		}
		for _, f := range p.sources() {
			for _, s := range functions(f.AST) {
				name := strings.ReplaceAll(s.name(), ".", "_")
				if shown[name] || s.recv != "" && (conventional[s.decl.Name.Name] || recordReader[s.decl.Name.Name]) {
					continue
				}
				out = append(out, fmt.Sprintf("%s: %s has no Example: write Example%s", m.at(s.decl), s.name(), name))
			}
		}
	}
	return out
}

var exampleSuffix = regexp.MustCompile(`_[a-z].*$`)

// withoutSuffix cuts the part of an Example's name that tells several of one symbol apart. It starts with a small letter.
func withoutSuffix(name string) string { return exampleSuffix.ReplaceAllString(name, "") }

// sources are the files of a package that aren't tests.
func (p *Package) sources() []*File {
	var out []*File
	for _, f := range p.Files {
		if !f.Test {
			out = append(out, f)
		}
	}
	return out
}

// functions lists the exported functions of a file, and the exported methods of exported types.
func functions(f *ast.File) []symbol {
	var out []symbol
	for _, d := range f.Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok || !decl.Name.IsExported() {
			continue
		}
		s := symbol{decl: decl}
		if decl.Recv != nil {
			s.recv = typeName(decl.Recv.List[0].Type)
			if !ast.IsExported(s.recv) {
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// typeName is the name of a receiver's type, without pointer and type parameters.
func typeName(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
