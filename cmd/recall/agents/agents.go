// Package agents holds the commands that serve Claude Code and other agents: hooks and the MCP server.
package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/index"
	"recall/ingest/claudecode"
	"recall/library"
	"recall/pipeline"
	"recall/serve/hooks"
	"recall/serve/hooks/clients"
)

// Commands are the commands that serve Claude Code and other agents.
var Commands = []option.Maker{newHookCmd, newMcpCmd}

func newHookCmd(a *app.App) *cobra.Command {
	cmd := option.Do("hook", nil, func(ctx context.Context, args []string) error {
		runHook(ctx, a, args)
		return nil
	})
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) (words []string, _ cobra.ShellCompDirective) {
		for _, e := range hooks.Events {
			words = append(words, e.Word())
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.Args = cobra.ArbitraryArgs
	return cmd
}

// HookEvent returns what a client is calling for, if it is: then only an answer may be printed, and the exit code must
// be 0, since 2 would stop a prompt.
func HookEvent(args []string) (event string, is bool) {
	i := slices.Index(args, "hook")
	if i < 0 || i > 0 && args[0][0] != '-' {
		return "", false
	}
	if words := args[i+1:]; len(words) == 1 || len(words) == 2 {
		return words[0], true
	}
	return "", false
}

// runHook answers an event of a client, Claude Code if none is named. Errors go to the log.
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
			return nil // a client started by recall itself
		}
		if len(args) == 0 || len(args) > 2 {
			return fmt.Errorf("%d words, want an event and a client", len(args))
		}
		client := clients.ClaudeCode
		if len(args) == 2 {
			var ok bool
			if client, ok = clients.Named(args[1]); !ok {
				return fmt.Errorf("no client %q", args[1])
			}
		}
		if event, err = hooks.ParseEvent(args[0]); err != nil {
			return err
		}
		if in, err = client.Read(a.In); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		client.Heard(dir)
		h, herr := hookHost(ctx, a, dir, client, event)
		if herr != nil {
			if hooks.Asked(event, in) {
				herr = errors.Join(herr, a.WriteJSON(string(client.JSON(event, hooks.NotOut(in, true, herr)))+"\n"))
			}
			return herr
		}
		if err != nil {
			roots := h.Sources.RootsOf(claudecode.Reader{})
			if in, err = clients.FromSurroundings(event, os.Getenv, roots); err != nil {
				return err
			}
		}
		client.Locate(&in, h.Sources)
		answer, err := h.Run(ctx, event, in)
		if event == hooks.SessionEnd && a.Lib != nil {
			a.TeamBeside(true)
		}
		if h.LeftBehind.Load() {
			a.Lib, a.Index = nil, nil // closing would hang as well
		}
		if text := client.JSON(event, answer); text != nil {
			werr := a.WriteJSON(string(text) + "\n")
			err = errors.Join(err, werr)
		}
		return err
	}()
	if fault != nil {
		hooks.Log(dir, event, in, time.Since(start), fault)
	}
}

// hookHost returns what hooks work with: everything offline, and opened on demand.
func hookHost(ctx context.Context, a *app.App, dir string, client *clients.Client,
	event hooks.Event) (*hooks.Host, error) {
	handed := os.Getenv(envHanded) != ""
	os.Unsetenv(envHanded) // not a setting, and not inherited
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
		Library: open,
		Index: func(*library.Library) (*index.Index, error) {
			err := a.ReadIndex()
			if err == nil {
				a.UseVectors()
			}
			return a.Index, err
		},
		// Without a model, which is too slow at a session's end. An index that must be rebuilt is left to the next
		// sync.
		Pipeline: func(l *library.Library) (*pipeline.Pipeline, error) {
			if err := l.ReadOnly(); err != nil {
				return nil, err
			}
			return a.Indexer()
		},
		Archiver:   func(*library.Library) *pipeline.Archiver { return a.Archiver() },
		Sources:    a.Sources(),
		LibraryDir: c.Library.Dir,
		Cache:      dir,
		Form:       a.PayloadForm("", 0),
		Confirm:    c.Hooks.Confirm,
		Notes:      c.Hooks.Notes,
		Nudge:      c.Hooks.Nudge,
		Pause:      pausing(),
		Waits:      client.Waits(event),
		Late:       client.Late,
	}
	h.Told = func(_ *library.Library, project string) []hooks.Told { return toldByTeam(a, project) }
	h.Forget = func(session string) bool { return a.Background("forget", session, "--yes") }
	if !handed { // what is handed on was logged
		h.Logs = a.WorkLogs()
		h.HandOn = func(in hooks.Input) bool {
			text, err := json.Marshal(in)
			const pipeHolds = 4 << 10 // at least, everywhere
			return err == nil && len(text) <= pipeHolds &&
				app.InBackground(string(text), []string{envHanded + "=1"}, os.Args[1:]...)
		}
	}
	return h, nil
}

// envHanded is set for a hook that was handed on to a process that outlives the one called by the client.
const envHanded = "RECALL_HOOK_HANDED_ON"

// How many news items a new session is told, and their maximum age.
const (
	newsTold = 3
	newsAge  = 7 * 24 * time.Hour
)

// toldByTeam returns others' newest decisions in a project, for a session that starts there.
func toldByTeam(a *app.App, project string) (told []hooks.Told) {
	since := time.Now().Add(-newsAge)
	doc := a.TeamNews(since, project)
	if doc == nil || !a.Config.Team.Told {
		return nil
	}
	a.TeamBeside(false)
	for _, one := range doc.Others {
		if one.Came.After(doc.Looked) && len(told) < newsTold {
			told = append(told, hooks.Told{ID: one.Item.ID, Line: one.Line(time.Now())})
		}
	}
	return told
}

// pausing reports whether config.EnvPause is set to anything but 0 or false.
func pausing() bool {
	value := os.Getenv(config.EnvPause)
	on, err := strconv.ParseBool(value)
	return value != "" && (on || err != nil)
}
