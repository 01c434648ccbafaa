package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/internal/durable"
	"github.com/pindex-dev/pindex/query"
)

// snapshot is what it takes to open a commit's index again without planning
// its compile: the manifest and where each partition's pack is kept.
type snapshot struct {
	Manifest []byte   `json:"manifest"`
	Packs    []string `json:"packs"` // by partition: key of the pack in packs
	Model    string   `json:"model"` // digest of the model's table, a file in models
}

// noting remembers by which key each pack came, by the pack's digest.
type noting struct {
	packs
	mu   sync.Mutex
	keys map[artifact.Digest]artifact.Digest
}

func (n *noting) note(key artifact.Digest, pack []byte) {
	n.mu.Lock()
	n.keys[artifact.DigestOf(pack)] = key
	n.mu.Unlock()
}

// Find implements compile.Known.
func (n *noting) Find(key artifact.Digest) []byte {
	b := n.packs.Find(key)
	if b != nil {
		n.note(key, b)
	}
	return b
}

// Built implements compile.Known.
func (n *noting) Built(key artifact.Digest, pack []byte) {
	n.packs.Built(key, pack)
	n.note(key, pack)
}

// engine opens the index of a commit, compiling what is not in work yet.
func engine(ctx context.Context, mirrors, mirror, commit, work string) (*query.Engine, error) {
	name := filepath.Join(work, "snapshots", commit+".json")
	if e, err := reopen(name, work); err == nil {
		return e, nil
	}
	dir := clone(mirrors, mirror)
	if dir == "" {
		return nil, errors.New("there is no clone of " + mirror)
	}
	if err := keepSnapshot(ctx, dir, commit, name, work, false); err != nil {
		return nil, err
	}
	return reopen(name, work)
}

func keepSnapshot(ctx context.Context, dir, commit, name, work string, inProcess bool) error {
	known := &noting{packs: packs{filepath.Join(work, "packs")}, keys: map[artifact.Digest]artifact.Digest{}}
	m := &memory{sums: map[int]artifact.Digest{}}
	final, err := compileInto(ctx, dir, commit, m, known, inProcess)
	if err != nil {
		return err
	}
	s := snapshot{Manifest: final.Encoded}
	for p := range final.Partitions {
		key, ok := known.keys[m.sums[p]]
		if !ok {
			return fmt.Errorf("the pack of partition %d was not kept", p)
		}
		s.Packs = append(s.Packs, fmt.Sprintf("%x", key[:]))
	}
	if final.Model != nil {
		d := artifact.DigestOf(final.Model)
		s.Model = fmt.Sprintf("%x", d[:])
		path := filepath.Join(work, "models", s.Model)
		if _, err := os.Stat(path); err != nil {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := durable.WriteBytes(path, 0o644, final.Model); err != nil {
				return err
			}
		}
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return durable.WriteBytes(name, 0o644, b)
}

func reopen(name, work string) (*query.Engine, error) {
	var s snapshot
	if err := readJSON(name, &s); err != nil {
		return nil, err
	}
	m, err := artifact.DecodeManifest(s.Manifest)
	if err != nil {
		return nil, err
	}
	if len(s.Packs) != len(m.Partitions) {
		return nil, fmt.Errorf("%s does not fit its manifest", name)
	}
	opened := make([]func() (*artifact.Pack, error), len(s.Packs))
	for p, key := range s.Packs {
		path := filepath.Join(work, "packs", key[:2], key)
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		opened[p] = sync.OnceValues(func() (*artifact.Pack, error) {
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			return artifact.OpenPack(b)
		})
	}
	segment := func(p int, v artifact.View, info artifact.SegmentInfo) ([]byte, error) {
		pack, err := opened[p]()
		if err != nil {
			return nil, err
		}
		return pack.SegmentAs(v, info)
	}
	ix := artifact.NewIndex(m, artifact.DigestOf(s.Manifest), segment, nil)
	return query.New(ix, query.Options{Model: func(artifact.ModelInfo) ([]byte, error) {
		return os.ReadFile(filepath.Join(work, "models", s.Model))
	}}), nil
}
