package scd2

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// pay is what is known of a row when it is dealt out: of an event its position, in a; of a version its start and end, in a and b, and its
// flags. In a table, tag is the number of the key.
type pay struct {
	a, b uint64
	tag  uint32
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
	filter  []uint64 // of the hashes of events' keys; see seen
	workers []*dealer[K]
	groups  []grouped // by partition
	paired  *pairing
}

// dealer is one worker's part.
type dealer[K keyset.Words] struct {
	life
	p       *planner[K]
	events  *keyset.Parts[K, pay]
	history *keyset.Parts[K, pay]
	block   *keyset.Block[K]
	pays    []pay
	skip    []uint8
	words   [2][]uint64
	nulls   [2][]uint8
	table   *keyset.Table[K, pay]
	room    grouping
	open    int64 // open versions, deletion rows not counted
}

func planKeys[K keyset.Words](ctx context.Context, j *job) (*Merge, error) {
	p := &planner[K]{job: j, all: j.truncates() || j.opts.Absent == AbsentCloses}
	events := j.changes.Rows + j.state.Rows
	touched := min(j.history.Rows, 8*events)
	if p.all {
		touched = j.history.Rows
	}
	p.bits = keyset.PartBits(2 * (events + touched))
	if !p.all {
		p.filter = make([]uint64, 1<<max(0, bits.Len64(uint64(events)*16)-6))
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
	for range min(j.opts.Resources.WorkerCount(), max(len(spans), 1<<p.bits, 1)) {
		p.workers = append(p.workers, newDealer(ctx, p, out))
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
	}
	p.groups, p.paired = make([]grouped, 1<<p.bits), newPairing(j)
	p.paired.out = out
	err := j.run(ctx, 1<<p.bits, func(worker, part int) error {
		p.workers[worker].group(part)
		return nil
	})
	if err != nil {
		return nil, err
	}
	j.progress.Start(onerow.StageGroup, p.dealt())
	p.release()
	if err := p.paired.compare(ctx, j); err != nil {
		return nil, err
	}
	err = j.run(ctx, 1<<p.bits, func(worker, part int) error {
		n, err := p.workers[worker].keysOf(part)
		j.progress.Add(n)
		return err
	})
	if err != nil {
		return nil, err
	}
	var lives []*life
	for _, w := range p.workers {
		out.open += w.open
		lives = append(lives, &w.life)
	}
	return out.finish(ctx, lives, p.paired)
}

func newDealer[K keyset.Words](ctx context.Context, p *planner[K], out *outcome) *dealer[K] {
	d := &dealer[K]{
		life: newLife(ctx, p.job, out), p: p,
		events: keyset.NewParts[K, pay](p.bits), history: keyset.NewParts[K, pay](p.bits),
		block: keyset.NewBlock[K](p.keys), table: keyset.NewTable[K, pay](p.keys),
		pays: make([]pay, keyset.BlockRows), skip: make([]uint8, keyset.BlockRows),
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

// mark puts a hash into the filter; may says whether it may be in it. A key has two bits.
func (p *planner[K]) mark(hash uint64) {
	mask := uint64(len(p.filter) - 1)
	atomic.OrUint64(&p.filter[hash>>6&mask], 1<<(hash&63))
	atomic.OrUint64(&p.filter[hash>>40&mask], 1<<(hash>>34&63))
}

func (p *planner[K]) may(hash uint64) bool {
	mask := uint64(len(p.filter) - 1)
	return p.filter[hash>>6&mask]>>(hash&63)&1 != 0 && p.filter[hash>>40&mask]>>(hash>>34&63)&1 != 0
}

// dealEvents deals out rows of changes, state, or changes under their previous keys.
func (d *dealer[K]) dealEvents(s keyset.Span) {
	j := d.p.job
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(j.keys, s.Chunk, lo, n, d.block)
		skip := d.skip[:n]
		copy(skip, d.block.Null[:n])
		d.positions(s.Chunk, lo, n, row)
		for i := range skip {
			if skip[i] == 0 && !d.takes(row+uint32(i), d.pays[i].a) {
				skip[i] = 1
			}
			if skip[i] == 0 && d.p.filter != nil {
				d.p.mark(d.block.Hash[i])
			}
		}
		d.events.AddBlock(d.block.Keys[:n], d.block.Hash[:n], d.pays[:n], skip, row)
	})
}

// positions reads the positions of a block of events.
func (d *dealer[K]) positions(chunk, lo, n int, row uint32) {
	j := d.p.job
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
		for i := range d.pays[:n] {
			d.pays[i] = pay{a: j.now}
		}
		return
	}
	j.line.Read(col, chunk-first, lo, n, d.words[0], d.nulls[0])
	for i, w := range d.words[0][:n] {
		d.pays[i] = pay{a: w}
	}
}

// dealHistory deals out the versions of keys that have events.
func (d *dealer[K]) dealHistory(s keyset.Span) {
	j := d.p.job
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(j.keys, s.Chunk, lo, n, d.block)
		j.line.Read(atTo, s.Chunk, lo, n, d.words[1], d.nulls[1])
		skip, found := d.skip[:n], false
		copy(skip, d.block.Null[:n])
		for i := range skip {
			p := &d.pays[i]
			*p = pay{b: d.words[1][i]}
			if d.nulls[1][i] != 0 || j.hasOpen && p.b == j.openEnd {
				p.tag = endsOpen
				if j.deleted == nil || !j.deleted.Match(isTrue, row+uint32(i)) {
					d.open++
				}
			}
			if skip[i] == 0 && d.p.filter != nil && !d.p.may(d.block.Hash[i]) {
				skip[i] = 1
			}
			found = found || skip[i] == 0
		}
		if !found {
			return
		}
		j.line.Read(atFrom, s.Chunk, lo, n, d.words[0], d.nulls[0])
		for i := range skip {
			if skip[i] == 0 {
				d.pays[i].a = d.words[0][i]
				d.pays[i].tag |= d.flags(row+uint32(i), d.nulls[0][i], d.pays[i].tag&endsOpen != 0)
			}
		}
		d.history.AddBlock(d.block.Keys[:n], d.block.Hash[:n], d.pays[:n], skip, row)
	})
}

func (d *dealer[K]) flags(row uint32, nullStart uint8, open bool) (tag uint32) {
	j := d.p.job
	if nullStart != 0 {
		tag |= noStart
	}
	if j.deleted != nil && j.deleted.Match(isTrue, row) {
		tag |= isMarker
	}
	if j.current != nil {
		is := j.current.Match(isTrue, row)
		if is {
			tag |= flagTrue
		}
		if should := open && tag&isMarker == 0; is != should || j.current.Null(row) {
			tag |= flagWrong
		}
	}
	return tag
}
