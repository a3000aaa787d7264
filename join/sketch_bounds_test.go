package join_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/onerow-go/onerow/join"
)

// adversary draws a side whose keys are hard on bounds: of few rows and of many, in all parts or in one, in pieces that are merged in any order,
// with samples of any size.
type adversary struct {
	*rand.Rand
	t *testing.T
}

// side returns the rows, and a sketch of them.
func (a adversary) side() ([]int64, *join.Sketch) {
	a.t.Helper()
	keys, from := 1+a.IntN(150), a.IntN(40)
	var all []int64
	groups := make([][]*join.Sketch, 1+a.IntN(3)) // of which no two have a key in common
	for g := range groups {
		for range 1 + a.IntN(4) {
			var piece []int64
			for i := range keys {
				if a.IntN(3) == 0 {
					continue
				}
				k := int64(from+i)*int64(len(groups)) + int64(g)
				n := 1
				if a.IntN(12) == 0 {
					n += a.IntN(30)
				}
				for range n {
					piece = append(piece, k)
				}
			}
			all = append(all, piece...)
			groups[g] = append(groups[g], sketchInts(a.t, piece, []int{1, 2, 4, 16, 32, 64, 300}[a.IntN(7)]))
		}
	}
	var parts []*join.Sketch
	for _, g := range groups {
		parts = append(parts, a.merge(g, (*join.Sketch).Merge))
	}
	if len(parts) > 1 && a.IntN(2) == 0 {
		return all, a.merge(parts, (*join.Sketch).MergeDisjoint)
	}
	return all, a.merge(parts, (*join.Sketch).Merge)
}

func (a adversary) merge(parts []*join.Sketch, merge func(s, o *join.Sketch) (*join.Sketch, error)) *join.Sketch {
	a.t.Helper()
	for len(parts) > 1 {
		a.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		m, err := merge(parts[0], parts[1])
		if err != nil {
			a.t.Fatal(err)
		}
		parts = append(parts[2:], m)
	}
	var read join.Sketch
	if err := read.UnmarshalBinary(sketchBytes(a.t, parts[0])); err != nil {
		a.t.Fatal(err)
	}
	return &read
}

// TestSketchBounds looks for data whose truth lies outside the bounds.
func TestSketchBounds(t *testing.T) {
	defer join.SetLeastSketchKeys(1)()
	seeds := 1500
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		a := adversary{rand.New(rand.NewPCG(uint64(seed), 3)), t}
		left, l := a.side()
		right, r := a.side()
		e, err := join.EstimateSketches(l, r)
		if err != nil {
			t.Fatal(err)
		}
		rows, keys := joinCounts(left, right)
		for i, n := range approxSizes(e.Rows) {
			if why := holds(n, join.CountOf(uint64(rows[i]))); why != "" {
				t.Errorf("seed %d: %s: %s", seed, sizeNames[i], why)
			}
		}
		for i, n := range []join.Approx{e.MatchedKeys, e.Left.Keys, e.Right.Keys} {
			if why := holds(n, join.CountOf(uint64(keys[i]))); why != "" {
				t.Errorf("seed %d: keys %d: %s", seed, i, why)
			}
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var read join.SketchedSize
		if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(&read, e) {
			t.Errorf("seed %d: read from JSON: %v\n%v\n%v", seed, err, &read, e)
		}
	}
}
