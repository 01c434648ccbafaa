package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pack is one fetched package.
type pack struct {
	kind string // the client that fetched it
	name string // with its version
	file string // an archive or a folder
	meta string // a file beside it that may name the licence
}

// packs lists what was fetched, in a fixed order.
func packs(data string) ([]pack, error) {
	var all []pack
	add := func(kind, name, file string) { all = append(all, pack{kind: kind, name: name, file: file}) }
	for _, g := range []struct{ kind, glob, cut string }{
		{"py", "py/*.whl", "-py"},
		{"npm", "npm/*.tgz", ".tgz"},
		{"cargo", "cargo/home/registry/src/*/*", ""},
	} {
		files, err := filepath.Glob(filepath.Join(data, g.glob))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			name := filepath.Base(f)
			if g.cut != "" {
				name, _, _ = strings.Cut(name, g.cut)
			}
			add(g.kind, name, f)
		}
	}
	jars, err := walkFor(filepath.Join(data, "mvn/jars"), func(p string) bool { return strings.HasSuffix(p, "-sources.jar") })
	if err != nil {
		return nil, err
	}
	for _, f := range jars {
		name := strings.TrimSuffix(filepath.Base(f), "-sources.jar")
		all = append(all, pack{kind: "mvn", name: name, file: f, meta: filepath.Join(data, "mvn/repo")})
	}
	// A module's folder is the one whose name ends in a version.
	version := regexp.MustCompile(`@v[0-9]`)
	root := filepath.Join(data, "go")
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if p == filepath.Join(root, "cache") {
			return fs.SkipDir
		}
		if version.MatchString(d.Name()) {
			rel, _ := filepath.Rel(root, p)
			add("go", filepath.ToSlash(rel), p)
			return fs.SkipDir
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	tars, err := filepath.Glob(filepath.Join(data, "deb/*.tar.*"))
	if err != nil {
		return nil, err
	}
	for _, f := range tars {
		base := filepath.Base(f)
		// The upstream's archive; debian/ alone has the licences.
		if strings.HasSuffix(base, ".asc") || strings.Contains(base, ".debian.tar") || strings.Contains(base, ".orig-") {
			continue
		}
		name := strings.SplitN(base, ".orig.tar", 2)[0]
		name = regexp.MustCompile(`\.tar\..*`).ReplaceAllString(name, "")
		p := pack{kind: "deb", name: name, file: f}
		if m, _ := filepath.Glob(filepath.Join(data, "deb", name+"-*.debian.tar.*")); len(m) > 0 {
			p.meta = m[0]
		} else if m, _ := filepath.Glob(filepath.Join(data, "deb", strings.SplitN(name, "_", 2)[0]+"_*.debian.tar.*")); len(m) > 0 {
			p.meta = m[0]
		}
		all = append(all, p)
	}
	// By hash, so that a budget that runs out takes from all alike.
	slices.SortFunc(all, func(a, b pack) int {
		if x, y := hash64(a.kind+a.name), hash64(b.kind+b.name); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	return all, nil
}

func walkFor(root string, want func(string) bool) (out []string, err error) {
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && want(p) {
			out = append(out, p)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return out, err
}

const maxFile = 400 << 10 // bytes; longer files are generated or data

// each calls f for every file of a package that want takes, with its path
// inside the package.
func (p *pack) each(want func(name string) bool, f func(name string, b []byte)) error {
	return eachFile(p.file, want, f)
}

func eachFile(file string, want func(name string) bool, f func(name string, b []byte)) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		return filepath.WalkDir(file, func(q string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(file, q)
			rel = filepath.ToSlash(rel)
			if d.IsDir() || !d.Type().IsRegular() || !want(rel) {
				return nil
			}
			if i, err := d.Info(); err != nil || i.Size() > maxFile {
				return err
			}
			b, err := os.ReadFile(q)
			if err == nil {
				f(rel, b)
			}
			return err
		})
	case strings.HasSuffix(file, ".whl") || strings.HasSuffix(file, ".jar"):
		z, err := zip.OpenReader(file)
		if err != nil {
			return err
		}
		defer z.Close()
		for _, e := range z.File {
			if e.UncompressedSize64 > maxFile || strings.HasSuffix(e.Name, "/") || !want(e.Name) {
				continue
			}
			r, err := e.Open()
			if err != nil {
				return err
			}
			b, err := io.ReadAll(io.LimitReader(r, maxFile))
			r.Close()
			if err == nil {
				f(e.Name, b)
			}
		}
		return nil
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	var r io.Reader
	switch path.Ext(file) {
	case ".gz", ".tgz":
		if r, err = gzip.NewReader(in); err != nil {
			return err
		}
	case ".bz2":
		r = bzip2.NewReader(in)
	default:
		tool := "xz"
		if strings.HasSuffix(file, ".zst") {
			tool = "zstd"
		}
		cmd := exec.Command(tool, "-dc")
		cmd.Stdin = in
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
		r = out
	}
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		// The first folder is the package itself.
		_, name, ok := strings.Cut(strings.TrimPrefix(h.Name, "./"), "/")
		if !ok {
			name = h.Name
		}
		if h.Typeflag != tar.TypeReg || h.Size > maxFile || !want(name) {
			continue
		}
		var b bytes.Buffer
		if _, err := io.Copy(&b, t); err != nil {
			return err
		}
		f(name, b.Bytes())
	}
}

// hash64 is FNV-1a, mixed.
func hash64[T ~string | ~[]byte](s T) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}
