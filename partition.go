package onerow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// MaxPartitions is the greatest number of partitions that [Partition] makes.
const MaxPartitions = 1 << 20

// Partition deals the rows of the batches out over n partitions by their key: rows with one key are in one partition, so that
// shards of a job can work on a partition each. It returns n row lists, each in ascending order; every row is in exactly
// one. Without batches all lists are empty.
//
// The partition of a key is a function of its value and n alone: the same on every machine and in every version, for
// every encoding, integer width, decimal scale and time unit (see the package documentation on keys). NULL is a value like
// any other here. Keys spread evenly whatever their values; a key with many rows makes its partition large.
//
// It returns ctx.Err() soon after the context ends. What is wrong with several columns comes back together. Errors wrap
// [ErrNoKey], [ErrNoColumn], [ErrType], [ErrSchema], [ErrOption], [ErrTooManyRows] or [ErrMalformed].
func Partition(ctx context.Context, batches []arrow.Record, key []string, n int) (parts []Rows, err error) {
	if n < 1 || n > MaxPartitions {
		return nil, fmt.Errorf("%w: %d partitions, of 1 to %d", ErrOption, n, MaxPartitions)
	}
	if len(key) == 0 {
		return nil, ErrNoKey
	}
	err = keyset.Guard(func() error {
		parts, err = partition(ctx, batches, key, n)
		return err
	})
	return parts, err
}

func partition(ctx context.Context, batches []arrow.Record, key []string, n int) ([]Rows, error) {
	if len(batches) == 0 {
		return make([]Rows, n), ctx.Err()
	}
	schema, err := commonSchema(batches)
	if err != nil {
		return nil, err
	}
	lens := make([]int, len(batches))
	for i, b := range batches {
		lens[i] = int(b.NumRows())
	}
	layout := form.NewLayout(lens)
	cols := make([]*form.Column, len(key))
	var errs []error
	for i, name := range key {
		if slices.Contains(key[:i], name) {
			errs = append(errs, fmt.Errorf("%w: the key names column %q twice", ErrOption, name))
			continue
		}
		cols[i], err = keyColumn(layout, schema, batches, name)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	// Every row has a place in its partition's list before the lists are made, so that each is made once.
	place, sizes := make([]uint32, layout.Rows()), make([]uint32, n)
	keys := keyset.NewStableKeys(cols, true)
	spans := keyset.Spans(lens, layout.Start)
	block := keyset.NewHashes(keys)
	err = keyset.Run(ctx, 1, len(spans), func(_, task int) error {
		spans[task].Blocks(func(lo, rows int, row uint32) {
			for i, h := range block.Read(spans[task].Chunk, lo, rows) {
				p := uint32(h >> 32 * uint64(n) >> 32)
				place[row+uint32(i)] = p
				sizes[p]++
			}
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	parts := make([]Rows, n)
	for p, size := range sizes {
		parts[p] = make(Rows, 0, size)
	}
	for row, p := range place {
		if row&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		parts[p] = append(parts[p], uint32(row))
	}
	return parts, nil
}

// keyColumn finds a column that can be part of a key.
func keyColumn(layout *form.Layout, schema *arrow.Schema, batches []arrow.Record, name string) (*form.Column, error) {
	at := schema.FieldIndices(name)
	if len(at) != 1 {
		e := &ColumnError{Column: name, Input: "batches", Found: len(at)}
		for _, f := range schema.Fields() {
			e.Have = append(e.Have, f.Name)
		}
		return nil, e
	}
	typ := schema.Field(at[0]).Type
	if ok, why := form.IsKey(typ); !ok {
		return nil, &TypeError{Column: name, Type: typ, Why: why}
	}
	chunks := make([]arrow.Array, len(batches))
	for i, b := range batches {
		chunks[i] = b.Column(at[0])
	}
	var arrs []*form.Array
	err := keyset.Guard(func() (err error) {
		arrs, err = form.OfAll(chunks)
		return err
	})
	if err != nil && !errors.Is(err, ErrMalformed) {
		err = fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", name, err)
	}
	return &form.Column{Name: name, Type: typ, Chunks: arrs, Layout: layout}, nil
}
