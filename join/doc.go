// Package join says how many rows a join makes, before it is run.
//
// A join multiplies rows where keys repeat on both sides, or where placeholders and NULLs meet each other, and loses rows where nothing matches.
//
//   - [Estimate] counts what each kind of join makes of two tables, exactly and without making a pair: which keys explode, what the
//     relationship is, what finds no partner. [Size.Require] and [Size.MaxGrowth] stop a pipeline. [EstimateReaders] does so for streams,
//     within a memory budget if there is one.
//   - [Sketch] is a summary of one side's keys, for sides on different machines: [NewSketch] makes it where the rows are, and [EstimateSketches] says
//     what the join of two makes, with bounds that hold whatever the data.
//   - [Split] divides both sides into the rows to join and those to put into quarantine: NULLs, placeholders, chosen keys.
//   - [AsOf] finds for each fact the version of its key that was valid at its time, and [Matches.Joined] makes records of both. [Between] counts
//     the rows of a join that asks for a time between start and end, without making them.
//
// # Sides
//
// The two sides are the left and the right one, each given as batches that are one table. Row numbers count across the batches of their own
// side. A [Key] says which columns are to be equal; names may differ from side to side.
//
// # Equality
//
// Keys are equal by value, column by column, as package onerow says: no encoding, width, scale or unit matters, and nothing is
// concatenated. Columns of different families (text and integer, naive and zoned timestamps) are an error that names both. NULL in a key column
// meets nothing (NullsNever), or NULL equals NULL (NullsEqual).
package join
