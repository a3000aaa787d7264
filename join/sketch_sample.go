package join

import "math"

// sampleStats are what the keys of the sample say of all keys that aren't known. Of a pair, the first is of the left side.
type sampleStats struct {
	theta   float64 // the portion of keys that are in the sample
	keys    []sampledKey
	sums    [measures]float64
	rows    [2]float64 // of these keys
	squares [2]float64 // of the rows of each, the sum

	// Of a key that the side has, 1 where it has none:

	mean       [2]float64 // rows
	meanSquare [2]float64

	// Of a key that the side has, on the other side:

	meets [2]partner // what it meets
	slope [2]float64 // rows for each of its own, where the sampled keys are nearer to that than to their mean; else 0
}

// sampledKey is a key of the sample that isn't heavy, with its rows and what it makes.
type sampledKey struct {
	rows   [2]float64
	values [measures]float64
}

// partner says what a key meets on the other side: whether any rows, how many, and how many beyond the first.
type partner struct{ any, rows, more moments }

// moments are the mean and the variance of a sample of n.
type moments struct{ n, mean, variance float64 }

func momentsOf(values []float64) (m moments) {
	m.n = float64(len(values))
	if m.n == 0 {
		return m
	}
	for _, v := range values {
		m.mean += v / m.n
	}
	for _, v := range values {
		m.variance += (v - m.mean) * (v - m.mean) / max(m.n-1, 1)
	}
	return m
}

// portion is the part of all hashes up to one, less than 1.
func portion(hash uint64) float64 { return min((float64(hash)+0.5)*0x1p-64, 1-0x1p-53) }

// stats reads the sample. Both sides know its keys up to the last of the shorter sample; that one says how far it reaches, and tells no more.
func (e *sketchEstimate) stats() *sampleStats {
	reach := uint64(math.MaxUint64)
	for _, s := range e.sides {
		if s.full {
			reach = min(reach, s.sample[len(s.sample)-1].hash)
		}
	}
	st := &sampleStats{theta: portion(reach)}
	var counts [2]int
	var met [2][3][]float64
	for i := range e.known {
		k := &e.known[i]
		if !k.sampled || k.heavy || k.hash >= reach {
			continue
		}
		v := sampledKey{rows: [2]float64{float64(k.low[leftSide]), float64(k.low[rightSide])}}
		v.values = weigh(v.rows[leftSide], v.rows[rightSide])
		st.keys = append(st.keys, v)
		for m, n := range v.values {
			st.sums[m] += n
		}
		for side, n := range k.low {
			if n == 0 {
				continue
			}
			counts[side]++
			st.rows[side] += float64(n)
			st.squares[side] += float64(n) * float64(n)
			other := float64(k.low[1-side])
			met[side][0] = append(met[side][0], min(other, 1))
			met[side][1] = append(met[side][1], other)
			met[side][2] = append(met[side][2], max(other-1, 0))
		}
	}
	for side := range met {
		st.mean[side] = max(1, share(st.rows[side], float64(counts[side])))
		st.meanSquare[side] = max(1, share(st.squares[side], float64(counts[side])))
	}
	for side, m := range met {
		st.meets[side] = partner{any: meeting(m[0], 1), rows: meeting(m[1], st.mean[1-side]), more: meeting(m[2], st.mean[1-side]-1)}
		st.slope[side] = st.proportion(side)
	}
	return st
}

// proportion is the slope of a side (a line through the origin, least squares).
func (st *sampleStats) proportion(side int) float64 {
	if st.squares[side] == 0 {
		return 0
	}
	slope, mean := st.sums[innerRows]/st.squares[side], st.meets[side].rows.mean
	var even, like float64
	for i := range st.keys {
		if r := &st.keys[i].rows; r[side] > 0 {
			even += (r[1-side] - mean) * (r[1-side] - mean)
			like += (r[1-side] - slope*r[side]) * (r[1-side] - slope*r[side])
		}
	}
	if like >= even {
		return 0
	}
	return slope
}

// meeting says what sampled keys of a side meet, with an error of at least that of one such key that meets what it usually should. Where no sampled key
// tells, it is taken to meet that, the error being as large.
func meeting(values []float64, usual float64) moments {
	m := momentsOf(values)
	if m.n == 0 {
		m = moments{n: 1, mean: usual}
	}
	one := max(m.mean, usual)
	m.variance += one * one / m.n
	return m
}

