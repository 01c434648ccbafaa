package compile

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

func exampleJob() *job {
	j := &job{
		partition: 7, views: []artifact.View{artifact.Units, artifact.Lexical}, languages: []string{"go", "python"},
		files: []jobFile{
			{path: "a\xff\n", mode: 0o100644, blob: gitobj.Hash(gitobj.SHA1, "blob", []byte("x")), size: 1, parse: true, content: []byte("x")},
			{path: "b", mode: 0o160000, blob: gitobj.Hash(gitobj.SHA256, "blob", nil), skip: artifact.SkipSubmodule, content: []byte{}},
			{path: "c", mode: 0o100755, blob: gitobj.Hash(gitobj.SHA1, "blob", nil), size: 3 << 20, degraded: artifact.DegradedTooLarge, content: bytes.Repeat([]byte("y\n"), 100_000)},
		},
	}
	j.keys[artifact.Units] = artifact.DigestOf([]byte("u"))
	j.keys[artifact.Lexical] = artifact.DigestOf([]byte("l"))
	return j
}

func receiveJob(r *frameReader) (*job, error) {
	var j *job
	for want := 0; ; {
		t, b, err := r.next()
		if err != nil {
			return nil, err
		}
		switch t {
		case frameJob:
			if j, want, err = readJob(b); err != nil {
				return nil, err
			}
		case frameFile:
			f, err := readFile(b)
			if err != nil {
				return nil, err
			}
			j.files = append(j.files, f)
		case frameRun:
			if len(j.files) != want {
				return nil, errors.New("files are missing")
			}
			return j, nil
		}
	}
}

func TestJobRoundTrip(t *testing.T) {
	for _, languages := range [][]string{nil, {}, {"go", "python"}} {
		want := exampleJob()
		want.languages = languages
		var b bytes.Buffer
		if err := writeJob(newFrameWriter(&b), want); err != nil {
			t.Fatal(err)
		}
		got, err := receiveJob(newFrameReader(&b))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	}
}

func TestDoneRoundTrip(t *testing.T) {
	want := &built{units: 3, docs: 4, peakRSS: 5 << 30, files: []builtFile{
		{lang: "go", degraded: artifact.DegradedSyntax, lines: 9}, {skip: artifact.SkipBinary}, {encoding: artifact.EncodingUTF16BE, lines: 1},
	}}
	want.timing[workParse] = 1 << 40
	b := appendDone(nil, want)
	got := &built{}
	if err := readDone(b, got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	for n := range b {
		if readDone(b[:n], &built{}) == nil {
			t.Errorf("%d of %d bytes are accepted", n, len(b))
		}
	}
}

func TestFrameLimits(t *testing.T) {
	w := newFrameWriter(io.Discard)
	if w.write(frameDone, make([]byte, maxSmallFrame+1)) == nil {
		t.Error("an overlong frame is written")
	}
	for name, b := range map[string][]byte{
		"overlong":     {1, 0, 0, 0xff, byte(frameTick)},
		"no type":      {0, 0, 0, 0, 0},
		"unknown type": {0, 0, 0, 0, byte(frameError) + 1},
		"short":        {2, 0, 0, 0, byte(frameTick), 1},
		"short head":   {2, 0, 0},
	} {
		if _, _, err := newFrameReader(bytes.NewReader(b)).next(); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := newFrameReader(bytes.NewReader(nil)).next(); !errors.Is(err, io.EOF) {
		t.Errorf("the end of the conversation: %v", err)
	}
}

// FuzzFrames gives hostile payloads to everything that reads one.
func FuzzFrames(f *testing.F) {
	var b bytes.Buffer
	if err := writeJob(newFrameWriter(&b), exampleJob()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes()[:4096])
	f.Add(appendDone(nil, &built{files: make([]builtFile, 3)}))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, _ = readJob(b)
		_, _ = readFile(b)
		_ = readDone(b, &built{})
		r := newFrameReader(bytes.NewReader(b[:min(len(b), 1<<12)]))
		for {
			if _, _, err := r.next(); err != nil {
				return
			}
		}
	})
}
