// Package lint holds the rules of the house that a program can check. Its tests run them over this module; each rule also
// has a test that shows it a small module which breaks it.
//
// The rules:
//
//   - [Imports]: who may import whom, and which modules the core may depend on.
//   - [Requirements]: what go.mod may require directly.
//   - [Files]: names that say something, files of a readable length, nothing left to do.
//   - [Documented]: every exported name of a public package has a doc comment.
//   - [Examples]: every exported function and method of a public package has an Example with output.
//   - [Readme]: the program in the README is an Example, word for word.
//   - [Links]: what the documents link to is there.
//
// A rule reads a [Module] and returns its findings, one line each, that name the file.
package lint
