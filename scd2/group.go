package scd2

import (
	"slices"

	"github.com/onerow-go/onerow/internal/keyset"
)

// dealt is an event of a partition.
type dealt struct {
	pos  uint64
	row  uint32
	kind kind
}

// given is a version of the history.
type given struct {
	from, to uint64
	row      uint32
	flags    uint32
}

// grouping is a worker's room to group a partition in: its keys, its rows as they were dealt out, and those of keys that are left, by key.
type grouping[K keyset.Words] struct {
	keys     []keyRows
	events   dealtRows[K, eventPay]
	history  dealtRows[K, versionPay]
	evs      []dealt
	his      []given
	left     []leftKey
	pairs    []pair
	probes   []keyset.Entry[K, uint32]
	oneEvent [1]dealt
	oneGiven [1]given
}

// dealtRows are rows as they were dealt out, and the number of each one's key. They are read where they lie, once to be counted and once to be put in
// place.
type dealtRows[K keyset.Words, P any] struct {
	chunks [][]keyset.Entry[K, P]
	ids    []uint32 // keyset.ChunkRows a chunk; keyset.None of rows whose key has no event
}

// add takes a chunk, and returns the room for its numbers.
func (r *dealtRows[K, P]) add(es []keyset.Entry[K, P]) (ids []uint32) {
	n := len(r.chunks) * keyset.ChunkRows
	r.chunks = append(r.chunks, es)
	r.ids = slices.Grow(r.ids[:n], keyset.ChunkRows)[:n+keyset.ChunkRows]
	return r.ids[n:][:len(es)]
}

func (r *dealtRows[K, P]) at(i uint32) *keyset.Entry[K, P] {
	return &r.chunks[i/keyset.ChunkRows][i%keyset.ChunkRows]
}

// keyRows are the rows of a key: where the first one is among those dealt out, then where the next one goes; and how many there are, none of a key that is settled.
type keyRows struct {
	ev, his, evs, versions uint32
}

// leftKey is a key that isn't settled: where its events and versions begin, and how many there are.
type leftKey struct {
	ev, his, evs, versions uint32
	plain                  bool // to be spliced
}

func (r *grouping[K]) eventsOf(k *leftKey) []dealt   { return r.evs[k.ev:][:k.evs] }
func (r *grouping[K]) versionsOf(k *leftKey) []given { return r.his[k.his:][:k.versions] }

// keysOf brings the rows of each key of a partition together, settles what can be settled, and works the others off. It returns the number of the
// partition's rows.
func (d *dealer[K]) keysOf(part int) (int64, error) {
	d.number(part)
	d.settleSingle()
	d.place()
	r := &d.room
	pairs, n := 0, 0
	for _, k := range r.left {
		before, is := d.settle(r.eventsOf(&k), r.versionsOf(&k))
		if is == settled {
			d.keys, d.settled = d.keys+1, d.settled+1
			continue
		}
		k.his, k.versions = k.his+before, k.versions-before // those before stay as they are
		k.plain = is == sound && d.settling.splices && k.evs <= mostSpliced
		r.left[n] = k
		pairs, n = pairs+int(k.evs), n+1
	}
	r.left = r.left[:n]
	if err := d.workOff(pairs); err != nil {
		return 0, err
	}
	d.writeWords()
	return d.p.dealtTo(part), nil
}

// workOff works the keys off that are left, whose events are paired first.
func (d *dealer[K]) workOff(events int) error {
	r := &d.room
	r.pairs = slices.Grow(r.pairs[:0], events)[:events]
	rest := r.pairs
	for i := range r.left {
		k := &r.left[i]
		evs, his, pairs := r.eventsOf(k), r.versionsOf(k), rest[:k.evs]
		if rest = rest[k.evs:]; k.plain {
			k.plain = d.j.lay(evs, his, pairs)
		}
		if !k.plain {
			d.j.pairUp(evs, his, pairs)
		}
	}
	room := rooms.Get().(*comparing)
	room.compare(d.settling.columns, r.pairs)
	rooms.Put(room)
	rest = r.pairs
	for i := range r.left {
		if i&0xff == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		k := &r.left[i]
		evs, his, pairs := r.eventsOf(k), r.versionsOf(k), rest[:k.evs]
		if rest = rest[k.evs:]; k.plain {
			d.splice(evs, his, pairs)
		} else if d.key(his, evs, pairs); d.Done() {
			break
		}
	}
	return d.ctx.Err()
}

