package grain

import "slices"

// MergeEngine says what the MERGE of an engine does with a conflict: a target row on which two or more source rows act.
type MergeEngine struct {
	// Name is the engine, and the table format where that decides.
	Name string `json:"name"`
	// Raises says that the statement fails, unless a setting named in Does says otherwise.
	Raises bool `json:"raises"`
	// Does is the error that it raises, or what it does instead.
	Does string `json:"does"`
}

// mergeEngines are by name. What DuckDB and PostgreSQL do was tried; the others are by their manuals and sources.
var mergeEngines = []MergeEngine{
	{"BigQuery", true, "UPDATE/MERGE must match at most one source row for each target row"},
	{"Databricks", true, "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"},
	{"Db2", true, "SQLCODE -788, SQLSTATE 21506"},
	{"Delta Lake (Spark)", true, "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE; not for a single WHEN MATCHED THEN DELETE without a condition"},
	{"Delta Lake (delta-rs)", true, "MERGE matched a target row with multiple source rows; older versions write a row for each instead"},
	{"DuckDB", false, "updates the row with one of the source rows, whichever comes"},
	{"Hudi (Spark)", false, "keeps one source row per record key, by the ordering field"},
	{"Iceberg (Spark)", true, "MERGE_CARDINALITY_VIOLATION"},
	{"Oracle", true, "ORA-30926: unable to get a stable set of rows"},
	{"PostgreSQL", true, "SQLSTATE 21000: MERGE command cannot affect row a second time"},
	{"Redshift", true, "Found multiple matches to update the same tuple"},
	{"SQL Server", true, "Msg 8672: attempted to UPDATE or DELETE the same row more than once"},
	{"Snowflake", true, "100090: Duplicate row detected during DML action; with ERROR_ON_NONDETERMINISTIC_MERGE = FALSE it picks one of the source rows"},
	{"Teradata", true, "7547: Target row updated by multiple source rows"},
	{"Trino", true, "MERGE_TARGET_ROW_MULTIPLE_MATCHES"},
}

// MergeEngines lists, by name, what the MERGE statements of engines do with conflicts as they come out of the box. None of them says anything
// about unmatched duplicates or rows with NULL in the ON clause, unless a unique constraint of the target does.
func MergeEngines() []MergeEngine { return slices.Clone(mergeEngines) }
