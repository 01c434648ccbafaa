package query

import "strings"

// pathClass is what a path says about its file. A file may be several things.
type pathClass uint16

const (
	classTest pathClass = 1 << iota
	classExample
	classVendored
	classGenerated
	classMinified
	classDocs
	classData // translations, lock files, tables: text, and rarely an answer
	classStub // declarations whose definition stands elsewhere
	classBuild
	classLegacy // kept for those who have not moved on
)

// classKnown tells a file without a class from one that nobody has looked at.
const classKnown = 1 << 16

var classNames = []string{"test", "example", "vendored", "generated", "minified", "docs", "data", "declaration stub", "build", "legacy"}

// String lists the classes in words.
func (c pathClass) String() string {
	var out []string
	for i, n := range classNames {
		if c&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return strings.Join(out, ", ")
}

var folderClass = map[string]pathClass{
	"test": classTest, "tests": classTest, "__tests__": classTest, "spec": classTest, "specs": classTest,
	"testdata": classTest, "test_data": classTest, "testing_data": classTest, "fixtures": classTest,
	"__fixtures__": classTest, "__mocks__": classTest, "__snapshots__": classTest, "e2e": classTest,
	"unittests": classTest, "unit_tests": classTest, "integration": 0, "integration_tests": classTest,
	"integration-tests": classTest, "testutil": classTest, "testutils": classTest, "androidtest": classTest,
	"jvmtest": classTest, "commontest": classTest, "test-fixtures": classTest, "regress": classTest,

	"example": classExample, "examples": classExample, "sample": classExample, "samples": classExample,
	"demo": classExample, "demos": classExample, "docs_src": classExample, "tutorial": classExample,
	"tutorials": classExample, "bench": classExample, "benches": classExample, "benchmark": classExample,
	"benchmarks": classExample, "perf": classExample, "playground": classExample, "playgrounds": classExample,
	"_examples": classExample,

	"vendor": classVendored, "vendored": classVendored, "_vendor": classVendored, "node_modules": classVendored,
	"cextern": classVendored, "extern": classVendored, "externals": classVendored, "third_party": classVendored, "third-party": classVendored, "thirdparty": classVendored, "3rdparty": classVendored,
	"single_include": classGenerated, "amalgamation": classGenerated, "amalgamated": classGenerated,
	"bower_components": classVendored, "pods": classVendored, "godeps": classVendored,

	"generated": classGenerated, "__generated__": classGenerated, "gen": classGenerated, "dist": classGenerated,

	"docs": classDocs, "doc": classDocs, "documentation": classDocs, "changelogs": classDocs, "site": 0,
	"locale": classData, "locales": classData, "translations": classData, "i18n": 0, "l10n": 0,

	"deprecated": classLegacy, "legacy": classLegacy, "compat": classLegacy, "_compat": classLegacy, "obsolete": classLegacy,

	".github": classBuild, ".circleci": classBuild, ".gitlab": classBuild, "ci": classBuild, ".ci": classBuild,
}

var extensionClass = map[string]pathClass{
	".md": classDocs, ".markdown": classDocs, ".mdx": classDocs, ".rst": classDocs, ".txt": classDocs,
	".adoc": classDocs, ".asciidoc": classDocs, ".textile": classDocs, ".rdoc": classDocs, ".org": classDocs,
	".ipynb": classExample,

	".po": classData, ".pot": classData, ".xlf": classData, ".csv": classData, ".tsv": classData,
	".geojson": classData, ".svg": classData, ".lock": classData, ".sum": classData, ".snap": classData | classTest,
	".golden": classData | classTest, ".map": classGenerated, ".json": classData, ".jsonl": classData,
	".xml": classData, ".patch": classData, ".diff": classData, ".log": classData,

	".cmake": classBuild, ".bazel": classBuild, ".bzl": classBuild, ".gradle": classBuild, ".cabal": classBuild, ".gemspec": classBuild, ".mk": classBuild,

	".pyi": classStub, ".yml": classBuild, ".yaml": classBuild, ".toml": classBuild, ".ini": classBuild, ".cfg": classBuild,
}

var nameClass = map[string]pathClass{
	"conftest.py": classTest, "package-lock.json": classData | classGenerated, "npm-shrinkwrap.json": classData | classGenerated,
	"pnpm-lock.yaml": classData | classGenerated, "yarn.lock": classData | classGenerated,
	"license": classDocs, "licence": classDocs, "copying": classDocs, "notice": classDocs, "authors": classDocs,
	"contributors": classDocs, "changelog": classDocs, "changes": classDocs, "history": classDocs, "readme": classDocs,
	"build": classBuild, "workspace": classBuild, "cmakelists.txt": classBuild, "rakefile": classBuild, "gemfile": classBuild,
	"meson.build": classBuild, "build.gradle.kts": classBuild, "settings.gradle.kts": classBuild, "build.sbt": classBuild, "build.zig": classBuild,
	"makefile": classBuild, "dockerfile": classBuild, "setup.py": classBuild, "noxfile.py": classBuild,
}

// classOfFolder reads what a folder's name says, in lower case.
func classOfFolder(name string) pathClass {
	if c, ok := folderClass[name]; ok {
		return c
	}
	for _, end := range []string{"_test", "-test", "_tests", "-tests", "_spec", "-spec", "_specs", "-specs"} {
		if strings.HasSuffix(name, end) {
			return classTest
		}
	}
	for _, end := range []string{"_examples", "-examples", "_samples", "-samples", "_benchmarks", "-benchmarks", "_bench", "-bench"} {
		if strings.HasSuffix(name, end) {
			return classExample
		}
	}
	return 0
}

// classify reads what a path says.
func classify(path string) pathClass {
	var c pathClass
	rest := path
	for {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			break
		}
		c |= classOfFolder(lowerName(rest[:i]))
		rest = rest[i+1:]
	}
	name := rest
	low := lowerName(name)
	ext := ""
	if i := strings.LastIndexByte(low, '.'); i > 0 {
		ext = low[i:]
	}
	stem := low[:len(low)-len(ext)]
	c |= nameClass[low] | extensionClass[ext]
	if ext == "" || extensionClass[ext]&classDocs != 0 {
		c |= nameClass[stem]
	}
	switch ext {
	case ".go":
		if strings.HasSuffix(stem, "_test") {
			c |= classTest
		}
		if strings.HasSuffix(stem, ".pb") || strings.HasSuffix(stem, "_gen") || strings.HasPrefix(stem, "zz_generated") {
			c |= classGenerated
		}
	case ".py":
		if strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "tests" {
			c |= classTest
		}
		if strings.HasSuffix(stem, "_pb2") || strings.HasSuffix(stem, "_pb2_grpc") {
			c |= classGenerated
		}
	case ".rb", ".exs", ".ex", ".lua", ".php", ".rs", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp":
		if strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") || strings.HasSuffix(stem, "_unittest") ||
			strings.HasPrefix(stem, "test_") || stem == "tests" {
			c |= classTest
		}
	case ".bats":
		c |= classTest
	}
	switch ext {
	case ".java", ".kt", ".scala", ".cs", ".swift", ".php", ".groovy", ".hs":
		// The capital tells FooTest from "latest".
		s := name[:len(stem)]
		for _, t := range []string{"Test", "Tests", "TestCase", "Spec", "Specs", "IT"} {
			if strings.HasSuffix(s, t) {
				c |= classTest
			}
		}
	}
	if strings.HasSuffix(low, ".d.ts") || strings.HasSuffix(low, ".d.mts") || strings.HasSuffix(low, ".d.cts") {
		c |= classStub
		stem = strings.TrimSuffix(stem, ".d")
	}
	if i := strings.LastIndexByte(stem, '.'); i >= 0 {
		switch stem[i+1:] {
		case "test", "tests", "spec", "e2e", "test-d":
			c |= classTest
		case "min":
			c |= classMinified
		case "generated", "gen", "g", "pb", "designer":
			c |= classGenerated
		case "stories":
			c |= classExample
		case "bench":
			c |= classExample
		}
	}
	switch stem {
	case "compat", "_compat", "deprecated", "_deprecated", "legacy":
		c |= classLegacy
	}
	if strings.HasSuffix(stem, "_generated") || strings.HasSuffix(stem, "-generated") {
		c |= classGenerated
	}
	return c
}

// lowerName lowers ASCII letters without allocating when there is nothing to
// lower.
func lowerName(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}

// isTestCode reports whether edges from production code must not lead there.
func isTestCode(path string) bool { return classify(path)&(classTest|classExample) != 0 }
