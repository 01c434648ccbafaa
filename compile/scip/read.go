package scip

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Fields of scip.Index and scip.Document that are read here; the messages
// inside are the bindings'.
const (
	indexMetadata  = 1
	indexDocuments = 2

	documentPath        = 1
	documentOccurrences = 2
	documentSymbols     = 3
	documentText        = 5
	documentEncoding    = 6
)

// errMalformed means that the bytes are no SCIP index, or not a whole one.
var errMalformed = errors.New("not a whole SCIP index")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errMalformed, fmt.Sprintf(format, args...))
}

// rawDocument is one document of an index as it stands there.
type rawDocument struct {
	path     string
	encoding scip.PositionEncoding
	text     []byte // the document's own copy of the text; nil for none
	bytes    []byte // the whole message
}

// readIndex calls metadata and then document for each document of an index.
// Slices are valid during the call. It holds one document at a time, and
// never sets memory aside for bytes that have not come.
func readIndex(ctx context.Context, in io.Reader, metadata func(*scip.Metadata) error, document func(*rawDocument) error) error {
	r := bufio.NewReaderSize(in, 256<<10)
	var buf bytes.Buffer
	messages := 0
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		tag, err := readVarint(r)
		if errors.Is(err, io.EOF) {
			if messages == 0 {
				return malformed("it is empty")
			}
			return nil
		}
		if err != nil {
			return err
		}
		number, kind := protowire.DecodeTag(tag)
		if number <= 0 || kind != protowire.BytesType {
			return malformed("field %d of type %d", number, kind)
		}
		size, err := readVarint(r)
		if err != nil {
			return noEOF(err)
		}
		limit := uint64(maxMetadata)
		if number == indexDocuments {
			limit = MaxDocument
		}
		keep := number == indexDocuments || number == indexMetadata
		if keep && size > limit {
			return malformed("a part of %d bytes, more than %d", size, limit)
		}
		messages++
		if !keep { // external symbols, and what later versions add
			if size > math.MaxInt64 {
				return malformed("a part of %d bytes", size)
			}
			if n, err := io.CopyN(io.Discard, r, int64(size)); err != nil {
				return malformed("it ends after %d of %d bytes of field %d", n, size, number)
			}
			continue
		}
		buf.Reset()
		if n, err := io.CopyN(&buf, r, int64(size)); err != nil {
			return malformed("it ends after %d of %d bytes of a document", n, size)
		}
		if number == indexMetadata {
			var m scip.Metadata
			if metadata == nil {
				continue
			}
			if err := proto.Unmarshal(buf.Bytes(), &m); err != nil {
				return malformed("its metadata: %v", err)
			}
			if err := metadata(&m); err != nil {
				return err
			}
			continue
		}
		d := rawDocument{bytes: buf.Bytes()}
		if err := d.head(); err != nil {
			return err
		}
		if err := document(&d); err != nil {
			return err
		}
		if buf.Cap() > 64<<20 {
			buf = bytes.Buffer{}
		}
	}
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return malformed("it ends in the middle of a field")
	}
	return err
}

// readVarint reads a varint; io.EOF comes only in front of one.
func readVarint(r *bufio.Reader) (uint64, error) {
	var v uint64
	for i := range 10 {
		c, err := r.ReadByte()
		if err != nil {
			if i > 0 {
				err = noEOF(err)
			}
			return 0, err
		}
		if i == 9 && c > 1 {
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v, nil
		}
	}
	return 0, malformed("a number of more than 64 bits")
}

// each calls fn with every field of a message.
func each(b []byte, fn func(number protowire.Number, kind protowire.Type, value []byte, n uint64) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return malformed("%v", protowire.ParseError(n))
		}
		b = b[n:]
		var value []byte
		var v uint64
		switch kind {
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return malformed("%v", protowire.ParseError(n))
		}
		if err := fn(number, kind, value, v); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// head reads the document's path, encoding and text.
func (d *rawDocument) head() error {
	return each(d.bytes, func(number protowire.Number, kind protowire.Type, value []byte, v uint64) error {
		switch {
		case number == documentPath && kind == protowire.BytesType:
			d.path = string(value)
		case number == documentText && kind == protowire.BytesType && len(value) > 0:
			d.text = value
		case number == documentEncoding && kind == protowire.VarintType:
			d.encoding = scip.PositionEncoding(v)
		}
		return nil
	})
}

// each calls occurrence and symbol with the document's parts. The messages
// are used again for the next.
func (d *rawDocument) each(occurrence func(*scip.Occurrence) error, symbol func(*scip.SymbolInformation) error) error {
	var o scip.Occurrence
	var s scip.SymbolInformation
	merge := proto.UnmarshalOptions{DiscardUnknown: true}
	return each(d.bytes, func(number protowire.Number, kind protowire.Type, value []byte, _ uint64) error {
		if kind != protowire.BytesType {
			return nil
		}
		switch number {
		case documentOccurrences:
			if occurrence == nil {
				return nil
			}
			if err := merge.Unmarshal(value, &o); err != nil {
				return malformed("an occurrence of %q: %v", d.path, err)
			}
			return occurrence(&o)
		case documentSymbols:
			if symbol == nil {
				return nil
			}
			if err := merge.Unmarshal(value, &s); err != nil {
				return malformed("a symbol of %q: %v", d.path, err)
			}
			return symbol(&s)
		}
		return nil
	})
}
