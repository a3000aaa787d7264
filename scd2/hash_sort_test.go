package scd2

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortHashed sorts rows whose hashes differ in any of their bytes, in a few, in the last, or not at all.
func TestSortHashed(t *testing.T) {
	for name, hash := range map[string]func(*rand.Rand) (uint64, uint64){
		"all bytes":      func(r *rand.Rand) (uint64, uint64) { return r.Uint64(), r.Uint64() },
		"few texts":      func(r *rand.Rand) (uint64, uint64) { return r.Uint64N(3) << 40, r.Uint64() },
		"the last byte":  func(r *rand.Rand) (uint64, uint64) { return 7, r.Uint64N(2) },
		"the first byte": func(r *rand.Rand) (uint64, uint64) { return r.Uint64N(2) << 56, 7 },
		"none":           func(*rand.Rand) (uint64, uint64) { return 7, 7 },
	} {
		rnd := rand.New(rand.NewPCG(1, 2))
		rows := make([]hashedRow, 20_000)
		for i := range rows {
			rows[i].text, rows[i].cells = hash(rnd)
			rows[i].row = uint32(i)
		}
		want := slices.Clone(rows)
		slices.SortFunc(want, func(a, b hashedRow) int { return a.compare(&b) })
		if err := sortHashed(t.Context(), rows, make([]hashedRow, len(rows)), 0); err != nil || !slices.Equal(rows, want) {
			t.Errorf("%s: not sorted, %v", name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := sortHashed(ctx, rows, make([]hashedRow, len(rows)), 0); !errors.Is(err, context.Canceled) && name != "none" {
			t.Errorf("%s: canceled: %v", name, err)
		}
	}
}
