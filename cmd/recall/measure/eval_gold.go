package measure

import (
	"context"
	"errors"
	"fmt"
	"os"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/demo"
	"recall/eval"
	"recall/hint"
	"recall/ingest"
	"recall/library"
)

// goldSet reads the gold sets, so that what is wrong with them is said before
// any transcript is looked for.
func goldSet(folders []string) (*eval.Set, error) {
	set, err := eval.LoadSet(folders...)
	if err != nil {
		return nil, badGold(err)
	}
	if len(set.Golds) == 0 {
		return nil, hint.With(fmt.Errorf("%s holds no gold set", set.Name),
			"gold sets are files named NAME.gold.json; docs/internals/gold.md says what is in one")
	}
	return set, nil
}

// badGold gives the faults of gold files a way out.
func badGold(err error) error {
	if faults, ok := errors.AsType[eval.Problems](err); ok {
		return hint.With(fmt.Errorf("the gold sets have %s:\n%w", answer.Count(len(faults), "fault"), err),
			"each line names file and item; a quote must stand verbatim in one of the item's turns")
	}
	return err
}

// transcripts finds the sessions that are measured: those below the folder named, the
// sample sessions for the bundled gold set, else those of the library's projects. The
// caller calls done when they were read.
func transcripts(ctx context.Context, a *app.App, f evalFlags, set *eval.Set, o *eval.Options) (done func(),
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
			err = hint.With(errors.New("no transcripts to hold the gold sets against: there is no library"),
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

// archived are the transcripts of the gold set's projects, as the library has them.
func archived(a *app.App, l *library.Library, set *eval.Set) ([]eval.Transcript, error) {
	shelf, err := l.Shelf()
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, g := range set.Golds {
		if e, err := l.Session(ingest.SessionID(g.Session)); err == nil {
			wanted[shelf.Of(e).ID] = true
		}
	}
	if len(wanted) == 0 {
		return nil, hint.With(fmt.Errorf("none of the %s of %s is in the library",
			answer.Count(len(set.Golds), "session"), set.Name), "name the folder of their transcripts with --from")
	}
	all := []eval.Transcript{}
	for _, e := range shelf.Entries {
		project := shelf.Of(e).ID
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
	return t, fmt.Errorf("%s: sessions of %s can't be read by this recall", e.ID, e.Source)
}
