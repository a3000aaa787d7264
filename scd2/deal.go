package scd2

import (
	"context"
	"math/bits"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// halves are 64 bits that need no place of their own: entries of them have no gaps.
type halves struct{ low, high uint32 }

func halvesOf(w uint64) halves { return halves{uint32(w), uint32(w >> 32)} }

func (h halves) word() uint64 { return uint64(h.high)<<32 | uint64(h.low) }

// eventPay is what is known of an event when it is dealt out.
type eventPay struct {
	pos  halves
	kind uint32
}

// versionPay is what is known of a version when it is dealt out: its start, its end, its flags.
type versionPay struct {
	from, to halves
	flags    uint32
}

// The flags of a version.
const (
	endsOpen  = 1 << iota // its end reads as open
	isMarker              // it is a deletion row
	noStart               // its start is NULL
	flagTrue              // its current flag is true
	flagWrong             // its current flag isn't what its end says
)

// planner brings the rows of each key together: events first, then the versions of their keys.
type planner[K keyset.Words] struct {
	*job
	bits    int
	all     bool     // every key of the history may be touched, not just those of events
	filter  []uint64 // of the hashes of events' keys; nil when every key may be touched, and before they are known
	filters int      // the length of a filter
	workers []*dealer[K]
}

// dealer is one worker's part.
type dealer[K keyset.Words] struct {
	life
	p        *planner[K]
	events   *keyset.Parts[K, eventPay]
	history  *keyset.Parts[K, versionPay]
	filter   []uint64 // of the events that this worker dealt out
	block    *keyset.Block[K]
	pays     []eventPay
	skip     []uint8
	versions []versionPay
	words    [2][]uint64
	nulls    [2][]uint8
	table    *keyset.Table[K, uint32] // the number of each key
	probe    keyset.Probe
	known    [keyset.ChunkRows]*keyset.Entry[K, uint32]
	room     grouping[K]
	open     int64 // open versions, deletion rows not counted
}

func planKeys[K keyset.Words](ctx context.Context, j *job) (*Merge, error) {
	p := &planner[K]{job: j, all: j.truncates() || j.opts.Absent == AbsentCloses}
	events := j.changes.Rows + j.state.Rows
	touched := min(j.history.Rows, 8*events)
	if p.all {
		touched = j.history.Rows
	}
	p.bits = keyset.PartBits(min(8*events, 4*(events+touched))) // for tables that leave room for the rows in a core's own cache
	if !p.all {
		p.filters = 1 << max(0, bits.Len64(uint64(events)*16)-6)
	}
	defer p.release()
	lens := j.lens
	if j.opts.Op.PreviousKey != nil {
		lens = j.changes.Lens(append([]int(nil), lens...))
	}
	spans := keyset.Spans(lens, func(c int) uint32 { return j.keyCols[0].Start(c) })
	var eventSpans, historySpans []keyset.Span
	for _, s := range spans {
		switch {
		case s.Row < j.firstChg:
			historySpans = append(historySpans, s)
		case s.Row != j.nothing:
			eventSpans = append(eventSpans, s)
		}
	}
	out := newOutcome(j)
	settling := newSettling(j, out)
	for range min(j.opts.Resources.WorkerCount(), max(len(spans), 1<<p.bits, 1)) {
		p.workers = append(p.workers, newDealer(ctx, p, out, settling))
	}
	j.progress.Start(onerow.StageEncode, j.history.Rows+j.changes.Rows+j.state.Rows)
	for _, pass := range []struct {
		spans []keyset.Span
		deal  func(*dealer[K], keyset.Span)
	}{{eventSpans, (*dealer[K]).dealEvents}, {historySpans, (*dealer[K]).dealHistory}} {
		err := j.run(ctx, len(pass.spans), func(worker, task int) error {
			pass.deal(p.workers[worker], pass.spans[task])
			if pass.spans[task].Row < j.nothing {
				j.progress.Add(int64(pass.spans[task].N))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		p.joinFilters()
	}
	j.progress.Start(onerow.StageGroup, p.dealt())
	err := j.run(ctx, 1<<p.bits, func(worker, part int) error {
		n, err := p.workers[worker].keysOf(part)
		j.progress.Add(n)
		return err
	})
	if err != nil {
		return nil, err
	}
	p.release()
	if err := settling.compare(ctx); err != nil {
		return nil, err
	}
	var lives []*life
	for _, w := range p.workers {
		out.open += w.open
		lives = append(lives, &w.life)
	}
	return out.finish(ctx, lives, settling)
}

func newDealer[K keyset.Words](ctx context.Context, p *planner[K], out *outcome, s *settling) *dealer[K] {
	d := &dealer[K]{
		life: newLife(ctx, p.job, out, s), p: p,
		events: keyset.NewParts[K, eventPay](p.bits), history: keyset.NewParts[K, versionPay](p.bits),
		block: keyset.NewBlock[K](p.keys), table: keyset.NewTable[K, uint32](p.keys),
		pays: make([]eventPay, keyset.BlockRows), skip: make([]uint8, keyset.BlockRows), versions: make([]versionPay, keyset.BlockRows),
	}
	if p.filters > 0 {
		d.filter = make([]uint64, p.filters)
	}
	for i := range d.words {
		d.words[i], d.nulls[i] = make([]uint64, keyset.BlockRows), make([]uint8, keyset.BlockRows)
	}
	return d
}

// release gives back what rows were dealt out in; the second time there is nothing.
func (p *planner[K]) release() {
	for _, w := range p.workers {
		w.events.Release()
		w.history.Release()
	}
}

// dealt counts the rows dealt to all partitions, dealtTo those of one, some of whose versions may be of keys without an event.
func (p *planner[K]) dealt() (n int64) {
	for part := range 1 << p.bits {
		n += p.dealtTo(part)
	}
	return n
}

func (p *planner[K]) dealtTo(part int) (n int64) {
	for _, w := range p.workers {
		n += int64(w.events.Rows(part) + w.history.Rows(part))
	}
	return n
}

// filterSlot is where a key is in a filter: a word, and two bits of it.
func filterSlot[K keyset.Words](filter []uint64, k *K) (at, bits uint64) {
	h := keyset.Mixed(k)
	return h & uint64(len(filter)-1), 1<<(h>>58) | 1<<(h>>52&63)
}

// joinFilters makes one filter of those of the workers; the second time there is nothing.
func (p *planner[K]) joinFilters() {
	for _, w := range p.workers {
		if p.filter == nil {
			p.filter = w.filter
		} else {
			for i, bits := range w.filter {
				p.filter[i] |= bits
			}
		}
		w.filter = nil
	}
}

// dealEvents deals out rows of changes, state, or changes under their previous keys.
func (d *dealer[K]) dealEvents(s keyset.Span) {
	j := d.p.job
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(j.keys, s.Chunk, lo, n, d.block)
		skip := d.skip[:n]
		copy(skip, d.block.Null[:n])
		positions := d.positions(s.Chunk, lo, n, row)
		kinds := j.kindsOf(row, n)
		for i := range skip {
			if skip[i] == 0 && !d.takes(row+uint32(i), positions[i]) {
				skip[i] = 1
			}
			d.pays[i] = eventPay{pos: halvesOf(positions[i]), kind: uint32(remove)}
			if kinds != nil {
				d.pays[i].kind = uint32(kinds[i])
			}
		}
		if d.filter != nil {
			for i := range skip {
				if at, bits := filterSlot(d.filter, &d.block.Keys[i]); skip[i] == 0 {
					d.filter[at] |= bits
				}
			}
		}
		d.events.AddBlock(d.block.Keys[:n], d.pays[:n], skip, row)
	})
}

// kindsOf are the kinds of rows of changes or state; nil of changes under their previous keys, which are deletes.
func (j *job) kindsOf(row uint32, n int) []kind {
	switch {
	case row > j.nothing:
		return nil
	case row >= j.firstSt:
		return j.stKinds[row-j.firstSt:][:n]
	}
	return j.kinds[row-j.firstChg:][:n]
}

// positions reads the positions of a block of events.
func (d *dealer[K]) positions(chunk, lo, n int, row uint32) []uint64 {
	j, words := d.p.job, d.words[0][:n]
	first := len(j.history.Batches)
	col := atChange
	switch {
	case row > j.nothing:
		first += len(j.changes.Batches) + len(j.state.Batches) + 1
	case row >= j.firstSt:
		col = atState
		first += len(j.changes.Batches)
	}
	if col == atChange && j.opts.From == "" {
		for i := range words {
			words[i] = j.now
		}
		return words
	}
	j.line.Read(col, chunk-first, lo, n, words, d.nulls[0])
	return words
}

// dealHistory deals out the versions of keys that may have events.
func (d *dealer[K]) dealHistory(s keyset.Span) {
	j := d.p.job
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(j.keys, s.Chunk, lo, n, d.block)
		to, open := d.words[1][:n], d.nulls[1][:n]
		anyOpen := j.line.Read(atTo, s.Chunk, lo, n, to, open)
		if j.hasOpen {
			for i, w := range to {
				if w == j.openEnd {
					open[i], anyOpen = 1, true
				}
			}
		}
		if anyOpen {
			for i, z := range open {
				if d.open += int64(z); z != 0 && j.deleted != nil && j.deleted.Match(isTrue, row+uint32(i)) {
					d.open--
				}
			}
		}
		if !d.mayHaveEvents(n) {
			return
		}
		from, noFrom, skip, versions := d.words[0][:n], d.nulls[0][:n], d.skip[:n], d.versions[:n]
		j.line.Read(atFrom, s.Chunk, lo, n, from, noFrom)
		flagged := j.deleted != nil || j.current != nil
		for i := range versions {
			versions[i] = versionPay{halvesOf(from[i]), halvesOf(to[i]), uint32(open[i])*endsOpen | uint32(noFrom[i])*noStart}
			if flagged && skip[i] == 0 {
				versions[i].flags |= d.flags(row+uint32(i), open[i])
			}
		}
		d.history.AddBlock(d.block.Keys[:n], versions, skip, row)
	})
}

// mayHaveEvents marks in skip the rows of a block whose keys have no event, and says whether there are others. It is made without branches that
// could be guessed wrong.
func (d *dealer[K]) mayHaveEvents(n int) bool {
	skip, filter, all := d.skip[:n], d.p.filter, uint8(1)
	copy(skip, d.block.Null[:n])
	if filter != nil {
		for i := range skip {
			at, bits := filterSlot(filter, &d.block.Keys[i])
			missing := bits &^ filter[at]
			skip[i] |= uint8((missing | -missing) >> 63)
		}
	}
	for _, s := range skip {
		all &= s
	}
	return all == 0
}

// flags are those that a version's flag columns give.
func (d *dealer[K]) flags(row uint32, open uint8) (flags uint32) {
	j := d.p.job
	if j.deleted != nil && j.deleted.Match(isTrue, row) {
		flags |= isMarker
	}
	if j.current != nil {
		is := j.current.Match(isTrue, row)
		if is {
			flags |= flagTrue
		}
		if should := open != 0 && flags&isMarker == 0; is != should || j.current.Null(row) {
			flags |= flagWrong
		}
	}
	return flags
}
