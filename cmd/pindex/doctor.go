package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pindex-dev/pindex/artifact"
	"github.com/pindex-dev/pindex/git"
	"github.com/pindex-dev/pindex/internal/cli"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
	"github.com/pindex-dev/pindex/registry"
)

// The states of a finding.
const (
	stateOK   = "ok"
	stateWarn = "warn"
	stateFail = "fail"
)

// finding is one thing that doctor looked at.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warn or fail
	What   string `json:"what"`
	Remedy string `json:"remedy,omitempty"`

	code fail.Code
}

type doctorAnswer struct {
	Schema   string    `json:"schema"`
	Version  string    `json:"version"`
	State    string    `json:"state"` // the worst of the findings'
	Findings []finding `json:"findings"`
}

const schemaDoctor = "pindex.doctor/0"

func doctorCmd(a *cli.App) *command.Command {
	wait := 5 * time.Second
	c := &command.Command{
		Use:   "doctor",
		Short: "What is wrong with the set-up, and how to mend it",
		Long: `Look at all that an answer depends on: the repository, the settings, the store
and its credentials, the index of HEAD or the nearest one, the cache, the lock
file, the server of a remote model, the agents' configuration and the workflow.
Nothing is written, and nothing that the repository names is started: a server is
started for a handshake only where it is called pindex and lies outside the
project.

Each finding is ok, warn (it works, but not as well as it could) or fail, with
what to do. The exit code is 0 where nothing fails, and else the one of the first
failure: 2 a setting, 4 verification, 5 the network or a registry, 6 the
repository. Every wait ends after --wait, so it works without network as well.`,
		Example: `  pindex doctor
  pindex doctor --store ghcr.io/o/r/pindex --wait 2s --json`,
		Args: command.NoArgs,
		RunE: func(c *command.Command, _ []string) error {
			d := &doctor{app: a, wait: wait}
			d.run(c.Context())
			if err := c.Context().Err(); err != nil {
				return err
			}
			return d.report()
		},
	}
	c.Flags().DurationVar(&wait, "wait", wait, "wait at most this long for each answer of a server")
	return c
}

// doctor is one look at the set-up. Each check adds its findings, and leaves for
// the later ones what they need.
type doctor struct {
	app  *cli.App
	wait time.Duration
	list []finding

	layout   *git.Layout
	repo     git.Repository
	head     string // commit; "" where it is not known
	store    registry.Store
	manifest *artifact.Manifest // of the nearest index
	model    func(ctx context.Context) ([]byte, error)
}

func (d *doctor) run(ctx context.Context) {
	for _, check := range []func(context.Context){
		d.checkRepository, d.checkSettings, d.checkLock, d.checkCache, d.checkStore, d.checkIndex, d.checkVersion, d.checkEmbedder, d.checkAgents, d.checkWorkflow,
	} {
		if ctx.Err() == nil {
			check(ctx)
		}
	}
}

func (d *doctor) ok(check, format string, args ...any) {
	d.list = append(d.list, finding{Check: check, State: stateOK, What: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(check, remedy, format string, args ...any) {
	d.list = append(d.list, finding{Check: check, State: stateWarn, What: fmt.Sprintf(format, args...), Remedy: remedy})
}

func (d *doctor) fail(check string, code fail.Code, remedy, format string, args ...any) {
	d.list = append(d.list, finding{Check: check, State: stateFail, What: fmt.Sprintf(format, args...), Remedy: remedy, code: code})
}

// failed takes a finding out of an error.
func (d *doctor) failed(check string, err error) {
	code, what, remedy := fail.CodeOf(err), err.Error(), ""
	var e *fail.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		code, what, remedy = fail.Network, fmt.Sprintf("no answer within %s", d.wait), "look at the network, or give it more time with --wait"
	case errors.As(err, &e):
		if what = e.What; e.Err != nil {
			what += ": " + e.Err.Error()
		}
		remedy = e.Remedy
	}
	d.fail(check, code, remedy, "%s", what)
}

// bounded gives a question to a server its time.
func (d *doctor) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d.wait)
}

func (d *doctor) report() error {
	ans := doctorAnswer{Schema: schemaDoctor, Version: d.app.Version, State: stateOK, Findings: d.list}
	var worst *finding
	counts := map[string]int{}
	for i, f := range d.list {
		counts[f.State]++
		switch {
		case f.State == stateFail && worst == nil:
			worst, ans.State = &d.list[i], stateFail
		case f.State == stateWarn && ans.State == stateOK:
			ans.State = stateWarn
		}
	}
	err := d.app.Print(ans, func(w io.Writer) {
		for _, f := range d.list {
			fmt.Fprintf(w, "%-4s  %-11s  %s\n", f.State, f.Check, cli.Visible(f.What))
			if f.Remedy != "" {
				fmt.Fprintf(w, "                   to mend it: %s\n", cli.Visible(f.Remedy))
			}
		}
	})
	if err != nil || worst == nil {
		return err
	}
	return fail.New(worst.code, "the lines marked fail say how to mend it", "%s", plural(counts[stateFail], "failure"))
}
