package claudecode

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

const (
	idA = "aaaaaaaa-0000-4000-8000-000000000001"
	idB = "bbbbbbbb-0000-4000-8000-000000000002"
)

// spoken is a transcript of one prompt.
var day = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func spoken(id, uuid, text string, minute int) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"parentUuid":null,"sessionId":%q,"timestamp":%q,"cwd":"/home/ann/app",`+
		`"message":{"role":"user","content":%q}}`+"\n",
		uuid, id, day.Add(time.Duration(minute)*time.Minute).Format(time.RFC3339), text)
}

func sidechain(id, agent, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":"%s-1","parentUuid":null,"isSidechain":true,"agentId":%q,"sessionId":%q,`+
		`"message":{"role":"user","content":%q}}`+"\n", agent, agent, id, text)
}

// files lists what Find gives, a line a session.
func files(t *testing.T, path string) []string {
	t.Helper()
	found, problems := Reader{}.Find(context.Background(), path, nil)
	for _, p := range problems {
		t.Errorf("find: %s: %s", p.Path, p.Reason())
	}
	return listed(found)
}

func listed(found []ingest.Found) []string {
	out := []string{}
	for _, f := range found {
		line := string(f.ID)
		for _, file := range f.Files {
			line += " " + file.Name
		}
		out = append(out, line)
	}
	return out
}

func TestFindConfigRoot(t *testing.T) {
	root := filepath.Join(t.TempDir(), ".claude")
	slug := filepath.Join(root, "projects", "-home-ann-app")
	write(t, filepath.Join(slug, idA+".jsonl"), spoken(idA, "u1", "hello", 0))
	write(t, filepath.Join(slug, idA, "subagents", "agent-a1.jsonl"), sidechain(idA, "a1", "look"))
	write(t, filepath.Join(slug, idA, "subagents", "agent-a1.meta.json"), `{"agentType":"Explore"}`)
	write(t, filepath.Join(slug, idA, "subagents", "workflows", "w1", "agent-a2.jsonl"), sidechain(idA, "a2", "deeper"))
	write(t, filepath.Join(slug, idA, "subagents", "journal.jsonl"), `{"type":"started","key":"k"}`+"\n")
	write(t, filepath.Join(slug, idA, "tool-results", "x.txt"), "long output")
	write(t, filepath.Join(slug, idA, "workflows", "wf_1.json"), "{}")
	write(t, filepath.Join(slug, idA, "workflows", ".git", "HEAD"), "whatever it is")
	write(t, filepath.Join(root, "file-history", idA, "0011aabb@v1"), "as it was")
	write(t, filepath.Join(slug, "agent-old.jsonl"), sidechain(idA, "old", "before 2.1.2"))
	write(t, filepath.Join(slug, idB, "tool-results", "y.txt"), "side files only")
	write(t, filepath.Join(slug, "memory", "MEMORY.md"), "- tabs")
	write(t, filepath.Join(slug, "sessions-index.json"), "{}")
	write(t, filepath.Join(root, "history.jsonl"),
		`{"display":"hello","pastedContents":{},"timestamp":1,"project":"/x","sessionId":"`+idB+`"}`+"\n")
	write(t, filepath.Join(root, "tasks", idA, "1.json"), `{"id":"1","subject":"write tests","status":"pending"}`)
	write(t, filepath.Join(root, "tasks", idB, "1.json"), `{"id":"1","subject":"elsewhere","status":"pending"}`)

	want := []string{idA + " transcript.jsonl subagents/agent-a1.jsonl " +
		"subagents/agent-a1.meta.json" +
		" subagents/agent-old.jsonl subagents/journal.jsonl subagents/workflows/w1/agent-a2.jsonl tasks/1.json" +
		" tool-results/x.txt workflows/.git/HEAD workflows/wf_1.json"}
	for _, path := range []string{root, filepath.Dir(root), filepath.Join(root, "projects"), slug} {
		wantEqual(t, path, files(t, path), want)
	}
	// A single file or the session's folder knows nothing of its neighbours in the slug.
	one := []string{strings.Replace(want[0], " subagents/agent-old.jsonl", "", 1)}
	for _, path := range []string{
		filepath.Join(slug, idA+".jsonl"), filepath.Join(slug, idA), filepath.Join(slug, idA, "subagents"),
		filepath.Join(slug, idA, "tool-results", "x.txt"),
	} {
		wantEqual(t, path, files(t, path), one)
	}

	s := ingesttest.All(t, Reader{}, root)[idA]
	ids := []string{}
	for _, sub := range s.Subagents {
		ids = append(ids, sub.ID+" "+sub.Type)
	}
	wantEqual(t, "sub-agents", ids, []string{"a1 Explore", "old ", "a2 "})
}

