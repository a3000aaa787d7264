package cases

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// RangeJoinAPI is called by cases of join.asof and join.between.
type RangeJoinAPI struct {
	AsOf    func(context.Context, join.Facts, join.Versions, join.RangeOptions) (*join.Matches, error)
	Between func(context.Context, join.Facts, join.Versions, join.RangeOptions) (*join.RangeSize, error)
	// Versions makes the right side of the left join.
	Versions func(context.Context, *join.Matches, memory.Allocator) (arrow.Record, error)
}

var publicRangeJoin = RangeJoinAPI{
	AsOf: join.AsOf, Between: join.Between,
	Versions: func(ctx context.Context, m *join.Matches, mem memory.Allocator) (arrow.Record, error) {
		return m.Versions(ctx, mem)
	},
}

// asOf is a case of join.asof, or of join.between.
type asOf struct {
	factSpec, versionSpec arrowtest.Spec
	shuffle, sizes        bool
	facts                 join.Facts    // without Batches
	versions              join.Versions // without Batches
	nulls                 join.Nulls
	want                  asOfWant
}

type asOfWant struct {
	wantError
	Match  *[]int64                `json:"match"`
	Status *[]join.Status          `json:"status"`
	Rows   map[string]*json.Number `json:"rows"`
}

func newAsOf(c Case) (test, error)    { return newRangeJoin(c, false) }
func newBetween(c Case) (test, error) { return newRangeJoin(c, true) }

func newRangeJoin(c Case, sizes bool) (test, error) {
	if err := c.inputs("facts", "versions"); err != nil {
		return nil, err
	}
	k := &asOf{factSpec: c.Input["facts"], versionSpec: c.Input["versions"], shuffle: !c.OrderMatters, sizes: sizes}
	if err := k.readOptions(c); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if err := strict(c.Want, &k.want); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	if err := k.checkWant(); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	return k, nil
}

func (k *asOf) checkWant() error {
	w := &k.want
	if sizes := w.Rows != nil; sizes && !k.sizes || (w.Match != nil || w.Status != nil) && k.sizes {
		return fmt.Errorf("another call answers that")
	}
	for name := range w.Rows {
		if name != "inner" && name != "left" {
			return fmt.Errorf("rows: no join is named %q", name)
		}
	}
	n := len(k.factSpec.Rows)
	for _, b := range k.factSpec.Batches {
		n += len(b)
	}
	if w.Match != nil && len(*w.Match) != n || w.Status != nil && len(*w.Status) != n {
		return fmt.Errorf("one answer for each of %d facts", n)
	}
	return w.check(w.Match != nil || w.Status != nil || w.Rows != nil)
}

func (k *asOf) readOptions(c Case) error {
	var o struct {
		Key       *[]string `json:"key"`
		At        string    `json:"at"`
		ValidFrom string    `json:"valid_from"`
		ValidTo   string    `json:"valid_to"`
		OpenEnd   any       `json:"open_end"`
		Bounds    string    `json:"bounds"`
		Nulls     string    `json:"nulls"`
	}
	if err := strict(c.Options, &o); err != nil {
		return err
	}
	if o.Key == nil {
		return fmt.Errorf("no key, not even an empty one")
	}
	k.facts = join.Facts{Key: *o.Key, At: o.At}
	k.versions = join.Versions{ValidFrom: o.ValidFrom, ValidTo: o.ValidTo}
	schema, err := arrowtest.Schema(k.versionSpec.Columns)
	if err != nil {
		return err
	}
	if o.OpenEnd != nil {
		if k.versions.OpenEnd, err = timeOption(schema, o.ValidTo, o.OpenEnd); err != nil {
			return err
		}
	}
	if k.versions.Bounds, err = choose("bounds", o.Bounds, map[string]join.Bounds{"[)": join.HalfOpen, "[]": join.Closed}); err != nil {
		return err
	}
	k.nulls, err = choose("nulls", o.Nulls, map[string]join.Nulls{"never": join.NullsNever, "equal": join.NullsEqual})
	return err
}

// run makes the call over all forms of each side beside the other as given, and of both at once.
func (k *asOf) run(r *runner) {
	facts, err := k.factSpec.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(facts)
	versions, err := k.versionSpec.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(versions)
	want := k.answers(arrowtest.All(facts), arrowtest.All(versions))
	one := func(factName, versionName string, facts, versions []arrow.Record) {
		r.variant = fmt.Sprintf("facts %s, versions %s", factName, versionName)
		r.call(func(mem memory.Allocator, res onerow.Resources) { k.call(r, want, facts, versions, mem, res) })
	}
	fs, vs := k.allForms(r, facts), k.allForms(r, versions)
	defer fs.Release()
	defer vs.Release()
	for i := range max(len(fs), len(vs)) {
		f, v := fs[i%len(fs)], vs[i%len(vs)]
		one(f.Name, "as given", f.Batches, versions)
		one("as given", v.Name, facts, v.Batches)
		one(f.Name, v.Name, f.Batches, v.Batches)
	}
}

func (k *asOf) allForms(r *runner, table []arrow.Record) arrowtest.VariantList {
	list := arrowtest.Variants(r.mem, table)
	for seed := range uint64(seeds) {
		if k.shuffle {
			list = append(list, arrowtest.Shuffled(r.mem, table, seed))
		}
	}
	return list
}

// answer is what is said of a fact, with rows as text: their numbers depend on the form.
type answer struct{ fact, status, version string }

