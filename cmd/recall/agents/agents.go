// Package agents is the commands that serve Claude Code and other agents: hooks and the MCP server.
package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/config"
	"recall/hooks"
	"recall/index"
	"recall/ingest/claudecode"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Commands are the commands that serve Claude Code and other agents.
func Commands(a *app.App) []*cobra.Command {
	return []*cobra.Command{
		newHookCmd(a), newHooksCmd(a), newMcpCmd(a),
	}
}

func newHookCmd(a *app.App) *cobra.Command {
	cmd := option.Do("hook", nil, func(ctx context.Context, args []string) error {
		runHook(ctx, a, args)
		return nil
	})
	cmd.ValidArgsFunction = cobra.FixedCompletions(hooks.Words(), cobra.ShellCompDirectiveNoFileComp)
	cmd.Args = cobra.ArbitraryArgs
	return cmd
}

// IsHook reports whether the client calls: then nothing may be said but an answer,
// and the exit code is 0, since 2 would stop a prompt.
func IsHook(args []string) bool {
	i := slices.Index(args, "hook")
	return i >= 0 && i == len(args)-2 && (i == 0 || args[0][0] == '-')
}

// runHook answers an event. What goes wrong is for the log.
func runHook(ctx context.Context, a *app.App, args []string) {
	start := time.Now()
	var event hooks.Event
	var in hooks.Input
	dir := hooks.Dir()
	fault := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		if os.Getenv("RECALL_CHILD") != "" {
			return nil // a client that recall itself has asked
		}
		if len(args) != 1 {
			return fmt.Errorf("%d events are named, want one", len(args))
		}
		if event, err = hooks.ParseEvent(args[0]); err != nil || hooks.CalledTwice() {
			return err
		}
		if in, err = hooks.Read(a.In); err != nil && !errors.Is(err, hooks.ErrNoInput) {
			return err
		}
		h, herr := hookHost(ctx, a, dir)
		if herr != nil {
			if hooks.Asked(event, in) {
				herr = errors.Join(herr, a.WriteJSON(string(hooks.NotOut(in, true, herr).JSON(event))+"\n"))
			}
			return herr
		}
		if err != nil {
			if in, err = hooks.FromSurroundings(event, os.Getenv, h.Sources.RootsOf(claudecode.Reader{})); err != nil {
				return err
			}
		}
		answer, err := h.Run(ctx, event, in)
		if event == hooks.SessionEnd && a.Lib != nil {
			a.TeamBeside(a.Lib, true)
		}
		if h.LeftBehind.Load() {
			a.Lib, a.Index = nil, nil // what hangs would hang in closing, too
		}
		if text := answer.JSON(event); text != nil {
			werr := a.WriteJSON(string(text) + "\n")
			err = errors.Join(err, werr)
		}
		return err
	}()
	if fault != nil {
		hooks.Log(dir, event, in, time.Since(start), fault)
	}
}

// hookHost is what hooks work with: everything offline, and opened on demand.
func hookHost(ctx context.Context, a *app.App, dir string) (*hooks.Host, error) {
	handed := os.Getenv(envHanded) != ""
	os.Unsetenv(envHanded) // no setting, and not for those that this one starts
	c, err := a.LoadConfig()
	if err != nil {
		return nil, err
	}
	open := func(wait time.Duration) (*library.Library, error) {
		l, err := a.Library(ctx)
		if err == nil {
			l.LockWait(wait)
		}
		return l, err
	}
	h := &hooks.Host{
		Library:    open,
		Index:      func(l *library.Library) (*index.Index, error) { return a.Index, a.ReadIndex(l) },
		Pipeline:   func(l *library.Library) (*pipeline.Pipeline, error) { return hookPipeline(a, l) },
		Archiver:   a.Archiver,
		Sources:    a.Sources(),
		LibraryDir: c.Library.Dir,
		Cache:      dir,
		Variant:    payload.Variant(c.Payload.Variant),
		Confirm:    c.Hooks.Confirm,
		Notes:      c.Hooks.Notes,
		Nudge:      c.Hooks.Nudge,
		Progress:   c.Hooks.Progress && !handed,
		Parent:     os.Getppid(),
		Pause:      config.Pausing(),
	}
	h.Told = a.ToldByTeam
	h.Forget = func(session string) bool {
		return app.InBackground("", nil, append(a.Given(), "forget", session, "--yes")...)
	}
	if !handed {
		h.HandOn = func(in hooks.Input) bool {
			text, err := json.Marshal(in)
			const pipeHolds = 4 << 10 // at least, everywhere
			return err == nil && len(text) <= pipeHolds &&
				app.InBackground(string(text), []string{envHanded + "=1"}, os.Args[1:]...)
		}
	}
	return h, nil
}

// envHanded is set where a hook was handed on to a process that outlives the one that the client called.
const envHanded = "RECALL_HOOK_HANDED_ON"

// hookPipeline archives, distills and indexes: by rules, since
// a session's end is no time to ask a model. An index that must be made again
// isn't, which would take a while: the next sync does it.
func hookPipeline(a *app.App, l *library.Library) (*pipeline.Pipeline, error) {
	if err := l.ReadOnly(); err != nil {
		return nil, err
	}
	return a.Indexer(l)
}
