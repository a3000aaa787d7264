package join

import (
	"slices"
	"strings"
)

// SetLeastSketchKeys lets samples be smaller than MinSketchKeys, until the returned function is called.
func SetLeastSketchKeys(n int) (restore func()) {
	old := leastSketchKeys
	leastSketchKeys = n
	return func() { leastSketchKeys = old }
}

// SetSketchRows sets how many rows of a stream are summarised at a time, until the returned function is called.
func SetSketchRows(n int64) (restore func()) {
	old := sketchRows
	sketchRows = n
	return func() { sketchRows = old }
}

// Only is the text and the bytes of the key of a sketch that has one.
func (s *Sketch) Only() (text, id string, ok bool) {
	if len(s.sample) != 1 {
		return "", "", false
	}
	return strings.Join(s.sample[0].texts, ", "), s.sample[0].id, true
}

// Plain is the sketch with other texts of its keys: their bytes.
func (s *Sketch) Plain() *Sketch {
	p := *s
	for _, keys := range []*[]sketchKey{&p.sample, &p.heavy} {
		*keys = slices.Clone(*keys)
		for i, k := range *keys {
			(*keys)[i].texts = make([]string, len(k.texts))
		}
	}
	return &p
}

// Sampled is the sketch without its heavy keys and buckets.
func (s *Sketch) Sampled() *Sketch {
	p := *s
	p.heavy, p.buckets, p.least = nil, nil, 0
	return &p
}
