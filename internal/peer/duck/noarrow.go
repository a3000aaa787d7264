//go:build !duckdb_arrow

package duck

import (
	"context"

	arrow15 "github.com/apache/arrow/go/v15/arrow"
)

// Without its tag the driver has no Arrow interface; Open says so, so that these are never reached.
const hasArrow = false

func (d *DB) withView(context.Context, []arrow15.Record, func(view string) error) error {
	return errNoArrow
}

// Query needs the Arrow interface.
func (d *DB) Query(context.Context, string) ([]arrow15.Record, error) { return nil, errNoArrow }
