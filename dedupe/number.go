package dedupe

import (
	"context"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// numberer gives every event the id of its key.
type numberer[K keyset.Words] struct {
	*lives
	table *keyset.Table[K, uint32] // the payload is the id
	block *keyset.Block[K]
	e     keyset.Entry[K, uint32]
	done  int64 // rows of this filling of the table
	told  int64 // rows that progress knows of
}

// number gives every event the id of its key, and returns the number of keys. Keys that only the target has are none of our
// business.
func number[K keyset.Words](ctx context.Context, l *lives) (int, error) {
	l.ids = make([]uint32, l.keyed.Rows())
	n := &numberer[K]{lives: l, table: keyset.NewTable[K, uint32](l.keys), block: keyset.NewBlock[K](l.keys)}
	l.progress.Start(onerow.StageEncode, int64(l.keyed.Rows()))
	err := l.run(ctx, 1, func(int, int) (err error) {
		n.table.Fill(func() { err = n.passes(ctx) })
		return err
	})
	return n.table.Len(), err
}

// passes goes through the three parts.
func (n *numberer[K]) passes(ctx context.Context) error {
	n.done = 0
	for _, part := range []struct {
		from, to uint32
		number   func(i int, row uint32)
	}{{0, n.rows, n.insert}, {n.known, n.keyed.Rows(), n.previous}, {n.rows, n.known, n.find}} {
		if err := n.pass(ctx, part.from, part.to, part.number); err != nil {
			return err
		}
	}
	return nil
}

// pass reads the keys of a part of the events and calls do for those that have one, with their place in the block.
func (n *numberer[K]) pass(ctx context.Context, from, to uint32, do func(i int, row uint32)) error {
	spans := slices.DeleteFunc(keyset.Spans(n.keyed.Lens(), n.keyed.Start), func(s keyset.Span) bool {
		return s.Row < from || s.Row >= to
	})
	for _, s := range spans {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.Blocks(func(lo, rows int, row uint32) {
			keyset.Read(n.keys, s.Chunk, lo, rows, n.block)
			for i := range rows {
				n.ids[row+uint32(i)] = keyset.None
				if n.block.Null[i] == 0 && !n.settled.has(row+uint32(i)) {
					do(i, row+uint32(i))
				}
			}
		})
		if n.done += int64(s.N); n.done > n.told {
			n.progress.Add(int64(s.N))
			n.told = n.done
		}
	}
	return nil
}

// entry returns the key at place i of the block, as one that has the next id. It is valid until the next call.
func (n *numberer[K]) entry(i int, row uint32) *keyset.Entry[K, uint32] {
	n.e = keyset.Entry[K, uint32]{Payload: uint32(n.table.Len()), Key: n.block.Keys[i], Row1: row + 1}
	return &n.e
}

func (n *numberer[K]) insert(i int, row uint32) {
	s, _ := n.table.At(n.entry(i, row), n.table.Start(&n.block.Keys[i]))
	n.ids[row] = s.Payload
}

// previous numbers the previous key of a row, where it had another one. A row that is set aside has no effect at all: its previous
// key doesn't end.
func (n *numberer[K]) previous(i int, row uint32) {
	own := n.ids[row-n.known]
	if own == keyset.None || n.allNull(row) {
		return
	}
	if n.insert(i, row); n.ids[row] == own {
		n.ids[row] = keyset.None
	}
}

func (n *numberer[K]) find(i int, row uint32) {
	if s := n.table.Find(n.entry(i, row)); s != nil {
		n.ids[row] = s.Payload
	}
}
