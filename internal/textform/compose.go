package textform

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// mark is a character with its combining class. A byte that isn't UTF-8 is a character below 0 that combines with nothing.
type mark struct {
	r     rune
	class uint8
}

// firstToCompose is the first character that combines with another or is changed by composition.
const firstToCompose = 0x300

// compose brings what is behind from to NFC: decomposed, marks in canonical order, composed.
func compose(dst []byte, from int) []byte {
	if !mayChange(dst[from:]) {
		return dst
	}
	marks := decompose(dst[from:])
	sortMarks(marks)
	dst = dst[:from]
	for _, m := range combine(marks) {
		if m.r < 0 {
			dst = append(dst, byte(^m.r))
		} else {
			dst = utf8.AppendRune(dst, m.r)
		}
	}
	return dst
}

func mayChange(s []byte) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		if r >= firstToCompose && r != utf8.RuneError {
			return true
		}
		i += n
	}
	return false
}

// Hangul syllables are composed by a rule: a leading consonant, a vowel, and perhaps a trailing consonant.
const (
	syllables, leads, vowels, trails  = 0xAC00, 0x1100, 0x1161, 0x11A7
	leadCount, vowelCount, trailCount = 19, 21, 28 // trails counts none as well
	syllableCount                     = leadCount * vowelCount * trailCount
)

func decompose(s []byte) []mark {
	f := characters()
	marks := make([]mark, 0, len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		switch at := r - syllables; {
		case r == utf8.RuneError && n == 1:
			marks = append(marks, mark{r: ^rune(s[i])})
		case at >= 0 && at < syllableCount:
			marks = append(marks, mark{r: leads + at/(vowelCount*trailCount)}, mark{r: vowels + at%(vowelCount*trailCount)/trailCount})
			if t := at % trailCount; t > 0 {
				marks = append(marks, mark{r: trails + t})
			}
		default:
			parts, ok := f.decomposed[r]
			if !ok {
				marks = append(marks, mark{r, f.class[r]})
			}
			for _, p := range parts {
				marks = append(marks, mark{p, f.class[p]})
			}
		}
		i += n
	}
	return marks
}

// sortMarks orders the combining marks behind each starter by class, those of one class as they come.
func sortMarks(marks []mark) {
	for lo := 0; lo < len(marks); {
		if marks[lo].class == 0 {
			lo++
			continue
		}
		hi := lo
		for hi < len(marks) && marks[hi].class != 0 {
			hi++
		}
		slices.SortStableFunc(marks[lo:hi], func(a, b mark) int { return cmp.Compare(a.class, b.class) })
		lo = hi
	}
}

// combine composes, in place. A character is composed with the last starter unless one between them, of its class or a higher one, blocks it.
func combine(marks []mark) []mark {
	starter, out := -1, marks[:0]
	for _, m := range marks {
		last := len(out) - 1
		if starter >= 0 && (starter == last || out[last].class != 0 && out[last].class < m.class) {
			if r, ok := pair(out[starter].r, m.r); ok {
				out[starter].r = r
				continue
			}
		}
		if m.class == 0 {
			starter = len(out)
		}
		out = append(out, m)
	}
	return out
}

func pair(a, b rune) (rune, bool) {
	switch at, v, t := a-syllables, b-vowels, b-trails; {
	case a >= leads && a < leads+leadCount && v >= 0 && v < vowelCount:
		return syllables + ((a-leads)*vowelCount+v)*trailCount, true
	case at >= 0 && at < syllableCount && at%trailCount == 0 && t > 0 && t < trailCount:
		return a + t, true
	}
	r, ok := characters().composed[[2]rune{a, b}]
	return r, ok
}
