package git

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/gitobj"
)

// deepenTime bounds a whole Deepen: what it finds out saves work and is not
// worth waiting for any longer.
const deepenTime = time.Minute

// deepenEnv is what the git program needs beyond keptEnv to reach a remote.
var deepenEnv = []string{
	"SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
}

// Deepen finds out what a shallow clone does not know: the first-parent
// ancestors of a commit at which its history ends. It asks the clone's remote
// "origin" for that commit's history to the first of the given depths, then to
// the next, and hands the ancestors, nearest first, to look, until that returns
// true or an error or nothing new came. It never asks for more than the last
// depth says.
//
// The clone stays as it is: the history comes into a temporary folder, without
// trees and blobs where the remote can leave them out. It is read with the
// clone's own configuration, so with the credentials that `git fetch` there
// would have. Errors are *fail.Error with code fail.Repository, and none is a
// reason to build nothing.
func Deepen(ctx context.Context, repo Repository, from gitobj.ID, depths []int, look func(ancestors []string) (bool, error)) (err error) {
	failed := func(err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fail.Wrap(fail.Repository, err, "fetch more of the history: git fetch --deepen=32", "origin could not be asked for the history of %s", from)
	}
	exe, err := findGit("")
	if err != nil {
		return failed(err)
	}
	dir, err := os.MkdirTemp("", "pindex-git-*")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	limited, cancel := context.WithTimeout(ctx, deepenTime)
	defer cancel()
	l := launcher{exe: exe, dir: dir, args: []string{"-c", "init.defaultBranch=none"}, env: remoteEnv(os.Environ())}
	if _, _, err := l.run(limited, nil, "init", "-q", "--bare", "--template=", "--object-format="+repo.Format().String(), dir); err != nil {
		return failed(err)
	}
	l.args = []string{
		"-c", "include.path=" + filepath.Join(repo.Dir(), "config"),
		"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.askPass=", "-c", "core.bare=true",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "fetch.writeCommitGraph=false", "-c", "submodule.recurse=false",
		"-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=20",
		"--git-dir=" + dir,
	}
	known := 0
	for _, depth := range depths {
		if _, _, err := l.run(limited, nil, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
			"--refmap=", "--filter=tree:0", "--depth="+strconv.Itoa(depth), "origin", from.String()); err != nil {
			return failed(err)
		}
		out, _, err := l.run(limited, nil, "rev-list", "--first-parent", "--max-count="+strconv.Itoa(depth), from.String())
		if err != nil {
			return failed(err)
		}
		list := strings.Fields(string(out))
		if len(list) == 0 || list[0] != from.String() || len(list)-1 <= known {
			return nil
		}
		fresh := list[1+known:]
		known = len(list) - 1
		if done, err := look(fresh); done || err != nil {
			return err
		}
	}
	return nil
}

// remoteEnv is programEnv for a program that may reach a remote.
func remoteEnv(environ []string) []string {
	env := setenv(programEnv(environ, false), "GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh")
	env = append(env, "GCM_INTERACTIVE=never")
	for _, kv := range environ {
		k, _, _ := strings.Cut(kv, "=")
		if contains(deepenEnv, k) || runtime.GOOS == "windows" && contains(deepenEnv, strings.ToUpper(k)) {
			env = append(env, kv)
		}
	}
	return env
}
