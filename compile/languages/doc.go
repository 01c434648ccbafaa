// Package languages knows which reader each language has: a grammar
// (compile/syntax), a scanner (compile/scan), or both in one file, such as the
// scripts in a component and the cells of a notebook. It also says, for each
// language and capability, what that reader's answers can be trusted with;
// docs/LANGUAGES.md is written from there (internal/langdoc).
//
// Like the readers it is a pure function of (language, bytes).
package languages
