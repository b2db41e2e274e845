package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/index"
)

// A page or an agent's call that is given up while the index is made leaves no empty one behind, which would say that
// nothing was decided.
func TestGivenUpCallLeavesTheIndexWhole(t *testing.T) {
	a := servedHome(t)
	l, err := a.Library(t.Context())
	must(t, err)
	must(t, os.RemoveAll(app.CacheDir(l)))
	gone, leave := context.WithCancel(t.Context())
	leave()
	b, _, err := a.Served().Open(gone, true, true)
	must(t, err)
	defer b.Close()
	found, err := b.Index.Search(t.Context(), index.Query{Text: "jittered backoff"})
	if must(t, err); len(found.Ranked) == 0 {
		t.Error("the index holds nothing")
	}
}

// servedHome is recall in a home with one session.
func servedHome(t *testing.T) *app.App {
	home, recall := asProgram(t)
	tell(t, home, 1, "retries use jittered backoff", "Noted.")
	recall(nil, "sync")
	for name, value := range map[string]string{"HOME": home, "USERPROFILE": home,
		"XDG_CACHE_HOME": filepath.Join(home, "cache"), "LocalAppData": filepath.Join(home, "cache"),
		"XDG_CONFIG_HOME": filepath.Join(home, "config"), "AppData": filepath.Join(home, "config"),
		"RECALL_LIBRARY_DIR": filepath.Join(home, "Recall")} {
		t.Setenv(name, value)
	}
	a := &app.App{Console: terminal.Console{Out: io.Discard, Err: io.Discard}}
	t.Cleanup(a.Close)
	return a
}

// Of a library whose index was begun and isn't filled it is said what is missing, not that there is nothing.
func TestUnfilledIndexIsSaid(t *testing.T) {
	a := servedHome(t)
	l, err := a.Library(t.Context())
	must(t, err)
	must(t, os.RemoveAll(app.CacheDir(l)))
	_, err = a.OpenIndex()
	must(t, err)
	q := answer.Question{Query: index.Query{Text: "jittered backoff"}, Most: 3}
	ans, err := a.Ask(t.Context(), q, nil)
	must(t, err)
	if got, want := ans.None(), "Nothing was searched: the index of 1 session isn't made yet. recall sync makes it."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
