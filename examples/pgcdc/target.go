package main

import "slices"

// target is the table that is kept up to date: one row a key, tombstones of deleted keys included. They are kept for good here; a
// service would drop those that are older than anything that can still come again.
type target struct {
	rows map[string]row
	// truncated is the position of the newest truncate: the end of every key that has no newer row, seen or not.
	truncated position
}

func newTarget() *target { return &target{rows: map[string]row{}} }

// put sets the newest row of a key.
func (g *target) put(t *table, r row) { g.rows[mapKey(t.keyOf(r))] = r }

// touched returns what the target holds of the keys that the rows name, previous keys included: all that one micro-batch
// needs to be judged against. After a truncate a key without a row has a tombstone all the same.
func (g *target) touched(t *table, rows []row) []row {
	var held []row
	seen := map[string]bool{}
	look := func(key []cell) {
		k := mapKey(key)
		if seen[k] {
			return
		}
		seen[k] = true
		if r, ok := g.rows[k]; ok {
			held = append(held, r)
		} else if g.truncated != (position{}) {
			held = append(held, t.tombstone(key, g.truncated))
		}
	}
	for _, r := range rows {
		look(t.keyOf(r))
		if r.previous != nil {
			look(r.previous)
		}
	}
	return held
}

// truncate ends every key whose row is older. It returns the number of live rows that it ended.
func (g *target) truncate(t *table, at position) (ended int64) {
	for k, r := range g.rows {
		if r.at.before(at) || r.op == opSnapshot {
			g.rows[k] = t.tombstone(t.keyOf(r), at)
			if r.op != opDelete {
				ended++
			}
		}
	}
	if g.truncated.before(at) {
		g.truncated = at
	}
	return ended
}

// live returns the rows that aren't deleted, sorted by key.
func (g *target) live(t *table) []row {
	var rows []row
	for _, r := range g.rows {
		if r.op != opDelete {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return t.compareKeys(t.keyOf(a), t.keyOf(b)) })
	return rows
}
