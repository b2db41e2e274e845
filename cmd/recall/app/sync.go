package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/eval"
	"recall/hint"
	"recall/index"
	"recall/index/embed"
	"recall/ingest"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/vectors"
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
	a.printProblems(r.Problems, "recall sync --json") // init has no --json
}

// PrintProblems lists what was skipped. A disk without room is told of once.
func (a *App) PrintProblems(problems []ingest.Problem) { a.printProblems(problems, "--json") }

func (a *App) printProblems(problems []ingest.Problem, all string) {
	skipped := func(p ingest.Problem) {
		fmt.Fprintf(a.Err, "recall: skipped: %s: %s\n", terminal.Line(terminal.ShownPath(p.Path)),
			terminal.Line(terminal.ShownPath(p.Why())))
	}
	var full, others []ingest.Problem
	for _, p := range problems {
		if library.Full(p.Reason) != nil {
			full = append(full, p)
		} else {
			others = append(others, p)
		}
	}
	terminal.Few(others, 20, skipped,
		func(n int) { fmt.Fprintf(a.Err, "recall: … and %d more; %s lists all\n", n, all) })
	terminal.Few(full, 1, skipped, func(n int) { fmt.Fprintf(a.Err, "recall: … and %d more for want of room\n", n) })
	if len(full) > 0 {
		a.SayHint(library.Full(full[0].Reason))
	}
}

// SayHint says the way out of an error, where one is known that wasn't said last.
func (a *App) SayHint(err error) {
	if way := hint.Of(err); way != "" && way != a.hinted {
		fmt.Fprintf(a.Err, "recall: hint: %s\n", terminal.Visible(way))
		a.hinted = way
	}
}

// Damage of the index may show only when it is written: whatever writes it goes through mended.

// mended does something with the index. Where that turns out to be damaged it is removed, and all is done once more
// with an empty one.
func (a *App) mended(l *library.Library, do func() error) error {
	err := do()
	if !errors.Is(err, index.ErrRebuild) {
		return err
	}
	a.SayDamaged(err)
	if err := a.RemoveIndex(l); err != nil {
		return err
	}
	return do()
}

// OnIndex does something that needs the index and writes to it. One that isn't there or is damaged is made from the
// library first.
func (a *App) OnIndex(ctx context.Context, l *library.Library, do func(*pipeline.Pipeline) error) error {
	return a.mended(l, func() error {
		if _, err := os.Stat(IndexPath(l)); errors.Is(err, fs.ErrNotExist) {
			if err := a.refill(ctx, l); err != nil {
				return err
			}
		}
		if _, err := a.OpenIndex(l); err != nil {
			return err
		}
		return do(a.Pipeline(l))
	})
}

// ForgetSessions forgets them in the library, the index and the caches. A damaged
// index can't be trusted to lose anything: it goes whole, and is made again from
// the library, where they aren't any more.
func (a *App) ForgetSessions(ctx context.Context, l *library.Library, texts *library.Needles,
	ids ...ingest.SessionID) (left []string, err error) {
	fresh := false
	err = a.mended(l, func() (err error) {
		if fresh, err = a.OpenIndex(l); err != nil {
			return err
		}
		p := a.Pipeline(l)
		if fresh {
			err = p.Forget() // of what is in the index: a sync fills it if the rest here fails
		}
		if err == nil {
			left, err = p.ForgetSessions(ctx, texts, ids...)
		}
		return err
	})
	if err == nil && fresh {
		err = a.refill(ctx, l)
	}
	return left, err
}

// forgetAsked removes what the cache has of sessions beside the index: the last answers, and what recall eval keeps.
func forgetAsked(l *library.Library, ids []ingest.SessionID) error {
	if err := os.RemoveAll(LastDir(l)); err != nil {
		return err
	}
	dir, err := RunsDir()
	if err != nil {
		return nil // then it keeps none
	}
	return eval.Forget(dir, ids)
}

// refill makes the index again from the library. What could not be read there is
// told, and no error.
func (a *App) refill(ctx context.Context, l *library.Library) error {
	err := a.Reindex(ctx, l)
	if code := ExitCode(0); errors.As(err, &code) {
		return nil
	}
	return err
}

func (a *App) SayDamaged(err error) {
	fmt.Fprintf(a.Err, "recall: %v; making it again from the library\n", err)
}

// RemoveIndex removes the index, which is closed before.
func (a *App) RemoveIndex(l *library.Library) error {
	a.closeIndex()
	return index.Remove(IndexPath(l))
}

func (a *App) Reindex(ctx context.Context, l *library.Library) error {
	// What can't be made again must not be removed first. A library of a newer
	// format is only read.
	if l.ReadOnly() == nil {
		if err := l.Journal("reindex", nil); err != nil {
			return err
		}
	}
	if err := a.RemoveIndex(l); err != nil {
		return err
	}
	report, err := a.TakeIn(ctx, l, pipeline.Options{Reindex: true})
	if err != nil {
		return err
	}
	if v, err := a.Vectors(l); err == nil && v.Model != nil { // else a search says why
		if err := v.Restore(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.Err, "recall: indexed %s with %s\n", answer.Count(report.Indexed, "session"),
		answer.Count(report.Items, "item"))
	a.PrintProblems(report.Problems)
	if report.Skipped() {
		// What the library can't give the sources may: the next sync looks at all of them.
		return cmp.Or(a.ForgetSeen(l), error(ExitCode(ExitPartial)))
	}
	return nil
}

// ForgetSeen has the next sync look at everything again.
func (a *App) ForgetSeen(l *library.Library) error { return a.Pipeline(l).Forget() }

// UseVectors has searches use the configured model's vectors, which lie in the index.
func (a *App) UseVectors(ctx context.Context) error {
	e, err := a.Config.Embedder()
	if err != nil {
		fmt.Fprintf(a.Err, "recall: warning: words alone are searched: %s\n", terminal.Line(err.Error()))
		return nil
	}
	if e == nil {
		return nil
	}
	has, err := a.Index.HasVectors(ctx, e.Model())
	if err != nil {
		return err
	}
	if !has {
		fmt.Fprintf(a.Err, "recall: no vectors of %s yet, words alone are searched; recall vectors makes them\n",
			e.Model())
		return nil
	}
	a.Index.UseVectors(e, float64(a.Config.Query.Weight)/100)
	return nil
}

// Vectors are those of the configured model; of none if there is none.
func (a *App) Vectors(l *library.Library) (vectors.Vectors, error) {
	e, err := a.Config.Embedder()
	return vectors.Vectors{Library: l, Index: a.Index, Model: e,
		Warn: func(err error) { fmt.Fprintf(a.Err, "recall: warning: %v\n", err) }}, err
}

// LexiconFile is where a user's own words for one another may stand, beside
// config.yaml: see embed.ParseGroups.
const LexiconFile = "lexicon.txt"

// UseLexicon has searches use the user's own lexicon, if there is one.
func (a *App) UseLexicon() error {
	beside, err := a.Config.OwnConfig(config.ThisSystem())
	if err != nil {
		return nil // there is no place for one
	}
	file := filepath.Join(filepath.Dir(beside), LexiconFile)
	b, err := library.ReadRegular(file, config.MostOfNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("your lexicon: %w", err)
	}
	own, err := embed.ParseGroups(string(b))
	if err != nil {
		return hint.With(fmt.Errorf("%s: %w", file, err),
			`a line is a group of words for one concept: pipeline|conveyor|transporter belt`)
	}
	a.Index.UseLexicon(own)
	return nil
}
