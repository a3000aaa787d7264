package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
)

// choice says which keys are kept.
type choice struct {
	keys map[string]bool
	// known are all keys that the feed names. Of the others, which only the snapshot has, a few are kept too.
	known map[string]bool
}

// has tells whether an event is kept. A truncate has no key and is kept always.
func (c *choice) has(e *event) bool { return e.Op == "t" || c.keys[e.key] }

// untouched tells whether a row is kept that never changes.
func (c *choice) untouched(table string, key []string) bool {
	k := joinKey(table, key)
	return !c.known[k] && sampled(k, 100)
}

// sampled keeps one key in n.
func sampled(key string, n uint32) bool {
	h := fnv.New32a()
	h.Write([]byte(key))
	return h.Sum32()%n == 0
}

// family is what happened to a row, under all keys that it had.
type family struct {
	table  string
	keys   []string
	events []*event
}

// families lists the families of a feed in order of first appearance.
func families(events []*event) []*family {
	of := map[string]*family{}
	var all []*family
	member := func(table, key string) *family {
		f := of[key]
		if f == nil {
			f = &family{table: table, keys: []string{key}}
			of[key] = f
			all = append(all, f)
		}
		return f
	}
	for _, e := range events {
		if e.Op == "t" {
			continue
		}
		f := member(e.Table, e.key)
		if e.oldKey == "" {
			continue
		}
		if old := member(e.Table, e.oldKey); old != f {
			for _, k := range old.keys {
				of[k] = f
			}
			f.keys = append(f.keys, old.keys...)
			old.keys = nil
		}
	}
	for _, e := range events {
		if e.Op != "t" {
			f := of[e.key]
			f.events = append(f.events, e)
		}
	}
	return slices.DeleteFunc(all, func(f *family) bool { return f.keys == nil })
}

// choose keeps the families that the wants ask for: of each, the first so many that fit.
func choose(events []*event, wants []want, log io.Writer) *choice {
	c := &choice{keys: map[string]bool{}, known: map[string]bool{}}
	all := families(events)
	chosen := map[*family]bool{}
	for _, f := range all {
		for _, k := range f.keys {
			c.known[k] = true
		}
	}
	for _, w := range wants {
		n := 0
		for _, f := range all {
			if n < w.families && f.table == w.table && w.fits(f) {
				n++
				chosen[f] = true
			}
		}
		fmt.Fprintf(log, "%-9s %5d families: %s\n", w.table, n, w.name)
	}
	total := 0
	for f := range chosen {
		total += len(f.events)
		for _, k := range f.keys {
			c.keys[k] = true
		}
	}
	fmt.Fprintf(log, "%d families, %d deliveries\n", len(chosen), total)
	return c
}

// want asks for families that show something.
type want struct {
	table    string
	name     string
	families int
	fits     func(*family) bool
}

// every is more families than there are.
const every = 1 << 30

// wants is what the small feed is made of: some of everything, and a sample.
var wants = []want{
	{"flags", "all", every, func(*family) bool { return true }},

	{"customers", "one in 70", every, func(f *family) bool { return sampled(f.keys[0], 70) }},
	{"customers", "keys swapped, by way of a third", 5, func(f *family) bool { return f.any(isSwap) }},
	{"customers", "large value left out when the key changed", 10, func(f *family) bool { return f.any(isBlindKeyChange) }},
	{"customers", "replay of a change without its large value, then a newer one", 4, isReplayThenBlind},
	{"customers", "old key is in use again", 5, isReusedKey},
	{"customers", "deleted, and there again", 6, isReborn},
	{"customers", "born and gone in one transaction", 5, isBrief},
	{"customers", "one time, different rows", 8, isTimeTie},
	{"customers", "replay after a newer change", 10, isLateReplay},
	{"customers", "row of the old shape after one of the new", 6, isOldShapeAfterNew},
	{"customers", "NaN", 4, func(f *family) bool { return f.anyValue("credit", "NaN") || f.anyValue("score", "NaN") }},
	{"customers", "-0", 4, func(f *family) bool { return f.anyValue("score", "-0") }},
	{"customers", "infinite", 3, func(f *family) bool { return f.anyValue("score", "Infinity") || f.anyValue("score", "-Infinity") }},
	{"customers", "keys that look alike", 80, looksLikeOthers},

	{"orders", "one in 60", every, func(f *family) bool { return sampled(f.keys[0], 60) }},
	{"orders", "deleted, and there again", 5, isReborn},
	{"orders", "NaN", 3, func(f *family) bool { return f.anyValue("amount", "NaN") }},
	{"orders", "no customer", 3, func(f *family) bool {
		return f.any(func(e *event) bool { return e.After != nil && e.After["tenant_id"] == nil })
	}},
}

func (f *family) any(fits func(*event) bool) bool { return slices.ContainsFunc(f.events, fits) }

func (f *family) anyValue(column, value string) bool {
	return f.any(func(e *event) bool { return e.value(column) == value })
}

func isSwap(e *event) bool { return e.oldKey != "" && strings.HasPrefix(e.key, "customers/4:swap/") }

func isBlindKeyChange(e *event) bool { return e.oldKey != "" && len(e.Unchanged) > 0 }

// looksLikeOthers picks keys that differ from one another only in case, blanks, Unicode form, or where the tenant ends
// and the number begins; and those with an empty tenant.
func looksLikeOthers(f *family) bool {
	return f.any(func(e *event) bool {
		if e.Table != "customers" || strings.HasPrefix(*e.Key["tenant_id"], "t-") {
			return false
		}
		return slices.Contains([]string{"1", "2", "12"}, *e.Key["customer_id"])
	})
}
