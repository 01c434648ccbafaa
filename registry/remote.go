package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/pindex-dev/pindex/internal/fail"
)

// RemoteOptions say how a registry is spoken to. The zero value is anonymous,
// reads nothing from the environment and is what a test wants; RemoteFromEnv
// is what a program wants.
type RemoteOptions struct {
	// PlainHTTP speaks HTTP without TLS. Loopback hosts that are written
	// without a scheme are spoken to that way in any case.
	PlainHTTP bool
	// Mirrors are asked before the store, in order, for everything that is
	// read and is not about to be published. Each is host[:port], or
	// host[:port]/repository where the repository has another name there.
	Mirrors []string
	// Username and Password are for the store's own host, never a mirror's.
	Username, Password string
	// CredentialHost, when not empty, is the only host that Username and
	// Password are for.
	CredentialHost string
	// DockerConfig makes Docker's configuration and its credential helpers a
	// source of credentials, after Password.
	DockerConfig bool
	// GitHubToken is for ghcr.io alone, after the others.
	GitHubToken string
	// Concurrency is how many requests run at a time, 1 to 64; 0 means 8.
	Concurrency int
	// Attempts is how often a request is sent before it is given up, 1 to 20;
	// 0 means 5.
	Attempts int
	// StallTimeout is how long a connection may make no progress; 0 means 30
	// seconds. There is no limit on the whole of a transfer.
	StallTimeout time.Duration
	// UserAgent names the program; "" means pindex.
	UserAgent string

	sleep func(ctx context.Context, d time.Duration) error // tests set it
}

func (o *RemoteOptions) setDefaults() error {
	if o.Concurrency == 0 {
		o.Concurrency = 8
	}
	if o.Attempts == 0 {
		o.Attempts = 5
	}
	if o.StallTimeout == 0 {
		o.StallTimeout = 30 * time.Second
	}
	if o.UserAgent == "" {
		o.UserAgent = "pindex"
	}
	if o.sleep == nil {
		o.sleep = sleepContext
	}
	if o.Concurrency < 1 || o.Concurrency > 64 || o.Attempts < 1 || o.Attempts > 20 || o.StallTimeout < 0 {
		return fail.New(fail.Usage, "", "%d requests at a time, %d attempts or a stall timeout of %s is out of range", o.Concurrency, o.Attempts, o.StallTimeout)
	}
	return nil
}

// Remote is a Store in one repository of an OCI registry.
//
// # What is trusted
//
// Nothing that a registry says. Every blob and manifest is verified against the
// digest that was asked for, with a cap on its size, before a caller sees a
// byte; tags alone cannot be verified, and whoever asks for a commit has to
// check that the manifest is of that commit, as package fetch does. HEAD is
// believed only where the consequence shows: when it says that a blob need not
// be uploaded, and after it was caught right once.
//
// # Races
//
// Registries cannot compare and swap. A tag is read immediately before it is
// written, and publications of one Remote queue, but two processes that publish
// different indexes of one commit and profile at the same moment may both
// succeed; the later one stays. Equal indexes, which is what two builds of one
// commit are, cannot harm each other.
type Remote struct {
	sent                 atomic.Int64 // bytes uploaded
	mounts, mountedBytes atomic.Int64 // blobs that were mounted

	ref    remoteRef
	opt    RemoteOptions
	origin *endpoint
	reads  []*endpoint // mirrors, then the origin

	// writer is held by the one goroutine that reads tags in order to write
	// them.
	writer chan struct{}

	mu        sync.Mutex
	known     map[string]knowledge // by digest: blobs that need no upload
	noHead    bool                 // HEAD has lied, or is not answered
	headTried bool                 // HEAD was caught right once
	elsewhere map[string]string    // by digest: the repository that a blob can be mounted from
	refused   int                  // mounts that were refused, since one was not
	kept      map[string][]byte    // manifests, by digest
	keptOrder []string             // oldest first
	keptBytes int
}

// knowledge is why a blob is taken to be in the registry.
type knowledge int

const (
	assumed  knowledge = iota + 1 // a tagged artifact names it
	reported                      // HEAD said so
	mounted                       // the registry took it over from another repository
	uploaded                      // we did it
)

// keepManifests is how many bytes of OCI manifests are kept in memory, so that
// resolving a tag and reading what it holds is one request.
const keepManifests = 16 << 20

var _ Store = (*Remote)(nil)

// endpoint is one place where the repository can be read.
type endpoint struct {
	ref      remoteRef
	keys     *keyring
	client   *auth.Client
	attempts int
	sleep    func(ctx context.Context, d time.Duration) error
	noRange  atomic.Bool // it was caught giving no parts of blobs

	mu   sync.Mutex
	down bool // a mirror that failed is not asked again
}

