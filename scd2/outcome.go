package scd2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// fate is what became of a row of the changes, the lesser ones first: of a row that speaks of two keys, the greater counts.
type fate uint8

const (
	undecided fate = iota
	duplicate
	superseded
	unchanged
	ignoredOld
	ignoredLate
	applied
	appliedLate
	rejectedNull
	rejectedTie
	rejectedLow

	fates = 16 // more than there are: a number that indices can be cut to at no cost
)

// change is a row of the history that comes new, is closed or rewritten. There may be millions: it is small, and all else is found by its cells.
type change struct {
	from, to     uint32 // cells of bounds
	refs         uint32 // the number of a list of rows, one for each used slot, in outcome.refs; before that see life.keepRefs
	row          uint32 // of the history; of an insert, where its values are from
	key          uint32 // a row that has its key
	reason       Reason
	close        bool
	open, marker bool // the version
}

// remembered is a new row of the state.
type remembered struct {
	cell  uint32 // its position, a cell of bounds
	key   uint32
	order uint32
	refs  uint32 // as of change
	kind  kind
}

// trouble is a key that stands in the way.
type trouble struct {
	row  uint32   // that has the key
	rows []uint32 // of the input that the error is about
	why  string
}

// found is what one worker found.
type found struct {
	tied                        bool // the key in work has a tie
	keys                        int64
	broken, ties, late, partial []trouble
	beyond                      []trouble // positions that read as an open end
	inserts, edits              pile[change]
	removes                     []Action
	mems                        pile[remembered]
	forgotten                   []uint32 // rows of the state
	keptMems                    []uint32
	memRefs                     []uint32
	keptRefs                    pile[uint32] // by list: a row for each used slot
	lists                       uint32       // of keptRefs
	settled, spliced            int64        // keys, of those counted
	absent                      int64
	truncHit                    map[uint32]fate // truncates that made a difference
}

// outcome is what all workers found.
type outcome struct {
	j         *job
	status    []fate // of the changes
	oldStatus []fate // of the changes under their previous keys
	open      int64
	settled   int64 // keys, of all touched
	spliced   int64

	inserts, edits []change
	removes        []Action
	refs           []uint32
	mems           []remembered
	forgotten      keyset.Bitmap // rows of the state, from 0
	dropped        int64
}

func newOutcome(j *job) *outcome {
	out := &outcome{j: j, status: make([]fate, j.changes.Rows)}
	if j.opts.Op.PreviousKey != nil {
		out.oldStatus = make([]fate, j.changes.Rows)
	}
	return out
}

// set says what became of a row of the changes. A truncate speaks of many keys, so that several workers may have a word.
func (l *life) set(e *event, f fate) {
	row, ok := l.j.changeOf(e)
	switch {
	case !ok:
	case e.kind == truncated:
		if f == applied || f == appliedLate {
			if l.truncHit == nil {
				l.truncHit = map[uint32]fate{}
			}
			l.truncHit[row] = max(f, l.truncHit[row])
		}
	case e.origin == ofPrevious:
		l.out.oldStatus[row] = f
	default:
		l.out.status[row] = f
	}
}

// finish puts together what the workers found.
func (out *outcome) finish(ctx context.Context, lives []*life, s *settling) (*Merge, error) {
	var all found
	for _, l := range lives {
		all.keys += l.keys
		all.broken, all.ties = append(all.broken, l.broken...), append(all.ties, l.ties...)
		all.late, all.partial = append(all.late, l.late...), append(all.partial, l.partial...)
		all.beyond = append(all.beyond, l.beyond...)
		all.absent += l.absent
		out.settled, out.spliced = out.settled+l.settled, out.spliced+l.spliced
	}
	if err := out.refuse(&all); err != nil {
		return nil, err
	}
	m := &Merge{job: out.j, out: out}
	if err := out.collect(ctx, m, lives, s); err != nil {
		return nil, err
	}
	m.Report = Report{Events: out.j.changes.Rows, History: out.j.history.Rows, Open: out.open, Keys: all.keys,
		ClosedByAbsence: all.absent}
	out.count(m)
	out.fates(m, lives)
	out.memories(m)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if out.j.opts.RequireChange && m.Empty() {
		return nil, fmt.Errorf("%w: the plan is empty; events: %d", onerow.ErrNoChange, m.Report.Events)
	}
	return m, nil
}

