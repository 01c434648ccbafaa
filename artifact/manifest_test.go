package artifact

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
)

func TestManifestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 7} {
		m := newSampleArtifact(t, uint64(n), n).manifest
		b, digest, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if digest != DigestOf(b) {
			t.Fatal("the digest is not that of the bytes")
		}
		got, err := DecodeManifest(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, m.filled()) {
			t.Fatalf("decoded\n%+v\nwant\n%+v", got, m.filled())
		}
		again, _, err := got.Encode()
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("encoding again differs, %v", err)
		}
		// An independent implementation of the form agrees.
		plain, err := json.Marshal(m.filled())
		if err != nil {
			t.Fatal(err)
		}
		want, err := jcs.Transform(plain)
		if err != nil || !bytes.Equal(b, want) {
			t.Fatalf("canonical form\n%s\nwant\n%s, %v", b, want, err)
		}
	}
}

// TestManifestNilAndEmpty: a nil map or list is the same as an empty one.
func TestManifestNilAndEmpty(t *testing.T) {
	m := newSampleArtifact(t, 1, 0).manifest
	m.Capabilities, m.Skipped, m.Degraded, m.Languages = nil, nil, nil, nil
	a, _, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m.Capabilities, m.Skipped, m.Degraded, m.Languages = []string{}, map[string]int{}, map[string]int{}, map[string]Language{}
	m.Partitions = []PartitionInfo{}
	b, _, err := m.Encode()
	if err != nil || !bytes.Equal(a, b) {
		t.Fatalf("%v\n%s\n%s", err, a, b)
	}
}

