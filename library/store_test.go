package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	. "recall/library"
	"recall/library/disk"
	"recall/library/inbox"
	"recall/payload"
)

func derived(md string) Derived {
	p := &payload.Payload{Schema: payload.Schema, Session: id, Title: "T",
		Items: []payload.Item{{ID: "aaaaaaaaaa", Kind: payload.Goal, Text: md}}}
	p.Made.Distiller = "offline/1"
	return Derived{Payload: p, Markdown: []byte(md), Transcript: []byte("t1 " + md)}
}

func TestSavePayload(t *testing.T) {
	l := newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	if _, err := l.Payload(id); !errors.Is(err, ErrNoPayload) {
		t.Errorf("before: got %v, want ErrNoPayload", err)
	}
	d := derived("one\n")
	e, _ := l.Session(id)
	d.Payload.Made.Input = e.Input
	if !e.Behind() {
		t.Error("before: the entry doesn't say that it is behind")
	}
	if err := l.SavePayload(id, d); err != nil {
		t.Fatal(err)
	}
	l = again(t, l)
	p, err := l.Payload(id)
	if err != nil || p.Written != "one\n" || p.Items[0].Text != "one\n" {
		t.Errorf("payload: got %+v, %v", p, err)
	}
	if e, _ := l.Session(id); e.Behind() || e.Distilled.Distiller != "offline/1" {
		t.Errorf("after: got %+v", e.Distilled)
	}
	// A person edits while the next one is made.
	d2 := derived("two\n")
	d2.Seen, err = l.Markdown(id)
	if err != nil {
		t.Fatal(err)
	}
	md := filepath.Join(e.Folder, "payload.md")
	os.WriteFile(md, []byte("mine\n"), 0o600)
	if err := l.SavePayload(id, d2); !errors.Is(err, ErrEdited) {
		t.Errorf("edited meanwhile: got %v, want ErrEdited", err)
	}
	if got, _ := os.ReadFile(md); string(got) != "mine\n" {
		t.Errorf("edited meanwhile: payload.md is %q", got)
	}
	d2.Seen = []byte("mine\n")
	if err := l.SavePayload(id, d2); err != nil {
		t.Fatal(err)
	}
}

// After a crash between session.json and payload.md there is no page, which isn't taken for edited.
func TestSavePayloadCut(t *testing.T) {
	for page, want := range map[string]string{"": "new\n", "mine\n": "mine\n"} {
		l := newLib(t)
		addSession(t, l, id, meta(t, l, "T"))
		second := derived("new\n")
		second.Seen = []byte("old\n")
		if err := errors.Join(l.SavePayload(id, derived("old\n")), l.SavePayload(id, second)); err != nil {
			t.Fatal(err)
		}
		e, _ := l.Session(id)
		os.Remove(filepath.Join(e.Folder, "payload.md"))
		if page != "" {
			os.WriteFile(filepath.Join(e.Folder, "payload.md"), []byte(page), 0o600)
		}
		p, md, err := l.Saved(id)
		if err != nil || p.Written != "new\n" || string(md) != want {
			t.Errorf("page %q: %q of base %q, %v; want %q", page, md, p.Written, err, want)
		}
	}
}

func TestEditsAppend(t *testing.T) {
	l := newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	at := time.Date(2026, 4, 18, 9, 0, 0, 0, time.UTC)
	var want []payload.Edit
	for _, item := range []payload.ItemID{"aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"} {
		e := payload.Edit{Op: payload.OpDrop, ID: item, At: at, Who: "ann"}
		want = append(want, e)
		if err := l.AppendEdits(id, []payload.Edit{e}); err != nil {
			t.Fatal(err)
		}
		got, err := l.Edits(id)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("edits (-want +got): %v\n%s", err, diff)
		}
		// A torn line is as if it hadn't been written, and the next one mends it.
		entry, _ := l.Session(id)
		f, err := os.OpenFile(filepath.Join(entry.Folder, "edits.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(`{"op":"dr`)
		f.Close()
	}
	if got, err := l.Edits(id); len(got) != 3 || err != nil {
		t.Errorf("with a torn line: got %v, %v", got, err)
	}
}

func TestInboxJournalThreads(t *testing.T) {
	l := newLib(t)
	if err := inbox.Add(l, map[string]string{"note": "remember"}); err != nil {
		t.Fatal(err)
	}
	if err := l.Journal("sync", map[string]any{"sessions": 2}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(l.Dir(), "inbox", "events.jsonl")); !strings.Contains(string(got),
		`"note":"remember"`) || disk.SealOf(got[:len(got)-1]) != disk.SealGood {
		t.Errorf("inbox: got %q", got)
	}
	if got, _ := os.ReadFile(filepath.Join(l.Dir(), "journal.jsonl")); !strings.Contains(string(got), `"what":"sync"`) {
		t.Errorf("journal: got %q", got)
	}
	want := []payload.Correction{{Op: "join", A: "a", B: "b", At: tick}, {Op: "split", A: "a", B: "b", At: tick}}
	for _, c := range want {
		if err := l.Correct(c); err != nil {
			t.Fatal(err)
		}
	}
	got, err := l.Corrections()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("corrections (-want +got): %v\n%s", err, diff)
	}
	if err := l.Correct(payload.Correction{Op: "split", A: "a", B: "a"}); err == nil {
		t.Error("splitting a session from itself: no error")
	}
}

func TestWarnings(t *testing.T) {
	base := t.TempDir()
	os.MkdirAll(filepath.Join(base, "repo", ".git"), 0o755)
	for dir, want := range map[string]string{
		"plain/Recall":                     "",
		"repo/notes/Recall":                "git work tree",
		"Dropbox/Recall":                   "Dropbox",
		"OneDrive - Acme/Documents/Recall": "OneDrive",
		"Library/Mobile Documents/com~apple~CloudDocs/Recall": "iCloud",
		"Library/CloudStorage/GoogleDrive-x/Recall":           "synchronised folder",
	} {
		got := strings.Join(disk.Warnings(filepath.Join(base, filepath.FromSlash(dir))), "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want one about %q", dir, got, want)
		}
	}
}

func TestPrivate(t *testing.T) {
	l := newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	if err := l.SavePayload(id, derived("one\n")); err != nil {
		t.Fatal(err)
	}
	inbox.Add(l, "x")
	for name := range tree(t, l.Dir()) {
		fi, err := os.Stat(filepath.Join(l.Dir(), name))
		if err != nil {
			t.Fatal(err)
		}
		if fi.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
			t.Errorf("%s: mode %v, others may look", name, fi.Mode())
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root writes anywhere")
	}
	l := newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	l.Close()
	os.Chmod(l.Dir(), 0o500)
	t.Cleanup(func() { os.Chmod(l.Dir(), 0o700) })
	l = again(t, l)
	if got := folders(t, l); len(got) != 1 {
		t.Errorf("sessions: got %v", got)
	}
	if err := l.Journal("x", nil); err == nil && runtime.GOOS != "windows" { // whose folders have no such right
		t.Error("journal in a read-only folder: no error")
	}
}
