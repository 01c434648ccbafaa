// Package oracle compares the lexical view with another search engine. It is a
// module of its own, so that the engine's dependencies stay out of the
// project's; its tests are the whole of it.
package oracle
