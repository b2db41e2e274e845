package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/hint"
	"recall/index"
	"recall/ingest"
	"recall/library"
	txt "recall/text"
)

// DemoMark is a file in the folder of a demo, beside its library.
const DemoMark = ".recall-demo"

// IsDemo reports whether a library is one that recall demo made.
func IsDemo(l *library.Library) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(l.Dir()), DemoMark))
	return err == nil && filepath.Base(l.Dir()) == "Recall"
}

// EnvSession is where Claude Code tells its MCP servers which session it runs.
const EnvSession = "CLAUDE_CODE_SESSION_ID"

// Read parses a session from the library, secrets out.
func (a *App) Read(ctx context.Context, l *library.Library, e library.Entry) (*ingest.Session, error) {
	p, err := a.Pipeline(l)
	if err != nil {
		return nil, err
	}
	return p.Read(ctx, e.ID)
}

// Indexed opens the index to ask it something, and makes it first where it
// must be.
func (a *App) Indexed(ctx context.Context, l *library.Library) error {
	err := a.ReadIndex(l)
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, index.ErrRebuild) {
		return err
	}
	fmt.Fprintln(a.Err, "recall: the index must be made again from the library; this takes a while, once")
	return a.Reindex(ctx, l)
}

// Named opens the library and finds the session in it that a person names.
func (a *App) Named(ctx context.Context, name string) (*library.Library, library.Entry, error) {
	l, err := a.Library(ctx)
	if err != nil {
		return nil, library.Entry{}, err
	}
	e, err := a.Session(l, name)
	return l, e, err
}

// Session finds the session that a person names.
func (a *App) Session(l *library.Library, name string) (library.Entry, error) {
	e, err := l.Lookup(name)
	var many *library.AmbiguousError
	switch {
	case errors.As(err, &many):
		var list []string
		for _, c := range many.Candidates[:min(len(many.Candidates), 5)] {
			list = append(list, fmt.Sprintf("%s %q", answer.ShortID(c.ID), txt.Clip(terminal.Line(c.Title), 40)))
		}
		return e, hint.With(err, "write more of the id: %s", strings.Join(list, ", "))
	case errors.Is(err, library.ErrNoSession):
		return e, hint.With(err, "recall list shows all; a session is named by its title or the beginning of its id")
	}
	return e, err
}

// ProjectID turns a project's name into its id, "" into "".
func ProjectID(l *library.Library, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	p, err := l.Project(name)
	if errors.Is(err, library.ErrNoProject) {
		return "", hint.With(err, "recall project list names them")
	}
	return p.ID, err
}
