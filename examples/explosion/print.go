package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/onerow-go/onerow/join"
)

// printAnswer prints all that there is to say but the charts. Prediction and cause are what the library's reports print.
func printAnswer(w io.Writer, a *result) {
	fmt.Fprintf(w, "%s and %s\n", a.Left, a.Right)
	fmt.Fprintf(w, "\nPREDICTION: a left join makes %s rows of %s, %s times as many\n\n%s\n", grouped(a.Size.Rows.Left), comma(a.Size.Left.Rows),
		factor(a.Size.Growth()), indent(a.Size.String()))
	fmt.Fprintf(w, "\nCAUSE: why keys repeat in %s\n\n%s\n", a.Right, indent(a.Diagnosis.String()))
	fmt.Fprintf(w, "\nREMEDY: what each step leaves of it\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "  left rows\tright rows\tinner join\tleft join\tgrowth\tmost\t  step")
	for _, s := range a.Steps {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\t  %s\n", comma(s.LeftRows), comma(s.RightRows), grouped(s.Inner), grouped(s.LeftJoin), factor(s.Growth),
			comma(s.Most), s)
	}
	t.Flush()
	fmt.Fprintln(w, "\n  growth: rows of the left join for each left row; most: right rows that one left row meets at most")
	for _, open := range a.Open {
		fmt.Fprintf(w, "  open: %s\n", open)
	}
}

// String is what was done, by what, and what else there is to say.
func (s step) String() string {
	text := s.Name
	if s.Call != "" {
		text += " (" + s.Call + ")"
	}
	if s.Note != "" {
		text += ": " + s.Note
	}
	return text
}

func indent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}

// factor writes a growth with as many digits as matter.
func factor(f float64) string {
	switch {
	case f >= 100 || f == 1:
		return comma(int64(f))
	case f < 1.01:
		return strconv.FormatFloat(f, 'f', 4, 64)
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}

// count writes 1 row, 2 rows.
func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return comma(n) + " " + what + "s"
}

func comma(n int64) string { return groupDigits(strconv.FormatInt(n, 10)) }

func grouped(n join.Count) string { return groupDigits(n.String()) }

// groupDigits puts commas between thousands.
func groupDigits(digits string) string {
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
