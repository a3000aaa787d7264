package join

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/tally"
)

// AsOfReport counts facts by their status. Facts is the sum of the counts below it.
type AsOfReport struct {
	// Key are the key columns of the facts.
	Key         []string `json:"key"`
	Facts       int64    `json:"facts"`
	OK          int64    `json:"ok"`
	NullKey     int64    `json:"null_key"`
	NullTime    int64    `json:"null_time"`
	NoKey       int64    `json:"no_key"`
	BeforeFirst int64    `json:"before_first"`
	Gap         int64    `json:"gap"`
	Ambiguous   int64    `json:"ambiguous"`
	// Versions says what there is to say of the versions, whatever the facts.
	Versions VersionReport `json:"versions"`
}

// VersionReport says what there is to say of the versions of a call.
type VersionReport struct {
	// Key are the key columns.
	Key []string `json:"key"`
	// Rows is the number of versions, Keys that of their keys, with NULL only under NullsEqual.
	Rows int64 `json:"rows"`
	Keys int64 `json:"keys"`
	// NullKeys counts versions with NULL in their key, which meet no fact; 0 under NullsEqual.
	NullKeys int64 `json:"null_keys"`
	// Idle counts versions that can hold nothing: without a start, inverted, or empty.
	Idle int64 `json:"idle"`
	// Overlaps is the exact number of pairs of versions of one key that share time, and OverlappingKeys that of the keys.
	Overlaps        uint64 `json:"overlaps"`
	OverlappingKeys int64  `json:"overlapping_keys"`
	// Overlapping lists the first such keys, at most onerow.MaxSampleKeys, with the number of versions that share time with another, and the first
	// of these. They are in order of first such row.
	Overlapping []onerow.KeyRows `json:"overlapping,omitempty"`
}

// collectVersions adds the workers' parts up.
func collectVersions[K keyset.Words](r *ranging, workers []*rangeWorker[K]) VersionReport {
	v := VersionReport{Key: append([]string(nil), r.given.Key...), Rows: r.versions.Rows}
	var samples []sample
	for _, w := range workers {
		v.Keys += w.said.Keys
		v.NullKeys += w.said.NullKeys
		v.Idle += w.said.Idle
		v.Overlaps += w.said.Overlaps
		v.OverlappingKeys += w.said.OverlappingKeys
		samples = append(samples, w.samples...)
	}
	slices.SortFunc(samples, firstRow)
	for _, s := range samples[:min(len(samples), onerow.MaxSampleKeys)] {
		k := frame.KeyRows(r.keyCols, s.count, []uint32{r.first + s.rows[0]})
		k.Rows = s.rows
		v.Overlapping = append(v.Overlapping, k)
	}
	return v
}

// Err is nil when no two versions of one key share time, else a *onerow.KeysError that wraps [onerow.ErrBrokenHistory] and lists the first keys with
// their rows.
func (v *VersionReport) Err() error {
	if v.OverlappingKeys == 0 {
		return nil
	}
	return &onerow.KeysError{Kind: onerow.ErrBrokenHistory, Input: "versions", Columns: v.Key, Total: v.OverlappingKeys, Keys: v.Overlapping,
		Why: fmt.Sprintf("%s of versions share time", counted(v.Overlaps, "pair", "pairs"))}
}

