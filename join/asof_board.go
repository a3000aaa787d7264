package join

import (
	"context"
	"math"
	"math/bits"
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// board is an index of all versions in which facts are looked up as they are read, without being dealt out. What there is to know of a key lies together, in a record of
// one or two lines of the cache; a table of four bytes a slot says where. A board is only read once it is made.
//
//	slot     place of a record │ tag: bits of the hash
//	record   key │ row, if words alone don't decide │ first word │ meta │ lanes: rounded starts of steps, four a word │ answers: two a word
//
// Starts are rounded to 15 bits of what lies between the first and the last of their key, so that those before a time are counted four at a time, without a
// branch. Where a fact's time is rounded to the start of its step, the words themselves decide.
type board[K keyset.Words] struct {
	keys     *keyset.Keys
	parts    []*part[K]
	mask     uint32   // of all slots but the last
	starting uint32   // mask, and
	keep     uint32   // ^0; both 0 under one hash for all
	slots    []uint32 // the last is as the first
	words    []uint64
	far      bool // records don't fit a core's own cache
}

const (
	// Records begin at multiples of so many words. The first is no key's: all of it is 0.
	recordGrain = 4

	tagBits = 10
	// boardWords is the length of records up to which slots can tell their places.
	boardWords = recordGrain * (1<<(32-tagBits) - 1)

	laneBits = 15
	lanes    = 4
	lanePad  = 1<<laneBits - 1 // of no step
	laneMost = lanePad - 1
	laneOnes = 0x0001000100010001
	laneTops = laneOnes << laneBits

	// laneSteps is the number of steps up to which a key has lanes. In those of other keys each fact searches by halves.
	laneSteps = 32

	// leastLanes is the number of words of lanes that a record has at least, so that they are read without asking how many there are.
	leastLanes = 3

	// recordHead is a power of two that is no less than the length of a record up to its answers.
	recordHead = 16
)

// An answer says what holds a fact: a version's row, or, from crowd on, 0 for what lies before the first step, 1 for a gap, else the number of versions.
const (
	crowd = 1 << 31
	noKey = math.MaxUint32 // of a fact whose key has no version
	odd   = noKey - 1      // of a fact that is looked at again
)

func answerOf(h holders) uint32 {
	switch h.n {
	case 0:
		if h.row == uint32(BeforeFirst) {
			return crowd
		}
		return crowd + 1
	case 1:
		return h.row
	}
	return crowd + h.n
}

// answered says what an answer means.
func answered(a uint32) holders {
	switch {
	case a < crowd:
		return holders{1, a}
	case a == crowd:
		return holders{0, uint32(BeforeFirst)}
	case a == crowd+1:
		return holders{0, uint32(Gap)}
	case a == noKey:
		return holders{0, uint32(NoKey)}
	}
	return holders{n: a - crowd}
}

// meta says how to read a record: by how many bits starts are shifted, how many words have lanes, and, where the words themselves are, the part and the first step in it. Without
// lanes that is the number of the key.
type meta uint64

const (
	metaShift, metaLanes = 6, 12
	metaMask             = 1<<metaShift - 1
)

func newMeta(part int, key uint32, laneWords int, shift uint) meta {
	return meta(part)<<(32+metaLanes) | meta(key)<<metaLanes | meta(laneWords^leastLanes)<<metaShift | meta(shift)
}

func (m meta) shift() uint64     { return uint64(m & metaMask) }
func (m meta) rounds() bool      { return m&metaMask != 0 }
func (m meta) unusual() bool     { return m&(metaMask<<metaShift) != 0 }
func (m meta) laneWords() uint64 { return uint64(m>>metaShift&metaMask) ^ leastLanes }
func (m meta) part() int         { return int(m >> (32 + metaLanes)) }
func (m meta) key() uint32       { return uint32(m >> metaLanes) }

// headWords is the number of words of a record before its lanes. Keys of one word decide by themselves, so that their records have no row.
func headWords[K keyset.Words]() int {
	var k K
	return 2*len(k) + 1
}

// wordsOfLanes is the number of words of lanes for so many steps.
func wordsOfLanes(steps int) int { return max(leastLanes, (steps+lanes-1)/lanes) }

// recordWords is the length of the record of a key with so many steps.
func recordWords[K keyset.Words](steps int) int {
	n := headWords[K]()
	if steps <= laneSteps {
		n += wordsOfLanes(steps) + (steps+2)/2
	}
	return (n + recordGrain - 1) / recordGrain * recordGrain
}

// record is a record and what comes after it.
type record[K keyset.Words] []uint64

func (b *board[K]) record(at uint32) record[K] { return b.words[int(at)*recordGrain:] }

func (r record[K]) has(k K) bool {
	return r[0] == k[0] && r[len(k)-1] == k[len(k)-1]
}

// row is a row that has the key, where words alone don't decide.
func (r record[K]) row() uint32 { return uint32(r[headWords[K]()-3]) }

// placed is a record that has no slot yet.
type placed struct {
	half, at uint32
}

// suitsBoard says whether to look facts up in a board, and not to deal them out.
func suitsBoard[K keyset.Words](parts []*part[K], facts int64) bool {
	words, searched := 0, 0
	for _, p := range parts {
		for k := range p.table.Len() {
			steps := int(p.bounds[k+1] - p.bounds[k])
			words += recordWords[K](steps)
			if steps > laneSteps {
				searched += steps
			}
		}
	}
	return words <= boardWords && paysBoard(len(parts), words, searched, facts)
}

// paysBoard says whether a board costs less than dealing facts out: when its records lie near, and cost little beside the facts. Steps without lanes are searched, so that
// they have to be at hand.
var paysBoard = func(parts, words, searched int, facts int64) bool {
	return words <= boardMost && (parts == 1 || int64(words) <= facts && searched <= nearWords)
}

// boardMost is the number of words up to which records are near enough.
const boardMost = 1 << 22

// newBoard makes a board of the index of each part.
func newBoard[K keyset.Words](ctx context.Context, keys *keyset.Keys, workers int, parts []*part[K]) (*board[K], error) {
	b := &board[K]{keys: keys, parts: parts}
	starts, total, count := make([]int, len(parts)), recordWords[K](0), 0
	for i, p := range parts {
		starts[i] = total
		for k := range p.table.Len() {
			total += recordWords[K](int(p.bounds[k+1] - p.bounds[k]))
		}
		count += p.table.Len()
	}
	b.words = make([]uint64, total+recordHead)
	b.words[headWords[K]()-1] = uint64(newMeta(0, 0, 0, 0))
	b.far = total > nearWords
	records := make([][]placed, len(parts))
	size := 1 << bits.Len(uint(4*count))
	b.slots, b.mask = make([]uint32, size+1), uint32(size-1)
	if !form.IsConstantHash() {
		b.starting, b.keep = b.mask, ^uint32(0)
	}
	err := keyset.Run(ctx, workers, len(parts), func(_, i int) error {
		records[i] = b.write(i, starts[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, rs := range records {
		for _, r := range rs {
			at := r.half & b.starting
			for b.slots[at] != 0 {
				at = (at + 1) & b.mask
			}
			b.slots[at] = r.at<<tagBits | tagOf(r.half&b.keep)
		}
	}
	b.slots[size] = b.slots[0]
	return b, nil
}

// write writes the records of a part, in the order of its steps.
func (b *board[K]) write(number, at int) []placed {
	p := b.parts[number]
	records, entries := make([]placed, 0, p.table.Len()), make([]keyset.Entry[K, uint32], p.table.Len())
	p.table.All(func(e *keyset.Entry[K, uint32]) { entries[e.Payload] = *e })
	for i := range entries {
		e := &entries[i]
		records = append(records, placed{halfOf(&e.Key), uint32(at / recordGrain)})
		at += b.writeRecord(number, at, e)
	}
	return records
}

// writeRecord writes the record of a key of a part, and returns its length.
func (b *board[K]) writeRecord(number, at int, e *keyset.Entry[K, uint32]) int {
	p := b.parts[number]
	first, end := p.bounds[e.Payload], p.bounds[e.Payload+1]
	from, holds := p.from[first:end], p.holds[first:end]
	rec := b.words[at : at+recordWords[K](len(from))]
	for i := range len(e.Key) {
		rec[i] = e.Key[i]
	}
	if len(e.Key) > 1 {
		rec[len(e.Key)] = uint64(e.Row())
	}
	head := headWords[K]()
	rec[head-2] = from[0]
	if len(from) > laneSteps {
		rec[head-1] = uint64(newMeta(number, e.Payload, 0, 0))
		return len(rec)
	}
	n := wordsOfLanes(len(from))
	rec[head-1] = uint64(newMeta(number, e.Payload, n, round(rec[head:head+n], from)))
	answers := unsafe.Slice((*uint32)(unsafe.Pointer(&rec[head+n])), 2*len(rec[head+n:]))
	answers[0] = crowd
	for i, h := range holds {
		answers[i+1] = answerOf(h)
	}
	return len(rec)
}

// round puts the starts of steps into lanes. It returns by how much they are shifted.
func round(to, from []uint64) (shift uint) {
	span := from[len(from)-1] - from[0]
	shift = uint(max(0, bits.Len64(span)-laneBits))
	if span>>shift > laneMost {
		shift++
	}
	all := unsafe.Slice((*uint16)(unsafe.Pointer(&to[0])), lanes*len(to))
	for i, f := range from {
		all[i] = uint16((f - from[0]) >> shift)
	}
	for i := len(from); i < len(all); i++ {
		all[i] = lanePad
	}
	return shift
}

// halfOf returns the bits of a key that slots and tags go by: the upper half of its first word, which is scrambled.
func halfOf[K keyset.Words](key *K) uint32 { return uint32((*key)[0] >> 32) }

// tagOf is never 0, as free slots are. It is of the top bits, which the slots do not go by.
func tagOf(half uint32) uint32 { return half>>(32-tagBits) | 1 }
