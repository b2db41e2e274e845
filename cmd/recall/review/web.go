package review

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/ingest"
	"recall/internal/hint"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/review"
	"recall/serve/hooks"
	"recall/serve/web"
)

// newWebCmd serves the pages until interrupted. Each Enter prints another link.
func newWebCmd(a *app.App) *cobra.Command {
	var o struct {
		Port     int
		ReadOnly bool
		NoOpen   bool
		NewLogin bool
	}
	return option.Run(a, "web", func(fs *option.Flags) {
		fs.Number(&o.Port, "port", "", 0, "the port to listen on; 0 for that of the last time or, if it is taken, a free one")
		fs.BoolVar(&o.ReadOnly, "read-only", false, "show everything, change nothing")
		fs.BoolVar(&o.NoOpen, "no-open", false, "open no browser, only print the link")
		fs.BoolVar(&o.NewLogin, "new-login", false, "let in no browser that was let in before")
	}, func(ctx context.Context, _ []string) error {
		l := a.Lib // which pages use while this run may be closing
		served, index := a.Served(), app.IndexPath(l)
		served.Kept = l                    // so that what it has cached of its sessions is used for every page
		go func() { _, _ = l.Catalog() }() // preload while the link is being opened; a page reports errors
		s, err := web.New(web.Options{
			Open: func(ctx context.Context, fresh bool) (*web.Memory, error) {
				b, behind, err := served.Open(ctx, true, fresh)
				if err != nil {
					return nil, err
				}
				m := memoryOf(ctx, b, behind)
				m.Stamp = l.Stamp(index, index+"-wal")
				return m, nil
			},
			Stamp:    func() string { return web.StampOf(index, index+"-wal") },
			ReadOnly: o.ReadOnly,
			Profile:  filepath.Join(app.CacheDir(l), "web.json"),
			NewLogin: o.NewLogin,
			Log:      slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})),
		})
		if err != nil {
			return err
		}
		on, err := s.Listen(o.Port)
		if err != nil {
			return hint.With(err, "omit --port to use any free one")
		}
		link := func() { fmt.Fprintln(a.Out, s.Link(on)) }
		link()
		fmt.Fprintln(a.Err, "recall: open that link; it works once. Enter prints another one, Ctrl-C stops the server")
		if !o.NoOpen && terminal.IsTerminal(a.Out) {
			terminal.OpenBrowser(s.Link(on)) // where other users can read it, the server refuses them
		}
		if in, ok := a.In.(*os.File); ok && terminal.IsTerminal(in) {
			app.ReadAnyway()
			go func() {
				for lines := bufio.NewScanner(in); lines.Scan(); {
					link()
				}
			}()
		}
		return s.Serve(ctx, on)
	})
}

// mostOthers is the number of other people's decisions that a page shows.
const mostOthers = 10

// memoryOf returns what a page can read and change of a library, by an app whose index is open.
func memoryOf(ctx context.Context, b *app.App, behind answer.Behind) *web.Memory {
	p := b.Pipeline()
	return &web.Memory{Pipeline: p, Behind: behind, Close: b.Close, Prices: b.Config.LLM.Prices,
		Ask: func(ctx context.Context, q answer.Question) (answer.Answer, error) {
			return b.Ask(ctx, q, nil)
		},
		Compose: func(project string) (*payload.Payload, error) { return b.Compose(ctx, project) },
		Others: func(project string) (lines []string) {
			if team := b.TeamNews(time.Time{}, project); team != nil {
				for _, one := range team.Others[:min(len(team.Others), mostOthers)] {
					lines = append(lines, one.Line(time.Now()))
				}
			}
			return lines
		},
		Shared: func(id string) (*answer.Shared, error) { return b.SharedSession(ctx, id) },
		HandOn: func(p *payload.Payload, variant string) string {
			return b.RenderPayload(p, variant, 0)
		}, HookFaults: hooks.Faults,
		Resume: func(e library.Entry, s *ingest.Session) web.Resumed {
			r, err := p.PlanRestore(ctx, e, pipeline.RestoreOptions{Parsed: s})
			how := web.Resumed{Command: terminal.ResumeCommand(r)}
			switch {
			case err != nil:
				how = web.Resumed{Why: err.Error()}
			case how.Command == "":
				how.Why = e.Source.Client().Name + " has no command that continues a session"
			case r.Missing():
				how.Why = "its client has deleted it: first run recall restore " + payload.ShortID(e.ID)
			case r.NoDir:
				how.Why = "the folder that it worked in isn't there now"
			}
			return how
		},
		Say: func(items []review.Unseen, word payload.Op, line string) (err error) {
			r := NewReviewer(ctx, b)
			for _, u := range items {
				err = errors.Join(err, r.say(u, word, line, string(word)))
			}
			return errors.Join(err, r.Finish())
		},
		Settle: func(link payload.Link, later, earlier payload.ItemID) error {
			return linkItems(ctx, b, link, string(later), string(earlier))
		},
		Mark: func(session ingest.SessionID, m payload.Mark, name string) error {
			e, err := b.Lib.Session(session)
			if err != nil {
				return err
			}
			return markOne(ctx, b, e, m, name)
		},
	}
}
