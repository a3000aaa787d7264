// Run runs case files through the public API of the library:
//
//	go run ./internal/cases/run internal/cases/testdata
//
// It prints a line for each wrong answer, a line for the cases of verbs that aren't built yet, and at the end, alone on a
// line, how many cases passed, failed and were skipped. It exits with 1 if a case failed, with 2 if the cases can't be
// read.
package main

import (
	"os"

	"github.com/onerow-go/onerow/internal/cases"
)

func main() { os.Exit(cases.Main(os.Args[1:], cases.Public, os.Stdout, os.Stderr)) }
