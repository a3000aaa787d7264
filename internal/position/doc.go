// Package position lays cells on a line: it gives each cell of some columns a word of 64 bits, so that words compare as the cells do.
//
//	columns of one family ─► New ─► Line ─► Read, block by block; At, cell by cell
//
// Words are equal if and only if the cells are, by the equality of keys: units of times, widths and signs of integers, scales of decimals
// don't matter, -0 is 0, and all NaNs are one value, the greatest.
//
// Where the cells fit, a word is the cell itself with its bits in an order that compares, in the finest unit of the columns: nothing is copied,
// and blocks are read as fast as the column's memory. Bool, integers, floats, dates and times fit, and decimals of one scale up to 64 bits. What
// doesn't fit is ranked: text, binary, decimals of several scales, and columns whose values need more than 64 bits when they are brought
// to one unit. Ranking sorts all cells once and keeps eight bytes for each. One value that is too far out needs no ranks, such as 9999-12-31 in
// seconds beside nanoseconds: the end of the line stands for it, unless a cell is there already.
package position
