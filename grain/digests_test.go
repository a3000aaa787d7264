package grain_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
)

// TestCollidingDigests compares answers on some thousand rows, whose keys are texts too long to be words, with the oracle's: once where digests
// tell keys apart, and once where all keys have one digest, so that what was taken for equal proves to differ.
func TestCollidingDigests(t *testing.T) {
	for _, constant := range []bool{false, true} {
		for _, columns := range [][]string{{"k:string", "v:int8"}, {"k:string", "l:int64", "v:int8"}} {
			for name, agree := range map[string]func(t *testing.T, columns []string){
				"Check": checkDigests, "Diagnose": diagnoseDigests, "Keys": keysDigests, "MergeConflicts": mergeDigests,
			} {
				t.Run(fmt.Sprintf("%s/constant=%v/%s", name, constant, strings.Join(columns, ",")), func(t *testing.T) {
					form.ConstantHash(constant)
					defer form.ConstantHash(false)
					agree(t, columns)
				})
			}
		}
	}
}

// digestRows makes rows of a number of keys.
func digestRows(rnd *rand.Rand, columns []string, rows, keys int) (out [][]any) {
	for range rows {
		n := rnd.IntN(keys)
		row := []any{longText(n / 2), n, rnd.IntN(3)}
		if len(columns) == 2 {
			row = []any{longText(n), rnd.IntN(3)}
		}
		if rnd.IntN(300) == 0 {
			row[0] = nil
		}
		out = append(out, row)
	}
	return out
}

// digestKey is the names of the key's columns.
func digestKey(columns []string) []string { return []string{"k", "l"}[:len(columns)-1] }

func checkDigests(t *testing.T, columns []string) {
	rnd := rand.New(rand.NewPCG(1, 1))
	l := &lab{t: t, src: random{rnd}, alloc: arrowtest.Allocator(t), columns: columns, key: digestKey(columns), rows: digestRows(rnd, columns, 6000, 50)}
	l.batches = arrowtest.Batches(t, l.alloc, columns, l.rows[:2500], nil, l.rows[2500:])
	for _, l.opts.Nulls = range []grain.Nulls{grain.NullsDistinct, grain.NullsEqual} {
		l.agree(l.batches)
	}
}

func diagnoseDigests(t *testing.T, columns []string) {
	rnd := rand.New(rand.NewPCG(2, 2))
	l := &diagnoseLab{t: t, src: random{rnd}, alloc: arrowtest.Allocator(t), columns: columns, key: digestKey(columns), rows: digestRows(rnd, columns, 6000, 50)}
	l.rows = append(l.rows, digestRows(rnd, columns, 40, 4000)...) // keys that don't repeat
	l.opts.Placeholders = []onerow.Value{longText(3)}
	l.batches = arrowtest.Batches(t, l.alloc, columns, l.rows[:2500], nil, l.rows[2500:])
	l.agree(l.batches, "digests")
}

func keysDigests(t *testing.T, columns []string) {
	rnd := rand.New(rand.NewPCG(3, 3))
	l := &keysLab{t: t, src: random{rnd}, alloc: arrowtest.Allocator(t), columns: append([]string{"m:string"}, columns...)}
	for i, row := range digestRows(rnd, columns, 1500, 50) {
		l.rows = append(l.rows, append([]any{longText(i / 2)}, row...))
	}
	l.batches = arrowtest.Batches(t, l.alloc, l.columns, l.rows[:500], nil, l.rows[500:])
	for _, l.opts.Nulls = range []grain.Nulls{grain.NullsDistinct, grain.NullsEqual} {
		l.agree(l.batches)
	}
}

func mergeDigests(t *testing.T, columns []string) {
	rnd := rand.New(rand.NewPCG(4, 4))
	l := &mergeLab{t: t, src: random{rnd}, alloc: arrowtest.Allocator(t), on: digestKey(columns)}
	for side, rows := range []int{6000, 2000} {
		l.columns[side], l.rows[side] = columns, digestRows(rnd, columns, rows, 50)
		l.batches[side] = arrowtest.Batches(t, l.alloc, columns, l.rows[side][:rows/3], nil, l.rows[side][rows/3:])
	}
	for i := range 4 {
		l.opts.Nulls, l.opts.Acts = grain.Nulls(i%2), []string{"v"}[:i/2]
		l.agree(l.batches[0], l.batches[1])
	}
}

// TestKeysManyValues numbers columns of more values than the first table takes: integers and texts too long to be words; once where digests tell
// values apart, and once where all have one.
func TestKeysManyValues(t *testing.T) {
	for _, constant := range []bool{false, true} {
		t.Run(fmt.Sprintf("constant=%v", constant), func(t *testing.T) {
			form.ConstantHash(constant)
			defer form.ConstantHash(false)
			rows, values := 70_000, 40_000
			if constant { // each value is compared with each
				rows, values = 34_000, 1500
				defer grain.SetTableValues(50)()
			}
			columns := []string{"text:string", "copy:int16", "int:int64"}
			var table [][]any
			seen := make([]int, values)
			for _, n := range rand.New(rand.NewPCG(5, 5)).Perm(rows) {
				n %= values
				seen[n]++
				table = append(table, []any{longText(n), seen[n], n})
			}
			batches := arrowtest.Batches(t, arrowtest.Allocator(t), columns, table[:rows/2], table[rows/2:])
			r, err := grain.Keys(t.Context(), batches, grain.KeysOptions{MaxColumns: 2})
			if err != nil {
				t.Fatal(err)
			}
			distinct := []grain.KeyColumn{{Name: "text", Distinct: int64(values)}, {Name: "copy", Distinct: int64(slices.Max(seen))},
				{Name: "int", Distinct: int64(values)}}
			if d := cmp.Diff(distinct, r.Columns); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff([][]string{{"text", "copy"}, {"copy", "int"}}, r.Keys); d != "" {
				t.Error(d)
			}
		})
	}
}
