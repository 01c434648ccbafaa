package scan

import "sync"

// readers is every language that Scan knows, by the name that the rest of
// pindex uses for it.
var readers = sync.OnceValue(func() map[string]*reader {
	m := map[string]*reader{}
	approximate := func(t *table, read func(*scanner), names ...string) {
		t.prepare()
		for _, n := range names {
			m[n] = &reader{depth: Approximate, version: 1, uses: true, imports: len(t.imports) > 0 || n == "r", read: read, table: t}
		}
	}
	byStyle := func(t *table, names ...string) {
		read := readBraces
		switch t.style {
		case byEnds:
			read = readEnds
		case byIndent:
			read = readIndent
		}
		approximate(t, read, names...)
	}
	byStyle(swift(), "swift")
	byStyle(dart(), "dart")
	byStyle(groovy(), "groovy")
	byStyle(solidity(), "solidity")
	byStyle(rLang(), "r")
	byStyle(perl(), "perl")
	byStyle(powershell(), "powershell")
	byStyle(elixir(), "elixir")
	byStyle(julia(), "julia")
	byStyle(crystal(), "crystal")
	byStyle(fortran(), "fortran")
	byStyle(vimScript(), "vim")
	byStyle(ocaml(), "ocaml")
	byStyle(fsharp(), "fsharp")
	byStyle(nim(), "nim")
	byStyle(elm(), "elm")
	approximate(objectiveC(), readObjC, "objective-c", "objective-cpp")
	approximate(erlang(), readErlang, "erlang")
	approximate(assembly(), readAssembly, "assembly")
	for name, t := range lisps() {
		approximate(t, readLisp, name)
	}
	structured := func(t *table, read func(*scanner), imports bool, names ...string) {
		t.prepare()
		for _, n := range names {
			m[n] = &reader{depth: Structured, version: 1, uses: true, imports: imports, read: read, table: t}
		}
	}
	structured(sqlTable(), readSQL, false, "sql")
	structured(plain("#", ""), readDockerfile, true, "dockerfile")
	structured(plain("#", ".-/%"), readMake, true, "make", "just")
	structured(cmakeTable(), readCMake, true, "cmake")
	structured(hcl(), readHCL, false, "hcl")
	structured(protobuf(), readBraces, true, "protobuf")
	structured(graphql(), readBraces, false, "graphql")
	structured(thrift(), readBraces, true, "thrift")
	structured(prisma(), readBraces, false, "prisma")
	structured(cssTable(false), readCSS, true, "css")
	structured(cssTable(true), readCSS, true, "scss", "less")
	return m
})
