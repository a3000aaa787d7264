package differ

import (
	"math"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// Exception is a point in which DuckDB and onerow are meant to differ, or can't be compared, and what the tests do about it.
type Exception struct {
	What, Reason string
}

// Exceptions lists them all.
var Exceptions = []Exception{
	{"zeros and NaNs are compared by value, not by bits",
		"DuckDB holds -0 and 0 equal, and all NaNs, in rows as in keys, so it keeps any of them; onerow keeps that of the row that wins by content, in which -0 is below 0."},
	{"in the content order -0 is put below 0 by its sign bit",
		"For DuckDB's ORDER BY they are equal, and the next column decides. Its windows also make 0 of -0 as they sort, so that the sign is taken before."},
	{"sums of floats are compared with a tolerance, unless they are NaN or infinite",
		"DuckDB rounds at each step; grain.Profile rounds the exact sum once."},
	{"rows that are copies of each other stand for each other",
		"Which of several equal rows DuckDB picks is not defined; onerow's choice is tested elsewhere."},
	{"no float16, duration, struct, list, map or 256-bit decimal columns, no nanoseconds with a zone, no decimals whose difference in scale leaves no room for a common type",
		"DuckDB has no such type, or another: intervals for durations, microseconds for all instants."},
	{"no text that isn't UTF-8",
		"DuckDB refuses it; onerow compares bytes."},
	{"no dates and timestamps beyond DuckDB's range, nor the greatest and least 64-bit number as a timestamp",
		"DuckDB has infinity and -infinity there, and refuses what lies beyond; onerow takes every 64-bit number as a time."},
	{"date64 columns hold whole days",
		"DuckDB drops the time of day; onerow keeps it."},
	{"no carry-forward across key changes, no content hashes",
		"The life of a row under several keys has no short form in SQL, nor has the text that is hashed; internal/oracle and vectors answer for them."},
	{"carry-forward, previous keys, and a guard are compared where no two rows of a key are equal in order",
		"A tie stops carry-forward, and may be one with the target; a key may end at the point where another row has it. SQL has no word for any of these."},
	{"states are compared by the histories that they lead to",
		"What a history doesn't show has no table in SQL: events that come in several calls, in any order, must make what all of them at once make."},
	{"grain.Compare is asked of figures that have few digits",
		"It compares exact shares; DuckDB's decimals have 38 digits."},
	{"NULLs in an order are written out as NULLS FIRST or NULLS LAST",
		"DuckDB's default, last, is onerow's highest for ascending and lowest for descending columns."},
	{"text is compared under DuckDB's default collation",
		"It is by bytes, as in onerow; under a collation such as NOCASE it would not be."},
}

// sign is an expression that is false for -0 and true for all else: behind the column itself in an ORDER BY it puts -0 below 0.
func sign(column string) string {
	return "NOT coalesce(" + column + " = 0 AND signbit(" + column + "), false)"
}

// sameValue takes what Exceptions hold equal for one: zeros, and NaNs.
func sameValue(v any) any { return arrowtest.Key(v) }

// sameSum says whether DuckDB's sum of floats may be that of n values whose sizes sum up to size.
func sameSum(ours, theirs, size float64, n int) bool {
	if math.IsNaN(ours) || math.IsNaN(theirs) || math.IsInf(ours, 0) || math.IsInf(theirs, 0) {
		return math.IsNaN(ours) == math.IsNaN(theirs) && (math.IsNaN(ours) || ours == theirs)
	}
	const ulp = 0x1p-52
	return math.Abs(ours-theirs) <= float64(n+1)*ulp*size
}
