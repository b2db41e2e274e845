// Package app is the wiring of one run: it opens configuration, library, index, pipeline and model, takes in what is
// new, and finds the session, project or item that is meant. It knows no command line: ctx first, no cobra.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/distill/offline"
	"recall/hint"
	"recall/index"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/codex"
	"recall/ingest/cowork"
	"recall/ingest/gemini"
	"recall/ingest/opencode"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/redact"
	"recall/team/ask"
)

// App is one run of the program: its streams, its configuration, and what it
// has opened.
type App struct {
	In         io.Reader
	Out, Err   io.Writer
	Color      bool
	ConfigFile string         // --config
	Flags      *pflag.FlagSet // of the command that was called; nil: none
	Silent     bool           // nobody reads what a hook prints beside its answer

	Config *config.Config
	Lib    *library.Library
	Index  *index.Index

	asked  *asking
	team   ask.Asker
	shared bool // Lib is others', too

	hinted string // the last way out that was said

	Until time.Time     // when a large session that was put off may be made
	Quiet time.Duration // as WatchOptions has it; set by tests

	Again func(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int // runs recall in this process
}

// Beside is a run of its own, with the same streams and configuration and nothing opened.
func (a *App) Beside() *App {
	return &App{In: a.In, Out: a.Out, Err: a.Err, Color: a.Color, Config: a.Config, ConfigFile: a.ConfigFile}
}

// Close closes what was opened.
func (a *App) Close() {
	a.closeIndex()
	if a.Lib != nil && !a.shared {
		a.Lib.Close()
		a.Lib = nil
	}
}

func (a *App) closeIndex() {
	if a.Index != nil {
		a.Index.Close()
		a.Index = nil
	}
}

// LoadConfig loads the configuration, once.
func (a *App) LoadConfig() (*config.Config, error) {
	if a.Config != nil {
		return a.Config, nil
	}
	c, err := config.Load(a.Flags, a.ConfigFile, config.ThisSystem())
	if err != nil {
		return nil, err
	}
	a.Config = c
	if len(c.Refused) > 0 && !a.Silent {
		more := ""
		if n := len(c.Refused) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more: recall config shows them)", n)
		}
		fmt.Fprintf(a.Err, "recall: warning: %s%s\n"+
			"recall: hint: put it into recall/config.yaml of your configuration folder, or name that file with --config\n",
			terminal.Visible(c.Refused[0]), more)
	}
	return c, nil
}

// Given are the flags that say which configuration and library are meant, as another run gets them.
func (a *App) Given() (args []string) {
	if a.ConfigFile != "" {
		args = append(args, "--config", a.ConfigFile)
	}
	if a.LibraryNamed() {
		args = append(args, "--library", a.Flags.Lookup("library").Value.String())
	}
	return args
}

// Run runs a command of recall's in this process, on the same streams, and returns its exit code.
func (a *App) Run(ctx context.Context, args ...string) int {
	return a.Again(ctx, append(a.Given(), args...), a.In, terminal.Own(a.Out), terminal.Own(a.Err))
}

// LibraryNamed reports whether --library says which library is meant.
func (a *App) LibraryNamed() bool { return a.Flags != nil && a.Flags.Changed("library") }

// Library opens the configured library.
func (a *App) Library(ctx context.Context) (*library.Library, error) {
	if a.Lib != nil {
		return a.Lib, nil
	}
	c, err := a.LoadConfig()
	if err != nil {
		return nil, err
	}
	if c.Library.Dir == "" {
		return nil, hint.With(errors.New("no place for the library: no home folder is known"),
			"set HOME, or name a folder: recall --library DIR, or RECALL_LIBRARY_DIR")
	}
	l, err := library.Open(c.Library.Dir)
	_, registry := os.Stat(filepath.Join(c.Library.Dir, "projects.toml"))
	switch {
	case errors.Is(err, library.ErrNoLibrary) && registry == nil:
		return nil, hint.With(err, "library.toml is gone from it, its sessions aren't: recall check --repair makes it again")
	case errors.Is(err, library.ErrNoLibrary):
		return nil, hint.With(err,
			"recall init makes one and takes in all your history; recall demo shows it on invented sessions")
	case errors.Is(err, fs.ErrPermission):
		return nil, err
	case err != nil:
		return nil, hint.With(err, "library.toml holds the library's id and format; recall check --repair makes it again")
	}
	return a.Use(l), nil
}

