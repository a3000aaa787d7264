package dedupe_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
)

// TestLatestProperties runs the properties of Latest on random tables.
func TestLatestProperties(t *testing.T) { checkProperties(t) }

// TestLatestUnderOneHash runs them again while every hash is the same: a hash may only ever reject.
func TestLatestUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	checkProperties(t)
	t.Run("larger", largerTables)
}

func checkProperties(t *testing.T) {
	for _, p := range properties {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { p.holds(newLab(t, drawn{t})) })
		})
	}
}

// TestLatestLarger compares calls on tables of some hundreds of rows with the oracle.
func TestLatestLarger(t *testing.T) { largerTables(t) }

func largerTables(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			l := newLab(t, random{rand.New(rand.NewPCG(seed, 0))})
			may := everything
			may.maxRows, may.keys, may.refusals = 600, 64, seed%8 == 0
			b := l.scenario(may)
			l.agree(l.cut(b.batches), b)
		})
	}
}

// TestCarryFromCopies: of copies that differ in bits the greatest by content gives its value, whichever came first.
func TestCarryFromCopies(t *testing.T) {
	below := map[string]any{"f": "-0"}
	for name, docs := range map[string][]any{"lower first": {below, 0.0}, "lower last": {0.0, below}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &spent{})
			b := built{scenario: &scenario{key: []string{"k"}, order: []onerow.Order{onerow.Desc("seq")}}}
			b.opts.Fill = []dedupe.Fill{{Column: "doc", Unavailable: 0.5}}
			b.batch = grid{columns: []string{"k:int8", "seq:int8", "doc:float64"}, rows: [][]any{{1, 1, docs[0]}, {1, 1, docs[1]}, {1, 2, 0.5}}}
			b.batches = l.build(b.batch)
			l.agree(b.batches, b)
		})
	}
}

// TestLatestManyKeys compares calls on tables of thousands of keys with the oracle.
func TestLatestManyKeys(t *testing.T) {
	for seed, key := range [][]string{{"k:int64"}, {"k:int32", "l:int16"}, {"k:string"}, {"k:uint8", "l:string", "m:float64"}, {"k:dict<int32,string>"}} {
		t.Run(strings.Join(key, ","), func(t *testing.T) {
			l := newLab(t, random{rand.New(rand.NewPCG(uint64(seed), 1))})
			b := l.manyKeys(key, 4000)
			l.agree(l.cut(b.batches), b)
			b.opts.Against = l.onePerKey(b, []arrow.Record{l.slice(b.batches[0], 0, len(b.batch.rows)/3)})
			l.agree(b.batches, b)
		})
	}
}

// TestLatestCollidingDigests does so by keys that are texts too long to be words, while all have one digest: what was taken for equal proves to
// differ. The calls go by winners alone, and by all events of a key.
func TestLatestCollidingDigests(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	for seed, key := range [][]string{{"k:string"}, {"k:string", "l:int64"}} {
		t.Run(strings.Join(key, ","), func(t *testing.T) {
			l := newLab(t, random{rand.New(rand.NewPCG(uint64(seed), 2))})
			b := l.manyKeys(key, 60)
			l.agree(l.cut(b.batches), b)
			b.opts.Fill = nil
			for _, b.opts.Ties = range []dedupe.Ties{dedupe.TiesByContent, dedupe.LastTied, dedupe.SetAsideTies} {
				l.agree(b.batches, b)
			}
			b.opts.Against = l.onePerKey(b, []arrow.Record{l.slice(b.batches[0], 0, len(b.batch.rows)/3)})
			l.agree(b.batches, b)
		})
	}
}

// manyKeys makes a call on 12000 rows with so many keys, which go by the columns given.
func (l *lab) manyKeys(columns []string, keys int) built {
	s := &scenario{order: []onerow.Order{onerow.Desc("seq")}, opts: dedupe.Options{Ties: dedupe.TiesByContent,
		Op: dedupe.Op{Column: "op", Delete: []onerow.Value{1}}, Fill: []dedupe.Fill{{Column: "doc", Unavailable: 0}}}}
	s.batch.columns = append(slices.Clone(columns), "seq:int16", "op:int8", "doc:int32")
	for _, c := range columns {
		s.key = append(s.key, c[:1])
	}
	for range 12000 {
		n, seq := l.src.Choose("key", keys), l.src.Choose("seq", 6)
		row := []any{n, n % 3, n % 7}[:len(columns)]
		for i, c := range columns {
			switch {
			case strings.Contains(c, "string"):
				row[i] = fmt.Sprintf("a text that starts alike %d", n)
			case strings.Contains(c, "uint8"):
				row[i] = n % 200
			}
		}
		s.batch.rows = append(s.batch.rows, append(row, seq, l.src.Choose("op", 8)/7, l.src.Choose("doc", 3)))
	}
	return built{scenario: s, batches: l.build(s.batch), opts: s.opts}
}