// TestManifestRules breaks each rule in turn; Encode and DecodeManifest share
// them.
func TestManifestRules(t *testing.T) {
	seg := func(m *Manifest, v View, edit func(s *SegmentInfo)) {
		p := &m.Partitions[0]
		p.Segments = maps.Clone(p.Segments)
		s := p.Segments[v.String()]
		edit(&s)
		p.Segments[v.String()] = s
	}
	view := func(m *Manifest, v View, edit func(i *ViewInfo)) {
		i := m.Views[v.String()]
		edit(&i)
		m.Views[v.String()] = i
	}
	for name, edit := range map[string]func(m *Manifest){
		"schema":                     func(m *Manifest) { m.Schema = "pindex.manifest/1" },
		"format version":             func(m *Manifest) { m.FormatVersion = 1 },
		"object format":              func(m *Manifest) { m.ObjectFormat = "md5" },
		"other object format":        func(m *Manifest) { m.ObjectFormat = "sha256" },
		"commit in capitals":         func(m *Manifest) { m.Commit = strings.ToUpper(m.Commit) },
		"commit cut short":           func(m *Manifest) { m.Commit = m.Commit[:39] },
		"another commit":             func(m *Manifest) { m.Commit = m.Tree },
		"another tree":               func(m *Manifest) { m.Tree = m.Commit },
		"another commit object":      func(m *Manifest) { m.CommitObject = append(slices.Clone(m.CommitObject), '!') },
		"no commit object":           func(m *Manifest) { m.CommitObject = nil },
		"profile digest":             func(m *Manifest) { m.Profile.Digest[0]++ },
		"profile edited":             func(m *Manifest) { m.Profile.Options["x"] = "y" },
		"profile not UTF-8":          func(m *Manifest) { m.Profile.Views["\xff"] = "y" },
		"partition bits":             func(m *Manifest) { m.PartitionBits = 65 },
		"negative partition bits":    func(m *Manifest) { m.PartitionBits = -1 },
		"negative files":             func(m *Manifest) { m.Files = -1 },
		"negative bytes":             func(m *Manifest) { m.Bytes = -1 },
		"bytes beyond 2^53":          func(m *Manifest) { m.Bytes = 1 << 53 },
		"a file too many":            func(m *Manifest) { m.Files++ },
		"a unit too many":            func(m *Manifest) { m.Units++ },
		"a doc too many":             func(m *Manifest) { m.Docs++ },
		"an indexed file too many":   func(m *Manifest) { m.Indexed++ },
		"skipped without a reason":   func(m *Manifest) { m.Skipped[""] = 0 },
		"skipped negative":           func(m *Manifest) { m.Skipped["x"] = -1 },
		"degraded more than there":   func(m *Manifest) { m.Degraded["x"] = m.Indexed + 1 },
		"language without a name":    func(m *Manifest) { m.Languages[""] = Language{} },
		"language of too many files": func(m *Manifest) { m.Languages["x"] = Language{Files: m.Indexed + 1} },
		"language of negative bytes": func(m *Manifest) { m.Languages["x"] = Language{Bytes: -1} },
		"language not UTF-8":         func(m *Manifest) { m.Languages["\xff"] = Language{} },
		"backend not UTF-8":          func(m *Manifest) { m.Languages["x"] = Language{Backends: map[string]string{"units": "\xff"}} },
		"capabilities unsorted":      func(m *Manifest) { slices.Reverse(m.Capabilities) },
		"capability twice":           func(m *Manifest) { m.Capabilities = []string{"grep", "grep"} },
		"empty capability":           func(m *Manifest) { m.Capabilities = []string{""} },
		"unknown view":               func(m *Manifest) { m.Views["spectral"] = m.Views["dense"] },
		"view not mentioned":         func(m *Manifest) { delete(m.Views, "dense") },
		"view absent with segments": func(m *Manifest) {
			view(m, Dense, func(i *ViewInfo) { i.State, i.Reason = ViewAbsent, "no model" })
		},
		"view absent without reason": func(m *Manifest) {
			view(m, Dense, func(i *ViewInfo) { i.State = ViewAbsent })
			for i := range m.Partitions {
				delete(m.Partitions[i].Segments, "dense")
			}
		},
		"units absent": func(m *Manifest) {
			view(m, Units, func(i *ViewInfo) { i.State, i.Reason = ViewAbsent, "why not" })
			for i := range m.Partitions {
				delete(m.Partitions[i].Segments, "units")
			}
		},
		"view state":                  func(m *Manifest) { view(m, Dense, func(i *ViewInfo) { i.State = "soon" }) },
		"view reproducibility":        func(m *Manifest) { view(m, Dense, func(i *ViewInfo) { i.Reproducible = "" }) },
		"view without a type":         func(m *Manifest) { view(m, Dense, func(i *ViewInfo) { i.Type = "" }) },
		"view setting not UTF-8":      func(m *Manifest) { view(m, Dense, func(i *ViewInfo) { i.Settings = map[string]string{"a": "\xc3"} }) },
		"dense without a model":       func(m *Manifest) { m.Model = nil },
		"model without a name":        func(m *Manifest) { m.Model.Name = "" },
		"model of no dimensions":      func(m *Manifest) { m.Model.Dims = 0 },
		"model of no bytes":           func(m *Manifest) { m.Model.Size = 0 },
		"model without a digest":      func(m *Manifest) { m.Model.Digest = Digest{} },
		"partition without files":     func(m *Manifest) { m.Files -= m.Partitions[0].Files; m.Partitions[0].Files = 0 },
		"partition of negative units": func(m *Manifest) { m.Partitions[0].Units = -1 },
		"segment missing":             func(m *Manifest) { delete(m.Partitions[1].Segments, "source") },
		"segment of an unknown view":  func(m *Manifest) { m.Partitions[1].Segments["spectral"] = m.Partitions[1].Segments["source"] },
		"segment without a key":       func(m *Manifest) { seg(m, Source, func(s *SegmentInfo) { s.Key = Digest{} }) },
		"segment without a digest":    func(m *Manifest) { seg(m, Source, func(s *SegmentInfo) { s.Digest = Digest{} }) },
		"segment too small":           func(m *Manifest) { seg(m, Source, func(s *SegmentInfo) { s.Size = segmentHeaderSize - 1 }) },
		"segment too large":           func(m *Manifest) { seg(m, Source, func(s *SegmentInfo) { s.Size = MaxSegmentSize + 1 }) },
	} {
		m := newSampleArtifact(t, 2, 2).manifest
		edit(m)
		if _, _, err := m.Encode(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: encoding: %v", name, err)
		}
		b, err := Canonical(m.filled())
		if err != nil {
			continue // not UTF-8: there is no encoding
		}
		if _, err := DecodeManifest(b); !isFormatError(err) {
			t.Errorf("%s: decoding: %v", name, err)
		}
	}
}

