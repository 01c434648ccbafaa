package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The evaluated repositories must not be trained on, nor their forks and
// copies. Three sieves keep them out: the names of packages, the names of
// folders and files on the way to a file, and hashes of what the repositories
// hold, as far as they are at hand.

// names is the sieve by name.
type names struct{ exact map[string]bool }

// generic are the evaluated repositories whose name is also a common folder;
// their owner's name stands for them.
var generic = map[string]string{"json": "nlohmann", "framework": "laravel", "zig": "ziglang", "mini.nvim": "mini"}

// alsoCalled are other names of what those repositories publish.
var alsoCalled = []string{
	"absl", "abseil", "illuminate", "rack-protection", "mustermann", "sinatra-contrib", "activerecord", "activesupport",
	"activemodel", "actionpack", "actionview", "actionmailer", "activejob", "actioncable", "activestorage", "railties",
	"reduxjs", "jackson", "fasterxml", "commons-lang3", "lang3", "exposed-core", "libuv", "libcurl", "pandoc-types", "clap-zig", "uv", "nlohmann",
	"potion", "newtonsoft", "messagepack-csharp", "hiredis", "sklearn", "flask", "werkzeug-flask", "nvim-telescope", "lazy",
}

// families are packages whose name begins so, of the same repositories.
var families = regexp.MustCompile(`^(tokio|serde|axum|nu|vitest|redux|trpc|ktor|exposed|kotlinx-coroutines|circe|http4s|cats-(core|kernel|free|laws|testkit|alleycats)|gin|chi|cobra|phoenix|ecto|plug|litestream|zoekt|pebble|bbolt|bleve|caddy|restic|typeorm|zod|hono|starlette|fastapi|flask|pydantic|sphinx|pylint|pytest|django)([-_.@/]|$)`)

func readNames(file string) (*names, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	n := &names{exact: map[string]bool{}}
	for _, l := range strings.Fields(strings.ToLower(string(b))) {
		_, name, _ := strings.Cut(l, "/")
		if other := generic[name]; other != "" {
			name = other
		}
		n.exact[name] = true
	}
	for _, a := range alsoCalled {
		n.exact[a] = true
	}
	return n, nil
}

var (
	versionTail = regexp.MustCompile(`(@.*|[-_.]v?[0-9][0-9a-z.+~]*)$`)
	ecosystem   = regexp.MustCompile(`^(lib|ruby-|haskell-|python-|php-|node-|lua-|erlang-|elixir-|go-)`)
)

// pack reports whether a package is one of the evaluated ones, by its name.
func (n *names) pack(name string) bool {
	for _, part := range strings.Split(strings.ToLower(name), "/") {
		if n.part(part) || families.MatchString(part) || families.MatchString(ecosystem.ReplaceAllString(part, "")) {
			return true
		}
	}
	return false
}

func (n *names) part(c string) bool {
	c = strings.TrimSuffix(versionTail.ReplaceAllString(strings.ToLower(c), ""), ".js")
	return n.exact[c] || n.exact[strings.TrimRight(c, "0123456789")] || n.exact[strings.ReplaceAll(c, "_", "-")] || n.exact[ecosystem.ReplaceAllString(c, "")]
}

// file reports whether a path leads through a folder, or to a file, that is
// called like an evaluated repository.
func (n *names) file(p string) bool {
	for c := range strings.SplitSeq(path.Dir(p), "/") {
		if n.part(c) {
			return true
		}
	}
	base := strings.ToLower(path.Base(p))
	stem, _, _ := strings.Cut(base, ".")
	return base == "json.hpp" || len(stem) > 4 && n.exact[stem]
}

// shingles is the sieve by content: hashes of runs of four lines.
type shingles map[uint64]struct{}

const shingleLines = 4

// eachShingle calls f with the hash of every run of four lines of a text,
// white space and nearly empty lines left out.
func eachShingle(text []byte, f func(uint64)) {
	var last [shingleLines]uint64
	n := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		kept := strings.Join(strings.Fields(line), "")
		if len(kept) < 4 {
			continue
		}
		copy(last[:], last[1:])
		last[shingleLines-1] = hash64(kept)
		if n++; n < shingleLines {
			continue
		}
		var b [8 * shingleLines]byte
		for i, v := range last {
			binary.LittleEndian.PutUint64(b[8*i:], v)
		}
		f(hash64(b[:]))
	}
}

// holds reports whether a quarter of a text's runs stand in an evaluated
// repository.
func (s shingles) holds(text []byte) bool {
	all, in := 0, 0
	eachShingle(text, func(h uint64) {
		all++
		if _, ok := s[h]; ok {
			in++
		}
	})
	return in > 0 && in*4 >= all
}

