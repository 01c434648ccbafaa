package main

import (
	"context"
	"os"

	"github.com/pindex-dev/pindex/bundle"
	"github.com/pindex-dev/pindex/bundle/selector"
	"github.com/pindex-dev/pindex/embed/remote"
	"github.com/pindex-dev/pindex/query"
)

// chooseFiles lets the model of --selector choose a bundle's files.
func chooseFiles(ctx context.Context, address string, e *query.Engine, o bundle.Options) (bundle.Options, []string, error) {
	at, err := remote.ParseEndpoint(address, "chat/completions", remote.EnvSelectorKey, os.Getenv(remote.EnvSelectorKey))
	if err != nil {
		return o, nil, err
	}
	return selector.Choose(ctx, e, o, chatModel{remote.NewChat(at, remote.ForChat)})
}

// chatModel asks one question at a time.
type chatModel struct{ *remote.Chat }

func (m chatModel) Ask(ctx context.Context, system, user string) (string, error) {
	a, err := m.Chat.Ask(ctx, []remote.Message{{Role: "system", Content: system}, {Role: "user", Content: user}}, nil)
	if err != nil {
		return "", err
	}
	return a.Content, nil
}
