// Package dedupe keeps one row per key: the latest.
//
//	batches ─► Latest(key, order, options) ─► Plan{Rows, SetAside, Stale, Ended, Report} ─► Take ─► arrow.Record
//
// [Latest] plans, and copies nothing; [Plan.Take] makes the record of the winners. [Union] makes one table of sources whose
// schemas differ.
//
// For more rows than memory holds there is [NewReader]: a stream goes in, a stream of the winners comes out, within a budget.
//
//	array.RecordReader ─► NewReader(key, order, options) ─► Reader{Next, Record, Rows, Deletes, Report, SetAside}
//
// # Who wins
//
// Rows of one key are ranked by the order columns: the first that differs decides, and the greatest wins. A winner is a
// whole row of the input, with the bits it came with.
//
//	rows of one key                             outcome
//	one is greatest                             it wins, the others are superseded
//	several are greatest, equal in all columns  one event delivered more than once: one wins, the others are duplicates
//	a delete and an upsert are greatest         the delete wins
//	several deletes are greatest                the greatest by content wins
//	several are greatest, content differs       a tie: refused, or resolved by the rule in Options.Ties
//
// Ties among rows that lose anyway don't matter. Snapshot reads (Op.Snapshot) are older than every streamed change.
//
// # Key changes
//
// A row that names the key it had before (Op.PreviousKey) ends that key at its point of the order, as a delete would.
// [Plan.Ended] lists such rows where nothing of the previous key is newer. A row that is set aside for a NULL key has no effect; one
// that is set aside for a tie still ends its previous key: which row follows is open, that the key is given up isn't.
//
// A source that sends a key change as two messages, a delete of the old key and an insert of the new one that names the old one, must be
// read without that delete: carry-forward doesn't reach across deletes.
//
// # Carry-forward
//
// A source that doesn't send unchanged large values sends a placeholder. [Fill] takes the value from the nearest older row
// in the life of the row: of its key, or, across a key change, of its previous key. It never reaches across a delete or the
// end of a key, never takes a value from a tie, and never fills a delete. What isn't found stays as it came, and is counted.
//
// # Guard
//
// With Options.Against, rows that are not newer than the target's row of their key are stale, so that a batch delivered
// again changes nothing. A row equal in order to the target's is a replay if its content is equal too, over the columns
// that both have, and else a tie with the target. For carry-forward the target's row is an event at its place in the order: where it
// is the nearest older one, or beside it are only replays of it, its value is taken, and what lies before it isn't looked at.
//
// The target must hold deleted keys too, with their order and op: a delete that is forgotten can't keep an older upsert
// out. If it holds several rows of a key, the greatest counts, the first of equal ones.
//
// A program that brings many small batches to a large target needn't read the target each time: a [Guard] reads it once, is asked batch after
// batch, and advances by what was written. Its plans are those that Latest makes with Options.Against.
//
// # Every row is accounted for
//
// In = Kept + Superseded + Duplicates + SetAside + Stale.
package dedupe
