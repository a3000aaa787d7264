package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/onerow-go/onerow/dedupe"
)

// summary adds up what happened in all micro-batches.
type summary struct {
	batches, truncates, truncated, keyChanges int64
	dedupe.Report
}

func (s *summary) add(rows []row, rep dedupe.Report) {
	for _, r := range rows {
		if r.previous != nil {
			s.keyChanges++
		}
	}
	s.In += rep.In
	s.Kept += rep.Kept
	s.Superseded += rep.Superseded
	s.Duplicates += rep.Duplicates
	s.Stale += rep.Stale
	s.Replays += rep.Replays
	s.Deletes += rep.Deletes
	s.EndedKeys += rep.EndedKeys
	s.Filled += rep.Filled
	s.Unfilled += rep.Unfilled
}

func (s *summary) print(w io.Writer, table string, g *target) error {
	var live int
	for _, r := range g.rows {
		if r.op != opDelete {
			live++
		}
	}
	fmt.Fprintf(w, "%s: %d rows\n", table, live)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range []struct {
		name  string
		count int64
		what  string
	}{
		{"batches", s.batches, "the snapshot is the first"},
		{"events", s.In, "snapshot rows included, truncates not"},
		{"kept", s.Kept, "newest of their key, written to the target"},
		{"deletes", s.Deletes, "of them deletes"},
		{"superseded", s.Superseded, "older than another event of the batch"},
		{"duplicates", s.Duplicates, "copies of a kept event in its batch"},
		{"stale", s.Stale, "not newer than the target's row"},
		{"replays", s.Replays, "of them equal to the target's row"},
		{"key changes", s.keyChanges, "events that name a previous key"},
		{"ended keys", s.EndedKeys, "keys that ended by one"},
		{"filled", s.Filled, "unchanged large values carried forward"},
		{"unfilled", s.Unfilled, "large values not found"},
		{"truncates", s.truncates, fmt.Sprintf("which ended %d rows", s.truncated)},
		{"tombstones", int64(len(g.rows) - live), "deleted keys that the target remembers"},
	} {
		fmt.Fprintf(out, "%s\t%d\t\t%s\n", line.name, line.count, line.what)
	}
	return out.Flush()
}
