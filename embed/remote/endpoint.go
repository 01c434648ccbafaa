// Package remote asks servers for what pindex does not compute itself: vectors
// of texts, by the /v1/embeddings request that OpenAI introduced and vLLM,
// Ollama, Text Embeddings Inference, LM Studio and llama.cpp answer too, and
// the order of search results, by the /rerank request of Jina and Cohere, and
// answers of chat models, by /v1/chat/completions.
//
// A server is a guest: what it answers is bounded, counted and checked, number
// by number. A key comes from the environment and goes into one header of the
// requests to the host that the user named; no message, file or index holds
// it, and no redirect takes it elsewhere.
package remote

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/fail"
)

// The environment that this package's users read.
const (
	// EnvEmbedder is the endpoint that queries of an index with a remote model
	// ask, in the form of Endpoint.
	EnvEmbedder = "PINDEX_EMBEDDER"
	// EnvEmbedderKey is the key of the embedder.
	EnvEmbedderKey = "PINDEX_EMBEDDER_KEY"
	// EnvRerankerKey is the key of the reranker.
	EnvRerankerKey = "PINDEX_RERANKER_KEY"
	// EnvSelectorKey is the key of the selector of files.
	EnvSelectorKey = "PINDEX_SELECTOR_KEY"
)

// Endpoint is a server and how to ask it, as users write it:
//
//	http://localhost:11434/v1#nomic-embed-text
//	https://api.openai.com/v1#text-embedding-3-small?dims=512
//	http://tei:8080#bge?query=query: &text=passage:
//
// Behind # stands the model's name, and behind ? what it needs besides: dims
// (for models that can give fewer dimensions), query and text (what stands
// before questions and documents), k (how many results a reranker sees).
type Endpoint struct {
	URL         string // of the requests
	Base        string // what the path of the request was appended to
	Model       string // "" where none was named
	Dims        int    // asked for; 0 for the model's own
	QueryPrefix string
	TextPrefix  string
	K           int // 0 where it was not given

	envKey string
	key    string
}

// ParseEndpoint reads an endpoint; verb is the last part of the request's
// path, such as "embeddings", which the address may leave out. The key, which
// may be empty, is kept for this endpoint's requests; envKey is the variable
// that it comes from, for messages.
func ParseEndpoint(s, verb, envKey, key string) (*Endpoint, error) {
	bad := func(format string, args ...any) error {
		example := "http://localhost:11434/v1#model-name"
		if verb == "rerank" {
			example = "http://localhost:8080/v1/rerank#model-name"
		}
		return fail.New(fail.Usage, "give an address such as "+example, format, args...)
	}
	addr, fragment, _ := strings.Cut(s, "#")
	u, err := url.Parse(addr)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, bad("that is no http or https address of a server") // it may hold a password
	}
	if u.User != nil || u.RawQuery != "" {
		return nil, fail.New(fail.Usage, "put the key into "+envKey, "the address of %s holds a user, a password or a query", u.Host)
	}
	if key != "" && u.Scheme == "http" && !nearby(u.Hostname()) {
		return nil, fail.New(fail.Usage, "use https, or unset "+envKey, "the key in %s would cross the network to %s unencrypted", envKey, u.Host)
	}
	if strings.IndexFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) >= 0 {
		return nil, fail.New(fail.Usage, "set it to the key alone", "%s holds a character that no key has", envKey)
	}
	e := &Endpoint{envKey: envKey, key: key}
	path := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(path, "/"+verb):
		u.Path = strings.TrimSuffix(path, "/"+verb)
	case path == "":
		u.Path = "/v1"
	default:
		u.Path = path
	}
	u.RawPath = ""
	e.Base = u.String()
	e.URL = e.Base + "/" + verb
	name, options, _ := strings.Cut(fragment, "?")
	if e.Model, err = url.PathUnescape(name); err != nil {
		return nil, bad("the model's name behind # is badly escaped")
	}
	q, err := url.ParseQuery(options)
	if err != nil {
		return nil, bad("the options behind the model's name cannot be read")
	}
	for k, v := range q {
		switch k {
		case "query":
			e.QueryPrefix = v[0]
		case "text":
			e.TextPrefix = v[0]
		case "dims":
			if e.Dims, err = strconv.Atoi(v[0]); err != nil || e.Dims < embed.PrintSize || e.Dims > embed.MaxRemoteDims {
				return nil, bad("dims is %q, not a number from %d to %d", v[0], embed.PrintSize, embed.MaxRemoteDims)
			}
		case "k":
			if e.K, err = strconv.Atoi(v[0]); err != nil || e.K < 1 || e.K > MaxRerank {
				return nil, bad("k is %q, not a number from 1 to %d", v[0], MaxRerank)
			}
		default:
			return nil, bad("there is no option %q behind a model's name; there are dims, query, text and k", k)
		}
	}
	return e, nil
}

// Host returns the host that is asked, for messages.
func (e *Endpoint) Host() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// nearby reports whether a host is this machine.
func nearby(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
