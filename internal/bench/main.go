// Command bench measures pindex on real repositories. Its figures go into
// docs/BENCHMARKS.md together with the command that made them.
//
//	go run ./internal/bench cost -- COMMAND [ARG ...]
//	    processor time, wall time and memory of a command with all its children
//	go run ./internal/bench compile [-peer PROGRAM] REPO ...
//	    a full compile of each repository into an empty store and cache, and the peer's build beside it
//	go run ./internal/bench sizes STORE REPO
//	    bytes of each view as they travel against the text under the same compressor
//	go run ./internal/bench latency [-queries FILE] [-n RUNS] REPO
//	    process start to first answer, and warm queries in one process
//	go run ./internal/bench mcp [-starts 20] [-n 100] REPO
//	    the MCP server: handshake, first answer, then latency and tokens of each tool, and memory
//	go run ./internal/bench registry [-delay 50ms] [-n RUNS] REPO
//	    pushes and pulls through a registry on the loopback interface: bytes and requests
//	go run ./internal/bench delta [-n 10] [-edits [-every 1]] [-remote 20ms] [-allow-missing] [-seed 1] REPO ...
//	    first-parent transitions, or one-line edits of HEAD, compiled on top of their parents and from nothing;
//	    digests, facts and answers compared when both have been measured
//
// It needs Linux (/proc) and bin/pindex; PINDEX names another binary.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("say what to measure: cost, compile, sizes, latency, mcp, delta or registry")
	}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	switch args[0] {
	case "cost":
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if fs.NArg() == 0 {
			return errors.New("cost needs a command")
		}
		u, err := measure("", fs.Args())
		if err != nil {
			return err
		}
		fmt.Println(u)
		return nil
	case "compile":
		peer := fs.String("peer", "", "CodeGraph's `command`, or another whose 'init' builds its own index of a working tree")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		return benchCompile(*peer, fs.Args())
	case "sizes":
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if fs.NArg() != 2 {
			return errors.New("sizes needs a store and a repository")
		}
		return benchSizes(fs.Arg(0), fs.Arg(1))
	case "latency":
		queries := fs.String("queries", "", "a file of JSON lines as for 'pindex search --batch' (default: made from the repository's symbols)")
		runs := fs.Int("n", 20, "process starts")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if fs.NArg() != 1 {
			return errors.New("latency needs one repository")
		}
		return benchLatency(fs.Arg(0), *queries, *runs)
	case "delta":
		n := fs.Int("n", 10, "transitions")
		edits := fs.Bool("edits", false, "edit one random line of HEAD's source instead of following history")
		seed := fs.Uint64("seed", 1, "of the edits and of what is asked again")
		remote := fs.Duration("remote", 0, "embed by a local server that takes this long for a text")
		every := fs.Int("every", 1, "edits that share one compile from nothing")
		lacks := fs.Bool("allow-missing", false, "compile partial clones without the files that they lack")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		return benchDelta(fs.Args(), deltaOptions{n: *n, edits: *edits, seed: *seed, remote: *remote, lacks: *lacks, every: *every})
	case "mcp":
		starts := fs.Int("starts", 20, "servers started")
		n := fs.Int("n", 100, "calls of each tool")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if fs.NArg() != 1 {
			return errors.New("mcp needs one repository")
		}
		return benchMCP(fs.Arg(0), max(1, *starts), max(1, *n))
	case "registry":
		delay := fs.Duration("delay", 0, "added to each request")
		runs := fs.Int("n", 3, "pulls into an empty cache")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if fs.NArg() != 1 {
			return errors.New("registry needs one repository")
		}
		return benchRegistry(fs.Arg(0), *delay, max(1, *runs))
	}
	return fmt.Errorf("unknown measurement %q", args[0])
}

// program is the pindex binary to measure.
func program() string {
	if p := os.Getenv("PINDEX"); p != "" {
		return p
	}
	return "bin/pindex"
}