// OpenRemote returns the store in the repository that ref names, as
// [https://|http://]host[:port]/repository. It sends nothing yet.
func OpenRemote(ref string, o RemoteOptions) (*Remote, error) {
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	parsed, err := parseRemote(ref, o.PlainHTTP)
	if err != nil {
		return nil, err
	}
	r := &Remote{
		ref: parsed, opt: o, writer: make(chan struct{}, 1),
		known: map[string]knowledge{}, kept: map[string][]byte{},
	}
	r.origin = r.endpoint(parsed, newTransport(&r.opt), true)
	// A mirror that is down must not cost much: the origin is next.
	mirrors := o
	mirrors.Attempts = min(2, o.Attempts)
	transport := newTransport(&mirrors)
	for _, m := range o.Mirrors {
		at, err := parsed.mirror(m, o.PlainHTTP)
		if err != nil {
			return nil, err
		}
		r.reads = append(r.reads, r.endpoint(at, transport, false))
	}
	r.reads = append(r.reads, r.origin)
	return r, nil
}

func (r *Remote) endpoint(ref remoteRef, transport http.RoundTripper, primary bool) *endpoint {
	keys := &keyring{host: ref.Host(), primary: primary, opt: &r.opt}
	client := &auth.Client{
		Client:     &http.Client{Transport: transport, CheckRedirect: checkRedirect},
		Header:     http.Header{"User-Agent": {r.opt.UserAgent}},
		Credential: keys.find,
		Cache:      auth.NewCache(),
		ClientID:   "pindex",
	}
	return &endpoint{ref: ref, keys: keys, client: client, attempts: r.opt.Attempts, sleep: r.opt.sleep}
}

// Name returns the address as it was written.
func (r *Remote) Name() string { return r.ref.written }

// Host returns the registry's host[:port].
func (r *Remote) Host() string { return r.ref.Host() }

// Identity tells apart who was given other credentials by RemoteOptions: it is
// the secret itself, or the place where Docker's are looked for when that was
// chosen, and "" where nothing was. It must be neither shown nor stored. No
// credential helper is asked, so that it costs nothing.
func (r *Remote) Identity() string {
	o := &r.opt
	host := r.Host()
	switch {
	case o.Password != "" && (o.CredentialHost == "" || o.CredentialHost == host):
		return "secret " + o.Password
	case IsGitHub(host) && o.GitHubToken != "":
		return "secret " + o.GitHubToken
	case o.DockerConfig:
		// The user's usual configuration is the user's. One that was chosen, and
		// may have a login for this host, is somebody's.
		dir := os.Getenv("DOCKER_CONFIG")
		if b, err := os.ReadFile(filepath.Join(dir, "config.json")); dir != "" && err == nil &&
			(bytes.Contains(b, []byte(host)) || bytes.Contains(b, []byte("credsStore"))) {
			return "docker " + dir
		}
	}
	return ""
}

// Credentials says where those came from that the last request was made with, ""
// for none, and what kept others away. It never says what they are.
func (r *Remote) Credentials() (source string, problem error) { return r.origin.keys.used() }

// Concurrency returns how many requests run at a time. Who has many blobs to
// push or fetch gets the most out of it with as many goroutines.
func (r *Remote) Concurrency() int { return r.opt.Concurrency }

// AbsentHint says what else an absent tag may mean.
func (r *Remote) AbsentHint() string {
	if source, _ := r.origin.keys.used(); source != "" {
		return fmt.Sprintf("if it should be there, check that the credentials from %s may read %s", source, r.ref.written)
	}
	return fmt.Sprintf("if %s is private, %s", r.ref.written, r.origin.loginRemedy())
}

// read asks the mirrors and then the origin. A mirror that lacks something
// costs a request; one that fails is not asked again.
func (r *Remote) read(ctx context.Context, ask func(*endpoint) error) error {
	for _, e := range r.reads[:len(r.reads)-1] {
		if e.isDown() {
			continue
		}
		err := ask(e)
		if err == nil || context.Cause(ctx) != nil {
			return err
		}
		if !errors.Is(err, ErrNotFound) {
			e.setDown()
		}
	}
	return ask(r.origin)
}

func (e *endpoint) isDown() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.down
}

func (e *endpoint) setDown() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.down = true
}

