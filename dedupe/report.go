package dedupe

import (
	"log/slog"

	"github.com/onerow-go/onerow/internal/tally"
)

// counts lists the report for String and LogValue.
func (r Report) counts() tally.Counts {
	return tally.Counts{
		{Key: "in", Label: "rows in", N: r.In},
		{Key: "kept", Label: "kept", Depth: 1, N: r.Kept},
		{Key: "deletes", Label: "deletes", Depth: 2, N: r.Deletes, Rare: true},
		{Key: "superseded", Label: "superseded", Depth: 1, N: r.Superseded},
		{Key: "duplicates", Label: "duplicates", Depth: 1, N: r.Duplicates},
		{Key: "set_aside", Label: "set aside", Depth: 1, N: r.SetAside, Rare: true},
		{Key: "tied_rows", Label: "tied", Depth: 2, N: r.TiedRows, Rare: true},
		{Key: "stale", Label: "stale", Depth: 1, N: r.Stale, Rare: true},
		{Key: "replays", Label: "replays", Depth: 2, N: r.Replays, Rare: true},
		{Key: "null_key_rows", Label: "rows with NULL in key", N: r.NullKeyRows, Rare: true},
		{Key: "null_order_rows", Label: "rows with NULL in order", N: r.NullOrderRows, Rare: true},
		{Key: "tied_keys", Label: "keys with a tie", N: r.TiedKeys, Rare: true},
		{Key: "delete_ties", Label: "keys with a delete tie", N: r.DeleteTies, Rare: true},
		{Key: "ended_keys", Label: "keys ended by a key change", N: r.EndedKeys, Rare: true},
		{Key: "filled", Label: "values carried forward", N: r.Filled, Rare: true},
		{Key: "unfilled", Label: "values still unavailable", N: r.Unfilled, Rare: true},
	}
}

// String is the report as a table, a line for each count; parts are indented below their whole. Counts that are rarely
// used are left out when they are 0. It ends without a newline.
func (r Report) String() string { return r.counts().String() }

// LogValue makes the report a group of the counts that String shows, under their JSON names.
func (r Report) LogValue() slog.Value { return slog.GroupValue(r.counts().Attrs()...) }
