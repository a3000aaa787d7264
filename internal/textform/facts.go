package textform

import (
	_ "embed" // of unicode.txt
	"strconv"
	"strings"
	"sync"
)

//go:embed unicode.txt
var text string

// facts are what unicode.txt says.
type facts struct {
	folded     map[rune]string
	decomposed map[rune][]rune
	composed   map[[2]rune]rune
	class      map[rune]uint8 // canonical combining class; 0 is left out
}

var characters = sync.OnceValue(func() *facts {
	f := &facts{folded: map[rune]string{}, decomposed: map[rune][]rune{}, composed: map[[2]rune]rune{}, class: map[rune]uint8{}}
	for line := range strings.Lines(text) {
		if line[0] != '#' {
			f.add(strings.Fields(line))
		}
	}
	return f
})

func (f *facts) add(line []string) {
	if line[0] == "o" {
		class, _ := strconv.ParseUint(line[3], 10, 8) // a test reads the file for what can't be parsed
		for r := code(line[1]); r <= code(line[2]); r++ {
			f.class[r] = uint8(class)
		}
		return
	}
	runes := make([]rune, len(line)-1)
	for i, c := range line[1:] {
		runes[i] = code(c)
	}
	switch line[0] {
	case "f":
		f.folded[runes[0]] = string(runes[1:])
	case "d":
		f.decomposed[runes[0]] = runes[1:]
	case "c":
		f.composed[[2]rune{runes[0], runes[1]}] = runes[2]
	}
}

func code(hex string) rune {
	n, _ := strconv.ParseUint(hex, 16, 21)
	return rune(n)
}
