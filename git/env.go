package git

import (
	"os"
	"runtime"
	"strings"
)

// The git program runs with an environment of its own making: what it needs
// to start and to find the user's configuration (safe.directory stands
// there), and nothing else. No token, no askpass helper, no tracing, no
// pager, no setting that changes which objects an id names.
var keptEnv = []string{
	"PATH", "HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME", "TMPDIR", "TMP", "TEMP",
	"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "NIX_LD", "NIX_LD_LIBRARY_PATH",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME",
	"HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "MSYSTEM",
	"SUDO_UID", // git counts it as an owner where root runs it
	"GIT_EXEC_PATH", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL",
	"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
	"GIT_TEST_ASSUME_DIFFERENT_OWNER", // only ever makes git refuse
}

// locatingEnv says where the repository is. Git sets these for its hooks and
// aliases. They count where the caller named no folder, and only there.
var locatingEnv = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
}

// programEnv returns the environment of the git program: the kept variables
// of environ, the locating ones too if locate is set, and the fixed ones.
func programEnv(environ []string, locate bool) []string {
	var env []string
	for _, kv := range environ {
		k, _, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" {
			k = strings.ToUpper(k)
		}
		if contains(keptEnv, k) || locate && contains(locatingEnv, k) ||
			strings.HasPrefix(k, "GIT_CONFIG_KEY_") || strings.HasPrefix(k, "GIT_CONFIG_VALUE_") {
			env = append(env, kv)
		}
	}
	return append(env,
		"LC_ALL=C", // messages are read by this package
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_GRAFT_FILE="+os.DevNull,
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none", // no transport has that name, so all are refused
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_PAGER=cat",
		"GIT_TRACE2=0", "GIT_TRACE2_EVENT=0", "GIT_TRACE2_PERF=0",
	)
}

// programConfig overrides, for every call of the git program, settings that
// could start another program or write to the repository.
var programConfig = []string{
	"-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.fsmonitor=false",
	"-c", "core.untrackedCache=false",
	"-c", "core.pager=cat",
	"-c", "core.askPass=",
	"-c", "credential.helper=",
	"-c", "protocol.allow=never",
	"-c", "core.alternateRefsCommand=",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
	// Small windows on packs: on a large repository git otherwise maps and
	// keeps three times the memory and reads no faster, because blobs are
	// asked for once.
	"-c", "core.packedGitLimit=16m",
	"-c", "core.packedGitWindowSize=1m",
	"-c", "core.deltaBaseCacheLimit=8m",
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}
