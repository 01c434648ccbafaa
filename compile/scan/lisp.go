package scan

import (
	"bytes"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
)

// lispTable is a language whose every form stands in parentheses.
func lispTable(names map[string]artifact.Kind, line string, block []bracket, quotes []quote, keywords ...string) *table {
	t := &table{
		lexis:     lexis{line: []string{line}, block: block, quotes: quotes, special: lispLiteral},
		nameBytes: "-+*/<>=!?$%&^~.:#'|@", keepEnds: true, keywords: keywords,
		rules: map[string]rule{},
	}
	for n, k := range names {
		t.rules[n] = rule{kind: k}
	}
	return t
}

// lispLiteral recognizes characters: #\a and \a, and Emacs' ?a.
func lispLiteral(src []byte, i int) (int, bool) {
	c := src[i]
	if c == '#' && i+2 < len(src) && src[i+1] == '\\' || c == '\\' && i+1 < len(src) && (i == 0 || isSpace(src[i-1]) || bytes.IndexByte([]byte("([{"), src[i-1]) >= 0) {
		j := i + 1
		if c == '#' {
			j++
		}
		j++
		for j < len(src) && isLetter(src[j]) {
			j++
		}
		return j, false
	}
	if c == '?' && i > 0 && i+1 < len(src) && (isSpace(src[i-1]) || src[i-1] == '(' || src[i-1] == '[') && !isSpace(src[i+1]) && !isLetter(src[i+1]) {
		if src[i+1] == '\\' {
			return i + 3, false
		}
		if bytes.IndexByte([]byte("()[]\";"), src[i+1]) >= 0 {
			return i + 2, false
		}
	}
	return 0, false
}

// readLisp walks forms. A form whose first word declares is a declaration,
// any other word there is called.
func readLisp(s *scanner) {
	t := s.table
	s.start(&t.lexis)
	code := s.code
	type form struct {
		decl, around int32
		quoted       bool
		bindings     bool // its forms bind names and call nothing
	}
	binder := none // the bracket of a form's bindings
	var open []form
	around := func() int32 {
		if n := len(open); n > 0 {
			return open[n-1].around
		}
		return none
	}
	for i := 0; i < len(code); {
		switch c := code[i]; {
		case c == '(' || c == '[' || c == '{':
			f := form{decl: none, around: around()}
			f.bindings = int32(i) == binder && c == '('
			if n := len(open); c == '(' && n > 0 && open[n-1].bindings {
				// (name value): what is called stands in the value.
				open = append(open, form{decl: none, around: f.around})
				i++
				continue
			}
			f.quoted = i > 0 && (code[i-1] == '\'' || code[i-1] == '`') || len(open) > 0 && open[len(open)-1].quoted
			// What begins a line in the first column begins at file level.
			if c == '(' && (i == 0 || code[i-1] == '\n') && len(open) > 0 && s.lispDeclares(i) {
				for k := len(open) - 1; k >= 0; k-- {
					s.close(open[k].decl, i)
				}
				open = open[:0]
				f = form{decl: none, around: none}
			}
			if c == '(' && !f.quoted && !f.bindings {
				f.decl = s.lispForm(i, f.around)
				if f.decl >= 0 {
					f.around = f.decl
					switch k := s.kind(f.decl); {
					case (k == artifact.KindStruct || k == artifact.KindClass || k == artifact.KindPackage) && s.lang != "clojure":
						f.quoted = true // slots and options
					case callable(k):
						binder = s.nextForm(int(s.decls[f.decl].NameAt)+len(s.decls[f.decl].Name), i)
					}
				} else if s.bindsNames(i) {
					binder = s.nextForm(s.word(s.skipLines(i+1)), i)
				}
			}
			open = append(open, f)
		case c == ')' || c == ']' || c == '}':
			if n := len(open); n > 0 {
				s.close(open[n-1].decl, i+1)
				open = open[:n-1]
			}
		}
		i++
	}
	for k := len(open) - 1; k >= 0; k-- {
		s.close(open[k].decl, len(code))
	}
	if s.lang == "clojure" || s.lang == "elisp" || s.lang == "lisp" {
		s.docStrings()
	}
}

