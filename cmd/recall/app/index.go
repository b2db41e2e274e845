package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
func (a *App) ForgetSessions(ctx context.Context, l *library.Library, f *pipeline.Forgetting,
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
			left, err = p.ForgetSessions(ctx, f, ids...)
		}
		return err
	})
	if err == nil && fresh {
		err = a.refill(ctx, l)
	}
	return left, err
}

// ForgetAsked removes what the cache has of sessions beside the index: the last answers, and what recall eval keeps. It
// comes before all else: a forgetting that is cut short is finished without it.
func ForgetAsked(l *library.Library, ids []ingest.SessionID) error {
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
