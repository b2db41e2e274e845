package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"recall/distill"
	"recall/distill/offline"
	"recall/index"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/cowork"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/redact"
)

// app is one run of the program: its streams, its configuration, and what it
// has opened.
type app struct {
	in         io.Reader
	out, err   io.Writer
	color      bool
	configFile string         // --config
	flags      *pflag.FlagSet // of the command that was called; nil: none
	silent     bool           // nobody reads what a hook prints beside its answer

	cfg *Config
	lib *library.Library
	ix  *index.Index

	asked *asking

	until time.Time     // when a large session that was put off may be made
	quiet time.Duration // as WatchOptions has it; set by tests

	again func(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int // runs recall in this process
}

// close closes what was opened.
func (a *app) close() {
	if a.ix != nil {
		a.ix.Close()
		a.ix = nil
	}
	if a.lib != nil {
		a.lib.Close()
		a.lib = nil
	}
}

// config loads the configuration, once.
func (a *app) config() (*Config, error) {
	if a.cfg != nil {
		return a.cfg, nil
	}
	c, err := loadConfig(a.flags, a.configFile, os.Environ(), thisSystem())
	if err != nil {
		return nil, err
	}
	a.cfg = c
	if len(c.Refused) > 0 && !a.silent {
		more := ""
		if n := len(c.Refused) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more: recall config shows them)", n)
		}
		fmt.Fprintf(a.err, "recall: warning: %s%s\n"+
			"recall: hint: put it into recall/config.yaml of your configuration folder, or name that file with --config\n",
			visible(c.Refused[0]), more)
	}
	return c, nil
}

// libraryNamed reports whether --library says which library is meant.
func (a *app) libraryNamed() bool { return a.flags != nil && a.flags.Changed("library") }

// library opens the configured library.
func (a *app) library(ctx context.Context) (*library.Library, error) {
	if a.lib != nil {
		return a.lib, nil
	}
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	if c.Library.Dir == "" {
		return nil, withHint(errors.New("no place for the library: no home folder is known"), "set HOME, or name a folder: recall --library DIR, or RECALL_LIBRARY_DIR")
	}
	l, err := library.Open(c.Library.Dir)
	switch {
	case errors.Is(err, library.ErrNoLibrary):
		return nil, withHint(err, "recall init makes one and takes in all your history; recall demo shows it on invented sessions")
	case errors.Is(err, fs.ErrPermission):
		return nil, err
	case err != nil:
		return nil, withHint(err, "library.toml holds the library's id and format; recall repair makes it again")
	}
	return a.use(l), nil
}

// createLibrary opens the configured library, and makes it if there is none.
func (a *app) createLibrary(ctx context.Context) (l *library.Library, made bool, err error) {
	l, err = a.library(ctx)
	if !errors.Is(err, library.ErrNoLibrary) {
		return l, false, err
	}
	l, err = library.Create(a.cfg.Library.Dir)
	if err != nil {
		return nil, false, err
	}
	return a.use(l), true, nil
}

// libraryToFill opens the configured library to take something in, and makes it
// if there is none. What is named to be taken in must be there.
func (a *app) libraryToFill(ctx context.Context, from []string) (*library.Library, error) {
	for _, path := range from {
		if _, err := os.Stat(path); err != nil {
			return nil, noSuchFile("--from "+path, err)
		}
	}
	l, made, err := a.createLibrary(ctx)
	if err == nil {
		err = l.ReadOnly()
	}
	if err != nil {
		return nil, err
	}
	if made {
		fmt.Fprintf(a.err, "recall: made a library in %s\n", l.Dir())
		a.warnPlace(l)
	}
	return l, nil
}

func (a *app) use(l *library.Library) *library.Library {
	l.KeepListIn(cacheDir(l))
	a.lib = l
	return l
}

// cacheDir is where everything of a library lies that may be lost: the index
// and what was seen, in the user's cache directory.
func cacheDir(l *library.Library) string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = filepath.Join(l.Dir(), "cache")
	}
	return filepath.Join(base, "recall", l.ID())
}

func indexPath(l *library.Library) string { return filepath.Join(cacheDir(l), "index.db") }

// index opens the index for writing. One that can't be used is removed and
// made again; fresh says that it is empty.
func (a *app) index(l *library.Library) (fresh bool, err error) {
	fresh, err = a.openIndex(l)
	if errors.Is(err, index.ErrRebuild) {
		a.sayDamaged(err)
		if err := a.removeIndex(l); err != nil {
			return false, err
		}
		fresh, err = a.openIndex(l)
	}
	return fresh, err
}

// openIndex opens the index for writing, or makes an empty one where there is none.
func (a *app) openIndex(l *library.Library) (fresh bool, err error) {
	if a.ix != nil {
		a.ix.Close()
		a.ix = nil
	}
	path := indexPath(l)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		fresh = true
	}
	a.ix, err = index.Open(path)
	return fresh, err
}

// readIndex opens the index for asking only. The error is fs.ErrNotExist or
// index.ErrRebuild where it must be made (again) first.
func (a *app) readIndex(l *library.Library) error {
	if a.ix != nil {
		return nil
	}
	x, err := index.OpenRead(indexPath(l))
	if err != nil {
		return err
	}
	a.ix = x
	return nil
}

// pipeline puts together what takes sessions in.
func (a *app) pipeline(l *library.Library) (*pipeline.Pipeline, error) {
	rules, err := redact.New()
	if err != nil {
		return nil, err
	}
	return &pipeline.Pipeline{
		Library:   l,
		Index:     a.ix,
		Readers:   a.readers(),
		Roots:     a.roots(),
		Distiller: a.distiller(),
		Rules:     rules,
		Cache:     cacheDir(l),
		Budget:    a.cfg.Payload.Budget,
		Variant:   payload.Variant(a.cfg.Payload.Variant),
		Who:       author(),
	}, nil
}

// roots are the configured places of sessions, of sources that aren't searched
// for.
func (a *app) roots() map[ingest.Source][]string {
	roots := map[ingest.Source][]string{}
	if !a.cfg.Auto("sources.claude_code") {
		roots[ingest.ClaudeCode] = a.cfg.Sources.ClaudeCode
	}
	if !a.cfg.Auto("sources.cowork") {
		roots[ingest.Cowork] = a.cfg.Sources.Cowork
	}
	return roots
}

// distiller is what makes payloads, as configured.
func (a *app) distiller() distill.Distiller { return offline.Distiller{} }

func readers() []ingest.Reader { return []ingest.Reader{claudecode.Reader{}, cowork.Reader{}} }

// readers are those that find what the configuration asks for.
func (a *app) readers() []ingest.Reader {
	return []ingest.Reader{claudecode.Reader{FileHistory: a.cfg.Sources.History}, cowork.Reader{}}
}

// author is who edits payloads by hand on this machine.
func author() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "somebody"
}
