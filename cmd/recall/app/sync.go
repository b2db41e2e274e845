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
	"recall/cmd/recall/config"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/index/vectorfile"
	"recall/ingest"
	"recall/internal/hint"
	"recall/library"
	"recall/library/disk"
	"recall/library/needle"
	"recall/pipeline"
	"recall/pipeline/folders"
	"recall/pipeline/guard"
	"recall/pipeline/worklog"
	"recall/serve/hooks"
)

// Archiver returns what archives transcripts into a library.
func (a *App) Archiver() *pipeline.Archiver {
	return &pipeline.Archiver{Sources: a.Sources(), Library: a.Lib, Cache: CacheDir(a.Lib)}
}

// Sources returns the configured sources.
func (a *App) Sources() pipeline.Sources {
	return pipeline.Sources{Readers: Readers(), Roots: a.Roots(), Exclusion: a.Exclusion()}
}

// Unsearched lists the folders that sessions of the library came from and that aren't searched; none for the demo,
// whose samples are its own.
func (a *App) Unsearched(entries []library.Entry) []pipeline.Unsearched {
	if guard.IsDemo(a.Lib.Dir()) {
		return nil
	}
	return a.Sources().Unsearched(entries)
}

// Exclusion returns what must not be kept.
func (a *App) Exclusion() ingest.Exclusion {
	return ingest.Exclude(a.Config.Sources.Exclude)
}

// SyncRest continues in the background what the time budget left over.
func (a *App) SyncRest() bool { return a.Background("rest") }

// Background runs a recall command with this one's configuration and library, see InBackground.
func (a *App) Background(command ...string) bool {
	return InBackground("", nil, append(a.GlobalFlags(), command...)...)
}

// InBackground starts recall in a process that outlives this one, with additional environment variables and with in as
// its input, which must fit into a pipe. It reports whether the process was started.
func InBackground(in string, env []string, args ...string) bool {
	self, err := os.Executable()
	if err != nil || strings.TrimSuffix(strings.ToLower(filepath.Base(self)), ".exe") != "recall" {
		return false // a test, or recall inside another program
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), env...)
	c.SysProcAttr = detached()
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

// embedFor is how long a sync makes vectors; a process in the background makes the rest. A first import of months
// takes an hour of one core.
const embedFor = 2 * time.Second

// Sync syncs a library, and makes vectors of what is new: at once, or in the background if somebody waits for an
// answer.
func (a *App) Sync(ctx context.Context, o pipeline.Options) (pipeline.Report, error) {
	r, err := a.sync(ctx, o)
	if err != nil {
		return r, err
	}
	left := r.Indexed
	if o.Budget == 0 && o.Only == "" {
		within, cancel := context.WithTimeout(ctx, embedFor)
		defer cancel()
		left = a.embed(within)
	}
	if left > 0 && ctx.Err() == nil && a.Config.Embed.Provider != config.EmbedOff {
		a.SyncRest()
	}
	return r, err
}

// Rest does what was left to a process in the background: what is new, unless the library is used as it is, and all
// vectors, however long they take.
func (a *App) Rest(ctx context.Context) error {
	if a.asItIs() {
		a.embed(ctx)
		return nil
	}
	_, err := a.SyncWhole(ctx, pipeline.Options{})
	return err
}

// SyncWhole syncs a library, and makes all vectors, however long they take.
func (a *App) SyncWhole(ctx context.Context, o pipeline.Options) (pipeline.Report, error) {
	r, err := a.sync(ctx, o)
	if err == nil {
		a.embed(ctx)
	}
	return r, err
}

