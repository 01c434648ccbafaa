package compile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// The protocol between the compiling process and its workers, over the
// workers' standard input and output. Both ends are the same program; the
// greeting says so, and every length is capped all the same, because a worker
// has parsed hostile text.
//
//	frame:  length of what follows u32, type u8, payload
//	field:  integers little-endian and of fixed width; byte strings are u32 length + bytes
//
//	compiler -> worker   hello, then for each partition: job, file × n, run
//	worker -> compiler   ready, then for each partition: begin × n with ticks
//	                     between, segment × views, failed × views, pack, done
const protocolVersion = 3

type frameType uint8

const (
	frameHello   frameType = iota + 1 // version u32, profile digest, embedder's model bytes
	frameJob                          // partition u32, flags u8, views, keys, languages to parse, number of files u32
	frameFile                         // see appendFile
	frameRun                          // the job is complete
	frameReady                        // version u32, profile digest
	frameBegin                        // file u32 (or noFile), CPU ns u64
	frameTick                         // CPU ns u64
	frameSegment                      // view u8, digest, bytes
	frameFailed                       // view u8, reason
	framePack                         // bytes
	frameDone                         // see appendDone
	frameError                        // text: the worker gives up
)

// noFile is announced when no file is worked on: the views are being built.
const noFile = 1<<32 - 1

// Caps on what one frame may hold.
const (
	maxSmallFrame = 16 << 20
	maxBulkFrame  = artifact.MaxSegmentSize + 1<<20
)

func frameCap(t frameType) int {
	switch t {
	case frameHello, frameFile, frameSegment, framePack:
		return maxBulkFrame
	}
	return maxSmallFrame
}

// frameWriter writes frames; it is not safe for concurrent use.
type frameWriter struct {
	w *bufio.Writer
}

func newFrameWriter(w io.Writer) *frameWriter {
	return &frameWriter{bufio.NewWriterSize(w, 64<<10)}
}

