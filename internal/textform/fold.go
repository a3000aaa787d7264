package textform

import (
	"bytes"
	"unicode/utf8"
)

// Plain says that a text is surely its own form: it is ASCII, without capitals, and without white space at its ends. Other texts may be their
// own form as well.
func Plain(s []byte) bool {
	if len(s) == 0 {
		return true
	}
	if s[0] <= ' ' || s[len(s)-1] <= ' ' {
		return false
	}
	for _, c := range s {
		if c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// Append appends the form of a text: trimmed, folded, composed.
func Append(dst, s []byte) []byte {
	from := len(dst)
	dst = Fold(dst, s)
	for _, c := range dst[from:] {
		if c >= utf8.RuneSelf {
			return compose(dst, from)
		}
	}
	return dst
}

// Fold appends a text trimmed and folded, but not composed.
func Fold(dst, s []byte) []byte {
	s = bytes.TrimSpace(s)
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if folded, ok := characters().folded[r]; ok {
			dst = append(dst, folded...)
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}
