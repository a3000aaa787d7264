package cases

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
	"github.com/onerow-go/onerow/scd2"
)

// API is what cases call.
type API struct {
	Latest func(context.Context, []arrow.Record, []string, []onerow.Order, dedupe.Options) (*dedupe.Plan, error)
	Take   func(context.Context, *dedupe.Plan, memory.Allocator) (arrow.Record, error)
	// Stream is called by cases of dedupe.latest too.
	Stream func(context.Context, []arrow.Record, []string, []onerow.Order, dedupe.Options) (*Streamed, error)
	Check  func(context.Context, []arrow.Record, []string, grain.Options) (*grain.Report, error)
	// Diagnose is called by cases of grain.diagnose.
	Diagnose Diagnose
	// Keys is called by cases of grain.keys.
	Keys func(context.Context, []arrow.Record, grain.KeysOptions) (*grain.KeysReport, error)
	// MergeConflicts is called by cases of grain.merge.
	MergeConflicts func(context.Context, []arrow.Record, []arrow.Record, []string, grain.MergeOptions) (*grain.MergeReport, error)

	History HistoryAPI
	// RangeCheck is called by cases of scd2.check.
	RangeCheck func(context.Context, scd2.Table, scd2.CheckOptions) (*scd2.CheckReport, error)

	RangeJoin RangeJoinAPI
	// Estimate is called by cases of join.estimate, and of keys.equal.
	Estimate Estimate
}

// Public is the library.
var Public = API{
	Latest: dedupe.Latest,
	Take: func(ctx context.Context, p *dedupe.Plan, mem memory.Allocator) (arrow.Record, error) {
		return p.Take(ctx, mem)
	},
	Stream: stream,
	Check:  grain.Check,

	Diagnose:       grain.Diagnose,
	Keys:           grain.Keys,
	MergeConflicts: grain.MergeConflicts,

	History:    publicHistory,
	RangeCheck: scd2.Check,

	RangeJoin: publicRangeJoin,
	Estimate:  join.Estimate,
}

// A test is a case made ready: it runs the case in all its forms.
type test interface{ run(r *runner) }

// built are the calls of verbs that the library has. Each makes a case ready; a case that asks for something unknown is
// an error.
var built = map[string]func(Case) (test, error){
	"dedupe.latest":  newLatest,
	"grain.check":    newCheck,
	"grain.diagnose": newDiagnose,
	"grain.keys":     newMinimalKeys,
	"grain.merge":    newMergeConflicts,
	"keys.equal":     newEqual,
	"scd2.plan":      newHistory,
	"scd2.check":     newRanges,
	"join.estimate":  newJoinSize,
	"join.asof":      newAsOf,
	"join.between":   newBetween,
}

// planned are the calls of verbs that the library will have.
var planned = map[string]bool{}

// Failure is one wrong answer.
type Failure struct {
	// Variant is the form of the tables.
	Variant   string
	Want, Got string
}

func (f Failure) String() string {
	return fmt.Sprintf("[%s] want %s; got %s", f.Variant, oneLine(f.Want), oneLine(f.Got))
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "; ") }

// Result is the outcome of one case.
type Result struct {
	Case Case
	// NotBuilt says that the library doesn't have the verb yet; the case wasn't run.
	NotBuilt bool
	// Runs is the number of calls that were made.
	Runs int
	// Failures are all wrong answers. The case passed if there is none and it isn't NotBuilt.
	Failures []Failure
}

// Run runs a case in all its forms.
func Run(c Case, api API) Result {
	prepare, ok := built[c.Call]
	if !ok {
		return Result{Case: c, NotBuilt: true}
	}
	r := &runner{api: api, variant: "the case", mem: memory.NewCheckedAllocator(memory.NewGoAllocator())}
	if ready, err := prepare(c); err != nil {
		r.fail("a case that the runner understands", err.Error())
	} else {
		ready.run(r)
	}
	r.variant = "all"
	if n := r.mem.CurrentAlloc(); n != 0 {
		r.fail("all tables released", fmt.Sprintf("%d bytes retained", n))
	}
	if r.runs == 0 && r.failures == nil {
		r.fail("at least one call", "none")
	}
	return Result{Case: c, Runs: r.runs, Failures: r.failures}
}

// runner makes the calls of one case and collects what is wrong.
type runner struct {
	api      API
	mem      *memory.CheckedAllocator // of the tables
	variant  string
	runs     int
	failures []Failure
}

func (r *runner) fail(want, got string) {
	r.failures = append(r.failures, Failure{Variant: r.variant, Want: want, Got: got})
}

// call makes one call of the library, with an allocator that must be empty after it, and resources for it. A panic is
// a failure.
func (r *runner) call(f func(mem memory.Allocator, res onerow.Resources)) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	func() {
		defer func() {
			if p := recover(); p != nil {
				r.fail("no panic", fmt.Sprint("panic: ", p))
			}
		}()
		f(mem, onerow.Resources{Workers: 1 + r.runs%3, Allocator: mem})
	}()
	r.runs++
	if n := mem.CurrentAlloc(); n != 0 {
		r.fail("everything released", fmt.Sprintf("%d bytes leaked", n))
	}
}

// seeds is the number of shuffled forms.
const seeds = 5

// forms runs f over the forms of a table.
func (r *runner) forms(table []arrow.Record, shuffle bool, f func(batches []arrow.Record, shuffled bool)) {
	variants := arrowtest.Variants(r.mem, table)
	defer variants.Release()
	for _, v := range variants {
		r.variant = v.Name
		f(v.Batches, false)
	}
	for seed := range uint64(seeds) {
		if !shuffle {
			break
		}
		v := arrowtest.Shuffled(r.mem, table, seed)
		r.variant = v.Name
		f(v.Batches, true)
		v.Release()
	}
}

// wantError is the part of a want that says that a call is refused.
type wantError struct {
	Error    string   `json:"error"`
	Mentions []string `json:"mentions"`
}

var sentinels = map[string]error{
	"null_key": onerow.ErrNullKey, "null_order": onerow.ErrNullOrder, "tie": onerow.ErrTie,
	"no_column": onerow.ErrNoColumn, "type": onerow.ErrType, "no_key": onerow.ErrNoKey,
	"broken_history": onerow.ErrBrokenHistory, "late": onerow.ErrLate, "too_many_closed": onerow.ErrTooManyClosed,
	"empty_source": onerow.ErrEmptySource, "mode": onerow.ErrMode, "stale_base": onerow.ErrStaleBase,
}

// check says whether the want makes sense; others says whether it wants anything else.
func (w wantError) check(others bool) error {
	switch {
	case w.Error == "" && w.Mentions != nil:
		return errors.New("mentions without an error")
	case w.Error == "" && !others:
		return errors.New("the case wants nothing")
	case w.Error != "" && others:
		return errors.New("the case wants an error and an answer")
	case w.Error != "" && sentinels[w.Error] == nil:
		return fmt.Errorf("no error is named %q", w.Error)
	}
	return nil
}

// settled compares the error of a call. It returns true when there is nothing more to compare.
func (r *runner) settled(w wantError, err error) bool {
	switch {
	case w.Error == "" && err == nil:
		return false
	case w.Error == "":
		r.fail("no error", "error: "+err.Error())
	case err == nil:
		r.fail("error "+w.Error, "no error")
	case !errors.Is(err, sentinels[w.Error]):
		r.fail("error "+w.Error, "error: "+err.Error())
	default:
		for _, m := range w.Mentions {
			if !strings.Contains(err.Error(), m) {
				r.fail(fmt.Sprintf("an error that mentions %q", m), "error: "+err.Error())
			}
		}
	}
	return true
}
