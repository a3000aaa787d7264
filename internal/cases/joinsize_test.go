package cases_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/cases"
	"github.com/onerow-go/onerow/join"
)

// onSize changes what join.Estimate says.
func onSize(f func(s *join.Size)) func(*cases.API) {
	return func(api *cases.API) {
		estimate := api.Estimate
		api.Estimate = func(ctx context.Context, left, right []arrow.Record, on join.Key, opts join.Options) (*join.Size, error) {
			s, err := estimate(ctx, left, right, on, opts)
			if s != nil {
				f(s)
			}
			return s, err
		}
	}
}

// A size that is wrong in one thing fails a case that notices.
func TestSizeLies(t *testing.T) {
	byID := map[string]cases.Case{}
	for _, c := range load(t) {
		byID[c.ID] = c
	}
	one := join.CountOf(1)
	for _, l := range []lie{
		{"a pair is missed", "join/one-to-one", "inner 2", onSize(func(s *join.Size) { s.Rows.Inner = one })},
		{"a left join without unmatched rows", "join/unmatched-left", "left 2", onSize(func(s *join.Size) { s.Rows.Left = s.Rows.Inner })},
		{"a full join without the right side", "join/no-match", "full 5", onSize(func(s *join.Size) { s.Rows.Full = s.Rows.Left })},
		{"a matched row too many", "join/one-to-one", "left_semi 3", onSize(func(s *join.Size) { s.Left.MatchedRows++ })},
		{"rows are lost", "join/right-empty", "left rows 2", onSize(func(s *join.Size) { s.Left.UnmatchedRows--; s.Rows.LeftAnti = one })},
		{"sides are swapped", "join/sides-not-swapped", "one to many", onSize(func(s *join.Size) { s.Relationship = join.ManyToOne })},
		{"a relationship that doesn't hold", "join/one-to-many", "a relationship that holds", onSize(func(s *join.Size) { s.Relationship = join.OneToOne })},
		{"the keys of a side aren't unique", "join/one-to-one", "unique left true", onSize(func(s *join.Size) { s.Left.Unique = false })},
		{"NULLs are not counted", "join/null-never", "right 2; got right 0", onSize(func(s *join.Size) { s.Right.NullRows = 0 })},
		{"the worst key isn't first", "join/worst-order", "worst keys first", onSize(func(s *join.Size) { slices.Reverse(s.Worst) })},
		{"no worst keys", "join/worst-order", "worst [", onSize(func(s *join.Size) { s.Worst = nil })},
		{"a worst key without rows", "join/worst-order", "rows of both sides", onSize(func(s *join.Size) { s.Worst[0].RightRows = nil })},
		{"a worst key has the rows of another", "join/worst-order", "rows", onSize(func(s *join.Size) { s.Worst[0].RightRows = s.Worst[1].RightRows })},
		{"a worst key has a row too many", "join/worst-order", "rows", onSize(func(s *join.Size) { s.Worst[0].Left++ })},
		{"never equal", "keys/int32-int64", "equal true", onSize(func(s *join.Size) { s.Rows.Inner = join.Count{} })},
		{"always equal", "keys/decimal-sign", "equal false", onSize(func(s *join.Size) { s.Rows.Inner = one })},
		{"no error", "join/error-text-int", "got no error", func(api *cases.API) {
			api.Estimate = func(context.Context, []arrow.Record, []arrow.Record, join.Key, join.Options) (*join.Size, error) {
				return &join.Size{}, nil
			}
		}},
		{"an error that says nothing", "join/error-text-int", `mentions "code"`, func(api *cases.API) {
			api.Estimate = func(context.Context, []arrow.Record, []arrow.Record, join.Key, join.Options) (*join.Size, error) {
				return nil, onerow.ErrType
			}
		}},
	} {
		c, ok := byID[l.id]
		if !ok {
			t.Errorf("no case %q", l.id)
			continue
		}
		api := right(c)
		l.spoil(&api)
		res := cases.Run(c, api)
		if !slices.ContainsFunc(res.Failures, func(f cases.Failure) bool { return strings.Contains(f.String(), l.says) }) {
			t.Errorf("%s: no failure of %s says %q: %v", l.name, l.id, l.says, res.Failures[:min(len(res.Failures), 3)])
		}
	}
}
