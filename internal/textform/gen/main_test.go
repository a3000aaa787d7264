package main

import (
	"math/rand/v2"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/onerow-go/onerow/internal/textform"
)

// What textform composes of folded text is what x/text makes of it: single characters, and random strings of those that combine. Of characters
// beyond 16 bits x/text takes the low 16 where it looks for a pair (U+10041 and an acute accent are Á there), so these stand alone here.
func TestCompositionAgrees(t *testing.T) {
	check := func(s string) {
		folded := textform.Fold(nil, []byte(s))
		if got, want := string(textform.Append(nil, []byte(s))), string(norm.NFC.Bytes(folded)); got != want {
			t.Fatalf("%+q, folded %+q: %+q, x/text says %+q", s, folded, got, want)
		}
	}
	var some []rune
	characters(func(r rune) {
		check("a" + string(r))
		if r > 0xFFFF {
			return
		}
		check(string(r) + "\u0301")
		p := norm.NFC.PropertiesString(string(r))
		if p.CCC() != 0 || p.Decomposition() != nil || p.BoundaryBefore() != p.BoundaryAfter() {
			some = append(some, r)
		}
	})
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300_000 {
		s := make([]rune, 1+rnd.IntN(8)) // x/text breaks up runs of more than 30 marks, see there
		for i := range s {
			s[i] = some[rnd.IntN(len(some))]
			if rnd.IntN(4) == 0 {
				s[i] = rune('a' + rnd.IntN(26))
			}
		}
		check(string(s))
	}
}
