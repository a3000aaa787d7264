package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// check is a case of grain.check.
type check struct {
	spec    arrowtest.Spec
	shuffle bool
	key     []string
	nulls   grain.Nulls
	want    checkWant
	worst   []worstKey
}

type checkWant struct {
	wantError
	Report counts   `json:"report"`
	Worst  *[][]any `json:"worst"`
}

// worstKey is a key that repeats, as text, and its number of rows.
type worstKey struct {
	key   string
	count int64
}

func (w worstKey) String() string { return fmt.Sprintf("%s %d times", w.key, w.count) }

func newCheck(c Case) (test, error) {
	if err := c.inputs("table"); err != nil {
		return nil, err
	}
	k := &check{spec: c.Input["table"], shuffle: !c.OrderMatters}
	var o struct {
		Key   *[]string `json:"key"`
		Nulls string    `json:"nulls"`
	}
	if err := strict(c.Options, &o); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if o.Key == nil {
		return nil, fmt.Errorf("options: no key, not even an empty one")
	}
	k.key = *o.Key
	var err error
	if k.nulls, err = choose("nulls", o.Nulls, map[string]grain.Nulls{"distinct": grain.NullsDistinct, "equal": grain.NullsEqual}); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if err := k.readWant(c); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	return k, nil
}

func (k *check) readWant(c Case) error {
	if err := strict(c.Want, &k.want); err != nil {
		return err
	}
	if err := k.want.check(k.want.Report != nil || k.want.Worst != nil); err != nil {
		return err
	}
	if err := k.want.Report.check(grain.Report{}); err != nil {
		return err
	}
	if k.want.Worst == nil {
		return nil
	}
	schema, err := arrowtest.Schema(k.spec.Columns)
	if err != nil {
		return err
	}
	for _, w := range *k.want.Worst {
		if len(w) != len(k.key)+1 {
			return fmt.Errorf("worst: %d values for a key of %d and a count", len(w), len(k.key))
		}
		number, ok := w[len(k.key)].(json.Number)
		if !ok {
			return fmt.Errorf("worst: %v is no count", w[len(k.key)])
		}
		count, err := number.Int64()
		if err != nil {
			return err
		}
		key := make([]any, len(k.key))
		for i, name := range k.key {
			fields, ok := schema.FieldsByName(name)
			if !ok {
				return fmt.Errorf("worst: no column %q", name)
			}
			v, err := arrowtest.Value(fields[0].Type, w[i])
			if err != nil {
				return err
			}
			key[i] = arrowtest.Key(v)
		}
		k.worst = append(k.worst, worstKey{arrowtest.FormatRow(key), count})
	}
	return nil
}

func (k *check) run(r *runner) {
	table, err := k.spec.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(table)
	r.forms(table, k.shuffle, func(batches []arrow.Record, shuffled bool) {
		r.call(func(_ memory.Allocator, res onerow.Resources) { k.call(r, batches, shuffled, res) })
	})
}

func (k *check) call(r *runner, batches []arrow.Record, shuffled bool, res onerow.Resources) {
	rep, err := r.api.Check(context.Background(), batches, k.key, grain.Options{Nulls: k.nulls, Resources: res})
	if r.settled(k.want.wantError, err) {
		return
	}
	if rep == nil {
		r.fail("a report", "nil")
		return
	}
	k.want.Report.compare(r, rep)
	r.addsUp(rep, k.nulls, batches)
	got, ok := r.worst(rep, batches, k.key)
	if !ok || k.want.Worst == nil {
		return
	}
	if len(got) < len(k.worst) || !samePrefix(k.worst, got, shuffled) {
		r.fail(fmt.Sprint("worst ", k.worst), fmt.Sprint(got))
	}
}

// samePrefix says whether the wanted keys come first, in order. Shuffled, keys of one count may come in any order.
func samePrefix(want, got []worstKey, shuffled bool) bool {
	for i, w := range want {
		if got[i].count != w.count || !shuffled && got[i].key != w.key || !slices.Contains(got, w) {
			return false
		}
	}
	return true
}

// addsUp checks what holds for every report.
func (r *runner) addsUp(rep *grain.Report, nulls grain.Nulls, batches []arrow.Record) {
	rows := int64(0)
	for _, b := range batches {
		rows += b.NumRows()
	}
	out := rep.NullKeyRows
	if nulls == grain.NullsEqual {
		out = 0
	}
	if rep.Rows != rows || rep.Rows != rep.Keys+rep.DuplicateRows+out {
		r.fail(fmt.Sprintf("rows %d = keys + duplicate_rows + %d rows left out", rows, out),
			fmt.Sprintf("%d and %d + %d", rep.Rows, rep.Keys, rep.DuplicateRows))
	}
	repeats := rep.DuplicateKeys > 0
	if repeats != (rep.DuplicateRows > 0) || repeats != (rep.MaxCopies > 1) || rep.MaxCopies > 0 != (rep.Keys > 0) {
		r.fail("duplicate keys where there are duplicate rows and more than one copy",
			fmt.Sprintf("keys %d, duplicate_keys %d, duplicate_rows %d, max_copies %d", rep.Keys, rep.DuplicateKeys, rep.DuplicateRows, rep.MaxCopies))
	}
}

// worst reads the worst keys of a report, by the first row of each, and checks that they are what they say.
func (r *runner) worst(rep *grain.Report, batches []arrow.Record, key []string) ([]worstKey, bool) {
	all, columns := arrowtest.All(batches), keyColumns(batches, key)
	var out []worstKey
	for i, w := range rep.Worst {
		switch {
		case len(w.Rows) == 0 || w.Count < 2 || int64(len(w.Rows)) > w.Count || len(w.Values) != len(key):
			r.fail("worst keys that repeat, each with rows and values", fmt.Sprintf("%+v", w))
			return nil, false
		case i > 0 && rep.Worst[i-1].Count < w.Count:
			r.fail("worst keys first", fmt.Sprintf("%+v", rep.Worst))
			return nil, false
		}
		for j, row := range w.Rows {
			if int(row) >= len(all) || j > 0 && w.Rows[j-1] >= row || keyText(all[row], columns) != keyText(all[w.Rows[0]], columns) {
				r.fail("ascending rows of one key", fmt.Sprintf("%+v", w))
				return nil, false
			}
		}
		out = append(out, worstKey{keyText(all[w.Rows[0]], columns), w.Count})
	}
	if want := min(rep.DuplicateKeys, 20); int64(len(out)) != want || len(out) > 0 && out[0].count != rep.MaxCopies {
		r.fail(fmt.Sprintf("%d worst keys, the first of them %d times", want, rep.MaxCopies), fmt.Sprint(out))
	}
	return out, true
}