func wantEqual(t *testing.T, what string, got, wanted []string) {
	t.Helper()
	ingesttest.Equal(t, what, got, wanted)
}

func TestFindLooseFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "team", idA+".jsonl"), spoken(idA, "u1", "hello", 0))
	write(t, filepath.Join(dir, "team", "excerpt.jsonl"), spoken(idB, "u2", "hi", 0))
	write(t, filepath.Join(dir, "team", "handmade.jsonl"),
		`{"type":"user","message":{"role":"user","content":"no id"}}`+"\n")
	write(t, filepath.Join(dir, "other.jsonl"), `{"prompt":"a","completion":"b"}`+"\n")
	write(t, filepath.Join(dir, idB, "data.jsonl"), `{"x":1}`+"\n")
	write(t, filepath.Join(dir, "audit.jsonl"),
		`{"type":"user","uuid":"x","message":{"content":"hi"},"_audit_timestamp":"2026-01-01T00:00:00Z"}`+"\n")
	write(t, filepath.Join(dir, "empty.jsonl"), "")
	ingesttest.Equal(t, "sessions", files(t, dir), []string{idA + " transcript.jsonl", idB + " transcript.jsonl",
		"handmade transcript.jsonl"})
}

func TestFindLeavesCoworkAlone(t *testing.T) {
	dir := t.TempDir()
	storage := filepath.Join(dir, "org", "local_1")
	inner := filepath.Join(storage, ".claude", "projects", "-x", idA+".jsonl")
	write(t, inner, spoken(idA, "u1", "hello", 0))
	write(t, storage+".json", `{"sessionId":"local_1"}`)
	orphan := filepath.Join(dir, "org", "local_2", ".claude", "projects", "-x", idB+".jsonl")
	write(t, orphan, spoken(idB, "u2", "hello", 0))
	for _, path := range []string{dir, storage, inner, filepath.Join(storage, ".claude"), orphan,
		"../testdata/samples/08-cowork"} {
		ingesttest.Equal(t, path, files(t, path), []string{})
	}
}

func TestFindFragment(t *testing.T) {
	dir := t.TempDir()
	fragment := `{"type":"bridge-session","bridgeSessionId":"cse_1","lastSequenceNum":1,"sessionId":"` + idA + `"}` + "\n"
	write(t, filepath.Join(dir, "projects", "-a", idA+".jsonl"), fragment)
	write(t, filepath.Join(dir, "projects", "-a-worktree", idA+".jsonl"), spoken(idA, "u1", "hello", 0))
	ingesttest.Equal(t, "files", files(t, dir), []string{idA + " transcript.jsonl transcripts/-a.jsonl"})
	s := ingesttest.All(t, Reader{}, dir)[idA]
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{"hello"})
}

func TestFindTwoSessionsOfOneID(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "projects", "-a", idA+".jsonl"), spoken(idA, "u2", "later", 5))
	write(t, filepath.Join(dir, "projects", "-b", idA+".jsonl"), spoken(idA, "u1", "earlier", 1))
	write(t, filepath.Join(dir, "projects", "-c", idA+".jsonl"), spoken(idA, "u1", "earlier", 1))
	ingesttest.Equal(t, "files", files(t, dir),
		[]string{idA + " transcript.jsonl transcripts/-c.jsonl transcripts/-a.jsonl"})
	s := ingesttest.All(t, Reader{}, dir)[idA]
	ingesttest.Equal(t, "prompts", ingesttest.Texts(s, ingest.Prompt, false), []string{"earlier", "later"})
	ingesttest.Equal(t, "duplicates", s.Report.Duplicates, 1)
}

