package units

import (
	"encoding/binary"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/syntax"
	"github.com/pindex-dev/pindex/internal/filetext"
)

// FuzzBuild feeds any bytes in any language, with facts that the fuzzer makes
// up, to everything that a file passes through.
func FuzzBuild(f *testing.F) {
	for _, s := range []string{"# a\n\nb\n", "a: b\n", "{\"a\": [1]}\n", "[a]\nb = [\n1]\n", "a {\n}\n", "\xff\xfea\x00\n\x00", "\xef\xbb\xbfx", "A\n=\n"} {
		for _, lang := range []string{"markdown", "rst", "yaml", "json", "toml", "hcl", "make", "ini", "org", "asciidoc", "go"} {
			f.Add(lang, []byte(s), []byte(nil))
		}
	}
	f.Add("go", []byte("class a { b } c"), []byte{0, 0, 0, 0, 13, 0, 1, 0, 10, 0, 11, 0})
	f.Fuzz(func(t *testing.T, lang string, raw, facts []byte) {
		if len(raw) > 4096 || len(facts) > 600 {
			return
		}
		filetext.Inspect(raw)
		Language(lang, raw)
		file := File{Lang: lang, Text: filetext.Decode(raw)}
		if len(facts) > 0 {
			file.Facts = &syntax.Facts{}
			for ; len(facts) >= 6; facts = facts[6:] {
				start := uint32(binary.LittleEndian.Uint16(facts[2:]))
				file.Facts.Decls = append(file.Facts.Decls, syntax.Decl{
					Kind: artifact.Kind(facts[0] % 30), Name: "n", Parent: int32(int8(facts[1])),
					Start: start, End: uint32(binary.LittleEndian.Uint16(facts[4:])), NameAt: start + 1, SigEnd: start + 3})
			}
		}
		r := Build(file)
		if err := checkFormat(raw, file, r); err != nil {
			t.Fatal(err)
		}
		owner, err := checkOwners(raw, file, r)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkDocs(file, r, owner); err != nil {
			t.Fatal(err)
		}
	})
}
