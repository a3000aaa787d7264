package keyset

// SampleFrom makes keys of few rows go by a sample too, of a row of so many, and gives room to a number of values. A value that a sample has once is
// one of few with again 1.
func SampleFrom(rows, every uint32, again, room int) (restore func()) {
	was := sampling
	sampling.from, sampling.every, sampling.again, sampling.room = rows, every, again, room
	return func() { sampling = was }
}

// Ways says how keys are read, in a letter a column: w for a whole word, n for a narrowed one, t for a text, c for a number of few; "" when they don't go by a
// sample.
func (k *Keys) Ways() (ways string) {
	for _, f := range k.fits {
		switch {
		case f.way == byText:
			ways += "t"
		case f.way == byCode:
			ways += "c"
		case f.whole:
			ways += "w"
		default:
			ways += "n"
		}
	}
	return ways
}
