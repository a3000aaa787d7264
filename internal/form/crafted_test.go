package form

import (
	"math/big"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// Keys that are crafted to have one stable hash have secret hashes of their own: decimals that are equal modulo 2^61-1, timestamps
// that are equal modulo 2^64 nanoseconds.
func TestCraftedKeys(t *testing.T) {
	const n = 2000
	var decimals, seconds []byte
	step := big.NewInt(1<<61 - 1)
	for k := range int64(n) {
		v := new(big.Int).Mul(step, big.NewInt(k))
		decimals = append(decimals, int64s(int64(new(big.Int).And(v, new(big.Int).SetUint64(1<<64-1)).Uint64()), new(big.Int).Rsh(v, 64).Int64())...)
		seconds = append(seconds, int64s(k<<55)...)
	}
	for _, c := range []struct {
		data arrow.ArrayData
		most int // of one secret hash
	}{
		{raw(&arrow.Decimal128Type{Precision: 38}, n, [][]byte{nil, decimals}), 1},
		{raw(&arrow.Decimal128Type{Precision: 38, Scale: 7}, n, [][]byte{nil, decimals}), 1},
		{raw(&arrow.Decimal128Type{Precision: 38, Scale: -7}, n, [][]byte{nil, decimals}), 1},
		{raw(arrow.FixedWidthTypes.Timestamp_s, 512, [][]byte{nil, seconds}), 1},
	} {
		a, err := OfData(c.data)
		if err != nil {
			t.Fatal(err)
		}
		b := NewHashBlock(a.Len)
		NewReader([]*Array{a}, Digest).Read(0, 0, a.Len, b)
		stable, secret, most := map[uint64]bool{}, map[uint64]int{}, 0
		for i := range a.Len {
			stable[b.H[i]] = true
			secret[b.K1[i]]++
			most = max(most, secret[b.K1[i]])
		}
		if len(stable) != 1 {
			t.Errorf("%v: %d stable hashes, the keys weren't crafted", a.Type, len(stable))
		}
		if most > c.most {
			t.Errorf("%v: %d keys of one secret hash", a.Type, most)
		}
	}
}
