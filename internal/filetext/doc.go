// Package filetext tells what a file's bytes are: text or not, in which
// encoding, and where its characters stand in the original. The compiler and
// whoever lays changed files over an index read files by the same rules.
package filetext
