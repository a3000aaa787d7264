package join

import "math"

// sampleStats are what the keys of the sample say of all keys that aren't known. Of a pair, the first is of the left side.
type sampleStats struct {
	theta   float64 // the portion of keys that are in the sample
	keys    []*knownKey
	rows    [2]float64 // of these keys
	squares [2]float64 // of the rows of each, the sum
	mean    [2]float64 // rows of one of these keys that the side has, 1 where it has none
	meets   [2]partner // what such a key of this side meets on the other
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

// portion is the part of all hashes up to one.
func portion(hash uint64) float64 { return (float64(hash) + 0.5) * 0x1p-64 }

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
		st.keys = append(st.keys, k)
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
	for side, m := range met {
		st.mean[side] = max(1, share(st.rows[side], float64(counts[side])))
		st.meets[side] = partner{momentsOf(m[0]), momentsOf(m[1]), momentsOf(m[2])}
	}
	return st
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
	var factors [2][2][measures]float64 // by the side that knows the key, others and heavy ones: what is multiplied by a mean, the sum
	for i := range e.known {
		k := &e.known[i]
		side, one := e.unknownSide(k)
		if !one {
			low, high := amounts(k.low[leftSide], k.low[rightSide]), amounts(k.high[leftSide], k.high[rightSide])
			values := weigh(k.middle(leftSide), k.middle(rightSide))
			for m := range e.parts {
				half := (high[m].Float64() - low[m].Float64()) / 2
				k.values[m] = values[m]
				e.parts[m].value += values[m]
				e.parts[m].variance += half * half / 3 // as if every number between them were as likely
			}
			continue
		}
		if k.high[side] == 0 {
			continue
		}
		with, mean := 1-side, e.meeting(st, 1-side)
		factor, of := partnered(with, k.middle(with), mean)
		most := amounts(k.high[leftSide], k.high[rightSide])
		for m := range e.parts {
			k.values[m] = min(factor[m]*of[m].mean, most[m].Float64())
			e.parts[m].value += k.values[m]
			if k.heavy {
				factors[with][1][m] += factor[m]
				continue
			}
			factors[with][0][m] += factor[m]
			e.parts[m].variance += factor[m] * factor[m] * of[m].variance
		}
		e.guessed[side] += min(mean.rows.mean, float64(k.high[side]))
	}
	for with, sums := range factors {
		_, of := partnered(with, 1, e.meeting(st, with))
		for m := range e.parts {
			// What sets heavy keys apart from sampled ones may be the same for all: their errors add up as one.
			e.parts[m].variance += (sums[0][m]*sums[0][m]/of[m].n + sums[1][m]*sums[1][m]) * of[m].variance
		}
	}
}

// unknownSide returns the side that doesn't know a key, if there is one.
func (e *sketchEstimate) unknownSide(k *knownKey) (side int, ok bool) {
	for side, s := range e.sides {
		if _, heavy := s.at[k.id]; !heavy && !s.covers(k.sketchKey) {
			return side, true
		}
	}
	return 0, false
}

func (k *knownKey) middle(side int) float64 {
	return (float64(k.low[side]) + float64(k.high[side])) / 2
}

// partnered says what a key of a side with so many rows makes of its partner: each measure is a factor times one of the partner's means.
func partnered(side int, rows float64, p partner) (factor [measures]float64, of [measures]moments) {
	more, otherMore, matched, otherMatched := leftMore, rightMore, leftMatched, rightMatched
	if side == rightSide {
		more, otherMore, matched, otherMatched = otherMore, more, otherMatched, matched
	}
	factor[innerRows], of[innerRows] = rows, p.rows
	factor[more], of[more] = rows, p.more
	factor[otherMore], of[otherMore] = max(rows-1, 0), p.rows
	factor[matched], of[matched] = rows, p.any
	factor[otherMatched], of[otherMatched] = 1, p.rows
	factor[matchedKeys], of[matchedKeys] = 1, p.any
	return factor, of
}

// meeting says what a key of a side meets, with an error of at least that of one sampled key that meets what it should. Where no sampled key
// tells, it is taken to meet what the other side's keys have, the error being as large.
func (e *sketchEstimate) meeting(st *sampleStats, side int) partner {
	p, rows := st.meets[side], st.mean[1-side]
	for m, usual := range map[*moments]float64{&p.any: 1, &p.rows: rows, &p.more: rows - 1} {
		if m.n == 0 {
			*m = moments{n: 1, mean: usual}
		}
		one := max(m.mean, usual)
		m.variance += one * one / m.n
	}
	return p
}

// addUnknownValues estimates the keys that neither side knows: they are to the rows that they have on a side as the sampled ones are, on
// the side on which these vary least (a ratio estimate, see Cochran, Sampling Techniques, 1977, chapter 6).
func (e *sketchEstimate) addUnknownValues(st *sampleStats) {
	var unknown [2]float64 // rows
	var high [measures]float64
	for i := range e.n {
		l, r := e.rest[leftSide][i].trimmed(), e.rest[rightSide][i].trimmed()
		unknown[leftSide] += float64(l.rows)
		unknown[rightSide] += float64(r.rows)
		for m, c := range holder(l, r) {
			high[m] += c.Float64()
		}
	}
	for side, rows := range e.guessed {
		unknown[side] = max(0, unknown[side]-rows)
	}
	scale := (1 - st.theta) / (st.theta * st.theta)
	odd, skew := e.oddKey(st), 1.0
	// The sums of squares say whether the sample lacks keys of many rows that there are.
	for side, known := range st.squares {
		total := 0.0
		for _, b := range e.rest[side] {
			total += b.trimmed().squares.Float64()
		}
		if known > 0 {
			skew *= max(1, total/(known*(1-st.theta)/st.theta))
		}
	}
	for m := range e.parts {
		p := &e.parts[m]
		value, variance := high[m]/2, high[m]*high[m]/12
		found := false
		for side := range sideNames {
			if st.rows[side] == 0 || high[m] == 0 {
				continue
			}
			ratio, residual := st.ratio(side, m)
			off := max(ratio*st.mean[side], odd[m])
			if v := scale * (residual*skew + off*off); !found || v < variance {
				value, variance, found = ratio*unknown[side], v, true
			}
		}
		if high[m] == 0 {
			value, variance = 0, 0
		}
		p.value += value
		p.variance += variance
	}
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

// ratio is that of a measure to the rows of a side in the sample, and the sum of squares of what the keys differ by.
func (st *sampleStats) ratio(side, m int) (ratio, residual float64) {
	sum := 0.0
	for _, k := range st.keys {
		sum += weigh(float64(k.low[leftSide]), float64(k.low[rightSide]))[m]
	}
	ratio = sum / st.rows[side]
	for _, k := range st.keys {
		d := weigh(float64(k.low[leftSide]), float64(k.low[rightSide]))[m] - ratio*float64(k.low[side])
		residual += d * d
	}
	return ratio, residual
}
