package tally_test

import (
	"strings"
	"testing"

	"github.com/onerow-go/onerow/internal/tally"
)

func TestText(t *testing.T) {
	long := strings.Repeat("é", 40)
	for _, test := range []struct{ got, want string }{
		{tally.Name("id"), "id"},
		{tally.Name("naïve id"), "naïve id"},
		{tally.Name(""), `""`},
		{tally.Name(" id"), `" id"`},
		{tally.Name("a\nb"), `"a\nb"`},
		{tally.Cut(long), long},
		{tally.Cut(long + "e"), long[:2*39] + "…"},
		{tally.Cut(strings.Repeat("e\u0301", 40)), strings.Repeat("e\u0301", 40)},
		{tally.Cut(strings.Repeat("e\u0301", 41)), strings.Repeat("e\u0301", 39) + "…"},
		{tally.Cut(strings.Repeat("漢", 20)), strings.Repeat("漢", 20)},
		{tally.Cut(strings.Repeat("漢", 21)), strings.Repeat("漢", 19) + "…"},
		{tally.Cut(strings.Repeat("\xff", 41)), strings.Repeat("\xff", 39) + "…"},
		{tally.Number(1, "row", "rows"), "1 row"},
		{tally.Number(0, "row", "rows"), "0 rows"},
		{tally.Number(-1, "row", "rows"), "-1 rows"},
	} {
		if test.got != test.want {
			t.Errorf("%s, want %s", test.got, test.want)
		}
	}
}