// weigh gives the measures of a key with numbers of rows that may be estimates.
func weigh(l, r float64) [measures]float64 {
	if l <= 0 || r <= 0 {
		return [measures]float64{}
	}
	return [measures]float64{innerRows: l * r, leftMore: l * max(r-1, 0), rightMore: max(l-1, 0) * r, leftMatched: l, rightMatched: r, matchedKeys: 1}
}

// addSample puts the estimates beside the bounds.
func (e *sketchEstimate) addSample() {
	st := e.stats()
	e.addKnownValues(st)
	if e.rest[leftSide] != nil && e.rest[rightSide] != nil {
		e.addUnknownValues(st)
	}
	for m := range e.parts {
		p := &e.parts[m]
		p.value = min(max(p.value, p.low.Float64()), p.high.Float64())
	}
}

// addKnownValues adds the keys up that are known on both sides, or on one.
func (e *sketchEstimate) addKnownValues(st *sampleStats) {
	o := &oneSided{}
	var half [measures]float64 // of the distance between the bounds of a key
	for i := range e.known {
		k := &e.known[i]
		if side, one := e.unknownSide(k); one {
			if k.high[side] > 0 {
				o.add(e, st, k, 1-side)
			}
			continue
		}
		low, high := amounts(k.low[leftSide], k.low[rightSide]), amounts(k.high[leftSide], k.high[rightSide])
		k.values = weigh(k.middle(leftSide), k.middle(rightSide))
		for m := range e.parts {
			half[m] += (high[m].Float64() - low[m].Float64()) / 2
			e.parts[m].value += k.values[m]
		}
	}
	for m := range e.parts {
		// As if every number between the bounds were as likely, but on one side of the middle for all keys: a heavy key of one part of a
		// merged sketch that isn't of another may have many rows there, or none.
		e.parts[m].variance += half[m] * half[m] / 3
	}
	for with := range sideNames {
		_, of := partnered(with, 1, &st.meets[with])
		for m := range e.parts {
			light, heavy, beyond := o.light[with][m], o.heavy[with][m], o.beyond[with][m]
			// What sets heavy keys apart from sampled ones may be the same for all: their errors add up as one.
			e.parts[m].variance += (light*light/of[m].n+heavy*heavy)*of[m].variance + beyond*beyond/4
		}
	}
}

// oneSided sums up the keys that only one side knows, by that side: what is multiplied by a mean of the other one, for keys that aren't heavy
// and for heavy ones; and how much more than by the mean heavy keys are taken to meet.
type oneSided struct{ light, heavy, beyond [2][measures]float64 }

func (o *oneSided) add(e *sketchEstimate, st *sampleStats, k *knownKey, with int) {
	side, rows := 1-with, k.middle(with)
	factor, of := partnered(with, rows, &st.meets[with])
	most := amounts(k.high[leftSide], k.high[rightSide])
	guess := min(st.meets[with].rows.mean, float64(k.high[side]))
	var like [measures]float64
	if y := min(st.slope[with]*rows, float64(k.high[side])); k.heavy && y > guess {
		guess = y
		both := [2]float64{y, y}
		both[with] = rows
		like = weigh(both[leftSide], both[rightSide])
	}
	e.guessed[side].rows += guess
	e.guessed[side].squares += guess * guess
	for m := range e.parts {
		mean := min(factor[m]*of[m].mean, most[m].Float64())
		k.values[m] = max(mean, min(like[m], most[m].Float64()))
		o.beyond[with][m] += k.values[m] - mean
		e.parts[m].value += k.values[m]
		if k.heavy {
			o.heavy[with][m] += factor[m]
		} else {
			o.light[with][m] += factor[m]
			e.parts[m].variance += factor[m] * factor[m] * of[m].variance
		}
	}
}

// unknownSide returns the side that doesn't know a key, if there is one.
func (e *sketchEstimate) unknownSide(k *knownKey) (side int, ok bool) {
	for side, s := range e.sides {
		if _, heavy := s.at[k.keyRef]; !heavy && !s.covers(k.sketchKey) {
			return side, true
		}
	}
	return 0, false
}

func (k *knownKey) middle(side int) float64 {
	return (float64(k.low[side]) + float64(k.high[side])) / 2
}

