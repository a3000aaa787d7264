// Package down shares Arrow data of v18 with v15. The package up is its twin, for the other way: the same text with the versions
// exchanged, which a test checks and its flag -update writes anew.
//
// src names the version that the data comes from, dst the one that it goes to. A conversion reads the types of a schema once, into a
// tree of shapes, and then walks the data of each batch along that tree:
//
//	src.Schema ─► Schema{dst.Schema, shapes}
//	src.Array  ─► src.ArrayData ─► check ─► dst buffers over the same bytes ─► dst.ArrayData ─► dst.Array
//
// A dst buffer holds one reference to its src buffer, which it gives back when its own last reference goes.
package down