// Of a folder with many sessions each is found as it is, and a link to outside isn't followed.
func TestFindInLargeFolder(t *testing.T) {
	slug := filepath.Join(t.TempDir(), "root", "projects", "-a")
	id := func(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000001", n) }
	const many = 300
	for n := range many {
		write(t, filepath.Join(slug, id(n)+".jsonl"), spoken(id(n), "u1", strings.Repeat("x", n), 0))
	}
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	write(t, outside, spoken(idB, "u2", "outside", 0))
	linked := os.Symlink(outside, filepath.Join(slug, idB+".jsonl")) == nil // not everybody may, on Windows
	found, problems := Reader{}.Find(t.Context(), filepath.Dir(filepath.Dir(slug)), nil)
	if len(found) != many || (len(problems) == 1) != linked {
		t.Fatalf("%d found, problems %v; want %d", len(found), problems, many)
	}
	for n, f := range found {
		info, err := os.Stat(filepath.Join(slug, id(n)+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Files[0]; f.ID != ingest.SessionID(id(n)) || got.Size != info.Size() || !got.Mod.Equal(info.ModTime()) {
			t.Errorf("found %s with %d bytes of %s, want %s with %d of %s", f.ID, got.Size, got.Mod, id(n), info.Size(),
				info.ModTime())
		}
	}
}

func TestFindLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	outside := t.TempDir()
	write(t, filepath.Join(outside, idB+".jsonl"), spoken(idB, "u2", "outside", 0))
	dir := filepath.Join(t.TempDir(), "root")
	slug := filepath.Join(dir, "projects", "-a")
	write(t, filepath.Join(slug, idA+".jsonl"), spoken(idA, "u1", "hello", 0))
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	link(dir, filepath.Join(slug, "loop"))
	link(outside, filepath.Join(slug, "away"))
	link(filepath.Join(outside, idB+".jsonl"), filepath.Join(slug, idB+".jsonl"))
	link(filepath.Join(slug, "nowhere"), filepath.Join(slug, "broken.jsonl"))
	link(filepath.Join(slug, "nowhere"), filepath.Join(dir, "projects", "-unmounted"))
	link(filepath.Join(slug, "b.jsonl"), filepath.Join(slug, "a.jsonl"))
	link(filepath.Join(slug, "a.jsonl"), filepath.Join(slug, "b.jsonl"))
	link(filepath.Join(slug, idA+".jsonl"), filepath.Join(slug, "alias.jsonl"))
	entry := filepath.Join(t.TempDir(), "entry")
	link(dir, entry)
	for _, path := range []string{dir, entry} {
		found, problems := Reader{}.Find(context.Background(), path, nil)
		ingesttest.Equal(t, "found", listed(found), []string{idA + " transcript.jsonl transcripts/-a.jsonl",
			idB + " transcript.jsonl"}) // "away" is followed, "loop" isn't
		var reasons []string
		for _, p := range problems {
			reasons = append(reasons, filepath.Base(p.Path))
		}
		ingesttest.Equal(t, "problems", reasons, []string{"a.jsonl", "b.jsonl", idB + ".jsonl", "broken.jsonl",
			"-unmounted"})
	}
}

func TestFindUnreadable(t *testing.T) {
	dir := t.TempDir()
	_, problems := Reader{}.Find(context.Background(), filepath.Join(dir, "nowhere"), nil)
	if len(problems) != 1 {
		t.Errorf("missing folder: got %d problems, want 1", len(problems))
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("permissions don't hold here")
	}
	write(t, filepath.Join(dir, "x.jsonl"), fine)
	write(t, filepath.Join(dir, "y.jsonl"), strings.Replace(fine, `"s"`, `"y"`, 1))
	if err := os.Chmod(filepath.Join(dir, "x.jsonl"), 0); err != nil {
		t.Fatal(err)
	}
	found, problems := Reader{}.Find(context.Background(), dir, nil)
	if len(found) != 1 || len(problems) != 1 {
		t.Errorf("got %v, %v, want one session and one problem", found, problems)
	}
}

func TestFindSeenOpensNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "excerpt.jsonl")
	write(t, path, "not even JSON")
	seen := func(p string, size int64, _ time.Time) (ingest.SessionID, bool) {
		return "known", p == path && size == 13
	}
	found, _ := Reader{}.Find(context.Background(), dir, seen)
	ingesttest.Equal(t, "found", listed(found), []string{"known transcript.jsonl"})
}

