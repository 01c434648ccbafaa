package registrytest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Server is an OCI registry in memory that does as it should, until a hook
// makes it misbehave. It counts what it is asked. Fields are set before the
// first request.
type Server struct {
	// Hook sees each request first and reports whether it answered it. It may
	// change the request.
	Hook func(w http.ResponseWriter, r *http.Request) bool
	// Basic and Bearer are the ways to ask for User and Password; neither
	// means anonymous. Under Bearer, reading needs a token too, which is given
	// to anybody when AnonymousPull is set.
	Basic, Bearer  bool
	AnonymousPull  bool
	User, Password string
	// NoMount begins an upload where a blob of another repository is asked for.
	NoMount bool
	// Careless accepts manifests whose blobs are missing.
	Careless bool

	*httptest.Server

	mu      sync.Mutex
	repos   map[string]*repository
	uploads map[string]string // session to repository
	tokens  map[string]string // to scope
	counts  map[string]int
	in, out int64
}

type repository struct {
	blobs     map[string][]byte
	manifests map[string]manifest
	tags      map[string]string
}

type manifest struct {
	mediaType string
	bytes     []byte
}

// Start starts serving on a loopback port, without TLS.
func (s *Server) Start() {
	s.reset()
	s.Server = httptest.NewServer(s)
}

// StartTLS is Start with TLS, and a certificate that signs itself: Certificate
// returns it.
func (s *Server) StartTLS() {
	s.reset()
	s.Server = httptest.NewUnstartedServer(s)
	s.Server.Config.ErrorLog = log.New(io.Discard, "", 0) // who does not trust it hangs up
	s.Server.StartTLS()
}

func (s *Server) reset() {
	s.repos, s.uploads = map[string]*repository{}, map[string]string{}
	s.tokens, s.counts = map[string]string{}, map[string]int{}
}

// Ref returns the reference of a repository here.
func (s *Server) Ref(repository string) string {
	_, host, _ := strings.Cut(s.URL, "://")
	return host + "/" + repository
}

// Counts returns how often each kind of request came, such as "GET blob".
func (s *Server) Counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]int, len(s.counts))
	for k, n := range s.counts {
		out[k] = n
	}
	return out
}

// Total returns how many requests came and how many bytes their bodies and
// the answers' had.
func (s *Server) Total() (requests int, in, out int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.counts {
		requests += n
	}
	return requests, s.in, s.out
}

// ResetCounts forgets what was counted.
func (s *Server) ResetCounts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.counts)
	s.in, s.out = 0, 0
}

// Blob returns a stored blob or manifest, nil when there is none.
func (s *Server) Blob(repo, digest string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.repos[repo]; r != nil {
		if b := r.blobs[digest]; b != nil {
			return b
		}
		return r.manifests[digest].bytes
	}
	return nil
}

// Remove drops a blob, as a registry does that loses something.
func (s *Server) Remove(repo, digest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.repos[repo].blobs, digest)
}

// SetTag stores bytes as a manifest and lets a tag hold them, whatever they are.
func (s *Server) SetTag(repo, tag, mediaType string, b []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repo(repo)
	d := digest.FromBytes(b).String()
	r.manifests[d] = manifest{mediaType, b}
	r.tags[tag] = d
	return d
}

func (s *Server) repo(name string) *repository {
	r := s.repos[name]
	if r == nil {
		r = &repository{map[string][]byte{}, map[string]manifest{}, map[string]string{}}
		s.repos[name] = r
	}
	return r
}

type countedWriter struct {
	http.ResponseWriter
	n int64
}

