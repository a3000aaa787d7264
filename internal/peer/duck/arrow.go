//go:build duckdb_arrow

package duck

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/duckdb/duckdb-go/v2"

	"github.com/onerow-go/onerow/adapters/arrow18"
)

const hasArrow = true

// raw gives the Arrow interface of the connection to a function.
func (d *DB) raw(f func(*duckdb.Arrow) error) error {
	return d.conn.Raw(func(c any) error {
		conn, ok := c.(*duckdb.Conn)
		if !ok {
			return fmt.Errorf("the driver's connection is a %T", c)
		}
		a, err := duckdb.NewArrowFromConn(conn)
		if err != nil {
			return err
		}
		return f(a)
	})
}

// withView calls a function while records can be read as a view.
func (d *DB) withView(_ context.Context, recs []arrow15.Record, read func(view string) error) error {
	const view = "handed_over"
	batches, err := arrow18.ToBatches(recs)
	if err != nil {
		return err
	}
	defer func() {
		for _, b := range batches {
			b.Release()
		}
	}()
	reader, err := array.NewRecordReader(batches[0].Schema(), batches)
	if err != nil {
		return err
	}
	defer reader.Release()
	var release func()
	if err := d.raw(func(a *duckdb.Arrow) (err error) {
		release, err = a.RegisterView(reader, view)
		return err
	}); err != nil {
		return err
	}
	defer release()
	return read(view)
}

// Query gives the records that a query makes, at least one. The caller releases them.
func (d *DB) Query(ctx context.Context, query string) (recs []arrow15.Record, err error) {
	err = d.raw(func(a *duckdb.Arrow) error {
		r, err := a.QueryContext(ctx, query)
		if err != nil {
			return fmt.Errorf("%w\nin %s", err, query)
		}
		defer r.Release()
		for r.Next() {
			rec, err := arrow18.FromBatch(r.RecordBatch())
			if err != nil {
				return err
			}
			recs = append(recs, rec)
		}
		if len(recs) == 0 {
			schema, err := arrow18.FromSchema(r.Schema())
			if err != nil {
				return err
			}
			b := array15.NewRecordBuilder(memory15.DefaultAllocator, schema)
			defer b.Release()
			recs = append(recs, b.NewRecord())
		}
		return r.Err()
	})
	return recs, err
}