// nextForm returns the bracket that follows a name, behind further words. The
// name may itself stand in the brackets of its parameters: (define (f x) ...).
func (s *scanner) nextForm(at, form int) int32 {
	for k := at - 1; k > form; k-- {
		if s.code[k] == '(' {
			return int32(k)
		}
		if s.code[k] == ' ' {
			break
		}
	}
	for k := s.skipLines(at); k < len(s.code) && k-at < 200; k = s.skipLines(k) {
		if s.code[k] == '(' || s.code[k] == '[' {
			return int32(k)
		}
		e := s.word(k)
		if e == k {
			return none
		}
		k = e
	}
	return none
}

// bindsNames reports whether the form at i begins with a word behind which
// names are bound.
func (s *scanner) bindsNames(i int) bool {
	k := s.skipLines(i + 1)
	switch string(s.code[k:s.word(k)]) {
	case "let", "let*", "letrec", "letrec*", "if-let", "when-let", "if-let*", "when-let*", "dolist", "dotimes", "lambda", "do", "flet", "labels", "cl-flet", "cl-labels",
		"destructuring-bind", "cl-destructuring-bind", "multiple-value-bind", "pcase-let", "pcase-let*", "let-values", "syntax-rules", "case-lambda", "λ":
		return true
	}
	return false
}

func (s *scanner) lispDeclares(i int) bool {
	k := s.skipLines(i + 1)
	_, ok := s.table.rules[string(s.code[k:s.word(k)])]
	return ok
}

// lispForm reads the head of the form at i. It returns the declaration, none
// for a form that is none.
func (s *scanner) lispForm(i int, around int32) int32 {
	t := s.table
	k := s.skipLines(i + 1)
	e := s.word(k)
	if e == k {
		return none
	}
	word := string(s.code[k:e])
	if s.lang == "lisp" {
		word = strings.ToLower(word)
	}
	r, ok := t.rules[word]
	if !ok {
		s.lispUse(word, k, e)
		return none
	}
	n := s.skipLines(e)
	for n < len(s.code) && s.code[n] == '^' { // metadata
		n++
		if n < len(s.code) && s.code[n] == '{' {
			n = max(s.pair(n), n+1)
		} else {
			n = max(s.word(n), n)
		}
		n = s.skipLines(n)
	}
	kind := r.kind
	if n < len(s.code) && s.code[n] == '(' {
		// (define (f x) ...), (defstruct (name options) ...)
		for n < len(s.code) && (s.code[n] == '(' || isSpace(s.code[n])) {
			n++
		}
		if kind == artifact.KindVariable {
			kind = artifact.KindFunction
		}
	} else if kind == artifact.KindVariable && (s.lang == "scheme" || s.lang == "racket") {
		m := s.skipLines(s.word(n))
		if hasPrefix(s.code[m:], "(lambda") || hasPrefix(s.code[m:], "(λ") || hasPrefix(s.code[m:], "(case-lambda") {
			kind = artifact.KindFunction
		}
	}
	for n < len(s.code) && (s.code[n] == '\'' || s.code[n] == '#' || s.code[n] == ':') {
		n++
	}
	m := s.word(n)
	for m > n && isLetter(s.code[n]) && m < len(s.code) && s.code[m] == stringByte && s.code[m-1] == '\'' {
		m--
	}
	if m == n {
		if n < len(s.src) && s.code[n] == stringByte {
			for m = n; m < len(s.code) && s.code[m] == stringByte; m++ {
			}
			n, m = n+1, m-1
		}
		if m <= n {
			return none
		}
	}
	if s.inCallable(around) && !callable(kind) {
		return none
	}
	d := s.declare(kind, around, i, n, m, m)
	if d >= 0 {
		if s.inCallable(around) {
			s.decls[d].Flags |= artifact.SymbolLocal
		}
		s.signature(d, m+lineLen(s.code[m:]))
		if word == "ns" || word == "require" {
			s.clojureRequires(i)
		}
	}
	return d
}

