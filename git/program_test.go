package git_test

import (
	"context"
	"testing"

	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/git/gittest"
)

func openProgram(ctx context.Context, dir string) (git.Repository, error) {
	return git.Open(ctx, dir, git.Options{Backend: git.Program})
}

func TestProgramConformance(t *testing.T) {
	gittest.Run(t, gittest.Config{Backend: "git", Open: openProgram})
}

func openMinimal(ctx context.Context, dir string) (git.Repository, error) {
	return git.OpenMinimal(ctx, dir)
}

func TestMinimalConformance(t *testing.T) {
	gittest.Run(t, gittest.Config{Backend: "minimal", Open: openMinimal, SimpleRevisions: true})
}
