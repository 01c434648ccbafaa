package artifact

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// InputDocument is what something outside the tree said of one file, in the
// normalised form from which its part of a view was built. This package does
// not look into Content.
type InputDocument struct {
	Path    string // of the file, as in the tree
	Tool    string // who said it, such as "scip-go 0.2.9"
	Content []byte // its digest enters the key of the file's partition
}

const (
	inputMagic      = "PINDEXIN"
	inputHeaderSize = 16
	// maxInputSize bounds the documents of one partition, in bytes.
	maxInputSize = 1 << 30
	maxInputText = 64 << 10 // bytes of a path or a tool's name
)

// EncodeInput returns the blob that carries the input documents of one
// partition, which are in path order: one zstd frame, see FORMAT.md.
func EncodeInput(docs []InputDocument) ([]byte, error) {
	le := binary.LittleEndian
	b := append(make([]byte, 0, 1<<16), inputMagic...)
	b = le.AppendUint16(b, FormatVersion)
	b = append(b, 0, 0)
	b = le.AppendUint32(b, uint32(len(docs)))
	for i, d := range docs {
		if i > 0 && docs[i-1].Path >= d.Path {
			return nil, fmt.Errorf("input: the document of %q stands behind that of %q", d.Path, docs[i-1].Path)
		}
		for _, s := range []string{d.Path, d.Tool} {
			if len(s) > maxInputText {
				return nil, fmt.Errorf("input: a name of %d bytes", len(s))
			}
			b = le.AppendUint32(b, uint32(len(s)))
			b = append(b, s...)
		}
		b = le.AppendUint32(b, uint32(len(d.Content)))
		b = append(b, d.Content...)
		if len(b) > maxInputSize {
			return nil, fmt.Errorf("input: documents of more than %d bytes", maxInputSize)
		}
	}
	enc := packEncoders.Get()
	encoder, ok := enc.(*zstd.Encoder)
	if !ok {
		return nil, fmt.Errorf("zstd encoder: %v", enc)
	}
	defer packEncoders.Put(encoder)
	return encoder.EncodeAll(b, nil), nil
}

// DecodeInput reads what EncodeInput wrote, from bytes that may be hostile.
// Errors wrap ErrNotPindex, ErrTooNew or ErrDamaged.
func DecodeInput(b []byte) ([]InputDocument, error) {
	z, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxInputSize))
	if err != nil {
		return nil, damaged("input: %v", err)
	}
	defer z.Close()
	limit := min(int64(len(b))*maxZstdRatio, maxInputSize) + 1
	raw, err := io.ReadAll(io.LimitReader(z, limit))
	if err != nil || int64(len(raw)) == limit {
		return nil, damaged("input: not one zstd frame of a sound size (%v)", err)
	}
	le := binary.LittleEndian
	if len(raw) < inputHeaderSize || string(raw[:8]) != inputMagic {
		return nil, fmt.Errorf("%w: no input", ErrNotPindex)
	}
	if v := le.Uint16(raw[8:]); v != FormatVersion || raw[10] != 0 || raw[11] != 0 {
		return nil, fmt.Errorf("%w: input of format %d", ErrTooNew, v)
	}
	n := le.Uint32(raw[12:])
	rest := raw[inputHeaderSize:]
	field := func(limit int) ([]byte, bool) {
		if len(rest) < 4 {
			return nil, false
		}
		size := le.Uint32(rest)
		if uint64(size) > uint64(len(rest)-4) || uint64(size) > uint64(limit) {
			return nil, false
		}
		f := rest[4 : 4+size : 4+size]
		rest = rest[4+size:]
		return f, true
	}
	if uint64(n) > uint64(len(rest)/12) {
		return nil, damaged("input: %d documents in %d bytes", n, len(rest))
	}
	docs := make([]InputDocument, 0, n)
	for i := range int(n) {
		path, ok := field(maxInputText)
		tool, ok2 := field(maxInputText)
		content, ok3 := field(maxInputSize)
		if !ok || !ok2 || !ok3 {
			return nil, damaged("input: document %d is cut off", i)
		}
		if len(path) == 0 || !utf8.Valid(tool) || i > 0 && docs[i-1].Path >= string(path) {
			return nil, damaged("input: document %d has no path of its own in order, or a tool that is no text", i)
		}
		docs = append(docs, InputDocument{Path: string(path), Tool: string(tool), Content: content})
	}
	if len(rest) > 0 {
		return nil, damaged("input: %d bytes behind the last document", len(rest))
	}
	return docs, nil
}

// InputHash computes the digest by which a manifest names an input: that of
// the paths and the digests of its documents, framed, in path order. The zero
// value is ready to use.
type InputHash struct {
	w *keyWriter
	n int
}

// Add adds the next document.
func (h *InputHash) Add(path string, content Digest) {
	if h.w == nil {
		h.w = &keyWriter{h: sha256.New()}
		h.w.field("pindex.input/0")
	}
	h.n++
	h.w.field(path)
	h.w.field(string(content[:]))
}

// Sum returns the digest, zero without documents.
func (h *InputHash) Sum() (d Digest) {
	if h.w == nil {
		return d
	}
	h.w.flush()
	h.w.h.Sum(d[:0])
	return d
}

// InputInfo names one input of an index.
type InputInfo struct {
	Type      string   `json:"type"`      // "scip"
	Digest    Digest   `json:"digest"`    // see InputHash
	Documents int      `json:"documents"` // files that it speaks of
	Tools     []string `json:"tools"`     // who made it, ascending
}

// InputSCIP is the type of an input of SCIP documents.
const InputSCIP = "scip"

func validateInputs(list []InputInfo, files int) error {
	for i := range list {
		in := &list[i]
		if in.Type == "" || !utf8.ValidString(in.Type) || in.Digest.IsZero() || in.Documents < 1 || in.Documents > files {
			return damaged("input %d is of type %q and has %d documents", i, in.Type, in.Documents)
		}
		if i > 0 && list[i-1].Type >= in.Type {
			return damaged("inputs do not ascend")
		}
		for k, t := range in.Tools {
			if !utf8.ValidString(t) || k > 0 && in.Tools[k-1] >= t {
				return damaged("the tools of input %d do not ascend", i)
			}
		}
	}
	return nil
}

// InputsDigest returns one digest for all inputs of a manifest, zero for none.
func (m *Manifest) InputsDigest() Digest {
	if len(m.Inputs) == 0 {
		return Digest{}
	}
	var b strings.Builder
	for _, in := range m.Inputs {
		fmt.Fprintf(&b, "%q %s\n", in.Type, in.Digest)
	}
	return DigestOf([]byte(b.String()))
}
