package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
	"github.com/pindex-dev/pindex/compile/units"
	"github.com/pindex-dev/pindex/internal/filetext"
)

// text is one search document as the compiler would cut it: what pairs are
// made of. The order of its fields is that of the file.
type text struct {
	lang, pack, path string
	symbol           string // with small leaves' names
	signature        string
	doc              string
	body             string
	lines            [2]int // first and last; not written
}

func (t *text) fields() []*string {
	return []*string{&t.lang, &t.pack, &t.path, &t.symbol, &t.signature, &t.doc, &t.body}
}

func (t *text) append(b []byte) []byte {
	for _, f := range t.fields() {
		b = binary.AppendUvarint(b, uint64(len(*f)))
		b = append(b, *f...)
	}
	return b
}

// readTexts calls f for every text of a file.
func readTexts(file string, f func(t *text) error) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	r := bufio.NewReaderSize(in, 1<<20)
	for {
		var t text
		for i, s := range t.fields() {
			n, err := binary.ReadUvarint(r)
			if errors.Is(err, io.EOF) && i == 0 {
				return nil
			}
			if err != nil {
				return err
			}
			b := make([]byte, n)
			if _, err := io.ReadFull(r, b); errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) && n > 0 {
				return nil // mining was interrupted
			} else if err != nil {
				return err
			}
			*s = string(b)
		}
		if err := f(&t); err != nil {
			return err
		}
	}
}

// beside is what is not worth learning from: tests, copies, generated code,
// what was built from sources.
var beside = regexp.MustCompile(`(?i)(^|/)(tests?|testing|testdata|testsuite|specs?|__tests__|fixtures?|mocks?|vendor|_vendor|vendored|third[_-]?party|thirdparty|3rdparty|external|extern|deps|node_modules|bower_components|dist|cjs|esm|umd|bundles?|fesm2022|min|locale|locales|translations|i18n|po|generated|gen|migrations|\.git|docs?/_static)(/|$)|(_test\.go|\.min\.js|\.d\.ts|\.pb\.go|_pb2\.py|\.map|\.po|\.svg|\.lock|_generated\.|zz_generated)`)

func wantFile(name string) bool {
	if beside.MatchString(name) {
		return false
	}
	l := units.Language(name, nil)
	return l != "" && !notCode[l]
}

var notCode = map[string]bool{"json": true, "xml": true, "svg": true, "html": true, "css": true, "csv": true, "text": true, "yaml": true, "toml": true, "ini": true, "scss": true, "less": true}

// miner reads packages.
type miner struct {
	names    *names
	shingles shingles
	perPack  int // bytes of text at most, of one package
}

// mined is what one package gave.
type mined struct {
	pack    pack
	licence string
	why     string // why nothing was taken; "" when something was
	bytes   map[string]int
	texts   []byte
	n       int
	copies  int // units left out for being an evaluated repository's
}

func mine(args []string) error {
	f := flag.NewFlagSet("mine", flag.ContinueOnError)
	exclude := f.String("exclude", "", "`file` of repositories that must not be trained on")
	perPack := f.Int("per-package", 3<<20, "bytes of source at most, of one package")
	perLang := f.Int("per-language", 60<<20, "bytes of source at most, of one language")
	only := f.String("only", "", "`clients` to read, with commas between; all by default")
	rest, err := parseFlags(f, args, 1)
	if err != nil {
		return err
	}
	m := &miner{perPack: *perPack}
	if m.names, err = readNames(*exclude); err != nil {
		return err
	}
	if m.shingles, err = readShingles(filepath.Join(rest[0], "exclude.bin")); err != nil {
		return err
	}
	all, err := packs(rest[0])
	if err != nil {
		return err
	}
	if *only != "" {
		all = slices.DeleteFunc(all, func(p pack) bool { return !slices.Contains(strings.Split(*only, ","), p.kind) })
	}
	return m.run(all, rest[0], *perLang)
}

