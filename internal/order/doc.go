// Package order ranks rows: by the order columns of a call, and by content.
package order
