package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/onerow-go/onerow/scd2"
)

// historySummary adds up what happened in all micro-batches.
type historySummary struct {
	batches, truncates, keyChanges, checks int64
	scd2.Report
	planned, checked time.Duration
}

func (s *historySummary) add(rows []row, rep *scd2.Report) {
	s.batches++
	for _, r := range rows {
		if r.op == opTruncate {
			s.truncates++
		}
		if r.previous != nil {
			s.keyChanges++
		}
	}
	s.Events += rep.Events
	s.Applied += rep.Applied
	s.Unchanged += rep.Unchanged
	s.Superseded += rep.Superseded
	s.Duplicates += rep.Duplicates
	s.Ignored += rep.Ignored
	s.Rejected += rep.Rejected
	s.Insert += rep.Insert
	s.Close += rep.Close
	s.Rewrite += rep.Rewrite
	s.Remove += rep.Remove
	s.Late += rep.Late
	s.Unsure += rep.Unsure
	s.Remembered = rep.Remembered
}

func (s *historySummary) print(w io.Writer, h *historian) error {
	var versions int64
	for _, b := range h.batches {
		versions += b.NumRows()
	}
	fmt.Fprintf(w, "%s: %d versions\n", h.table.name, versions)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range []struct {
		name  string
		count int64
		what  string
	}{
		{"batches", s.batches, "one plan each"},
		{"events", s.Events, "snapshot rows and truncates included"},
		{"applied", s.Applied, "made a difference to the history"},
		{"unchanged", s.Unchanged, "said what it said already"},
		{"superseded", s.Superseded, "older than another event of the same transaction and key"},
		{"duplicates", s.Duplicates, "copies of an event of the same batch"},
		{"late", s.Late, "applied before a version that was there"},
		{"unsure", s.Unsure, "of them without knowing all that was said after"},
		{"ignored", s.Ignored, "left out"},
		{"rejected", s.Rejected, "set aside"},
		{"key changes", s.keyChanges, "events that name a previous key"},
		{"truncates", s.truncates, ""},
		{"filled", h.carrier.filled, "unchanged large values carried forward"},
		{"inserted", s.Insert, "versions that came new"},
		{"closed", s.Close, "open versions that got an end"},
		{"rewritten", s.Rewrite, "versions that changed otherwise"},
		{"removed", s.Remove, "versions that vanished"},
		{"state", s.Remembered, "rows that the planner remembers at the end"},
		{"checks", s.checks, "histories without a fault, one after each batch"},
	} {
		fmt.Fprintf(out, "%s\t%d\t\t%s\n", line.name, line.count, line.what)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "plan and apply took %.1f s, check %.1f s\n", s.planned.Seconds(), s.checked.Seconds())
	return err
}
