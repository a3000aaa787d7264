package join

// sums are what is added up over the keys. Of a pair, the first is of the left side.
type sums struct {
	nullRows    [2]int64
	keys        [2]int64
	matchedKeys int64
	matchedRows [2]int64
	inner       Count
	most        [2]int64 // rows of a matched key on this side, the most
	repeated    [2]int64 // matched keys that repeat on this side

	// Of given placeholders.
	placeholderRows  [2]int64
	placeholderInner Count
}

func (s *sums) addNulls(o *sums) {
	for side, n := range o.nullRows {
		s.nullRows[side] += n
	}
}

func (s *sums) add(o *sums) {
	s.matchedKeys += o.matchedKeys
	s.inner = s.inner.plus(o.inner)
	s.placeholderInner = s.placeholderInner.plus(o.placeholderInner)
	for side := range s.keys {
		s.keys[side] += o.keys[side]
		s.matchedRows[side] += o.matchedRows[side]
		s.most[side] = max(s.most[side], o.most[side])
		s.repeated[side] += o.repeated[side]
		s.placeholderRows[side] += o.placeholderRows[side]
	}
}

// keyed is the number of rows of a side that take part in the matching.
func (s *sums) keyed(rows int64, side int, nulls Nulls) int64 {
	if nulls == NullsNever {
		return rows - s.nullRows[side]
	}
	return rows
}

// relationship names what rows of either side meet.
func relationship(matched, leftRepeats, rightRepeats bool) Relationship {
	switch {
	case !matched:
		return None
	case leftRepeats && rightRepeats:
		return ManyToMany
	case leftRepeats:
		return ManyToOne
	case rightRepeats:
		return OneToMany
	}
	return OneToOne
}
