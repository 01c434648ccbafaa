package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/registry"
)

// counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

// benchSizes weighs each view of HEAD's index as it travels against the
// indexed text in one stream under the same compressor and level.
func benchSizes(storeDir, repo string) error {
	ctx := context.Background()
	out, err := exec.Command("git", "-C", repo, "rev-parse", "HEAD").Output()
	if err != nil {
		return err
	}
	store, err := registry.OpenLocal(storeDir)
	if err != nil {
		return err
	}
	art, _, err := registry.ReadArtifact(ctx, store, registry.CommitTag(strings.TrimSpace(string(out))))
	if err != nil {
		return err
	}
	var one counter
	enc, err := zstd.NewWriter(&one, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(3)), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	raw, packed := map[artifact.View]int64{}, map[artifact.View]int64{}
	var text, docs int64
	for _, d := range art.Packs {
		b, err := store.Fetch(ctx, d)
		if err != nil {
			return err
		}
		pack, err := artifact.OpenPack(b)
		if err != nil {
			return err
		}
		for _, e := range pack.Entries() {
			raw[e.View] += int64(e.RawLength)
			packed[e.View] += int64(e.Length)
		}
		seg, err := pack.Segment(artifact.Source)
		if err != nil {
			return err
		}
		src, err := artifact.OpenSource(seg)
		if err != nil {
			return err
		}
		text += int64(len(src.Text()))
		if _, err := enc.Write(src.Text()); err != nil {
			return err
		}
		seg, err = pack.Segment(artifact.Dense)
		if err != nil {
			return err
		}
		dense, err := artifact.OpenDense(seg)
		if err != nil {
			return err
		}
		docs += int64(dense.Len())
	}
	if err := enc.Close(); err != nil {
		return err
	}
	fmt.Printf("%s: %d packs, text %d bytes, %d in one zstd-3 stream, %d search documents\n", repo, len(art.Packs), text, one, docs)
	fmt.Println("| view | raw | as it travels | × compressed text |")
	fmt.Println("|---|---|---|---|")
	for _, v := range artifact.Views {
		fmt.Printf("| %s | %d | %d | %.2f |\n", v, raw[v], packed[v], float64(packed[v])/float64(one))
	}
	if docs > 0 {
		fmt.Printf("dense: %.0f bytes a unit\n", float64(packed[artifact.Dense])/float64(docs))
	}
	return nil
}