// lispUse notes a call or an import.
func (s *scanner) lispUse(word string, k, e int) {
	switch word {
	case "require", "use-package", "load", "import", "use-modules":
		n := s.skipLines(e)
		for n < len(s.code) && (s.code[n] == '\'' || s.code[n] == '(' || s.code[n] == '#') {
			n++
		}
		m := s.word(n)
		if n < len(s.code) && s.code[n] == stringByte {
			for m = n; m < len(s.code) && s.code[m] == stringByte; m++ {
			}
		}
		if module := strings.Trim(string(s.src[n:m]), `'":`); module != "" && len(module) < maxName {
			s.addImport(n, module, "", module)
		}
		return
	}
	if s.table.isKeyword[word] || strings.IndexByte("#:.&", word[0]) >= 0 || strings.Trim(word, "+-*/<>=.:|'#") == "" {
		return
	}
	from, receiver := k, ""
	if n := strings.LastIndexByte(word, '/'); n > 0 && n+1 < len(word) {
		from, receiver = k+n+1, word[:n]
	}
	if len(receiver) > maxReceiver {
		receiver = ellipsis
	}
	s.use(artifact.RoleCall, from, e, receiver)
}

// clojureRequires finds the namespaces that an ns form requires.
func (s *scanner) clojureRequires(i int) {
	end := s.pair(i)
	if end == i {
		end = min(len(s.code), i+maxAhead)
	}
	at := i
	for {
		n := bytes.Index(s.code[at:end], []byte(":require"))
		if n < 0 {
			return
		}
		at += n + len(":require")
		for k := s.skipLines(at); k < end && s.code[k] != ')'; {
			switch {
			case s.code[k] == '[':
				stop := max(s.pair(k), k+1)
				m := min(s.word(k+1), stop)
				if m <= k+1 {
					k = stop
					break
				}
				module := string(s.src[k+1 : m])
				alias := ""
				if f := strings.Fields(string(s.code[m:stop])); len(f) > 1 && f[0] == ":as" {
					alias = strings.TrimRight(f[1], "])")
				}
				if module != "" {
					s.addImport(k+1, module, "", alias)
				}
				k = stop
			case isLetter(s.code[k]):
				m := s.word(k)
				s.addImport(k, string(s.src[k:m]), "", string(s.src[k:m]))
				k = m
			default:
				k++
			}
			k = s.skipLines(k)
		}
	}
}

// docStrings marks the strings that document declarations: the first one
// behind a callable's name or parameters.
func (s *scanner) docStrings() {
	for i := range s.decls {
		d := &s.decls[i]
		if !callable(d.Kind) || d.DocEnd > d.DocStart {
			continue
		}
		at := int(d.NameAt) + len(d.Name)
		end := min(int(d.End), at+maxAhead)
		for k := at; k < end; k++ {
			switch c := s.code[k]; {
			case c == '(' || c == '[':
				k = max(s.pair(k), k+1) - 1
			case c == stringByte:
				m := k
				for m < end && (s.code[m] == stringByte || s.code[m] == '\n') {
					m++
				}
				for m > k && s.code[m-1] == '\n' {
					m--
				}
				d.DocStart, d.DocEnd = uint32(k), uint32(m)
				k = end
			case !isSpace(c):
				k = end
			}
		}
	}
}

