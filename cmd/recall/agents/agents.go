// Package agents holds the commands that serve Claude Code and other agents: hooks and the MCP server.
package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	"recall/internal/hint"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/serve/hooks"
)

// Commands are the commands that serve Claude Code and other agents.
var Commands = option.Makers{
	"hook": newHookCmd, "hooks": newHooksCmd, "mcp": newMcpCmd,
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

// IsHook reports whether the client is calling: then only an answer may be printed, and the exit code must be 0, since
// 2 would stop a prompt.
func IsHook(args []string) bool {
	i := slices.Index(args, "hook")
	return i >= 0 && i == len(args)-2 && (i == 0 || args[0][0] == '-')
}

// runHook answers an event. Errors go to the log.
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
			a.TeamBeside(true)
		}
		if h.LeftBehind.Load() {
			a.Lib, a.Index = nil, nil // closing would hang as well
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

// hookHost returns what hooks work with: everything offline, and opened on demand.
func hookHost(ctx context.Context, a *app.App, dir string) (*hooks.Host, error) {
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
		Index:   func(l *library.Library) (*index.Index, error) { return a.Index, a.ReadIndex() },
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
		Variant:    payload.Variant(c.Payload.Variant),
		Confirm:    c.Hooks.Confirm,
		Notes:      c.Hooks.Notes,
		Nudge:      c.Hooks.Nudge,
		Progress:   c.Hooks.Progress && !handed,
		Parent:     os.Getppid(),
		Pause:      pausing(),
	}
	h.Told = func(_ *library.Library, project string) []hooks.Told { return toldByTeam(a, project) }
	h.Forget = func(session string) bool {
		return app.InBackground("", nil, append(a.GlobalFlags(), "forget", session, "--yes")...)
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

// envHanded is set for a hook that was handed on to a process that outlives the one called by the client.
const envHanded = "RECALL_HOOK_HANDED_ON"

func newHooksCmd(a *app.App) *cobra.Command {
	return option.Group("hooks", newHooksInstallCmd(a), newHooksUninstallCmd(a), newHooksStatusCmd(a))
}

// scope selects the settings file.
type scope struct{ Project, User, DryRun bool }

func newHooksInstallCmd(a *app.App) *cobra.Command {
	var s scope
	return option.Do("hooks-install", func(fs *option.Flags) {
		fs.BoolVar(&s.DryRun, "dry-run", false, "print the resulting file, and change nothing")
		fs.BoolVar(&s.Project, "project", false, "the current folder's settings, .claude/settings.json")
		fs.BoolVar(&s.User, "user", false, "the user's settings (the default)")
		fs.Apart("project", "user")
	}, func(ctx context.Context, _ []string) error {
		program, err := thisProgram(a)
		if err == nil {
			err = s.change(a, func(path string) (hooks.Change, error) { return hooks.PlanInstall(path, program) },
				"hooks are in", "hooks were already in")
		}
		if err == nil && !s.DryRun {
			tellNoLibrary(ctx, a)
		}
		return err
	})
}

func newHooksUninstallCmd(a *app.App) *cobra.Command {
	var s scope
	return option.Do("hooks-uninstall", func(fs *option.Flags) {
		fs.BoolVar(&s.DryRun, "dry-run", false, "print the resulting file, and change nothing")
		fs.BoolVar(&s.Project, "project", false, "the current folder's settings, .claude/settings.json")
		fs.BoolVar(&s.User, "user", false, "the user's settings (the default)")
		fs.Apart("project", "user")
	}, func(context.Context, []string) error {
		return s.change(a, hooks.PlanUninstall, "no hooks of recall are left in", "no hooks of recall are in")
	})
}

// change plans a change of the settings, makes it and reports it.
func (s scope) change(a *app.App, plan func(path string) (hooks.Change, error), done, already string) error {
	path, err := hooks.SettingsFile(s.Project)
	if err == nil && s.Project {
		err = hooks.StaysInside(filepath.Dir(filepath.Dir(path)), path)
	}
	if err != nil {
		return err
	}
	c, err := plan(path)
	if err != nil {
		return hint.With(err, "correct the file by hand; claude itself can't read it either")
	}
	switch {
	case !c.Differs():
		fmt.Fprintf(a.Out, "%s %s\n", already, c.Path)
	case s.DryRun && c.Removes:
		fmt.Fprintf(a.Err, "recall: would remove %s\n", c.Path)
	case s.DryRun:
		fmt.Fprintf(a.Err, "recall: would write %s\n", c.Path)
		_, err := a.Out.Write(c.After)
		return err
	default:
		if err := c.Do(); err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return hint.With(err, "make it writable, or put the output of recall hooks install --dry-run there yourself")
			}
			return err
		}
		fmt.Fprintf(a.Out, "%s %s\n", done, c.Path)
		if c.Backup != "" {
			fmt.Fprintf(a.Err, "recall: a copy of the previous file is in %s\n", c.Backup)
		}
	}
	if c.Plugin && !c.Removes && bytes.Contains(c.After, []byte("session-start")) {
		fmt.Fprintf(a.Err, "recall: warning: recall's plugin is enabled in %s and has the same hooks; one of the two "+
			"is enough\n", c.Path)
	}
	if c.Off {
		fmt.Fprintf(a.Err, "recall: warning: %s says disableAllHooks: the client runs none\n", c.Path)
	}
	return nil
}

// thisProgram is what the client should start: this program, by a path that survives an upgrade if there is one, with
// the flags given here.
func thisProgram(a *app.App) (hooks.Program, error) {
	exe, err := app.Self()
	if err != nil {
		return hooks.Program{}, err
	}
	p := hooks.Program{Path: exe, Args: a.GlobalFlags()}
	for i := 1; i < len(p.Args) && err == nil; i += 2 {
		p.Args[i], err = filepath.Abs(p.Args[i])
	}
	return p, err
}

func newHooksStatusCmd(a *app.App) *cobra.Command {
	return option.Result(a, "hooks-status", nil, func(ctx context.Context, _ []string) (doc hooks.Status, err error) {
		program, err := thisProgram(a)
		if err == nil {
			doc, err = hooks.Look(program)
		}
		switch {
		case err != nil:
			return doc, err
		case !doc.Installed && !doc.Plugin:
			return doc, app.ExitCode(app.ExitNothing)
		}
		tellNoLibrary(ctx, a)
		return doc, nil
	}, func(a *app.App, doc hooks.Status) { a.Form("hooks", doc) })
}

// tellNoLibrary explains why the hooks do nothing yet.
func tellNoLibrary(ctx context.Context, a *app.App) {
	if _, err := a.Library(ctx); errors.Is(err, library.ErrNoLibrary) {
		fmt.Fprintln(a.Err, "recall: there is no library yet, so they do nothing: recall init creates it and imports all "+
			"your history")
	}
}

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
