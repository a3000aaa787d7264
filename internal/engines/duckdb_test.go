package engines_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/onerow-go/onerow/scd2"
)

// duckDB opens a database in memory, for the test alone.
func duckDB(t testing.TB) *engine {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &engine{
		dialect: scd2.DuckDB,
		db:      db,
		typeOf: func(t testing.TB, dt arrow.DataType) string {
			t.Helper()
			switch dt := plain(dt).(type) {
			case *arrow.TimestampType:
				switch {
				case dt.TimeZone != "" && dt.Unit != arrow.Nanosecond:
					return "TIMESTAMPTZ"
				case dt.TimeZone == "" && dt.Unit == arrow.Nanosecond:
					return "TIMESTAMP_NS"
				case dt.TimeZone == "":
					return "TIMESTAMP"
				}
			case *arrow.Decimal128Type:
				return fmt.Sprintf("DECIMAL(%d,%d)", dt.Precision, dt.Scale)
			}
			name, ok := duckTypes[plain(dt).ID()]
			if !ok {
				t.Fatalf("no type of DuckDB for %v", dt)
			}
			return name
		},
		fromText: func(dt arrow.DataType, sqlType string, n int) string {
			if dt.ID() == arrow.BINARY {
				return fmt.Sprintf("unhex($%d)", n)
			}
			return fmt.Sprintf("CAST($%d AS %s)", n, sqlType)
		},
		toText: func(dt arrow.DataType, column string) string {
			if dt.ID() == arrow.BINARY {
				return "hex(" + column + ")"
			}
			return "CAST(" + column + " AS VARCHAR)"
		},
	}
}

var duckTypes = map[arrow.Type]string{
	arrow.BOOL: "BOOLEAN", arrow.UINT8: "UTINYINT", arrow.INT16: "SMALLINT", arrow.INT32: "INTEGER", arrow.INT64: "BIGINT", arrow.UINT64: "UBIGINT",
	arrow.FLOAT32: "FLOAT", arrow.FLOAT64: "DOUBLE", arrow.STRING: "VARCHAR", arrow.BINARY: "BLOB", arrow.DATE32: "DATE",
}
