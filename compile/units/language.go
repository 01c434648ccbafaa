package units

import "strings"

// The tables are switches: a lookup allocates nothing, and nothing is set up
// when the program starts.

// Language returns the name of a file's language by its name, its extension
// or its first line, "" when none is known. head is the start of the decoded
// text; more than 16 KiB are not looked at.
func Language(path string, head []byte) string {
	head = head[:min(len(head), 16<<10)]
	name := path[strings.LastIndexByte(path, '/')+1:]
	if l := byName(name); l != "" {
		return l
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		if l := byExtension(strings.ToLower(name[i+1:])); l != "" {
			return byContent(l, head)
		}
	}
	return byFirstLine(head)
}

func byName(name string) string {
	switch name {
	case "Makefile", "makefile", "GNUmakefile", "Kbuild":
		return "make"
	case "CMakeLists.txt":
		return "cmake"
	case "Dockerfile", "Containerfile":
		return "dockerfile"
	case "Rakefile", "Gemfile", "Guardfile", "Podfile", "Vagrantfile", "Brewfile", "Capfile", "Fastfile", "Dangerfile", ".irbrc", ".pryrc":
		return "ruby"
	case "BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", "Tiltfile", "BUCK":
		return "starlark"
	case "SConstruct", "SConscript", "wscript":
		return "python"
	case "Jenkinsfile":
		return "groovy"
	case "meson.build", "meson_options.txt", "meson.options":
		return "meson"
	case "go.mod":
		return "gomod"
	case "go.sum", "go.work.sum":
		return "gosum"
	case "go.work":
		return "gowork"
	case "Cargo.lock", "Pipfile", "poetry.lock", "uv.lock", "pdm.lock":
		return "toml"
	case "package-lock.json", "composer.lock", "Pipfile.lock", ".babelrc", ".eslintrc", ".prettierrc", ".jshintrc", ".swcrc", "deno.lock":
		return "json"
	case "yarn.lock", ".clang-format", ".clang-tidy", ".clangd", "CITATION.cff", "pubspec.lock":
		return "yaml"
	case ".gitconfig", ".gitmodules", ".editorconfig", ".npmrc", ".pylintrc", ".flake8", ".coveragerc", "pylintrc":
		return "ini"
	case ".gitignore", ".dockerignore", ".gitattributes", ".npmignore", ".eslintignore", ".prettierignore", ".helmignore", "CODEOWNERS", ".mailmap":
		return "ignore"
	case ".bashrc", ".bash_profile", ".bash_aliases", ".bash_logout", ".profile", ".envrc", "PKGBUILD", "APKBUILD", "bashrc":
		return "bash"
	case ".zshrc", ".zshenv", ".zprofile":
		return "zsh"
	case ".vimrc", "vimrc", ".gvimrc", "_vimrc":
		return "vim"
	case ".emacs", "Cask":
		return "elisp"
	case "LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "CONTRIBUTORS", "MAINTAINERS", "README", "CHANGELOG", "CHANGES", "NEWS", "INSTALL", "TODO", "HACKING", "PATENTS", "UNLICENSE":
		return "text"
	case "Caddyfile":
		return "caddyfile"
	case "nginx.conf":
		return "nginx"
	case "Procfile":
		return "text"
	case "Justfile", "justfile", ".justfile":
		return "just"
	}
	if strings.HasPrefix(name, "Dockerfile.") {
		return "dockerfile"
	}
	return ""
}

