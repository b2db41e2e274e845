package library_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"recall/ingest"
	. "recall/library"
)

// withOutputs is a session with a record and these outputs.
func withOutputs(t testing.TB, sid string, outputs map[string]string) ingest.Found {
	t.Helper()
	dir := filepath.Join(t.TempDir(), sid)
	write(t, filepath.Join(dir, "record.json"), "{}")
	for name, text := range outputs {
		write(t, filepath.Join(dir, "outputs", name), text)
	}
	f := find(t, sid, dir)
	for i := range f.Files {
		if filepath.Base(f.Files[i].Name) != "record.json" {
			f.Files[i].Role = ingest.OutputFile
		}
	}
	return f
}

func saveOutputs(t testing.TB, l *Library, sid string) string {
	t.Helper()
	if err := l.SaveOutputs(context.Background(), ingest.SessionID(sid)); err != nil {
		t.Fatal(err)
	}
	e, err := l.Session(ingest.SessionID(sid))
	if err != nil {
		t.Fatal(err)
	}
	return e.Folder
}

func fileText(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// Outputs lie in the session's folder as files to open; every version stays
// readable; what a person changed is kept.
func TestOutputs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a name that Windows refuses")
	}
	l := newLib(t)
	f := withOutputs(t, "local_a", map[string]string{"offer.txt": "one", "deep/con.txt": "two", "a?.txt": "three",
		"a-.txt": "four"})
	archive(t, l, f)
	folder := saveOutputs(t, l, "local_a")
	for name, want := range map[string]string{"offer.txt": "one", "deep/_con.txt": "two", "a-.txt": "four",
		"a-~2.txt": "three"} {
		if got := fileText(t, filepath.Join(folder, "outputs", name)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if v := verify(t, l); len(v.Findings) > 0 {
		t.Error(said(v))
	}
	before := tree(t, l.Dir())
	saveOutputs(t, again(t, l), "local_a")
	if after := tree(t, l.Dir()); len(after) != len(before) {
		t.Errorf("saving them again: %d files, before %d", len(after), len(before))
	}
	write(t, filepath.Join(folder, "outputs", "offer.txt"), "my own words")
	if v := verify(t, l); v.Damage() != 1 {
		t.Errorf("a changed output: %s", said(v))
	}
	src := filepath.Join(f.Root, "outputs", "offer.txt")
	write(t, src, "another, revised")
	for i := range f.Files {
		if fi, err := os.Stat(f.Files[i].Path); err == nil {
			f.Files[i].Size, f.Files[i].Mod = fi.Size(), fi.ModTime()
		}
	}
	archive(t, l, f)
	saveOutputs(t, l, "local_a")
	if got := fileText(t, filepath.Join(folder, "outputs", "offer.txt")); got != "another, revised" {
		t.Errorf("got %q", got)
	}
	if got := fileText(t, filepath.Join(folder, "outputs", "offer (changed).txt")); got != "my own words" {
		t.Errorf("a person's change: got %q", got)
	}
	if all := contents(t, l, "local_a"); all["outputs/offer.txt 1"] != "one" ||
		all["outputs/offer.txt 2"] != "another, revised" {
		t.Errorf("versions: %v", all)
	}
	// A damaged one is written again by repair, and what was there is kept.
	write(t, filepath.Join(folder, "outputs", "offer.txt"), "damaged")
	if r := repair(t, l); len(r.Mended) != 1 || !r.Mended[0].Done || len(r.Render) != 1 {
		t.Errorf("repair: %+v", r)
	}
	saveOutputs(t, l, "local_a")
	if got := fileText(t, filepath.Join(folder, "outputs", "offer.txt")); got != "another, revised" {
		t.Errorf("after repair: got %q", got)
	}
}
