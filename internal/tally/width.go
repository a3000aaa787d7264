package tally

import (
	"unicode"
	"unicode/utf8"
)

// wide are the characters that take two cells of a terminal: those of East Asian scripts and their full-width forms, and pictures.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, // leading consonants of Hangul
		{Lo: 0x231a, Hi: 0x231b, Stride: 1}, {Lo: 0x23e9, Hi: 0x23ec, Stride: 1}, {Lo: 0x2705, Hi: 0x2705, Stride: 1}, {Lo: 0x274c, Hi: 0x274c, Stride: 1},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1},                                      // radicals and punctuation
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1},                                      // Kana to Yi
		{Lo: 0xa960, Hi: 0xa97c, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, // Hangul
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},                                                                           // compatibility ideographs
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1}, {Lo: 0xff00, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1}, // full-width forms
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe0, Hi: 0x18aff, Stride: 1}, {Lo: 0x1b000, Hi: 0x1b2ff, Stride: 1}, // Tangut, Kana
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, {Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1}, {Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1}, // pictures
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1}, // ideographs
	},
}

// runeWidth is the number of cells that a character takes: none for marks that go onto the one before, and for what isn't seen.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r >= 0x1160 && r <= 0x11ff, unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// width is the number of cells of a terminal that a text takes.
func width(s string) (n int) {
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// fitting is the length of the longest start of a text that takes at most so many cells, with all the marks on its last character.
func fitting(s string, cells int) int {
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		if cells -= runeWidth(r); cells < 0 {
			return at
		}
		at += n
	}
	return len(s)
}
