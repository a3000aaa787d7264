package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
	"github.com/onerow-go/onerow/scd2"
)

// How many keys the time line shows: those that make the most rows, and those with versions that share time.
const (
	worstOnLine       = 6
	overlappingOnLine = 3
)

// timeline is the versions of a few keys.
type timeline struct {
	// From and To are the columns of the boundaries.
	From, To string
	// Overlaps is the number of pairs of versions, of all keys, that share time.
	Overlaps uint64
	Keys     []keyLine
}

// keyLine is a key with its versions, by start.
type keyLine struct {
	Key   string `json:"key"`
	Spans []span `json:"spans"`
	// Lanes is the number of lines that the versions need so that none hides another: 1 unless some overlap.
	Lanes int `json:"lanes"`
}

// span is a version: milliseconds since 1970, and no end while it is open.
type span struct {
	From int64  `json:"from"`
	To   *int64 `json:"to"`
	Lane int    `json:"lane"`
	// Shared says that it overlaps another one.
	Shared bool `json:"shared,omitempty"`
}

// drawVersions looks up the versions of the keys that make the most rows, and of some that overlap, as they are once placeholders and copies are gone.
func (c *cure) drawVersions(ctx context.Context, from, to string) error {
	size, err := join.Estimate(ctx, c.left, c.right, c.on, join.Options{Nulls: c.q.nulls})
	if err != nil {
		return err
	}
	checked, err := scd2.Check(ctx, scd2.Table{Batches: c.right, Key: c.on.Right, ValidFrom: from, ValidTo: to}, scd2.CheckOptions{})
	if err != nil {
		return err
	}
	var keys []join.KeySize
	keys = append(keys, size.Right.Repeats[:min(len(size.Right.Repeats), worstOnLine)]...)
	for _, f := range checked.Findings {
		same := func(k join.KeySize) bool { return slices.Equal(k.Values, f.Key) }
		if f.Kind == scd2.Overlap && len(keys) < worstOnLine+overlappingOnLine && !slices.ContainsFunc(keys, same) {
			keys = append(keys, join.KeySize{Values: f.Key, RightRows: f.Rows})
		}
	}
	if len(keys) == 0 {
		c.a.NoVersions = "Versions repeat keys of " + c.a.Right + ", but none of " + c.a.Left + "."
		return nil
	}
	rec, keys, err := c.rowsOf(ctx, keys)
	if err != nil {
		return err
	}
	defer rec.Release()
	c.a.Versions = &timeline{From: from, To: to, Overlaps: checked.Overlaps}
	for _, k := range keys {
		line := keyLine{Key: keyLabel(k.Values)}
		if line.Spans, err = spans(rec, k.RightRows, from, to); err != nil {
			c.a.Versions, c.a.NoVersions = nil, err.Error()
			return nil
		}
		line.Lanes = lanes(line.Spans)
		c.a.Versions.Keys = append(c.a.Versions.Keys, line)
	}
	return nil
}

// rowsOf takes the right rows of some keys, and lists for each key all of its rows in what it took. Reports list a few rows of a key; Split
// finds all: once those of all keys among many rows, and then each key's among these.
func (c *cure) rowsOf(ctx context.Context, keys []join.KeySize) (arrow.Record, []join.KeySize, error) {
	opts := join.SplitOptions{Nulls: c.q.nulls, Placeholders: []onerow.Value{}, Listed: keys}
	all, err := join.Split(ctx, c.left, c.right, c.on, opts)
	if err != nil {
		return nil, nil, err
	}
	rec, err := onerow.Take(ctx, c.right, all.Right.Chosen, onerow.Resources{Allocator: c.alloc})
	if err != nil {
		return nil, nil, err
	}
	none := c.left[0].NewSlice(0, 0)
	defer none.Release()
	out := slices.Clone(keys)
	for i, k := range keys {
		first, _ := slices.BinarySearch(all.Right.Chosen, k.RightRows[0])
		opts.Listed = []join.KeySize{{RightRows: onerow.Rows{uint32(first)}}}
		one, err := join.Split(ctx, []arrow.Record{none}, []arrow.Record{rec}, c.on, opts)
		if err != nil {
			rec.Release()
			return nil, nil, err
		}
		out[i].RightRows = one.Right.Chosen
	}
	return rec, out, nil
}

func spans(rec arrow.Record, rows onerow.Rows, from, to string) ([]span, error) {
	var bounds [2]arrow.Array
	for i, name := range []string{from, to} {
		bounds[i] = rec.Column(rec.Schema().FieldIndices(name)[0])
	}
	out := make([]span, 0, len(rows))
	for _, row := range rows {
		start, ok := millis(bounds[0], int(row))
		if !ok {
			return nil, fmt.Errorf("%s is of type %v: no dates that could be drawn", from, bounds[0].DataType())
		}
		s := span{From: start}
		if end, ok := millis(bounds[1], int(row)); ok && end < endOfTime {
			s.To = &end
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b span) int { return int(min(1, max(-1, a.From-b.From))) })
	return out, nil
}

// endOfTime is the day that stands for an open end where that isn't NULL.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC).UnixMilli()

// millis returns a date or timestamp in milliseconds since 1970, rounded down, and false for NULL and other types.
func millis(a arrow.Array, i int) (int64, bool) {
	if a.IsNull(i) {
		return 0, false
	}
	switch a := a.(type) {
	case *array.Date32:
		return int64(a.Value(i)) * 24 * 60 * 60 * 1000, true
	case *array.Date64:
		return int64(a.Value(i)), true
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		if unit == arrow.Second {
			return int64(a.Value(i)) * 1000, true
		}
		perMilli := int64(time.Millisecond / unit.Multiplier())
		return int64(a.Value(i)) / perMilli, true
	}
	return 0, false
}

// lanes deals spans, by start, out over lines: each goes to the first on which it hides no other. It marks those that share time and returns the
// number of lines.
func lanes(spans []span) int {
	var ends []int64
	for i := range spans {
		s := &spans[i]
		s.Lane = slices.IndexFunc(ends, func(end int64) bool { return end <= s.From })
		if s.Lane < 0 {
			s.Lane = len(ends)
			ends = append(ends, 0)
		}
		ends[s.Lane] = s.end()
		for j := range i {
			if before := &spans[j]; before.end() > s.From && before.From < s.end() {
				before.Shared, s.Shared = true, true
			}
		}
	}
	return len(ends)
}

func (s *span) end() int64 {
	if s.To == nil {
		return endOfTime
	}
	return *s.To
}
