package join_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// drawKeys draws rows of so many keys from one on, the first keys more often the greater skew is; 1 is even.
func drawKeys(r *rand.Rand, rows, keys int, skew float64, from int) []int64 {
	out := make([]int64, rows)
	for i := range out {
		out[i] = int64(from) + int64(math.Pow(r.Float64(), skew)*float64(keys))
	}
	return out
}

// everyKey has each of so many keys once.
func everyKey(keys, from int) []int64 {
	out := make([]int64, keys)
	for i := range out {
		out[i] = int64(from + i)
	}
	return out
}

// accuracyShapes make two sides of keys.
var accuracyShapes = []struct {
	name  string
	parts int // of each side, merged
	make  func(r *rand.Rand) (left, right []int64)
}{
	{"foreign key", 1, func(r *rand.Rand) ([]int64, []int64) {
		keys := 1000 + r.IntN(8000)
		return drawKeys(r, 15000, keys, 1, 0), everyKey(keys, 0)
	}},
	{"foreign key, skewed", 1, func(r *rand.Rand) ([]int64, []int64) {
		keys := 1000 + r.IntN(8000)
		return drawKeys(r, 15000, keys, 4, 0), everyKey(keys, 0)
	}},
	{"foreign key, some missing", 1, func(r *rand.Rand) ([]int64, []int64) {
		keys := 1000 + r.IntN(8000)
		return drawKeys(r, 15000, keys, 2, 0), everyKey(keys-keys/5, keys/5)
	}},
	{"many to many", 1, func(r *rand.Rand) ([]int64, []int64) {
		keys := 500 + r.IntN(4000)
		return drawKeys(r, 10000, keys, 1, 0), drawKeys(r, 12000, keys, 1, 0)
	}},
	{"both skewed", 1, func(r *rand.Rand) ([]int64, []int64) {
		skew := float64(2 + r.IntN(6))
		return drawKeys(r, 10000, 5000, skew, 0), drawKeys(r, 12000, 5000, skew, 0)
	}},
	{"skewed apart", 1, func(r *rand.Rand) ([]int64, []int64) {
		right := drawKeys(r, 12000, 5000, 3, 0)
		for i := range right {
			right[i] = 4999 - right[i]
		}
		return drawKeys(r, 10000, 5000, 3, 0), right
	}},
	{"disjoint", 1, func(r *rand.Rand) ([]int64, []int64) {
		return drawKeys(r, 8000, 5000, 1, 0), drawKeys(r, 8000, 5000, 2, 5000)
	}},
	{"half overlap", 1, func(r *rand.Rand) ([]int64, []int64) {
		return drawKeys(r, 8000, 5000, 1, 0), drawKeys(r, 8000, 5000, 1, 2500)
	}},
	{"few in common", 1, func(r *rand.Rand) ([]int64, []int64) {
		return drawKeys(r, 8000, 5000, 1, 0), drawKeys(r, 8000, 5000, 1, 4900)
	}},
	{"foreign key, merged", 4, func(r *rand.Rand) ([]int64, []int64) {
		keys := 1000 + r.IntN(8000)
		return drawKeys(r, 15000, keys, 2, 0), everyKey(keys, 0)
	}},
	{"half overlap, merged", 3, func(r *rand.Rand) ([]int64, []int64) {
		return drawKeys(r, 8000, 5000, 2, 0), drawKeys(r, 8000, 5000, 1, 2500)
	}},
}

// intKeys makes a batch of a column k.
func intKeys(t testing.TB, keys []int64) []arrow.Record {
	b := array.NewRecordBuilder(arrowtest.Allocator(t), arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}}, nil))
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues(keys, nil)
	rec := b.NewRecord()
	t.Cleanup(rec.Release)
	return []arrow.Record{rec}
}

