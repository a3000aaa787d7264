package engines_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := stopPostgres(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// engine is a database, and what its SQL says otherwise than the other's.
type engine struct {
	dialect scd2.Dialect
	db      *sql.DB

	// typeOf names the type of a column. It fails the test for types that the engine doesn't hold exactly.
	typeOf func(t testing.TB, dt arrow.DataType) string
	// fromText makes a value of a column's type from parameter n, a text as textOf writes it; toText makes a text of a column that
	// cellOf reads.
	fromText func(dt arrow.DataType, sqlType string, n int) string
	toText   func(dt arrow.DataType, column string) string
}

// absent skips the test, or fails it where engines are required.
func absent(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("ONEROW_REQUIRE_ENGINES") != "" {
		t.Fatalf("%s, and ONEROW_REQUIRE_ENGINES is set", why)
	}
	t.Skip(why)
}

// onEach runs a test in each engine.
func onEach(t *testing.T, test func(t *testing.T, e *engine)) {
	for name, start := range map[string]func(testing.TB) *engine{"duckdb": duckDB, "postgresql": postgreSQL} {
		t.Run(name, func(t *testing.T) { test(t, start(t)) })
	}
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func path(parts ...string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = quote(p)
	}
	return strings.Join(quoted, ".")
}

// execute runs a statement, and gives the number of rows that it says it touched.
func execute(t testing.TB, db querier, statement string, args ...any) int64 {
	t.Helper()
	res, err := db.ExecContext(t.Context(), statement, args...)
	if err != nil {
		t.Fatalf("%v\nin %s", err, statement)
	}
	n, err := res.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// querier is a database or a transaction of it.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// schema makes an empty schema, which goes when the test ends.
func (e *engine) schema(t testing.TB, name string) {
	t.Helper()
	execute(t, e.db, "CREATE SCHEMA "+quote(name))
	t.Cleanup(func() {
		if _, err := e.db.ExecContext(context.Background(), "DROP SCHEMA "+quote(name)+" CASCADE"); err != nil {
			t.Error(err)
		}
	})
}

// create makes a table for records of a schema.
func (e *engine) create(t testing.TB, schema *arrow.Schema, table ...string) {
	t.Helper()
	columns := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		columns[i] = quote(f.Name) + " " + e.typeOf(t, f.Type)
	}
	execute(t, e.db, "CREATE TABLE "+path(table...)+" ("+strings.Join(columns, ", ")+")")
}

// rows are those of a table, as values.
type rows struct {
	schema *arrow.Schema
	values [][]any
}

func rowsOf(batches ...arrow.Record) rows { return rows{batches[0].Schema(), arrowtest.All(batches)} }

// insert adds rows to a table.
func (e *engine) insert(t testing.TB, r rows, table ...string) {
	t.Helper()
	fields := r.schema.Fields()
	names, values := make([]string, len(fields)), make([]string, len(fields))
	for i, f := range fields {
		names[i] = quote(f.Name)
		values[i] = e.fromText(f.Type, e.typeOf(t, f.Type), i+1)
	}
	tx, err := e.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // of what Commit left
	into, err := tx.PrepareContext(t.Context(),
		"INSERT INTO "+path(table...)+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(values, ", ")+")")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.values {
		args := make([]any, len(row))
		for i, v := range row {
			args[i] = textOf(t, v)
		}
		if _, err := into.ExecContext(t.Context(), args...); err != nil {
			t.Fatalf("%v: %s", err, arrowtest.FormatRow(row))
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// read gives the rows of a table, in the columns of a schema.
func (e *engine) read(t testing.TB, db querier, schema *arrow.Schema, table ...string) [][]any {
	t.Helper()
	columns := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		columns[i] = e.toText(f.Type, quote(f.Name))
	}
	found, err := db.QueryContext(t.Context(), "SELECT "+strings.Join(columns, ", ")+" FROM "+path(table...))
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	var out [][]any
	for found.Next() {
		texts, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range texts {
			into[i] = &texts[i]
		}
		if err := found.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := make([]any, len(columns))
		for i, text := range texts {
			row[i] = valueOf(t, schema.Field(i).Type, text)
		}
		out = append(out, row)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
