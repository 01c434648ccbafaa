package views

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/embed"
)

// Dense builds the segment of embeddings: one row for each search document.
func Dense(in *Partition) ([]byte, error) {
	if in.Embedder == nil {
		return nil, errors.New("dense view: no embedder")
	}
	e := in.Embedder
	n, dims := len(in.Docs), e.Dims()
	model := in.Model
	if model == (artifact.Digest{}) {
		model = artifact.DigestOf(e.Model())
	}
	data := artifact.DenseData{
		Model: model,
		Dims:  dims,
		Docs:  make([]uint32, n),
		Keys:  make([][16]byte, n),
		Rows:  make([]int8, n*dims),
	}
	k := newKeyer(data.Model)
	var doc embed.Document
	for d := range in.Docs {
		in.document(d, &doc)
		data.Docs[d] = uint32(d)
		data.Keys[d] = k.key(&doc)
		e.Embed(doc, data.Rows[d*dims:(d+1)*dims])
	}
	return artifact.EncodeDense(in.Key, &data)
}

// document fills out with what is embedded of document d.
func (in *Partition) document(d int, out *embed.Document) {
	text, spans, names := in.DocText(d)
	out.Path = in.docPath(d)
	out.Symbol = append(out.Symbol[:0], in.Fields[d].Symbol...)
	for _, n := range names {
		out.Symbol = append(append(out.Symbol, ' '), n...)
	}
	out.Signature, out.Doc, out.Body = out.Signature[:0], out.Doc[:0], out.Body[:0]
	for _, s := range spans {
		piece := text[s.Start:s.End]
		switch s.Field {
		case artifact.FieldSignature:
			out.Signature = append(out.Signature, piece)
		case artifact.FieldDoc:
			out.Doc = append(out.Doc, piece)
		default:
			out.Body = append(out.Body, piece)
		}
	}
}

// keyer computes embedding keys: the first 16 bytes of the sha256 of the
// model's digest and of all that was embedded, each piece behind its length.
type keyer struct {
	h     hash.Hash
	model artifact.Digest
	buf   []byte
	sum   [sha256.Size]byte
}

func newKeyer(model artifact.Digest) *keyer { return &keyer{h: sha256.New(), model: model} }

func (k *keyer) key(d *embed.Document) [16]byte {
	k.h.Reset()
	k.h.Write(k.model[:])
	k.piece([]byte(d.Path))
	k.piece(d.Symbol)
	for _, field := range [][][]byte{d.Signature, d.Doc, d.Body} {
		k.count(len(field))
		for _, b := range field {
			k.piece(b)
		}
	}
	return [16]byte(k.h.Sum(k.sum[:0]))
}

func (k *keyer) piece(b []byte) {
	k.count(len(b))
	k.h.Write(b)
}

func (k *keyer) count(n int) {
	k.buf = binary.LittleEndian.AppendUint64(k.buf[:0], uint64(n))
	k.h.Write(k.buf)
}
