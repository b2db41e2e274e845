package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/demo"
	"recall/eval"
	"recall/hint"
	"recall/ingest"
	"recall/library"
	"recall/pipeline"
)

// goldSet reads the gold sets, so that what is wrong with them is said before
// any transcript is looked for.
func goldSet(folders []string) (*eval.Set, error) {
	for _, dir := range folders {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, hint.With(fmt.Errorf("%s: no such folder", dir),
				"--gold is a folder with files named NAME.gold.json; recall eval label makes one")
		}
	}
	set, err := eval.LoadSet(folders...)
	if err != nil {
		return nil, badGold(err)
	}
	if len(set.Golds) == 0 {
		return nil, hint.With(fmt.Errorf("%s holds no gold set", set.Name),
			"gold sets are files named NAME.gold.json; recall eval label makes one")
	}
	return set, nil
}

// badGold gives the faults of gold files a way out.
func badGold(err error) error {
	var faults eval.Problems
	if errors.As(err, &faults) {
		return hint.With(fmt.Errorf("the gold sets have %s:\n%w", answer.Count(len(faults), "fault"), err),
			"recall eval label --check FILE checks one gold file")
	}
	return err
}

// transcripts is the folder of the sessions that are measured: the one named,
// that of the sample sessions for the bundled gold set, else the library's
// sessions as they were. The caller calls done when they were read.
func transcripts(ctx context.Context, a *app.App, f evalFlags, set *eval.Set) (dir string, done func(), err error) {
	if f.from != "" {
		if _, err := os.Stat(f.from); err != nil {
			return "", nil, terminal.NoSuchFile(f.from, err)
		}
		return f.from, func() {}, nil
	}
	if set.TellsAll() {
		return "", func() {}, nil
	}
	var parent string
	var fill func(dir string) error
	if len(f.gold) == 0 {
		fill = func(dir string) error { _, _, err := demo.Write(dir); return err }
	} else {
		l, err := a.Library(ctx)
		if errors.Is(err, library.ErrNoLibrary) {
			return "", nil, hint.With(errors.New("no transcripts to hold the gold sets against: there is no library"),
				"name their folder with --from")
		}
		if err != nil {
			return "", nil, err
		}
		parent = app.CacheDir(l)
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return "", nil, err
		}
		removeLeft(parent)
		fill = func(dir string) error { return unpack(ctx, a, l, set, dir) }
	}
	if dir, err = os.MkdirTemp(parent, unpacked); err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(dir) }
	if err := fill(dir); err != nil {
		done()
		return "", nil, err
	}
	return dir, done, nil
}

// unpacked begins the names of folders with unpacked sessions.
const unpacked = "recall-eval-"

// removeLeft removes the unpacked sessions that a killed run left a day ago:
// raw transcripts may hold secrets.
func removeLeft(parent string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		info, err := e.Info()
		if strings.HasPrefix(e.Name(), unpacked) && err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
}

// unpack puts the sessions of the gold set's projects into dir, as their
// clients had them.
func unpack(ctx context.Context, a *app.App, l *library.Library, set *eval.Set, dir string) error {
	p, err := a.Pipeline(l)
	if err != nil {
		return err
	}
	shelf, err := l.Shelf()
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, g := range set.Golds {
		if e, err := l.Session(ingest.SessionID(g.Session)); err == nil {
			wanted[shelf.Of(e).ID] = true
		}
	}
	if len(wanted) == 0 {
		return hint.With(fmt.Errorf("none of the %s of %s is in the library",
			answer.Count(len(set.Golds), "session"),
			set.Name), "name the folder of their transcripts with --from")
	}
	for _, e := range shelf.Entries {
		if !wanted[shelf.Of(e).ID] {
			continue
		}
		r, err := p.PlanRestore(ctx, e, pipeline.RestoreOptions{To: filepath.Join(dir, string(e.Source))})
		if err == nil {
			err = p.Restore(ctx, r)
		}
		if err != nil {
			fmt.Fprintf(a.Err, "recall: skipped: %s: %v\n", e.ID, err)
		}
	}
	return nil
}
