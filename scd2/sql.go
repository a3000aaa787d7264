package scd2

import (
	"fmt"
	"strings"
)

// Target describes the target table of a merge for [MergeSQL].
type Target struct {
	// Name is the table's name, one element a part: "prod", "customers".
	Name []string
	// Key, ValidFrom and Columns are columns of the table: its key, the start, and all of them in order.
	Key       []string
	ValidFrom string
	Columns   []string
	// NullKeys says that NULLs in key columns are equal to each other.
	NullKeys bool
}

// MergeSQL writes the one statement that brings a table up to date with the rows of [Merge.Staged]. target is the table, as [Merge.Target]
// describes it; staged names the table or view that holds those rows, one argument a part. After it the table holds what [Merge.Apply] makes.
//
// A row of Staged whose merge key is that of a row of the table removes that row, or gives it the values that it is to have. A row that is to
// be inserted has NULLs for a merge key, which match nothing. So versions end, and those that follow them begin, in one statement, and
// no reader sees the one without the other. Identifiers are quoted as the dialect wants it, and every column is written out.
//
// # What the caller does
//
// Load the record of Staged as a table of the same column names, whose types hold every value exactly and compare as those of the target
// do. Watch the units of timestamps: PostgreSQL, Spark and BigQuery keep microseconds. Text is compared by bytes in this package, and
// as the column's collation says in the engine: key columns need a binary one. A column that the plan added must be in the target
// before; a column of the target that isn't in Target.Columns keeps its value, or gets its default.
//
// Run the statement once: a second run inserts again. Do it in a transaction where the engine has them, and compare the counts that it gives
// with [Merge].Report: Insert rows inserted, Close + Rewrite rows updated, Remove rows deleted. Where they differ the table isn't the one
// that the plan was made for: roll back, read it again, plan again.
//
// # Other writers
//
// The plan holds for the table that it was made from. Where a row has vanished since, or has another start, its staged row matches nothing
// and does nothing: a close never becomes an insert. What others inserted isn't seen at all, so counts that are right are no proof.
// Have one writer; or lock the table before reading it; or read, load and merge in one transaction that the engine keeps serializable; or
// compare the table's version with the one that was read ([Options].Base) in the transaction of the merge.
//
// # Dialects
//
//   - [DuckDB], from 1.4: gives the number of rows altogether. Of two transactions that change a row one fails. A PRIMARY KEY or UNIQUE
//     constraint is checked as rows come, and may refuse an insert at a start that another row of the statement leaves: do without.
//   - [PostgreSQL], from 15: gives the number of rows altogether. A constraint on key and start must be DEFERRABLE, so that it is checked
//     at the end of the statement; a unique index on open versions must be a deferrable EXCLUDE constraint for the same reason. Take
//     LOCK TABLE … IN SHARE ROW EXCLUSIVE MODE before reading, or be SERIALIZABLE and try again on error 40001. With NullKeys the join
//     is by start alone, and slow where very many versions share one.
//   - [Delta], Spark SQL on Delta Lake: gives the rows inserted, updated and deleted. DESCRIBE HISTORY has the table's version.
//   - [Iceberg], Spark SQL on Apache Iceberg: gives no counts; the summary of the new snapshot has them. Leave the table's
//     write.merge.isolation-level as it is by default, serializable.
//   - [Snowflake]: gives the rows inserted, updated and deleted. Quoted names are taken as written: a table that was created without quotes has
//     names in capitals. Leave ERROR_ON_NONDETERMINISTIC_MERGE as it is by default, true.
//   - [BigQuery]: the job's DML statistics have the rows inserted, updated and deleted. Its = holds NaN unequal to itself: set NullKeys
//     where a key may be NaN.
//
// # Errors
//
// Errors wrap [onerow.ErrNoKey]; [onerow.ErrNoColumn] for a key column or a start that isn't among the columns; [onerow.ErrOption] for an
// unknown dialect, a name that is empty or that no engine takes, names that Staged has columns of its own for, and names that are one to the
// dialect: "id" and "ID" in DuckDB, Spark and BigQuery, and what is equal in its first 63 bytes in PostgreSQL.
func MergeSQL(d Dialect, target Target, staged ...string) (string, error) {
	if err := checkTarget(d, target, staged); err != nil {
		return "", err
	}
	return newStatement(d, target).write(target, staged), nil
}

// statement writes the parts of a MERGE in one dialect.
type statement struct {
	grammar
	// t and s are the aliases of target and staged table: no columns, so that t."k" is never a field of a column t.
	t, s string
}

func newStatement(d Dialect, target Target) statement {
	g := grammars[d]
	taken := make(map[string]bool)
	for _, c := range target.Columns {
		taken[strings.ToLower(c)] = true
	}
	alias := func(name string) string {
		for taken[name] {
			name += "_"
		}
		return name
	}
	return statement{grammar: g, t: alias("t"), s: alias("s")}
}

func (w statement) write(target Target, staged []string) string {
	var match, set, columns, values []string
	for _, k := range target.Key {
		left, right := w.of(w.t, k), w.of(w.s, MergeKeyPrefix+k)
		if target.NullKeys {
			match = append(match, fmt.Sprintf(w.nullSafe, left, right))
		} else {
			match = append(match, left+" = "+right)
		}
	}
	// The start is compared with =, whatever the keys are: NULL, which inserts have, is equal to nothing.
	match = append(match, w.of(w.t, target.ValidFrom)+" = "+w.of(w.s, MergeKeyPrefix+target.ValidFrom))
	for _, c := range target.Columns {
		name, value := w.quote(c), w.of(w.s, c)
		set = append(set, name+" = "+value) // no dialect wants the alias left of =, and PostgreSQL refuses it
		columns = append(columns, name)
		values = append(values, value)
	}
	const lines, conditions = ",\n    ", "\n  AND "
	action := w.of(w.s, ActionColumn)
	return "MERGE INTO " + w.path(target.Name) + " AS " + w.t +
		"\nUSING " + w.path(staged) + " AS " + w.s +
		"\nON " + strings.Join(match, conditions) +
		"\nWHEN MATCHED AND " + action + " = 'remove' THEN\n  DELETE" +
		"\nWHEN MATCHED THEN\n  UPDATE SET\n    " + strings.Join(set, lines) +
		"\nWHEN NOT MATCHED AND " + action + " = 'insert' THEN\n  INSERT (\n    " + strings.Join(columns, lines) +
		"\n  ) VALUES (\n    " + strings.Join(values, lines) + "\n  )"
}

// of is a column of the table that an alias stands for.
func (w statement) of(alias, column string) string { return alias + "." + w.quote(column) }

// path is the name of a table.
func (w statement) path(parts []string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = w.quote(p)
	}
	return strings.Join(quoted, ".")
}
