// Package keyset is the kernel: it finds out which rows have one key.
//
//	columns ─► Read ─► blocks of {key, hash, null} ─► Parts (top bits) ─► Table ─► an entry a key ─► the verb's loop
//
// # Keys
//
// A key is one or two words. Where the key columns fit, the words are the key, and comparing words decides equality:
// one column of at most 8 bytes; several that fit 8 or 16 bytes together; one text of at most 15 bytes with its length. Columns that don't fit
// by their types may do so by their values, which a sample shows: short texts, small integers, and the numbers of values of any type that are few.
// Other keys are digests: two hashes, the second under a secret of the process. Equal keys have equal digests; of
// two rows with equal digests the cells decide ([Keys.Same]). So a hash only ever rejects.
//
// # Hashes
//
// The stable hash (form.Reader) is a fixed function of the value: onerow.Partition goes by it, on every machine. The partitions and tables in here
// go by the first word of a key, which is scrambled under secrets of the process as it is read: keys can't be crafted to meet in either.
//
// # Memory
//
// Rows are dealt out as entries of 16 or 24 bytes, or of 8 bytes where keys are only counted ([Bare]), in chunks that are cut from pooled slabs; a table is
// reused for one partition after the other by its worker. Nothing is allocated per row.
package keyset
