package mcp

//lint:file-ignore SA1019 clients of today say by roots which folders they work on, and newer ones may for a while

import (
	"context"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxGranted bounds the folders that are taken from a peer's list.
	maxGranted = 64
	// rootsWait is how long a peer may take to say which folders it works on.
	rootsWait = 3 * time.Second
)

// peer is what is known of the one client of a pair of streams, or of all
// clients over HTTP, who are asked for no folders: theirs may be another
// machine's.
type peer struct {
	h     *hub
	local bool            // the client sees the same files as this process
	life  context.Context // of the server

	mu      sync.Mutex
	granted []string      // folders that the client works on
	root    string        // that calls without one are about
	asked   chan struct{} // closed when granted and root stand; nil until the first question
}

func newPeer(life context.Context, h *hub, local bool) *peer {
	return &peer{h: h, local: local, life: life, root: h.o.Root}
}

// initialized begins to open what the client will probably ask about.
func (p *peer) initialized(ss *sdk.ServerSession) {
	params := ss.InitializeParams()
	if !p.local || p.h.o.Find == nil || params == nil || params.Capabilities == nil || params.Capabilities.RootsV2 == nil {
		p.h.start(p.h.o.Root)
		return
	}
	p.ask(ss)
}

// ask asks the client which folders it works on, behind the caller.
func (p *peer) ask(ss *sdk.ServerSession) {
	if !p.local || p.h.o.Find == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked != nil {
		select {
		case <-p.asked:
		default:
			return // a question is on its way
		}
	}
	done := make(chan struct{})
	p.asked = done
	go func() { // ends with life at the latest, or with the streams
		defer close(done)
		ctx, cancel := context.WithTimeout(p.life, rootsWait)
		defer cancel()
		list, err := ss.ListRoots(ctx, nil)
		if err != nil {
			list = &sdk.ListRootsResult{} // such as by a client that cannot after all
		}
		p.take(list)
	}()
}

// take keeps the folders that the client works on, and begins to open what it
// will probably ask about.
func (p *peer) take(list *sdk.ListRootsResult) {
	var granted []string
	for _, r := range list.Roots {
		if dir, ok := folderOf(r.URI); ok && len(granted) < maxGranted {
			granted = append(granted, dir)
		}
	}
	root := p.h.o.Root
	if p.h.o.FollowPeer {
		for _, dir := range granted {
			if r, err := p.h.o.Find(dir, granted); err == nil {
				root = r
				break
			}
		}
	}
	p.mu.Lock()
	p.granted, p.root = granted, root
	p.mu.Unlock()
	p.h.start(root)
}

// askingVersion is the protocol's from which on a server asks nothing by
// itself: it answers a call by what it has to know first.
const askingVersion = "2026-07-28"

// needs returns what a client of such a version has to say before its first
// call is answered; nil for nothing.
func (p *peer) needs(req *sdk.CallToolRequest) sdk.InputRequestMap {
	if !p.local || p.h.o.Find == nil || req.ProtocolVersion() < askingVersion {
		return nil
	}
	caps := req.ClientCapabilities()
	p.mu.Lock()
	known := p.asked != nil
	p.mu.Unlock()
	if known || caps == nil || caps.RootsV2 == nil {
		return nil
	}
	list, ok := req.Params.InputResponses[rootName].(*sdk.ListRootsResult)
	if !ok {
		return sdk.InputRequestMap{rootName: &sdk.ListRootsParams{}}
	}
	p.take(list)
	done := make(chan struct{})
	close(done)
	p.mu.Lock()
	p.asked = done
	p.mu.Unlock()
	return nil
}

// find returns the root that a call is about; dir is its argument, "" for none.
func (p *peer) find(ctx context.Context, dir string) (string, error) {
	p.mu.Lock()
	asked := p.asked
	p.mu.Unlock()
	if asked != nil {
		select {
		case <-asked:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	p.mu.Lock()
	root, granted := p.root, slices.Clone(p.granted)
	p.mu.Unlock()
	if dir == "" {
		return root, nil
	}
	if d, ok := folderOf(dir); ok {
		dir = d
	}
	return p.h.o.Find(dir, granted)
}

// folderOf returns the folder that a file URI names.
func folderOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" { // file:///C:/x
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), true
}
