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