func (a answer) String() string {
	if a.version == "" {
		return fmt.Sprintf("%s %s", a.fact, a.status)
	}
	return fmt.Sprintf("%s %s %s", a.fact, a.status, a.version)
}

// answers is what the case wants for each fact, as far as it does.
func (k *asOf) answers(facts, versions [][]any) []answer {
	var out []answer
	for i, row := range facts {
		a := answer{fact: arrowtest.FormatRow(row)}
		if k.want.Status != nil {
			a.status = (*k.want.Status)[i].String()
		}
		if k.want.Match != nil {
			if a.version = "none"; (*k.want.Match)[i] >= 0 {
				a.version = arrowtest.FormatRow(versions[(*k.want.Match)[i]])
			}
		}
		out = append(out, a)
	}
	sortAnswers(out)
	return out
}

func sortAnswers(list []answer) {
	slices.SortFunc(list, func(a, b answer) int {
		return cmp.Or(cmp.Compare(a.fact, b.fact), cmp.Compare(a.status, b.status), cmp.Compare(a.version, b.version))
	})
}

func (k *asOf) call(r *runner, want []answer, facts, versions []arrow.Record, mem memory.Allocator, res onerow.Resources) {
	f, v, opts := k.facts, k.versions, join.RangeOptions{Nulls: k.nulls, Resources: res}
	f.Batches, v.Batches = facts, versions
	if k.sizes {
		k.size(r, f, v, opts)
		return
	}
	m, err := r.api.RangeJoin.AsOf(context.Background(), f, v, opts)
	if r.settled(k.want.wantError, err) {
		return
	}
	factRows, versionRows := arrowtest.All(facts), arrowtest.All(versions)
	if !r.matches(m, factRows, versionRows) {
		return
	}
	var got []answer
	for i, row := range factRows {
		a := answer{fact: arrowtest.FormatRow(row)}
		if k.want.Status != nil {
			a.status = m.Status[i].String()
		}
		if k.want.Match != nil {
			if a.version = "none"; m.Rows[i] != join.NoMatch {
				a.version = arrowtest.FormatRow(versionRows[m.Rows[i]])
			}
		}
		got = append(got, a)
	}
	sortAnswers(got)
	if !slices.Equal(want, got) {
		r.fail(fmt.Sprint(want), fmt.Sprint(got))
	}
	k.taken(r, m, versionRows, mem)
}

// matches checks what holds for every outcome. It returns false if it can't be used.
func (r *runner) matches(m *join.Matches, facts, versions [][]any) bool {
	if m == nil || len(m.Rows) != len(facts) || len(m.Status) != len(facts) {
		r.fail(fmt.Sprintf("an answer for each of %d facts", len(facts)), fmt.Sprintf("%+v", m))
		return false
	}
	counted := map[join.Status]int64{}
	for i, row := range m.Rows {
		s := m.Status[i]
		counted[s]++
		if (row != join.NoMatch) != (s == join.OK) || row != join.NoMatch && int(row) >= len(versions) {
			r.fail("a version that is there exactly where the status is ok", fmt.Sprintf("%d and %v for fact %d", row, s, i))
			return false
		}
	}
	rep := m.Report
	want := map[join.Status]int64{join.OK: rep.OK, join.NullKey: rep.NullKey, join.NullTime: rep.NullTime, join.NoKey: rep.NoKey,
		join.BeforeFirst: rep.BeforeFirst, join.Gap: rep.Gap, join.Ambiguous: rep.Ambiguous}
	for s, n := range want {
		if counted[s] != n {
			r.fail(fmt.Sprintf("%d facts counted as %v", counted[s], s), fmt.Sprint(n))
		}
	}
	if rep.Facts != int64(len(facts)) || rep.Versions.Rows != int64(len(versions)) {
		r.fail(fmt.Sprintf("%d facts and %d versions", len(facts), len(versions)), fmt.Sprintf("%d and %d", rep.Facts, rep.Versions.Rows))
	}
	return true
}

// taken checks the right side of the left join.
func (k *asOf) taken(r *runner, m *join.Matches, versions [][]any, mem memory.Allocator) {
	rows := slices.Clone(m.Rows)
	rec, err := r.api.RangeJoin.Versions(context.Background(), m, mem)
	if err != nil {
		r.fail("a record of versions", "error: "+err.Error())
		return
	}
	defer rec.Release()
	got := arrowtest.Cells(rec)
	if len(got) != len(rows) {
		r.fail(fmt.Sprintf("%d rows of versions", len(rows)), fmt.Sprint(len(got)))
		return
	}
	for i, row := range rows {
		want := make([]any, len(k.versionSpec.Columns))
		if row != join.NoMatch {
			want = versions[row]
		}
		if w, g := arrowtest.FormatRow(want), arrowtest.FormatRow(got[i]); w != g {
			r.fail(fmt.Sprintf("fact %d beside %s", i, w), g)
		}
	}
}

// size is the call of join.between.
func (k *asOf) size(r *runner, facts join.Facts, versions join.Versions, opts join.RangeOptions) {
	s, err := r.api.RangeJoin.Between(context.Background(), facts, versions, opts)
	if r.settled(k.want.wantError, err) {
		return
	}
	if s == nil {
		r.fail("a size", "nil")
		return
	}
	for name, got := range map[string]any{"inner": s.Inner, "left": s.Left} {
		if want := k.want.Rows[name]; want != nil && want.String() != fmt.Sprint(got) {
			r.fail(fmt.Sprintf("%s %v", name, want), fmt.Sprint(got))
		}
	}
}
