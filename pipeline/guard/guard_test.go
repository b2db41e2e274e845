package guard_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"recall/distill/offline"
	"recall/index"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/cowork"
	"recall/library"
	"recall/pipeline"
	"recall/pipeline/guard"
)

// open makes a pipeline over a new library in a folder.
func open(t *testing.T, dir string) *pipeline.Pipeline {
	t.Helper()
	l, err := library.Create(filepath.Join(dir, "Recall"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	cache := filepath.Join(dir, "cache")
	x, err := index.Open(filepath.Join(cache, "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return &pipeline.Pipeline{Archiver: pipeline.Archiver{Library: l, Cache: cache,
		Sources: pipeline.Sources{Readers: []ingest.Reader{claudecode.Reader{}, cowork.Reader{}}}},
		Index: x, Distiller: offline.Distiller{}}
}

// A Cowork session is guarded with its outputs: safe once archived, and not any
// more when one of them changes.
func TestGuardCowork(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "Claude", "local-agent-mode-sessions")
	storage := filepath.Join(root, "acc", "org", "local_c1")
	for path, text := range map[string]string{
		storage + ".json":                            `{"sessionId":"local_c1","title":"Offers","createdAt":1772442000000}`,
		filepath.Join(storage, "audit.jsonl"):        `{"type":"user","uuid":"d-1","session_id":"s","message":{"role":"user","content":"Compare the offers."},"_audit_timestamp":"2026-08-04T10:00:00Z"}` + "\n",
		filepath.Join(storage, "outputs", "a.md"):    "# Offer A\n",
		filepath.Join(storage, ".audit-key"):         "secret",
		filepath.Join(root, "acc", "org", "app.log"): "noise",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, filepath.Join(dir, "Recall"))
	p.Roots = map[ingest.Source][]string{ingest.Cowork: {root}, ingest.ClaudeCode: {}}
	look := func(path string) *guard.Report {
		t.Helper()
		g, err := guard.Look(context.Background(), p.Sources, p.Library, []string{path}, guard.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	if g := look(root); g.Safe() || len(g.Sessions) != 1 || g.Sessions[0].Outputs != 1 ||
		len(g.Sessions[0].AtRisk) != 3 {
		t.Errorf("before it is archived: %+v", g)
	}
	g := look(root)
	if problems, err := guard.Archive(context.Background(), &p.Archiver, g); err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	g = look(filepath.Join(dir, "Claude"))
	if !g.Safe() || g.Other.Count != 2 {
		t.Errorf("archived: safe %v, %d other files, want the key and the log: %+v", g.Safe(), g.Other.Count, g)
	}
	if g := look(filepath.Join(storage, "outputs")); !g.Safe() || len(g.Sessions) != 1 || g.Sessions[0].Files != 1 {
		t.Errorf("its outputs alone: %+v", g)
	}
	if err := os.WriteFile(filepath.Join(storage, "outputs", "a.md"), []byte("# Offer B\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if g := look(root); g.Safe() || len(g.Unsafe()) != 1 || g.Unsafe()[0].AtRisk[0].Role != ingest.OutputFile {
		t.Errorf("an output has changed: %+v", g)
	}
	if g := look(dir); len(g.Blocking()) == 0 || g.Blocking()[0].Kind != guard.DangerLibrary {
		t.Errorf("a folder with the library in it: %+v", g.Dangers)
	}
}

// What can't be looked into can't be called safe.
func TestGuardUnreadable(t *testing.T) {
	dir := t.TempDir()
	closed := filepath.Join(dir, "work", "closed")
	if err := os.MkdirAll(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o700)
	if _, err := os.ReadDir(closed); err == nil {
		t.Skip("this user may read everything")
	}
	p := open(t, filepath.Join(dir, "Recall"))
	p.Roots = map[ingest.Source][]string{ingest.Cowork: {}, ingest.ClaudeCode: {}}
	g, err := guard.Look(context.Background(), p.Sources, p.Library, []string{filepath.Join(dir, "work")}, guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if b := g.Blocking(); g.Safe() || len(b) != 1 || b[0].Kind != guard.DangerUnread || len(g.Problems) != 1 {
		t.Errorf("safe %v, %+v, %v", g.Safe(), b, g.Problems)
	}
}

// A sub-agent's file whose session's own file is gone is archived like a session.
func TestGuardLoosePart(t *testing.T) {
	const session = "b0000007-0000-4000-8000-000000000007"
	const line = `{"type":"user","isSidechain":true,"agentId":"a1b2c3d","sessionId":"` + session +
		`","uuid":"b0000007-0000-4000-8000-0000000000a1","timestamp":"2026-04-17T09:00:00.000Z","message":{"role":"user","content":"look for callers"}}` + "\n"
	for _, name := range []string{"agent-a1b2c3d.jsonl", /* before 2.1.2 */
		filepath.Join(session, "subagents", "agent-a1b2c3d.jsonl")} {
		dir := t.TempDir()
		root := filepath.Join(dir, "projects")
		lone := filepath.Join(root, "-home-ann-app", name)
		if err := os.MkdirAll(filepath.Dir(lone), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(lone, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		p := open(t, filepath.Join(dir, "Recall"))
		p.Roots = map[ingest.Source][]string{ingest.Cowork: {}, ingest.ClaudeCode: {root}}
		for _, archived := range []bool{false, true} {
			g, err := guard.Look(context.Background(), p.Sources, p.Library, []string{root}, guard.Options{})
			if err != nil || g.Safe() != archived || len(g.Sessions) != 1 {
				t.Errorf("%s: archived %v, safe %v, %+v, %v", name, archived, g.Safe(), g.Sessions, err)
			}
			if problems, err := guard.Archive(t.Context(), &p.Archiver, g); err != nil || len(problems) > 0 {
				t.Error(problems, err)
			}
		}
	}
}

// A sub-agent's file whose session's own file is gone is safe where the library
// has it.
func TestGuardLoosePartHeld(t *testing.T) {
	const session = "b0000007-0000-4000-8000-000000000007"
	dir := t.TempDir()
	root := filepath.Join(dir, "projects")
	own := filepath.Join(root, "-home-ann-app", session+".jsonl")
	part := filepath.Join(root, "-home-ann-app", session, "subagents", "agent-a1b2c3d.jsonl")
	line := func(more, uuid string) string {
		return `{"type":"user",` + more + `"sessionId":"` + session + `","uuid":"b0000007-0000-4000-8000-0000000000` + uuid +
			`","timestamp":"2026-04-17T09:00:00.000Z","cwd":"/home/ann/app","message":{"role":"user","content":"look for callers"}}` + "\n"
	}
	for path, text := range map[string]string{own: line("", "b1"),
		part: line(`"isSidechain":true,"agentId":"a1b2c3d",`, "a1")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, filepath.Join(dir, "Recall"))
	p.Roots = map[ingest.Source][]string{ingest.Cowork: {}, ingest.ClaudeCode: {root}}
	if _, err := p.Sync(context.Background(), pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	for _, grown := range []bool{false, true} {
		if grown {
			f, err := os.OpenFile(part, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			f.WriteString(line(`"isSidechain":true,"agentId":"a1b2c3d",`, "a2"))
			f.Close()
		}
		g, err := guard.Look(context.Background(), p.Sources, p.Library, []string{root}, guard.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if g.Safe() == grown {
			t.Errorf("grown since %v: safe %v, %+v, %v", grown, g.Safe(), g.Blocking(), g.Problems)
		}
	}
}

// parses counts how often a session is parsed.
type parses struct {
	claudecode.Reader
	n *int
}

func (p parses) Parse(ctx context.Context, f ingest.Found) (*ingest.Session, error) {
	*p.n++
	return p.Reader.Parse(ctx, f)
}

// Whether a session is excluded is looked up once, however many files of it aren't held.
func TestExcludedIsAskedOnce(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "projects")
	const id = "0d4f0000-0000-4000-8000-000000000001"
	line := `{"type":"user","uuid":"u1","sessionId":"` + id + `","timestamp":"2026-04-17T09:00:00.000Z","cwd":"/home/ann/secret",` +
		`"version":"2.1.200","isSidechain":false,"userType":"external","message":{"role":"user","content":"Hello."}}` + "\n"
	for _, name := range []string{id + ".jsonl", id + "/subagents/agent-a1.jsonl", id + "/subagents/agent-a2.jsonl"} {
		path := filepath.Join(root, "-home-ann-secret", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"/home/ann/secret", "/home/ann/other"} {
		n := 0
		p := open(t, filepath.Join(dir, filepath.Base(folder)))
		p.Readers, p.Roots = []ingest.Reader{parses{n: &n}}, map[ingest.Source][]string{ingest.ClaudeCode: {root}}
		p.Exclusion = ingest.Exclude([]string{folder})
		r, err := guard.Look(context.Background(), p.Sources, p.Library, []string{root}, guard.Options{})
		if err != nil || len(r.Sessions) != 1 || r.Sessions[0].Files != 3 {
			t.Fatalf("%+v, %v", r, err)
		}
		if n != 1 {
			t.Errorf("excluding %s, it was parsed %d times", folder, n)
		}
	}
}
