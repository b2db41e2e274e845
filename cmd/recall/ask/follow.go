package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/distill/offline"
	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/redact"
	"recall/library"
	"recall/pipeline"
)

func newFollowCmd(a *app.App) *cobra.Command {
	var o struct{ Once, JSON bool }
	return option.Do("follow", &o, func(ctx context.Context, args []string) error {
		f, p, err := running(ctx, a, args)
		if err != nil {
			return err
		}
		w := &follower{App: a, p: p, found: f, asJSON: o.JSON, seen: map[string]bool{}}
		return w.follow(ctx, o.Once || o.JSON)
	})
}

// running finds the session to follow, at its source.
func running(ctx context.Context, a *app.App, args []string) (ingest.Found, *pipeline.Pipeline, error) {
	if _, err := a.LoadConfig(); err != nil {
		return ingest.Found{}, nil, err
	}
	rules := redact.New()
	p := &pipeline.Pipeline{Archiver: pipeline.Archiver{Sources: a.Sources()}, Distiller: offline.Distiller{},
		Rules: rules}
	l, err := a.Library(ctx)
	switch {
	case err == nil:
		p.Library, p.Cache = l, app.CacheDir(l)
	case !errors.Is(err, library.ErrNoLibrary):
		return ingest.Found{}, nil, err
	}
	name := os.Getenv(app.EnvSession)
	if len(args) > 0 {
		name = args[0]
	}
	dir, err := os.Getwd()
	if err != nil {
		return ingest.Found{}, nil, err
	}
	f, err := p.Running(ctx, name, dir)
	if errors.Is(err, library.ErrNoSession) && len(args) == 0 && name != "" { // the calling session has no file yet
		f, err = p.Running(ctx, "", dir)
	}
	switch {
	case errors.Is(err, pipeline.ErrNowhere):
		err = hint.With(err, "recall status lists where sessions are looked for")
	case !errors.Is(err, library.ErrNoSession):
	case len(args) > 0:
		err = hint.With(fmt.Errorf("%q: no such session at any source", name),
			"recall show SESSION prints the library's copy if its source is gone")
	default:
		err = hint.With(errors.New("no session is running here, and none has run"),
			"recall follow --once SESSION shows an old one; recall list shows them")
	}
	return f, p, err
}

// follower prints a session's log as it grows.
type follower struct {
	*app.App
	p      *pipeline.Pipeline
	found  ingest.Found
	asJSON bool
	seen   map[string]bool // printed lines
	titled bool
}

// The least interval between reads of a session, and the factor of rest for the time a read took.
const (
	lookEvery = time.Second
	lookRest  = 10
)

func (w *follower) follow(ctx context.Context, once bool) error {
	var size int64
	for {
		begun := time.Now()
		if now := w.size(); now != size || size == 0 {
			size = now
			err := w.print(ctx)
			switch {
			case !once && ctx.Err() != nil:
				return nil // Ctrl-C is the normal end
			case err != nil:
				return err
			}
		}
		if once {
			return nil
		}
		if !w.titled {
			return errors.New("nothing in it yet")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(max(lookEvery, lookRest*time.Since(begun))):
		}
	}
}

// size returns the current size of the session's files.
func (w *follower) size() int64 {
	var n int64
	for _, f := range w.found.Files {
		if now, err := ingest.FileNow(f.Name, f.Role, f.Path); err == nil {
			n += now.Size
		}
	}
	return n
}

func (w *follower) print(ctx context.Context) error {
	s, _, err := w.p.ReadSource(ctx, w.found)
	if err != nil {
		return err
	}
	log, err := history.Progress(ctx, s)
	if err != nil {
		return err
	}
	st := terminal.Styles(w.Color)
	if !w.titled && !w.asJSON {
		title := s.Title
		if title == "" {
			title = "no title yet"
		}
		fmt.Fprintf(w.Out, "%s%s%s %s%s%s\n", st.Bold, terminal.Line(title), st.Reset, st.Dim, answer.ShortID(s.ID),
			st.Reset)
	}
	w.titled = true
	for _, d := range log {
		key := d.What + "\x00" + d.Text
		if w.seen[key] {
			continue
		}
		w.seen[key] = true
		if w.asJSON {
			if err := json.NewEncoder(w.Out).Encode(d); err != nil {
				return err
			}
			continue
		}
		w.line(d, st)
	}
	return nil
}

func (w *follower) line(d history.Step, st terminal.Style) {
	color := map[string]string{"decided": st.Green, "tried": st.Red, "error": st.Red, "flag": st.Yellow,
		"refused": st.Red, "asked": st.Dim}[d.What]
	at := "     "
	if !d.At.IsZero() {
		at = d.At.Local().Format("15:04")
	}
	reset := st.Reset
	if color == "" {
		reset = ""
	}
	fmt.Fprintf(w.Out, "%s  %s%-8s%s %s\n", at, color, d.What, reset, terminal.Clip(d.Text, terminal.Width(w.Out)-16))
}