func byExtension(ext string) string {
	switch ext {
	case "py", "pyi", "pyw":
		return "python"
	case "pyx", "pxd", "pxi":
		return "cython"
	case "go":
		return "go"
	case "rs":
		return "rust"
	case "c":
		return "c"
	case "h":
		return "h" // settled by content
	case "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "txx", "inl", "ixx", "cppm", "cu", "cuh", "ino":
		return "cpp"
	case "java":
		return "java"
	case "js", "mjs", "cjs", "jsx", "es6", "jsm":
		return "javascript"
	case "ts", "mts", "cts":
		return "typescript"
	case "tsx":
		return "tsx"
	case "cs", "csx":
		return "csharp"
	case "rb", "rake", "gemspec", "ru", "podspec", "jbuilder", "rbi", "thor", "builder":
		return "ruby"
	case "php", "php3", "php4", "php5", "php7", "php8", "phtml", "phps":
		return "php"
	case "inc":
		return "inc" // settled by content
	case "kt", "kts", "ktm":
		return "kotlin"
	case "scala", "sc", "sbt", "mill":
		return "scala"
	case "lua", "rockspec", "luau":
		return "lua"
	case "sh", "bash", "ksh", "bats", "ebuild", "eclass":
		return "bash"
	case "zsh":
		return "zsh"
	case "fish":
		return "fish"
	case "hs", "hsc", "hs-boot":
		return "haskell"
	case "lhs":
		return "literate-haskell"
	case "zig", "zon":
		return "zig"
	case "md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "rmd", "qmd":
		return "markdown"
	case "mdx":
		return "mdx"
	case "rst":
		return "rst"
	case "adoc", "asciidoc", "asc":
		return "asciidoc"
	case "org":
		return "org"
	case "txt", "text":
		return "text"
	case "tex", "sty", "ltx":
		return "latex"
	case "bib":
		return "bibtex"
	case "json", "jsonl", "ndjson", "geojson", "webmanifest", "har", "avsc", "topojson":
		return "json"
	case "ipynb":
		return "jupyter"
	case "jsonc", "json5", "code-workspace":
		return "jsonc"
	case "yaml", "yml":
		return "yaml"
	case "toml":
		return "toml"
	case "ini", "cfg", "conf", "cnf", "desktop", "service", "socket", "timer", "mount", "network", "netdev", "reg":
		return "ini"
	case "properties", "env":
		return "properties"
	case "hcl", "tf", "tfvars", "nomad":
		return "hcl"
	case "xml", "xsd", "xsl", "xslt", "wsdl", "plist", "csproj", "vbproj", "fsproj", "props", "targets", "nuspec", "resx", "pom", "xaml", "storyboard", "xib", "rss", "atom", "svg", "ui", "qrc", "vcxproj":
		return "xml"
	case "html", "htm", "xhtml", "shtml":
		return "html"
	case "vue":
		return "vue"
	case "svelte":
		return "svelte"
	case "astro":
		return "astro"
	case "css":
		return "css"
	case "scss":
		return "scss"
	case "sass":
		return "sass"
	case "less":
		return "less"
	case "styl":
		return "stylus"
	case "sql", "psql", "pgsql", "mysql", "ddl":
		return "sql"
	case "graphql", "gql", "graphqls":
		return "graphql"
	case "proto":
		return "protobuf"
	case "thrift":
		return "thrift"
	case "fbs":
		return "flatbuffers"
	case "capnp":
		return "capnp"
	case "swift":
		return "swift"
	case "m":
		return "objective-c"
	case "mm":
		return "objective-cpp"
	case "dart":
		return "dart"
	case "r":
		return "r"
	case "jl":
		return "julia"
	case "pl", "pm", "pod", "psgi":
		return "perl"
	case "raku", "rakumod", "p6", "pm6":
		return "raku"
	case "ex", "exs":
		return "elixir"
	case "heex", "eex", "leex":
		return "eex"
	case "erl", "hrl", "escript":
		return "erlang"
	case "clj", "cljs", "cljc", "edn":
		return "clojure"
	case "lisp", "lsp", "asd":
		return "lisp"
	case "el":
		return "elisp"
	case "scm", "ss", "sld":
		return "scheme"
	case "rkt", "rktl":
		return "racket"
	case "ml", "mli", "mll", "mly":
		return "ocaml"
	case "re", "rei":
		return "reason"
	case "fs", "fsi", "fsx":
		return "fsharp"
	case "vb", "vbs":
		return "visual-basic"
	case "groovy", "gradle", "gvy":
		return "groovy"
	case "nim", "nims", "nimble":
		return "nim"
	case "cr":
		return "crystal"
	case "d", "di":
		return "d"
	case "v":
		return "v" // V or Verilog: settled by content
	case "sv", "svh", "vh":
		return "verilog"
	case "vhd", "vhdl":
		return "vhdl"
	case "elm":
		return "elm"
	case "purs":
		return "purescript"
	case "idr":
		return "idris"
	case "agda":
		return "agda"
	case "lean":
		return "lean"
	case "coq":
		return "coq"
	case "f", "for", "f77", "f90", "f95", "f03", "f08":
		return "fortran"
	case "pas", "dpr", "lpr":
		return "pascal"
	case "pp":
		return "puppet"
	case "adb", "ads", "ada":
		return "ada"
	case "cob", "cbl", "cpy":
		return "cobol"
	case "s", "asm", "nasm":
		return "assembly"
	case "ll":
		return "llvm"
	case "wat", "wast":
		return "webassembly"
	case "glsl", "vert", "frag", "comp", "geom":
		return "glsl"
	case "hlsl", "fx":
		return "hlsl"
	case "wgsl":
		return "wgsl"
	case "metal":
		return "metal"
	case "sol":
		return "solidity"
	case "move":
		return "move"
	case "cairo":
		return "cairo"
	case "ps1", "psm1", "psd1":
		return "powershell"
	case "bat", "cmd":
		return "batch"
	case "awk", "gawk":
		return "awk"
	case "sed":
		return "sed"
	case "tcl", "tk":
		return "tcl"
	case "vim":
		return "vim"
	case "mk", "mak", "make":
		return "make"
	case "cmake":
		return "cmake"
	case "ninja":
		return "ninja"
	case "bzl", "bazel", "star", "sky":
		return "starlark"
	case "dockerfile", "containerfile":
		return "dockerfile"
	case "nix":
		return "nix"
	case "dhall":
		return "dhall"
	case "jsonnet", "libsonnet":
		return "jsonnet"
	case "cue":
		return "cue"
	case "rego":
		return "rego"
	case "bicep":
		return "bicep"
	case "gd", "gdscript":
		return "gdscript"
	case "hx":
		return "haxe"
	case "as":
		return "actionscript"
	case "coffee":
		return "coffeescript"
	case "j2", "jinja", "jinja2":
		return "jinja"
	case "erb", "rhtml":
		return "erb"
	case "ejs":
		return "ejs"
	case "hbs", "handlebars", "mustache":
		return "handlebars"
	case "twig":
		return "twig"
	case "liquid":
		return "liquid"
	case "haml":
		return "haml"
	case "pug", "jade":
		return "pug"
	case "tmpl", "gotmpl", "tpl":
		return "template"
	case "po", "pot":
		return "gettext"
	case "csv":
		return "csv"
	case "tsv":
		return "tsv"
	case "diff", "patch":
		return "diff"
	case "log":
		return "log"
	case "feature":
		return "gherkin"
	case "robot":
		return "robot"
	case "http":
		return "http"
	case "puml", "plantuml":
		return "plantuml"
	case "mmd", "mermaid":
		return "mermaid"
	case "dot", "gv":
		return "dot"
	case "y", "yy":
		return "yacc"
	case "l", "lex", "flex":
		return "lex"
	case "g4":
		return "antlr"
	case "mojo":
		return "mojo"
	case "odin":
		return "odin"
	case "vala", "vapi":
		return "vala"
	case "pony":
		return "pony"
	case "hack", "hhi":
		return "hack"
	case "prisma":
		return "prisma"
	case "just":
		return "just"
	}
	return ""
}
