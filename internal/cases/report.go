package cases

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Main runs the cases of the folders and prints what came of it: a line for each wrong answer, a line for the cases of
// verbs that aren't built yet, and on the last line how many cases passed and failed. It returns the exit code: 0 if
// every case passed or was skipped, 1 if one failed, 2 if the cases can't be run.
func Main(dirs []string, api API, out, errs io.Writer) int {
	if len(dirs) == 0 {
		fmt.Fprintln(errs, "usage: run DIR…: runs the case files, *.json, of the folders and of those below them")
		return 2
	}
	var results []Result
	for _, dir := range dirs {
		all, err := Load(dir)
		if err != nil {
			fmt.Fprintln(errs, err)
			return 2
		}
		for _, c := range all {
			results = append(results, Run(c, api))
		}
	}
	return report(results, out)
}

// linesPerCase bounds the lines for one case: the forms of a case often fail alike.
const linesPerCase = 5

func report(results []Result, out io.Writer) int {
	var passed, failed, skipped int
	waiting := make(map[string]int)
	for _, res := range results {
		switch {
		case res.NotBuilt:
			skipped++
			waiting[res.Case.Call]++
			continue
		case len(res.Failures) == 0:
			passed++
			continue
		}
		failed++
		for i, f := range res.Failures {
			if i == linesPerCase {
				fmt.Fprintf(out, "FAIL %s … and %d wrong answers more\n", res.Case.ID, len(res.Failures)-i)
				break
			}
			fmt.Fprintf(out, "FAIL %s %v\n", res.Case.ID, f)
		}
	}
	if skipped > 0 {
		var calls []string
		for _, call := range slices.Sorted(maps.Keys(waiting)) {
			calls = append(calls, fmt.Sprintf("%s (%d)", call, waiting[call]))
		}
		fmt.Fprintln(out, "not built yet:", strings.Join(calls, ", "))
	}
	fmt.Fprintf(out, "%d passed, %d failed", passed, failed)
	if skipped > 0 {
		fmt.Fprintf(out, ", %d skipped", skipped)
	}
	fmt.Fprintln(out)
	if failed > 0 {
		return 1
	}
	return 0
}
