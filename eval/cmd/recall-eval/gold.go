package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/demo"
	"recall/cmd/recall/terminal"
	"recall/eval"
	"recall/ingest"
	"recall/internal/hint"
	"recall/library"
)

// goldSet reads the gold sets, so that their faults are reported before any transcript is looked for.
func goldSet(folders []string) (*eval.Set, error) {
	set, err := eval.LoadSet(folders...)
	if err != nil {
		return nil, badGold(err)
	}
	if len(set.Golds) == 0 {
		return nil, hint.With(fmt.Errorf("%s has no gold set", set.Name),
			"gold sets are files named NAME.gold.json; docs/internals/gold.md describes them")
	}
	return set, nil
}

// badGold adds a hint to the faults of gold files.
func badGold(err error) error {
	if faults, ok := errors.AsType[eval.Problems](err); ok {
		return hint.With(fmt.Errorf("the gold sets have %s:\n%w", answer.Count(len(faults), "fault"), err),
			"each line names file and item; a quote must be verbatim from one of the item's turns")
	}
	return err
}

// transcripts finds the sessions to measure: those in the folder given, the sample sessions for the bundled gold set,
// else those of the library's projects. The caller calls done after reading them.
func transcripts(ctx context.Context, a *app.App, f flags, set *eval.Set, o *eval.Options) (done func(),
	err error) {
	done = func() {}
	switch {
	case f.From != "":
		if _, err := os.Stat(f.From); err != nil {
			return nil, terminal.NoSuchFile(f.From, err)
		}
		o.From = f.From
	case set.TellsAll():
	case len(f.Gold) == 0:
		if o.From, err = os.MkdirTemp("", "recall-eval-"); err != nil {
			return nil, err
		}
		done = func() { os.RemoveAll(o.From) }
		_, _, err = demo.Write(o.From)
	default:
		var l *library.Library
		if l, err = a.Library(ctx); errors.Is(err, library.ErrNoLibrary) {
			err = hint.With(errors.New("no transcripts for the gold sets: there is no library"),
				"name their folder with --from")
		}
		if err == nil {
			o.From = l.Dir()
			o.Transcripts, err = archived(a, l, set)
		}
	}
	if err != nil {
		done()
	}
	return done, err
}

// archived returns the library's transcripts of the gold set's projects.
func archived(a *app.App, l *library.Library, set *eval.Set) ([]eval.Transcript, error) {
	catalog, err := l.Catalog()
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, g := range set.Golds {
		if e, err := l.Session(ingest.SessionID(g.Session)); err == nil {
			wanted[catalog.Of(e).ID] = true
		}
	}
	if len(wanted) == 0 {
		return nil, hint.With(fmt.Errorf("none of the %s of %s is in the library",
			answer.Count(len(set.Golds), "session"), set.Name), "name the folder of their transcripts with --from")
	}
	all := []eval.Transcript{}
	for _, e := range catalog.Entries {
		project := catalog.Of(e).ID
		if !wanted[project] {
			continue
		}
		t, err := transcript(l, e)
		if err != nil {
			fmt.Fprintf(a.Err, "recall: skipped: %s: %v\n", e.ID, err)
			continue
		}
		t.Beside = project
		all = append(all, t)
	}
	return all, nil
}

func transcript(l *library.Library, e library.Entry) (t eval.Transcript, err error) {
	for _, r := range app.Readers() {
		if r.Source() == e.Source {
			t.Reader = r
			t.Found, err = l.Found(e.ID)
			return t, err
		}
	}
	return t, fmt.Errorf("%s: this recall can't read sessions of %s", e.ID, e.Source)
}
