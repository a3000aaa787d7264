package engines_test

import (
	"database/sql"
	"fmt"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/onerow-go/onerow/scd2"
)

// thePostgres is the server of this run of the tests, started by the first that needs it.
var thePostgres struct {
	once   sync.Once
	server *server
	err    error
}

// postgreSQL connects to the server. All tests share one database: each makes schemas of its own.
func postgreSQL(t testing.TB) *engine {
	t.Helper()
	p := &thePostgres
	p.once.Do(func() { p.server, p.err = startPostgres() })
	if p.err != nil {
		t.Fatal(p.err)
	}
	if p.server == nil {
		absent(t, "no PostgreSQL from 15 on in /usr/lib/postgresql/*/bin or PATH")
	}
	db, err := sql.Open("pgx", p.server.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &engine{
		dialect: scd2.PostgreSQL,
		db:      db,
		typeOf: func(t testing.TB, dt arrow.DataType) string {
			t.Helper()
			switch dt := plain(dt).(type) {
			case *arrow.TimestampType:
				switch {
				case dt.Unit == arrow.Nanosecond:
				case dt.TimeZone != "":
					return "timestamptz"
				default:
					return "timestamp"
				}
			case *arrow.Decimal128Type:
				return fmt.Sprintf("numeric(%d,%d)", dt.Precision, dt.Scale)
			}
			name, ok := postgresTypes[plain(dt).ID()]
			if !ok {
				t.Fatalf("no type of PostgreSQL for %v", dt)
			}
			return name
		},
		fromText: func(dt arrow.DataType, sqlType string, n int) string {
			if dt.ID() == arrow.BINARY {
				return fmt.Sprintf("decode($%d::text, 'hex')", n)
			}
			return fmt.Sprintf("CAST($%d::text AS %s)", n, sqlType)
		},
		toText: func(dt arrow.DataType, column string) string {
			if dt.ID() == arrow.BINARY {
				return "encode(" + column + ", 'hex')"
			}
			return column + "::text"
		},
	}
}

var postgresTypes = map[arrow.Type]string{
	arrow.BOOL: "boolean", arrow.UINT8: "smallint", arrow.INT16: "smallint", arrow.INT32: "integer", arrow.INT64: "bigint", arrow.UINT64: "numeric(20)",
	arrow.FLOAT32: "real", arrow.FLOAT64: "double precision", arrow.STRING: "text", arrow.BINARY: "bytea", arrow.DATE32: "date",
}

// stopPostgres ends what startPostgres started.
func stopPostgres() error {
	if thePostgres.server == nil {
		return nil
	}
	return thePostgres.server.stop()
}
