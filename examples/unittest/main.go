// Command unittest shows how a service tests the rule by which it merges events, with package onerowtest. The rule is in rule.go, its
// tests are in rule_test.go:
//
//	go test ./examples/unittest
//
// The program shows what such a test finds out:
//
//	go run ./examples/unittest
//
// It delivers the events of one customer in every cut and in many orders, first to the rule as it is, then to one that
// forgets the state from file to file, and prints where that one goes wrong.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/onerowtest"
)

const (
	life = `
		event:int64  revision:int64  customer:int64  email:string  kind:string  code:string  at:timestamp[us,UTC]
		100          1               7               ann@acme.com  signup       B1           2026-01-01
		101          1               7               ann@acme.com  renew        B1           2026-02-01
		102          1               7               ann@acme.com  upgrade      T5           2026-03-01
		103          1               7               ann@acme.com  cancel       -            2026-04-01`
	start = `
		customer:int64  plan:string  valid_from:timestamp[us,UTC]  valid_to:timestamp[us,UTC]`
	want = start + `
		7               basic        2026-01-01                    2026-03-01
		7               team         2026-03-01                    2026-04-01`
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "unittest:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	t := &report{}
	defer t.end()
	fmt.Fprintf(out, "events\n%s\nhistory wanted\n%s\n", onerowtest.Text(onerowtest.Records(t, life)), onerowtest.Text(onerowtest.Records(t, want)))
	for _, forgetful := range []bool{false, true} {
		arrivals, wrong, example, err := try(ctx, t, forgetful)
		if err != nil {
			return err
		}
		name := "the rule"
		if forgetful {
			name = "the rule without its state"
		}
		fmt.Fprintf(out, "%s: %d arrivals, %d wrong\n%s", name, arrivals, wrong, example)
	}
	if t.failed != "" {
		return fmt.Errorf("%s", t.failed)
	}
	return nil
}

// try delivers the events in many ways, and says how often the history is wrong, and how it is the first time.
func try(ctx context.Context, t *report, forgetful bool) (arrivals, wrong int, example string, err error) {
	alloc := onerowtest.Allocator(t)
	for name, files := range onerowtest.Arrivals(t, onerowtest.Records(t, life)) {
		s := Subscriptions{History: onerowtest.Records(t, start)}
		for _, file := range files {
			if s, err = s.Merge(ctx, alloc, []arrow.Record{file}); err != nil {
				return 0, 0, "", err
			}
			t.Cleanup(s.Release)
			if forgetful {
				s.State = nil
			}
		}
		arrivals++
		if d := onerowtest.DiffHistory(onerowtest.Records(t, want), s.table()); d != "" {
			if wrong++; wrong == 1 {
				example = fmt.Sprintf("the first: %s\n%s", name, d)
			}
		}
	}
	return arrivals, wrong, example, nil
}

// report stands in for the *testing.T of a test.
type report struct {
	failed   string
	cleanups []func()
}

// Helper, Errorf, Fatalf and Cleanup make it an onerowtest.TB.
func (r *report) Helper()                           {}
func (r *report) Errorf(format string, args ...any) { r.failed += fmt.Sprintf(format, args...) }
func (r *report) Fatalf(format string, args ...any) { r.Errorf(format, args...) }
func (r *report) Cleanup(f func())                  { r.cleanups = append(r.cleanups, f) }

// end releases what the test made.
func (r *report) end() {
	for ; len(r.cleanups) > 0; r.cleanups = r.cleanups[:len(r.cleanups)-1] {
		r.cleanups[len(r.cleanups)-1]()
	}
}