func TestRoots(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	ingesttest.Equal(t, "no folder", Reader{}.Roots(), nil)
	for _, dir := range []string{".claude", ".config/claude", "work", "more"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dotClaude, config := filepath.Join(home, ".claude"), filepath.Join(home, ".config", "claude")
	ingesttest.Equal(t, "defaults", Reader{}.Roots(), []string{dotClaude, config})
	work, more := filepath.Join(home, "work"), filepath.Join(home, "more")
	t.Setenv("CLAUDE_CONFIG_DIR", strings.Join([]string{"~/work", " " + more, filepath.Join(home, "gone"), dotClaude +
		string(filepath.Separator)}, ","))
	got := Reader{}.Roots()
	ingesttest.Equal(t, "a list", got, []string{work, more, dotClaude, config})
	if slices.Contains(got, "") {
		t.Error("got an empty root")
	}
}

// Sub-agents whose session is gone are kept under its id, in the old layout and in the new.
func TestOnlySubagents(t *testing.T) {
	root := filepath.Join(t.TempDir(), ".claude")
	slug := filepath.Join(root, "projects", "-home-ann-app")
	write(t, filepath.Join(slug, "agent-old.jsonl"), sidechain(idA, "old", "look for leaks"))
	write(t, filepath.Join(slug, idB, "subagents", "agent-b1.jsonl"), sidechain(idB, "b1", "find the slow query"))
	all := ingesttest.All(t, Reader{}, root)
	for id, title := range map[ingest.SessionID]string{idA: "look for leaks", idB: "find the slow query"} {
		s := all[id]
		if s == nil || s.Title != ingest.OnlySubagents+title || len(s.Subagents) != 1 {
			t.Errorf("%s: got %+v", id, s)
		}
	}
}

func TestHead(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, idA+".jsonl"), `{"type":"mode","mode":"normal","sessionId":"`+idA+`"}`+"\n"+spoken(idA,
		"u1", "hello", 0)+"broken")
	found, _ := Reader{}.Find(context.Background(), dir, nil)
	h, err := ingest.HeadOf(context.Background(), Reader{}, found[0])
	if err != nil {
		t.Fatal(err)
	}
	s := ingesttest.All(t, Reader{}, dir)[idA]
	ingesttest.Equal(t, "keys", h.Keys, s.Turns[0].Keys)
	ingesttest.Equal(t, "started", h.Started, day)
}

// BenchmarkFind looks at 10,000 sessions of which all are known.
func BenchmarkFind(b *testing.B) {
	dir := b.TempDir()
	for i := range 10_000 {
		slug := filepath.Join(dir, "projects", fmt.Sprintf("-home-ann-%d", i%100))
		if i < 100 {
			if err := os.MkdirAll(slug, 0o700); err != nil {
				b.Fatal(err)
			}
		}
		name := fmt.Sprintf("%08x-0000-4000-8000-%012x.jsonl", i, i)
		if err := os.WriteFile(filepath.Join(slug, name), []byte(fine), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if found, _ := (Reader{}).Find(context.Background(), dir, nil); len(found) != 10_000 {
			b.Fatalf("got %d sessions, want 10,000", len(found))
		}
	}
}
