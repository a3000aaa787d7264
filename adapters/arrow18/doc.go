// Package arrow18 x.
package arrow18