// CreateLibrary opens the configured library, and makes it if there is none.
func (a *App) CreateLibrary(ctx context.Context) (l *library.Library, made bool, err error) {
	l, err = a.Library(ctx)
	if !errors.Is(err, library.ErrNoLibrary) {
		return l, false, err
	}
	l, err = library.Create(a.Config.Library.Dir)
	if err != nil {
		return nil, false, err
	}
	return a.Use(l), true, nil
}

// LibraryToFill opens the configured library to take something in, and makes it
// if there is none. What is named to be taken in must be there.
func (a *App) LibraryToFill(ctx context.Context, from []string) (*library.Library, error) {
	for _, path := range from {
		if _, err := os.Stat(path); err != nil {
			return nil, terminal.NoSuchFile("--from "+path, err)
		}
	}
	l, made, err := a.CreateLibrary(ctx)
	if err == nil {
		err = l.ReadOnly()
	}
	if err != nil {
		return nil, err
	}
	if made {
		fmt.Fprintf(a.Err, "recall: made a library in %s\n", l.Dir())
		a.WarnPlace(l.Dir())
	}
	return l, nil
}

func (a *App) Use(l *library.Library) *library.Library {
	l.KeepListIn(CacheDir(l))
	a.Lib = l
	return l
}

// CacheDir is where everything of a library lies that may be lost: the index
// and what was seen, in the user's cache directory.
func CacheDir(l *library.Library) string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = filepath.Join(l.Dir(), "cache")
	}
	return filepath.Join(base, "recall", l.ID())
}

func IndexPath(l *library.Library) string { return filepath.Join(CacheDir(l), "index.db") }

// OpenIndex opens the index for writing, or makes an empty one where there is none.
func (a *App) OpenIndex(l *library.Library) (fresh bool, err error) {
	a.closeIndex()
	path := IndexPath(l)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		fresh = true
	}
	a.Index, err = index.Open(path)
	return fresh, err
}

// ReadIndex opens the index for asking only. The error is fs.ErrNotExist or
// index.ErrRebuild where it must be made (again) first.
func (a *App) ReadIndex(l *library.Library) error {
	if a.Index != nil {
		return nil
	}
	x, err := index.OpenRead(IndexPath(l))
	if err != nil {
		return err
	}
	if buried, err := pipeline.Buried(context.Background(), l, x); err == nil && !buried {
		x.Close()
		return errUnburied
	}
	a.Index = x
	return nil
}

// IndexIfThere is the index for asking what is answered without one too, but slower; nil where it can't be read.
func (a *App) IndexIfThere(l *library.Library) *index.Index {
	_ = a.ReadIndex(l)
	return a.Index
}

// errUnburied: the index holds what was forgotten.
var errUnburied = fmt.Errorf("it holds what was forgotten: %w", index.ErrRebuild)

// Pipeline puts together what takes sessions in.
func (a *App) Pipeline(l *library.Library) *pipeline.Pipeline {
	return &pipeline.Pipeline{
		Archiver:  *a.Archiver(l),
		Index:     a.Index,
		Distiller: offline.Distiller{},
		Rules:     redact.New(),
		Budget:    a.Config.Payload.Budget,
		Variant:   payload.Variant(a.Config.Payload.Variant),
		Who:       Author(),
		Beside:    func(ids []ingest.SessionID) error { return forgetAsked(l, ids) },
	}
}

// Roots are the configured places of sessions, of sources that aren't searched
// for.
func (a *App) Roots() map[ingest.Source][]string {
	roots, of := map[ingest.Source][]string{}, a.Config.Sources
	for source, dirs := range map[ingest.Source][]string{ingest.ClaudeCode: of.ClaudeCode, ingest.Cowork: of.Cowork,
		ingest.Codex: of.Codex, ingest.Gemini: of.Gemini, ingest.OpenCode: of.OpenCode} {
		if !a.Config.Auto("sources." + strings.ReplaceAll(string(source), "-", "_")) {
			roots[source] = dirs
		}
	}
	return roots
}

func Readers() []ingest.Reader {
	return []ingest.Reader{claudecode.Reader{}, cowork.Reader{}, codex.Reader{}, gemini.Reader{}, opencode.Reader{}}
}

// Readers are those that find what the configuration asks for.
func (a *App) Readers() []ingest.Reader {
	return []ingest.Reader{claudecode.Reader{FileHistory: a.Config.Sources.History}, cowork.Reader{},
		codex.Reader{}, gemini.Reader{}, opencode.Reader{}}
}

// Author is who edits payloads by hand on this machine.
func Author() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "somebody"
}
