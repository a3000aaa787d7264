package duck

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	arrow15 "github.com/apache/arrow/go/v15/arrow"
	_ "github.com/duckdb/duckdb-go/v2" // the driver
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

// Load makes a table of records, which it borrows for the call. The table's rows are in their order.
func (d *DB) Load(ctx context.Context, table string, recs ...arrow15.Record) error {
	return d.withView(ctx, recs, func(view string) error {
		return d.Exec(ctx, fmt.Sprintf(`CREATE OR REPLACE TABLE "%s" AS SELECT * FROM %s`, table, view))
	})
}
