package scd2

import (
	"github.com/onerow-go/onerow/internal/keyset"
)

// dealt is an event of a partition.
type dealt struct {
	pos uint64
	row uint32
	id  uint32
}

// given is a version of the history.
type given struct {
	from, to uint64
	row      uint32
	id       uint32
	flags    uint32
}

// grouped are the events and versions of those keys of a partition that aren't settled: those of key i are from evStarts[i] to evStarts[i+1], and
// likewise.
type grouped struct {
	evs                 []dealt
	his                 []given
	evStarts, hisStarts []uint32
	dealt               int64 // rows that were dealt out to the partition
}

func (g *grouped) keys() int                { return max(0, len(g.evStarts)-1) }
func (g *grouped) eventsOf(i int) []dealt   { return g.evs[g.evStarts[i]:g.evStarts[i+1]] }
func (g *grouped) versionsOf(i int) []given { return g.his[g.hisStarts[i]:g.hisStarts[i+1]] }

// grouping is a worker's room to group a partition in: its rows as they come, then by key.
type grouping struct {
	evs, evsByKey []dealt
	his, hisByKey []given
	evAt, hisAt   []uint32
	left          []leftKey
}

// leftKey is a key that isn't settled, and the number of its versions that come before all that its events speak of.
type leftKey struct{ id, before uint32 }

// group brings the rows of each key of a partition together, settles what can be settled, and keeps the others.
func (d *dealer[K]) group(part int) {
	d.table.Reset()
	r := &d.room
	r.evs, r.his, r.left = r.evs[:0], r.his[:0], r.left[:0]
	for _, w := range d.p.workers {
		w.events.Chunks(part, d.addEvents)
	}
	for _, w := range d.p.workers {
		w.history.Chunks(part, d.addHistory)
	}
	g := &d.p.groups[part]
	for _, w := range d.p.workers {
		g.dealt += int64(w.events.Rows(part) + w.history.Rows(part))
	}
	n := d.table.Len()
	r.evsByKey, r.evAt = byID(r.evs, r.evsByKey, n, r.evAt, func(e *dealt) uint32 { return e.id })
	r.hisByKey, r.hisAt = byID(r.his, r.hisByKey, n, r.hisAt, func(g *given) uint32 { return g.id })
	evs, his := uint32(0), uint32(0)
	for id := range n {
		es, gs := r.evsByKey[r.evAt[id]:r.evAt[id+1]], r.hisByKey[r.hisAt[id]:r.hisAt[id+1]]
		before, settled := d.p.paired.settle(d.j, es, gs)
		if settled {
			d.keys, d.settled = d.keys+1, d.settled+1
			continue
		}
		r.left = append(r.left, leftKey{uint32(id), before})
		evs, his = evs+uint32(len(es)), his+uint32(len(gs))-before
	}
	d.keep(g, int(evs), int(his))
}

// keep copies the keys that are left out of the worker's room, and pairs their rows.
func (d *dealer[K]) keep(g *grouped, evs, his int) {
	r := &d.room
	if len(r.left) == 0 {
		return
	}
	g.evs, g.his = make([]dealt, 0, evs), make([]given, 0, his)
	g.evStarts, g.hisStarts = make([]uint32, 1, len(r.left)+1), make([]uint32, 1, len(r.left)+1)
	for i, k := range r.left {
		g.evs = append(g.evs, r.evsByKey[r.evAt[k.id]:r.evAt[k.id+1]]...)
		g.his = append(g.his, r.hisByKey[r.hisAt[k.id]+k.before:r.hisAt[k.id+1]]...)
		g.evStarts, g.hisStarts = append(g.evStarts, uint32(len(g.evs))), append(g.hisStarts, uint32(len(g.his)))
		d.p.paired.add(d.j, g.eventsOf(i), g.versionsOf(i))
	}
}

// keysOf works off the keys of a partition that are left. It returns the number of the partition's rows.
func (d *dealer[K]) keysOf(part int) (int64, error) {
	g := &d.p.groups[part]
	d.life.paired = d.p.paired
	for i := range g.keys() {
		if i&0xff == 0 && d.ctx.Err() != nil {
			return 0, d.ctx.Err()
		}
		if d.Done() {
			break
		}
		d.key(g.versionsOf(i), g.eventsOf(i))
	}
	rows := g.dealt
	*g = grouped{}
	return rows, d.ctx.Err()
}

func (d *dealer[K]) addEvents(es []keyset.Entry[K, pay]) {
	starts := d.table.Starts(es)
	for i := range es {
		e := es[i]
		e.Payload.tag = uint32(d.table.Len())
		s, _ := d.table.At(&e, starts[i])
		d.room.evs = append(d.room.evs, dealt{pos: e.Payload.a, row: e.Row(), id: s.Payload.tag})
	}
}

func (d *dealer[K]) addHistory(es []keyset.Entry[K, pay]) {
	starts := d.table.Starts(es)
	for i := range es {
		e := &es[i]
		flags := e.Payload.tag
		s := d.table.Hit(e, starts[i])
		switch {
		case s != nil:
		case d.p.all:
			fresh := *e
			fresh.Payload.tag = uint32(d.table.Len())
			s, _ = d.table.At(&fresh, starts[i])
		default:
			if s = d.table.FindAt(e, starts[i]); s == nil {
				continue
			}
		}
		d.room.his = append(d.room.his, given{from: e.Payload.a, to: e.Payload.b, row: e.Row(), id: s.Payload.tag, flags: flags})
	}
}

// byID sorts rows by the number of their key, from 0 to n-1, into sorted; those of key i are from starts[i] to starts[i+1]. It returns both, which
// it makes anew where they are too small.
func byID[T any](rows, sorted []T, n int, at []uint32, id func(*T) uint32) ([]T, []uint32) {
	if cap(at) < n+2 {
		at = make([]uint32, n+2+n/4)
	}
	if cap(sorted) < len(rows) {
		sorted = make([]T, len(rows)+len(rows)/4)
	}
	at, sorted = at[:n+2], sorted[:len(rows)]
	clear(at)
	for i := range rows {
		at[id(&rows[i])+2]++
	}
	for i := 2; i < len(at); i++ {
		at[i] += at[i-1]
	}
	for i := range rows {
		k := id(&rows[i]) + 1
		sorted[at[k]] = rows[i]
		at[k]++
	}
	return sorted, at
}
