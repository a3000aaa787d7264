package form

import (
	"encoding/binary"
	"math/big"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/cespare/xxhash/v2"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// refHash is the stable hash of a value, written a second time from its definition in hash.go, in big integers.
func refHash(v any) uint64 {
	switch v := v.(type) {
	case nil:
		return 0x6a09e667f3bcc909
	case bool:
		return refMix64(uint64(asInt(v)))
	case int64:
		return refMix64(uint64(v))
	case uint64:
		return refMix64(v)
	case arrowtest.Float:
		switch {
		case v.IsNaN():
			v = 0x7ff8000000000001
		case v == 1<<63:
			v = 0
		}
		return refMix64(uint64(v))
	case arrowtest.Decimal:
		r, p := rat(string(v)), big.NewInt(1<<61-1)
		inverse := new(big.Int).ModInverse(r.Denom(), p)
		return refMix64(inverse.Mul(inverse, r.Num()).Mod(inverse, p).Uint64())
	case string:
		return refBytes([]byte(v))
	case arrowtest.Bytes:
		return refBytes([]byte(v))
	case arrowtest.Date:
		return refMix64(uint64(v))
	case arrowtest.Timestamp:
		return refMix64(nanos(v.Sec, v.Nano))
	case arrowtest.TimeOfDay:
		return refMix64(nanos(v.Sec, v.Nano))
	case arrowtest.Duration:
		return refMix64(nanos(v.Sec, v.Nano))
	case arrowtest.List:
		return refParts(v)
	case arrowtest.Struct:
		parts := make([]any, len(v))
		for i, m := range v {
			parts[i] = m.Value
		}
		return refParts(parts)
	}
	panic("no such value")
}

var two64 = new(big.Int).Lsh(big.NewInt(1), 64)

func wrap(n *big.Int) uint64 { return n.Mod(n, two64).Uint64() }

func product(a, b uint64) *big.Int {
	return new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
}

func nanos(sec int64, nano int32) uint64 {
	n := new(big.Int).Mul(big.NewInt(sec), big.NewInt(1_000_000_000))
	return wrap(n.Add(n, big.NewInt(int64(nano))))
}

// refMix64 is the next number of a splitmix64 whose state is x.
func refMix64(x uint64) uint64 {
	z := x + 0x9e3779b97f4a7c15
	z = wrap(product(z^(z>>30), 0xbf58476d1ce4e5b9))
	z = wrap(product(z^(z>>27), 0x94d049bb133111eb))
	return z ^ (z >> 31)
}

func refMix2(a, b uint64) uint64 {
	p := product(a^0x2d358dccaa6c78a5, b^0x8bb84b93962eacc9)
	high := new(big.Int).Rsh(p, 64).Uint64()
	return refMix64(high ^ wrap(p) ^ a)
}

func refBytes(b []byte) uint64 {
	if len(b) > 15 {
		return refMix64(xxhash.Sum64(b))
	}
	var w [16]byte
	copy(w[:], b)
	w[15] = byte(len(b))
	return refMix2(binary.LittleEndian.Uint64(w[:8]), binary.LittleEndian.Uint64(w[8:]))
}

func refParts(parts []any) uint64 {
	h := uint64(len(parts))
	for _, p := range parts {
		part := refHash(p)
		h = wrap(product(h, 0xd1342543de82ef95)) ^ (part<<29 | part>>35)
		h += 0x9e3779b97f4a7c15
	}
	return refMix64(h)
}

// The stable hash of each cell, in all types and forms, is that of its value; equal cells have equal secret hashes too.
func TestHashesAgreeWithValues(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			_, all := cellsOf(t, f)
			stable, secret := map[string]uint64{}, map[int]cell{}
			for _, x := range all {
				text := arrowtest.Format(x.value)
				want, ok := stable[text]
				if !ok {
					want = refHash(x.value)
					stable[text] = want
				}
				if got := (hasher{}).cell(x.a, x.i); got != want {
					t.Fatalf("hash %#016x of %s, want %#016x", got, x.what, want)
				}
				y, ok := secret[x.place[ByValue]]
				if !ok {
					secret[x.place[ByValue]] = x
					y = x
				}
				h, g := hasher{secret: true}.cell(x.a, x.i), hasher{secret: true}.cell(y.a, y.i)
				if h != g {
					t.Fatalf("equal cells, secret hashes %#x of %s and %#x of %s", h, x.what, g, y.what)
				}
			}
		})
	}
}

// Cells that differ have different hashes, but for those that the definition says collide.
func TestHashesTellApart(t *testing.T) {
	for _, f := range families {
		hashers := []hasher{{}, {secret: true}}
		switch f.name {
		case "int", "time", "naive", "instant", "duration": // modulo 2^64
			continue
		case "decimal": // the stable one modulo 2^61-1
			hashers = hashers[1:]
		}
		t.Run(f.name, func(t *testing.T) {
			plain, _ := cellsOf(t, f)
			for _, h := range hashers {
				seen := map[uint64]cell{}
				for _, x := range plain {
					k := h.cell(x.a, x.i)
					if y, ok := seen[k]; ok && y.place[ByValue] != x.place[ByValue] {
						t.Fatalf("one hash of %s and %s", x.what, y.what)
					}
					seen[k] = x
				}
			}
		})
	}
}

// The stable hash never changes: shards that another version made agree with those of this one.
func TestGoldenHashes(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, g := range goldenHashes {
		table := arrowtest.Table(t, mem, []string{"c:" + g.typ}, [][]any{{g.cell}})
		a := read(t, []arrow.Array{table[0].Column(0)})[0]
		if got := (hasher{}).cell(a, 0); got != g.hash {
			t.Errorf("%s %v: hash %#016x, want %#016x", g.typ, g.cell, got, g.hash)
		}
		if got := refHash(arrowtest.Cells(table[0])[0][0]); got != g.hash {
			t.Errorf("%s %v: hash %#016x by definition, want %#016x", g.typ, g.cell, got, g.hash)
		}
	}
}

// The hash of a composite key adds its columns from left to right.
func TestGoldenCombine(t *testing.T) {
	if got := Combine(Combine(0, 1), 2); got != goldenCombined {
		t.Errorf("Combine: %#016x, want %#016x", got, uint64(goldenCombined))
	}
	if got, want := mix2(1, 2), refMix2(1, 2); got != want || got != goldenMixed {
		t.Errorf("mix2: %#016x, by definition %#016x, want %#016x", got, want, uint64(goldenMixed))
	}
}
