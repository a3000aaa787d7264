package scd2

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/tally"
)

// kinds names the kinds of faults: as texts and JSON write them, one, and several.
var kinds = [...]struct{ name, one, many string }{
	Overlap:         {"overlap", "overlap", "overlaps"},
	Gap:             {"gap", "gap", "gaps"},
	Inverted:        {"inverted", "inverted version", "inverted versions"},
	ZeroLength:      {"zero_length", "empty version", "empty versions"},
	TwoOpen:         {"two_open", "key with several open versions", "keys with several open versions"},
	DuplicateStart:  {"duplicate_start", "start of several versions", "starts of several versions"},
	NullStart:       {"null_start", "version without a start", "versions without a start"},
	NullKey:         {"null_key", "row with NULL in key", "rows with NULL in key"},
	CurrentMismatch: {"current_mismatch", "wrong current flag", "wrong current flags"},
}

// String is the kind's name: overlap, gap, inverted, zero_length, two_open, duplicate_start, null_start, null_key, current_mismatch.
func (k Kind) String() string {
	if int(k) < len(kinds) && kinds[k].name != "" {
		return kinds[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// MarshalText gives the kind's name. It fails on a value that isn't a kind.
func (k Kind) MarshalText() ([]byte, error) {
	if int(k) < len(kinds) && kinds[k].name != "" {
		return []byte(kinds[k].name), nil
	}
	return nil, fmt.Errorf("%v is no kind of fault", k)
}

// UnmarshalText reads a kind's name.
func (k *Kind) UnmarshalText(text []byte) error {
	for i := range kinds {
		if kinds[i].name != "" && kinds[i].name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no kind of fault", text)
}

// total is the number of findings of a kind.
func (r *CheckReport) total(k Kind) uint64 {
	if k == Overlap {
		return r.Overlaps
	}
	return uint64(*r.count(k))
}

// faults lists how many findings there are of each kind: "2 overlaps, 1 gap".
func (r *CheckReport) faults() string {
	var list []string
	for k := Overlap; k <= CurrentMismatch; k++ {
		switch n := r.total(k); n {
		case 0:
		case 1:
			list = append(list, "1 "+kinds[k].one)
		default:
			list = append(list, fmt.Sprintf("%d %s", n, kinds[k].many))
		}
	}
	return strings.Join(list, ", ")
}

// Err is nil when there is no finding, else a *onerow.KeysError that wraps [onerow.ErrBrokenHistory]. It lists the first keys of the
// findings, at most [onerow.MaxSampleKeys], each with its faults.
func (r *CheckReport) Err() error {
	why := r.faults()
	if why == "" {
		return nil
	}
	e := &onerow.KeysError{Kind: onerow.ErrBrokenHistory, Input: "history", Columns: r.Key, Total: r.BrokenKeys, Why: why}
	var faults [][]string
	at := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		id := strings.Join(f.Key, "\x00")
		if f.Kind == NullKey || slices.Contains(f.Key, "NULL") { // each row is a key of its own
			id = "\x00\x00" + fmt.Sprint(f.Rows)
		}
		k, seen := at[id]
		if !seen {
			if len(e.Keys) == onerow.MaxSampleKeys {
				continue
			}
			k, at[id] = len(e.Keys), len(e.Keys)
			e.Keys = append(e.Keys, onerow.KeyRows{Values: f.Key})
			faults = append(faults, nil)
		}
		e.Keys[k].Rows = append(e.Keys[k].Rows, f.Rows...)
		faults[k] = append(faults[k], f.String())
	}
	for k := range e.Keys {
		rows := e.Keys[k].Rows
		slices.Sort(rows)
		rows = slices.Compact(rows)
		e.Keys[k].Count = int64(len(rows))
		e.Keys[k].Rows = slices.Clip(rows[:min(len(rows), onerow.MaxSampleRows)])
		e.Keys[k].Why = shorten(faults[k])
	}
	return e
}

// shorten joins the first few of a list.
func shorten(list []string) string {
	const most = 3
	if more := len(list) - most; more > 0 {
		list = append(list[:most:most], fmt.Sprintf("… (%d more)", more))
	}
	return strings.Join(list, "; ")
}

// String is the fault in words, without its key: rows 3 and 5 overlap from 2026-01-01 to 2026-02-01.
func (f Finding) String() string {
	rows := rowText(f.Rows, " and ")
	switch f.Kind {
	case Overlap:
		if f.To == "" {
			return fmt.Sprintf("%s overlap from %s on", rows, f.From)
		}
		return fmt.Sprintf("%s overlap from %s to %s", rows, f.From, f.To)
	case Gap:
		return fmt.Sprintf("gap from %s to %s between %s", f.From, f.To, rows)
	case Inverted:
		return rows + " ends before it starts"
	case ZeroLength:
		return rows + " ends where it starts"
	case TwoOpen:
		return rows + " are open"
	case DuplicateStart:
		return rows + " start at one time"
	case NullStart:
		return rows + " has no start"
	case NullKey:
		return rows + " has NULL in its key"
	case CurrentMismatch:
		return rows + " has a wrong current flag"
	}
	return fmt.Sprintf("%v: %s", f.Kind, rows)
}

// rowText names rows, the first few of many.
func rowText(rows onerow.Rows, last string) string {
	var list []string
	for _, row := range rows[:min(len(rows), onerow.MaxSampleRows)] {
		list = append(list, strconv.FormatUint(uint64(row), 10))
	}
	switch n := len(rows); {
	case n == 1:
		return "row " + list[0]
	case n > len(list):
		return "rows " + strings.Join(list, ", ") + fmt.Sprintf(", … (%d more)", n-len(list))
	case n > 1:
		return "rows " + strings.Join(list[:n-1], ", ") + last + list[n-1]
	}
	return "no rows"
}

// shownFindings is the number of findings that String shows.
const shownFindings = 20

// String is the report as text: a verdict, the counts, and a table of the first findings. Kinds of faults that don't occur are left out, long values
// are cut. It ends without a newline.
func (r *CheckReport) String() string {
	parts := []string{r.verdict(), r.counts().String()}
	if len(r.Findings) > 0 {
		parts = append(parts, "", r.table())
	}
	return strings.Join(parts, "\n")
}

// LogValue makes the report a group: the key, the verdict as sound, and the counts that String shows, under their JSON names. The
// findings aren't logged: they are data.
func (r *CheckReport) LogValue() slog.Value {
	attrs := append([]slog.Attr{slog.Any("key", r.Key), slog.Bool("sound", r.faults() == "")}, r.counts().Attrs()...)
	return slog.GroupValue(attrs...)
}

func (r *CheckReport) verdict() string {
	names := make([]string, len(r.Key))
	for i, k := range r.Key {
		names[i] = tally.Name(k)
	}
	by := strings.Join(names, ", ")
	if why := r.faults(); why != "" {
		return fmt.Sprintf("broken history of %s: %s", by, why)
	}
	return "sound history of " + by
}

func (r *CheckReport) counts() tally.Counts {
	counts := tally.Counts{
		{Key: "rows", Label: "rows", N: r.Rows},
		{Key: "keys", Label: "keys", N: r.Keys},
		{Key: "broken_keys", Label: "keys with faults", Depth: 1, N: r.BrokenKeys},
		{Key: "overlaps", Label: "overlapping pairs", N: int64(min(r.Overlaps, math.MaxInt64)), Rare: true},
	}
	keys := [...]string{Gap: "gaps", Inverted: "inverted", ZeroLength: "zero_length", TwoOpen: "two_open", DuplicateStart: "duplicate_starts",
		NullStart: "null_starts", NullKey: "null_keys", CurrentMismatch: "current_mismatches"}
	for k := Gap; k <= CurrentMismatch; k++ {
		counts = append(counts, tally.Count{Key: keys[k], Label: kinds[k].many, N: *r.count(k), Rare: true})
	}
	return counts
}

// table has a line for each of the first findings: its kind, key, rows and time.
func (r *CheckReport) table() string {
	head := []string{"fault"}
	for _, k := range r.Key {
		head = append(head, tally.Name(k))
	}
	table := [][]string{append(head, "rows", "from", "to")}
	for _, f := range r.Findings[:min(len(r.Findings), shownFindings)] {
		line := []string{f.Kind.String()}
		for _, v := range f.Key {
			line = append(line, tally.Cut(v))
		}
		_, rows, _ := strings.Cut(rowText(f.Rows, ", "), " ")
		table = append(table, append(line, rows, tally.Cut(f.From), tally.Cut(f.To)))
	}
	text := tally.Table(table)
	if all := r.total(Overlap) + r.others(); all > shownFindings {
		text += fmt.Sprintf("\n… (%d more)", all-uint64(len(table)-1))
	}
	return text
}

// others is the number of findings that aren't overlaps.
func (r *CheckReport) others() (n uint64) {
	for k := Gap; k <= CurrentMismatch; k++ {
		n += r.total(k)
	}
	return n
}