var properties = []struct {
	name  string
	holds func(l *lab)
}{
	{"oracle", agreesWithOracle},
	{"forms", sameForAllForms},
	{"permutation", sameForAllOrders},
	{"idempotence", keepsWhatItKept},
	{"replay", keepsNothingTwice},
	{"batches", sameInTwoCalls},
	{"odd types", agreesOnOddTypes},
	{"faults", namesTheFault},
}

// lab is what one trial of a property works with. What it makes is released when the trial ends.
type lab struct {
	t     arrowtest.TB
	src   oracle.Source
	alloc *memory.CheckedAllocator
}

func newLab(t arrowtest.TB, src oracle.Source) *lab {
	return &lab{t: t, src: src, alloc: arrowtest.Allocator(t)}
}

// own takes over a record that this trial made.
func (l *lab) own(r arrow.Record) arrow.Record {
	l.t.Cleanup(r.Release)
	return r
}

func (l *lab) slice(r arrow.Record, from, to int) arrow.Record {
	return l.own(r.NewSlice(int64(from), int64(to)))
}

// build makes the record of a table; without columns there is none.
func (l *lab) build(t grid) []arrow.Record {
	l.t.Helper()
	if len(t.columns) == 0 {
		return nil
	}
	return arrowtest.Table(l.t, l.alloc, t.columns, t.rows)
}

// cut cuts batches at random places, here and there with an empty one between.
func (l *lab) cut(batches []arrow.Record) []arrow.Record {
	var out []arrow.Record
	for _, b := range batches {
		from, n := 0, int(b.NumRows())
		for from < n {
			to := from + 1 + l.src.Choose("cut", n-from)
			out = append(out, l.slice(b, from, to))
			if from = to; l.src.Choose("empty batch", 4) == 3 {
				out = append(out, l.slice(b, to, to))
			}
		}
		if n == 0 {
			out = append(out, b)
		}
	}
	return out
}

// built is a scenario as records.
type built struct {
	*scenario
	batches []arrow.Record
	opts    dedupe.Options
}

func (l *lab) scenario(may limits) built {
	s := generate(l.src, may)
	b := built{scenario: s, batches: l.build(s.batch), opts: s.opts}
	b.opts.Against = l.onePerKey(b, l.build(s.target))
	return b
}

// onePerKey leaves the row of each key that the target should hold.
func (l *lab) onePerKey(b built, target []arrow.Record) []arrow.Record {
	if len(target) == 0 {
		return nil
	}
	opts := dedupe.Options{NullKey: onerow.EqualNullKeys, Ties: dedupe.TiesByContent}
	if slices.ContainsFunc(target[0].Schema().Fields(), func(f arrow.Field) bool { return f.Name == "op" }) {
		opts.Op = b.opts.Op
		opts.Op.PreviousKey = nil
	}
	var order []onerow.Order
	for _, o := range b.order {
		if o.Nulls == onerow.RejectNulls {
			o.Nulls = onerow.NullsAreLowest
		}
		order = append(order, o)
	}
	want, err := oracle.Latest(target, b.key, order, opts)
	if err != nil {
		return target
	}
	if len(want.Rows) == 0 {
		return []arrow.Record{l.slice(target[0], 0, 0)}
	}
	var rows []arrow.Record
	for _, r := range want.Rows {
		rows = append(rows, l.slice(target[0], int(r), int(r)+1))
	}
	return rows
}

// latest calls Latest, and checks what must hold of any plan.
func (l *lab) latest(batches []arrow.Record, b built) (*dedupe.Plan, error) {
	l.t.Helper()
	opts := b.opts
	opts.Resources = onerow.Resources{Workers: 1 + l.src.Choose("workers", 4), Allocator: l.alloc}
	p, err := dedupe.Latest(context.Background(), batches, b.key, b.order, opts)
	if err == nil {
		l.checkPlan(p)
	}
	return p, err
}

