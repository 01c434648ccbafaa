package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/pindex-dev/pindex/internal/fail"
)

// explain turns what went wrong with a request into an error that says what to
// do. Absence becomes ErrNotFound, errors that are explained already and a
// cancelled context stay what they are. doing names the action, such as
// "reading tag x".
func (e *endpoint) explain(ctx context.Context, err error, doing string) error {
	var known *fail.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, ErrNotFound) {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var answer *errcode.ErrorResponse
	if errors.As(err, &answer) {
		return e.explainStatus(answer, doing)
	}
	if errors.Is(err, auth.ErrBasicCredentialNotFound) {
		return e.network(errors.New("it wants credentials and there are none"), e.loginRemedy(), doing)
	}
	remedy := "check the address and the network, and run the command again"
	switch text := err.Error(); {
	case errors.Is(err, errStalled):
		remedy = "run the command again, or read from a mirror (PINDEX_REGISTRY_MIRRORS)"
	case strings.Contains(text, plainToTLS):
		remedy = fmt.Sprintf("if %s speaks plain HTTP, write http://%s/%s", e.ref.Host(), e.ref.Host(), e.ref.Repository)
	case strings.Contains(text, "x509: ") || strings.Contains(text, "tls: "):
		remedy = "check the address, and that this machine trusts the registry's certificate (SSL_CERT_FILE)"
	case strings.Contains(text, "redirect"):
		remedy = "the registry is not set up as a client can use it safely; name another one with --store"
	}
	return e.network(safeError(err), remedy, doing)
}

// network is the error of a registry that did not do its part.
func (e *endpoint) network(err error, remedy, doing string) error {
	return fail.Wrap(fail.Network, err, remedy, "%s in %s failed", doing, e.ref.written)
}

// explainStatus explains an answer that is an error.
func (e *endpoint) explainStatus(a *errcode.ErrorResponse, doing string) error {
	source, problem := e.keys.used()
	remedy := "run the command again later; if it goes on, ask who runs the registry"
	switch a.StatusCode {
	case http.StatusNotFound:
		if a.Method == http.MethodGet || a.Method == http.MethodHead {
			return fmt.Errorf("%s: %w: %s", doing, ErrNotFound, e.ref.written)
		}
		remedy = "check the repository's name; some registries want it to be created first"
	case http.StatusUnauthorized:
		remedy = e.loginRemedy()
		if source != "" {
			remedy = fmt.Sprintf("the credentials from %s were refused; renew them, or %s", source, remedy)
		}
	case http.StatusForbidden:
		remedy = e.loginRemedy()
		if source != "" {
			right := "read"
			if strings.HasPrefix(doing, "writing") || strings.HasPrefix(doing, "removing") {
				right = "write to"
			}
			remedy = fmt.Sprintf("the credentials from %s are known but may not %s this repository; give them that right, or %s", source, right, remedy)
			if e.ref.Host() == gitHubRegistry {
				remedy += "; a workflow's token needs permissions: packages: read, or write to publish, and the package must grant the repository access"
			}
		}
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		remedy = "the registry does not offer this; use its own interface, or name another one with --store"
	case http.StatusTooManyRequests:
		remedy = "wait, log in (many registries allow more then), or read from a mirror (PINDEX_REGISTRY_MIRRORS)"
	case http.StatusRequestEntityTooLarge:
		remedy = "the registry, or a proxy before it, limits how large a blob is; raise that limit"
	}
	var err error = errors.New(statusText(a))
	if problem != nil && (a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusForbidden) {
		err = fmt.Errorf("%w; %v", err, problem)
	}
	return e.network(err, remedy, doing)
}

// statusText says what a registry answered, without the address, whose query
// may hold a signature, and without much of its own words.
func statusText(a *errcode.ErrorResponse) string {
	s := fmt.Sprintf("status %d", a.StatusCode)
	if t := http.StatusText(a.StatusCode); t != "" {
		s += " " + t
	}
	if a.URL != nil {
		s += " from " + a.URL.Host
	}
	for i, e := range a.Errors {
		if i == 3 {
			break
		}
		s += fmt.Sprintf(": %.60s %.200s", e.Code, e.Message)
	}
	return s
}

// safeError drops addresses from an error of net/http.
func safeError(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// loginRemedy says how to bring credentials.
func (e *endpoint) loginRemedy() string {
	host := e.ref.Host()
	s := fmt.Sprintf("log in with 'docker login %s', or set PINDEX_REGISTRY_USERNAME and PINDEX_REGISTRY_PASSWORD", host)
	if host == gitHubRegistry {
		s += ", or GITHUB_TOKEN"
	}
	return s
}

// damaged is the error of content that is not what its descriptor says.
func (e *endpoint) damaged(d ocispec.Descriptor, err error) error {
	return fail.Wrap(fail.Verification, err,
		"run the command again; if it goes on, write the index again with pindex compile --replace",
		"blob %.100s from %s is damaged", d.Digest, e.ref.written)
}

// MissingError means that a registry refused a manifest because it lacks blobs
// that were taken to be there: a parent's artifact named them, or the registry
// itself said so. Pushing them again, or everything when Digests is empty,
// mends it.
type MissingError struct{ Digests []string }

func (e *MissingError) Error() string {
	if len(e.Digests) == 0 {
		return "the registry lacks blobs of the index"
	}
	return fmt.Sprintf("the registry lacks %d blobs of the index, such as %s", len(e.Digests), e.Digests[0])
}

// missingBlobs reads a registry's refusal of a manifest. ok is false when it
// was refused for another reason.
func missingBlobs(a *errcode.ErrorResponse) (m *MissingError, ok bool) {
	m = new(MissingError)
	for _, e := range a.Errors {
		if e.Code != errcode.ErrorCodeManifestBlobUnknown && e.Code != errcode.ErrorCodeBlobUnknown {
			continue
		}
		ok = true
		if detail, isMap := e.Detail.(map[string]any); isMap {
			for k, v := range detail {
				if digest, isString := v.(string); isString && strings.EqualFold(k, "digest") {
					m.Digests = append(m.Digests, digest)
				}
			}
		}
	}
	return m, ok
}