// embed makes vectors of windows that have none until ctx is done, and returns how many are left. A fault is told: it
// costs only that these are found by their words alone.
func (a *App) embed(ctx context.Context) (left int) {
	e, err := a.Config.Embedder()
	if e == nil && err == nil || a.Lib.ReadOnly() != nil {
		return 0
	}
	if err == nil {
		err = a.OnIndex(ctx, func(*pipeline.Pipeline) error {
			bar := terminal.NewProgress(a.Err)
			defer bar.Done()
			return a.Index.Embed(ctx, e, bar.Counts("find by meaning"))
		})
	}
	if err == nil {
		left, _, err = a.Index.Unembedded(context.WithoutCancel(ctx))
	}
	if err != nil {
		fmt.Fprintf(a.Err, "recall: warning: some of what is new is found by its words alone: %s\n",
			terminal.Line(err.Error()))
		return 0
	}
	return left
}

// sync syncs a library. If the index can't be opened it still archives new bytes: losing the index must not cost a
// transcript.
func (a *App) sync(ctx context.Context, o pipeline.Options) (r pipeline.Report, err error) {
	opened := false
	err = a.rebuildIfDamaged(func() error {
		p, err := a.Indexer()
		if opened = err == nil; !opened {
			return err
		}
		bar := terminal.NewProgress(a.Err)
		p.Progress = bar.Show
		r, err = p.Sync(ctx, o)
		bar.Done()
		if err == nil && (r.Distilled > 0 || o.Budget == 0) { // a query needn't wait for unchanged pages
			a.KeepFolders(ctx, true)
		}
		return err
	})
	if err == nil {
		a.TeamBeside(r.Distilled > 0)
	}
	if err != nil && !opened && !o.Reindex && o.Only == "" {
		fault := err
		r, err = a.Archiver().Archive(ctx, o.From)
		err = errors.Join(fault, err)
	}
	return r, err
}

// Indexer returns a pipeline with its index open. If the index is new, everything gets indexed.
func (a *App) Indexer() (*pipeline.Pipeline, error) {
	fresh, err := a.OpenIndex()
	p := a.Pipeline()
	if err == nil && fresh {
		err = p.Forget()
	}
	return p, err
}

// WarnPlace prints warnings about a place for a library.
func (a *App) WarnPlace(dir string) {
	for _, w := range disk.Warnings(dir) {
		fmt.Fprintln(a.Err, "recall: warning:", w)
	}
}

// rebuildIfDamaged runs do; if the index turns out to be damaged, it removes the index and runs do again. Everything
// that writes the index goes through it: damage might show only then.
func (a *App) rebuildIfDamaged(do func() error) error {
	err := do()
	if !errors.Is(err, index.ErrRebuild) {
		return err
	}
	a.SayDamaged(err)
	if err := a.RemoveIndex(); err != nil {
		return err
	}
	return do()
}

// OnIndex runs do, which writes to the index. A missing or damaged index is rebuilt from the library first.
func (a *App) OnIndex(ctx context.Context, do func(*pipeline.Pipeline) error) error {
	return a.rebuildIfDamaged(func() error {
		if _, err := os.Stat(IndexPath(a.Lib)); errors.Is(err, fs.ErrNotExist) {
			if err := a.refill(ctx); err != nil {
				return err
			}
		}
		if _, err := a.OpenIndex(); err != nil {
			return err
		}
		return do(a.Pipeline())
	})
}

// ForgetSessions forgets sessions in the library, the index and the caches. An index on a full disk can't be rewritten:
// it is removed, which makes room, and rebuilt from the library, which no longer has them.
func (a *App) ForgetSessions(ctx context.Context, texts *needle.Needles,
	ids ...ingest.SessionID) (left []string, err error) {
	err = a.OnIndex(ctx, func(p *pipeline.Pipeline) (err error) {
		left, err = p.ForgetSessions(ctx, texts, ids...)
		return err
	})
	if hint.IsFull(err) || index.Unwritable(err) {
		if err = cmp.Or(a.RemoveIndex(), vectorfile.Of(IndexPath(a.Lib), "").Remove(), a.ForgetSeen()); err == nil {
			left, err = a.Pipeline().ForgetSessions(ctx, texts, ids...)
		}
		if err == nil {
			if err := a.refill(ctx); err != nil {
				a.warn(errors.Join(err, a.RemoveIndex())) // the next question makes it
			}
		}
	}
	if err != nil {
		return left, err
	}
	a.KeepFolders(ctx, true)
	return left, a.WorkLogs().Forget(ids...)
}

