package onerowtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner reads a line from left to right.
type scanner struct {
	line string
	// number is that of the line, from 1.
	number int
	// at is the offset of the next byte.
	at int
}

func isBlank(r rune) bool { return unicode.IsSpace(r) }

// errorf makes an error about what begins at an offset. Columns count characters, from 1.
func (s *scanner) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("line %d, column %d: "+format, append([]any{s.number, utf8.RuneCountInString(s.line[:at]) + 1}, args...)...)
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.at == len(s.line) {
		return 0
	}
	return s.line[s.at]
}

// skip goes on to the next cell, over blanks and ornament.
func (s *scanner) skip() {
	for {
		s.until(func(r rune) bool { return !isBlank(r) })
		rest := s.line[s.at:]
		if !strings.HasPrefix(rest, "|") || !(scanner{line: rest, at: 1}).atBlank() {
			return
		}
		s.at++
	}
}

// done says whether nothing follows but a comment.
func (s *scanner) done() bool { return s.at == len(s.line) || s.line[s.at] == '#' }

// atBlank says whether a blank follows, or nothing.
func (s scanner) atBlank() bool {
	r, _ := utf8.DecodeRuneInString(s.line[s.at:])
	return s.at == len(s.line) || isBlank(r)
}

// until reads up to the first character that ends it, and not over that.
func (s *scanner) until(end func(rune) bool) string {
	rest := s.line[s.at:]
	if n := strings.IndexFunc(rest, end); n >= 0 {
		rest = rest[:n]
	}
	s.at += len(rest)
	return rest
}

// word reads up to the next blank.
func (s *scanner) word() string { return s.until(isBlank) }

// quoted reads text in quotes.
func (s *scanner) quoted() (string, error) {
	prefix, err := strconv.QuotedPrefix(s.line[s.at:])
	if err != nil {
		return "", fmt.Errorf("the quoted text isn't closed, or has an escape that Go doesn't know")
	}
	s.at += len(prefix)
	return strconv.Unquote(prefix)
}

// json reads a JSON value; numbers stay as they are written.
func (s *scanner) json() (any, error) {
	d := json.NewDecoder(strings.NewReader(s.line[s.at:]))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	s.at += int(d.InputOffset())
	return v, nil
}
