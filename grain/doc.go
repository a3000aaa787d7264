// Package grain says what one row of a table stands for.
package grain
