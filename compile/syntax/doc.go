// Package syntax turns one file's bytes into declarations, occurrences and
// imports with tree-sitter. It is the only package that links a parser; it
// knows no git, no segment and no file system. Its results are a pure
// function of (language, bytes).
//
// # How a file becomes facts
//
//   - parse.go: Parse checks that the bytes are text, parses them within the
//     limits and runs the language's extractor.
//   - runtime.c: one call parses and writes the whole tree to a flat slice of
//     nodes in preorder (tree.go); a call for each node would cost more than
//     the parsing. From there on nothing calls C: an extractor walks the slice
//     by index. arena.c is the memory of a parse.
//   - recover.go: where a syntax error swallows declarations behind it, the
//     file is parsed in pieces; where a grammar leaves source unparsed, such as
//     a Rust macro's items, that is parsed and put in its place.
//   - extract.go: what all extractors share: names, occurrences and imports;
//     beside it scopes (extract_scope.go), declarations (extract_declare.go),
//     leading comments (extract_lead.go) and the final ordering
//     (extract_finish.go).
//   - languages.go: which language has which grammar and extractor.
//   - python.go, golang.go and so on: one extractor each, with the walk; a
//     large one has parts beside it, such as python_scope.go, and its list of
//     nodes in python_kinds.go.
//
// # What callers can rely on
//
// A parent precedes its children and encloses them; siblings do not overlap
// and stand in source order. A signature and a documentation range lie in
// their declaration. Every occurrence's name stands at its offset in the
// source. A file with syntax errors has what parsed around them. A file beyond
// the limits has nothing but the reason. The same bytes give the same facts,
// whatever was parsed before and on whichever goroutine.
//
// # How to add a language
//
//  1. Add the grammar module at a fixed version to go.mod and an entry to
//     languages in languages.go. A test compares the version in backend with
//     go.mod.
//  2. Write the extractor: a block of constants that begins with kindFirst +
//     iota, an array that gives each constant the grammar's node name, and a
//     function that walks the nodes from the root (index 0). A name with a
//     leading apostrophe, such as "'static", stands for a token; one with a
//     leading question mark may be missing, for grammars that share an
//     extractor. Leaves that the array does not name are not in the slice at
//     all, unless they are named nodes in a field that tree.go numbers; inner
//     nodes always are, with kindOther. A name that the grammar does not have
//     is an error. Fields that no language used so far are added to the list
//     in tree.go.
//  3. The walk is one recursive visit(i) with a switch on kind(i) whose
//     default visits the children. Its depth is limited by Limits.Depth.
//     ERROR nodes need no case: the default finds what parsed inside them.
//  4. For a declaration call begin (or beginSpan, beginNamed), visit what lies
//     in it, and call end; leaf does both. Around a callable's parameters and
//     body call enter and leave: declarations in between are local, and bind
//     makes a name local, so that use gives no occurrence for it. pushScope
//     and popScope do the same for a block. Bind a name behind its
//     initializer, as the language does.
//  5. Call comment for comment nodes, and attribute for attribute nodes that
//     stand beside their declaration: begin takes those that directly precede
//     it into the declaration. Set the rest with signature, flag, own
//     (declared outside of its owner) and the Doc range (docstrings).
//  6. For uses call use (bare names), useMember (with the receiver's node;
//     none for a member without one) and addImport. Visit every name once: a
//     declaration's own name is no use of it.
//  7. Keep it linear: child and childOf look at a node's children, so never
//     call them for each of many siblings on their parent.
//  8. Write testdata/LANGUAGE/*.txtar with a section of source for everything
//     that the language can declare and use, run go test -run Golden -update,
//     and read the facts line by line. Add the language to tinyFunctions.
//  9. Whenever an extractor's results change, raise its version in
//     languages.go; for extract*.go, frameworkVersion.
package syntax