func (w *countedWriter) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.n += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController through.
func (w *countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func kindOf(r *http.Request) string {
	switch {
	case strings.Contains(r.URL.Path, "/blobs/uploads/"):
		return r.Method + " upload"
	case strings.Contains(r.URL.Path, "/blobs/"):
		return r.Method + " blob"
	case strings.Contains(r.URL.Path, "/manifests/"):
		return r.Method + " manifest"
	case strings.HasSuffix(r.URL.Path, "/tags/list"):
		return r.Method + " tags"
	case r.URL.Path == "/token":
		return r.Method + " token"
	}
	return r.Method + " other"
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.counts[kindOf(r)]++
	s.mu.Unlock()
	cw := &countedWriter{ResponseWriter: w}
	defer func() {
		s.mu.Lock()
		s.out += cw.n
		s.mu.Unlock()
	}()
	if s.Hook != nil && s.Hook(cw, r) {
		return
	}
	if r.URL.Path == "/token" {
		s.token(cw, r)
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/v2/")
	if !ok {
		http.NotFound(cw, r)
		return
	}
	if path == "" {
		cw.WriteHeader(http.StatusOK)
		return
	}
	for _, part := range []string{"/blobs/uploads/", "/blobs/", "/manifests/", "/tags/list"} {
		name, rest, ok := strings.Cut(path, part)
		if !ok {
			continue
		}
		if !s.allowed(cw, r, name) {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client went away
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.in += int64(len(body))
		switch part {
		case "/blobs/uploads/":
			s.serveUpload(cw, r, name, rest, body)
		case "/blobs/":
			s.serveBlob(cw, r, name, rest)
		case "/manifests/":
			s.serveManifest(cw, r, name, rest, body)
		default:
			s.serveTags(cw, r, name)
		}
		return
	}
	http.NotFound(cw, r)
}

// Refuse answers with an error of the distribution API.
func Refuse(w http.ResponseWriter, status int, code, message string, detail any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"errors": []any{map[string]any{"code": code, "message": message, "detail": detail}}})
}

func (s *Server) allowed(w http.ResponseWriter, r *http.Request, name string) bool {
	write := r.Method != http.MethodGet && r.Method != http.MethodHead
	switch {
	case s.Basic:
		if user, password, ok := r.BasicAuth(); ok && user == s.User && password == s.Password {
			return true
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
	case s.Bearer:
		s.mu.Lock()
		scope := s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		s.mu.Unlock()
		right := "pull"
		if write {
			right = "push"
		}
		if grants(scope, name, right) {
			return true
		}
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="test",scope="repository:%s:%s"`, s.URL, name, right))
	default:
		return true
	}
	Refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "authentication required", nil)
	return false
}

// token gives out a token for the scope that was asked for.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	user, password, ok := r.BasicAuth()
	scope := strings.Join(r.URL.Query()["scope"], " ")
	known := ok && user == s.User && password == s.Password
	if !known && (ok || !s.AnonymousPull || strings.Contains(scope, "push")) {
		if known || ok || !s.AnonymousPull {
			Refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "who are you", nil)
			return
		}
		scope = strings.NewReplacer(",push", "", "push,", "").Replace(scope)
	}
	token := rand.Text()
	s.mu.Lock()
	s.tokens[token] = scope
	s.mu.Unlock()
	json.NewEncoder(w).Encode(map[string]string{"token": token})
}

func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request, name, session string, body []byte) {
	switch r.Method {
	case http.MethodPost:
		q := r.URL.Query()
		want := q.Get("mount")
		if b, ok := s.repo(q.Get("from")).blobs[want]; ok && !s.NoMount && s.mayRead(r, q.Get("from")) {
			s.repo(name).blobs[want] = b
			w.Header().Set("Docker-Content-Digest", want)
			w.Header().Set("Location", "/v2/"+name+"/blobs/"+url.PathEscape(want))
			w.WriteHeader(http.StatusCreated)
			return
		}
		id := rand.Text()
		s.uploads[id] = name
		w.Header().Set("Location", "/v2/"+name+"/blobs/uploads/"+id+"?state=x")
		w.WriteHeader(http.StatusAccepted)
	case http.MethodPut:
		if s.uploads[session] != name {
			Refuse(w, http.StatusNotFound, "BLOB_UPLOAD_UNKNOWN", "no such upload", nil)
			return
		}
		delete(s.uploads, session)
		want := r.URL.Query().Get("digest")
		if digest.FromBytes(body).String() != want {
			Refuse(w, http.StatusBadRequest, "DIGEST_INVALID", "digest does not match", nil)
			return
		}
		s.repo(name).blobs[want] = body
		w.Header().Set("Docker-Content-Digest", want)
		w.Header().Set("Location", "/v2/"+name+"/blobs/"+url.PathEscape(want))
		w.WriteHeader(http.StatusCreated)
	case http.MethodDelete:
		delete(s.uploads, session)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// mayRead reports whether a request may read another repository than its own.
// s.mu is held.
func (s *Server) mayRead(r *http.Request, name string) bool {
	if !s.Bearer {
		return true
	}
	return grants(s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")], name, "pull")
}

// grants reports whether a token's scopes, separated by spaces, include a right.
func grants(scopes, name, right string) bool {
	for scope := range strings.FieldsSeq(scopes) {
		if strings.HasPrefix(scope, "repository:"+name+":") && strings.Contains(scope, right) {
			return true
		}
	}
	return false
}

func (s *Server) serveBlob(w http.ResponseWriter, r *http.Request, name, d string) {
	b, ok := s.repo(name).blobs[d]
	if !ok {
		Refuse(w, http.StatusNotFound, "BLOB_UNKNOWN", "blob unknown", map[string]string{"digest": d})
		return
	}
	w.Header().Set("Docker-Content-Digest", d)
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

func (s *Server) serveManifest(w http.ResponseWriter, r *http.Request, name, reference string, body []byte) {
	repo := s.repo(name)
	d := reference
	if !strings.HasPrefix(reference, "sha256:") {
		d = repo.tags[reference]
	}
	m, ok := repo.manifests[d]
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if !ok {
			Refuse(w, http.StatusNotFound, "MANIFEST_UNKNOWN", "manifest unknown", nil)
			return
		}
		w.Header().Set("Docker-Content-Digest", d)
		w.Header().Set("Content-Type", m.mediaType)
		w.Header().Set("Content-Length", strconv.Itoa(len(m.bytes)))
		w.Write(m.bytes)
	case http.MethodPut:
		var x ocispec.Manifest
		if err := json.Unmarshal(body, &x); err != nil {
			Refuse(w, http.StatusBadRequest, "MANIFEST_INVALID", "no JSON", nil)
			return
		}
		for _, blob := range append(x.Layers, x.Config) {
			if _, ok := repo.blobs[blob.Digest.String()]; !ok && !s.Careless {
				Refuse(w, http.StatusBadRequest, "MANIFEST_BLOB_UNKNOWN", "blob unknown to registry", map[string]string{"digest": blob.Digest.String()})
				return
			}
		}
		d = digest.FromBytes(body).String()
		repo.manifests[d] = manifest{r.Header.Get("Content-Type"), body}
		if d != reference {
			repo.tags[reference] = d
		}
		w.Header().Set("Docker-Content-Digest", d)
		w.WriteHeader(http.StatusCreated)
	case http.MethodDelete:
		if _, isTag := repo.tags[reference]; !isTag {
			Refuse(w, http.StatusNotFound, "MANIFEST_UNKNOWN", "manifest unknown", nil)
			return
		}
		delete(repo.tags, reference)
		w.WriteHeader(http.StatusAccepted)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (s *Server) serveTags(w http.ResponseWriter, r *http.Request, name string) {
	repo := s.repos[name]
	if repo == nil {
		Refuse(w, http.StatusNotFound, "NAME_UNKNOWN", "repository name not known", nil)
		return
	}
	var tags []string
	last := r.URL.Query().Get("last")
	for t := range repo.tags {
		if t > last {
			tags = append(tags, t)
		}
	}
	slices.Sort(tags)
	// Small pages, so that following them is always tested.
	const page = 7
	if len(tags) > page {
		tags = tags[:page]
		w.Header().Set("Link", fmt.Sprintf(`</v2/%s/tags/list?last=%s&n=%d>; rel="next"`, name, tags[page-1], page))
	}
	json.NewEncoder(w).Encode(map[string]any{"name": name, "tags": tags})
}