// refuse gives the reasons to refuse the call, all together.
func (out *outcome) refuse(all *found) error {
	j := out.j
	var errs []error
	for _, t := range []struct {
		kind     error
		input    string
		troubles []trouble
		why      string
	}{
		{onerow.ErrBrokenHistory, "history", all.broken, "changes touch keys whose versions don't fit together; mend them first, Check lists the faults"},
		{onerow.ErrTie, "changes", all.ties, out.whyTied()},
		{onerow.ErrLate, "changes", all.late, "they come before what the history has, and that is refused"},
		{onerow.ErrPartialHistory, "changes", all.partial, "they need versions from before Options.Since, or of keys without a version given"},
		{onerow.ErrValue, "changes", all.beyond, "positions must be before Table.OpenEnd, which says that a version is open, and fit both boundary columns"},
	} {
		if len(t.troubles) > 0 {
			errs = append(errs, j.keysError(t.kind, t.input, t.troubles, t.why))
		}
	}
	if all.absent > 0 && float64(all.absent)/float64(out.open) > j.opts.MaxClose {
		errs = append(errs, fmt.Errorf("%w: %d of %d open versions are absent from the snapshot, and Options.MaxClose allows a share of %v",
			onerow.ErrTooManyClosed, all.absent, out.open, j.opts.MaxClose))
	}
	return errors.Join(errs...)
}

func (out *outcome) whyTied() string {
	if out.j.opts.Mode == Snapshot {
		return "a snapshot has one row a key; dedupe it first, or see Options.Ties"
	}
	return "events have no order among each other; add an order column, or see Options.Ties"
}

func (j *job) keysError(kind error, input string, troubles []trouble, why string) error {
	slices.SortFunc(troubles, func(a, b trouble) int { return cmp.Or(slices.Compare(a.rows, b.rows), cmp.Compare(a.row, b.row)) })
	troubles = j.byKey(troubles)
	e := &onerow.KeysError{Kind: kind, Input: input, Columns: j.table.Key, Total: int64(len(troubles)), Why: why}
	for _, t := range troubles[:min(len(troubles), onerow.MaxSampleKeys)] {
		k := onerow.KeyRows{Count: int64(len(t.rows)), Rows: append(onerow.Rows(nil), t.rows[:min(len(t.rows), onerow.MaxSampleRows)]...), Why: t.why}
		k.Values = frame.KeyRows(j.keyCols, 0, []uint32{t.row}).Values
		e.Keys = append(e.Keys, k)
	}
	return e
}

// byKey joins what was found of one key at several rows.
func (j *job) byKey(troubles []trouble) []trouble {
	at := make(map[string]int, len(troubles))
	kept := troubles[:0]
	for _, t := range troubles {
		key := strings.Join(frame.KeyRows(j.keyCols, 0, []uint32{t.row}).Values, "\x00")
		if i, ok := at[key]; ok {
			kept[i].rows = append(kept[i].rows, t.rows...)
			continue
		}
		at[key] = len(kept)
		kept = append(kept, t)
	}
	return kept
}

// count fills in the numbers of rows of the history.
func (out *outcome) count(m *Merge) {
	r := &m.Report
	r.Insert, r.Close, r.Rewrite, r.Remove = int64(len(m.Inserts)), int64(len(m.Closes)), int64(len(m.Rewrites)), int64(len(m.Removes))
}