func sketchInts(t testing.TB, keys []int64, size int) *join.Sketch {
	t.Helper()
	s, err := join.NewSketch(context.Background(), intKeys(t, keys), []string{"k"}, join.SketchOptions{Keys: size, Resources: onerow.Resources{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// joinCounts are the sizes of a join of keys that are counted.
func joinCounts(left, right []int64) (rows [8]float64, keys [3]float64) {
	var n [2]map[int64]float64
	for side, list := range [2][]int64{left, right} {
		n[side] = map[int64]float64{}
		for _, k := range list {
			n[side][k]++
		}
	}
	var inner, semi, other float64
	for k, l := range n[0] {
		if r := n[1][k]; r > 0 {
			inner, semi, other = inner+l*r, semi+l, other+r
			keys[0]++
		}
	}
	keys[1], keys[2] = float64(len(n[0])), float64(len(n[1]))
	leftAnti, rightAnti := float64(len(left))-semi, float64(len(right))-other
	return [8]float64{inner, inner + leftAnti, inner + rightAnti, inner + leftAnti + rightAnti, semi, leftAnti, other, rightAnti}, keys
}

// deviations collects by how many standard errors estimates are off.
type deviations map[string][]float64

func (d deviations) note(t *testing.T, what string, a join.Approx, want float64) {
	t.Helper()
	if why := holds(a, join.CountOf(uint64(want))); why != "" {
		t.Errorf("%s: %s", what, why)
	}
	if !a.Exact() {
		off := 0.0
		if e := a.Estimate.Float64() - want; e != 0 {
			off = e / a.StdErr
		}
		d[what] = append(d[what], off)
	}
}

// summary gives the share of those beyond three, and the root of the mean square.
func (d deviations) summary() (n int, beyond, rms float64) {
	for _, list := range d {
		for _, x := range list {
			n++
			rms += x * x
			if math.Abs(x) > 3 {
				beyond++
			}
		}
	}
	return n, beyond / float64(n), math.Sqrt(rms / float64(n))
}

// addsUp wants an estimate to be the sum of those of its parts, unless a bound is in the way.
func addsUp(t *testing.T, whole join.Approx, parts ...join.Approx) {
	t.Helper()
	sum := 0.0
	for _, p := range parts {
		sum += p.Estimate.Float64()
	}
	if want := min(max(sum, whole.Low.Float64()), whole.High.Float64()); whole.Estimate.Float64() != want {
		t.Errorf("%v is not the sum of %v", whole, parts)
	}
}

// TestSketchCalibration compares estimates of joins of many shapes with the truth, by their standard errors.
func TestSketchCalibration(t *testing.T) {
	seeds := 40
	if testing.Short() {
		seeds = 8
	}
	all := deviations{}
	for _, shape := range accuracyShapes {
		d := deviations{}
		for seed := range seeds {
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			left, right := shape.make(r)
			r.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
			size := 64 << r.IntN(4)
			sides := [2]*join.Sketch{}
			for side, keys := range [2][]int64{left, right} {
				for part := range slices.Chunk(keys, (len(keys)+shape.parts-1)/shape.parts) {
					s := sketchInts(t, part, size)
					if sides[side] != nil {
						var err error
						if s, err = sides[side].Merge(s); err != nil {
							t.Fatal(err)
						}
					}
					sides[side] = s
				}
			}
			e, err := join.EstimateSketches(sides[0], sides[1])
			if err != nil {
				t.Fatal(err)
			}
			addsUp(t, e.Rows.Left, e.Rows.Inner, e.Rows.LeftAnti)
			addsUp(t, e.Rows.Right, e.Rows.Inner, e.Rows.RightAnti)
			addsUp(t, e.Rows.Full, e.Rows.Inner, e.Rows.LeftAnti, e.Rows.RightAnti)
			rows, keys := joinCounts(left, right)
			for i, a := range approxSizes(e.Rows) {
				d.note(t, sizeNames[i], a, rows[i])
			}
			for i, a := range []join.Approx{e.MatchedKeys, e.Left.Keys, e.Right.Keys} {
				d.note(t, []string{"matched keys", "left keys", "right keys"}[i], a, keys[i])
			}
		}
		n, beyond, rms := d.summary()
		t.Logf("%-26s %4d estimates, rms %.2f, beyond three %.1f %%", shape.name, n, rms, 100*beyond)
		for what, list := range d {
			_, b, r := deviations{what: list}.summary()
			if b > 0.08 {
				t.Logf("    %-16s %3d, rms %.2f, beyond three %.1f %%", what, len(list), r, 100*b)
			}
			all[what] = append(all[what], list...)
		}
		if beyond > 0.05 {
			t.Errorf("%s: %.1f %% of the estimates are off by more than three standard errors", shape.name, 100*beyond)
		}
	}
	for what, list := range all {
		n, beyond, rms := deviations{what: list}.summary()
		t.Logf("%-16s %4d estimates, rms %.2f, beyond three %.1f %%", what, n, rms, 100*beyond)
	}
	n, beyond, rms := all.summary()
	t.Logf("all: %d estimates, rms %.2f, beyond three %.2f %%", n, rms, 100*beyond)
	if beyond > 0.03 {
		t.Errorf("%.1f %% of the estimates are off by more than three standard errors", 100*beyond)
	}
}

// TestSketchFigures are the figures of docs/design/0010-sketch.md: sides of a million rows and more keys than the sample holds, in sketches of the
// default size.
func TestSketchFigures(t *testing.T) {
	rows, keys := 1_000_000, 100_000
	if testing.Short() {
		rows, keys = 100_000, 20_000
	}
	r := rand.New(rand.NewPCG(1, 9))
	for _, c := range []struct {
		name        string
		left, right []int64
		parts       int     // of either side, merged
		most        float64 // standard error, a part of the truth
		bound       float64 // the upper bound, a multiple of it
	}{
		{"foreign key", drawKeys(r, rows, keys, 1, 0), everyKey(keys, 0), 1, 0.02, 1},
		{"foreign key, skewed", drawKeys(r, rows, keys, 3, 0), everyKey(keys, 0), 1, 0.02, 1},
		{"foreign key, a fifth missing", drawKeys(r, rows, keys, 1, 0), everyKey(keys*4/5, 0), 1, 0.02, 1.3},
		{"many to many", drawKeys(r, rows, keys, 1, 0), drawKeys(r, rows/2, keys, 1, 0), 1, 0.02, 1.5},
		{"half overlap", drawKeys(r, rows, keys, 1, 0), drawKeys(r, rows/2, keys, 1, keys/2), 1, 0.05, 3},
		{"both skewed", drawKeys(r, rows, keys, 3, 0), drawKeys(r, rows/2, keys, 3, 0), 1, 0.02, 1.1},
		{"foreign key, merged", drawKeys(r, rows, keys, 1, 0), everyKey(keys, 0), 8, 0.02, 4},
		{"both skewed, merged", drawKeys(r, rows, keys, 3, 0), drawKeys(r, rows/2, keys, 3, 0), 8, 0.02, 1.1},
	} {
		sketch := func(keys []int64) (s *join.Sketch) {
			for part := range slices.Chunk(keys, (len(keys)+c.parts-1)/c.parts) {
				if next := sketchInts(t, part, 0); s == nil {
					s = next
				} else {
					s = mustMerge(t, s, next)
				}
			}
			return s
		}
		left, right := sketch(c.left), sketch(c.right)
		e, err := join.EstimateSketches(left, right)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := joinCounts(c.left, c.right)
		inner := e.Rows.Inner
		if why := holds(inner, join.CountOf(uint64(want[0]))); why != "" {
			t.Errorf("%s: %s", c.name, why)
		}
		off := math.Abs(inner.Estimate.Float64()-want[0]) / want[0]
		t.Logf("%-30s inner %12.0f, off by %6.3f %%, error %6.3f %%, bound %.2f times the truth, %d and %d bytes", c.name, want[0], 100*off,
			100*inner.StdErr/want[0], inner.High.Float64()/want[0], len(sketchBytes(t, left)), len(sketchBytes(t, right)))
		if testing.Short() {
			continue
		}
		if off > 4*inner.StdErr/want[0] || inner.StdErr > c.most*want[0] || inner.High.Float64() > c.bound*want[0] {
			t.Errorf("%s: %v, not %v", c.name, inner, want[0])
		}
	}
}
