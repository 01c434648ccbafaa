package compile

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"testing"
	"time"

	"github.com/pindex-dev/pindex/embed"
)

// converse starts a worker in this process and greets it.
func converse(t *testing.T, h hooks) (to *io.PipeWriter, from *frameReader, done <-chan error) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := runWorker(context.Background(), inR, outW, h)
		outW.CloseWithError(io.EOF)
		ended <- err
	}()
	model := embed.NewHashed()
	p, err := newProfile(builtInLimits, model, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	hello := binary.LittleEndian.AppendUint32(nil, protocolVersion)
	hello = append(hello, p.Digest[:]...)
	hello = binary.LittleEndian.AppendUint64(hello, DefaultParseBytes)
	hello = binary.LittleEndian.AppendUint64(hello, DefaultIndexBytes)
	hello = append(hello, model.Model()...)
	w := newFrameWriter(inW)
	if err := w.write(frameHello, hello); err != nil {
		t.Fatal(err)
	}
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	in := newFrameReader(outR)
	if typ, _, err := in.next(); typ != frameReady || err != nil {
		t.Fatalf("the worker answers %d, %v", typ, err)
	}
	return inW, in, ended
}

// TestWorkerOutlivesNobody ends the input in the middle of a parse, which is
// what the death of the compiling process looks like.
func TestWorkerOutlivesNobody(t *testing.T) {
	parsing := make(chan struct{})
	to, from, done := converse(t, hooks{parse: func(string) { close(parsing); select {} }})
	go func() { // take what it says
		for {
			if _, _, err := from.next(); err != nil {
				return
			}
		}
	}()
	j := exampleJob()
	j.files = j.files[:1]
	j.files[0].path, j.languages = "a.py", nil
	if err := writeJob(newFrameWriter(to), j); err != nil {
		t.Fatal(err)
	}
	<-parsing
	to.Close()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the worker goes on")
	}
}

// TestWorkerRefuses gives a worker what no compiling process says.
func TestWorkerRefuses(t *testing.T) {
	for name, in := range map[string][]byte{
		"nothing": nil,
		"noise":   bytes.Repeat([]byte{0x7f}, 100),
		"no job":  {0, 0, 0, 0, byte(frameRun)},
	} {
		var out bytes.Buffer
		if err := RunWorker(context.Background(), bytes.NewReader(in), &out); err == nil || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, out.Len())
		}
	}
	to, _, done := converse(t, hooks{})
	if _, err := to.Write([]byte{0, 0, 0, 0, byte(frameRun)}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("a run without a job is accepted")
	}
}
