package keyset

import (
	"math/bits"
	"math/rand/v2"

	"github.com/onerow-go/onerow/internal/vector"
)

// The first word of a key is scrambled as it is read: a permutation under secrets of the process, so that words are equal as before, and equally
// likely to be any. Its top bits say the partition, and bits from slotShift on where a search begins in a table: nothing more is hashed. Crafted
// keys don't meet in one partition or slot, nor do those of one partition of onerow.Partition, which goes by the stable hash.
var secrets = newScrambler(rand.Uint64)

// scrambler are the secrets. Loops copy them, so that they stay in registers.
//
// One word is scrambled by a Permutation: multiplication with an odd secret (Dietzfelbinger, Hagerup, Katajainen, Penttonen: A Reliable Randomized Algorithm
// for the Closest-Pair Problem, 1997), twice, and after each the high bits come down to the lower ones: a product's low bits know nothing of its factors' high
// ones, and without the second time keys that differ in their top bits alone lie in steps, which an unlucky secret brings together.
type scrambler struct {
	vector.Permutation
	second uint64
}

func newScrambler(draw func() uint64) scrambler {
	return scrambler{vector.Permutation{Add: draw(), By: draw() | 1, Again: draw() | 1}, draw()}
}

// slotShift leaves the lowest bits of a scrambled word out, to which few bits of the key come, and the top ten to the partitions in tables of up
// to 2^31 slots.
const slotShift = 23

// Mixed returns bits of a key for filters: from the lowest on those that a table goes by, and at the top those of its partition.
func Mixed[K Words](k *K) uint64 { return (*k)[0]>>slotShift | (*k)[0]>>52<<52 }

// two scrambles the first of two words in a way that depends on the second, by the folded product of wyhash (Wang Yi).
func (s scrambler) two(first, second uint64) uint64 {
	hi, lo := bits.Mul64(second^s.second, s.By)
	return s.Mix(first ^ hi ^ lo)
}

// fold hashes two words.
func (s scrambler) fold(first, second uint64) uint64 {
	hi, lo := bits.Mul64(first^s.Add, second^s.second)
	return hi ^ lo
}
