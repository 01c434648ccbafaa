package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pindex-dev/pindex/internal/peers"
)

// benchCompile compiles each repository into an empty store with an empty
// cache, and lets a peer index a fresh clone of the same commit right after.
func benchCompile(peer string, repos []string) error {
	exe, err := filepath.Abs(program())
	if err != nil {
		return err
	}
	fmt.Println("| repository | program | user s | sys s | wall s | peak tree RSS MB | index MB |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, repo := range repos {
		if err := oneCompile(exe, repo); err != nil {
			return err
		}
		if peer != "" {
			if err := onePeer(peer, repo); err != nil {
				return err
			}
		}
	}
	return nil
}

func row(repo, program string, u usage, size int64) {
	fmt.Printf("| %s | %s | %.2f | %.2f | %.2f | %.0f | %.1f |\n", filepath.Base(repo), program,
		u.user.Seconds(), u.sys.Seconds(), u.wall.Seconds(), float64(u.peakTree)/1e6, float64(size)/1e6)
}

func oneCompile(exe, repo string) error {
	tmp, err := os.MkdirTemp("", "pindex-bench-")
	if err != nil {
		return err
	}
	defer removeAll(tmp)
	store := filepath.Join(tmp, "store")
	if err := os.Setenv("PINDEX_CACHE_DIR", filepath.Join(tmp, "cache")); err != nil {
		return err
	}
	u, err := measure("", []string{exe, "compile", "--repo", repo, "--store", store, "--quiet"})
	if err != nil {
		return err
	}
	if u.exit != 0 {
		return fmt.Errorf("compile of %s ended with %d", repo, u.exit)
	}
	size, err := diskUse(store)
	if err != nil {
		return err
	}
	row(repo, "pindex", u, size)
	return nil
}

func onePeer(peer, repo string) error {
	tmp, err := os.MkdirTemp("", "pindex-bench-peer-")
	if err != nil {
		return err
	}
	defer removeAll(tmp)
	work := filepath.Join(tmp, "work")
	if out, err := exec.Command("git", "clone", "-q", "--shared", repo, work).CombinedOutput(); err != nil {
		return fmt.Errorf("clone of %s: %w\n%s", repo, err, out)
	}
	before, err := diskUse(work)
	if err != nil {
		return err
	}
	u, err := measure(work, peers.CodeGraph{Program: peer}.Index())
	if err != nil {
		return err
	}
	after, err := diskUse(work)
	if err != nil {
		return err
	}
	row(repo, filepath.Base(peer), u, after-before)
	return nil
}

// diskUse sums the sizes of the files below a folder, in bytes.
func diskUse(dir string) (int64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			n += fi.Size()
		}
		return err
	})
	return n, err
}

// removeAll removes a temporary folder, read-only files and all.
func removeAll(dir string) {
	filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(p, 0o700)
		}
		return nil
	})
	os.RemoveAll(dir)
}
