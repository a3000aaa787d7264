package scd2

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/onerow-go/onerow"
)

var errNoHistory = fmt.Errorf("%w: the history needs one, which may be without rows, to say what its columns are", onerow.ErrNoBatches)

func tooManyRows(n int64) error {
	return fmt.Errorf("%w: %d of history (three times), changes (twice) and state, of at most %d", onerow.ErrTooManyRows, n, int64(onerow.MaxRows))
}

// faults collects what is wrong with the options.
type faults []error

func (f *faults) add(format string, args ...any) {
	*f = append(*f, fmt.Errorf("%w: "+format, append([]any{onerow.ErrOption}, args...)...))
}

// checkOptions finds what is wrong with the options by themselves.
func (j *job) checkOptions() error {
	o := &j.opts
	if len(j.table.Key) == 0 {
		return onerow.ErrNoKey
	}
	var f faults
	switch {
	case o.Mode == 0:
		f = append(f, fmt.Errorf("%w: set Options.Mode to Changes or Snapshot", onerow.ErrMode))
	case o.Mode > Snapshot:
		f.add("Mode has no value %d", o.Mode)
	case o.Mode == Snapshot:
		j.checkSnapshot(&f)
	case o.Absent != 0:
		f.add("Absent is for Snapshot mode: absence from changes means nothing")
	}
	j.checkOrder(&f)
	j.checkEnums(&f)
	if o.Op.Column == "" && len(o.Op.Delete)+len(o.Op.Truncate) > 0 {
		f.add("Op has values that delete or truncate, but no Column")
	}
	if p := o.Op.PreviousKey; p != nil && len(p) != len(j.table.Key) {
		f.add("Op.PreviousKey has %d columns, and the key has %d", len(p), len(j.table.Key))
	}
	for _, d := range o.Op.Delete {
		if slices.ContainsFunc(o.Op.Truncate, func(t onerow.Value) bool { return reflect.DeepEqual(d, t) }) {
			f.add("Op says of the value %v that it deletes, and that it truncates", d)
		}
	}
	if o.Op.PreviousKey != nil && (o.Late == IgnoreLate || o.Ties == SetAsideTies) {
		f.add("Op.PreviousKey goes with neither IgnoreLate nor SetAsideTies: a key change would be applied to one of its keys alone")
	}
	if o.Deletes == DeletesAsRows && j.table.Deleted == "" {
		f.add("DeletesAsRows needs Table.Deleted, the column that marks deletion rows")
	}
	if j.table.Bounds == Closed {
		f.add("Plan needs half-open bounds: under closed ones an end and the next start are a unit apart")
	}
	j.checkRoles(&f)
	return errors.Join(f...)
}

func (j *job) checkSnapshot(f *faults) {
	o := &j.opts
	switch {
	case o.Absent == 0:
		*f = append(*f, fmt.Errorf("%w: in Snapshot mode, set Options.Absent to AbsentCloses or AbsentKept", onerow.ErrMode))
	case o.Absent > AbsentKept:
		f.add("Absent has no value %d", o.Absent)
	case o.Absent == AbsentCloses && o.Now == nil:
		f.add("AbsentCloses needs Now, the time at which absent keys are closed")
	}
	if o.Op.Column != "" || o.Op.PreviousKey != nil {
		f.add("Op is for Changes mode: a snapshot has no operations")
	}
	if o.Late != RewriteLate {
		f.add("Late is for Changes mode: a snapshot says what is, not what was")
	}
	if !(o.MaxClose >= 0 && o.MaxClose <= 1) {
		f.add("MaxClose is %v, and not a share from 0 to 1", o.MaxClose)
	}
}

func (j *job) checkOrder(f *faults) {
	o := &j.opts
	switch {
	case len(o.At) == 0 && o.Now == nil:
		f.add("At or Now is needed: the order columns, or one clock value")
	case len(o.At) > 0 && o.Now != nil && o.Mode == Changes:
		f.add("At and Now are both set, and in Changes mode one of them gives the positions")
	}
	seen := map[string]bool{}
	for _, by := range o.At {
		if by.Nulls > onerow.NullsAreHighest {
			f.add("Order of %q: Nulls has no value %d", by.Column, by.Nulls)
		}
		if seen[by.Column] {
			f.add("At names column %q twice", by.Column)
		}
		seen[by.Column] = true
	}
	if o.From == "" && len(o.At) > 0 {
		o.From = o.At[0].Column
	}
	at := slices.IndexFunc(o.At, func(by onerow.Order) bool { return by.Column == o.From })
	switch {
	case at >= 0 && o.At[at].Ascending:
		f.add("column %q gives valid_from, so that its greatest value is the latest: it can't be ascending", o.From)
	case at >= 0 && o.At[at].Nulls != onerow.RejectNulls:
		f.add("column %q gives valid_from: it can't be NULL", o.From)
	case at < 0 && o.From != "":
		f.add("From is %q, which is no column of At", o.From)
	}
}

func (j *job) checkEnums(f *faults) {
	o := &j.opts
	for _, e := range []struct {
		name      string
		got, most uint8
	}{
		{"Late", uint8(o.Late), uint8(RejectLate)}, {"Unchanged", uint8(o.Unchanged), uint8(KeepUnchanged)},
		{"Deletes", uint8(o.Deletes), uint8(DeletesAsRows)}, {"Ties", uint8(o.Ties), uint8(SetAsideTies)},
		{"NullKey", uint8(o.NullKey), uint8(onerow.SetAsideNullKeys)}, {"Columns.Missing", uint8(o.Columns.Missing), uint8(NullMissing)},
		{"Columns.New", uint8(o.Columns.New), uint8(AddNew)}, {"Table.Bounds", uint8(j.table.Bounds), uint8(Closed)},
	} {
		if e.got > e.most {
			f.add("%s has no value %d", e.name, e.got)
		}
	}
}

// checkRoles finds columns that are asked to do two things.
func (j *job) checkRoles(f *faults) {
	busy := map[string]string{}
	take := func(name, role string) {
		if other := busy[name]; other != "" && name != "" {
			f.add("column %q is %s and %s", name, other, role)
		}
		busy[name] = role
	}
	take(j.table.ValidFrom, "ValidFrom")
	take(j.table.ValidTo, "ValidTo")
	take(j.table.Current, "Current")
	take(j.table.Deleted, "Deleted")
	for _, k := range j.table.Key {
		take(k, "a key column")
	}
	for _, o := range j.opts.At {
		if slices.Contains(j.table.Key, o.Column) {
			f.add("At names column %q, which is a key column: it tells no events of a key apart", o.Column)
		}
	}
	for _, list := range []struct {
		of    string
		names []string
	}{{"Tracked", j.opts.Tracked}, {"Columns.KeepNull", j.opts.Columns.KeepNull}} {
		seen := map[string]bool{}
		for _, n := range list.names {
			if role := busy[n]; role != "" {
				f.add("%s names column %q, which is %s", list.of, n, role)
			}
			if seen[n] {
				f.add("%s names column %q twice", list.of, n)
			}
			seen[n] = true
		}
	}
}