func lisps() map[string]*table {
	str := []quote{{open: `"`, close: `"`, escape: '\\', lines: true}}
	hashBlock := []bracket{{"#|", "|#", true}}
	scheme := map[string]artifact.Kind{
		"define": artifact.KindVariable, "define-public": artifact.KindVariable, "define*": artifact.KindVariable, "define-inlinable": artifact.KindFunction,
		"define-syntax": artifact.KindMacro, "define-syntax-rule": artifact.KindMacro, "define-macro": artifact.KindMacro, "defmacro": artifact.KindMacro,
		"define-record-type": artifact.KindStruct, "define-structure": artifact.KindStruct, "define-library": artifact.KindModule, "define-module": artifact.KindModule,
		"library": artifact.KindModule, "define-class": artifact.KindClass, "define-method": artifact.KindMethod, "define-generic": artifact.KindFunction,
		"struct": artifact.KindStruct, "define-struct": artifact.KindStruct, "define/contract": artifact.KindVariable, "module": artifact.KindModule, "define-values": artifact.KindVariable,
		"define-parameter": artifact.KindVariable, "define/public": artifact.KindFunction, "define/private": artifact.KindFunction, "define/override": artifact.KindFunction,
	}
	lisp := map[string]artifact.Kind{
		"defun": artifact.KindFunction, "defmacro": artifact.KindMacro, "defgeneric": artifact.KindFunction, "defmethod": artifact.KindMethod,
		"defclass": artifact.KindClass, "defstruct": artifact.KindStruct, "defvar": artifact.KindVariable, "defparameter": artifact.KindVariable,
		"defconstant": artifact.KindConstant, "deftype": artifact.KindType, "defpackage": artifact.KindPackage, "define-condition": artifact.KindClass,
		"define-compiler-macro": artifact.KindMacro, "defsetf": artifact.KindFunction, "defsystem": artifact.KindEntry, "asdf:defsystem": artifact.KindEntry,
		"define-symbol-macro": artifact.KindMacro, "uiop:define-package": artifact.KindPackage,
	}
	elisp := map[string]artifact.Kind{
		"defun": artifact.KindFunction, "defmacro": artifact.KindMacro, "defsubst": artifact.KindFunction, "defvar": artifact.KindVariable, "defconst": artifact.KindConstant,
		"defcustom": artifact.KindVariable, "defvar-local": artifact.KindVariable, "defgroup": artifact.KindEntry, "defface": artifact.KindEntry, "defalias": artifact.KindFunction,
		"cl-defun": artifact.KindFunction, "cl-defmacro": artifact.KindMacro, "cl-defstruct": artifact.KindStruct, "cl-defmethod": artifact.KindMethod, "cl-defgeneric": artifact.KindFunction,
		"define-minor-mode": artifact.KindFunction, "define-derived-mode": artifact.KindFunction, "define-globalized-minor-mode": artifact.KindFunction, "ert-deftest": artifact.KindFunction, "defclass": artifact.KindClass,
	}
	clojure := map[string]artifact.Kind{
		"ns": artifact.KindPackage, "defn": artifact.KindFunction, "defn-": artifact.KindFunction, "defmacro": artifact.KindMacro, "def": artifact.KindVariable,
		"defonce": artifact.KindVariable, "defmulti": artifact.KindFunction, "defmethod": artifact.KindMethod, "defprotocol": artifact.KindProtocol, "defrecord": artifact.KindStruct,
		"deftype": artifact.KindClass, "definterface": artifact.KindInterface, "deftest": artifact.KindFunction, "s/def": artifact.KindType, "s/defn": artifact.KindFunction, "defspec": artifact.KindFunction,
	}
	common := []string{"if", "let", "let*", "letrec", "cond", "case", "when", "unless", "do", "lambda", "quote", "begin", "progn", "set!", "setq", "setf", "and", "or", "not", "fn", "loop", "recur", "declare", "in-package", "export", "else", "λ", "t", "nil"}
	return map[string]*table{
		"scheme":  lispTable(scheme, ";", hashBlock, str, common...),
		"racket":  lispTable(scheme, ";", hashBlock, str, common...),
		"lisp":    lispTable(lisp, ";", hashBlock, str, common...),
		"elisp":   lispTable(elisp, ";", nil, str, common...),
		"clojure": lispTable(clojure, ";", nil, append([]quote{{open: `#"`, close: `"`, escape: '\\', lines: true}}, str...), common...),
	}
}
