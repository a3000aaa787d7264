// Package duck is DuckDB for the benchmarks and tests beside it: a database in memory that takes records of Arrow v15
// as tables, and gives them back.
//
// The driver speaks Arrow v18, and only when it is built with -tags duckdb_arrow; without the tag, [Open] says so.
package duck
