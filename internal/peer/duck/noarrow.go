//go:build !duckdb_arrow

package duck

import (
	"context"

	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
)

// Without its tag the driver has no Arrow interface; Open says so, so that these are never reached.
const hasArrow = false

// WithView needs the Arrow interface.
func (d *DB) WithView(array15.RecordReader, string, func() error) error { return errNoArrow }

// Query needs the Arrow interface.
func (d *DB) Query(context.Context, string) ([]arrow15.Record, error) { return nil, errNoArrow }

// Each needs the Arrow interface.
func (d *DB) Each(context.Context, string, func(arrow15.Record) error) (*arrow15.Schema, error) {
	return nil, errNoArrow
}
