package duck

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	"github.com/duckdb/duckdb-go/v2"
)

var errNoArrow = errors.New("DuckDB's Arrow interface isn't built in: build with -tags duckdb_arrow")

// DB is a database in memory, with one connection. It is used by one goroutine at a time.
type DB struct {
	pool *sql.DB
	conn *sql.Conn
	temp string
}

// Open makes an empty database that works on so many threads. Close it.
func Open(ctx context.Context, threads int) (*DB, error) {
	if !hasArrow {
		return nil, errNoArrow
	}
	temp, err := os.MkdirTemp("", "peer-duckdb-")
	if err != nil {
		return nil, err
	}
	d := &DB{temp: temp}
	if d.pool, err = sql.Open("duckdb", ""); err == nil {
		if d.conn, err = d.pool.Conn(ctx); err == nil {
			err = d.Exec(ctx, fmt.Sprintf("SET threads = %d; SET temp_directory = '%s'; SET TimeZone = 'UTC'", threads, temp))
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close drops the database.
func (d *DB) Close() error {
	var errs []error
	if d.conn != nil {
		errs = append(errs, d.conn.Close())
	}
	if d.pool != nil {
		errs = append(errs, d.pool.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(d.temp))...)
}

// Exec runs statements, parted by semicolons.
func (d *DB) Exec(ctx context.Context, statements string) error {
	if _, err := d.conn.ExecContext(ctx, statements); err != nil {
		return fmt.Errorf("%w\nin %s", err, statements)
	}
	return nil
}

// Row reads the one row of a query into variables.
func (d *DB) Row(ctx context.Context, query string, into ...any) error {
	if err := d.conn.QueryRowContext(ctx, query).Scan(into...); err != nil {
		return fmt.Errorf("%w\nin %s", err, query)
	}
	return nil
}

// Load makes a table of records, at least one, which it borrows for the call. The table's rows are in their order.
func (d *DB) Load(ctx context.Context, table string, recs ...arrow15.Record) error {
	reader, err := array15.NewRecordReader(recs[0].Schema(), recs)
	if err != nil {
		return err
	}
	defer reader.Release()
	const view = "handed_over"
	return d.WithView(reader, view, func() error {
		return d.Exec(ctx, fmt.Sprintf(`CREATE OR REPLACE TABLE "%s" AS SELECT * FROM %s`, table, view))
	})
}

// NoSpace says whether an error is that the memory limit, or the room for temporary files, doesn't suffice.
func NoSpace(err error) bool {
	var e *duckdb.Error
	return errors.As(err, &e) && (e.Type == duckdb.ErrorTypeOutOfMemory || e.Type == duckdb.ErrorTypeIO && strings.Contains(e.Msg, "No space left"))
}
