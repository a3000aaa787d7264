// Package up shares Arrow data of v15 with v18. It is the twin of the package down, which says how; its files are written by
// the test of down that compares the two, with the flag -update.
package up