// forgetAsked empties the caches other than the index, which hold words of sessions: the last answers, what hooks are
// about to tell, and the runs of recall-eval.
func forgetAsked(l *library.Library) error {
	if err := cmp.Or(os.RemoveAll(LastDir(l)), hooks.ForgetUntold()); err != nil {
		return err
	}
	dir, err := RunsDir()
	if err != nil {
		return nil // then there are none
	}
	return os.RemoveAll(dir)
}

// refill rebuilds the index from the library. Unreadable sessions are reported but are no error.
func (a *App) refill(ctx context.Context) error {
	err := a.Reindex(ctx)
	if code := ExitCode(0); errors.As(err, &code) {
		return nil
	}
	return err
}

func (a *App) SayDamaged(err error) {
	fmt.Fprintf(a.Err, "recall: %v; rebuilding it from the library\n", err)
}

// RemoveIndex closes and removes the index.
func (a *App) RemoveIndex() error {
	a.closeIndex()
	return index.Remove(IndexPath(a.Lib))
}

func (a *App) Reindex(ctx context.Context) error {
	// Don't remove the index if the journal can't be written. A library of a newer format is only read.
	if a.Lib.ReadOnly() == nil {
		if err := a.Lib.Journal("reindex", nil); err != nil {
			return err
		}
	}
	if err := a.RemoveIndex(); err != nil {
		return err
	}
	report, err := a.Sync(ctx, pipeline.Options{Reindex: true})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "recall: indexed %s with %s\n", answer.Count(report.Indexed, "session"),
		answer.Count(report.Items, "item"))
	a.PrintProblems(report.Problems)
	if report.Skipped() {
		// The sources might have what the library can't give: the next sync looks at all of them.
		return cmp.Or(a.ForgetSeen(), error(ExitCode(ExitPartial)))
	}
	return nil
}

// ForgetSeen makes the next sync look at everything again.
func (a *App) ForgetSeen() error { return a.Pipeline().Forget() }

// UseVectors makes searches use the configured model's vectors, if there are any.
func (a *App) UseVectors() {
	e, err := a.Config.Embedder()
	if err != nil {
		fmt.Fprintf(a.Err, "recall: warning: searching by words alone: %s\n", terminal.Line(err.Error()))
		a.SayHint(err)
	}
	if e != nil {
		if path := IndexPath(a.Lib); !a.vectors.Are(path, e) {
			a.vectors = index.VectorsOf(path, e)
		}
		a.Index.UseVectors(a.vectors)
	}
}

// Folders returns the folders in which a project's payload and manifests are kept current; nil if no configuration
// folder is known.
func (a *App) Folders() *folders.Folders {
	user := config.ThisSystem().User
	if user == "" {
		return nil
	}
	return &folders.Folders{Pipeline: a.Pipeline(), File: filepath.Join(user, "recall", "into.json")}
}

// WorkLogs returns the logs that are kept in projects.
func (a *App) WorkLogs() worklog.Logs {
	user := config.ThisSystem().User
	if user == "" {
		return worklog.Logs{}
	}
	return worklog.Logs{File: filepath.Join(user, "recall", "logs.json")}
}

// KeepFolders updates the manifests in all folders and, if wanted, the pages. Failures are only warnings.
func (a *App) KeepFolders(ctx context.Context, pages bool) {
	if f := a.Folders(); f != nil {
		for _, err := range f.Refresh(ctx, pages) {
			a.warn(err)
		}
	}
}

func (a *App) warn(err error) {
	fmt.Fprintf(a.Err, "recall: warning: %v\n", err)
	a.SayHint(err)
}
