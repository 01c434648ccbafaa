package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/embed/remote"
	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/fail"
)

const (
	builtinEmbedder = "builtin"

	embedderUsage = "what makes the vectors: builtin, or the `URL#MODEL` of a server with OpenAI's /v1/embeddings (Ollama, vLLM, TEI, LM Studio, ...); its key comes from " + remote.EnvEmbedderKey
)

// embedder is a server that a compile asks for vectors; nil for the built-in
// one.
type embedder struct {
	model   *embed.Remote
	client  *remote.Client
	vectors *remote.Vectors
}

// newEmbedder reads --embedder and asks the server what model it has.
func newEmbedder(ctx context.Context, cache *fetch.Cache, flag string, note func(string, ...any)) (*embedder, error) {
	if flag == "" || flag == builtinEmbedder {
		return nil, nil
	}
	client, err := embedderClient(flag, remote.Limits{})
	if err != nil {
		return nil, err
	}
	client.OnWait(waitNotes(note))
	model, err := client.Describe(ctx, remote.KnownModels(vectorsDir(cache)))
	if err != nil {
		return nil, err
	}
	return openEmbedder(cache, model, client)
}

// waitNotes says that a compile waits for its server, once for requests that
// wait at the same time.
func waitNotes(note func(string, ...any)) func(time.Duration, error) {
	var mu sync.Mutex
	var until time.Time
	return func(pause time.Duration, why error) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if now.Before(until) {
			return
		}
		until = now.Add(pause)
		note("the embedder: %v; trying again in %s", why, pause.Round(time.Second))
	}
}

func embedderClient(endpoint string, l remote.Limits) (*remote.Client, error) {
	e, err := remote.ParseEndpoint(endpoint, "embeddings", remote.EnvEmbedderKey, os.Getenv(remote.EnvEmbedderKey))
	if err != nil {
		return nil, err
	}
	return remote.NewClient(e, l), nil
}

func openEmbedder(cache *fetch.Cache, model *embed.Remote, client *remote.Client) (*embedder, error) {
	d := artifact.DigestOf(model.Model())
	kept, err := remote.OpenCache(vectorsDir(cache), d.Hex(), model)
	if err != nil {
		return nil, err
	}
	return &embedder{model, client, &remote.Vectors{Model: model, Client: client, Cache: kept}}, nil
}

// vectorsDir is where vectors of servers are kept; "" where nothing is.
func vectorsDir(cache *fetch.Cache) string {
	if cache.Dir() == "" {
		return ""
	}
	return filepath.Join(cache.Dir(), "vectors")
}

// options puts the server into a compile's options.
func (e *embedder) options(o *compile.Options) {
	if e != nil {
		o.Embedder, o.Vectors = e.model, e
	}
}

// Embed makes the rows of texts.
func (e *embedder) Embed(ctx context.Context, keys [][16]byte, texts []string, dst []int8) error {
	return e.vectors.Embed(ctx, keys, texts, dst)
}

// Account says what the server was asked for.
func (e *embedder) Account(out *compile.EmbeddingUse) {
	u := e.client.Use()
	out.FromCache, out.Sent = e.vectors.Found(), u.Texts
	out.Repeated = max(0, int64(out.Texts)-int64(out.FromParent)-out.FromCache-out.Sent)
	out.Requests, out.Retries, out.Shortened = u.Requests, u.Retries, u.Shortened
}

// close says what the cache could not keep.
func (e *embedder) close(a *cli.App) {
	if e == nil {
		return
	}
	if err := e.vectors.Cache.Close(); err != nil {
		a.Note("%v", err)
	}
}

// overlayEmbedder is what an overlay on a base with a remote model needs; nil
// for a base without.
func overlayEmbedder(r cli.OverlayRequest) (*embedder, error) {
	m := r.Base.Manifest()
	if m.Model == nil || m.Views[artifact.Dense.String()].Reproducible != artifact.NotAtAll || r.Model == nil {
		return nil, nil
	}
	b, err := r.Model(*m.Model)
	if err != nil {
		return nil, err
	}
	e, err := embed.OpenModel(b)
	model, ok := e.(*embed.Remote)
	if err != nil || !ok {
		return nil, err
	}
	endpoint := os.Getenv(remote.EnvEmbedder)
	if endpoint == "" {
		return nil, fail.New(fail.NoIndex, "set "+remote.EnvEmbedder+" to the URL of a server that has the model",
			"the index has vectors of the model %q", model.ModelName)
	}
	client, err := embedderClient(endpoint, remote.ForQueries)
	if err != nil {
		return nil, err
	}
	over, err := openEmbedder(r.Cache, model, client)
	if err == nil {
		over.vectors.Verify = true
	}
	return over, err
}

// unreachable turns the failure of a server into one that an overlay can do
// without.
func unreachable(err error) error {
	if fail.CodeOf(err) != fail.Network {
		return err
	}
	var f *fail.Error
	if errors.As(err, &f) {
		return &fail.Error{Code: fail.NoIndex, What: f.What, Remedy: f.Remedy, Err: f.Err}
	}
	return err
}