// Resolve implements Store. It reads the manifest behind the tag, whole, so
// that what HEAD and headers claim about it plays no part.
func (r *Remote) Resolve(ctx context.Context, tag string) (d ocispec.Descriptor, err error) {
	err = r.read(ctx, func(e *endpoint) error {
		d, err = r.resolveAt(ctx, e, tag)
		return err
	})
	return d, err
}

func (r *Remote) resolveAt(ctx context.Context, e *endpoint, tag string) (ocispec.Descriptor, error) {
	if err := context.Cause(ctx); err != nil {
		return ocispec.Descriptor{}, err
	}
	if !validTag(tag) {
		return ocispec.Descriptor{}, fmt.Errorf("tag %.200q: %w: %s", tag, ErrNotFound, e.ref.written)
	}
	d, b, err := e.manifest(ctx, tag)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	r.keep(string(d.Digest), b)
	return d, nil
}

// keep remembers a verified manifest.
func (r *Remote) keep(digest string, b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.kept[digest]; ok {
		return
	}
	r.kept[digest] = b
	r.keptOrder = append(r.keptOrder, digest)
	for r.keptBytes += len(b); r.keptBytes > keepManifests && len(r.keptOrder) > 1; {
		oldest := r.keptOrder[0]
		r.keptOrder = r.keptOrder[1:]
		r.keptBytes -= len(r.kept[oldest])
		delete(r.kept, oldest)
	}
}

// Fetch implements Store.
func (r *Remote) Fetch(ctx context.Context, d ocispec.Descriptor) (b []byte, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	limit := int64(MaxBlob)
	if isManifest(d.MediaType) {
		limit = MaxOCIManifest
	}
	if err := checkDescriptor(d, limit); err != nil {
		return nil, r.origin.damaged(d, err)
	}
	if isManifest(d.MediaType) {
		r.mu.Lock()
		b, ok := r.kept[string(d.Digest)]
		r.mu.Unlock()
		if ok && int64(len(b)) == d.Size {
			return slices.Clone(b), nil
		}
	}
	err = r.read(ctx, func(e *endpoint) error {
		if isManifest(d.MediaType) {
			b, err = e.manifestByDigest(ctx, d)
		} else {
			b, err = e.blob(ctx, d)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if isManifest(d.MediaType) {
		r.keep(string(d.Digest), slices.Clone(b))
	}
	return b, nil
}

// List implements Store. Registries list tags without what they hold, so this
// costs a request for each tag; who wants the names alone calls Tags.
func (r *Remote) List(ctx context.Context) ([]Tagged, error) {
	tags, err := r.Tags(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Tagged, len(tags))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.opt.Concurrency)
	for i, tag := range tags {
		g.Go(func() error {
			d, err := r.Resolve(ctx, tag)
			switch {
			case errors.Is(err, ErrNotFound): // removed meanwhile
				return nil
			case fail.CodeOf(err) == fail.Verification: // its reader will say why
			case err != nil:
				return err
			}
			list[i] = Tagged{tag, d}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(t Tagged) bool { return t.Tag == "" }), nil
}

// Tags returns the names of a store's tags, sorted.
func Tags(ctx context.Context, s Store) ([]string, error) {
	if r, ok := s.(*Remote); ok {
		return r.Tags(ctx)
	}
	list, err := s.List(ctx)
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Tag
	}
	return names, err
}

// Tags returns the names of all tags, sorted.
func (r *Remote) Tags(ctx context.Context) ([]string, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var tags []string
	err := r.origin.tags(ctx, "", func(page []string) error {
		if len(tags)+len(page) > MaxTags {
			return fail.New(fail.Verification, "name a repository that holds nothing but indexes", "%s lists more than %d tags", r.Name(), MaxTags)
		}
		for _, t := range page {
			if validTag(t) {
				tags = append(tags, t)
			}
		}
		return nil
	})
	if err != nil {
		err = r.origin.explain(ctx, err, "listing the tags")
		if errors.Is(err, ErrNotFound) {
			return nil, nil // a repository that nothing was pushed to
		}
		return nil, err
	}
	slices.Sort(tags)
	return slices.Compact(tags), nil
}

// TagsOf returns tags that start with a commit's hash and are not the commit's
// own, as far as one request can tell: it helps to word a message and must not
// be relied on.
func (r *Remote) TagsOf(ctx context.Context, commit string) []string {
	var tags []string
	errEnough := errors.New("enough")
	r.origin.tags(ctx, commit, func(page []string) error {
		for _, t := range page {
			if strings.HasPrefix(t, commit) && validTag(t) && t != commit {
				tags = append(tags, t)
			}
		}
		return errEnough
	})
	slices.Sort(tags)
	return tags
}
