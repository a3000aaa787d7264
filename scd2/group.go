package scd2

import (
	"github.com/onerow-go/onerow/internal/keyset"
)

// dealt is an event of a partition.
type dealt struct {
	pos  uint64
	row  uint32
	id   uint32
	kind kind
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
	pairs               []pair // by event
	dealt               int64  // rows that were dealt out to the partition
}

func (g *grouped) keys() int                { return max(0, len(g.evStarts)-1) }
func (g *grouped) eventsOf(i int) []dealt   { return g.evs[g.evStarts[i]:g.evStarts[i+1]] }
func (g *grouped) pairsOf(i int) []pair     { return g.pairs[g.evStarts[i]:g.evStarts[i+1]] }
func (g *grouped) versionsOf(i int) []given { return g.his[g.hisStarts[i]:g.hisStarts[i+1]] }

// grouping is a worker's room to group a partition in: its keys, its rows as they come, then by key.
type grouping[K keyset.Words] struct {
	keys          []keyRows
	evs, evsByKey []dealt
	his, hisByKey []given
	evAt, hisAt   []uint32
	left          []leftKey
	probes        []keyset.Entry[K, uint32]
	starts        []uint32
}

// keyRows are the rows of a key as they come: where the first ones are, and how many there are. settleSingle leaves evs 0 for keys that it settled, and in
// ev the new numbers of the others.
type keyRows struct {
	ev, his, evs, versions uint32
}

// leftKey is a key that isn't settled, and the number of its versions that come before all that its events speak of.
type leftKey struct{ id, before uint32 }

// group brings the rows of each key of a partition together, settles what can be settled, and keeps the others.
func (d *dealer[K]) group(part int) {
	d.table.Reset()
	r := &d.room
	r.evs, r.his, r.left, r.keys = r.evs[:0], r.his[:0], r.left[:0], r.keys[:0]
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
	n := d.settleSingle()
	r.evsByKey, r.evAt = byID(r.evs, r.evsByKey, n, r.evAt, func(e *dealt) uint32 { return e.id })
	r.hisByKey, r.hisAt = byID(r.his, r.hisByKey, n, r.hisAt, func(g *given) uint32 { return g.id })
	evs, his := uint32(0), uint32(0)
	for id := range n {
		es, gs := r.evsByKey[r.evAt[id]:r.evAt[id+1]], r.hisByKey[r.hisAt[id]:r.hisAt[id+1]]
		before, settled := d.p.settling.settle(es, gs)
		if settled {
			d.keys, d.settled = d.keys+1, d.settled+1
			continue
		}
		r.left = append(r.left, leftKey{uint32(id), before})
		evs, his = evs+uint32(len(es)), his+uint32(len(gs))-before
	}
	d.keep(g, int(evs), int(his))
}

// settleSingle settles keys with one event and one version at most, before rows are sorted by key; the rows of these are left out, and the other keys
// are numbered anew. It returns how many there are.
func (d *dealer[K]) settleSingle() int {
	r, s := &d.room, d.p.settling
	n := len(r.keys)
	if !s.on {
		return n
	}
	left := uint32(0)
	for id := range r.keys {
		k := &r.keys[id]
		if k.evs == 1 && k.versions <= 1 {
			if _, settled := s.settle(r.evs[k.ev:k.ev+1], r.his[k.his:k.his+k.versions]); settled {
				k.evs = 0
				continue
			}
		}
		k.ev = left
		left++
	}
	if int(left) == n {
		return n
	}
	settled := int64(n) - int64(left)
	d.keys, d.settled = d.keys+settled, d.settled+settled
	if left == 0 {
		r.evs, r.his = r.evs[:0], r.his[:0]
		return 0
	}
	evs, his := r.evs[:0], r.his[:0]
	for _, e := range r.evs {
		if k := &r.keys[e.id]; k.evs > 0 {
			e.id = k.ev
			evs = append(evs, e)
		}
	}
	for _, g := range r.his {
		if k := &r.keys[g.id]; k.evs > 0 {
			g.id = k.ev
			his = append(his, g)
		}
	}
	r.evs, r.his = evs, his
	return int(left)
}

