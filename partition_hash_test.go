package onerow_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// The stable hash, once more, from its documentation and the values of a row alone.

const nullHash = 0x6a09e667f3bcc909

func mix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func mix2(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x2d358dccaa6c78a5, b^0x8bb84b93962eacc9)
	return mix64(hi ^ lo ^ a)
}

func combine(h, part uint64) uint64 {
	return (h*0xd1342543de82ef95 ^ bits.RotateLeft64(part, 29)) + 0x9e3779b97f4a7c15
}

// documented returns the partition of a key.
func documented(key []any, n int) int {
	h := hashOf(key[0])
	for _, v := range key[1:] {
		h = combine(h, hashOf(v))
	}
	hi, _ := bits.Mul64(h>>32<<32, uint64(n))
	return int(hi)
}

func hashOf(v any) uint64 {
	nanos := func(sec int64, nano int32) uint64 { return mix64(uint64(sec)*1_000_000_000 + uint64(nano)) }
	switch v := arrowtest.Key(v).(type) {
	case nil:
		return nullHash
	case bool:
		if v {
			return mix64(1)
		}
		return mix64(0)
	case int64:
		return mix64(uint64(v))
	case uint64:
		return mix64(v)
	case arrowtest.Float:
		if v.IsNaN() {
			return mix64(0x7ff8000000000001)
		}
		return mix64(uint64(v))
	case string:
		return hashOfText([]byte(v))
	case arrowtest.Bytes:
		return hashOfText([]byte(v))
	case arrowtest.Decimal:
		return hashOfDecimal(string(v))
	case arrowtest.Date:
		return mix64(uint64(v))
	case arrowtest.Timestamp:
		return nanos(v.Sec, v.Nano)
	case arrowtest.TimeOfDay:
		return nanos(v.Sec, v.Nano)
	case arrowtest.Duration:
		return nanos(v.Sec, v.Nano)
	case arrowtest.List:
		h := uint64(len(v))
		for _, e := range v {
			h = combine(h, hashOf(e))
		}
		return mix64(h)
	case arrowtest.Struct:
		h := uint64(len(v))
		for _, m := range v {
			h = combine(h, hashOf(m.Value))
		}
		return mix64(h)
	}
	panic(fmt.Sprintf("no hash of a %T", v))
}

func hashOfText(text []byte) uint64 {
	if len(text) > 15 {
		return mix64(xxhash.Sum64(text))
	}
	var words [16]byte
	copy(words[:], text)
	words[15] = byte(len(text))
	return mix2(binary.LittleEndian.Uint64(words[:]), binary.LittleEndian.Uint64(words[8:]))
}

// hashOfDecimal divides digits by a power of ten among the numbers modulo 2^61-1.
func hashOfDecimal(text string) uint64 {
	p := big.NewInt(1<<61 - 1)
	whole, fraction, _ := strings.Cut(text, ".")
	digits, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		panic(text)
	}
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), p)
	return mix64(digits.Mul(digits, ten.ModInverse(ten, p)).Mod(digits, p).Uint64())
}
