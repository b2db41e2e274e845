package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"recall/distill/offline"
	"recall/hooks"
	"recall/index"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

func (a *app) hookCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "hook EVENT",
		Short: "What Claude Code calls (see recall hooks)",
		Long: `Reads what the client sends on stdin and answers on stdout. It is not for
people: recall hooks install has the client call it. Whatever goes wrong, it
says nothing and its exit code is 0; hooks.log in the cache folder has the
reason.

Events: session-start, user-prompt-submit, pre-tool-use, pre-compact, session-end.`,
		Example:           `  echo '{"session_id":"x","cwd":"'$PWD'","source":"startup"}' | recall hook session-start`,
		GroupID:           "look",
		ValidArgsFunction: cobra.FixedCompletions(hooks.Words(), cobra.ShellCompDirectiveNoFileComp),
		Args:              cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.hook(cmd.Context(), args)
			return nil
		},
	}
}

// isHook reports whether the client calls: then nothing may be said but an answer,
// and the exit code is 0, since 2 would stop a prompt.
func isHook(args []string) bool {
	i := slices.Index(args, "hook")
	return i >= 0 && i == len(args)-2 && (i == 0 || args[0][0] == '-')
}

// hook answers an event. What goes wrong is for the log.
func (a *app) hook(ctx context.Context, args []string) {
	start := time.Now()
	var event hooks.Event
	var in hooks.Input
	dir := hooksDir()
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
		if event, err = hooks.ParseEvent(args[0]); err != nil || calledTwice() {
			return err
		}
		if in, err = readHook(a.in); err != nil && !errors.Is(err, hooks.ErrNoInput) {
			return err
		}
		h, herr := a.hookHost(ctx, dir)
		if herr != nil {
			return herr
		}
		if err != nil {
			if in, err = hooks.FromSurroundings(event, os.Getenv, h.Roots(claudecode.Reader{})); err != nil {
				return err
			}
		}
		answer, err := h.Run(ctx, event, in)
		if h.LeftBehind.Load() {
			a.lib, a.ix = nil, nil // what hangs would hang in closing, too
		}
		if text := answer.JSON(event); text != nil {
			werr := a.writeJSON(string(text) + "\n")
			err = errors.Join(err, werr)
		}
		return err
	}()
	if fault != nil {
		hooks.Log(dir, event, in, time.Since(start), fault)
	}
}

// readHook reads stdin until nothing comes for a second: a client that never
// closes it must not be waited for.
func readHook(r io.Reader) (hooks.Input, error) {
	type result struct {
		in  hooks.Input
		err error
	}
	quiet := time.NewTimer(hookQuiet)
	defer quiet.Stop()
	done := make(chan result, 1)
	go func() {
		in, err := hooks.ReadInput(&heard{r, quiet})
		done <- result{in, err}
	}()
	select {
	case r := <-done:
		return r.in, r.err
	case <-quiet.C:
		return hooks.Input{}, errors.New("nothing came on stdin")
	}
}

const hookQuiet = time.Second

// heard is a reader that begins to wait anew whenever something comes, and has
// nothing to wait for at its end.
type heard struct {
	io.Reader
	quiet *time.Timer
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if err != nil {
		h.quiet.Stop()
	} else {
		h.quiet.Reset(hookQuiet)
	}
	return n, err
}

// hooksDir is where hooks keep their memos and their log.
func hooksDir() string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, "recall", "hooks")
}

// hookHost is what hooks work with: everything offline, and opened on demand.
func (a *app) hookHost(ctx context.Context, dir string) (*hooks.Host, error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	open := func(wait time.Duration) (*library.Library, error) {
		l, err := a.library(ctx)
		if err == nil {
			l.LockWait(wait)
		}
		return l, err
	}
	return &hooks.Host{
		Library: open,
		Index:   func(l *library.Library) (*index.Index, error) { return a.ix, a.readIndex(l) },
		Pipeline: func(l *library.Library, toIndex bool) (*pipeline.Pipeline, error) {
			return a.hookPipeline(l, toIndex)
		},
		Readers: a.readers(),
		Roots: func(r ingest.Reader) []string {
			return (&pipeline.Pipeline{Readers: a.readers(), Roots: a.roots()}).RootsOf(r)
		},
		LibraryDir: c.Library.Dir,
		Cache:      dir,
		Variant:    payload.Variant(c.Payload.Variant),
		Confirm:    c.Hooks.Confirm,
		Notes:      c.Hooks.Notes,
		Parent:     os.Getppid(),
	}, nil
}

// hookPipeline archives, and where it is to index also distills: by rules, since
// a session's end is no time to ask a model. An index that must be made again
// isn't, which would take a while: the next sync does it.
func (a *app) hookPipeline(l *library.Library, toIndex bool) (*pipeline.Pipeline, error) {
	if !toIndex {
		return a.archiver(l), nil
	}
	if err := l.ReadOnly(); err != nil {
		return nil, err
	}
	fresh, err := a.openIndex(l)
	if err != nil {
		return nil, err
	}
	p, err := a.pipeline(l)
	if err != nil {
		return nil, err
	}
	p.Distiller = offline.Distiller{}
	if fresh {
		err = p.Forget()
	}
	return p, err
}
