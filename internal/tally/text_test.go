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
		{tally.Number(1, "row", "rows"), "1 row"},
		{tally.Number(0, "row", "rows"), "0 rows"},
		{tally.Number(-1, "row", "rows"), "-1 rows"},
	} {
		if test.got != test.want {
			t.Errorf("%s, want %s", test.got, test.want)
		}
	}
}
