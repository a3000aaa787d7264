package scd2

import (
	"context"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/recast"
)

// matchOps marks the changes whose op is one of some values.
func (j *job) matchOps(ctx context.Context, op *form.Column, values []onerow.Value, k kind) error {
	if len(values) == 0 {
		return nil
	}
	m, err := form.NewMatcher(op.Type, values)
	if err != nil {
		return &onerow.TypeError{Column: op.Name, Type: op.Type, Input: "changes", Why: err.Error()}
	}
	if keys := opKeys(op, values); keys != nil {
		match := matchWords[[2]uint64]
		if keys.OneWord() {
			match = matchWords[[1]uint64]
		}
		if done, err := match(ctx, j, op, keys, k); done || err != nil {
			return err
		}
	}
	spans := keyset.Spans([]int{len(j.kinds)}, func(int) uint32 { return 0 })
	return j.run(ctx, len(spans), func(_, task int) error {
		s := spans[task]
		for i := s.Row; i < s.Row+uint32(s.N); i++ {
			if op.Match(m, i) {
				j.kinds[i] = k
			}
		}
		return nil
	})
}

// fewOps is the number of values up to which each op is compared with all.
const fewOps = 4

// opKeys reads ops, and in chunks after them the values that they are compared with, as keys: most are told apart by a word or two. It is nil where they
// aren't.
func opKeys(op *form.Column, values []onerow.Value) *keyset.Keys {
	switch form.FamilyOf(op.Type) {
	case form.TextFamily, form.BinaryFamily, form.IntFamily, form.BoolFamily:
	default:
		return nil
	}
	if len(values) > fewOps {
		return nil
	}
	chunks := slices.Clone(op.Chunks)
	for _, v := range values {
		arr, err := recast.Literal(heap, form.Logical(op.Type), v)
		if err != nil {
			return nil
		}
		cell, err := form.Of(arr)
		if err != nil {
			return nil
		}
		chunks = append(chunks, cell)
	}
	return keyset.NewKeys([]*form.Column{{Name: op.Name, Type: op.Type, Chunks: chunks}}, false)
}

// matchWords marks the changes whose op has the words of one of the values. It isn't done where words alone don't decide.
func matchWords[K keyset.Words](ctx context.Context, j *job, op *form.Column, keys *keyset.Keys, k kind) (done bool, err error) {
	block := keyset.NewBlock[K](keys)
	var words []K
	for c := len(op.Chunks); c < len(keys.Columns()[0].Chunks); c++ {
		keyset.Read(keys, c, 0, 1, block)
		w := block.Keys[0]
		if !keys.Exact() && w[len(w)-1]>>56 == form.LongText {
			return false, nil
		}
		words = append(words, w)
	}
	spans := keyset.Spans(j.changes.Lens(nil), func(c int) uint32 { return op.Start(c) })
	blocks := make([]*keyset.Block[K], j.opts.Resources.WorkerCount())
	return true, j.run(ctx, len(spans), func(worker, task int) error {
		if blocks[worker] == nil {
			blocks[worker] = keyset.NewBlock[K](keys)
		}
		b := blocks[worker]
		spans[task].Blocks(func(lo, n int, row uint32) {
			keyset.Read(keys, spans[task].Chunk, lo, n, b)
			kinds := j.kinds[row:][:n]
			for i := range kinds {
				for _, w := range words {
					if b.Keys[i] == w && b.Null[i] == 0 {
						kinds[i] = k
					}
				}
			}
		})
		return nil
	})
}