// partnered says what a key of a side with so many rows makes of its partner: each measure is a factor times one of the partner's means.
func partnered(side int, rows float64, p *partner) (factor [measures]float64, of [measures]*moments) {
	more, otherMore, matched, otherMatched := leftMore, rightMore, leftMatched, rightMatched
	if side == rightSide {
		more, otherMore, matched, otherMatched = otherMore, more, otherMatched, matched
	}
	factor[innerRows], of[innerRows] = rows, &p.rows
	factor[more], of[more] = rows, &p.more
	factor[otherMore], of[otherMore] = max(rows-1, 0), &p.rows
	factor[matched], of[matched] = rows, &p.any
	factor[otherMatched], of[otherMatched] = 1, &p.rows
	factor[matchedKeys], of[matchedKeys] = 1, &p.any
	return factor, of
}

// unknowns are the keys of a side that neither side knows: their rows, the sum of the squares of each one's, and whether this is exact.
type unknowns struct {
	rows, squares float64
	exact         bool
}

// addUnknownValues estimates the keys that neither side knows: they are to the rows that they have on a side, or to the squares of these, as
// the sampled ones are; that one of the four is taken from which these vary least (a ratio estimate, see Cochran, Sampling Techniques, 1977,
// chapter 6).
func (e *sketchEstimate) addUnknownValues(st *sampleStats) {
	var unknown [2]unknowns
	var high [measures]float64
	for i := range e.n {
		rest := [2]bucket{e.rest[leftSide][i].trimmed(), e.rest[rightSide][i].trimmed()}
		for side, b := range rest {
			unknown[side].rows += float64(b.rows)
			unknown[side].squares += b.squares.Float64()
		}
		for m, c := range holder(rest[leftSide], rest[rightSide]) {
			high[m] += c.Float64()
		}
	}
	scale := (1 - st.theta) / (st.theta * st.theta)
	odd, skew := e.oddKey(st), 1.0
	for side, known := range st.squares {
		// The sums of squares say whether the sample lacks keys of many rows that there are.
		u := &unknown[side]
		if known > 0 {
			skew *= max(1, u.squares/(known*(1-st.theta)/st.theta))
		}
		u.exact = e.sides[side].keys().Exact()
		u.rows = max(0, u.rows-e.guessed[side].rows)
		u.squares = max(0, u.squares-e.guessed[side].squares)
	}
	for m := range e.parts {
		if high[m] == 0 {
			continue
		}
		value, variance, found := high[m]/2, high[m]*high[m]/12, false
		for side, u := range unknown {
			for _, by := range st.auxiliaries(side, u) {
				ratio, residual := st.ratio(m, side, by)
				off := max(ratio*by.mean, odd[m])
				if v := scale * (residual*skew + off*off); !found || v < variance {
					value, variance, found = ratio*by.unknown, v, true
				}
			}
		}
		e.parts[m].value += value
		e.parts[m].variance += variance
	}
}

// auxiliary is something known of the keys of a side: the sum of all that aren't known, of those of the sample, and the mean of these.
type auxiliary struct {
	unknown, sampled, mean float64
	squares                bool // of the rows, not the rows themselves
}

func (st *sampleStats) auxiliaries(side int, u unknowns) (by []auxiliary) {
	if st.rows[side] > 0 {
		by = append(by, auxiliary{u.rows, st.rows[side], st.mean[side], false})
	}
	if st.rows[side] > 0 && u.exact {
		by = append(by, auxiliary{u.squares, st.squares[side], st.meanSquare[side], true})
	}
	return by
}

// ratio is that of a measure to an auxiliary in the sample, and the sum of squares of what the keys differ by.
func (st *sampleStats) ratio(m, side int, by auxiliary) (ratio, residual float64) {
	ratio = st.sums[m] / by.sampled
	for i := range st.keys {
		x := st.keys[i].rows[side]
		if by.squares {
			x *= x
		}
		d := st.keys[i].values[m] - ratio*x
		residual += d * d
	}
	return ratio, residual
}

// oddKey is what a key makes that isn't in the sample and might be: it has as many rows as those in it on average, two where a side has such keys.
func (e *sketchEstimate) oddKey(st *sampleStats) [measures]float64 {
	var n [2]float64
	for side := range n {
		most := uint64(0)
		for _, b := range e.rest[side] {
			most = max(most, b.trimmed().most)
		}
		n[side] = max(st.mean[side], float64(min(2, most)))
	}
	return weigh(n[leftSide], n[rightSide])
}
