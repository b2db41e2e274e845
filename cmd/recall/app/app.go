// Package app wires up one run: it opens configuration, library, index, pipeline and model, syncs, and finds the
// session, project or item that a person names. It knows no command line: ctx first, no cobra.
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

	"github.com/spf13/pflag"

	"recall/cmd/recall/config"
	"recall/cmd/recall/terminal"
	"recall/distill/offline"
	"recall/index"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/codex"
	"recall/ingest/cowork"
	"recall/ingest/gemini"
	"recall/ingest/opencode"
	"recall/internal/hint"
	"recall/internal/llm"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/improve"
	"recall/team"
)

// App is one run of the program: its streams, its configuration, and what it has opened.
type App struct {
	terminal.Console

	ConfigFile string         // --config
	Flags      *pflag.FlagSet // of the command; nil: none

	Config *config.Config
	Lib    *library.Library
	Index  *index.Index

	vectors *index.Vectors // as far as read; nil before the first search
	model   llm.Model      // nil before it is asked
	purse   *improve.Purse // nil until something is paid for
	shared  bool           // Lib is shared: Close leaves it open

	Again func(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int // runs recall in this process
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
	return c, nil
}

// GlobalFlags returns the flags that name the configuration and the library, for another run.
func (a *App) GlobalFlags() (args []string) {
	if a.ConfigFile != "" {
		args = append(args, "--config", a.ConfigFile)
	}
	if a.LibraryNamed() {
		args = append(args, "--library", a.Flags.Lookup("library").Value.String())
	}
	return args
}

// LibraryNamed reports whether --library was given.
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
		return nil, hint.With(err, "library.toml is missing, but its sessions aren't: recall check --repair recreates it")
	case errors.Is(err, library.ErrNoLibrary):
		return nil, hint.With(err,
			"recall init creates one and imports all your history; recall demo shows it on invented sessions")
	case errors.Is(err, fs.ErrPermission):
		return nil, err
	case errors.Is(err, disk.ErrForeign):
		return nil, hint.With(err, "run recall as that user, or name a library of your own: recall --library DIR")
	case err != nil:
		return nil, hint.With(err, "library.toml holds the library's id and format; recall check --repair recreates it")
	}
	return a.Use(l), nil
}

// CreateLibrary opens the configured library, creating it if there is none.
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

// LibraryToFill opens the configured library for writing, creating it if there is none. The paths in from must exist.
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
		fmt.Fprintf(a.Err, "recall: created a library in %s\n", l.Dir())
		a.WarnPlace(l.Dir())
	}
	return l, nil
}

func (a *App) Use(l *library.Library) *library.Library {
	l.KeepListIn(CacheDir(l))
	a.Lib = l
	return l
}

// CacheDir is the folder for a library's expendable data, such as the index: in the user's cache directory.
func CacheDir(l *library.Library) string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = filepath.Join(l.Dir(), "cache")
	}
	return filepath.Join(base, "recall", l.ID())
}

func IndexPath(l *library.Library) string { return filepath.Join(CacheDir(l), "index.db") }

// OpenIndex opens the index for writing, or creates an empty one.
func (a *App) OpenIndex() (fresh bool, err error) {
	a.closeIndex()
	path := IndexPath(a.Lib)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		fresh = true
	}
	a.Index, err = index.Open(path)
	return fresh, err
}

// ReadIndex opens the index for reading. The error is fs.ErrNotExist or index.ErrRebuild if it must be built first.
func (a *App) ReadIndex() error {
	if a.Index != nil {
		return nil
	}
	x, err := index.OpenRead(IndexPath(a.Lib))
	if err != nil {
		return err
	}
	if buried, err := pipeline.HasForgotten(context.Background(), a.Lib, x); err == nil && !buried {
		x.Close()
		return errHoldsForgotten
	}
	a.Index = x
	return nil
}

// IndexIfThere returns the index, for callers that work without one too, but slower; nil if it can't be read.
func (a *App) IndexIfThere() *index.Index {
	_ = a.ReadIndex()
	return a.Index
}

// errHoldsForgotten means that the index still holds forgotten sessions.
var errHoldsForgotten = fmt.Errorf("it holds what was forgotten: %w", index.ErrRebuild)

// Pipeline returns the pipeline that archives, distills and indexes sessions.
func (a *App) Pipeline() *pipeline.Pipeline {
	var shared pipeline.Shared
	if of := team.CopyOf(a.Lib); of != nil {
		shared = of
	}
	return &pipeline.Pipeline{
		Archiver:  *a.Archiver(),
		Shared:    shared,
		Index:     a.Index,
		Distiller: offline.Distiller{},
		Budget:    a.Config.Payload.Budget,
		Variant:   payload.Variant(a.Config.Payload.Variant),
		Who:       Author(),
		Beside:    func([]ingest.SessionID) error { return forgetAsked(a.Lib) },
	}
}

// Roots returns the configured folders of the sources that aren't found automatically.
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

// Readers returns the readers of all clients.
func Readers() []ingest.Reader {
	return []ingest.Reader{claudecode.Reader{}, cowork.Reader{}, codex.Reader{}, gemini.Reader{}, opencode.Reader{}}
}

// Author names the person who edits payloads on this machine.
func Author() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "somebody"
}
