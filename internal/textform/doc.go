// Package textform brings text that people write in several ways to one form: trimmed of white space, case-folded, composed.
//
//	text ─► Fold: trim, fold ─► Compose ─► equal forms for texts that differ in blanks, case and accents' spelling alone
//
// Folding is the full one of Unicode, without a locale (ß is ss, ﬁ is fi), composition is NFC. The facts about characters are in unicode.txt,
// made by the program in gen from golang.org/x/text, Unicode 15.0.0. They are fixed, so that an answer doesn't depend on the version of Go that
// the library is built with; characters of later versions stay as they are. They are read when the first character beyond ASCII comes.
//
// A byte that isn't UTF-8 stays as it is, and differs from any other.
package textform

//go:generate go run -C gen .
