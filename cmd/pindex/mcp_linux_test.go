package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A peer that goes away in the middle of the first compile leaves no process
// behind, nor does one that never reads.
func TestMCPLeavesNoProcess(t *testing.T) {
	files := map[string]string{}
	for i := range 400 {
		var b strings.Builder
		for k := range 40 {
			fmt.Fprintf(&b, "def f_%d_%d(a, b):\n    return a + b * %d\n\n", i, k, k)
		}
		files[fmt.Sprintf("d%d/f%d.py", i%7, i)] = b.String()
	}
	dir := mcpRepo(t, files)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	for _, c := range []struct {
		name  string
		reads bool
		after int // child processes that are waited for before the peer goes
	}{{"at once", true, 0}, {"while it compiles", true, 1}, {"and has not read", false, 1}} {
		cmd := mcpProgram(t, dir)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(in, hello); err != nil {
			t.Fatal(err)
		}
		if c.reads {
			go io.Copy(io.Discard, out)
		}
		children := map[int]bool{}
		for len(children) < c.after {
			for _, pid := range childrenOf(cmd.Process.Pid) {
				children[pid] = true
			}
			if !alive(cmd.Process.Pid) {
				t.Fatalf("%s: the program has ended", c.name)
			}
		}
		in.Close()
		out.Close()
		if err := cmd.Wait(); err != nil {
			t.Logf("%s: %v", c.name, err) // its answers had nowhere to go
		}
		for pid := range children {
			for i := 0; alive(pid); i++ {
				if i > 2000 {
					t.Fatalf("%s: process %d goes on after its server", c.name, pid)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
	}
}

// childrenOf lists the processes that a process has started.
func childrenOf(pid int) (out []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if len(f) > 1 && f[1] == strconv.Itoa(pid) {
			if n, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// alive reports whether a process runs, and is no zombie.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	return len(f) > 0 && f[0] != "Z"
}
