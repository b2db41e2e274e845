package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/hint"
	"recall/ingest"
	"recall/library"
	"recall/pipeline"
)

// Archiver takes bytes into a library.
func (a *App) Archiver(l *library.Library) *pipeline.Archiver {
	return &pipeline.Archiver{Sources: a.Sources(), Library: l, Cache: CacheDir(l)}
}

// Sources are the configured ones.
func (a *App) Sources() pipeline.Sources {
	return pipeline.Sources{Readers: a.Readers(), Roots: a.Roots(), Exclusion: a.Exclusion}
}

// Exclusion is what isn't to be kept, as the configuration says now: a pause may have begun since it was loaded.
func (a *App) Exclusion() (x ingest.Exclusion) {
	c, err := config.Load(a.Flags, a.ConfigFile, config.ThisSystem())
	if err != nil {
		c = a.Config
	}
	for _, dir := range c.Sources.Exclude {
		x.LeaveOut(dir)
	}
	x.Pauses, _ = ingest.ParsePeriods(c.Sources.Pauses) // as it was checked
	return x
}

// Excluded is the rule by which nothing of what runs in a folder now is kept, "" if none says so.
func (a *App) Excluded(dir string) string {
	return a.Exclusion().Now(dir, time.Now())
}

// TakeInRest continues what the time budget left over, as inBackground does.
func (a *App) TakeInRest(l *library.Library) bool { return a.inBackground(l, "rest") }

// inBackground runs a command of recall's as InBackground does.
func (a *App) inBackground(l *library.Library, command ...string) bool {
	args := []string{"--library", l.Dir()}
	if a.ConfigFile != "" {
		args = append(args, "--config", a.ConfigFile)
	}
	return InBackground("", nil, append(args, command...)...)
}

// InBackground runs recall in a process of its own, which outlives this one, with some more of an
// environment, and with so much to read as a pipe holds. It reports whether that was started.
func InBackground(in string, env []string, args ...string) bool {
	self, err := os.Executable()
	if err != nil || strings.TrimSuffix(strings.ToLower(filepath.Base(self)), ".exe") != "recall" {
		return false // a test, or recall inside another program
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), env...)
	c.SysProcAttr = apart()
	if in != "" {
		out, into, err := os.Pipe()
		if err != nil {
			return false
		}
		defer out.Close()
		_, err = into.WriteString(in)
		if errors.Join(err, into.Close()) != nil {
			return false
		}
		c.Stdin = out
	}
	if err := c.Start(); err != nil {
		return false
	}
	c.Process.Release()
	return true
}

func NoSession(where string) error {
	return hint.With(fmt.Errorf("%s: no session found there", where),
		"a session is a .jsonl file of Claude Code, Codex or Gemini CLI, one in an opencode.db, or a local_….json "+
			"of Cowork with its folder")
}

// TakeIn syncs a library. Where no index can be had it makes new bytes safe all the same: a fault of what may be lost
// costs nothing that may not.
func (a *App) TakeIn(ctx context.Context, l *library.Library, o pipeline.Options) (r pipeline.Report, err error) {
	opened := false
	err = a.mended(l, func() error {
		p, err := a.Indexer(l)
		if opened = err == nil; !opened {
			return err
		}
		bar := terminal.NewProgress(a.Err)
		p.Progress = bar.Show
		r, err = p.Sync(ctx, o)
		a.Until = r.Until
		bar.Done()
		if err == nil && (r.Distilled > 0 || o.Budget == 0) { // a question waits for no page that can't have changed
			a.keepPages(ctx, l)
		}
		return err
	})
	if err == nil {
		a.TeamBeside(l, r.Distilled > 0)
	}
	if err != nil && !opened && !o.Reindex && o.Only == "" {
		fault := err
		r, err = a.Archiver(l).Archive(ctx, pipeline.ArchiveOptions{From: o.From})
		err = errors.Join(fault, err)
	}
	return r, err
}

// Indexer is a pipeline with its index open, that takes in all if that is empty.
func (a *App) Indexer(l *library.Library) (*pipeline.Pipeline, error) {
	fresh, err := a.OpenIndex(l)
	p := a.Pipeline(l)
	if err == nil && fresh {
		err = p.Forget()
	}
	return p, err
}

// WarnPlace says what is wrong with a place for a library.
func (a *App) WarnPlace(dir string) {
	for _, w := range library.Warnings(dir) {
		fmt.Fprintln(a.Err, "recall: warning:", w)
	}
}

// PrintReport says in one line what was done, and lists what wasn't and what the client will delete by itself.
func (a *App) PrintReport(r pipeline.Report) {
	page := struct {
		pipeline.Report
		Did   []string
		Wait  time.Duration // until a large session is made again
		Lines int           // that could not be read
	}{r, Did(r), max(0, time.Until(r.Until)).Round(time.Second), 0}
	for _, u := range r.Unread {
		page.Lines += u.Lines
	}
	a.Form("report", page)
	a.PrintProblems(r.Problems)
}

func (a *App) PrintProblems(problems []ingest.Problem) {
	terminal.Few(problems, 20, func(p ingest.Problem) {
		fmt.Fprintf(a.Err, "recall: skipped: %s: %s\n", terminal.Line(terminal.ShownPath(p.Path)),
			terminal.Line(terminal.ShownPath(p.Why())))
	}, func(n int) { fmt.Fprintf(a.Err, "recall: … and %d more; --json lists all\n", n) })
}
