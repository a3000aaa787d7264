package form

import "math"

// half widens a float16. Arrow's own conversion is wrong for subnormal numbers in v15.
func half(b uint16) float64 {
	exp, frac := int(b>>10&0x1f), float64(b&0x3ff)
	var f float64
	switch exp {
	case 0:
		f = math.Ldexp(frac, -24)
	case 0x1f:
		if f = math.Inf(1); frac != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(frac+1024, exp-25)
	}
	if b>>15 != 0 {
		f = -f
	}
	return f
}

// float returns row i of a float kind.
func (a *Array) float(i int) float64 {
	p := a.off + i
	switch a.Kind {
	case KindF16:
		return half(a.f16[p].Uint16())
	case KindF32:
		return float64(a.f32[p])
	}
	return a.f64[p]
}

// halfOf narrows to a float16; ok is false when that would round. NaN keeps its sign alone.
func halfOf(f float64) (w uint16, ok bool) {
	if math.Signbit(f) {
		w = 1 << 15
	}
	abs := math.Abs(f)
	switch {
	case f != f:
		return w | 0x7e00, true
	case math.IsInf(f, 0):
		return w | 0x7c00, true
	case abs > 65504:
		return 0, false
	case abs < 1.0/(1<<14): // subnormal: multiples of 2^-24
		units := abs * (1 << 24)
		return w | uint16(units), units == math.Trunc(units)
	}
	bits := math.Float64bits(abs)
	return w | uint16(bits>>42-(1023-15)<<10), bits<<(64-42) == 0
}