// keep copies the keys that are left out of the worker's room, and pairs their rows.
func (d *dealer[K]) keep(g *grouped, evs, his int) {
	r := &d.room
	if len(r.left) == 0 {
		return
	}
	g.evs, g.his, g.pairs = make([]dealt, 0, evs), make([]given, 0, his), make([]pair, evs)
	g.evStarts, g.hisStarts = make([]uint32, 1, len(r.left)+1), make([]uint32, 1, len(r.left)+1)
	for i, k := range r.left {
		g.evs = append(g.evs, r.evsByKey[r.evAt[k.id]:r.evAt[k.id+1]]...)
		g.his = append(g.his, r.hisByKey[r.hisAt[k.id]+k.before:r.hisAt[k.id+1]]...)
		g.evStarts, g.hisStarts = append(g.evStarts, uint32(len(g.evs))), append(g.hisStarts, uint32(len(g.his)))
		d.j.pairUp(g.eventsOf(i), g.versionsOf(i), g.pairsOf(i))
	}
}

// keysOf works off the keys of a partition that are left. It returns the number of the partition's rows.
func (d *dealer[K]) keysOf(part int) (int64, error) {
	g := &d.p.groups[part]
	room := rooms.Get().(*comparing)
	room.compare(d.p.settling.columns, g.pairs)
	rooms.Put(room)
	for i := range g.keys() {
		if i&0xff == 0 && d.ctx.Err() != nil {
			return 0, d.ctx.Err()
		}
		if d.Done() {
			break
		}
		d.key(g.versionsOf(i), g.eventsOf(i), g.pairsOf(i))
	}
	rows := g.dealt
	*g = grouped{}
	return rows, d.ctx.Err()
}

// numbers returns the numbers of the keys of some entries, which it makes known, by entry.
func numbers[K keyset.Words, P any](d *dealer[K], es []keyset.Entry[K, P]) []keyset.Entry[K, uint32] {
	r := &d.room
	r.probes = r.probes[:0]
	for i := range es {
		r.probes = append(r.probes, keyset.Entry[K, uint32]{Key: es[i].Key, Row1: es[i].Row1})
	}
	starts := d.table.Starts(r.probes)
	for i := range r.probes {
		e := &r.probes[i]
		e.Payload = uint32(len(r.keys))
		s, fresh := d.table.At(e, starts[i])
		if fresh {
			r.keys = append(r.keys, keyRows{})
		}
		e.Payload = s.Payload
	}
	return r.probes
}

func (d *dealer[K]) addEvents(es []keyset.Entry[K, eventPay]) {
	r := &d.room
	for i, known := range numbers(d, es) {
		e, k := &es[i], &r.keys[known.Payload]
		if k.evs == 0 {
			k.ev = uint32(len(r.evs))
		}
		k.evs++
		r.evs = append(r.evs, dealt{pos: e.Payload.pos.word(), row: e.Row(), id: known.Payload, kind: kind(e.Payload.kind)})
	}
}

func (d *dealer[K]) addHistory(es []keyset.Entry[K, versionPay]) {
	r := &d.room
	if d.p.all {
		for i, known := range numbers(d, es) {
			d.addVersion(&es[i], known.Payload)
		}
		return
	}
	if cap(r.starts) < len(es) {
		r.starts = make([]uint32, len(es))
	}
	starts := r.starts[:len(es)]
	keyset.StartsIn(d.table, es, starts)
	for i := range es {
		e := keyset.Entry[K, uint32]{Key: es[i].Key, Row1: es[i].Row1}
		s := d.table.Hit(&e, starts[i])
		if s == nil {
			if s = d.table.FindAt(&e, starts[i]); s == nil {
				continue
			}
		}
		d.addVersion(&es[i], s.Payload)
	}
}

func (d *dealer[K]) addVersion(e *keyset.Entry[K, versionPay], id uint32) {
	r := &d.room
	k := &r.keys[id]
	if k.versions == 0 {
		k.his = uint32(len(r.his))
	}
	k.versions++
	p := &e.Payload
	r.his = append(r.his, given{from: p.from.word(), to: p.to.word(), row: e.Row(), id: id, flags: p.flags})
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
