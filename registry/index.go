package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/order"
)

// layoutIndex is a layout's index.json: what each tag holds. Entries that
// pindex did not write are carried along unchanged.
type layoutIndex struct{ oci ocispec.Index }

func newLayoutIndex() *layoutIndex {
	return &layoutIndex{ocispec.Index{
		Versioned: specs.Versioned{SchemaVersion: 2},
		MediaType: ocispec.MediaTypeImageIndex,
		Manifests: []ocispec.Descriptor{},
	}}
}

// decodeIndex reads an index.json, which is not trusted.
func decodeIndex(b []byte) (*layoutIndex, error) {
	if len(b) > MaxIndexJSON {
		return nil, fmt.Errorf("%d bytes, more than %d", len(b), MaxIndexJSON)
	}
	var x struct {
		ocispec.Index
		Manifests manyDescriptors `json:"manifests"`
	}
	x.Manifests.limit = MaxTags
	if err := json.Unmarshal(b, &x); err != nil {
		return nil, err
	}
	if x.SchemaVersion != 2 || x.MediaType != "" && x.MediaType != ocispec.MediaTypeImageIndex {
		return nil, fmt.Errorf("not an OCI image index but schema %d, media type %.128q", x.SchemaVersion, x.MediaType)
	}
	x.Index.Manifests = append([]ocispec.Descriptor{}, x.Manifests.list...)
	return &layoutIndex{x.Index}, nil
}

// manyDescriptors is a list that is decoded one by one, so that a few
// megabytes of empty objects do not become some hundred.
type manyDescriptors struct {
	limit int
	list  []ocispec.Descriptor
}

func (m *manyDescriptors) UnmarshalJSON(b []byte) error {
	m.list = nil
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		if t == nil && err == nil {
			return nil // null
		}
		return errors.New("a list of descriptors is no list")
	}
	for dec.More() {
		if len(m.list) == m.limit {
			return fmt.Errorf("more than %d descriptors", m.limit)
		}
		var d ocispec.Descriptor
		if err := dec.Decode(&d); err != nil {
			return err
		}
		m.list = append(m.list, d)
	}
	return nil
}

// The start of an index.json as encoding/json writes it, and what of an entry
// precedes and follows its tag.
const (
	indexStart = `{"schemaVersion":2,"mediaType":"` + ocispec.MediaTypeImageIndex + `","manifests":[`
	entryStart = `{"mediaType":"`
	beforeTag  = `"annotations":{"` + ocispec.AnnotationRefName + `":"`
	afterTag   = `"}`
)

// scanTag finds what tag holds without decoding the rest of an index.json
// that is written as pindex writes it: thousands of commits would cost each
// cold start some ten milliseconds. When ok is false, only decoding can tell.
func scanTag(b []byte, tag string) (d ocispec.Descriptor, ok bool) {
	if !validTag(tag) || !bytes.HasPrefix(b, []byte(indexStart)) {
		return d, false
	}
	needle := []byte(beforeTag + tag + afterTag)
	at := bytes.Index(b, needle)
	if at < 0 || bytes.Contains(b[at+1:], needle) {
		return d, false
	}
	start := bytes.LastIndex(b[:at], []byte(entryStart))
	if start < 0 || json.NewDecoder(bytes.NewReader(b[start:])).Decode(&d) != nil || tagOf(d) != tag {
		return ocispec.Descriptor{}, false
	}
	return d, true
}

func tagOf(d ocispec.Descriptor) string { return d.Annotations[ocispec.AnnotationRefName] }

// find returns what tag holds. When a tag stands twice the last one counts,
// as for other programs.
func (x *layoutIndex) find(tag string) (ocispec.Descriptor, bool) {
	for _, d := range slices.Backward(x.oci.Manifests) {
		if tag != "" && tagOf(d) == tag {
			return d, true
		}
	}
	return ocispec.Descriptor{}, false
}

// set points tag to d.
func (x *layoutIndex) set(tag string, d ocispec.Descriptor) {
	x.remove(tag)
	d.Annotations = map[string]string{ocispec.AnnotationRefName: tag}
	x.oci.Manifests = append(x.oci.Manifests, d)
}

// remove drops tag and reports whether it was there.
func (x *layoutIndex) remove(tag string) bool {
	n := len(x.oci.Manifests)
	x.oci.Manifests = slices.DeleteFunc(x.oci.Manifests, func(d ocispec.Descriptor) bool { return tagOf(d) == tag })
	return len(x.oci.Manifests) < n
}

// tagged returns the entries that have a tag, sorted by it.
func (x *layoutIndex) tagged() []Tagged {
	var list []Tagged
	seen := make(map[string]bool)
	for _, d := range slices.Backward(x.oci.Manifests) {
		if tag := tagOf(d); tag != "" && !seen[tag] {
			seen[tag] = true
			list = append(list, Tagged{tag, d})
		}
	}
	order.Sort(list, func(a, b Tagged) int { return cmp.Compare(a.Tag, b.Tag) })
	return list
}

// encode returns the file's bytes: entries sorted by tag, then by digest, so
// that the order of publishing does not show.
func (x *layoutIndex) encode() ([]byte, error) {
	order.Stable(x.oci.Manifests, func(a, b ocispec.Descriptor) int {
		return cmp.Or(cmp.Compare(tagOf(a), tagOf(b)), cmp.Compare(a.Digest, b.Digest))
	})
	b, err := json.Marshal(&x.oci)
	if err == nil && len(b) > MaxIndexJSON {
		err = fmt.Errorf("index.json would have %d bytes, more than %d", len(b), MaxIndexJSON)
	}
	return b, err
}

// readIndexFile returns the bytes of index.json; nil when there is none.
func (l *Local) readIndexFile() ([]byte, error) {
	f, err := os.Open(l.indexPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, l.readError(err, "index.json")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, l.readError(err, "index.json")
	}
	if info.Size() > MaxIndexJSON {
		return nil, l.badIndex(fmt.Errorf("%d bytes, more than %d", info.Size(), MaxIndexJSON))
	}
	// The file is only ever replaced, so its size does not change under us.
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, l.readError(err, "index.json")
	}
	return b, nil
}

// readIndex returns the layout's index; an empty one when there is none.
func (l *Local) readIndex() (*layoutIndex, error) {
	b, err := l.readIndexFile()
	if err != nil {
		return nil, err
	}
	return l.parseIndex(b)
}

func (l *Local) parseIndex(b []byte) (*layoutIndex, error) {
	if b == nil {
		return newLayoutIndex(), nil
	}
	x, err := decodeIndex(b)
	if err != nil {
		return nil, l.badIndex(err)
	}
	return x, nil
}

func (l *Local) badIndex(err error) error {
	return fail.Wrap(fail.Verification, err,
		"move that file away; the next compile writes a new one and finds its blobs again",
		"%s is damaged", l.indexPath())
}

// writeIndex replaces index.json. The caller holds the lock.
func (l *Local) writeIndex(x *layoutIndex) error {
	b, err := x.encode()
	if err != nil {
		return fail.Wrap(fail.Internal, err, "prune the store", "cannot write the index of %s", l.dir)
	}
	if err := durable.WriteBytes(l.indexPath(), 0o644, b); err != nil {
		return l.writeError(err)
	}
	return nil
}

func (l *Local) indexPath() string { return filepath.Join(l.dir, ocispec.ImageIndexFile) }
