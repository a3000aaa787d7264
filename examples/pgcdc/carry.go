package main

import (
	"fmt"
	"slices"
	"sort"
)

// carrier fills in the large values that the feed left out: each is the value that the row had just before the change, under the key
// that it had then.
//
// The value can't always be read from the history that was built so far. A transaction may set a value and then give the row another key; when a
// batch brings only the second change again, the value is the one between the two, which no version has. So each large value is
// remembered with the position at which it was set. A change finds its value when what it depends on has come before, or is in the same batch. It
// has: what is delivered for the first time comes in the order of commits, and all else comes again.
//
// A service would keep this in a table beside the history, and drop what is older than anything that can still come again.
type carrier struct {
	table  *table
	lives  map[string][]moment // by key, in the order of truth
	filled int64
}

// moment is what a key's large columns hold from a position on; nil when the key ended there.
type moment struct {
	at     position
	values []cell
}

func newCarrier(t *table) *carrier { return &carrier{table: t, lives: map[string][]moment{}} }

// fill sets the large values that were left out in rows, which may come in any order.
func (c *carrier) fill(rows []row) error {
	if len(c.table.large) == 0 {
		return nil
	}
	order := make([]*row, len(rows))
	for i := range rows {
		order[i] = &rows[i]
	}
	slices.SortFunc(order, func(a, b *row) int { return a.at.compare(b.at) })
	for _, r := range order {
		if r.op == opTruncate {
			continue // no row from before it is changed after it
		}
		if err := c.fillRow(r); err != nil {
			return err
		}
		key := mapKey(c.table.keyOf(*r))
		if r.previous != nil {
			c.remember(mapKey(r.previous), moment{at: r.at})
		}
		c.remember(key, moment{r.at, c.valuesOf(r)})
	}
	return nil
}

func (c *carrier) fillRow(r *row) error {
	for i, name := range c.table.large {
		at, ok := c.table.index[name]
		if !ok || r.cell(at) != text(unavailable) {
			continue
		}
		key := r.previous
		if key == nil {
			key = c.table.keyOf(*r)
		}
		life := c.lives[mapKey(key)]
		before := sort.Search(len(life), func(k int) bool { return life[k].at.compare(r.at) >= 0 })
		if before == 0 || life[before-1].values == nil {
			return fmt.Errorf("commit_lsn %d, seq_in_tx %d: column %q was left out, and the row %v that it belongs to is not known",
				r.at.commitLSN, r.at.seqInTx, name, keyTexts(key))
		}
		r.cells[at] = life[before-1].values[i]
		c.filled++
	}
	return nil
}

func (c *carrier) valuesOf(r *row) []cell {
	if r.op == opDelete {
		return nil
	}
	values := make([]cell, len(c.table.large))
	for i, name := range c.table.large {
		values[i] = r.cell(c.table.index[name])
	}
	return values
}

// remember puts a moment in its place. What came again is there already.
func (c *carrier) remember(key string, m moment) {
	life := c.lives[key]
	at := sort.Search(len(life), func(k int) bool { return life[k].at.compare(m.at) >= 0 })
	if at == len(life) || life[at].at != m.at {
		c.lives[key] = slices.Insert(life, at, m)
	}
}

func keyTexts(key []cell) []string {
	texts := make([]string, len(key))
	for i, c := range key {
		texts[i] = c.text
	}
	return texts
}