func (l *lab) checkPlan(p *dedupe.Plan) {
	l.t.Helper()
	r := p.Report
	if r.In != r.Kept+r.Superseded+r.Duplicates+r.SetAside+r.Stale {
		l.t.Errorf("counts don't add up: %+v", r)
	}
	seen := map[uint32]bool{}
	for name, list := range map[string]onerow.Rows{"Rows": p.Rows, "SetAside": p.SetAside, "Stale": p.Stale} {
		if !slices.IsSorted(list) {
			l.t.Errorf("%s is not in ascending order: %v", name, list)
		}
		for _, row := range list {
			if seen[row] || int64(row) >= r.In {
				l.t.Errorf("%s has row %d, which is in another list, repeated, or beyond the input", name, row)
			}
			seen[row] = true
		}
	}
	if !slices.IsSorted(p.Ended) {
		l.t.Errorf("Ended is not in ascending order: %v", p.Ended)
	}
	if int64(len(p.Rows)) != r.Kept || int64(len(p.SetAside)) != r.SetAside || int64(len(p.Stale)) != r.Stale {
		l.t.Errorf("lists and counts differ: %+v", r)
	}
}

// take takes the winners; the lab owns the record.
func (l *lab) take(p *dedupe.Plan) arrow.Record {
	l.t.Helper()
	r, err := p.Take(context.Background(), l.alloc)
	if err != nil {
		l.t.Fatalf("take: %v", err)
	}
	return l.own(r)
}

// agree compares a call with the oracle's answer, to the last bit of the values taken.
func (l *lab) agree(batches []arrow.Record, b built) {
	l.t.Helper()
	want, wantErr := oracle.Latest(b.batches, b.key, b.order, b.opts)
	got, err := l.latest(batches, b)
	if d := differ(want, wantErr, got, err); d != "" {
		l.t.Fatalf("%s\n%v", d, b)
	}
	if err != nil {
		return
	}
	if d := cmp.Diff(lines(want.Taken), lines(oracle.Rows(l.take(got)))); d != "" {
		l.t.Fatalf("values taken (-want +got):\n%s\n%v", d, b)
	}
}

var refusals = []error{onerow.ErrNoKey, onerow.ErrNoColumn, onerow.ErrType, onerow.ErrSchema, onerow.ErrNullKey, onerow.ErrNullOrder,
	onerow.ErrTie, onerow.ErrOption}

// differ says how a plan or an error differs from the oracle's.
func differ(want *oracle.Outcome, wantErr error, got *dedupe.Plan, err error) string {
	if wantErr != nil || err != nil {
		return differInError(wantErr, err)
	}
	a := describe(want.Rows, want.SetAside, want.Stale, want.Ended, want.Report)
	b := describe(got.Rows, got.SetAside, got.Stale, got.Ended, got.Report)
	if d := cmp.Diff(a, b); d != "" {
		return "plan (-want +got):\n" + d
	}
	return ""
}

func differInError(want, got error) string {
	for _, kind := range refusals {
		if errors.Is(want, kind) != errors.Is(got, kind) {
			return fmt.Sprintf("error: want %v, got %v", want, got)
		}
	}
	if want == nil || got == nil {
		return fmt.Sprintf("error: want %v, got %v", want, got)
	}
	var wantNull, gotNull *onerow.NullError
	if errors.As(want, &wantNull) && (!errors.As(got, &gotNull) || !cmp.Equal(wantNull.Columns, gotNull.Columns) || wantNull.Input != gotNull.Input) {
		return fmt.Sprintf("error: want %+v, got %+v", wantNull, gotNull)
	}
	var wantKeys, gotKeys *onerow.KeysError
	if errors.As(want, &wantKeys) {
		if !errors.As(got, &gotKeys) || wantKeys.Total != gotKeys.Total || !cmp.Equal(samples(wantKeys), samples(gotKeys)) {
			return fmt.Sprintf("error: want %+v, got %+v", wantKeys, gotKeys)
		}
	}
	return ""
}

