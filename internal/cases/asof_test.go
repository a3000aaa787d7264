package cases_test

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/cases"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/join"
)

// rightRangeJoin answers as the oracle does.
func rightRangeJoin(mention func(error) error) cases.RangeJoinAPI {
	inputs := make(map[*join.Matches][]arrow.Record)
	return cases.RangeJoinAPI{
		AsOf: func(_ context.Context, f join.Facts, v join.Versions, opts join.RangeOptions) (*join.Matches, error) {
			m, err := oracle.JoinAsOf(f, v, opts)
			if err != nil {
				return nil, mention(err)
			}
			inputs[m] = v.Batches
			return m, nil
		},
		Between: func(_ context.Context, f join.Facts, v join.Versions, opts join.RangeOptions) (*join.RangeSize, error) {
			s, err := oracle.JoinBetween(f, v, opts)
			return s, mention(err)
		},
		Versions: func(_ context.Context, m *join.Matches, mem memory.Allocator) (arrow.Record, error) {
			fields := inputs[m][0].Schema().Fields()
			for i := range fields {
				fields[i].Nullable = true
			}
			all := bits(inputs[m])
			var rows [][]any
			for _, row := range m.Rows {
				if row == join.NoMatch {
					rows = append(rows, make([]any, len(fields)))
				} else {
					rows = append(rows, all[row])
				}
			}
			return arrowtest.Record(mem, arrow.NewSchema(fields, nil), rows)
		},
	}
}

// onMatches changes what join.AsOf says.
func onMatches(f func(m *join.Matches)) func(*cases.API) {
	return func(api *cases.API) {
		asOf := api.RangeJoin.AsOf
		api.RangeJoin.AsOf = func(ctx context.Context, facts join.Facts, v join.Versions, opts join.RangeOptions) (*join.Matches, error) {
			m, err := asOf(ctx, facts, v, opts)
			if m != nil {
				f(m)
			}
			return m, err
		}
	}
}

func onRangeSize(f func(s *join.RangeSize)) func(*cases.API) {
	return func(api *cases.API) {
		between := api.RangeJoin.Between
		api.RangeJoin.Between = func(ctx context.Context, facts join.Facts, v join.Versions, opts join.RangeOptions) (*join.RangeSize, error) {
			s, err := between(ctx, facts, v, opts)
			if s != nil {
				f(s)
			}
			return s, err
		}
	}
}

// A range join that answers wrongly fails the case that asks.
func TestWrongRangeJoinsFail(t *testing.T) {
	noticed(t, []lie{
		{"another version", "join/asof-two-versions", `got [("a", 0) ok ("a", 10, NULL)`, onMatches(func(m *join.Matches) { m.Rows[0] = 1 - m.Rows[0] })},
		{"another status", "join/asof-tie-at-start", `want [("a", 4) before_first ("a", 5) ambiguous]`, onMatches(func(m *join.Matches) {
			for i, s := range m.Status {
				if s == join.Ambiguous {
					m.Status[i] = join.Gap
					m.Report.Ambiguous, m.Report.Gap = m.Report.Ambiguous-1, m.Report.Gap+1
				}
			}
		})},
		{"a status without its version", "join/asof-two-versions", "exactly where the status is ok", onMatches(func(m *join.Matches) { m.Rows[0] = join.NoMatch })},
		{"a version that isn't there", "join/asof-two-versions", "exactly where the status is ok", onMatches(func(m *join.Matches) { m.Rows[0] = 9 })},
		{"a fact is left out", "join/asof-two-versions", "an answer for each of 5 facts", onMatches(func(m *join.Matches) { m.Rows = m.Rows[1:] })},
		{"facts are counted wrong", "join/asof-two-versions", "5 facts counted as ok", onMatches(func(m *join.Matches) { m.Report.OK-- })},
		{"versions are counted wrong", "join/asof-two-versions", "5 facts and 2 versions", onMatches(func(m *join.Matches) { m.Report.Versions.Rows++ })},
		{"other cells", "join/asof-gap-not-expired", "fact 0 beside (NULL, NULL, NULL)", func(api *cases.API) {
			take := api.RangeJoin.Versions
			api.RangeJoin.Versions = func(ctx context.Context, m *join.Matches, mem memory.Allocator) (arrow.Record, error) {
				m.Rows[0] = 0
				return take(ctx, m, mem)
			}
		}},
		{"another size", "join/between-containment", "inner 5; got 6", onRangeSize(func(s *join.RangeSize) { s.Inner = join.CountOf(6) })},
		{"another left size", "join/between-gap-and-before", "left 3; got 2", onRangeSize(func(s *join.RangeSize) { s.Left = join.CountOf(2) })},
		{"no size", "join/between-containment", "want a size", func(api *cases.API) {
			api.RangeJoin.Between = func(context.Context, join.Facts, join.Versions, join.RangeOptions) (*join.RangeSize, error) {
				return nil, nil
			}
		}},
		{"no matches", "join/asof-two-versions", "an answer for each", func(api *cases.API) {
			api.RangeJoin.AsOf = func(context.Context, join.Facts, join.Versions, join.RangeOptions) (*join.Matches, error) {
				return nil, nil
			}
		}},
		{"an error", "join/asof-two-versions", "no error; got error: no", func(api *cases.API) {
			api.RangeJoin.AsOf = func(context.Context, join.Facts, join.Versions, join.RangeOptions) (*join.Matches, error) {
				return nil, errors.New("no")
			}
		}},
	})
}
