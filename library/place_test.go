package library_test

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	. "recall/library"
	"recall/library/disk"
	"recall/payload"
)

// addSession archives and places a session of one small file.
func addSession(t testing.TB, l *Library, id string, m Meta) {
	t.Helper()
	src := filepath.Join(t.TempDir(), id)
	write(t, filepath.Join(src, "transcript.jsonl"), "{\"id\":\""+id+"\"}\n")
	archive(t, l, find(t, id, src))
	if err := l.Place(ingest.SessionID(id), m); err != nil {
		t.Fatal(err)
	}
}

// folders lists the sessions' folders relative to the library.
func folders(t testing.TB, l *Library) []string {
	t.Helper()
	all, err := l.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		rel, _ := filepath.Rel(l.Dir(), e.Folder)
		got = append(got, filepath.ToSlash(rel))
	}
	slices.Sort(got)
	return got
}

func TestPlace(t *testing.T) {
	l := newLib(t)
	m := meta(t, l, "Fix duplicate jobs: ProcessQueue?")
	m.Settled = false
	addSession(t, l, id, m)
	check := func(when string, want ...string) {
		t.Helper()
		for _, l := range []*Library{l, again(t, l)} {
			if diff := cmp.Diff(want, folders(t, l)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
	}
	check("not settled", "billing/2026-04-17 7f3c1a2b")
	m.Settled = true
	l.Place(id, m)
	check("settled", "billing/2026-04-17 Fix duplicate jobs- ProcessQueue- 7f3c1a2b")
	m.Title = "Another title"
	l.Place(id, m)
	check("title changed", "billing/2026-04-17 Fix duplicate jobs- ProcessQueue- 7f3c1a2b")
	if got := content(t, l, id, "transcript.jsonl"); !strings.Contains(got, id) {
		t.Errorf("content after moves: %q", got)
	}
	e, err := l.Lookup("another title")
	if err != nil || e.ID != id {
		t.Errorf("lookup by title: got %v, %v", e.ID, err)
	}
	if err := l.RenameProject(m.Project, "Invoices"); err != nil {
		t.Fatal(err)
	}
	check("project renamed", "Invoices/2026-04-17 Fix duplicate jobs- ProcessQueue- 7f3c1a2b")
	if disk.Exists(filepath.Join(l.Dir(), "billing")) {
		t.Error("the old project's folder is still there")
	}
}

// Ids that begin alike get folders of their own, which keep their names.
func TestIDClash(t *testing.T) {
	l := newLib(t)
	for _, id := range []string{"b0000001-0000-4000-8000-000000000001", "b0000001-0000-4000-8000-0000000000f2",
		"local_b0000001-0000", "local_c0000001-0000"} {
		addSession(t, l, id, meta(t, l, "T"))
	}
	want := []string{"billing/2026-04-17 T b0000001", "billing/2026-04-17 T b0000001~2",
		"billing/2026-04-17 T b0000001~3", "billing/2026-04-17 T c0000001"}
	for range 2 {
		if diff := cmp.Diff(want, folders(t, l)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		l = again(t, l)
		if err := l.Settle(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProjectsOfOneName(t *testing.T) {
	roots := []string{"/home/ann/work/app", "/home/ann/play/app", "/srv/play/app", `C:\code\app`, "/x/inbox"}
	for range roots {
		l := newLib(t)
		var got []string
		for i, r := range roots {
			p, err := l.ProjectFor(ingest.Project{Root: r, Name: path.Base(strings.ReplaceAll(r, `\`, "/"))})
			if err != nil {
				t.Fatal(err)
			}
			m := meta(t, l, "T")
			m.Project = p.ID
			addSession(t, l, fmt.Sprintf("%08d-0000", i), m)
		}
		l = again(t, l)
		if err := l.Settle(); err != nil { // as a sync does at its end
			t.Fatal(err)
		}
		all, err := l.Projects()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			got = append(got, p.Folder+" = "+p.Root)
			if p.Root != "/home/ann/billing" && !disk.Exists(filepath.Join(l.Dir(), p.Folder)) {
				t.Errorf("project %s has no folder", p.Folder)
			}
		}
		want := []string{"app = /home/ann/play/app", "app (code) = C:\\code\\app", "app (play) = /srv/play/app",
			"app (work) = /home/ann/work/app", "billing = /home/ann/billing", "inbox (x) = /x/inbox"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order %q (-want +got):\n%s", roots, diff)
		}
		roots = append(roots[1:], roots[0])
	}
}

// A folder of Windows is the same project in whatever case and with whichever slashes it is named.
func TestProjectOfWindows(t *testing.T) {
	l := newLib(t)
	app, err := l.ProjectFor(ingest.Project{Root: `C:\Users\Ann\App`, Name: "App"})
	if err != nil {
		t.Fatal(err)
	}
	for root, same := range map[string]bool{`c:\users\ann\app`: true, "C:/Users/Ann/App": true, `C:\Users\Ann`: false,
		"/Users/Ann/App": false} {
		if p, err := l.Project(root); (err == nil && p.ID == app.ID) != same {
			t.Errorf("%s: %q, %v; want it to be App: %v", root, p.Name, err, same)
		}
	}
	if p, err := l.ProjectFor(ingest.Project{Root: `C:\users\ann\app`, Name: "app"}); err != nil || p.ID != app.ID {
		t.Errorf("in another case: %+v, %v", p, err)
	}
}

func TestMergeAndMove(t *testing.T) {
	l := newLib(t)
	a, _ := l.ProjectFor(ingest.Project{Root: "/a/app", Name: "app"})
	b, _ := l.ProjectFor(ingest.Project{Root: "/b/tool", Name: "tool"})
	m := meta(t, l, "T")
	m.Project = b.ID
	addSession(t, l, id, m)
	if err := l.MergeProjects(b.ID, a.ID); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"app/2026-04-17 T 7f3c1a2b"}, folders(t, l)); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	got, err := l.ProjectFor(ingest.Project{Root: "/b/tool", Name: "tool"})
	if err != nil || got.ID != a.ID {
		t.Errorf("merged root: got %v %v, want %s", got, err, a.ID)
	}
	moved, err := l.ProjectFor(ingest.Project{Root: "/c/app", Name: "app", Was: "/a/app", Birth: "abc"})
	if err != nil || moved.ID != a.ID || moved.Root != "/c/app" || !slices.Equal(moved.Former, []string{"/a/app"}) ||
		moved.Birth != "abc" {
		t.Errorf("moved root: got %+v, %v", moved, err)
	}
	none, err := l.ProjectFor(ingest.Project{Name: ingest.NoProject})
	if err != nil || none.ID != "none" || none.Folder != "none" {
		t.Errorf("no project: got %+v, %v", none, err)
	}
	roots, err := l.Roots()
	want := []ingest.Root{{Dir: "/c/app", Former: []string{"/a/app"}, Merged: []string{"/b/tool"}, Birth: "abc"},
		{Dir: "/home/ann/billing"}}
	slices.SortFunc(roots, func(a, b ingest.Root) int { return strings.Compare(a.Dir, b.Dir) })
	if diff := cmp.Diff(want, roots); diff != "" || err != nil {
		t.Errorf("roots (-want +got): %v\n%s", err, diff)
	}
}

// A repository that stands where another one was is no part of that one.
func TestAnotherRepositoryAtALeftPlace(t *testing.T) {
	l := newLib(t)
	was := ingest.Project{Root: "/a/app", Name: "app", How: "repository", Birth: "abc@1"}
	first, _ := l.ProjectFor(was)
	if moved, _ := l.ProjectFor(ingest.Project{Root: "/c/app", Name: "app", How: "repository", Was: "/a/app",
		Birth: "abc@1"}); moved.ID != first.ID {
		t.Fatalf("moved: got %+v, want id %s", moved, first.ID)
	}
	other := was
	other.Birth = "def@2"
	second, err := l.ProjectFor(other)
	if err != nil || second.ID == first.ID || second.Root != "/a/app" {
		t.Errorf("another at the left place: got %+v, %v", second, err)
	}
	if again, _ := l.ProjectFor(other); again.ID != second.ID || again.Folder != second.Folder {
		t.Errorf("again: got %+v, want %+v", again, second)
	}
	if still, _ := l.ProjectFor(ingest.Project{Root: "/c/app", Name: "app", How: "known"}); still.ID != first.ID ||
		still.Root != "/c/app" {
		t.Errorf("the first one is %+v now", still)
	}
}

func TestSafeName(t *testing.T) {
	for in, want := range map[string]string{
		"Fix duplicate jobs":        "Fix duplicate jobs",
		"a/b\\c:d*e?\"<>|":          "a-b-c-d-e-----",
		"  .hidden ... ":            "hidden",
		"tab\there\nand\x00nul":     "tab here andnul",
		"con":                       "_con",
		"NUL.txt":                   "_NUL.txt",
		"COM¹":                      "_COM¹",
		"COM10":                     "COM10",
		"\u202egnp.exe":             "gnp.exe",
		"":                          "",
		"...":                       "",
		"bad \xff utf8":             "bad utf8",
		strings.Repeat("x", 100):    strings.Repeat("x", 80),
		strings.Repeat("word ", 30): strings.TrimSpace(strings.Repeat("word ", 16)),
		strings.Repeat("🙂", 90):     strings.Repeat("🙂", 50),
	} {
		if got := disk.SafeName(in, MaxFolder); got != want {
			t.Errorf("SafeName(%q): got %q, want %q", in, got, want)
		}
	}
}

func FuzzSafeName(f *testing.F) {
	f.Add("Fix: a/b. ", "2026")
	f.Fuzz(func(t *testing.T, title, id string) {
		e := Entry{ID: "7f3c1a2b-0000", Named: title, Meta: Meta{Start: time.Unix(0, 0)}}
		name := FolderName(e)
		if n := utf8.RuneCountInString(name); n > MaxFolder || len(name) > 255 || !utf8.ValidString(name) ||
			strings.ContainsAny(name, `<>:"/\|?*`) || !strings.HasSuffix(name, " 7f3c1a2b") {
			t.Errorf("title %q: got name %q of %d characters", title, name, n)
		}
	})
}

func TestLookup(t *testing.T) {
	l := newLib(t)
	m := meta(t, l, "Retry policy")
	m.Aliases = []ingest.SessionID{"aa110000-1111"}
	addSession(t, l, "aaaa1111-0000", m)
	addSession(t, l, "local_aaaa2222-0000", meta(t, l, "Retry with jitter"))
	addSession(t, l, "bbbb1111-0000", meta(t, l, "Maps without a network"))
	addSession(t, l, "bbbb2222-0000", meta(t, l, "All charges of two"))
	addSession(t, l, "bbbb3333-0000", meta(t, l, "Offline maps of a network"))
	for name, want := range map[string]string{"aaaa1111-0000": "aaaa1111-0000", "AAAA1": "aaaa1111-0000",
		"aaaa2": "local_aaaa2222-0000", "local_aaaa": "local_aaaa2222-0000",
		"retry POLICY": "aaaa1111-0000", "l": "local_aaaa2222-0000", "jitter": "local_aaaa2222-0000", "two": "bbbb2222-0000",
		"Maps": "bbbb1111-0000", "aa1100": "aaaa1111-0000"} {
		if e, err := l.Lookup(name); err != nil || string(e.ID) != want {
			t.Errorf("%q: got %q, %v, want %s", name, e.ID, err, want)
		}
	}
	catalog, err := l.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range catalog.Entries { // as it is shown, and by the project's very name
		name, n := catalog.Of(e).Name, catalog.Number[string(e.ID)]
		for _, as := range []string{payload.Handle(name, n), fmt.Sprint(strings.ToUpper(name), "#", n)} {
			if got, err := l.Lookup(as); err != nil || got.ID != e.ID {
				t.Errorf("%q: got %q, %v, want %s", as, got.ID, err, e.ID)
			}
		}
	}
	var amb *AmbiguousError
	if _, err := l.Lookup("aaaa"); !errors.As(err, &amb) || len(amb.Candidates) != 2 {
		t.Errorf("aaaa: got %v, want two candidates", err)
	}
	for _, name := range []string{"", "zzzz", "bx", "unsorted#99", "#1"} {
		if _, err := l.Lookup(name); !errors.Is(err, ErrNoSession) {
			t.Errorf("%q: got %v, want ErrNoSession", name, err)
		}
	}
}

// What can't be read is told and costs nothing else.
func TestBrokenSessions(t *testing.T) {
	l := newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	write(t, filepath.Join(l.Dir(), "billing", "torn", "session.json"), `{"id":"x`)
	write(t, filepath.Join(l.Dir(), "billing", "evil", "session.json"), `{"id":"../../x"}`)
	write(t, filepath.Join(l.Dir(), "billing", "empty", "raw", "versions.jsonl"), ``)
	os.CopyFS(filepath.Join(l.Dir(), "billing", "z copy"), os.DirFS(filepath.Join(l.Dir(), folders(t, l)[0])))
	if got := folders(t, l); len(got) != 1 {
		t.Errorf("sessions: got %v, want one", got)
	}
	if got := l.Broken(); len(got) != 4 {
		t.Errorf("broken: got %v, want 4", got)
	}
}

// A session is read and edited to its end while its project is renamed to and
// fro by another process: nothing seems missing for a moment.
func TestReadWhileMoved(t *testing.T) {
	l := newLib(t)
	src := t.TempDir()
	path := filepath.Join(src, "transcript.jsonl")
	want := ""
	for i := range 8 { // eight segments
		want += fmt.Sprintf("line %d\n", i)
		write(t, path, want)
		archive(t, l, find(t, id, src))
	}
	m := meta(t, l, "T")
	if err := l.Place(id, m); err != nil {
		t.Fatal(err)
	}
	if err := l.AppendEdits(id, []payload.Edit{{Op: payload.OpDrop, ID: "aaaaaaaaaa", At: tick}}); err != nil {
		t.Fatal(err)
	}
	other := again(t, l)
	done := make(chan error)
	go func() {
		for i := range 30 {
			if err := other.RenameProject(m.Project, fmt.Sprintf("name %d", i)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		if got := content(t, l, id, "transcript.jsonl"); got != want {
			t.Fatalf("read %q, want %q", got, want)
		}
		if edits, err := l.Edits(id); err != nil || len(edits) != 1 {
			t.Fatalf("edits: got %v, %v, want one", edits, err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}