// samples lists the rows of the keys in an error.
func samples(e *onerow.KeysError) []string {
	var out []string
	for _, k := range e.Keys {
		out = append(out, fmt.Sprint(k.Count, k.Rows))
	}
	slices.Sort(out)
	return out
}

// describe writes a plan's lists and counts.
func describe(rows, setAside, stale, ended onerow.Rows, report dedupe.Report) map[string]string {
	text := map[string]string{}
	for name, list := range map[string]onerow.Rows{"Rows": rows, "SetAside": setAside, "Stale": stale, "Ended": ended} {
		text[name] = fmt.Sprint([]uint32(list))
	}
	counts := reflect.ValueOf(report)
	for i := range counts.NumField() {
		text["Report."+counts.Type().Field(i).Name] = fmt.Sprint(counts.Field(i))
	}
	return text
}

// lines writes rows with all their bits, one a line.
func lines(rows [][]oracle.Value) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, oracle.FormatRow(r))
	}
	return out
}

// A call finds what the oracle finds.
func agreesWithOracle(l *lab) {
	b := l.scenario(everything)
	l.agree(b.batches, b)
}

// So does a call on a table with maps, unions, intervals, list views or extension types.
func agreesOnOddTypes(l *lab) {
	b := l.oddScenario()
	l.agree(b.batches, b)
	l.agree(l.cut(b.batches), b)
}

// A call that is wrong in one place is refused for it, and for nothing else.
func namesTheFault(l *lab) {
	b := l.scenario(limits{target: true, previous: true, arrival: true, setAside: true, maxRows: 4})
	what, kind := l.spoil(&b)
	p, err := l.latest(b.batches, b)
	if p != nil {
		l.t.Fatalf("%s: a plan beside the error %v\n%v", what, err, b)
	}
	for _, k := range refusals {
		if errors.Is(err, k) != (k == kind) {
			l.t.Fatalf("%s: got %v, want %v\n%v", what, err, kind, b)
		}
	}
	if _, err := oracle.Latest(b.batches, b.key, b.order, b.opts); !errors.Is(err, kind) {
		l.t.Fatalf("%s: the oracle says %v, want %v\n%v", what, err, kind, b)
	}
}

// Cuts, encodings, offsets and workers change nothing.
func sameForAllForms(l *lab) {
	b := l.scenario(everything)
	l.agree(l.cut(b.batches), b)
	forms := l.forms(b.batches, b)
	for range 4 {
		l.agree(forms[l.src.Choose("form", len(forms))].Batches, b)
	}
	if len(b.opts.Against) > 0 {
		forms := l.forms(b.opts.Against, b)
		b.opts.Against = forms[l.src.Choose("form of the target", len(forms))].Batches
		l.agree(b.batches, b)
	}
}

// forms makes the forms of batches. With a target, the columns to fill keep their type: it must be the target's.
func (l *lab) forms(batches []arrow.Record, b built) arrowtest.VariantList {
	var columns []string
	for _, f := range batches[0].Schema().Fields() {
		if len(b.opts.Against) == 0 || !strings.HasPrefix(f.Name, "fill") {
			columns = append(columns, f.Name)
		}
	}
	forms := arrowtest.Variants(l.alloc, batches, columns...)
	l.t.Cleanup(forms.Release)
	return forms
}

// Without policies that depend on arrival, the order of the rows changes nothing.
func sameForAllOrders(l *lab) {
	b := l.scenario(limits{target: true, previous: true, refusals: true, setAside: true, maxRows: 12})
	p, err := l.latest(b.batches, b)
	shuffled := b
	var rows []arrow.Record
	for n := len(b.batch.rows); n > 0; n-- {
		rows = slices.Insert(rows, l.src.Choose("place", len(rows)+1), l.slice(b.batches[0], n-1, n))
	}
	if len(rows) > 0 {
		shuffled.batches = rows
	}
	q, shuffledErr := l.latest(shuffled.batches, shuffled)
	if err != nil || shuffledErr != nil {
		for _, kind := range refusals {
			if errors.Is(err, kind) != errors.Is(shuffledErr, kind) {
				l.t.Fatalf("refused with %v, and with other rows first with %v\n%v", err, shuffledErr, b)
			}
		}
		return
	}
	if p.Report != q.Report {
		l.t.Fatalf("counts depend on the order of the rows: %s\n%v", cmp.Diff(p.Report, q.Report), b)
	}
	if d := cmp.Diff(sorted(lines(oracle.Rows(l.take(p)))), sorted(lines(oracle.Rows(l.take(q))))); d != "" {
		l.t.Fatalf("winners depend on the order of the rows: %s\n%v", d, b)
	}
	before, after := oracle.Rows(b.batches...), oracle.Rows(shuffled.batches...)
	for _, lists := range [][2]onerow.Rows{{p.SetAside, q.SetAside}, {p.Stale, q.Stale}} {
		if d := cmp.Diff(sorted(lines(pickRows(before, lists[0]))), sorted(lines(pickRows(after, lists[1])))); d != "" {
			l.t.Fatalf("lists depend on the order of the rows: %s\n%v", d, b)
		}
	}
}

