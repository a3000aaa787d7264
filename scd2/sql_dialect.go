package scd2

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Dialect is the language of an engine that [MergeSQL] writes. It has no default.
type Dialect uint8

const (
	// DuckDB from 1.4 on.
	DuckDB Dialect = iota + 1
	// PostgreSQL from 15 on.
	PostgreSQL
	// Delta is Spark SQL on a table of Delta Lake.
	Delta
	// Iceberg is Spark SQL on a table of Apache Iceberg.
	Iceberg
	// Snowflake is the SQL of Snowflake.
	Snowflake
	// BigQuery is GoogleSQL in BigQuery.
	BigQuery
)

// String names the dialect as its constant is named.
func (d Dialect) String() string {
	if !d.known() {
		return fmt.Sprintf("Dialect(%d)", uint8(d))
	}
	return grammars[d].name
}

func (d Dialect) known() bool { return int(d) < len(grammars) && grammars[d].name != "" }

// grammar is in what the dialects differ.
type grammar struct {
	name string
	// quote makes an identifier of a name, and fold gives what is left of a name when the engine looks it up: equal for
	// two names that are one to it.
	quote, fold func(string) string
	// nullSafe is the format of a comparison that holds for NULL and NULL.
	nullSafe string
}

var grammars = [...]grammar{
	DuckDB:     {"DuckDB", doubleQuoted, lowerASCII, standardNullSafe},
	PostgreSQL: {"PostgreSQL", doubleQuoted, cut63, standardNullSafe},
	Delta:      {"Delta", backticked, lower, "%s <=> %s"},
	Iceberg:    {"Iceberg", backticked, lower, "%s <=> %s"},
	Snowflake:  {"Snowflake", doubleQuoted, asIs, "EQUAL_NULL(%s, %s)"},
	BigQuery:   {"BigQuery", escaped, lower, standardNullSafe},
}

const standardNullSafe = "%s IS NOT DISTINCT FROM %s"

func doubleQuoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func backticked(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

var escapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "\n", `\n`, "\r", `\r`)

// escaped quotes for BigQuery, whose identifiers have the escapes of its string literals, and no doubled backticks.
func escaped(name string) string { return "`" + escapes.Replace(name) + "`" }

func asIs(name string) string { return name }

// lower folds all letters, by way of the capitals, since two small letters may share one.
func lower(name string) string { return strings.ToLower(strings.ToUpper(name)) }

func lowerASCII(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// cut63 cuts as PostgreSQL does: after as many characters as fit 63 bytes.
func cut63(name string) string {
	const most = 63
	if len(name) <= most {
		return name
	}
	end := most
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}
