package bench

import (
	"fmt"
	"strings"
)

// The ends of the forms' names say what they read.
const (
	ofStream  = ", stream"
	ofParquet = ", Parquet"
)

// keyParts is the number of parts of the forms that go through the input once for each part of the keys, so that each has room.
const keyParts = 4

// forms are DuckDB's, with the statements that write their output. The stream can be read once, so that it has those of latestQueries that do; the
// Parquet file has all, and those that were the fastest with room are also asked in parts by key. What else was tried was no faster: IN in place of a
// join, the maxima first as a table of their own, eight parts.
func (j streamJob) forms() []query {
	var all []query
	table := fmt.Sprintf("read_parquet('%s')", j.Input)
	for _, q := range latestQueries([]string{"id"}, batchColumns) {
		if strings.Count(q.sql, fromTable) == 1 {
			all = append(all, query{q.name + ofStream, copyInto(q.sql, j.Output)})
		}
		all = append(all, query{q.name + ofParquet, copyInto(over(table, q.sql), j.Output)})
		if q.name != "max hugeint, join" && q.name != "two steps, arg_max row" {
			continue
		}
		var parts []string
		for p := range keyParts {
			part := fmt.Sprintf("(SELECT * FROM %s WHERE hash(id) %% %d = %d)", table, keyParts, p)
			parts = append(parts, copyInto(over(part, q.sql), fmt.Sprint(j.Output, p)))
		}
		all = append(all, query{fmt.Sprint(q.name, ", ", keyParts, " parts", ofParquet), strings.Join(parts, "; ")})
	}
	return all
}

const fromTable = "FROM t"

// over puts another table in the place of t in a query. The rows of a Parquet file are numbered under another name.
func over(table, sql string) string {
	return strings.ReplaceAll(strings.ReplaceAll(sql, fromTable, "FROM "+table+" AS t"), "rowid", "file_row_number")
}

func copyInto(query, file string) string {
	return fmt.Sprintf("COPY (%s) TO '%s' (FORMAT parquet)", query, file)
}
