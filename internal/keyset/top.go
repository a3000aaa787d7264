package keyset

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"
)

// Top keeps the keys of greatest rank, of equal ranks those whose first row comes first, at most Limit.
//
// Where keys were dealt out bare, first rows aren't known as keys are added. They are looked for only to decide between equal ranks.
type Top[K Words] struct {
	Limit int
	// Keys are in no order until Cut. Between calls of Trim there may be any number of them.
	Keys []Ranked[K]
	// Rows finds first rows; nil where they are known.
	Rows FirstRows[K]
	// Shared is the greatest of the least ranks of workers that have Limit keys: others need not go below it. It may be nil.
	Shared *atomic.Uint64

	full  bool
	floor uint64 // the least of Limit keys, once full
	last  uint32 // once full, the greatest Row1 of those of that rank, if it matters and is known; else 0
	ties  int    // keys of that rank and of unknown row, of this round, while last isn't 0
	room  int    // at so many Keys they are cut; at least 2*Limit
}

// FirstRows finds first rows of keys.
type FirstRows[K Words] interface {
	// First returns of some keys the n whose first rows come first, with these rows, in their order.
	First(keys []Ranked[K], n int) []Ranked[K]
	// Early calls f for the keys of a partition, some of them again and again, among them all that have a row before row1.
	Early(part int, row1 uint32, f func(key K))
}

// Ranked is a key with its rank.
type Ranked[K Words] struct {
	Key  K
	Row1 uint32 // 1 + the number of the first row that has the key; 0 if it isn't known
	Part int
	Rank uint64
}

// Row returns the number of the first row, which is known.
func (k *Ranked[K]) Row() uint32 { return k.Row1 - 1 }

// MaxTies is how many keys are kept that are equal in rank to the last of those that are full, before it is quicker to look for their first
// rows, and in a round for those alone that come early; more where many keys are listed. It is a variable for tests.
var MaxTies = 64

// mostTies is MaxTies for each 32 keys that are listed, up to 65,536 of them: the next greater rank has a third to a half as many keys
// where numbers of rows are random, and fewer than are listed, so the last rank's keys are at most some twice as many as these.
func (t *Top[K]) mostTies() int { return MaxTies * (1 + min(t.Limit, 1<<16)/32) }

// Floor returns the least rank that is worth adding: once too many keys of one round are equal in rank to the last, those above it.
func (t *Top[K]) Floor() uint64 {
	if t.Limit == 0 {
		return math.MaxUint64
	}
	floor := t.floor
	if t.ties > t.mostTies() {
		floor++
	}
	if t.Shared != nil {
		floor = max(floor, t.Shared.Load())
	}
	return floor
}

// Add adds a key, unless it is known not to be among the first.
func (t *Top[K]) Add(k Ranked[K]) {
	if t.Limit == 0 {
		return
	}
	if t.full {
		if k.Rank < t.floor || k.Rank == t.floor && t.last != 0 && (t.tied(k) || k.Row1 >= t.last) {
			return
		}
	}
	t.Keys = append(t.Keys, k)
}

// tied counts keys of unknown row, and says whether they are too many.
func (t *Top[K]) tied(k Ranked[K]) bool {
	if k.Row1 != 0 {
		return false
	}
	t.ties++
	return t.ties > t.mostTies()
}

// Trim ends a round: keys of one partition were added, all that it has. It drops keys if there are far too many. rank is the rank of a key
// of the partition.
func (t *Top[K]) Trim(part int, rank func(key K) uint64) {
	if t.ties > t.mostTies() {
		have := map[K]bool{}
		for i := range t.Keys {
			if k := &t.Keys[i]; k.Part == part {
				have[k.Key] = true
			}
		}
		t.Rows.Early(part, t.last, func(key K) {
			if rank(key) == t.floor && !have[key] {
				have[key] = true
				t.Keys = append(t.Keys, Ranked[K]{Key: key, Part: part, Rank: t.floor})
			}
		})
	}
	t.ties = 0
	if len(t.Keys) >= max(t.room, 2*t.Limit) {
		t.cut(t.mostTies())
		t.room = len(t.Keys) + t.Limit
	}
}

// Cut drops all but the first keys, and puts those in order.
func (t *Top[K]) Cut() {
	t.cut(0)
	if t.Rows != nil {
		t.Keys = t.Rows.First(t.Keys, len(t.Keys))
	}
	slices.SortFunc(t.Keys, func(a, b Ranked[K]) int { return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.Row1, b.Row1)) })
}

// CutRanks drops the keys that are certain not to be among the first, by their ranks alone.
func (t *Top[K]) CutRanks() { t.cut(len(t.Keys)) }

// cut drops all but the first keys, and others of the last one's rank if they are few.
func (t *Top[K]) cut(few int) {
	if len(t.Keys) < t.Limit || t.Limit == 0 {
		return
	}
	slices.SortFunc(t.Keys, func(a, b Ranked[K]) int { return cmp.Compare(b.Rank, a.Rank) })
	if floor := t.Keys[t.Limit-1].Rank; !t.full || floor != t.floor {
		t.floor, t.full, t.last = floor, true, 0
	}
	lo, hi := t.Limit-1, t.Limit
	for lo > 0 && t.Keys[lo-1].Rank == t.floor {
		lo--
	}
	for hi < len(t.Keys) && t.Keys[hi].Rank == t.floor {
		hi++
	}
	if t.Shared != nil {
		for old := t.Shared.Load(); old < t.floor && !t.Shared.CompareAndSwap(old, t.floor); old = t.Shared.Load() {
		}
	}
	if hi <= t.Limit+few {
		t.Keys = t.Keys[:hi]
		return
	}
	ties, n := t.Keys[lo:hi], t.Limit-lo
	if t.Rows != nil {
		ties = t.Rows.First(ties, n)
	} else {
		slices.SortFunc(ties, byRow[K])
	}
	t.Keys = append(t.Keys[:lo], ties[:n]...)
	t.last = ties[n-1].Row1
}

func byRow[K Words](a, b Ranked[K]) int { return cmp.Compare(a.Row1, b.Row1) }
