package arrowtest

import "math"

type (
	// Float is a floating-point number, as the bits of the float64 of the same value. A NaN narrower than 64 bits
	// stands with its payload at the top of the fraction.
	Float uint64

	// Decimal is a decimal number in plain digits, without zeros that say nothing: "1.2", "-0.05", "1500", "0".
	Decimal string

	// Bytes is binary data.
	Bytes string

	// Date is a day, in milliseconds since 1970-01-01.
	Date int64

	// Timestamp is an instant if Zoned, else a point of a calendar without zone: whole seconds since 1970-01-01T00:00:00
	// rounded down, and nanoseconds on top.
	Timestamp struct {
		Sec   int64
		Nano  int32
		Zoned bool
	}

	// TimeOfDay is the time since midnight: whole seconds rounded down, and nanoseconds on top.
	TimeOfDay struct {
		Sec  int64
		Nano int32
	}

	// Duration is a span of time: whole seconds rounded down, and nanoseconds on top.
	Duration struct {
		Sec  int64
		Nano int32
	}

	// List holds the values of the elements of a list.
	List []any

	// Struct holds the fields of a struct, in the order of its type.
	Struct []Member

	// Member is one field of a [Struct].
	Member struct {
		Name  string
		Value any
	}
)

const canonicalNaN Float = 0x7FF8000000000000

// FloatOf returns the value of f, a NaN with its bits.
func FloatOf(f float64) Float { return Float(math.Float64bits(f)) }

// Float64 returns the number.
func (f Float) Float64() float64 { return math.Float64frombits(uint64(f)) }

// IsNaN says whether f is one of the NaNs.
func (f Float) IsNaN() bool { return f&^(1<<63) > 0x7FF0000000000000 }

// canon returns v with one bit pattern for all NaNs.
func canon(v any) any {
	return rewrite(v, func(f Float) Float {
		if f.IsNaN() {
			return canonicalNaN
		}
		return f
	})
}

// Key returns v as a key holds it: all NaNs are one value, and so are -0 and 0.
func Key(v any) any {
	return rewrite(v, func(f Float) Float {
		switch {
		case f.IsNaN():
			return canonicalNaN
		case f == 1<<63:
			return 0
		}
		return f
	})
}

// rewrite returns v with each float in it replaced.
func rewrite(v any, f func(Float) Float) any {
	switch v := v.(type) {
	case Float:
		return f(v)
	case List:
		out := make(List, len(v))
		for i, e := range v {
			out[i] = rewrite(e, f)
		}
		return out
	case Struct:
		out := make(Struct, len(v))
		for i, m := range v {
			out[i] = Member{m.Name, rewrite(m.Value, f)}
		}
		return out
	}
	return v
}

// unsigned returns an unsigned integer as a value.
func unsigned(u uint64) any {
	if u <= math.MaxInt64 {
		return int64(u)
	}
	return u
}

// narrow32 returns the bits of the float32 that holds f, which must be the value of one, or rounds to one.
func narrow32(f Float) uint32 {
	if f.IsNaN() {
		return uint32(f>>32)&(1<<31) | 0xFF<<23 | uint32(f>>29)&(1<<23-1)
	}
	return math.Float32bits(float32(f.Float64()))
}

// widen32 returns the value of a float32.
func widen32(bits uint32) Float {
	if bits&^(1<<31) > 0x7F800000 {
		return Float(bits>>31)<<63 | 0x7FF<<52 | Float(bits&(1<<23-1))<<29
	}
	return FloatOf(float64(math.Float32frombits(bits)))
}

// narrow16 returns the bits of the float16 that is nearest to f, ties to even.
func narrow16(f Float) uint16 {
	sign := uint16(f>>48) & 0x8000
	if f.IsNaN() {
		return sign | 0x7C00 | uint16(f>>42)&0x3FF
	}
	abs := math.Abs(f.Float64())
	switch {
	case abs >= 65520: // halfway between the greatest float16 and the next power of two
		return sign | 0x7C00
	case abs < 1.0/(1<<14): // subnormal: multiples of 2^-24
		return sign | uint16(math.RoundToEven(abs*(1<<24)))
	}
	frac, exp := math.Frexp(abs) // frac in [0.5, 1)
	units := uint16(math.RoundToEven(frac * (1 << 11)))
	return sign | (uint16(exp+13)<<10 + units)
}

// widen16 returns the value of a float16.
func widen16(bits uint16) Float {
	sign, exp, frac := Float(bits>>15)<<63, int(bits>>10&0x1F), bits&0x3FF
	switch exp {
	case 0x1F:
		return sign | 0x7FF<<52 | Float(frac)<<42
	case 0:
		return sign | FloatOf(math.Ldexp(float64(frac), -24))
	}
	return sign | FloatOf(math.Ldexp(float64(frac|0x400), exp-25))
}
