package main

import (
	"maps"
	"slices"
)

// byKey deals the events of a family out by key, in the order of delivery.
func (f *family) byKey() [][]*event {
	of := map[string][]*event{}
	for _, e := range f.events {
		of[e.key] = append(of[e.key], e)
	}
	var all [][]*event
	for _, k := range slices.Sorted(maps.Keys(of)) {
		all = append(all, of[k])
	}
	return all
}

// anyPair looks for two events of one key, the first delivered before the second.
func (f *family) anyPair(fits func(a, b *event) bool) bool {
	for _, events := range f.byKey() {
		for i, a := range events {
			for _, b := range events[i+1:] {
				if fits(a, b) {
					return true
				}
			}
		}
	}
	return false
}

// isReplayThenBlind: one batch brings a change again that lacks its large value, and a newer change that lacks it too. The
// value is in the target only.
func isReplayThenBlind(f *family) bool {
	return f.anyPair(func(a, b *event) bool {
		return a.Batch == b.Batch && a.again && !b.again && a.at().before(b.at()) && len(a.Unchanged) > 0 && len(b.Unchanged) > 0
	})
}

// isReusedKey: a key ended by a key change, and a new row got it.
func isReusedKey(f *family) bool {
	for _, e := range f.events {
		if e.oldKey != "" && f.any(func(next *event) bool { return next.key == e.oldKey && e.at().before(next.at()) && next.Op == "c" }) {
			return true
		}
	}
	return false
}

func isReborn(f *family) bool {
	return f.anyPair(func(a, b *event) bool { return a.Op == "d" && b.Op == "c" && a.at().before(b.at()) })
}

func isBrief(f *family) bool {
	return f.anyPair(func(a, b *event) bool { return a.Op == "c" && b.Op == "d" && a.CommitLSN == b.CommitLSN })
}

func isTimeTie(f *family) bool {
	return f.anyPair(func(a, b *event) bool {
		return a.After != nil && b.After != nil && a.at() != b.at() &&
			a.value("updated_at") == b.value("updated_at") && a.value("name") != b.value("name")
	})
}

func isLateReplay(f *family) bool {
	return f.anyPair(func(a, b *event) bool { return b.again && b.at().before(a.at()) && a.Batch != b.Batch })
}

func isOldShapeAfterNew(f *family) bool {
	return f.anyPair(func(a, b *event) bool {
		return a.has("loyalty_tier") && b.After != nil && !b.has("loyalty_tier")
	})
}
