package registry

import (
	"archive/tar"
	"bytes"
	"io"
	"testing"
)

// What tarScanner reads, the standard library reads alike.
func FuzzTarScanner(f *testing.F) {
	for _, format := range []tar.Format{tar.FormatUSTAR, tar.FormatPAX, tar.FormatGNU} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range []tar.Header{
			{Name: "blobs/", Typeflag: tar.TypeDir, Mode: 0o755},
			{Name: "oci-layout", Typeflag: tar.TypeReg, Size: 3, Mode: 0o600},
			{Name: "./blobs/sha256/" + string(bytes.Repeat([]byte("a"), 64)), Typeflag: tar.TypeReg, Size: 513},
		} {
			h.Format = format
			if err := w.WriteHeader(&h); err != nil {
				f.Fatal(err)
			}
			if _, err := w.Write(make([]byte, h.Size)); err != nil {
				f.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			f.Fatal(err)
		}
		if got, err := scanAll(b.Bytes()); err != nil || len(got) != 3 {
			f.Fatalf("%v: %v, %v", format, got, err)
		}
		f.Add(b.Bytes())
		f.Add(b.Bytes()[:1600])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := scanAll(b)
		if err != nil {
			return
		}
		r := tar.NewReader(bytes.NewReader(b))
		for i, e := range got {
			if e.kind != '0' && e.kind != '5' || len(e.name) == 0 || e.name[len(e.name)-1] == '/' {
				return // which a layout has no place for, or is a folder to one of the two
			}
			h, err := r.Next()
			if err != nil {
				return // it demands more
			}
			if h.Name != e.name || h.Size != e.size || h.Typeflag != e.kind {
				t.Fatalf("entry %d: %+v, not %+v", i, e, h)
			}
		}
	})
}

func scanAll(b []byte) ([]tarEntry, error) {
	var out []tarEntry
	for s := (&tarScanner{r: bytes.NewReader(b)}); ; {
		e, err := s.entry()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if e.offset+e.size > int64(len(b)) {
			return nil, io.ErrUnexpectedEOF
		}
		out = append(out, e)
	}
}