// write buffers one frame whose payload is the given parts, one after another.
func (f *frameWriter) write(t frameType, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if n > frameCap(t) {
		return fmt.Errorf("a frame of %d bytes exceeds the protocol's limit", n)
	}
	var head [5]byte
	binary.LittleEndian.PutUint32(head[:], uint32(n))
	head[4] = byte(t)
	if _, err := f.w.Write(head[:]); err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := f.w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

func (f *frameWriter) flush() error { return f.w.Flush() }

// frameReader reads frames; each payload is a slice of its own.
type frameReader struct {
	r *bufio.Reader
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next frame. io.EOF comes only between frames.
func (f *frameReader) next() (frameType, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return 0, nil, err
	}
	t, n := frameType(head[4]), int(binary.LittleEndian.Uint32(head[:]))
	if t == 0 || t > frameError || n > frameCap(t) {
		return 0, nil, fmt.Errorf("frame of type %d with %d bytes is not of this protocol", t, n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(f.r, b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	return t, b, nil
}

// appendBytes appends a byte string field.
func appendBytes[T string | []byte](b []byte, s T) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

// fields reads a payload's fields; the first that is not there sets err, and
// everything after it reads as zero.
type fields struct {
	b   []byte
	err error
}

var errShortPayload = errors.New("payload ends in the middle of a field")

func (f *fields) take(n int) []byte {
	if f.err != nil || n < 0 || n > len(f.b) {
		f.err = errShortPayload
		return nil
	}
	p := f.b[:n:n]
	f.b = f.b[n:]
	return p
}

func (f *fields) u8() uint8 {
	if p := f.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (f *fields) u32() uint32 {
	if p := f.take(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

func (f *fields) u64() uint64 {
	if p := f.take(8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

func (f *fields) bytes() []byte { return f.take(int(f.u32())) }

func (f *fields) digest() (d artifact.Digest) {
	copy(d[:], f.take(len(d)))
	return d
}

// end returns an error unless the payload was read to its end, no further.
func (f *fields) end() error {
	if f.err == nil && len(f.b) != 0 {
		f.err = fmt.Errorf("%d bytes behind the last field", len(f.b))
	}
	return f.err
}

// Flags of a job.
const jobProbe = 1 // parse only: answer with begin and done, no segments

// writeJob sends one partition.
func writeJob(w *frameWriter, j *job) error {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(j.partition))
	var flags byte
	if j.probe {
		flags |= jobProbe
	}
	b = append(b, flags)
	views := make([]byte, len(j.views))
	for i, v := range j.views {
		views[i] = byte(v)
	}
	b = appendBytes(b, views)
	for _, v := range j.views {
		key := j.keys[v]
		b = append(b, key[:]...)
	}
	if j.languages == nil {
		b = append(b, 0)
	} else {
		b = append(b, 1)
		b = appendBytes(b, strings.Join(j.languages, " "))
	}
	b = le.AppendUint32(b, uint32(len(j.files)))
	if err := w.write(frameJob, b); err != nil {
		return err
	}
	for i := range j.files {
		if err := w.write(frameFile, appendFile(b[:0], &j.files[i]), j.files[i].content); err != nil {
			return err
		}
	}
	if err := w.write(frameRun); err != nil {
		return err
	}
	return w.flush()
}

// appendFile appends all of a file but its content, which is the rest of the
// frame: path, blob id, mode u32, size u64, skip u8, parse u8, degraded u8,
// SCIP document.
func appendFile(b []byte, f *jobFile) []byte {
	b = appendBytes(b, f.path)
	b = appendBytes(b, f.blob.Bytes())
	b = binary.LittleEndian.AppendUint32(b, f.mode)
	b = binary.LittleEndian.AppendUint64(b, f.size)
	parse := byte(0)
	if f.parse {
		parse = 1
	}
	b = append(b, byte(f.skip), parse, byte(f.degraded))
	return appendBytes(b, f.input)
}

func readFile(b []byte) (f jobFile, err error) {
	in := fields{b: b}
	f.path = string(in.bytes())
	id := in.bytes()
	f.mode, f.size = in.u32(), in.u64()
	f.skip = artifact.Skip(in.u8())
	f.parse = in.u8() == 1
	f.degraded = artifact.Degraded(in.u8())
	if f.input = in.bytes(); len(f.input) == 0 {
		f.input = nil
	}
	if in.err != nil {
		return f, in.err
	}
	f.content = in.b
	f.blob, err = gitobj.IDFromBytes(id)
	return f, err
}

// readJob reads the payload of a job frame; its files follow in frames.
func readJob(b []byte) (j *job, files int, err error) {
	in := fields{b: b}
	j = &job{partition: int(in.u32())}
	j.probe = in.u8()&jobProbe != 0
	for _, v := range in.bytes() {
		if v == 0 || int(v) >= len(j.keys) {
			return nil, 0, fmt.Errorf("no view has number %d", v)
		}
		j.views = append(j.views, artifact.View(v))
	}
	for _, v := range j.views {
		j.keys[v] = in.digest()
	}
	if in.u8() == 1 {
		j.languages = strings.Fields(string(in.bytes()))
	}
	files = int(in.u32())
	return j, files, in.end()
}

// appendDone encodes what a worker says of a finished partition besides its
// segments.
func appendDone(b []byte, r *built) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(r.units))
	b = le.AppendUint32(b, uint32(r.docs))
	for _, ns := range r.timing {
		b = le.AppendUint64(b, uint64(ns))
	}
	b = le.AppendUint64(b, uint64(r.peakRSS))
	b = le.AppendUint32(b, uint32(len(r.files)))
	for i := range r.files {
		f := &r.files[i]
		b = appendBytes(b, f.lang)
		precise := byte(0)
		if f.precise {
			precise = 1
		}
		b = append(b, byte(f.skip), byte(f.degraded), byte(f.encoding), precise)
		b = le.AppendUint32(b, f.lines)
	}
	return b
}

func readDone(b []byte, r *built) error {
	in := fields{b: b}
	r.units, r.docs = int(in.u32()), int(in.u32())
	for i := range r.timing {
		r.timing[i] = int64(in.u64())
	}
	r.peakRSS = int64(in.u64())
	n := int(in.u32())
	if n > len(in.b) {
		return errShortPayload
	}
	r.files = make([]builtFile, n)
	for i := range r.files {
		f := &r.files[i]
		f.lang = string(in.bytes())
		f.skip = artifact.Skip(in.u8())
		f.degraded = artifact.Degraded(in.u8())
		f.encoding = artifact.Encoding(in.u8())
		f.precise = in.u8() == 1
		f.lines = in.u32()
	}
	return in.end()
}
