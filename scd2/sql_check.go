package scd2

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/onerow-go/onerow"
)

// checkTarget returns all that is wrong with the arguments of MergeSQL.
func checkTarget(d Dialect, target Target, staged []string) error {
	if !d.known() {
		return fmt.Errorf("%w: no such dialect: %v", onerow.ErrOption, d)
	}
	var c targetCheck
	c.path("Target.Name", target.Name)
	c.path("staged", staged)
	if len(target.Key) == 0 {
		c.errs = append(c.errs, fmt.Errorf("%w: Target.Key is empty", onerow.ErrNoKey))
	}
	for i, k := range target.Key {
		c.member(target, "Target.Key", k)
		if slices.Contains(target.Key[:i], k) {
			c.refuse("Target.Key names column %q twice", k)
		}
	}
	c.member(target, "Target.ValidFrom", target.ValidFrom)
	if slices.Contains(target.Key, target.ValidFrom) {
		c.refuse("Target.ValidFrom: column %q is in Target.Key too", target.ValidFrom)
	}
	if len(target.Columns) == 0 {
		c.refuse("Target.Columns is empty")
	}
	for _, name := range target.Columns {
		c.name("Target.Columns", name)
	}
	if len(c.errs) == 0 {
		c.clashes(d, target)
	}
	return errors.Join(c.errs...)
}

type targetCheck struct{ errs []error }

func (c *targetCheck) refuse(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%w: "+format, append([]any{onerow.ErrOption}, args...)...))
}

func (c *targetCheck) path(what string, parts []string) {
	if len(parts) == 0 {
		c.refuse("%s is empty", what)
	}
	for _, p := range parts {
		c.name(what, p)
	}
}

// name refuses names that no engine takes.
func (c *targetCheck) name(what, name string) {
	switch {
	case name == "":
		c.refuse("%s has an empty name", what)
	case !utf8.ValidString(name):
		c.refuse("%s: %q isn't UTF-8", what, name)
	case strings.ContainsRune(name, 0):
		c.refuse("%s: %q holds a zero character", what, name)
	}
}

func (c *targetCheck) member(target Target, what, name string) {
	switch {
	case name == "":
		c.refuse("%s has an empty name", what)
	case !slices.Contains(target.Columns, name):
		c.errs = append(c.errs, &onerow.ColumnError{Column: name, Input: "Target.Columns", Have: target.Columns})
	}
}

// clashes looks for columns of the staged table that are one to the engine. Those of the target are among them.
func (c *targetCheck) clashes(d Dialect, target Target) {
	own := []string{ActionColumn}
	for _, k := range append(slices.Clone(target.Key), target.ValidFrom) {
		own = append(own, MergeKeyPrefix+k)
	}
	names := make(map[string]string)
	for i, name := range slices.Concat(own, target.Columns) {
		folded := grammars[d].fold(name)
		before, ok := names[folded]
		switch {
		case !ok:
			names[folded] = name
		case slices.Contains(own, before) && i >= len(own):
			c.refuse("column %q: the staged table has a column %q of its own, which is the same name to %v", name, before, d)
		case before == name:
			c.refuse("Target.Columns names column %q twice", name)
		default:
			c.refuse("columns %q and %q are one name to %v", before, name, d)
		}
	}
}
