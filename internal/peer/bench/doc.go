// Package bench measures the verbs of onerow beside DuckDB: the same work on the same data, in one run, with the results
// checked equal. Command bench runs it.
//
//	workload.go   what a workload is, and the list of them
//	measure.go    alternating runs, medians
//	check.go      checksums of results
//	memory.go     peak memory, each side in a process of its own
//	bars.go       what is to be reached
//	report.go     the table, the JSON, the verdicts
//	columns.go    the columns of made tables
//
// The other files have the workloads: the data, our call, and the forms in which a user of DuckDB would ask for the
// same. Data comes of a fixed seed. DuckDB has it as a table of its own in memory before the clock starts, and leaves
// its result as a table; we leave it as records or row lists. Of the workloads, out-of-core (O1) is missing: dedupe has no
// call yet that merges more rows than memory holds.
package bench
