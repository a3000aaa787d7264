package engines_test

import (
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// What MergeSQL's documentation says of constraints and of other writers holds in the engines.

// Constraints that PostgreSQL checks at the end of a statement see what is right there; those that it checks row by row see rows that the
// statement is about to change.
func TestDeferrableConstraints(t *testing.T) {
	e := postgreSQL(t)
	for _, c := range []struct{ immediate, deferrable string }{
		{"ADD PRIMARY KEY (id, valid_from)", "ADD PRIMARY KEY (id, valid_from) DEFERRABLE"},
		{"ADD EXCLUDE (id WITH =) WHERE (valid_to IS NULL)", "ADD EXCLUDE (id WITH =) WHERE (valid_to IS NULL) DEFERRABLE"},
	} {
		t.Run(c.immediate, func(t *testing.T) {
			m := versions()
			m.load(t, e)
			execute(t, e.db, "ALTER TABLE "+path(m.target.Name...)+" "+c.immediate)
			_, err := e.db.ExecContext(t.Context(), m.statement(t, e))
			if code := sqlState(err); !strings.HasPrefix(code, "23") {
				t.Errorf("checked row by row: error %v, want a violation", err)
			}
			m.expect(t, e, m.history)
		})
		t.Run(c.deferrable, func(t *testing.T) {
			m := versions()
			m.load(t, e)
			execute(t, e.db, "ALTER TABLE "+path(m.target.Name...)+" "+c.deferrable)
			execute(t, e.db, m.statement(t, e))
			m.expect(t, e, m.new)
		})
	}
}

// sqlState is PostgreSQL's code of an error.
func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// A staged row whose target row is gone, or has another start, does nothing; the count is short of it.
func TestStaleTarget(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		m := versions()
		m.load(t, e)
		execute(t, e.db, "DELETE FROM "+path(m.target.Name...)+" WHERE id = 2 AND valid_from = 20")
		execute(t, e.db, "UPDATE "+path(m.target.Name...)+" SET valid_from = 11 WHERE id = 3")
		if n, want := execute(t, e.db, m.statement(t, e)), len(m.staged)-2; n != int64(want) {
			t.Errorf("%d rows are touched, want %d", n, want)
		}
		want := slices.DeleteFunc(m.new, func(row []any) bool { return row[1] == "c" || row[1] == "d" })
		m.expect(t, e, append(want, []any{3, "d", 11, nil}))
	})
}

// Of two writers that read a history, and merge what they made of it, PostgreSQL lets one through when they are SERIALIZABLE, whether or not
// they change the same rows.
func TestSerializableWriters(t *testing.T) {
	e := postgreSQL(t)
	for name, other := range map[string]string{
		"the same row": "UPDATE made.versions SET valid_to = 25 WHERE id = 1",
		"a new key":    "INSERT INTO made.versions VALUES (7, 'j2', 12, NULL)",
	} {
		t.Run(name, func(t *testing.T) {
			m := versions()
			m.load(t, e)
			begin := func() *sql.Tx {
				tx, err := e.db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelSerializable})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = tx.Rollback() }) // of what Commit left
				return tx
			}
			first, second := begin(), begin()
			execute(t, first, "SELECT * FROM made.versions")
			execute(t, second, "SELECT * FROM made.versions")
			execute(t, second, other)
			if err := second.Commit(); err != nil {
				t.Fatal(err)
			}
			_, err := first.ExecContext(t.Context(), m.statement(t, e))
			if err == nil {
				err = first.Commit()
			}
			if sqlState(err) != "40001" {
				t.Errorf("got %v, want an error 40001", err)
			}
		})
	}
}

// Of two transactions that change a row DuckDB refuses the second.
func TestConflictingWriters(t *testing.T) {
	e := duckDB(t)
	m := versions()
	m.load(t, e)
	tx, err := e.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, tx, m.statement(t, e))
	_, err = e.db.ExecContext(t.Context(), "UPDATE made.versions SET valid_to = 25 WHERE id = 1")
	if err == nil || !strings.Contains(err.Error(), "onflict") {
		t.Errorf("got %v, want a conflict", err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	m.expect(t, e, m.new)
}
