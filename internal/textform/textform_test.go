package textform

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestForms(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"nothing", "", ""},
		{"blanks alone", " \t\r\n\v\f\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000", ""},
		{"blanks around, one within", "\u3000a  b\n", "a  b"},
		{"what looks blank and isn't white space", "\u200ba\ufeff", "\u200ba\ufeff"},
		{"capitals", "FOO Bar 1_", "foo bar 1_"},
		{"sharp s, small and capital", "STRAßE STRAẞE", "strasse strasse"},
		{"ligatures", "ﬁ ﬄ ﬅ ﬆ ﬓ", "fi ffl st st մն"},
		{"dotted capital i, as one and as two", "İ I\u0307", "i\u0307 i\u0307"},
		{"dotless i is another letter", "ıI", "ıi"},
		{"sigma, final too", "ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ"},
		{"Kelvin, Ångström, Ohm, long s", "\u212a\u212b\u2126ſ", "kåωs"},
		{"Cherokee folds to capitals", "\uab70\u13f8\u13a0\u13f0", "\u13a0\u13f0\u13a0\u13f0"},
		{"Georgian capitals", "\u1c90\u10d0", "\u10d0\u10d0"},
		{"Deseret, beyond 16 bits", "\U00010400", "\U00010428"},
		{"iota below, capital and small", "\u1f88\u1f80", "\u1f00\u03b9\u1f00\u03b9"},
		{"three characters of one", "\u0390 \u1fb7", "\u0390 \u1fb6\u03b9"},
		{"an apostrophe that comes apart", "\u0149", "\u02bcn"},

		{"an accent, composed and not", "caf\u00e9 cafe\u0301 CAFE\u0301", "caf\u00e9 caf\u00e9 caf\u00e9"},
		{"two marks in either order", "q\u0307\u0323 q\u0323\u0307", "q\u0323\u0307 q\u0323\u0307"},
		{"two marks that compose with the letter", "d\u0307\u0323 \u1e0b\u0323 \u1e0d\u0307", "\u1e0d\u0307 \u1e0d\u0307 \u1e0d\u0307"},
		{"a mark of one class blocks the next", "a\u0313\u0301", "a\u0313\u0301"},
		{"a mark of another class doesn't", "a\u0323\u0302", "\u1ead"},
		{"marks of one class keep their order", "a\u0301\u0300 a\u0300\u0301", "\u00e1\u0300 \u00e0\u0301"},
		{"excluded from composition", "\u0958 \u0915\u093c \u2adc", "\u0915\u093c \u0915\u093c \u2add\u0338"},
		{"another character by composition alone", "\u0374 \u037e \u0387 \uf900", "\u02b9 ; \u00b7 \u8c48"},
		{"marks with a decomposition", "a\u0344 a\u0343", "\u00e4\u0301 a\u0313"},
		{"three in one", "\u01d7 u\u0308\u0301 \u00fc\u0301", "\u01d8 \u01d8 \u01d8"},
		{"many marks", "q" + strings.Repeat("\u0301\u0300\u0323", 20), "q" + strings.Repeat("\u0323", 20) + strings.Repeat("\u0301\u0300", 20)},
		{"a mark without a letter", "\u0301a", "\u0301a"},
		{"Hangul: two, three, two and one", "\u1100\u1161 \u1100\u1161\u11a8 \uac00\u11a8 \uac01", "\uac00 \uac01 \uac01 \uac01"},
		{"Hangul: no third after three, and none of no number", "\uac01\u11a8 \uac00\u11a7", "\uac01\u11a8 \uac00\u11a7"},
		{"starters that compose", "\u09c7\u09be \U00011131\U00011127", "\u09cb \U0001112e"},

		{"bytes that aren't UTF-8", "A\xff\xfeB \xc3", "a\xff\xfeb \xc3"},
		{"a mark behind such a byte", "\xffe\u0301\xff\u0301", "\xff\u00e9\xff\u0301"},
		{"the replacement character is a character", "\ufffd\u0301\u00c9", "\ufffd\u0301\u00e9"},
		{"zero bytes", "\x00A\x00", "\x00a\x00"},
	} {
		if got := string(Append(nil, []byte(c.text))); got != c.want {
			t.Errorf("%s: %+q becomes %+q, not %+q", c.what, c.text, got, c.want)
		}
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	for _, s := range []string{"A", "e\u0301", "\u00c9"} {
		if got, want := string(Append([]byte("E\u0301 "), []byte(s))), "E\u0301 "+string(Append(nil, []byte(s))); got != want {
			t.Errorf("%+q", got)
		}
	}
}

// Characters that differ in case alone have one form.
func TestFoldGoesByOrbits(t *testing.T) {
	if !strings.HasPrefix(unicode.Version, "15.0.") {
		t.Skip("package unicode knows other characters than unicode.txt: ", unicode.Version)
	}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		a, b := Fold(nil, fmt.Append(nil, ".", string(r))), Fold(nil, fmt.Append(nil, ".", string(unicode.SimpleFold(r))))
		if string(a) != string(b) {
			t.Errorf("%U folds to %+q, %U to %+q", r, a, unicode.SimpleFold(r), b)
		}
	}
}

var letters = rapid.SampledFrom([]string{"a", "A", "e", "d", "ß", "\u00c9", "\u0301", "\u0307", "\u0323", "\u0345", "\u1100", "\u1161", "\u11a8", "\uac00",
	"\u1f88", "\u212b", "İ", "\u0958", "\xff", "\xc3", " ", "\u3000", "\U0001d15e", "\u0344", "\ufb1d"})

func TestFormsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := []byte(strings.Join(rapid.SliceOf(letters).Draw(t, "text"), ""))
		once := Append(nil, s)
		if twice := Append(nil, once); string(twice) != string(once) {
			t.Fatalf("%+q becomes %+q, and that %+q", s, once, twice)
		}
		if Plain(s) && string(once) != string(s) {
			t.Fatalf("%+q is plain and becomes %+q", s, once)
		}
		if spaced := Append(nil, []byte(" "+string(s)+"\u00a0\n")); string(spaced) != string(once) {
			t.Fatalf("with blanks around it, %+q becomes %+q, else %+q", s, spaced, once)
		}
	})
}

// The file says what it says: each line can be read, and describes one character once.
func TestFacts(t *testing.T) {
	counts := map[byte]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		counts[line[0]]++
		var rest []string
		if line[0] != '#' {
			rest = strings.Fields(line[1:])
		}
		for i, hex := range rest {
			if n := code(hex); line[0] != 'o' && fmt.Sprintf("%04X", n) != hex || line[0] == 'o' && i == 3 {
				t.Errorf("%q can't be read", line)
			}
		}
	}
	f := characters()
	if len(f.folded) != counts['f'] || len(f.decomposed) != counts['d'] || len(f.composed) != counts['c'] {
		t.Errorf("%d, %d, %d facts of %v lines", len(f.folded), len(f.decomposed), len(f.composed), counts)
	}
	if len(f.class) != 922 || f.class[0x301] != 230 || f.class[0x345] != 240 {
		t.Errorf("%d characters have a class", len(f.class))
	}
}
