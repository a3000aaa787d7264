package cases_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/cases"
	"github.com/onerow-go/onerow/scd2"
)

// onRanges changes the reports of scd2.Check.
func onRanges(f func(r *scd2.CheckReport)) func(*cases.API) {
	return func(api *cases.API) {
		check := api.RangeCheck
		api.RangeCheck = func(ctx context.Context, table scd2.Table, opts scd2.CheckOptions) (*scd2.CheckReport, error) {
			r, err := check(ctx, table, opts)
			if r != nil {
				f(r)
			}
			return r, err
		}
	}
}

// A check of ranges that answers wrongly fails the case that asks.
func TestWrongRangesFail(t *testing.T) {
	noticed(t, []lie{
		{"a finding is lost", "scd2_check/containment-far", "findings [overlap [0 1] overlap [0 2]]", onRanges(func(r *scd2.CheckReport) {
			r.Findings, r.Overlaps = r.Findings[:1], 1
		})},
		{"a finding is made up", "scd2_check/contiguous", "findings []", onRanges(func(r *scd2.CheckReport) {
			r.Findings, r.Gaps, r.BrokenKeys = []scd2.Finding{{Kind: scd2.Gap, Rows: onerow.Rows{0, 1}, Key: []string{"1"}}}, 1, 1
		})},
		{"a finding names another row", "scd2_check/inverted-inside-another", "findings [inverted [1]]", onRanges(func(r *scd2.CheckReport) {
			r.Findings[0].Rows = onerow.Rows{0}
		})},
		{"a finding is of another kind", "scd2_check/zero-length", "zero_length [1]", onRanges(func(r *scd2.CheckReport) {
			r.Findings[0].Kind, r.ZeroLength, r.Inverted = scd2.Inverted, 0, 1
		})},
		{"findings are counted wrong", "scd2_check/two-open", "as many findings as are counted", onRanges(func(r *scd2.CheckReport) { r.TwoOpen++ })},
		{"findings are out of order", "scd2_check/two-open", "by first row, then kind", onRanges(func(r *scd2.CheckReport) { slices.Reverse(r.Findings) })},
		{"rows of a finding are out of order", "scd2_check/two-open", "rows that are there, in order", onRanges(func(r *scd2.CheckReport) {
			slices.Reverse(r.Findings[1].Rows)
			r.Findings[1].Rows[0] = 9
		})},
		{"rows are counted wrong", "scd2_check/two-open", "2 rows, and no more keys", onRanges(func(r *scd2.CheckReport) { r.Rows++ })},
		{"no report", "scd2_check/two-open", "want a report", func(api *cases.API) {
			api.RangeCheck = func(context.Context, scd2.Table, scd2.CheckOptions) (*scd2.CheckReport, error) { return nil, nil }
		}},
		{"another error", "scd2_check/naive-and-zoned", "error type; got error: no", func(api *cases.API) {
			api.RangeCheck = func(context.Context, scd2.Table, scd2.CheckOptions) (*scd2.CheckReport, error) {
				return nil, errors.New("no")
			}
		}},
	})
}
