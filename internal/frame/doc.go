// Package frame reads the batches of a call as tables: it finds columns by name, checks that schemas and types fit, and
// gives the errors of package onerow when they don't.
package frame
