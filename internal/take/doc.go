// Package take gathers rows by number out of the chunks of a column: any type, any order, repeats allowed.
//
//	rows ─► locate ─► picks{rows, segments, mask} ─► one loop per physical layout ─► one array
//	                                                  └► picks of the child's elements ─► the same, below
//
// # Picks
//
// A row list is resolved once for all columns: it is cut into segments, each of them rows of one chunk, and inside a
// segment the element is the row's number plus the segment's base. Ascending rows make about as many segments as there
// are chunks. Lists, dictionaries, unions and runs turn their rows into picks of their children's elements, and gather
// these in the same way; structs and sparse unions pass the picks on as they are.
//
// A pick may be masked: its output is NULL and no input is read for it. That is how children of a NULL are gathered.
//
// # Parts
//
// Output rows are worked off in parts of 32,768, which no segment crosses. A goroutine that has no column left takes parts of the columns that others have
// in work (crew), so that all end together. What a part writes is its own: parts begin at whole words of a bitmap, and text is copied no further than
// the part's last byte.
//
// # What holds
//
// The validity bitmap of the output comes first, and every later loop looks at it before it reads a slot: what an input
// holds under a NULL is never used, as a value, an offset, a length or an index. Output slots under a NULL are zeroed. The
// output has its exact number of NULLs, no validity bitmap without one, offset 0 and no spare elements.
//
// Inputs are only read, and never through calls that write to them lazily (NullN), so that one input may be gathered by
// many goroutines.
package take
