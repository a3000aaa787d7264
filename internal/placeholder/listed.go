package placeholder

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/textform"
)

// listed returns what tells the usual placeholders of a family, nil where there are none:
//
//	numbers       0, -1, and integers of three or more nines with either sign
//	text          the words below, three or more zeros, three or more nines, after trim and case fold
//	binary        bytes that are all zero, or none
//	dates, times  the first and the last day of calendars and clocks, at midnight
//
// The cells that the function is asked about aren't NULL, and not of encoded arrays.
func listed(f form.Family) func(*form.Array, int) bool {
	switch f {
	case form.IntFamily:
		return listedInt
	case form.FloatFamily:
		return listedFloat
	case form.DecimalFamily:
		return listedDecimal
	case form.TextFamily:
		return func(a *form.Array, i int) bool { return listedText(a.Text(i)) }
	case form.BinaryFamily:
		return func(a *form.Array, i int) bool { return len(bytes.TrimLeft(a.Text(i), "\x00")) == 0 }
	case form.DateFamily:
		return func(a *form.Array, i int) bool { return listedDay(a, i, 86_400_000) }
	case form.NaiveFamily, form.InstantFamily:
		return func(a *form.Array, i int) bool { return listedDay(a, i, 86_400_000_000_000) }
	}
	return nil
}

func listedInt(a *form.Array, i int) bool {
	return listedWord(uint64(integer(a, i)), a.Kind != form.KindU64)
}

// listedWord says whether an integer, as 64 bits, is listed.
func listedWord(w uint64, signed bool) bool {
	if signed && int64(w) < 0 {
		return w == 1<<64-1 || nines(-w)
	}
	return w == 0 || nines(w)
}

// integer returns the integer, or the count of units of a time, as 64 bits. The array isn't encoded.
func integer(a *form.Array, i int) int64 {
	n, _ := a.Ordinal(i)
	if a.Kind != form.KindU64 {
		n ^= 1 << 63
	}
	return int64(n)
}

// nines says whether a number is three or more nines.
func nines(n uint64) bool {
	if n%10 != 9 || n < 999 {
		return false
	}
	for ; n > 0; n /= 10 {
		if n%10 != 9 {
			return false
		}
	}
	return true
}

func listedFloat(a *form.Array, i int) bool {
	f := a.Float(i)
	if f == 0 || f == -1 {
		return true
	}
	n := max(f, -f)
	// Beyond 2^53 there are even numbers only.
	return n < 1<<53 && float64(uint64(n)) == n && nines(uint64(n))
}

func listedDecimal(a *form.Array, i int) bool {
	whole, fraction, _ := strings.Cut(form.Format(a, i), ".")
	if strings.Trim(fraction, "0") != "" {
		return false
	}
	digits, negative := strings.CutPrefix(whole, "-")
	return strings.Trim(digits, "0") == "" || negative && digits == "1" || len(digits) >= 3 && strings.Trim(digits, "9") == ""
}

// words are the usual ones, as they are after case folding.
var words = map[string]bool{
	"": true, "-": true, "?": true, "0": true, "-1": true, "00000000-0000-0000-0000-000000000000": true,
	"n/a": true, "na": true, "nan": true, "nil": true, "none": true, "null": true, "unknown": true, "undefined": true, "missing": true,
	"default": true, "tbd": true,
}

// longest is the number of characters of the longest word, which is also the most bytes that one without leading zeros or nines takes.
const longest = 36

func listedText(s []byte) bool {
	s = bytes.TrimSpace(s)
	if len(s) == 0 {
		return true
	}
	switch c := s[0]; {
	case c == '0' || c == '9':
		if len(s) >= 3 && len(bytes.Trim(s, string(rune(c)))) == 0 {
			return true
		}
	case c < utf8.RuneSelf && bytes.IndexByte([]byte("-?nNuUmMdDtT"), c) < 0:
		return false
	}
	// Folding makes no text of more than three bytes a character shorter than one a character.
	if len(s) > 3*longest {
		return false
	}
	var room [3 * longest]byte
	return words[string(textform.Fold(room[:0], s))]
}

// days are 0001-01-01, 1900-01-01, 1970-01-01 and 9999-12-31, counted from 1970-01-01.
var days = [...]int64{-719_162, -25_567, 0, 2_932_896}

func listedDay(a *form.Array, i int, day uint64) bool {
	perDay := int64(day / a.Measure().Unit)
	n := integer(a, i)
	for _, d := range days {
		if n%perDay == 0 && n/perDay == d {
			return true
		}
	}
	return false
}
