package artifact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
)

// MaxManifestSize is the largest manifest that is read, in bytes.
const MaxManifestSize = 64 << 20

const manifestSchemaPrefix = "pindex.manifest/"

// Encode validates m and returns its canonical encoding and the index digest.
func (m *Manifest) Encode() ([]byte, Digest, error) {
	if err := m.Validate(); err != nil {
		return nil, Digest{}, err
	}
	b, err := Canonical(m.filled())
	if err != nil {
		return nil, Digest{}, err
	}
	if len(b) > MaxManifestSize {
		return nil, Digest{}, fmt.Errorf("a manifest of %d bytes is larger than %d", len(b), MaxManifestSize)
	}
	if _, err := DecodeManifest(b); err != nil {
		return nil, Digest{}, fmt.Errorf("reading the manifest back: %w", err)
	}
	return b, DigestOf(b), nil
}

// filled returns a copy of m in which no map, list or byte string is nil, so
// that each has one encoding.
func (m *Manifest) filled() *Manifest {
	c := *m
	c.CommitObject = notNilList(c.CommitObject)
	c.Profile = c.Profile.filled()
	c.Views = make(map[string]ViewInfo, len(m.Views))
	for k, v := range m.Views {
		v.Settings = notNilMap(v.Settings)
		c.Views[k] = v
	}
	c.Languages = make(map[string]Language, len(m.Languages))
	for k, v := range m.Languages {
		v.Backends = notNilMap(v.Backends)
		c.Languages[k] = v
	}
	c.Skipped = notNilMap(c.Skipped)
	c.Degraded = notNilMap(c.Degraded)
	c.Partitions = make([]PartitionInfo, len(m.Partitions))
	for i, p := range m.Partitions {
		p.Segments = notNilMap(p.Segments)
		if p.Counts != nil {
			p.Counts = &FileCounts{
				Bytes: p.Counts.Bytes, Languages: notNilMap(p.Counts.Languages),
				Skipped: notNilMap(p.Counts.Skipped), Degraded: notNilMap(p.Counts.Degraded),
			}
		}
		c.Partitions[i] = p
	}
	c.Capabilities = notNilList(c.Capabilities)
	c.Inputs = slices.Clone(m.Inputs)
	for i := range c.Inputs {
		c.Inputs[i].Tools = notNilList(c.Inputs[i].Tools)
	}
	return &c
}

func (p Profile) filled() Profile {
	p.Views, p.Languages, p.Options = notNilMap(p.Views), notNilMap(p.Languages), notNilMap(p.Options)
	return p
}

func notNilMap[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
}

