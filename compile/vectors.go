package compile

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/compile/views"
	"github.com/pindex-dev/pindex/embed"
	"github.com/pindex-dev/pindex/internal/fail"
)

// oldRows are the rows that the parent's index has of texts, by key: those of
// the partitions that are not taken over whole, for what did not change in
// them or was moved between them.
type oldRows struct {
	once    sync.Once
	readers []*artifact.DenseReader
	at      map[[16]byte]oldRow

	mu  sync.Mutex
	use *EmbeddingUse
}

type oldRow struct{ reader, row int32 }

// embed turns the texts that stand in for a partition's dense segment into the
// segment, and packs.
func (r *run) embed(ctx context.Context, j *job, b *built) error {
	model, ok := r.o.Embedder.(*embed.Remote)
	if !ok {
		return fail.New(fail.Internal, "report this as a defect", "partition %d came back without its pack", j.partition)
	}
	r.old.once.Do(func() { r.old.load(ctx, r, model) })
	for i := range b.segments {
		s := &b.segments[i]
		if s.View != artifact.Dense {
			continue
		}
		texts, err := views.ReadTexts(s.Bytes)
		if err != nil {
			return fail.Wrap(fail.Internal, err, "report this as a defect", "partition %d came back damaged", j.partition)
		}
		data, err := r.vectors(ctx, model, texts)
		if err != nil {
			return err
		}
		if s.Bytes, err = artifact.EncodeDense(j.keys[artifact.Dense], data); err != nil {
			return fmt.Errorf("partition %d: %w", j.partition, err)
		}
	}
	return b.encode(j.partition)
}

// vectors finds the rows of texts: in the parent's index, or by the server.
func (r *run) vectors(ctx context.Context, model *embed.Remote, texts []string) (*artifact.DenseData, error) {
	dims := model.Dims()
	data := &artifact.DenseData{
		Model: modelDigest(model), Dims: dims,
		Docs: make([]uint32, len(texts)), Keys: make([][16]byte, len(texts)), Rows: make([]int8, len(texts)*dims),
	}
	var left []int
	for i, t := range texts {
		data.Docs[i], data.Keys[i] = uint32(i), textKey(data.Model, t)
		if old, ok := r.old.at[data.Keys[i]]; ok {
			row := r.old.readers[old.reader].Rows()[int(old.row)*dims:]
			copy(data.Rows[i*dims:(i+1)*dims], row)
			continue
		}
		if t != "" {
			left = append(left, i)
		}
	}
	r.old.mu.Lock()
	r.old.use.Texts += len(texts)
	r.old.use.FromParent += len(texts) - len(left)
	r.old.mu.Unlock()
	keys, send := make([][16]byte, len(left)), make([]string, len(left))
	for k, i := range left {
		keys[k], send[k] = data.Keys[i], texts[i]
	}
	rows := make([]int8, len(left)*dims)
	if len(left) > 0 {
		if err := r.o.Vectors.Embed(ctx, keys, send, rows); err != nil {
			return nil, err
		}
	}
	for k, i := range left {
		copy(data.Rows[i*dims:(i+1)*dims], rows[k*dims:(k+1)*dims])
	}
	return data, nil
}

// textKey is the embedding key of a text for a remote model.
func textKey(model artifact.Digest, text string) [16]byte {
	h := sha256.New()
	h.Write(model[:])
	h.Write([]byte("text\x00"))
	h.Write([]byte(text))
	return [16]byte(h.Sum(nil))
}

// load reads what the parent has. What cannot be had is embedded again.
func (o *oldRows) load(ctx context.Context, r *run, model *embed.Remote) {
	o.use = &EmbeddingUse{Model: model.ModelName}
	o.at = map[[16]byte]oldRow{}
	if r.parent == nil || r.parent.Dense == nil {
		return
	}
	m := r.parent.Manifest
	if m.Model == nil || m.Model.Digest != modelDigest(model) {
		return
	}
	for p := range m.Partitions {
		if r.taken[p] || r.parent.Gone != nil && r.parent.Gone(p) {
			continue
		}
		d, err := r.parent.Dense(ctx, p)
		if err != nil || d.Model() != m.Model.Digest || d.Dims() != model.Dims() {
			r.tell.note("the parent's vectors of partition %d cannot be used; its texts are embedded again where the cache has them not", p)
			continue
		}
		for i := range d.Len() {
			o.at[d.Key(i)] = oldRow{int32(len(o.readers)), int32(i)}
		}
		o.readers = append(o.readers, d)
	}
}
