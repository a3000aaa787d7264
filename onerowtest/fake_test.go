package onerowtest_test

import (
	"fmt"
	"strings"
)

// fakeT is a test that writes down what it fails with. After Fatalf it goes on, as no test does.
type fakeT struct {
	failures []string
	cleanups []func()
	fatal    bool
}

func (f *fakeT) Helper() {}

func (f *fakeT) Errorf(format string, args ...any) {
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

func (f *fakeT) Fatalf(format string, args ...any) {
	f.fatal = true
	f.Errorf(format, args...)
}

func (f *fakeT) Cleanup(c func()) { f.cleanups = append(f.cleanups, c) }

// end ends the test, and returns what it failed with.
func (f *fakeT) end() string {
	for len(f.cleanups) > 0 {
		last := len(f.cleanups) - 1
		c := f.cleanups[last]
		f.cleanups = f.cleanups[:last]
		c()
	}
	return strings.Join(f.failures, "\n")
}
