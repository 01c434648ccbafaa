package main

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"strings"
)

// synthesize makes a bare repository of one commit with the given number of
// files. They are the files of other repositories' heads, over and over, each
// time under another folder and with other identifiers, so that no two copies
// share a blob and each brings words of its own.
func synthesize(out string, files int, repos []string) error {
	if _, err := os.Stat(out); err == nil {
		return fmt.Errorf("%s exists", out)
	}
	if b, err := exec.Command("git", "init", "--quiet", "--bare", "--initial-branch=main", out).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %s", err, b)
	}
	cmd := exec.Command("git", "-C", out, "fast-import", "--quiet")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriterSize(in, 1<<20)
	fmt.Fprint(w, "commit refs/heads/main\ncommitter synthesize <synthesize@example.org> 1700000000 +0000\ndata 9\nsynthetic\n")
	left := files
	for n := 0; left > 0; n++ {
		before := left
		for _, repo := range repos {
			if left, err = copyInto(w, repo, n, left); err != nil {
				return err
			}
		}
		if left == before {
			return fmt.Errorf("%v have no files", repos)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("git fast-import: %w", err)
	}
	fmt.Printf("%s: %d files\n", out, files)
	return nil
}

// copyInto writes the nth copy of a repository's files, at most left of them,
// and returns how many are left.
func copyInto(w *bufio.Writer, repo string, n, left int) (int, error) {
	list, err := exec.Command("git", "-C", repo, "ls-tree", "-r", "-z", "HEAD").Output()
	if err != nil {
		return 0, fmt.Errorf("%s: git ls-tree: %w", repo, err)
	}
	var ids bytes.Buffer
	var paths []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		head, path, _ := strings.Cut(entry, "\t")
		f := strings.Fields(head)
		if len(f) == 3 && f[1] == "blob" && f[0] != "120000" && !strings.ContainsAny(path, "\"\n") {
			paths = append(paths, path)
			ids.WriteString(f[2] + "\n")
		}
	}
	cmd := exec.Command("git", "-C", repo, "cat-file", "--batch")
	cmd.Env = append(os.Environ(), "GIT_NO_LAZY_FETCH=1")
	cmd.Stdin = &ids
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = cmd.Process.Kill() // what is left unread is not wanted
		_ = cmd.Wait()
	}()
	r := bufio.NewReaderSize(pipe, 1<<20)
	for _, path := range paths {
		if left == 0 {
			break
		}
		line, err := r.ReadString('\n')
		if err != nil {
			return 0, fmt.Errorf("%s: git cat-file: %w", repo, err)
		}
		var id, kind string
		var size int
		if _, err := fmt.Sscan(line, &id, &kind, &size); err != nil || kind != "blob" {
			continue // a clone without this blob
		}
		b := make([]byte, size+1)
		if _, err := io.ReadFull(r, b); err != nil {
			return 0, err
		}
		b = rename(b[:size], n)
		fmt.Fprintf(w, "M 100644 inline %03d/%s/%s\ndata %d\n", n, name(repo), path, len(b))
		if _, err := w.Write(append(b, '\n')); err != nil {
			return 0, err
		}
		left--
	}
	return left, nil
}

// rename gives a third of the longer words of a text another ending, the same
// one everywhere in the nth copy. Short words stay, and with them what
// languages reserve.
func rename(b []byte, n int) []byte {
	if bytes.IndexByte(b, 0) >= 0 {
		return append(b, byte(n)) // no text
	}
	ending := []byte{'q', byte('a' + n/26%26), byte('a' + n%26)}
	out := make([]byte, 0, len(b)+len(b)/16)
	for i := 0; i < len(b); {
		j := i
		for j < len(b) && (b[j] == '_' || 'a' <= b[j]|0x20 && b[j]|0x20 <= 'z') {
			j++
		}
		if j == i {
			out = append(out, b[i])
			i++
			continue
		}
		out = append(out, b[i:j]...)
		h := fnv.New32a()
		_, _ = h.Write(b[i:j]) // it has no errors
		if j-i >= 9 && h.Sum32()%3 == 0 {
			out = append(out, ending...)
		}
		i = j
	}
	return append(out, fmt.Sprintf("\n# copy %d\n", n)...)
}
