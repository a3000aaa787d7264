// Package keyset is the kernel: it finds out which rows have one key.
//
//	columns ─► Keys.Read ─► blocks of {key, hash, null} ─► Parts (top bits) ─► Table.At ─► an entry a key ─► the verb's loop
//
// # Keys
//
// A key is one or two words. Where the key columns fit, the words are the key, and comparing words decides equality:
// one column of at most 8 bytes; several that fit 8 or 16 bytes together; one text of at most 15 bytes with its length.
// Other keys are digests: two hashes, the second under a secret of the process. Equal keys have equal digests; of
// two rows with equal digests the cells decide ([Keys.Same]). So a hash only ever rejects.
//
// # Bits of the hash
//
//	63 ........ 64-p | ............ 32 | 31 ............ 0
//	partition        | free            | slot (low bits of these) and tag (these, bit 31 always set)
//
// The hash is a fixed function of the value (form.Reader), so the partition of a key is the same on every machine. A
// table whose probes grow long, as under keys crafted to collide, goes over to slots by a secret.
//
// # Memory
//
// Rows are dealt out as entries of 24 or 32 bytes in chunks that are cut from pooled slabs; a table is reused for one
// partition after the other by its worker. Nothing is allocated per row.
package keyset
