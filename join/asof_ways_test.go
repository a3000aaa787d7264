package join_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/join"
)

// wayKeys are the columns of the key that a number becomes, and its cells.
var wayKeys = map[string]struct {
	columns []string
	cells   func(n int) []any
}{
	"word":        {[]string{"k:int64"}, func(n int) []any { return []any{n} }},
	"two words":   {[]string{"k:int64", "l:int32"}, func(n int) []any { return []any{n / 7, n % 7} }},
	"text":        {[]string{"k:string"}, func(n int) []any { return []any{fmt.Sprint("k", n)} }},
	"digest":      {[]string{"k:string"}, func(n int) []any { return []any{fmt.Sprintf("a text of more than fifteen bytes %d", n)} }},
	"two digests": {[]string{"k:string", "l:int64"}, func(n int) []any { return []any{fmt.Sprint("k", n%9), n / 9} }},
}

// wayScene has keys with 1 to 60 versions, and facts at, right before and right after all their starts and ends, and of keys without versions. The starts
// lie close together and far apart, so that many are one once they are rounded, and reach to both ends of the line.
func wayScene(kind string, seed uint64) *rangeScene {
	r, k := rand.New(rand.NewPCG(seed, 9)), wayKeys[kind]
	s := &rangeScene{factColumns: append(append([]string{}, k.columns...), "t:int64"), versionColumns: append(append([]string{}, k.columns...), "f:int64", "u:int64")}
	s.facts.Key = []string{"k", "l"}[:len(k.columns)]
	s.facts.At, s.versions.ValidFrom, s.versions.ValidTo = "t", "f", "u"
	s.opts.Resources.Workers = 1 + int(seed%3)
	const keys = 8
	fact := func(key int, t int64) { s.factRows = append(s.factRows, append(k.cells(key), wholeTime(t))) }
	for key := range keys {
		t := []int64{math.MinInt64, -1 << 40, 0, 1 << 60}[r.IntN(4)]
		for range 1 + r.IntN(1+r.IntN(60)) {
			if key == 0 {
				break // no version, and a key of words that are 0
			}
			end := t + 1 + r.Int64N(1<<uint(1+r.IntN(45)))
			for _, at := range []int64{t, end} {
				fact(key, max(at, math.MinInt64+1)-1)
				fact(key, at)
				fact(key, at+1)
			}
			to := wholeTime(end)
			if r.IntN(30) == 0 {
				to = nil
			}
			s.versionRows = append(s.versionRows, append(k.cells(key), wholeTime(t), to))
			t = end
			switch r.IntN(6) {
			case 0:
				t += 1 + r.Int64N(1<<20) // a gap
			case 1:
				t -= r.Int64N(2) // an overlap, perhaps
			}
		}
		fact(key, math.MinInt64)
		fact(key, math.MaxInt64)
		fact(keys+key, r.Int64())
	}
	r.Shuffle(len(s.versionRows), func(i, j int) { s.versionRows[i], s.versionRows[j] = s.versionRows[j], s.versionRows[i] })
	r.Shuffle(len(s.factRows), func(i, j int) { s.factRows[i], s.factRows[j] = s.factRows[j], s.factRows[i] })
	return s
}

// TestRangeWays compares a board and dealing out with the oracle where starts are rounded and keys have more steps than lanes, for keys of each form, and
// while all have one hash.
func TestRangeWays(t *testing.T) {
	for kind := range wayKeys {
		for _, oneHash := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/oneHash=%v", kind, oneHash), func(t *testing.T) {
				form.ConstantHash(oneHash)
				defer form.ConstantHash(false)
				for seed := range uint64(2) {
					s, mem := wayScene(kind, seed), arrowtest.Allocator(t)
					s.agree(t, sides{arrowtest.Batches(t, mem, s.factColumns, s.factRows), arrowtest.Batches(t, mem, s.versionColumns, s.versionRows)})
				}
			})
		}
	}
}

// TestBoardWithoutKey: what lies where no record does is of no key, also of one whose words are 0.
func TestBoardWithoutKey(t *testing.T) {
	if join.HeldInEmptyBoard(0, 1, 1<<63, ^uint64(0)) {
		t.Error("a key is held by no version")
	}
}