func sorted(s []string) []string { slices.Sort(s); return s }

func pickRows(rows [][]oracle.Value, numbers onerow.Rows) (picked [][]oracle.Value) {
	for _, n := range numbers {
		picked = append(picked, rows[n])
	}
	return picked
}

// Winners are their own winners.
func keepsWhatItKept(l *lab) {
	b := l.scenario(limits{previous: true, arrival: true, setAside: true, maxRows: 12})
	p, err := l.latest(b.batches, b)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, b)
	}
	once := l.take(p)
	q, err := l.latest([]arrow.Record{once}, b)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, b)
	}
	if q.Report.Kept != once.NumRows() || q.Report.In != once.NumRows() || q.Report.Filled != 0 || q.Report.Unfilled != p.Report.Unfilled {
		l.t.Fatalf("of %d winners: %+v\n%v", once.NumRows(), q.Report, b)
	}
	if d := cmp.Diff(lines(oracle.Rows(once)), lines(oracle.Rows(l.take(q)))); d != "" {
		l.t.Fatalf("taken twice (-once +twice): %s\n%v", d, b)
	}
}

// A batch that was applied and comes again is stale.
func keepsNothingTwice(l *lab) {
	b := l.scenario(limits{previous: l.src.Choose("previous keys", 2) == 1, arrival: true, maxRows: 12})
	p, err := l.latest(b.batches, b)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, b)
	}
	b.opts.Against = []arrow.Record{l.take(p)}
	q, err := l.latest(b.batches, b)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, b)
	}
	if q.Report.Kept != 0 || len(b.opts.Op.PreviousKey) == 0 && q.Report.Stale != q.Report.In {
		l.t.Fatalf("again: %+v\n%v", q.Report, b)
	}
}

// A table that comes in two calls, the second against the outcome of the first, ends like one that comes in one call.
func sameInTwoCalls(l *lab) {
	b := l.scenario(limits{maxRows: 12})
	b.opts.Fill = nil
	whole, err := l.latest(b.batches, b)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, b)
	}
	at := l.src.Choose("second call from", len(b.batch.rows)+1)
	first, err := l.latest([]arrow.Record{l.slice(b.batches[0], 0, at)}, b)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, b)
	}
	state := l.take(first)
	b.opts.Against = []arrow.Record{state}
	second, err := l.latest([]arrow.Record{l.slice(b.batches[0], at, len(b.batch.rows))}, b)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, b)
	}
	merged := map[string]string{}
	for _, rec := range []arrow.Record{state, l.take(second)} {
		for key, text := range l.contents(rec, b) {
			merged[key] = text
		}
	}
	if d := cmp.Diff(l.contents(l.take(whole), b), merged); d != "" {
		l.t.Fatalf("in one call (-), in two (+): %s\n%v", d, b)
	}
}

// contents maps the keys of rows to what they say: for deletes, that they are gone.
func (l *lab) contents(rec arrow.Record, b built) map[string]string {
	gone, err := oracle.Deleted([]arrow.Record{rec}, b.opts.Op)
	if err != nil {
		l.t.Fatalf("%v", err)
	}
	out := map[string]string{}
	for i, row := range oracle.Rows(rec) {
		var key []oracle.Value
		for _, name := range b.key {
			key = append(key, row[rec.Schema().FieldIndices(name)[0]])
		}
		text := oracle.Canonical(row)
		if gone[i] {
			text = "gone"
		}
		out[oracle.Canonical(key)] = text
	}
	return out
}
