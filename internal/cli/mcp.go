package cli

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/mcp/tools"
	"github.com/pindex-dev/pindex/query"
)

func (a *App) mcpCmd() *command.Command {
	return &command.Command{
		Use:   "mcp",
		Short: "Serve search, symbol, read, context and status to an agent, over standard input and output",
		Long: `Serve the Model Context Protocol over standard input and output. The handshake
is answered at once; the index is opened in the background, and the first call
waits for it. Without --commit the server follows HEAD: when it moves, answers
say so, and come from its index as soon as that is open.`,
		Example: `  pindex mcp
  pindex mcp --repo ~/src/flask --store ghcr.io/o/r/pindex`,
		Args: command.NoArgs,
		RunE: func(c *command.Command, _ []string) error {
			in, ok := a.Stdin.(io.ReadCloser)
			if !ok {
				in = io.NopCloser(a.Stdin)
			}
			err := a.MCP(c.Context(), in, a.Stdout, tools.Options{Name: a.Name, Version: a.Version, Open: a.openForMCP})
			if err != nil && fail.CodeOf(err) == fail.Internal && c.Context().Err() == nil {
				return fail.Wrap(fail.Usage, err, "let an MCP client start this command", "the peer cannot be understood")
			}
			return err
		},
	}
}

// mcpSession is an open index as the MCP tools see it.
type mcpSession struct {
	a     *App
	s     *session
	store string

	mu     sync.Mutex
	view   *view
	engine *query.Engine // over view

	build sync.Mutex // held while the repository is read
}

func (a *App) openForMCP(ctx context.Context) (tools.Session, error) {
	store, err := a.answering()
	if err != nil {
		return nil, err
	}
	var s *session
	err = fetch.Guard(func() (err error) { s, err = a.open(ctx); return err })
	if err != nil {
		return nil, err
	}
	m := &mcpSession{a: a, s: s, store: store.Name(), engine: s.engine}
	if s.follow != nil {
		m.view = s.follow.last
	}
	return m, nil
}

// OpenForMCP opens the index of the repository at root, "" for the program's
// own, for a server that several calls may ask to open one.
func (a *App) OpenForMCP(ctx context.Context, root string) (tools.Session, error) {
	own := *a
	own.repo = nil
	if root != "" {
		own.repoDir, own.rev = root, ""
	}
	s, err := own.openForMCP(ctx)
	if err != nil {
		return nil, errors.Join(err, own.closeRepo())
	}
	return &ownSession{s.(*mcpSession), &own}, nil
}

func (a *App) closeRepo() error {
	if a.repo == nil {
		return nil
	}
	return a.repo.Close()
}

// ownSession is a session with a repository of its own.
type ownSession struct {
	*mcpSession
	own *App
}

func (s *ownSession) Close() error { return errors.Join(s.mcpSession.Close(), s.own.closeRepo()) }

// ChangedSince returns what differs from a revision in what the session
// answers from.
func (s *ownSession) ChangedSince(ctx context.Context, rev string) ([]query.ChangedFile, error) {
	s.build.Lock()
	defer s.build.Unlock()
	now := *s.s
	now.over = s.Engine().Index()
	return s.own.changedSince(ctx, &now, rev)
}

// MCPRoot says whether calls without a root are about one repository that the
// user named, and which folder that is.
func (a *App) MCPRoot() (dir string, named bool) {
	return a.repoDir, a.repoDir != "" || a.rev != ""
}

func (m *mcpSession) Engine() *query.Engine {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.engine
}

func (m *mcpSession) Store() string { return m.store }
func (m *mcpSession) Close() error  { return m.s.index.Close() }

// State looks at HEAD and the working tree anew: the server outlives both.
func (m *mcpSession) State(ctx context.Context) (tools.State, error) {
	st := tools.State{Freshness: freshness(m.s.distance, 0)}
	if m.a.rev != "" {
		return st, nil
	}
	head, err := m.a.headNow(ctx)
	if err != nil {
		return st, err
	}
	if head != m.s.asked {
		st.Moved = head
	}
	m.build.Lock()
	v, err := m.s.follow.look(ctx)
	m.build.Unlock()
	if err != nil {
		return st, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if v != m.view {
		m.view, m.engine = v, m.engineOver(v)
	}
	st.Freshness = v.fresh
	if v.over == nil {
		st.ByLines = v.changes
	}
	if l, err := git.FindLayout(m.a.repoDir); err == nil && l.WorkTree == "" && st.Moved != "" {
		st.Freshness.State = statePartial
	}
	return st, nil
}

// engineOver returns an engine for a view, which shares what it can with the
// one before.
func (m *mcpSession) engineOver(v *view) *query.Engine {
	if v.over != nil {
		opt := m.s.options
		opt.Pinned = m.s.pinned()
		return query.New(v.over, opt)
	}
	if m.s.over == nil {
		return m.s.engine.With(v.hidden, v.lines)
	}
	opt := m.s.options
	opt.Hidden, opt.Over = v.hidden, v.lines
	opt.Kept = m.s.kept()
	return query.New(m.s.index, opt)
}

// headNow resolves HEAD without what App keeps open, which is not for several
// goroutines.
func (a *App) headNow(ctx context.Context) (string, error) {
	if id, ok := a.head(); ok {
		return id, nil
	}
	if r, err := git.OpenMinimal(ctx, a.repoDir); err == nil {
		id, err := r.Resolve(ctx, "HEAD")
		if err := errors.Join(err, r.Close()); err == nil {
			return id.String(), nil
		}
	}
	r, err := git.Open(ctx, a.repoDir, git.Options{Embedded: a.Embedded})
	if err != nil {
		return "", err
	}
	id, err := r.Resolve(ctx, "HEAD")
	if err := errors.Join(err, r.Close()); err != nil {
		return "", err
	}
	return id.String(), nil
}