func readShingles(file string) (shingles, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := make(shingles, len(b)/8)
	for ; len(b) >= 8; b = b[8:] {
		s[binary.LittleEndian.Uint64(b)] = struct{}{}
	}
	return s, nil
}

// exclude writes the hashes of what the evaluated repositories hold.
func exclude(args []string) error {
	f := flag.NewFlagSet("exclude", flag.ContinueOnError)
	mirrors := f.String("mirrors", "", "`folder` of bare repositories, owner+name/repo")
	eval := f.String("eval", "", "`folder` of the evaluation data")
	rest, err := parseFlags(f, args, 1)
	if err != nil {
		return err
	}
	commits, err := evaluatedCommits(*eval)
	if err != nil {
		return err
	}
	set := shingles{}
	var all []string
	for repo := range commits {
		all = append(all, repo)
	}
	slices.Sort(all)
	for _, repo := range all {
		dir := filepath.Join(*mirrors, strings.Replace(repo, "/", "+", 1), "repo")
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			fmt.Println("not at hand:", repo)
			continue
		}
		before, seen := len(set), map[string]bool{}
		for _, c := range commits[repo] {
			if err := eachBlob(dir, c, "", seen, func(_ string, b []byte) {
				if len(b) < 2<<20 {
					eachShingle(b, func(h uint64) { set[h] = struct{}{} })
				}
			}); err != nil {
				fmt.Println(repo, c, err)
			}
		}
		fmt.Println(repo, len(commits[repo]), "commits,", len(seen), "files,", len(set)-before, "hashes")
	}
	out := make([]byte, 0, 8*len(set))
	keys := make([]uint64, 0, len(set))
	for h := range set {
		keys = append(keys, h)
	}
	slices.Sort(keys)
	for _, h := range keys {
		out = binary.LittleEndian.AppendUint64(out, h)
	}
	return os.WriteFile(filepath.Join(rest[0], "exclude.bin"), out, 0o644)
}

// evaluatedCommits returns some commits of each evaluated repository: those of
// the search set, up to four of the localisation set, and HEAD of any other.
func evaluatedCommits(eval string) (map[string][]string, error) {
	out := map[string][]string{}
	b, err := os.ReadFile(filepath.Join(eval, "exclude.txt"))
	if err != nil {
		return nil, err
	}
	for _, r := range strings.Fields(string(b)) {
		out[r] = []string{"HEAD"}
	}
	var specs []repoSpec
	if err := readJSON(filepath.Join(eval, "semble/repos.json"), &specs); err != nil {
		return nil, err
	}
	for _, s := range specs {
		out[s.Repository] = append(out[s.Repository], s.Revision)
	}
	in, err := os.Open(filepath.Join(eval, "loc/instances.jsonl"))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	by := map[string][]string{}
	for d := json.NewDecoder(in); ; {
		var x instance
		if err := d.Decode(&x); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		by[x.Mirror] = append(by[x.Mirror], x.Base)
	}
	for r, cs := range by {
		for i := range min(4, len(cs)) {
			out[r] = append(out[r], cs[i*len(cs)/min(4, len(cs))])
		}
	}
	return out, nil
}

func readJSON(file string, v any) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// eachBlob calls f for every file of a commit under root whose blob is not in
// seen yet.
func eachBlob(repo, commit, root string, seen map[string]bool, f func(name string, b []byte)) error {
	cmd := exec.Command("git", "-C", repo, "ls-tree", "-r", "-z", commit)
	if root != "" {
		cmd.Args = append(cmd.Args, "--", root)
	}
	list, err := cmd.Output()
	if err != nil {
		return err
	}
	var names, ids []string
	for l := range strings.SplitSeq(string(list), "\x00") {
		head, name, ok := strings.Cut(l, "\t")
		if p := strings.Fields(head); ok && p[1] == "blob" && !seen[p[2]] && p[0] != "120000" {
			seen[p[2]] = true
			names, ids = append(names, name), append(ids, p[2])
		}
	}
	cat := exec.Command("git", "-C", repo, "cat-file", "--batch")
	cat.Stdin = strings.NewReader(strings.Join(ids, "\n") + "\n")
	pipe, err := cat.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cat.Start(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(pipe, 1<<20)
	for _, name := range names {
		head, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		p := strings.Fields(head)
		if len(p) < 3 {
			continue // missing
		}
		n, err := strconv.Atoi(p[2])
		if err != nil {
			return err
		}
		b := make([]byte, n+1)
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		f(name, b[:n])
	}
	return cat.Wait()
}
