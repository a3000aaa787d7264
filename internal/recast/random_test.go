package recast

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// Numbers of any bits, of all sizes and with many trailing zeros, decimals beyond their precision too.
func TestArrayOfRandomNumbers(t *testing.T) {
	const rows = 400
	rnd := rand.New(rand.NewPCG(1, 2))
	mem := arrowtest.Allocator(t)
	for _, f := range families {
		for _, from := range f.types {
			typ, ok := mustType(t, from).(arrow.FixedWidthDataType)
			if !ok || typ.ID() == arrow.FIXED_SIZE_BINARY || typ.BitWidth() < 8 || typ.ID() == arrow.DICTIONARY || f.name == "null" {
				continue
			}
			var cells, live []byte
			for range rows {
				cells = append(cells, randomWord(rnd, typ.Bytes())...)
			}
			for range (rows + 7) / 8 {
				live = append(live, byte(rnd.Uint32()|rnd.Uint32()))
			}
			d := array.NewData(typ, rows-5, buffers(live, cells), nil, array.UnknownNullCount, 5)
			arr := array.MakeFromData(d)
			d.Release()
			for _, to := range f.types {
				if to != from { // the array itself, as it is
					checkCast(t, mem, from, arr, mustType(t, to))
				}
			}
			arr.Release()
		}
	}
}

// randomWord makes an integer of so many bytes: a random one of a random number of bits, at times multiplied with a power of ten or of two.
func randomWord(rnd *rand.Rand, width int) []byte {
	n := new(big.Int)
	for range (width + 7) / 8 {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(rnd.Uint64()))
	}
	n.Rsh(n, uint(n.BitLen()-min(n.BitLen(), 1+rnd.IntN(8*width))))
	switch rnd.IntN(3) {
	case 0:
		n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(rnd.IntN(2*width+1))), nil))
	case 1:
		n.Lsh(n, uint(rnd.IntN(8*width)))
	}
	if rnd.IntN(2) == 0 {
		n.Neg(n)
	}
	var out []byte
	for word := new(big.Int); len(out) < width; n.Rsh(n, 64) {
		out = binary.LittleEndian.AppendUint64(out, word.And(n, new(big.Int).SetUint64(1<<64-1)).Uint64())
	}
	return out[:width]
}