// TestManifestBytes changes the encoding where the content stays, or where
// only the schema says what to do.
func TestManifestBytes(t *testing.T) {
	good, _, err := newSampleArtifact(t, 2, 2).manifest.Encode()
	if err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, old) {
				t.Fatalf("the manifest does not hold %s", old)
			}
			return strings.Replace(s, old, new, 1)
		}
	}
	for _, c := range []struct {
		name string
		edit func(string) string
		want error
	}{
		{"nothing", func(s string) string { return s }, nil},
		{"unknown key", replace(`"schema":`, `"sbom":[{"a":null,"b":true,"c":false,"d":[-1]}],"schema":`), nil},
		{"unknown key in a segment", replace(`,"key":"sha256:`, `,"ghost":{},"key":"sha256:`), nil},
		{"empty", func(string) string { return "" }, ErrNotPindex},
		{"another file", func(string) string { return `{"schemaVersion":2}` }, ErrNotPindex},
		{"an array", func(s string) string { return "[" + s + "]" }, ErrDamaged},
		{"another schema", replace(ManifestSchema, "pindex.receipt/0"), ErrNotPindex},
		{"later schema", replace(ManifestSchema, "pindex.manifest/1"), ErrTooNew},
		{"later schema in another form", replace(`"schema":"`+ManifestSchema+`"`, `"scale":1.5,"schema":"pindex.manifest/12"`), ErrTooNew},
		{"later format", replace(`"format_version":0`, `"format_version":1`), ErrTooNew},
		{"white space", replace(`{`, `{ `), ErrDamaged},
		{"newline at the end", func(s string) string { return s + "\n" }, ErrDamaged},
		{"bytes behind", func(s string) string { return s + s }, ErrDamaged},
		{"key twice", replace(`"docs":`, `"docs":0,"docs":`), ErrDamaged},
		{"keys unsorted", replace(`"schema":"`+ManifestSchema+`",`, ``), ErrNotPindex},
		{"key missing", replace(`"tree":"`, `"tres":"`), ErrDamaged},
		{"leading zero", replace(`"partition_bits":3`, `"partition_bits":03`), ErrDamaged},
		{"negative zero", replace(`"partition_bits":3`, `"partition_bits":-0`), ErrDamaged},
		{"float", replace(`"partition_bits":3`, `"partition_bits":3.0`), ErrDamaged},
		{"exponent", replace(`"partition_bits":3`, `"partition_bits":3e0`), ErrDamaged},
		{"huge number", replace(`"partition_bits":3`, `"partition_bits":99999999999999999999999`), ErrDamaged},
		{"string for a number", replace(`"partition_bits":3`, `"partition_bits":"3"`), ErrDamaged},
		{"null for an object", replace(`"skipped":{`, `"skipped":null,"skipq":{`), ErrDamaged},
		{"escaped slash", replace(`pindex.manifest/0`, `pindex.manifest\/0`), ErrNotPindex},
		{"escape in capitals", replace(`\u0001`, `\u000A`), ErrDamaged},
		{"long escape for a short one", replace(`\u0001`, `\u000a`), ErrDamaged},
		{"escaped letter", replace(`\u0001`, `\u0041`), ErrDamaged},
		{"raw control character", replace(`\u0001`, "\x01"), ErrDamaged},
		{"unknown escape", replace(`\u0001`, `\v`), ErrDamaged},
		{"not UTF-8", replace(`\u0001`, "\xff"), ErrDamaged},
		{"digest in capitals", replace(`"digest":"sha256:`, `"digest":"SHA256:`), ErrDamaged},
		{"digest cut short", replace(`"digest":"sha256:`, `"digest":"sha256`), ErrDamaged},
		{"base64 with a line break", replace(`"commit_object":"dHJl`, `"commit_object":"dHJl\n`), ErrDamaged},
		{"base64 without padding", replace(`"commit_object":"dHJl`, `"commit_object":"dHJlZ`), ErrDamaged},
		{"empty reason", replace(`"reproducible"`, `"reason":"","reproducible"`), ErrDamaged},
		{"deep nesting", replace(`"schema":`, `"sbom":`+strings.Repeat("[", 1e6)+strings.Repeat("]", 1e6)+`,"schema":`), ErrDamaged},
		{"larger than the limit", func(s string) string { return s + strings.Repeat(" ", MaxManifestSize) }, ErrDamaged},
	} {
		m, err := DecodeManifest([]byte(c.edit(string(good))))
		if !errors.Is(err, c.want) || (err == nil) != (m != nil) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	for i := range good {
		b := slices.Clone(good)
		b[i] ^= 0x10
		if m, err := DecodeManifest(b); err == nil {
			if again, _, err := m.Encode(); err != nil || DigestOf(again) == DigestOf(good) {
				t.Errorf("byte %d flipped: decoded as the same manifest, %v", i, err)
			}
		}
		if _, err := DecodeManifest(good[:i]); !isFormatError(err) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
}

func TestCanonicalValues(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{map[string]any{"b": 1, "a": -2, "": nil}, `{"":null,"a":-2,"b":1}`},
		{[]any{true, false, "x", int64(maxInteger)}, `[true,false,"x",9007199254740991]`},
		{"\b\t\n\f\r\"\\/\x00\x1f\x7f\u2028<>&é", `"\b\t\n\f\r\"\\/\u0000\u001f` + "\x7f\u2028<>&é" + `"`},
		{`\ufffd`, `"\\ufffd"`},
		{"\ufffd", "\"\ufffd\""},
		// UTF-16 puts surrogates below U+E000: the order is not that of UTF-8.
		{map[string]int{"\ue000": 1, "\U0001f600": 2, "\u20ac": 3, "\ufb33": 4, "\U0001f601": 5, "a\U0001f600": 6, "a\uffff": 7},
			"{\"a\U0001f600\":6,\"a\uffff\":7,\"\u20ac\":3,\"\U0001f600\":2,\"\U0001f601\":5,\"\ue000\":1,\"\ufb33\":4}"},
	} {
		b, err := Canonical(c.value)
		if err != nil || string(b) != c.want {
			t.Errorf("Canonical(%#v) = %s, %v, want %s", c.value, b, err, c.want)
		}
		r := &canonicalReader{b: b}
		r.skip(0)
		if r.end(); r.err != nil {
			t.Errorf("reading %s: %v", b, r.err)
		}
	}
	for _, v := range []any{1.5, 1e3 + 0.25, int64(maxInteger + 1), -int64(maxInteger + 1), uint64(1 << 63), "\xff", map[string]int{"\xc3": 1}, func() {}} {
		if b, err := Canonical(v); err == nil {
			t.Errorf("Canonical(%v) = %s, want an error", v, b)
		}
	}
}

func BenchmarkDecodeManifest(b *testing.B) {
	m := newSampleArtifact(b, 9, 216).manifest
	enc, _, err := m.Encode()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(enc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeManifest(enc); err != nil {
			b.Fatal(err)
		}
	}
}
