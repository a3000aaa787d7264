// Package spill keeps records on disk for a while: what a call with a memory budget can't hold.
//
//	Folder (one a call, private) ─► Set (one an input and level) ─► P partitions, a file each ─► frames, a record each
//
// # Frames
//
// A file is a sequence of frames, without a head or an end of its own:
//
//	size of the layout  8 bytes
//	size of the body    8 bytes
//	layout              of each array, parents first: length, NULLs, offset, number of buffers, the size of each
//	body                the buffers, each padded to 8 bytes
//	checksum            8 bytes: XXH64 of all before it, seeded with a secret of the file and the number of the frame
//
// Types aren't written: they are those of the set's schema, which never leaves memory. So every type of Arrow is kept as it is, with its
// dictionaries, and a frame is read by one call into one buffer, whose slices are the record's. Numbers are in the byte order of the machine:
// a file is read by the process that wrote it.
//
// # What holds
//
// Frames of a partition come back in the order in which they were appended. Reading checks sizes against those that were written, and the
// checksum before anything is made of the bytes: what was changed, cut, lengthened or exchanged is an error. Every error wraps
// [onerow.ErrSpill] and names the file.
//
// A folder is made when the first file is, with mode 0700; it is gone after Remove, with all that is in it. Folders, sets and readers belong
// to one goroutine.
package spill