func counted(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (v *VersionReport) counts() tally.Counts {
	return tally.Counts{
		{Key: "versions", Label: "versions", N: v.Rows},
		{Key: "version_keys", Label: "keys", Depth: 1, N: v.Keys},
		{Key: "version_null_keys", Label: "with NULL in key", Depth: 1, N: v.NullKeys, Rare: true},
		{Key: "idle", Label: "that hold nothing", Depth: 1, N: v.Idle, Rare: true},
		{Key: "overlapping_keys", Label: "keys with overlaps", Depth: 1, N: v.OverlappingKeys, Rare: true},
		{Key: "overlaps", Label: "pairs that overlap", Depth: 1, N: int64(min(v.Overlaps, math.MaxInt64)), Rare: true},
	}
}

// overlapText has a line for each key that is listed.
func (v *VersionReport) overlapText() string {
	var b strings.Builder
	for _, k := range v.Overlapping {
		var rows []string
		for _, r := range k.Rows {
			rows = append(rows, fmt.Sprint(r))
		}
		if int64(len(rows)) < k.Count {
			rows = append(rows, "…")
		}
		fmt.Fprintf(&b, "\nversions of %s overlap: rows %s", onerow.FormatKey(v.Key, k.Values), strings.Join(rows, ", "))
	}
	if more := v.OverlappingKeys - int64(len(v.Overlapping)); more > 0 {
		fmt.Fprintf(&b, "\n… (%d more)", more)
	}
	return b.String()
}

func (r *AsOfReport) counts() tally.Counts {
	return append(tally.Counts{
		{Key: "facts", Label: "facts", N: r.Facts},
		{Key: "ok", Label: "with a version", Depth: 1, N: r.OK},
		{Key: "null_key", Label: "with NULL in key", Depth: 1, N: r.NullKey, Rare: true},
		{Key: "null_time", Label: "without a time", Depth: 1, N: r.NullTime, Rare: true},
		{Key: "no_key", Label: "of keys without versions", Depth: 1, N: r.NoKey, Rare: true},
		{Key: "before_first", Label: "before the first version", Depth: 1, N: r.BeforeFirst, Rare: true},
		{Key: "gap", Label: "in a gap", Depth: 1, N: r.Gap, Rare: true},
		{Key: "ambiguous", Label: "with several versions", Depth: 1, N: r.Ambiguous, Rare: true},
	}, r.Versions.counts()...)
}

// String is the report as text: a verdict, the counts, and the keys whose versions overlap. Statuses that don't occur are left out. It ends without a
// newline.
func (r *AsOfReport) String() string {
	verdict := fmt.Sprintf("%d of %s matched", r.OK, counted(uint64(r.Facts), "fact", "facts"))
	return verdict + "\n" + r.counts().String() + r.Versions.overlapText()
}

// LogValue makes the report a group: the key, and the counts that String shows.
func (r *AsOfReport) LogValue() slog.Value {
	return slog.GroupValue(append([]slog.Attr{slog.Any("key", r.Key)}, r.counts().Attrs()...)...)
}

// String is that of the report: the rows are data.
func (m *Matches) String() string { return m.Report.String() }

// MarshalJSON writes the report: the rows are data.
func (m *Matches) MarshalJSON() ([]byte, error) { return json.Marshal(&m.Report) }

// LogValue is that of the report.
func (m *Matches) LogValue() slog.Value { return m.Report.LogValue() }

func (s *RangeSize) counts() tally.Counts {
	whole := func(c Count) int64 {
		if c.Cmp(CountOf(math.MaxInt64)) > 0 {
			return math.MaxInt64
		}
		return int64(c.lo)
	}
	return append(tally.Counts{
		{Key: "inner", Label: "rows of the inner join", N: whole(s.Inner)},
		{Key: "left", Label: "rows of the left join", N: whole(s.Left)},
		{Key: "most", Label: "most rows of one fact", N: int64(s.Most)},
		{Key: "facts", Label: "facts", N: s.Facts},
		{Key: "held", Label: "with a version", Depth: 1, N: s.Held},
	}, s.Versions.counts()...)
}

// String is the size as text: a verdict, the counts, and the keys whose versions overlap. It ends without a newline.
func (s *RangeSize) String() string {
	rows := s.Inner.String() + " rows"
	if s.Inner == CountOf(1) {
		rows = "1 row"
	}
	verdict := rows + " of " + counted(uint64(s.Facts), "fact", "facts")
	return verdict + "\n" + s.counts().String() + s.Versions.overlapText()
}

// LogValue makes the size a group: the key, and the counts that String shows.
func (s *RangeSize) LogValue() slog.Value {
	return slog.GroupValue(append([]slog.Attr{slog.Any("key", s.Key)}, s.counts().Attrs()...)...)
}

// statusNames are the statuses as texts and JSON write them.
var statusNames = [statuses]string{OK: "ok", NullKey: "null_key", NullTime: "null_time", NoKey: "no_key", BeforeFirst: "before_first", Gap: "gap", Ambiguous: "ambiguous"}

// String is the status's name: ok, null_key, null_time, no_key, before_first, gap, ambiguous.
func (s Status) String() string {
	if s < statuses {
		return statusNames[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// MarshalText gives the status's name. It fails on a value that isn't a status.
func (s Status) MarshalText() ([]byte, error) {
	if s < statuses {
		return []byte(statusNames[s]), nil
	}
	return nil, fmt.Errorf("%v is no status", s)
}

// UnmarshalText reads a status's name.
func (s *Status) UnmarshalText(text []byte) error {
	at := slices.Index(statusNames[:], string(text))
	if at < 0 {
		return fmt.Errorf("%q is no status", text)
	}
	*s = Status(at)
	return nil
}
