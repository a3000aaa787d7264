// Package differ asks onerow and DuckDB the same of random tables, and compares the answers. All of it is tests; where
// the two are meant to differ is said in exceptions.go, and nowhere else.
//
//	go test -tags duckdb_arrow ./differ [-tables N] [-first SEED]
//
// A table that makes a difference is found again by its seed: -tables 1 -first SEED.
package differ