func notNilList[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Compute returns the digest that belongs in p.Digest: that of the canonical
// encoding of {"languages", "options", "views"}. It fails only on strings that
// are not UTF-8.
func (p Profile) Compute() (Digest, error) {
	p = p.filled()
	b, err := Canonical(map[string]any{"views": p.Views, "languages": p.Languages, "options": p.Options})
	if err != nil {
		return Digest{}, err
	}
	return DigestOf(b), nil
}

// DecodeManifest reads a manifest from bytes that may be hostile. It refuses
// more than MaxManifestSize bytes, another schema or format version
// (ErrTooNew), bytes that are no manifest (ErrNotPindex), and whatever is not
// canonical, complete and consistent (ErrDamaged). Keys that it does not know
// are skipped: what a reader must understand comes with a new schema.
//
// Canonical form is checked by the decoder as it goes, so nothing has to be
// encoded again.
func DecodeManifest(b []byte) (*Manifest, error) {
	if len(b) > MaxManifestSize {
		return nil, damaged("manifest of %d bytes, more than %d", len(b), MaxManifestSize)
	}
	r := &canonicalReader{b: b}
	m := readManifest(r)
	r.end()
	if m.Schema != ManifestSchema {
		return nil, schemaError(b, m.Schema)
	}
	if m.FormatVersion > FormatVersion {
		return nil, fmt.Errorf("%w: manifest of format %d, this reader knows %d", ErrTooNew, m.FormatVersion, FormatVersion)
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}

// schemaError says what bytes without this reader's schema are.
func schemaError(b []byte, schema string) error {
	if schema == "" {
		// The reader stopped before it came to the schema.
		key := []byte(`"schema":"` + manifestSchemaPrefix)
		i := bytes.Index(b, key)
		if i < 0 {
			return fmt.Errorf("%w: no manifest", ErrNotPindex)
		}
		b = b[i+len(key):]
		if end := bytes.IndexByte(b, '"'); end >= 0 && end < 20 {
			schema = manifestSchemaPrefix + string(b[:end])
		}
	}
	switch {
	case schema == "" || schema == ManifestSchema:
		return damaged("the manifest cannot be read")
	case len(schema) > len(manifestSchemaPrefix) && schema[:len(manifestSchemaPrefix)] == manifestSchemaPrefix:
		return fmt.Errorf("%w: manifest %q, this reader knows %q", ErrTooNew, schema, ManifestSchema)
	}
	return fmt.Errorf("%w: schema %q", ErrNotPindex, schema)
}

// fields reads an object with the given keys, of which the first required ones
// must be there. value is called with a key's number and must read its value;
// unknown keys are skipped.
func (r *canonicalReader) fields(keys []string, required int, value func(k int)) {
	var seen uint64
	r.object(func(key []byte) {
		for k, name := range keys {
			if string(key) == name {
				seen |= 1 << k
				value(k)
				return
			}
		}
		r.skip(1)
	})
	if all := uint64(1)<<required - 1; r.err == nil && seen&all != all {
		for k := range required {
			if seen>>k&1 == 0 {
				r.fail("key %q is missing", keys[k])
				return
			}
		}
	}
}

var (
	manifestKeys = []string{"schema", "format_version", "object_format", "commit", "tree", "commit_object",
		"profile", "partition_bits", "files", "indexed", "units", "docs", "bytes", "views", "languages",
		"skipped", "degraded", "partitions", "capabilities", "model", "inputs"}
	profileKeys   = []string{"digest", "views", "languages", "options"}
	viewKeys      = []string{"state", "type", "reproducible", "settings", "reason"}
	languageKeys  = []string{"files", "bytes", "backends", "precise"}
	inputKeys     = []string{"type", "digest", "documents", "tools"}
	modelKeys     = []string{"name", "dims", "digest", "size"}
	partitionKeys = []string{"files", "units", "docs", "segments", "counts"}
	segmentKeys   = []string{"key", "digest", "size"}
	countKeys     = []string{"bytes", "languages", "skipped", "degraded"}
	langCountKeys = []string{"files", "bytes", "precise"}
)

func readManifest(r *canonicalReader) *Manifest {
	m := &Manifest{}
	r.fields(manifestKeys, len(manifestKeys)-2, func(k int) {
		switch k {
		case 0:
			m.Schema = r.string()
		case 1:
			m.FormatVersion = r.count()
		case 2:
			m.ObjectFormat = r.string()
		case 3:
			m.Commit = r.string()
		case 4:
			m.Tree = r.string()
		case 5:
			m.CommitObject = r.base64()
		case 6:
			m.Profile = readProfile(r)
		case 7:
			m.PartitionBits = r.count()
		case 8:
			m.Files = r.count()
		case 9:
			m.Indexed = r.count()
		case 10:
			m.Units = r.count()
		case 11:
			m.Docs = r.count()
		case 12:
			m.Bytes = r.size()
		case 13:
			m.Views = map[string]ViewInfo{}
			r.object(func(key []byte) { m.Views[string(key)] = readView(r) })
		case 14:
			m.Languages = map[string]Language{}
			r.object(func(key []byte) { m.Languages[string(key)] = readLanguage(r) })
		case 15:
			m.Skipped = r.counts()
		case 16:
			m.Degraded = r.counts()
		case 17:
			m.Partitions = []PartitionInfo{}
			r.array(func() { m.Partitions = append(m.Partitions, readPartition(r)) })
		case 18:
			m.Capabilities = []string{}
			r.array(func() { m.Capabilities = append(m.Capabilities, r.string()) })
		case 19:
			m.Model = readModel(r)
		case 20:
			r.array(func() { m.Inputs = append(m.Inputs, readInput(r)) })
			if len(m.Inputs) == 0 {
				r.fail("an empty list of inputs is not written")
			}
		}
	})
	return m
}

func readInput(r *canonicalReader) (in InputInfo) {
	r.fields(inputKeys, len(inputKeys), func(k int) {
		switch k {
		case 0:
			in.Type = r.string()
		case 1:
			in.Digest = r.digest()
		case 2:
			in.Documents = r.count()
		case 3:
			in.Tools = []string{}
			r.array(func() { in.Tools = append(in.Tools, r.string()) })
		}
	})
	return in
}

func readProfile(r *canonicalReader) (p Profile) {
	r.fields(profileKeys, len(profileKeys), func(k int) {
		switch k {
		case 0:
			p.Digest = r.digest()
		case 1:
			p.Views = r.stringMap()
		case 2:
			p.Languages = r.stringMap()
		case 3:
			p.Options = r.stringMap()
		}
	})
	return p
}

func readView(r *canonicalReader) (v ViewInfo) {
	r.fields(viewKeys, len(viewKeys)-1, func(k int) {
		switch k {
		case 0:
			v.State = ViewState(r.string())
		case 1:
			v.Type = r.string()
		case 2:
			v.Reproducible = Reproducibility(r.string())
		case 3:
			v.Settings = r.stringMap()
		case 4:
			if v.Reason = r.string(); v.Reason == "" {
				r.fail("an empty reason is not written")
			}
		}
	})
	return v
}

func readLanguage(r *canonicalReader) (l Language) {
	r.fields(languageKeys, len(languageKeys)-1, func(k int) {
		switch k {
		case 0:
			l.Files = r.count()
		case 1:
			l.Bytes = r.size()
		case 2:
			l.Backends = r.stringMap()
		case 3:
			l.Precise = r.positive()
		}
	})
	return l
}

func readModel(r *canonicalReader) *ModelInfo {
	m := &ModelInfo{}
	r.fields(modelKeys, len(modelKeys), func(k int) {
		switch k {
		case 0:
			m.Name = r.string()
		case 1:
			m.Dims = r.count()
		case 2:
			m.Digest = r.digest()
		case 3:
			m.Size = r.size()
		}
	})
	return m
}

func readPartition(r *canonicalReader) (p PartitionInfo) {
	r.fields(partitionKeys, len(partitionKeys)-1, func(k int) {
		switch k {
		case 0:
			p.Files = r.count()
		case 1:
			p.Units = r.count()
		case 2:
			p.Docs = r.count()
		case 3:
			p.Segments = make(map[string]SegmentInfo, len(Views))
			r.object(func(key []byte) { p.Segments[internView(key)] = readSegment(r) })
		case 4:
			p.Counts = readFileCounts(r)
		}
	})
	return p
}

func readFileCounts(r *canonicalReader) *FileCounts {
	c := &FileCounts{}
	r.fields(countKeys, len(countKeys), func(k int) {
		switch k {
		case 0:
			c.Bytes = r.size()
		case 1:
			c.Languages = map[string]LanguageCount{}
			r.object(func(key []byte) { c.Languages[string(key)] = readLanguageCount(r) })
		case 2:
			c.Skipped = r.counts()
		case 3:
			c.Degraded = r.counts()
		}
	})
	return c
}

func readLanguageCount(r *canonicalReader) (l LanguageCount) {
	r.fields(langCountKeys, len(langCountKeys)-1, func(k int) {
		switch k {
		case 0:
			l.Files = r.count()
		case 1:
			l.Bytes = r.size()
		case 2:
			l.Precise = r.positive()
		}
	})
	return l
}

// positive reads a count that is left out where it is zero.
func (r *canonicalReader) positive() int {
	n := r.count()
	if n == 0 {
		r.fail("a count of zero is not written")
	}
	return n
}

// internView returns key as a string, without an allocation for a known view.
func internView(key []byte) string {
	for _, v := range Views {
		if string(key) == viewNames[v] {
			return viewNames[v]
		}
	}
	return string(key)
}

func readSegment(r *canonicalReader) (s SegmentInfo) {
	r.fields(segmentKeys, len(segmentKeys), func(k int) {
		switch k {
		case 0:
			s.Key = r.digest()
		case 1:
			s.Digest = r.digest()
		case 2:
			s.Size = r.size()
		}
	})
	return s
}

func (r *canonicalReader) digest() (d Digest) {
	const prefix = "sha256:"
	s := r.rawString()
	if len(s) != len(prefix)+2*len(d) || string(s[:len(prefix)]) != prefix {
		r.fail("%q is no digest", s)
		return Digest{}
	}
	if _, err := hex.Decode(d[:], s[len(prefix):]); err != nil || bytes.ContainsAny(s, "ABCDEF") {
		r.fail("%q is no digest", s)
		return Digest{}
	}
	return d
}

func (r *canonicalReader) base64() []byte {
	s := r.rawString()
	b := make([]byte, base64.StdEncoding.DecodedLen(len(s)))
	n, err := base64.StdEncoding.Strict().Decode(b, s)
	// The decoder passes over line breaks; the canonical form has none.
	if err != nil || base64.StdEncoding.EncodedLen(n) != len(s) {
		r.fail("a byte string is not canonical base64")
		return nil
	}
	return b[:n]
}

func (r *canonicalReader) stringMap() map[string]string {
	m := map[string]string{}
	r.object(func(key []byte) { k := string(key); m[k] = r.string() })
	return m
}

func (r *canonicalReader) counts() map[string]int {
	m := map[string]int{}
	r.object(func(key []byte) { k := string(key); m[k] = r.count() })
	return m
}