// fates fills the lists of rows of the changes, and counts.
func (out *outcome) fates(m *Merge, lives []*life) {
	j := out.j
	for _, t := range j.trunc {
		if t.row >= j.firstSt {
			continue
		}
		change := t.row - j.firstChg
		out.status[change] = unchanged
		if j.hasLow && t.pos < j.lowest {
			out.status[change] = rejectedLow
		}
		for _, l := range lives {
			out.status[change] = max(out.status[change], l.truncHit[change])
		}
	}
	if out.oldStatus != nil || j.aside != nil {
		for i, f := range out.status {
			if out.oldStatus != nil && (f == undecided || out.oldStatus[i] >= applied) {
				f = max(f, out.oldStatus[i])
			}
			if j.aside != nil && j.aside.Has(uint32(i)) {
				f = rejectedNull
			}
			out.status[i] = f
		}
	}
	var counts [fates]int64
	for _, f := range out.status {
		counts[f%fates]++
	}
	r := &m.Report
	r.Late = counts[appliedLate]
	r.Applied, r.Duplicates, r.Superseded = counts[applied]+r.Late, counts[duplicate], counts[superseded]
	m.Unchanged = out.rowsOf(counts[undecided]+counts[unchanged], func(f fate) bool { return f == undecided || f == unchanged })
	m.Ignored = out.actions(counts[:], map[fate]Reason{ignoredOld: NotNewer, ignoredLate: LateEvent})
	m.Rejected = out.actions(counts[:], map[fate]Reason{rejectedNull: NullKeyed, rejectedTie: Tied, rejectedLow: BelowWatermark})
	if j.state.Schema == nil {
		r.Unsure = r.Late
	}
	r.Unchanged, r.Ignored, r.Rejected = int64(len(m.Unchanged)), int64(len(m.Ignored)), int64(len(m.Rejected))
}

// rowsOf lists n rows of the changes, those of some fates.
func (out *outcome) rowsOf(n int64, is func(fate) bool) onerow.Rows {
	if n == 0 {
		return nil
	}
	var picks [fates]int
	for f := range picks {
		picks[f] = one(is(fate(f)))
	}
	rows, k := make(onerow.Rows, n+1), 0
	for i, f := range out.status {
		rows[k] = uint32(i)
		k += picks[f%fates]
	}
	return rows[:n:n]
}

// actions lists the rows of the changes that have one of some fates.
func (out *outcome) actions(counts []int64, reasons map[fate]Reason) []Action {
	n := int64(0)
	for f := range reasons {
		n += counts[f]
	}
	rows := out.rowsOf(n, func(f fate) bool { return reasons[f] != 0 })
	var list []Action
	for _, row := range rows {
		list = append(list, Action{row, reasons[out.status[row]]})
	}
	return list
}

// memories counts the rows of the new state: what it keeps of the old one, what it learned, and truncates.
func (out *outcome) memories(m *Merge) {
	j := out.j
	m.Report.Remembered = j.state.Rows - out.dropped + int64(len(out.mems)+len(out.newTruncates()))
	m.Report.Forgotten = out.dropped
}

// newTruncates are those of the changes that the state doesn't have yet: of each position the greatest, when it is greater than those of the state.
func (out *outcome) newTruncates() (fresh []truncate) {
	j := out.j
	greater := func(a, b truncate) bool { return j.order != nil && j.order.Compare(a.row, b.row) > 0 }
	for lo := 0; lo < len(j.trunc); {
		best, hi := j.trunc[lo], lo+1
		for ; hi < len(j.trunc) && j.trunc[hi].pos == best.pos; hi++ {
			t := j.trunc[hi]
			if known := best.row >= j.firstSt; greater(t, best) || !known && t.row >= j.firstSt && !greater(best, t) {
				best = t
			}
		}
		if best.row < j.firstSt && j.inTime(best.pos) {
			fresh = append(fresh, best)
		}
		lo = hi
	}
	return fresh
}
