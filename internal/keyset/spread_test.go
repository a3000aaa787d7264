package keyset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

func readSpread(cols []*form.Column, nulls bool) (hash []uint64) {
	s := keyset.NewSpread(cols, nulls)
	layout := cols[0].Layout
	for c := range layout.Chunks() {
		n := int(layout.Start(c+1) - layout.Start(c))
		for lo := 0; lo < n; lo += 5 {
			hash = append(hash, s.Read(c, lo, min(5, n-lo))...)
		}
	}
	return hash
}

// TestSpread: equal keys have one hash, also when their columns are of other types and are read apart; other keys have another.
func TestSpread(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			src := random{rand.New(rand.NewPCG(seed, 3))}
			lens := []int{src.IntN(12), src.IntN(12)}
			var all []parts
			for range 1 + max(0, src.IntN(6)-2) {
				all = append(all, choose(src, lens))
			}
			cols, keys := columns(t, mem, all...)
			for _, nulls := range []bool{false, true} {
				hash := readSpread(cols, nulls)
				var apart []uint64
				for part := range lens {
					var own []parts
					for _, p := range all {
						own = append(own, parts{p.types[part : part+1], p.cells[part : part+1]})
					}
					cols, _ := columns(t, mem, own...)
					apart = append(apart, readSpread(cols, nulls)...)
				}
				seen := map[string]uint64{}
				for row, key := range keys {
					if !nulls && slices.Contains(key, nil) {
						continue
					}
					name := arrowtest.FormatRow(key)
					if h, ok := seen[name]; ok && h != hash[row] || hash[row] != apart[row] {
						t.Fatalf("nulls %v: row %d, %s: hashes %x, %x, read apart %x", nulls, row, name, h, hash[row], apart[row])
					}
					seen[name] = hash[row]
				}
				distinct := map[uint64]bool{}
				for _, h := range seen {
					distinct[h] = true
				}
				if len(distinct) != len(seen) {
					t.Fatalf("nulls %v: %d hashes of %d keys", nulls, len(distinct), len(seen))
				}
			}
		})
	}
}

// TestSpreadEven: the top bits deal keys out evenly, and those of one partition of the stable hash too.
func TestSpreadEven(t *testing.T) {
	defer keyset.NewSecrets(1)()
	mem := arrowtest.Allocator(t)
	cells := make([]any, 40_000)
	for i := range cells {
		cells[i] = int64(i) << 20
	}
	cols, _ := columns(t, mem, parts{types: []string{"int64"}, cells: [][]any{cells}})
	stable := keyset.NewHashes(keyset.NewKeys(cols, false))
	spread := keyset.NewSpread(cols, false)
	var all, shard [16]int
	for lo := 0; lo < len(cells); lo += 1000 {
		public := stable.Read(0, lo, 1000)
		for i, h := range spread.Read(0, lo, 1000) {
			all[h>>60]++
			if public[i]>>60 == 3 {
				shard[h>>60]++
			}
		}
	}
	if slices.Min(all[:]) < 2200 || slices.Max(all[:]) > 2800 || slices.Min(shard[:]) < 90 || slices.Max(shard[:]) > 230 {
		t.Errorf("%d; of one partition %d", all, shard)
	}
}
