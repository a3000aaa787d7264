package join

import (
	"context"

	"github.com/onerow-go/onerow/internal/keyset"
)

// HeldInEmptyBoard says whether a board without records holds any of some keys, which are words as they are once they have been scrambled.
func HeldInEmptyBoard(words ...uint64) bool {
	b, err := newBoard(context.Background(), new(keyset.Keys), 1, []*part[[1]uint64]{{table: keyset.NewTable[[1]uint64, uint32](new(keyset.Keys)), bounds: []uint32{0}}})
	if err != nil {
		panic(err)
	}
	l := newLooking[[1]uint64]()
	for _, w := range words {
		l.keys = append(l.keys, [1]uint64{w})
	}
	l.times = make([]uint64, len(words))
	answers := l.answers[:len(words)]
	held := b.look(l, answers)
	for _, a := range answers {
		held = held || a != noKey
	}
	return held
}

// SetBoards says whether facts are always looked up in a board, or never, until the returned function is called.
func SetBoards(always bool) (restore func()) {
	old := paysBoard
	paysBoard = func(int, int, int, int64) bool { return always }
	return func() { paysBoard = old }
}
