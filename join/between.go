package join

import (
	"context"
	"fmt"

	"github.com/onerow-go/onerow"
)

// RangeSize says how many rows a range join makes: facts with the versions of their key that hold their time.
type RangeSize struct {
	// Key are the key columns of the facts.
	Key []string `json:"key"`
	// Facts is the number of facts, and Held that of facts that at least one version holds.
	Facts int64 `json:"facts"`
	Held  int64 `json:"held"`
	// Most is the number of versions that hold the fact that most of them hold, and MostAt the first such fact. Both are 0 when none is held.
	Most   uint32 `json:"most"`
	MostAt uint32 `json:"most_at"`
	// Inner is the number of rows of the inner join, and Left that of the join that keeps facts that nothing holds. They are exact.
	Inner Count `json:"inner"`
	Left  Count `json:"left"`
	// Versions says what there is to say of the versions, whatever the facts.
	Versions VersionReport `json:"versions"`
}

// Between counts the rows of a range join without making one: for each fact the versions of its key that hold its time, by the rules of [AsOf]. Its
// time doesn't depend on how many they are. Versions.ValidTo must name the end.
//
// A join to sound versions has at most one row for each fact: Most is 1, and Left is Facts.
//
// The batches are borrowed for the call and not changed. See [AsOf] for cost, and for the errors.
func Between(ctx context.Context, facts Facts, versions Versions, opts RangeOptions) (s *RangeSize, err error) {
	err = guard(ctx, func() error {
		s, err = between(ctx, facts, versions, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func between(ctx context.Context, facts Facts, versions Versions, opts RangeOptions) (*RangeSize, error) {
	if versions.ValidTo == "" {
		return nil, fmt.Errorf("%w: ValidTo names no end", onerow.ErrOption)
	}
	r, err := newRanging(ctx, facts, versions, opts)
	if err != nil {
		return nil, err
	}
	to := &sizing{}
	said, err := r.answer(ctx, func(workers int) sink {
		to.sums = make([]rangeSum, workers)
		return to
	})
	if err != nil {
		return nil, err
	}
	s, inner := &RangeSize{Key: r.key, Facts: r.facts.Rows, Versions: said}, uint64(0)
	for i := range to.sums {
		sum := &to.sums[i]
		s.Held += sum.held
		inner += sum.rows
		if sum.most > s.Most || sum.most == s.Most && sum.most > 0 && sum.at < s.MostAt {
			s.Most, s.MostAt = sum.most, sum.at
		}
	}
	s.Inner, s.Left = CountOf(inner), CountOf(inner+uint64(s.Facts-s.Held))
	return s, nil
}

// rangeSum is one worker's part of a size; padded, so that workers don't share cache lines. There are fewer than 1<<64 pairs of rows, as there are
// fewer than 1<<32 rows.
type rangeSum struct {
	rows     uint64
	held     int64
	most, at uint32
	_        [5]int64
}

// sizing is the sink of Between.
type sizing struct{ sums []rangeSum }

func (s *sizing) refuse(int, uint32, Status) {}

func (s *sizing) take(worker int, rows []uint32, found []holders) {
	sum := &s.sums[worker]
	for i, h := range found {
		sum.add(rows[i], h.n)
	}
}

func (s *sizing) room(uint32, int) []uint32 { return nil }

func (s *sizing) takeAnswers(worker int, rows *rowList, answers []uint32, _ bool) {
	sum := &s.sums[worker]
	for i, a := range answers {
		sum.add(rows.row(uint32(i)), answered(a).n)
	}
}

// add adds a fact that n versions hold.
func (s *rangeSum) add(row, n uint32) {
	s.rows += uint64(n)
	if n > 0 {
		s.held++
	}
	if n > s.most || n == s.most && n > 0 && row < s.at {
		s.most, s.at = n, row
	}
}
