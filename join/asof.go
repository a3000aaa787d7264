package join

import (
	"context"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Status says how a fact met the versions of its key. Of several that could be said, the one that comes first in the list of [AsOf] is.
type Status uint8

const (
	// OK is said of a fact that one version holds.
	OK Status = iota
	// NullKey is said of a fact with NULL in its key, unless NULLs are equal.
	NullKey
	// NullTime is said of a fact without a time.
	NullTime
	// NoKey is said of a fact whose key has no version.
	NoKey
	// BeforeFirst is said of a fact that comes before the start of the first version of its key.
	BeforeFirst
	// Gap is said of a fact that no version of its key holds, though one has started: between two, or after the last. Also when none of them can hold
	// anything.
	Gap
	// Ambiguous is said of a fact that several versions hold.
	Ambiguous

	statuses = iota
)

// NoMatch stands in [Matches].Rows for a fact without a match.
const NoMatch uint32 = math.MaxUint32

// Matches says which version holds each fact.
type Matches struct {
	// Rows has the row of Versions for each fact, in the order of the facts; NoMatch where Status isn't OK.
	Rows []uint32
	// Status says for each fact how it met the versions of its key.
	Status []Status
	// Report counts them.
	Report AsOfReport

	facts    []arrow.Record
	versions []arrow.Record
	res      onerow.Resources
}

// AsOf finds for each fact the version of its key that holds its time: what was known, or valid, just then.
//
// A version holds a time t of its key when ValidFrom <= t < ValidTo, under Closed bounds t <= ValidTo; an open one holds all times from its start
// on. Without Versions.ValidTo it lasts until the next start of its key. Versions without a start, inverted and empty ones hold nothing. A gap is a gap: the
// version before it has expired, and isn't the match.
//
// Two versions that hold one fact make it ambiguous, copies of one row too: none of them is chosen. Versions that overlap elsewhere don't matter
// to a fact; the report counts them.
//
// Each fact has one status, the first that applies: [NullKey], [NullTime], [NoKey], [BeforeFirst], [Gap], [Ambiguous], [OK]. No row order means
// anything: neither facts nor versions need to be sorted. Keys and times are equal by value (see package onerow): columns may have other names, widths,
// units and encodings on the two sides.
//
// The batches are borrowed: for the call, and until [Matches.Versions] and [Matches.Joined] are called for the last time. They are not changed. The
// outcome doesn't depend on how rows are cut into batches, on encodings, or on the number of workers. A side without batches is a side without rows.
//
// It takes time in proportion to the rows, with a search among the versions of its key for each fact, and n log n in the versions of a key that are out
// of order. Beside the outcome, of 5 bytes a fact, it holds 60 to 120 bytes a version while it runs, and 24 or 32 bytes a fact; only up to 8 bytes a fact
// where there are far fewer versions. Times whose values don't fit 64 bits in a common unit (text, for one, or several times beyond the year 2262 beside nanoseconds; one, as an
// open end, fits) are sorted first, which takes six times as long and some 80 bytes a row more. It returns within some milliseconds after the context ends.
//
// Errors wrap [onerow.ErrNoKey], [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema], [onerow.ErrOption], [onerow.ErrTooManyRows] (of both
// sides together) or [onerow.ErrMalformed].
func AsOf(ctx context.Context, facts Facts, versions Versions, opts RangeOptions) (m *Matches, err error) {
	err = guard(ctx, func() error {
		m, err = asOf(ctx, facts, versions, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// guard runs a call, unless its context has ended.
func guard(ctx context.Context, call func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return keyset.Guard(call)
}

func asOf(ctx context.Context, facts Facts, versions Versions, opts RangeOptions) (*Matches, error) {
	r, err := newRanging(ctx, facts, versions, opts)
	if err != nil {
		return nil, err
	}
	m := &Matches{Rows: make([]uint32, r.facts.Rows), Status: make([]Status, r.facts.Rows), facts: facts.Batches, versions: versions.Batches,
		res: opts.Resources}
	to := &matching{m: m}
	said, err := r.answer(ctx, func(workers int) sink {
		to.counts = make([]statusCounts, workers)
		return to
	})
	if err != nil {
		return nil, err
	}
	m.Report = to.report(r, said)
	return m, nil
}

// statusCounts counts facts by status; padded, so that workers don't share cache lines.
type statusCounts struct {
	n [statuses]int64
	_ [9]int64
}

// matching is the sink of AsOf.
type matching struct {
	m      *Matches
	counts []statusCounts
}

func (m *matching) refuse(worker int, row uint32, why Status) {
	m.m.Rows[row], m.m.Status[row] = NoMatch, why
	m.counts[worker].n[why]++
}

func (m *matching) take(worker int, rows []uint32, found []holders) {
	ok, counts := int64(0), &m.counts[worker].n
	for i, h := range found {
		row := rows[i]
		if h.n == 1 {
			m.m.Rows[row] = h.row // its status is OK already
			ok++
			continue
		}
		why := Ambiguous
		if h.n == 0 {
			why = Status(h.row)
		}
		m.m.Rows[row], m.m.Status[row] = NoMatch, why
		counts[why]++
	}
	counts[OK] += ok
}

func (m *matching) room(row uint32, n int) []uint32 { return m.m.Rows[row:][:n] }

func (m *matching) takeAnswers(worker int, rows *rowList, answers []uint32, held bool) {
	counts, at := &m.counts[worker].n, m.m.Rows
	if rows.rows != nil {
		for i, row := range rows.rows {
			at[row] = answers[i]
		}
	}
	if held {
		counts[OK] += int64(len(answers)) // their status is OK already
		return
	}
	for i, a := range answers {
		h := answered(a)
		if h.n == 1 {
			counts[OK]++
			continue
		}
		why := Ambiguous
		if h.n == 0 {
			why = Status(h.row)
		}
		row := rows.row(uint32(i))
		at[row], m.m.Status[row] = NoMatch, why
		counts[why]++
	}
}

func (m *matching) report(r *ranging, said VersionReport) AsOfReport {
	var n [statuses]int64
	for _, c := range m.counts {
		for s, k := range c.n {
			n[s] += k
		}
	}
	return AsOfReport{Key: r.key, Facts: r.facts.Rows, OK: n[OK], NullKey: n[NullKey], NullTime: n[NullTime], NoKey: n[NoKey],
		BeforeFirst: n[BeforeFirst], Gap: n[Gap], Ambiguous: n[Ambiguous], Versions: said}
}
