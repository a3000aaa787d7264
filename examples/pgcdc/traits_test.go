package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// delivery is a line of the feed as the traits below need it.
type delivery struct {
	change
	RedeliveryOf int               `json:"redelivery_of"`
	Values       map[string]string // of after, without NULLs
	Shape        map[string]bool   // the columns of after
	key, oldKey  string
	again        bool
}

func (d *delivery) at() position { return position{d.CommitLSN, d.SeqInTx} }

func readDeliveries(t *testing.T) []*delivery {
	t.Helper()
	file, err := openGzip(filepath.Join(smallFeed, "replayed.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []*delivery
	seen := map[position]bool{}
	for line := range strings.Lines(string(data)) {
		d := &delivery{Values: map[string]string{}, Shape: map[string]bool{}}
		if err := json.Unmarshal([]byte(line), d); err != nil {
			t.Fatal(err)
		}
		var after map[string]*string
		if err := json.Unmarshal(d.After, &after); err != nil {
			t.Fatal(err)
		}
		for name, value := range after {
			d.Shape[name] = true
			if value != nil {
				d.Values[name] = *value
			}
		}
		d.key, d.oldKey = d.Table+joinValues(d.Key), ""
		if d.OldKey != nil {
			d.oldKey = d.Table + joinValues(d.OldKey)
		}
		d.again = seen[d.at()]
		seen[d.at()] = true
		all = append(all, d)
	}
	return all
}

func joinValues(key map[string]*string) string {
	var s string
	for _, name := range []string{"tenant_id", "customer_id", "order_id", "key"} {
		if v := key[name]; v != nil {
			s += "/" + strconv.Quote(*v)
		}
	}
	return s
}

// TestSmallFeedHasTraits: the small feed was cut to hold all that breaks plain merges. Each trait is counted.
func TestSmallFeedHasTraits(t *testing.T) {
	all := readDeliveries(t)
	byKey := map[string][]*delivery{}
	for _, d := range all {
		byKey[d.key] = append(byKey[d.key], d)
	}
	events := func(fits func(*delivery) bool) (n int) {
		for _, d := range all {
			if fits(d) {
				n++
			}
		}
		return n
	}
	// pairs counts keys with two events that fit, the first delivered before the second.
	pairs := func(fits func(a, b *delivery) bool) (n int) {
		for _, life := range byKey {
			if slices.ContainsFunc(life, func(b *delivery) bool {
				return slices.ContainsFunc(life[:slices.Index(life, b)], func(a *delivery) bool { return fits(a, b) })
			}) {
				n++
			}
		}
		return n
	}
	has := func(column string, values ...string) func(*delivery) bool {
		return func(d *delivery) bool { return slices.Contains(values, d.Values[column]) }
	}
	blind := func(d *delivery) bool { return len(d.Unchanged) > 0 }
	truncate := slices.IndexFunc(all, func(d *delivery) bool { return d.Op == opTruncate })

	for _, trait := range []struct {
		name        string
		have, least int
	}{
		{"events", len(all), 2000},
		{"events delivered again", events(func(d *delivery) bool { return d.again }), 300},
		{"events of whole batches delivered again", events(func(d *delivery) bool { return d.RedeliveryOf > 0 }), 50},
		{"older after newer", pairs(func(a, b *delivery) bool { return b.at().before(a.at()) }), 10},
		{"several in a batch", pairs(func(a, b *delivery) bool { return a.Batch == b.Batch && a.at() != b.at() }), 50},
		{"several in a transaction", pairs(func(a, b *delivery) bool { return a.CommitLSN == b.CommitLSN && a.SeqInTx != b.SeqInTx }), 20},
		{"equal updated_at, different rows", pairs(func(a, b *delivery) bool {
			return a.at() != b.at() && a.Values["updated_at"] != "" && a.Values["updated_at"] == b.Values["updated_at"] && !cmp.Equal(a.Values, b.Values)
		}), 20},
		{"deletes", events(func(d *delivery) bool { return d.Op == opDelete }), 50},
		{"back after a delete", pairs(func(a, b *delivery) bool { return a.Op == opDelete && b.Op == "c" && a.at().before(b.at()) }), 5},
		{"key changes", events(func(d *delivery) bool { return d.oldKey != "" }), 50},
		{"keys swapped", events(func(d *delivery) bool { return d.oldKey != "" && d.Values["tenant_id"] == "swap" }), 5},
		{"key changes without the large value", events(func(d *delivery) bool { return d.oldKey != "" && blind(d) }), 20},
		{"large value unchanged", events(blind), 200},
		{"unchanged again, then a newer unchanged one", pairs(func(a, b *delivery) bool {
			return a.Batch == b.Batch && a.again && !b.again && blind(a) && blind(b) && a.at().before(b.at())
		}), 4},
		{"rows of the new shape", events(func(d *delivery) bool { return d.Shape["loyalty_tier"] }), 200},
		{"rows of the old shape", events(func(d *delivery) bool { return d.Shape["name"] && !d.Shape["loyalty_tier"] }), 200},
		{"old shape after the new", pairs(func(a, b *delivery) bool {
			return a.Shape["loyalty_tier"] && b.Shape["name"] && !b.Shape["loyalty_tier"]
		}), 3},
		{"truncates", events(func(d *delivery) bool { return d.Op == opTruncate }), 2},
		{"from before the truncate, after it", events(func(d *delivery) bool {
			return d.Table == "flags" && d.at().before(all[truncate].at()) && slices.Index(all, d) > truncate
		}), 5},
		{"NaN in a numeric", events(has("credit", "NaN")) + events(has("amount", "NaN")), 4},
		{"NaN in a double", events(has("score", "NaN")), 4},
		{"-0", events(has("score", "-0")), 4},
		{"infinite", events(has("score", "Infinity", "-Infinity")), 2},
		{"'' in a key", events(func(d *delivery) bool { return d.Table == "customers" && *d.Key["tenant_id"] == "" }), 3},
		{"'' in a value", events(func(d *delivery) bool { return d.Shape["value"] && d.Values["value"] == "" }), 3},
		{"keys alike but for case", alikeBy(byKey, strings.ToLower), 2},
		{"keys alike but for blanks", alikeBy(byKey, func(s string) string { return strings.ReplaceAll(s, " ", "") }), 2},
		{"keys alike but for accents", alikeBy(byKey, withoutAccents), 2},
		{"line separators", events(func(d *delivery) bool { return strings.ContainsRune(string(d.After), '\u2028') }), 1},
	} {
		if trait.have < trait.least {
			t.Errorf("%s: %d, want at least %d", trait.name, trait.have, trait.least)
		}
	}
}

// alikeBy counts keys that are equal to another key only after fold.
func alikeBy(byKey map[string][]*delivery, fold func(string) string) (n int) {
	folded := map[string]int{}
	for k := range byKey {
		folded[fold(k)]++
	}
	for _, count := range folded {
		if count > 1 {
			n++
		}
	}
	return n
}

// withoutAccents drops combining marks and writes é as e, so that both of its Unicode forms are one.
func withoutAccents(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
	return strings.ReplaceAll(s, "é", "e")
}

// TestSmallFeedTruthAgrees: the histories' open versions are the final tables, and their first ones the snapshots.
func TestSmallFeedTruthAgrees(t *testing.T) {
	for _, name := range []string{"customers", "orders", "flags"} {
		history := readTestCSV(t, filepath.Join(smallFeed, "history_"+name+".csv.gz"))
		final := readTestCSV(t, filepath.Join(smallFeed, "final_"+name+".csv.gz"))
		initial := readTestCSV(t, filepath.Join(smallFeed, "initial_"+name+".csv.gz"))
		width := len(final[0])
		to, kind := slices.Index(history[0], "valid_to"), slices.Index(history[0], "kind")
		var open, snapshot [][]string
		for _, version := range history[1:] {
			if version[to] == null {
				open = append(open, version[:width])
			}
			if version[kind] == opSnapshot {
				snapshot = append(snapshot, version[:len(initial[0])-3])
			}
		}
		if diff := cmp.Diff(final[1:], open); diff != "" {
			t.Errorf("%s: final and open versions (-final +history):\n%s", name, diff)
		}
		for i := range initial {
			initial[i] = initial[i][3:]
		}
		if diff := cmp.Diff(initial[1:], snapshot); diff != "" {
			t.Errorf("%s: snapshot and first versions (-initial +history):\n%s", name, diff)
		}
	}
}
