package dedupe

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

// Latest finds the latest row of each key.
func Latest(ctx context.Context, batches []arrow.Record, key []string, order []onerow.Order, opts Options) (*Plan, error) {
	return nil, errors.New("skeleton")
}

// Take makes a record of the winners, with the values that carry-forward found. The caller releases it.
func (p *Plan) Take(alloc memory.Allocator) (arrow.Record, error) {
	return nil, errors.New("skeleton")
}
