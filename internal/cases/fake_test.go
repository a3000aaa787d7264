package cases_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/cases"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/join"
	"github.com/onerow-go/onerow/scd2"
)

// filledRows are some of all rows of a table, with the values that were carried forward.
func filledRows(all [][]any, in []arrow.Record, numbers onerow.Rows, out *oracle.Outcome) (rows [][]any) {
	for _, n := range numbers {
		row := slices.Clone(all[n])
		for _, f := range out.Filled {
			if f.Row == int(n) {
				at := in[0].Schema().FieldIndices(f.Column)[0]
				row[at] = all[f.From][at]
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// right is an API that answers a case as the oracle does, with errors that mention what the case asks for.
func right(c cases.Case) cases.API {
	var want struct{ Mentions []string }
	_ = json.Unmarshal(c.Want, &want) // what isn't there isn't mentioned
	mention := func(err error) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("%w: %q", err, want.Mentions)
	}
	outcomes := make(map[*dedupe.Plan]*oracle.Outcome)
	inputs := make(map[*dedupe.Plan][]arrow.Record)
	return cases.API{
		Latest: func(_ context.Context, in []arrow.Record, key []string, order []onerow.Order, opts dedupe.Options) (*dedupe.Plan, error) {
			out, err := oracle.Latest(in, key, order, opts)
			if err != nil {
				return nil, mention(err)
			}
			p := &dedupe.Plan{Rows: out.Rows, SetAside: out.SetAside, Stale: out.Stale, Ended: out.Ended, Report: out.Report}
			outcomes[p], inputs[p] = out, in
			return p, nil
		},
		Stream: func(_ context.Context, in []arrow.Record, key []string, order []onerow.Order, opts dedupe.Options) (*cases.Streamed, error) {
			out, err := oracle.Latest(in, key, order, opts)
			if err != nil {
				return nil, mention(err)
			}
			return &cases.Streamed{Rows: filledRows(arrowtest.All(in), in, out.Rows, out), SetAside: arrowtest.Rows(in, out.SetAside), Report: out.Report}, nil
		},
		Take: func(_ context.Context, p *dedupe.Plan, mem memory.Allocator) (arrow.Record, error) {
			in := inputs[p]
			rows := filledRows(bits(in), in, p.Rows, outcomes[p])
			return arrowtest.Record(mem, in[0].Schema(), rows)
		},
		Check: func(_ context.Context, in []arrow.Record, key []string, opts grain.Options) (*grain.Report, error) {
			rep, err := oracle.Check(in, key, opts.Nulls)
			if err != nil {
				return nil, mention(err)
			}
			rep.Worst = rep.Worst[:min(len(rep.Worst), 20)]
			for i := range rep.Worst {
				rep.Worst[i].Values = make([]string, len(key))
			}
			return rep, nil
		},
		Diagnose: func(ctx context.Context, in []arrow.Record, key []string, opts grain.DiagnoseOptions) (*grain.Diagnosis, error) {
			d, err := oracle.Diagnose(in, key, opts)
			if err != nil {
				return nil, mention(err)
			}
			whole, err := grain.Diagnose(ctx, in, key, opts)
			if err != nil || len(whole.Causes) != len(d.Causes) {
				return d, err
			}
			for i := range d.Causes { // samples and remedies are the library's own
				d.Causes[i].Samples, d.Causes[i].Remedy = whole.Causes[i].Samples, whole.Causes[i].Remedy
			}
			return d, nil
		},
		Keys: func(_ context.Context, in []arrow.Record, opts grain.KeysOptions) (*grain.KeysReport, error) {
			rep, err := oracle.Keys(in, opts)
			return rep, mention(err)
		},
		MergeConflicts: func(_ context.Context, target, source []arrow.Record, on []string, opts grain.MergeOptions) (*grain.MergeReport, error) {
			rep, err := oracle.MergeConflicts(target, source, on, opts)
			if err != nil {
				return nil, mention(err)
			}
			for i := range rep.WorstConflicts {
				rep.WorstConflicts[i].Values = make([]string, len(on))
			}
			return rep, nil
		},
		Estimate: func(_ context.Context, left, right []arrow.Record, on join.Key, opts join.Options) (*join.Size, error) {
			size, err := oracle.Estimate(left, right, on, opts)
			if err != nil {
				return nil, mention(err)
			}
			for i := range size.Worst {
				size.Worst[i].Values = make([]string, len(on.Left))
			}
			return size, nil
		},
		RangeJoin: rightRangeJoin(mention),
		History:   cases.Public.History,
		RangeCheck: func(_ context.Context, table scd2.Table, opts scd2.CheckOptions) (*scd2.CheckReport, error) {
			rep, err := oracle.Ranges(table, opts)
			if err != nil {
				return nil, mention(err)
			}
			for i := range rep.Findings {
				rep.Findings[i].Key = make([]string, len(table.Key))
			}
			return rep, nil
		},
	}
}

func bits(in []arrow.Record) (rows [][]any) {
	for _, b := range in {
		rows = append(rows, arrowtest.Bits(b)...)
	}
	return rows
}

// A library that answers rightly passes every case.
func TestRightAnswersPass(t *testing.T) {
	for _, c := range load(t) {
		if c.Call == "scd2.plan" { // the fake has the library's own answers, see TestCases
			continue
		}
		res := cases.Run(c, right(c))
		if res.NotBuilt {
			continue
		}
		if res.Runs < 5 {
			t.Errorf("%s: %d runs", c.ID, res.Runs)
		}
		for _, f := range res.Failures[:min(len(res.Failures), 3)] {
			t.Errorf("%s %v", c.ID, f)
		}
	}
}

// A lie makes one answer of an API wrong.
type lie struct {
	name string
	// id is a case that notices, with a failure that says this.
	id, says string
	spoil    func(api *cases.API)
}

// onPlan changes plans.
func onPlan(f func(p *dedupe.Plan)) func(*cases.API) {
	return onLatest(func(p *dedupe.Plan, err error, _ []arrow.Record) (*dedupe.Plan, error) {
		if p != nil {
			f(p)
		}
		return p, err
	})
}

func onLatest(f func(p *dedupe.Plan, err error, in []arrow.Record) (*dedupe.Plan, error)) func(*cases.API) {
	return func(api *cases.API) {
		latest := api.Latest
		api.Latest = func(ctx context.Context, in []arrow.Record, key []string, order []onerow.Order, opts dedupe.Options) (*dedupe.Plan, error) {
			p, err := latest(ctx, in, key, order, opts)
			return f(p, err, in)
		}
	}
}

// onStream changes what streams come to.
func onStream(f func(s *cases.Streamed, err error) (*cases.Streamed, error)) func(*cases.API) {
	return func(api *cases.API) {
		stream := api.Stream
		api.Stream = func(ctx context.Context, in []arrow.Record, key []string, order []onerow.Order, opts dedupe.Options) (*cases.Streamed, error) {
			return f(stream(ctx, in, key, order, opts))
		}
	}
}

func onReport(f func(r *grain.Report)) func(*cases.API) {
	return func(api *cases.API) {
		check := api.Check
		api.Check = func(ctx context.Context, in []arrow.Record, key []string, opts grain.Options) (*grain.Report, error) {
			r, err := check(ctx, in, key, opts)
			if r != nil {
				f(r)
			}
			return r, err
		}
	}
}

func onDiagnosis(f func(d *grain.Diagnosis)) func(*cases.API) {
	return func(api *cases.API) {
		diagnose := api.Diagnose
		api.Diagnose = func(ctx context.Context, in []arrow.Record, key []string, opts grain.DiagnoseOptions) (*grain.Diagnosis, error) {
			d, err := diagnose(ctx, in, key, opts)
			if d != nil {
				f(d)
			}
			return d, err
		}
	}
}

func onKeys(f func(r *grain.KeysReport)) func(*cases.API) {
	return func(api *cases.API) {
		keys := api.Keys
		api.Keys = func(ctx context.Context, in []arrow.Record, opts grain.KeysOptions) (*grain.KeysReport, error) {
			r, err := keys(ctx, in, opts)
			if r != nil {
				f(r)
			}
			return r, err
		}
	}
}

func onMergeConflicts(f func(r *grain.MergeReport)) func(*cases.API) {
	return func(api *cases.API) {
		merge := api.MergeConflicts
		api.MergeConflicts = func(ctx context.Context, target, source []arrow.Record, on []string, opts grain.MergeOptions) (*grain.MergeReport, error) {
			r, err := merge(ctx, target, source, on, opts)
			if r != nil {
				f(r)
			}
			return r, err
		}
	}
}

// onTaken changes the rows that Take returns.
func onTaken(f func(rows [][]any)) func(*cases.API) {
	return func(api *cases.API) {
		take := api.Take
		api.Take = func(ctx context.Context, p *dedupe.Plan, mem memory.Allocator) (arrow.Record, error) {
			rec, err := take(ctx, p, mem)
			if err != nil {
				return nil, err
			}
			defer rec.Release()
			rows := arrowtest.Bits(rec)
			f(rows)
			return arrowtest.Record(mem, rec.Schema(), rows)
		}
	}
}

var errOther = errors.New("some other error")

var lies = []lie{
	{"a winner is lost", "dedupe/greatest-wins", "lists of kept 2", onPlan(func(p *dedupe.Plan) { p.Rows = p.Rows[1:] })},
	{"a winner is lost, and counted so", "dedupe/greatest-wins", "report: kept 2", onPlan(func(p *dedupe.Plan) { p.Rows = p.Rows[1:]; p.Report.Kept--; p.Report.Superseded++ })},
	{"the loser wins", "dedupe/older-arrives-last", "rows {", onPlan(func(p *dedupe.Plan) { p.Rows[0]++ })},
	{"rows are not in order", "dedupe/greatest-wins", "ascending row numbers", onPlan(func(p *dedupe.Plan) { slices.Reverse(p.Rows) })},
	{"a row that isn't there", "dedupe/greatest-wins", "row numbers below 3", onPlan(func(p *dedupe.Plan) { p.Rows[1] += 100 })},
	{"a row in two lists", "dedupe/null-keys-set-aside", "row in one list only", onPlan(func(p *dedupe.Plan) { p.SetAside[0] = p.Rows[0] })},
	{"set aside is lost", "dedupe/null-keys-set-aside", "lists of kept 1, set_aside 3", onPlan(func(p *dedupe.Plan) { p.SetAside = nil })},
	{"set aside is counted as superseded", "dedupe/null-keys-set-aside", "set aside {", onPlan(func(p *dedupe.Plan) {
		p.Report.Superseded += p.Report.SetAside
		p.SetAside, p.Report.SetAside = nil, 0
	})},
	{"kept is counted wrong", "dedupe/greatest-wins", "in 3 = kept", onPlan(func(p *dedupe.Plan) { p.Report.Kept++ })},
	{"a duplicate is counted as superseded", "dedupe/delivered-twice", "report: duplicates 3", onPlan(func(p *dedupe.Plan) { p.Report.Duplicates--; p.Report.Superseded++ })},
	{"in is counted wrong", "dedupe/same-instant-other-offset", "in 3 = kept", onPlan(func(p *dedupe.Plan) { p.Report.In++; p.Report.Kept++ })},
	{"a count is negative", "dedupe/same-instant-other-offset", "without negative counts", onPlan(func(p *dedupe.Plan) { p.Report.Filled = -1 })},
	{"deletes are not counted", "dedupe/upsert-older-than-its-delete", "report: deletes 1", onPlan(func(p *dedupe.Plan) { p.Report.Deletes = 0 })},
	{"two winners for -0 and 0", "dedupe/zero-and-minus-zero", "one winner for each key", onPlan(func(p *dedupe.Plan) {
		if p.Rows[0] > 0 {
			p.Rows = append(onerow.Rows{0}, p.Rows...)
		}
		p.Report.Kept, p.Report.Superseded = int64(len(p.Rows)), p.Report.In-int64(len(p.Rows))
	})},
	{"an error for nothing", "dedupe/greatest-wins", "want no error", onLatest(func(*dedupe.Plan, error, []arrow.Record) (*dedupe.Plan, error) { return nil, errOther })},
	{"no plan", "dedupe/greatest-wins", "want a plan", onLatest(func(*dedupe.Plan, error, []arrow.Record) (*dedupe.Plan, error) { return nil, nil })},
	{"a panic", "dedupe/greatest-wins", "want no panic", onLatest(func(*dedupe.Plan, error, []arrow.Record) (*dedupe.Plan, error) { panic("index out of range") })},
	{"no error", "dedupe/null-key-refused", "got no error", onLatest(func(*dedupe.Plan, error, []arrow.Record) (*dedupe.Plan, error) { return &dedupe.Plan{}, nil })},
	{"another error", "dedupe/null-key-refused", "got error: NULL in order", onLatest(func(*dedupe.Plan, error, []arrow.Record) (*dedupe.Plan, error) {
		return nil, fmt.Errorf("%w: id in 2 rows", onerow.ErrNullOrder)
	})},
	{"an error that says nothing", "dedupe/null-key-refused", "mentions \"id\"", onLatest(func(*dedupe.Plan, error, []arrow.Record) (*dedupe.Plan, error) { return nil, onerow.ErrNullKey })},
	{"wrong from the second batch on", "dedupe/greatest-wins", "[cut 1]", onLatest(func(p *dedupe.Plan, err error, in []arrow.Record) (*dedupe.Plan, error) {
		if len(in) > 1 && in[0].NumRows() > 0 {
			return nil, errOther
		}
		return p, err
	})},
	{"wrong after an empty batch", "dedupe/greatest-wins", "empty between]", onLatest(func(p *dedupe.Plan, err error, in []arrow.Record) (*dedupe.Plan, error) {
		if in[0].NumRows() == 0 {
			return nil, errOther
		}
		return p, err
	})},
	{"wrong for slices", "dedupe/greatest-wins", "sliced at 3]", onLatest(func(p *dedupe.Plan, err error, in []arrow.Record) (*dedupe.Plan, error) {
		if in[0].Column(0).Data().Offset() > 0 {
			return nil, errOther
		}
		return p, err
	})},
	{"wrong for dictionaries", "dedupe/greatest-wins", "[dict int8]", onLatest(func(p *dedupe.Plan, err error, in []arrow.Record) (*dedupe.Plan, error) {
		if _, ok := in[0].Column(0).(*array.Dictionary); ok {
			return nil, errOther
		}
		return p, err
	})},
	{"wrong for run ends", "dedupe/greatest-wins", "[run-end int16]", onLatest(func(p *dedupe.Plan, err error, in []arrow.Record) (*dedupe.Plan, error) {
		if _, ok := in[0].Column(0).(*array.RunEndEncoded); ok {
			return nil, errOther
		}
		return p, err
	})},
	{"wrong for shuffled rows", "dedupe/greatest-wins", "[shuffled", onLatest(func(p *dedupe.Plan, err error, in []arrow.Record) (*dedupe.Plan, error) {
		if fmt.Sprint(arrowtest.All(in)[0][0]) != "1" {
			return nil, errOther
		}
		return p, err
	})},
	{"a winner of a stream is lost", "dedupe/greatest-wins", "rows of a stream", onStream(func(s *cases.Streamed, err error) (*cases.Streamed, error) {
		s.Rows = s.Rows[1:]
		return s, err
	})},
	{"a row that a stream sets aside is lost", "dedupe/null-keys-set-aside", "set aside of a stream", onStream(func(s *cases.Streamed, err error) (*cases.Streamed, error) {
		s.SetAside = s.SetAside[1:]
		return s, err
	})},
	{"a stream counts wrong", "dedupe/delivered-twice", "report: duplicates 3", onStream(func(s *cases.Streamed, err error) (*cases.Streamed, error) {
		s.Report.Duplicates--
		return s, err
	})},
	{"a stream that is refused for nothing", "dedupe/greatest-wins", "want no error", onStream(func(*cases.Streamed, error) (*cases.Streamed, error) { return nil, errOther })},
	{"a stream that isn't refused", "dedupe/null-key-refused", "got no error", onStream(func(*cases.Streamed, error) (*cases.Streamed, error) { return &cases.Streamed{}, nil })},
	{"no stream", "dedupe/greatest-wins", "want a stream", onStream(func(*cases.Streamed, error) (*cases.Streamed, error) { return nil, nil })},
	{"-0 goes out as 0", "dedupe/zero-and-minus-zero", "taken as it is", onTaken(func(rows [][]any) { rows[0][0] = arrowtest.Key(rows[0][0]) })},
	{"a NaN loses its bits", "dedupe/nan-is-one-key", "taken as it is", onTaken(func(rows [][]any) {
		for _, r := range rows {
			if f, ok := r[0].(arrowtest.Float); ok && f.IsNaN() {
				r[0] = arrowtest.FloatOf(math.Float64frombits(0x7FF8000000000005))
			}
		}
	})},
	{"rows are taken in another order", "dedupe/greatest-wins", "taken as it is", onTaken(slices.Reverse[[][]any])},
	{"a value is taken from another row", "dedupe/null-in-the-winner-stays", "taken as it is", onTaken(func(rows [][]any) { rows[0][2] = "x" })},
	{"a filled value isn't", "dedupe/placeholder-filled-from-older-row", "rows {", onTaken(func(rows [][]any) { rows[0][2] = "__unavailable" })},
	{"a value beside the filled one changes", "dedupe/placeholder-filled-from-older-row", "taken as it is", onTaken(func(rows [][]any) { rows[0][3] = "x" })},
	{"rows can't be taken", "dedupe/greatest-wins", "want rows taken", func(api *cases.API) {
		api.Take = func(context.Context, *dedupe.Plan, memory.Allocator) (arrow.Record, error) { return nil, errOther }
	}},
	{"the rows taken have another schema", "dedupe/greatest-wins", "want schema", func(api *cases.API) {
		take := api.Take
		api.Take = func(ctx context.Context, p *dedupe.Plan, mem memory.Allocator) (arrow.Record, error) {
			rec, err := take(ctx, p, mem)
			if err != nil {
				return nil, err
			}
			defer rec.Release()
			fields := slices.Clone(rec.Schema().Fields())
			fields[0].Nullable = false
			return array.NewRecord(arrow.NewSchema(fields, nil), rec.Columns(), rec.NumRows()), nil
		}
	}},
	{"something leaks", "dedupe/greatest-wins", "64 bytes leaked", func(api *cases.API) {
		take := api.Take
		api.Take = func(ctx context.Context, p *dedupe.Plan, mem memory.Allocator) (arrow.Record, error) {
			mem.Allocate(64)
			return take(ctx, p, mem)
		}
	}},
	{"a batch is kept", "dedupe/greatest-wins", "all tables released", onLatest(func(p *dedupe.Plan, err error, in []arrow.Record) (*dedupe.Plan, error) {
		in[0].Retain()
		return p, err
	})},

	{"keys are counted wrong", "grain/counts", "rows 5 = keys", onReport(func(r *grain.Report) { r.Keys++ })},
	{"rows are counted wrong", "grain/counts", "rows 5 = keys", onReport(func(r *grain.Report) { r.Rows++; r.Keys++ })},
	{"duplicates are counted wrong", "grain/counts", "report: duplicate_keys 2", onReport(func(r *grain.Report) { r.DuplicateKeys-- })},
	{"copies are counted wrong", "grain/counts", "report: max_copies 3", onReport(func(r *grain.Report) { r.MaxCopies-- })},
	{"null keys are not counted", "grain/null-equal", "report: null_key_rows 2", onReport(func(r *grain.Report) { r.NullKeyRows = 0 })},
	{"no worst keys", "grain/counts", "2 worst keys", onReport(func(r *grain.Report) { r.Worst = nil })},
	{"a worst key that doesn't repeat", "grain/all-unique", "0 worst keys", onReport(func(r *grain.Report) {
		r.Worst = []onerow.KeyRows{{Values: []string{"3"}, Count: 2, Rows: onerow.Rows{0}}}
	})},
	{"another key is the worst", "grain/counts", "worst [(7) 3 times", onReport(func(r *grain.Report) {
		r.Worst[0].Rows, r.Worst[0].Count, r.Worst[1].Rows = onerow.Rows{1, 3}, 3, onerow.Rows{0, 2}
	})},
	{"the worst key isn't first", "grain/counts", "worst keys first", onReport(func(r *grain.Report) { slices.Reverse(r.Worst) })},
	{"a worst key has the rows of another", "grain/counts", "worst keys that repeat", onReport(func(r *grain.Report) { r.Worst[0].Rows, r.Worst[1].Rows = r.Worst[1].Rows, r.Worst[0].Rows })},
	{"rows of a worst key are of two keys", "grain/counts", "ascending rows of one key", onReport(func(r *grain.Report) { r.Worst[0].Rows = onerow.Rows{0, 1} })},
	{"a worst key without rows", "grain/counts", "worst keys that repeat", onReport(func(r *grain.Report) { r.Worst[0].Rows = nil })},
	{"a cause is missed", "grain/why-mixed", "causes ", onDiagnosis(func(d *grain.Diagnosis) { d.Causes = d.Causes[1:] })},
	{"another cause", "grain/why-copies", "exact_copies", onDiagnosis(func(d *grain.Diagnosis) { d.Causes[0].Cause = grain.Conflict })},
	{"a column too many", "grain/why-retry", "retries", onDiagnosis(func(d *grain.Diagnosis) { d.Causes[0].Columns = []string{"loaded", "v"} })},
	{"a key too many", "grain/why-copies", "one cause for each key", onDiagnosis(func(d *grain.Diagnosis) { d.DuplicateKeys++ })},
	{"no remedy", "grain/why-copies", "a remedy", onDiagnosis(func(d *grain.Diagnosis) { d.Causes[0].Remedy = "" })},
	{"no samples", "grain/why-copies", "samples of 1 keys", onDiagnosis(func(d *grain.Diagnosis) { d.Causes[0].Samples = nil })},
	{"rows of another key", "grain/why-copies", "rows of one key", onDiagnosis(func(d *grain.Diagnosis) { d.Causes[0].Samples[0].Rows = onerow.Rows{0, 2} })},
	{"spellings that are one", "grain/why-copies", "several of one form", onDiagnosis(func(d *grain.Diagnosis) { d.Causes[0].Cause = grain.TextForm })},
	{"a key that isn't minimal", "grain/keys-one-column", "keys [[id]]", onKeys(func(r *grain.KeysReport) { r.Keys = append(r.Keys, []string{"id", "v"}) })},
	{"a key is missed", "grain/keys-alternatives", "keys [[id] [site code]]", onKeys(func(r *grain.KeysReport) { r.Keys = r.Keys[:1] })},
	{"a conflict is missed", "grain/merge-two-hits", "1 conflicts", onMergeConflicts(func(r *grain.MergeReport) { r.Conflicts, r.WorstConflicts = 0, nil })},
	{"a row is inserted once more", "grain/merge-new-key-twice", "1 unmatched duplicates", onMergeConflicts(func(r *grain.MergeReport) {
		r.UnmatchedDuplicates++
		r.WorstDuplicates[0].Count++
	})},
	{"a conflict without rows", "grain/merge-two-hits", "with values and rows", onMergeConflicts(func(r *grain.MergeReport) { r.WorstConflicts[0].Source = nil })},
	{"source rows that neither match nor don't", "grain/merge-clean", "add up", onMergeConflicts(func(r *grain.MergeReport) { r.MatchedRows-- })},
	{"a worst key without values", "grain/counts", "worst keys that repeat", onReport(func(r *grain.Report) { r.Worst[0].Values = nil })},

	{"never equal", "keys/int32-int64", "equal true", onPlan(func(p *dedupe.Plan) { p.Rows, p.Stale, p.Report = onerow.Rows{0}, nil, dedupe.Report{In: 1, Kept: 1} })},
	{"always equal", "keys/decimal-sign", "equal false", onPlan(func(p *dedupe.Plan) {
		p.Rows, p.Stale, p.Report = nil, onerow.Rows{0}, dedupe.Report{In: 1, Stale: 1, Replays: 1}
	})},
	{"equal, but not in content", "keys/int32-int64", "replays 0", onPlan(func(p *dedupe.Plan) { p.Report.Replays = 0 })},
	{"no error for two families", "keys/int-float", "error type", onLatest(func(*dedupe.Plan, error, []arrow.Record) (*dedupe.Plan, error) {
		return &dedupe.Plan{Rows: onerow.Rows{0}, Report: dedupe.Report{In: 1, Kept: 1}}, nil
	})},
	{"equal in one direction", "keys/int32-int64", "[right", onLatest(func(p *dedupe.Plan, err error, in []arrow.Record) (*dedupe.Plan, error) {
		if in[0].Column(0).DataType().ID() == arrow.INT64 {
			return &dedupe.Plan{Rows: onerow.Rows{0}, Report: dedupe.Report{In: 1, Kept: 1}}, nil
		}
		return p, err
	})},
	{"not equal in one table", "keys/float-zero-signs", "[left, right: as given] want equal true", onPlan(func(p *dedupe.Plan) {
		if p.Report.In == 2 {
			p.Rows, p.Report = onerow.Rows{0, 1}, dedupe.Report{In: 2, Kept: 2}
		}
	})},
	{"not equal for grain", "keys/float-zero-signs", "keys 2", onReport(func(r *grain.Report) {
		r.Keys, r.DuplicateKeys, r.DuplicateRows, r.MaxCopies, r.Worst = 2, 0, 0, 1, nil
	})},
	{"equal for grain", "keys/letter-case", "equal false; got keys 1", onReport(func(r *grain.Report) { r.Keys, r.DuplicateKeys, r.DuplicateRows, r.MaxCopies = 1, 1, 1, 2 })},
}

// A library that answers wrongly fails the case that asks.
func TestWrongAnswersFail(t *testing.T) { noticed(t, lies) }

// noticed checks that each lie is noticed.
func noticed(t *testing.T, lies []lie) {
	t.Helper()
	byID := make(map[string]cases.Case)
	for _, c := range load(t) {
		byID[c.ID] = c
	}
	for _, l := range lies {
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
