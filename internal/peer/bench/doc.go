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
//	stream.go     a table of changes that is made as it is read, at any size, and a model of its winners
//	outofcore.go  O1, whose sides run in processes of their own: what such a process does is in outofcore_side.go, DuckDB's forms in outofcore_forms.go
//
// The other files have the workloads: the data, our call, and the forms in which a user of DuckDB would ask for the
// same. Data comes of a fixed seed. DuckDB has it as a table of its own in memory before the clock starts, and leaves
// its result as a table; we leave it as records or row lists.
//
// O1 is otherwise, as its data has no room in memory. Our side reads a stream and writes a file of Arrow IPC. DuckDB reads the same stream, or a
// Parquet file that it made of it before the clock starts, and writes a Parquet file; it has the same budget in bytes, as its memory_limit, and needn't
// keep the order of rows. Forms that run out of memory are printed as failed; the fastest of the others counts.
package bench
