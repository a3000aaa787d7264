package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// mayImport lists, for each package of the module, the packages of the module that its non-test files may import. The
// arrow goes down: examples, verbs, root, kernel. docs/design/0001-layout.md says why.
var mayImport = map[string][]string{
	".":      {"internal/take", "internal/keyset", "internal/form"},
	"dedupe": append([]string{"internal/recast"}, verbImports...),
	"grain":  verbImports,
	"scd2":   append([]string{"internal/recast", "internal/position"}, verbImports...),

	"join": append([]string{"internal/recast", "internal/position"}, verbImports...),

	"onerowtest": {".", "scd2", "internal/arrowtest"},

	"internal/form":     {},
	"internal/prefetch": {},
	"internal/vector":   {},
	"internal/take":     {"internal/form", "internal/prefetch", "internal/vector"},
	"internal/keyset":   {"internal/form", "internal/prefetch", "internal/vector"},
	"internal/order":    {"internal/form", "internal/keyset", "internal/vector"},
	"internal/frame":    {".", "internal/form", "internal/keyset", "internal/order", "internal/take"},
	"internal/tally":    {},
	// spill speaks in the root's sentinel, as frame does; it knows records, not keys.
	"internal/spill": {"."},

	"internal/textform":    {},
	"internal/placeholder": {"internal/form", "internal/textform"},

	"internal/recast":   {"internal/form", "internal/take"},
	"internal/position": {"internal/form", "internal/keyset", "internal/prefetch"},

	// For tests. The oracle answers without the kernel, or it would share the kernel's mistakes; it speaks in the verbs'
	// options and reports.
	"internal/arrowtest": {},
	"internal/lint":      {},

	"internal/spill/faultfs": {".", "internal/spill", "internal/arrowtest"},

	"internal/oracle":    {".", "dedupe", "grain", "scd2", "join", "internal/arrowtest"},
	"internal/cases":     {".", "dedupe", "grain", "scd2", "join", "internal/arrowtest", "internal/oracle"},
	"internal/cases/run": {"internal/cases"},
}

var (
	verbImports = []string{".", "internal/frame", "internal/order", "internal/keyset", "internal/form", "internal/take", "internal/tally",
		"internal/placeholder", "internal/textform", "internal/spill", "internal/prefetch"}

	// exampleImports are for every folder below examples/: what a user has.
	exampleImports = []string{".", "dedupe", "grain", "scd2", "join", "onerowtest"}

	// testOnly packages are imported by tests, and by each other.
	testOnly = []string{"internal/arrowtest", "internal/spill/faultfs", "internal/lint", "internal/oracle", "internal/cases", "internal/cases/run"}
)

const arrowModule = "github.com/apache/arrow/go/v15"

// The modules that the core may import, and those that tests may import besides.
var (
	coreModules = []string{arrowModule, "github.com/cespare/xxhash/v2", "golang.org/x/exp"}
	testModules = []string{"github.com/google/go-cmp", "pgregory.net/rapid"}
)

// heavyArrow are the parts of Arrow that the core doesn't link: wrong or slow in v15, or with heavy dependencies.
var heavyArrow = []string{arrowModule + "/arrow/compute", arrowModule + "/arrow/flight", arrowModule + "/parquet"}

// Imports checks who imports whom. Test files may import any package of the module, and the test modules.
func Imports(m *Module) []string {
	var out []string
	for _, p := range m.Packages {
		allowed, known := mayImport[p.Dir]
		if strings.HasPrefix(p.Dir, "examples/") {
			allowed, known = exampleImports, true
		}
		if !known {
			out = append(out, fmt.Sprintf("%s: this package has no line in the import rules of internal/lint", p.Dir))
			continue
		}
		for _, f := range p.Files {
			for _, imp := range f.imports() {
				if why := refuse(p.Dir, f.Test, allowed, imp); why != "" {
					out = append(out, fmt.Sprintf("%s: imports %s: %s", f.Name, imp, why))
				}
			}
		}
	}
	return out
}

// refuse says why a file may not import a path, or nothing.
func refuse(dir string, test bool, allowed []string, imp string) string {
	if own, ok := inModule(imp); ok {
		switch {
		case test || slices.Contains(allowed, own):
			return ""
		case slices.Contains(testOnly, own):
			return "it is for tests only"
		}
		return fmt.Sprintf("%s may import only %v of this module", dir, allowed)
	}
	if standard(imp) {
		return ""
	}
	test = test || slices.Contains(testOnly, dir)
	switch {
	case within(imp, testModules):
		if test {
			return ""
		}
		return "it is for tests only"
	case !within(imp, coreModules):
		return "not a dependency that the core may have"
	case within(imp, heavyArrow) && !test:
		return "not a part of Arrow that the core may link"
	}
	return ""
}

func inModule(imp string) (dir string, ok bool) {
	if imp == Path {
		return ".", true
	}
	return strings.CutPrefix(imp, Path+"/")
}

// standard reports whether a path is of the standard library: its first element has no dot.
func standard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

func within(imp string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return imp == p || strings.HasPrefix(imp, p+"/") })
}

var requirement = regexp.MustCompile(`(?m)^(?:require)?[ \t]+([^\s()]+) v\S+[ \t]*(//[ \t]*indirect)?`)

// Requirements checks that go.mod directly requires only what core and tests may depend on, and replaces nothing.
func Requirements(m *Module) []string {
	var out []string
	if regexp.MustCompile(`(?m)^\s*replace\b`).MatchString(m.GoMod) {
		out = append(out, "go.mod: replace doesn't reach those who import the module")
	}
	allowed := slices.Concat(coreModules, testModules)
	for _, r := range requirement.FindAllStringSubmatch(m.GoMod, -1) {
		if r[2] == "" && !slices.Contains(allowed, r[1]) {
			out = append(out, fmt.Sprintf("go.mod: requires %s directly; core and tests may depend on %v", r[1], allowed))
		}
	}
	return out
}
