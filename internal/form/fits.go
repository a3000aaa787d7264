package form

// FitsWord says whether Mode Word can hold the types of a column, over all its inputs: they must agree in what a raw value
// means.
func FitsWord(chunks []*Array) bool {
	var mul uint64
	sawSigned, sawU64 := false, false
	for _, a := range chunks {
		l := a.bottom()
		switch l.Family {
		case NullFamily, BoolFamily, FloatFamily:
			continue
		case IntFamily:
			sawU64 = sawU64 || l.Kind == KindU64
			sawSigned = sawSigned || l.Kind != KindU64 && l.Kind != KindNull
		case DateFamily, TimeFamily, NaiveFamily, InstantFamily, DurationFamily:
			if l.Kind == KindNull {
				continue
			}
			if mul != 0 && mul != l.mul {
				return false
			}
			mul = l.mul
		default:
			return false
		}
	}
	return !sawSigned || !sawU64
}

// WordBytes returns how many low bytes of a canonical word tell the cells of a column apart.
func WordBytes(chunks []*Array) int {
	w := 0
	for _, a := range chunks {
		switch a.bottom().Kind {
		case KindNull:
		case KindBool, KindI8, KindU8:
			w = max(w, 1)
		case KindI16, KindU16:
			w = max(w, 2)
		case KindI32, KindU32:
			w = max(w, 4)
		default:
			w = 8
		}
	}
	if mixedSigns(chunks) {
		return 8
	}
	return w
}

// mixedSigns: a signed and an unsigned column of one width differ in the bytes above it.
func mixedSigns(chunks []*Array) bool {
	signed, unsigned := false, false
	for _, a := range chunks {
		switch a.bottom().Kind {
		case KindI8, KindI16, KindI32, KindI64:
			signed = true
		case KindU8, KindU16, KindU32, KindU64:
			unsigned = true
		}
	}
	return signed && unsigned
}
