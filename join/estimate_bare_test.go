package join_test

import (
	"testing"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// dealtBare makes keys of few rows be dealt out bare, and looks for the first rows of all keys once so many are equal in rank.
func dealtBare(t *testing.T, ties int) {
	rows, most := keyset.MinBareRows, keyset.MaxTies
	keyset.MinBareRows, keyset.MaxTies = 0, ties
	t.Cleanup(func() { keyset.MinBareRows, keyset.MaxTies = rows, most })
}

// TestEstimateBare runs the properties of Estimate with keys that are dealt out bare.
func TestEstimateBare(t *testing.T) {
	for _, ties := range []int{0, 2, 64} {
		dealtBare(t, ties)
		estimateProperties(t)
	}
}

// TestEstimateBareUnderOneHash runs them while all keys begin at one slot.
func TestEstimateBareUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	dealtBare(t, 1)
	estimateProperties(t)
}
