package scd2

import (
	"fmt"
	"log/slog"

	"github.com/onerow-go/onerow/internal/tally"
)

var reasonNames = [...]string{
	NewKey: "new_key", Changed: "changed", Returned: "returned", Split: "split", Remembered: "remembered", DeletionRow: "deletion_row",
	Deleted: "deleted", Truncated: "truncated", WasAbsent: "was_absent", EndMoved: "end_moved", StartMoved: "start_moved",
	Corrected: "corrected", FlagMended: "flag_mended", Repeated: "repeated", Replaced: "replaced", LateEvent: "late_event",
	NotNewer: "not_newer", NullKeyed: "null_key", Tied: "tied", BelowWatermark: "below_watermark",
}

// String is the reason as logs and JSON have it: "new_key".
func (r Reason) String() string {
	if r > 0 && int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// MarshalText is String.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

var inputNames = [...]string{FromChanges: "changes", FromHistory: "history", FromState: "state"}

// String is the input's name: "changes".
func (i Input) String() string {
	if int(i) < len(inputNames) {
		return inputNames[i]
	}
	return fmt.Sprintf("Input(%d)", uint8(i))
}

// MarshalText is String.
func (i Input) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// String is the report as text, a line for each count. Counts that are rarely used are left out when they are 0. It ends without a
// newline.
func (r Report) String() string { return r.counts().String() }

// LogValue makes the report a group: the counts that String shows, under their JSON names.
func (r Report) LogValue() slog.Value { return slog.GroupValue(r.counts().Attrs()...) }

func (r *Report) counts() tally.Counts {
	return tally.Counts{
		{Key: "events", Label: "events", N: r.Events},
		{Key: "applied", Label: "applied", Depth: 1, N: r.Applied},
		{Key: "late", Label: "late", Depth: 2, N: r.Late, Rare: true},
		{Key: "unsure", Label: "without a state to know what followed", Depth: 3, N: r.Unsure, Rare: true},
		{Key: "unchanged", Label: "unchanged", Depth: 1, N: r.Unchanged},
		{Key: "superseded", Label: "superseded", Depth: 1, N: r.Superseded, Rare: true},
		{Key: "duplicates", Label: "duplicates", Depth: 1, N: r.Duplicates, Rare: true},
		{Key: "ignored", Label: "ignored", Depth: 1, N: r.Ignored, Rare: true},
		{Key: "rejected", Label: "rejected", Depth: 1, N: r.Rejected, Rare: true},
		{Key: "history", Label: "rows of the history", N: r.History},
		{Key: "open", Label: "open", Depth: 1, N: r.Open},
		{Key: "insert", Label: "inserted", N: r.Insert},
		{Key: "close", Label: "closed", N: r.Close},
		{Key: "closed_by_absence", Label: "absent", Depth: 1, N: r.ClosedByAbsence, Rare: true},
		{Key: "rewrite", Label: "rewritten", N: r.Rewrite},
		{Key: "remove", Label: "removed", N: r.Remove},
		{Key: "keys", Label: "keys touched", N: r.Keys},
		{Key: "remembered", Label: "rows of the state", N: r.Remembered, Rare: true},
		{Key: "forgotten", Label: "forgotten", Depth: 1, N: r.Forgotten, Rare: true},
	}
}
