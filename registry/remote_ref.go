package registry

import (
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"

	orasregistry "oras.land/oras-go/v2/registry"

	"github.com/pindex-dev/pindex/internal/fail"
)

// remoteRef is the address of a repository in a registry.
type remoteRef struct {
	orasregistry.Reference        // without tag or digest
	plain                  bool   // plain HTTP
	written                string // as the user wrote it
}

// IsRemote reports whether a store reference names a repository in a registry
// rather than a folder or a file: it has a scheme, or its first part looks like
// a host, which means that it holds a dot or a colon or is localhost. What
// exists on disk plays no part, because a commit may bring a folder of any
// name; ./ghcr.io/x is how such a folder is written.
func IsRemote(ref string) bool {
	if strings.Contains(ref, "://") {
		return true
	}
	host, rest, ok := strings.Cut(ref, "/")
	if !ok || rest == "" || host == "" || host[0] == '.' || host == "~" {
		return false
	}
	if len(host) == 2 && host[1] == ':' && os.PathSeparator == '\\' {
		return false // C:/folder
	}
	return host == "localhost" || strings.ContainsAny(host, ".:")
}

// parseRemote reads [http://|https://]host[:port]/repository. Plain HTTP is for
// loopback hosts that are written without a scheme, for http://, and where
// allowPlain says so.
func parseRemote(written string, allowPlain bool) (remoteRef, error) {
	const form = "write it as host/repository, such as ghcr.io/owner/repository/pindex"
	bad := func(remedy, format string, args ...any) (remoteRef, error) {
		return remoteRef{}, fail.New(fail.Usage, remedy, format, args...)
	}
	rest, scheme := written, ""
	if before, after, ok := strings.Cut(written, "://"); ok {
		rest, scheme = after, strings.ToLower(before)
	}
	if host, _, _ := strings.Cut(rest, "/"); strings.Contains(host, "@") {
		// The text is not repeated: it may hold a password.
		return bad("set PINDEX_REGISTRY_USERNAME and PINDEX_REGISTRY_PASSWORD instead", "the store's address has a user in it")
	}
	if scheme != "" && scheme != "http" && scheme != "https" {
		return bad(form, "%.200q has a scheme that no registry speaks", written)
	}
	rest = strings.TrimSuffix(rest, "/")
	if repository, ok := afterHost(rest); ok && repository != strings.ToLower(repository) {
		return bad("write it in lower case, as registries want it", "%.200q has upper-case letters", written)
	}
	ref, err := orasregistry.ParseReference(rest)
	if err != nil {
		return remoteRef{}, fail.Wrap(fail.Usage, err, form, "%.200q is no repository in a registry", written)
	}
	if ref.Reference != "" {
		return bad("leave the tag or digest out: pindex finds the commit's tag itself", "%.200q names one artifact, not a store", written)
	}
	out := remoteRef{Reference: ref, written: written}
	switch {
	case scheme == "http":
		out.plain = true
	case scheme == "":
		out.plain = allowPlain || isLoopback(ref.Host())
	}
	if u, err := url.Parse(out.base()); err != nil || u.Hostname() == "" || u.Host != ref.Host() || strings.HasSuffix(u.Host, ":") {
		return bad(form, "%.200q has no host", written)
	}
	return out, nil
}

// RemoteHost returns the host[:port] of a reference to a registry, "" of any
// other.
func RemoteHost(ref string) string {
	if !IsRemote(ref) {
		return ""
	}
	r, err := parseRemote(ref, false)
	if err != nil {
		return ""
	}
	return r.Host()
}

func afterHost(s string) (string, bool) {
	_, repository, ok := strings.Cut(s, "/")
	return repository, ok
}

// isLoopback reports whether a host[:port] is this machine by its name or
// address alone; nothing is looked up.
func isLoopback(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// base returns scheme://host/v2/repository.
func (r remoteRef) base() string {
	scheme := "https"
	if r.plain {
		scheme = "http"
	}
	return scheme + "://" + r.Host() + "/v2/" + r.Repository
}

// mirror returns the address of the same repository at a mirror, written as
// host[:port] or, when its repository has another name, host[:port]/repository.
func (r remoteRef) mirror(written string, allowPlain bool) (remoteRef, error) {
	scheme, rest, ok := strings.Cut(written, "://")
	if !ok {
		scheme, rest = "", written
	} else {
		scheme += "://"
	}
	rest = strings.TrimSuffix(rest, "/")
	if !strings.Contains(rest, "/") {
		rest += "/" + r.Repository
	}
	return parseRemote(scheme+rest, allowPlain)
}