// number finds the keys of a partition, and counts the rows of each.
func (d *dealer[K]) number(part int) {
	r := &d.room
	d.table.Fill(func() {
		r.keys, r.events.chunks = r.keys[:0], r.events.chunks[:0]
		r.history.chunks = r.history.chunks[:0]
		for _, w := range d.p.workers {
			w.events.Chunks(part, d.addEvents)
		}
		if d.p.all {
			for _, w := range d.p.workers {
				w.history.Chunks(part, d.addHistory)
			}
		}
	})
	if !d.p.all {
		for _, w := range d.p.workers {
			w.history.Chunks(part, d.addKnown)
		}
	}
}

// numbers puts the numbers of the keys of some entries, which it makes known, into ids.
func numbers[K keyset.Words, P any](d *dealer[K], es []keyset.Entry[K, P], ids []uint32) {
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
		ids[i] = s.Payload
	}
}

func (d *dealer[K]) addEvents(es []keyset.Entry[K, eventPay]) {
	r := &d.room
	first := uint32(len(r.events.chunks) * keyset.ChunkRows)
	ids := r.events.add(es)
	numbers(d, es, ids)
	for i, id := range ids {
		k := &r.keys[id]
		if k.evs == 0 {
			k.ev = first + uint32(i)
		}
		k.evs++
	}
}

func (d *dealer[K]) addHistory(es []keyset.Entry[K, versionPay]) {
	first := uint32(len(d.room.history.chunks) * keyset.ChunkRows)
	ids := d.room.history.add(es)
	numbers(d, es, ids)
	d.addVersions(first, ids)
}

// addKnown is addHistory of versions that are passed over if their key has no event.
func (d *dealer[K]) addKnown(es []keyset.Entry[K, versionPay]) {
	first := uint32(len(d.room.history.chunks) * keyset.ChunkRows)
	ids := d.room.history.add(es)
	found := d.known[:len(es)]
	keyset.FindAll(&d.probe, d.table, es, found)
	for i, s := range found {
		if ids[i] = keyset.None; s != nil {
			ids[i] = s.Payload
		}
	}
	d.addVersions(first, ids)
}

func (d *dealer[K]) addVersions(first uint32, ids []uint32) {
	keys := d.room.keys
	for i, id := range ids {
		if id == keyset.None {
			continue
		}
		k := &keys[id]
		if k.versions == 0 {
			k.his = first + uint32(i)
		}
		k.versions++
	}
}

func eventOf[K keyset.Words](e *keyset.Entry[K, eventPay]) dealt {
	return dealt{pos: e.Payload.pos.word(), row: e.Row(), kind: kind(e.Payload.kind)}
}

func versionOf[K keyset.Words](e *keyset.Entry[K, versionPay]) given {
	return given{from: e.Payload.from.word(), to: e.Payload.to.word(), row: e.Row(), flags: e.Payload.flags}
}

// settleSingle settles keys with one event and one version at most, before rows are put in place by key.
func (d *dealer[K]) settleSingle() {
	if !d.settling.on {
		return
	}
	r := &d.room
	n := int64(0)
	for id := range r.keys {
		k := &r.keys[id]
		if k.evs != 1 || k.versions > 1 {
			continue
		}
		r.oneEvent[0] = eventOf(r.events.at(k.ev))
		if k.versions > 0 {
			r.oneGiven[0] = versionOf(r.history.at(k.his))
		}
		if _, is := d.settle(r.oneEvent[:], r.oneGiven[:k.versions]); is == settled {
			*k = keyRows{}
			n++
		}
	}
	d.keys, d.settled = d.keys+n, d.settled+n
}

// place puts the rows of keys that are left in place.
func (d *dealer[K]) place() {
	r := &d.room
	r.left = r.left[:0]
	evs, his := uint32(0), uint32(0)
	for id := range r.keys {
		k := &r.keys[id]
		if k.evs+k.versions == 0 {
			continue
		}
		r.left = append(r.left, leftKey{ev: evs, his: his, evs: k.evs, versions: k.versions})
		k.ev, k.his = evs, his
		evs, his = evs+k.evs, his+k.versions
	}
	if len(r.left) == 0 {
		return
	}
	r.evs, r.his = slices.Grow(r.evs[:0], int(evs))[:evs], slices.Grow(r.his[:0], int(his))[:his]
	for c, es := range r.events.chunks {
		for i, id := range r.events.ids[c*keyset.ChunkRows:][:len(es)] {
			if k := &r.keys[id]; k.evs > 0 {
				r.evs[k.ev] = eventOf(&es[i])
				k.ev++
			}
		}
	}
	for c, es := range r.history.chunks {
		for i, id := range r.history.ids[c*keyset.ChunkRows:][:len(es)] {
			if id == keyset.None {
				continue
			}
			if k := &r.keys[id]; k.versions > 0 {
				r.his[k.his] = versionOf(&es[i])
				k.his++
			}
		}
	}
}
