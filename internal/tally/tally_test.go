package tally_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/onerow-go/onerow/internal/tally"
)

var counts = tally.Counts{
	{Key: "in", Label: "in", N: 1200},
	{Key: "kept", Label: "kept", Depth: 1, N: 0},
	{Key: "deletes", Label: "deletes", Depth: 2, N: 0, Rare: true},
	{Key: "tied_keys", Label: "ключи", N: 7, Rare: true},
}

func TestString(t *testing.T) {
	want := "in      1200\n" +
		"  kept     0\n" +
		"ключи      7"
	if got := counts.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAttrs(t *testing.T) {
	var b bytes.Buffer
	h := slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	slog.New(h).Info("done", slog.GroupAttrs("report", counts.Attrs()...))
	want := "level=INFO msg=done report.in=1200 report.kept=0 report.tied_keys=7\n"
	if b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
}

// Cells align as terminals show them: marks take no room, East Asian characters and pictures take twice as much as others. Short rows end early, and nothing has spaces at its end.
func TestTable(t *testing.T) {
	tests := []struct {
		rows  [][]string
		right []int
		want  string
	}{
		{nil, nil, ""},
		{[][]string{{"n", "name"}, {"10", "é"}, {"7"}, {"", ""}}, []int{0, 5}, " n  name\n10  é\n 7\n"},
		{[][]string{{"name", "n"}, {"漢字", "1"}, {"カ", "22"}, {"한국", "3"}, {"e\u0301e\u0301", "4"}, {"🙂", "5"}, {"zé\u200dro", "6"}, {"Ａ", "7"}}, []int{1},
			"name   n\n漢字   1\nカ    22\n한국   3\ne\u0301e\u0301     4\n🙂     5\nzé\u200dro   6\nＡ     7"},
		{[][]string{{"a"}, {"bb", "1"}, {"c", "22"}}, []int{1}, "a\nbb   1\nc   22"},
	}
	for _, test := range tests {
		if got := tally.Table(test.rows, test.right...); got != test.want {
			t.Errorf("got\n%q, want\n%q", got, test.want)
		}
	}
}
