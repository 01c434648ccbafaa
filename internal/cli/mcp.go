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
  pindex mcp --repo ~/src/flask --no-compile`,
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
	tree   []git.Entry   // of the asked commit, once it was needed
	engine *query.Engine // over the working tree as it was last seen
	print  string        // of the changed files that engine knows

	build sync.Mutex // held while an overlay is built
}

func (a *App) openForMCP(ctx context.Context) (tools.Session, error) {
	store, err := a.Store()
	if err != nil {
		return nil, err
	}
	var s *session
	err = fetch.Guard(func() (err error) { s, err = a.open(ctx); return err })
	if err != nil {
		return nil, err
	}
	m := &mcpSession{a: a, s: s, store: store.Name(), engine: s.engine}
	if s.over != nil {
		m.print = fingerprint(workTree(a.repoDir), s.changes)
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
	if l, err := git.FindLayout(m.a.repoDir); err == nil && l.WorkTree == "" {
		if st.Freshness = m.s.fresh; m.s.over == nil {
			st.Changed = m.s.changes
		}
		if st.Moved != "" {
			st.Freshness.State = statePartial
		}
		return st, nil
	}
	tree, err := m.entries(ctx)
	if err != nil {
		return st, err
	}
	changes, err := m.a.workTreeChanges(ctx, tree)
	if err != nil {
		return st, err
	}
	followed, err := m.follow(ctx, changes)
	if err != nil {
		return st, err
	}
	if followed {
		st.Freshness = overlaid(m.s.distance, len(changes))
		return st, nil
	}
	// Against the index's own commit, which may be an ancestor.
	hidden, err := m.a.changedFiles(ctx, m.s.index, m.s.distance > 0)
	if err != nil {
		return st, err
	}
	st.Changed = hidden
	st.Freshness = freshness(m.s.distance, len(hidden))
	return st, nil
}

// follow brings the engine up to the working tree and reports whether it could.
func (m *mcpSession) follow(ctx context.Context, changes []git.Change) (bool, error) {
	if !m.a.overlays() {
		return len(changes) == 0 && m.s.distance == 0, nil
	}
	m.build.Lock()
	defer m.build.Unlock()
	now := fingerprint(workTree(m.a.repoDir), pathsOf(changes))
	m.mu.Lock()
	same := now == m.print
	m.mu.Unlock()
	if same {
		return true, nil
	}
	opt := m.s.options
	ix := m.s.index
	if len(changes) > 0 || m.s.distance > 0 {
		over, err := m.a.layOver(ctx, m.s, changes)
		if err != nil || over == nil {
			return false, err
		}
		ix = over
		opt.Pinned = m.s.pinned()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.engine, m.print = query.New(ix, opt), now
	return true, nil
}

func (m *mcpSession) entries(ctx context.Context) ([]git.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tree == nil {
		err := fetch.Guard(func() (err error) { m.tree, err = m.a.askedTree(ctx, m.s); return err })
		if err != nil {
			return nil, err
		}
	}
	return m.tree, nil
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
