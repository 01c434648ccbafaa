package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/internal/lsp"
)

// live asks the language server for a file's language. It runs only where the
// user asked for it, without the secrets of the environment.
func live(ctx context.Context, r cli.LiveRequest) (_ *cli.LiveAnswer, err error) {
	known := lsp.For(r.Lang)
	if len(known) == 0 {
		return nil, fail.New(fail.Usage, "ask without --live", "no language server is known for %q, the language of %q", r.Lang, r.Path)
	}
	srv, ok := lsp.Find(r.Lang)
	if !ok {
		names := make([]string, len(known))
		for i, s := range known {
			names[i] = s.Argv[0]
		}
		return nil, fail.New(fail.Usage, "install it, or ask without --live", "%s is not on PATH", strings.Join(names, " or "))
	}
	failed := func(err error) error {
		if errors.Is(err, context.DeadlineExceeded) {
			return fail.Wrap(fail.NotFound, err, "give it more time with --live-timeout, or ask without --live", "%s took too long", srv.Name)
		}
		return fail.Wrap(fail.NotFound, err, "ask without --live", "%s has no answer", srv.Name)
	}
	begun := time.Now()
	c, err := lsp.Start(ctx, srv, r.Root, lsp.OwnEnvironment())
	if err != nil {
		return nil, failed(err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	ans := &cli.LiveAnswer{Server: srv.Name, Start: time.Since(begun), Places: []cli.LivePlace{}}
	begun = time.Now()
	if err := c.Open(ctx, r.Path); err != nil {
		return nil, failed(err)
	}
	if ready, err := c.Settle(ctx); err != nil {
		return nil, failed(err)
	} else if !ready {
		return nil, failed(ctx.Err())
	}
	ans.Warm = time.Since(begun)
	ask := c.Definition
	if r.Refs {
		ask = c.References
	}
	begun = time.Now()
	got, err := ask(ctx, lsp.Place{Path: r.Path, Line: r.Line, Col: r.Col})
	if err != nil {
		return nil, failed(err)
	}
	ans.Answer, ans.Outside = time.Since(begun), got.Outside
	for _, p := range got.Places {
		ans.Places = append(ans.Places, cli.LivePlace{Path: p.Path, Line: p.Line})
	}
	ans.Places = slices.Compact(ans.Places)
	return ans, nil
}
