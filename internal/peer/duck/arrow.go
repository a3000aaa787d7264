//go:build duckdb_arrow

package duck

import (
	"context"
	"fmt"

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

// WithView calls a function while a stream can be read as a view of this name, once, and no more after that: a query that scans it twice
// won't do. The stream is borrowed for the call.
func (d *DB) WithView(stream array15.RecordReader, view string, read func() error) error {
	reader, err := arrow18.ToReader(stream)
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
	return read()
}

// Query gives the records that a query makes, at least one. The caller releases them.
func (d *DB) Query(ctx context.Context, query string) (recs []arrow15.Record, err error) {
	schema, err := d.Each(ctx, query, func(rec arrow15.Record) error {
		rec.Retain()
		recs = append(recs, rec)
		return nil
	})
	if err == nil && len(recs) == 0 {
		b := array15.NewRecordBuilder(memory15.DefaultAllocator, schema)
		defer b.Release()
		recs = append(recs, b.NewRecord())
	}
	return recs, err
}

// Each calls a function with each record that a query makes, which is valid during the call. DuckDB has the whole result by then.
func (d *DB) Each(ctx context.Context, query string, use func(arrow15.Record) error) (schema *arrow15.Schema, err error) {
	err = d.raw(func(a *duckdb.Arrow) error {
		r, err := a.QueryContext(ctx, query)
		if err != nil {
			return fmt.Errorf("%w\nin %s", err, query)
		}
		defer r.Release()
		if schema, err = arrow18.FromSchema(r.Schema()); err != nil {
			return err
		}
		for r.Next() {
			rec, err := arrow18.FromBatch(r.RecordBatch())
			if err != nil {
				return err
			}
			err = use(rec)
			rec.Release()
			if err != nil {
				return err
			}
		}
		return r.Err()
	})
	return schema, err
}
