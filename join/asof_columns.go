package join

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/position"
	"github.com/onerow-go/onerow/internal/recast"
)

// ranging is a call of [AsOf] or [Between] with its columns found: facts and versions as one table, facts first, and their times on one line.
type ranging struct {
	given    Versions // with its defaults
	facts    *frame.Frame
	versions *frame.Frame
	rows     *frame.Table
	first    uint32 // row of the table that is the first version
	key      []string
	keyCols  []*form.Column
	keys     *keyset.Keys
	line     *position.Line
	open     uint64 // the sentinel's word, with hasOpen
	hasOpen  bool
	res      onerow.Resources
	progress *frame.Progress
}

// Columns of the line.
const (
	lineAt = iota
	lineFrom
	lineTo   // with Versions.ValidTo
	lineOpen // with Versions.OpenEnd
)

func newRanging(ctx context.Context, facts Facts, versions Versions, opts RangeOptions) (*ranging, error) {
	r := &ranging{given: versions, key: append([]string(nil), facts.Key...), res: opts.Resources, progress: frame.NewProgress(opts.Resources)}
	if r.given.Key == nil {
		r.given.Key = facts.Key
	}
	var errs [3]error
	r.facts, errs[0] = frame.New("facts", facts.Batches)
	r.versions, errs[1] = frame.New("versions", versions.Batches)
	errs[2] = r.check(opts)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	times, err := r.findTimes(facts.At)
	if err := errors.Join(r.findKey(), err); err != nil {
		return nil, err
	}
	if err := r.lay(ctx, times); err != nil {
		return nil, err
	}
	r.keys = keyset.NewKeys(r.keyCols, opts.Nulls == NullsEqual)
	return r, nil
}

// check finds options that can't be.
func (r *ranging) check(opts RangeOptions) error {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{onerow.ErrOption}, args...)...))
	}
	if opts.Nulls > NullsEqual {
		refuse("Nulls has no value %d", opts.Nulls)
	}
	if r.given.Bounds > Closed {
		refuse("Bounds has no value %d", r.given.Bounds)
	}
	if r.given.ValidTo == "" {
		if r.given.Bounds == Closed {
			refuse("Bounds is Closed, and ValidTo names no end")
		}
		if r.given.OpenEnd != nil {
			refuse("OpenEnd is given, and ValidTo names no end")
		}
	} else if r.given.ValidFrom == r.given.ValidTo {
		refuse("ValidFrom and ValidTo are both column %q", r.given.ValidTo)
	}
	if len(r.key) != len(r.given.Key) {
		refuse("the key of facts has %d columns, that of versions %d", len(r.key), len(r.given.Key))
	}
	return errors.Join(errs...)
}

// findKey finds the key columns of both sides, under the names that facts have for them. A column may be in several pairs.
func (r *ranging) findKey() error {
	if err := (Key{Left: r.key, Right: r.given.Key}).check(); err != nil {
		return err
	}
	facts, versions := map[string]string{}, map[string]string{}
	for i, own := range r.key {
		facts[pairColumn(i)], versions[pairColumn(i)] = own, r.given.Key[i]
	}
	var err error
	if r.rows, err = frame.NewTable(frame.Part{Frame: r.facts, Names: facts}, frame.Part{Frame: r.versions, Names: versions}); err != nil {
		return err
	}
	r.first = uint32(r.facts.Rows)
	var errs []error
	for i, own := range r.key {
		c, err := r.rows.Column(pairColumn(i), form.IsKey)
		c.Name = own
		r.keyCols, errs = append(r.keyCols, c), append(errs, err)
	}
	return errors.Join(errs...)
}

// timeColumn finds a column of times of one side.
type timeColumn struct {
	*form.Column
	input string
}

func timeOf(f *frame.Frame, name string) (timeColumn, error) {
	t, err := frame.NewTable(frame.Part{Frame: f})
	if err != nil {
		return timeColumn{}, err
	}
	c, err := t.Column(name, form.IsOrder)
	return timeColumn{c, f.Input}, err
}

// findTimes finds the columns of times of both sides, and after them the sentinel as one.
func (r *ranging) findTimes(at string) ([]*form.Column, error) {
	times, errs := make([]timeColumn, 2, 3), make([]error, 3)
	times[lineAt], errs[lineAt] = timeOf(r.facts, at)
	times[lineFrom], errs[lineFrom] = timeOf(r.versions, r.given.ValidFrom)
	if r.given.ValidTo != "" {
		times = times[:3]
		times[lineTo], errs[lineTo] = timeOf(r.versions, r.given.ValidTo)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := meet(times); err != nil {
		return nil, err
	}
	var cols []*form.Column
	for _, t := range times {
		cols = append(cols, t.Column)
	}
	if r.given.OpenEnd == nil || form.FamilyOf(cols[lineTo].Type) == form.NullFamily {
		return cols, nil
	}
	c, err := openEnd(r.given.OpenEnd, cols[lineTo])
	r.hasOpen = true
	return append(cols, c), err
}

// lay brings the times onto one line.
func (r *ranging) lay(ctx context.Context, times []*form.Column) (err error) {
	if r.line, err = position.New(ctx, r.res.WorkerCount(), times...); err == nil && r.hasOpen {
		r.open, _ = r.line.At(lineOpen, 0)
	}
	return err
}

// meet says which of the times are of families that never meet.
func meet(times []timeColumn) error {
	var errs []error
	for i, a := range times {
		for _, b := range times[i+1:] {
			if ok, why := form.Comparable(a.Type, b.Type); !ok {
				errs = append(errs, &onerow.TypeError{Column: a.Name, Type: a.Type, Input: a.input,
					OtherColumn: b.Name, OtherType: b.Type, OtherInput: b.input, Why: why})
			}
		}
	}
	return errors.Join(errs...)
}

// openEnd reads the sentinel as a cell of the column of ends.
func openEnd(v onerow.Value, to *form.Column) (*form.Column, error) {
	arr, err := recast.Literal(memory.NewGoAllocator(), form.Logical(to.Type), v)
	if err != nil {
		return nil, &onerow.TypeError{Column: to.Name, Type: to.Type, Input: "versions", Why: "OpenEnd: " + err.Error()}
	}
	a, err := form.Of(arr)
	if err != nil {
		return nil, err
	}
	return &form.Column{Name: "OpenEnd", Type: arr.DataType(), Chunks: []*form.Array{a}, Layout: form.NewLayout([]int{1})}, nil
}