func (m *miner) run(all []pack, data string, perLang int) error {
	out, err := os.Create(filepath.Join(data, "texts.bin"))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 1<<20)
	list, err := os.Create(filepath.Join(data, "packages.tsv"))
	if err != nil {
		return err
	}
	defer list.Close()
	// Results are taken in order; a budget that is used up ends a language.
	slots := make([]chan *mined, len(all))
	for i := range slots {
		slots[i] = make(chan *mined, 1)
	}
	var mu sync.Mutex
	full := map[string]bool{}
	next := 0
	ahead := make(chan struct{}, 8)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for {
				ahead <- struct{}{}
				mu.Lock()
				i := next
				next++
				skip := map[string]bool{}
				for l := range full {
					skip[l] = true
				}
				mu.Unlock()
				if i >= len(all) {
					return
				}
				slots[i] <- m.pack(all[i], skip)
			}
		}()
	}
	total, units, copies := map[string]int{}, 0, 0
	for i := range all {
		r := <-slots[i]
		<-ahead
		if r.why != "" {
			fmt.Fprintf(list, "#\t%s\t%s\t%s\t%s\n", r.pack.kind, r.pack.name, r.licence, r.why)
			continue
		}
		size := 0
		mu.Lock()
		for l, n := range r.bytes {
			if total[l] += n; total[l] >= perLang {
				full[l] = true
			}
			size += n
		}
		mu.Unlock()
		if size > 0 {
			fmt.Fprintf(list, "%s\t%s\t%s\t%d\n", r.pack.kind, r.pack.name, r.licence, size)
		}
		units += r.n
		copies += r.copies
		if _, err := w.Write(r.texts); err != nil {
			return err
		}
		if i%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d packages, %d units\n", i, len(all), units)
		}
	}
	langs := make([]string, 0, len(total))
	for l := range total {
		langs = append(langs, l)
	}
	slices.Sort(langs)
	for _, l := range langs {
		fmt.Printf("%-12s %7d kB\n", l, total[l]>>10)
	}
	fmt.Printf("%d units, %d more left out as copies of evaluated repositories\n", units, copies)
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Close()
}

// pack reads one package.
func (m *miner) pack(p pack, full map[string]bool) *mined {
	r := &mined{pack: p, bytes: map[string]int{}}
	if m.names.pack(p.name) {
		r.why = "evaluated"
		return r
	}
	var ok bool
	if r.licence, ok = p.licence(); !ok {
		r.why = "licence"
		return r
	}
	type source struct {
		name string
		b    []byte
	}
	var files []source
	err := p.each(func(n string) bool { return wantFile(n) && !m.names.file(n) && !full[units.Language(n, nil)] },
		func(n string, b []byte) { files = append(files, source{n, b}) })
	if err != nil && len(files) == 0 {
		r.why = err.Error()
		return r
	}
	// Which files of a large package are read does not follow their names.
	slices.SortFunc(files, func(a, b source) int {
		x, y := hash64(a.name), hash64(b.name)
		if x < y {
			return -1
		}
		return 1
	})
	budget := m.perPack
	for _, f := range files {
		if budget < 0 {
			break
		}
		if artifact.SkipNone != filetext.Inspect(f.b) {
			continue
		}
		budget -= len(f.b)
		m.file(r, f.name, f.b)
	}
	return r
}

// file cuts one file into units as the compiler does.
func (m *miner) file(r *mined, name string, raw []byte) {
	t := filetext.Decode(raw)
	lang := units.Language(name, t.Bytes)
	if filetext.Minified(t.Bytes) || lang == "" || notCode[lang] || generatedHead(t.Bytes) {
		return
	}
	r.bytes[lang] += len(raw)
	eachUnit(lang, name, t, func(u *text) {
		if m.shingles.holds([]byte(u.signature + "\n" + u.body)) {
			r.copies++
			return
		}
		u.pack = r.pack.kind + " " + r.pack.name
		u.path = path.Clean(u.path)
		r.texts = u.append(r.texts)
		r.n++
	})
}

func generatedHead(b []byte) bool {
	head := strings.ToLower(string(b[:min(len(b), 600)]))
	return strings.Contains(head, "do not edit") || strings.Contains(head, "@generated") || strings.Contains(head, "autogenerated") || strings.Contains(head, "automatically generated")
}

// eachUnit calls f for every search document of a file.
func eachUnit(lang, name string, t filetext.Text, f func(u *text)) {
	in := units.File{Lang: lang, Text: t}
	if syntax.Supports(lang) {
		facts, err := syntax.Parse(lang, t.Bytes, syntax.Limits{})
		if err == nil {
			in.Facts = facts
		}
	}
	res := units.Build(in)
	var batch units.Batch
	batch.Append(artifact.File{Path: name, Lang: lang}, res, t.Bytes)
	for d := range batch.Docs {
		b, spans, small := batch.DocText(d)
		u := text{lang: lang, path: name, lines: [2]int{int(batch.Docs[d].StartLine), int(batch.Docs[d].EndLine)}, symbol: strings.Join(append([]string{batch.Fields[d].Symbol}, small...), " ")}
		for _, s := range spans {
			piece := string(b[s.Start:s.End])
			switch s.Field {
			case artifact.FieldSignature:
				u.signature = join(u.signature, piece)
			case artifact.FieldDoc:
				u.doc = join(u.doc, piece)
			default:
				u.body = join(u.body, piece)
			}
		}
		f(&u)
	}
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}
