// Package dedupe keeps one row per key.
package dedupe
