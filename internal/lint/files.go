package lint

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// maxLines is the length that a file stays under, tests excepted.
const maxLines = 400

var (
	emptyName = regexp.MustCompile(`^(utils?|helpers?|common|misc)(_.*)?$`)
	leftover  = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)
)

// Files checks names, lengths, and that no comment leaves work for later.
func Files(m *Module) []string {
	var out []string
	for _, p := range m.Packages {
		if emptyName.MatchString(path.Base(p.Dir)) {
			out = append(out, fmt.Sprintf("%s: a folder's name says what is in it", p.Dir))
		}
		for _, f := range p.Files {
			if emptyName.MatchString(strings.TrimSuffix(path.Base(f.Name), ".go")) {
				out = append(out, fmt.Sprintf("%s: a file's name says what is in it", f.Name))
			}
			if !f.Test && f.Lines >= maxLines {
				out = append(out, fmt.Sprintf("%s: %d lines; split it by idea, under %d each", f.Name, f.Lines, maxLines))
			}
			for _, group := range f.AST.Comments {
				for _, c := range group.List {
					if leftover.MatchString(c.Text) {
						out = append(out, fmt.Sprintf("%s: a comment leaves work for later", m.at(c)))
					}
				}
			}
		}
	}
	return out
}
