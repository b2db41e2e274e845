package ask

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/cmd/recall/app"
	"recall/distill/offline"
	"recall/internal/redact"
	"recall/pipeline"
)

// leaving is a screen before which somebody sits until a text is on it.
type leaving struct {
	bytes.Buffer
	at    string
	leave func()
}

func (l *leaving) Write(p []byte) (int, error) {
	if strings.Contains(string(p), l.at) {
		l.leave()
	}
	return l.Buffer.Write(p)
}

// What is written while one looks on is printed, once.
func TestProgressFollows(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "projects", "-w", "6b1f9c1e-7a54-4a38-9d3c-0a51a2f2c001.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	line := func(uuid, text string) string {
		return `{"type":"user","uuid":"` + uuid +
			`","sessionId":"6b1f9c1e-7a54-4a38-9d3c-0a51a2f2c001","cwd":"/w","timestamp":"2026-04-17T14:00:00Z",` +
			`"message":{"role":"user","content":"` + text + `"}}` + "\n"
	}
	if err := os.WriteFile(path, []byte(line("u1", "find the race in the queue")), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := redact.New()
	p := &pipeline.Pipeline{Archiver: pipeline.Archiver{Sources: pipeline.Sources{Readers: app.Readers()}, Cache: dir},
		Rules: rules, Distiller: offline.Distiller{}}
	found, problems := p.Readers[0].Find(t.Context(), dir, nil)
	if len(found) != 1 {
		t.Fatalf("found %v, %v", found, problems)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out := &leaving{at: "use a mutex", leave: cancel}
	w := &follower{App: &app.App{Out: out}, p: p, found: found[0], seen: map[string]bool{}}
	if err := w.follow(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(line("u2", "use a mutex instead of the channel")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.follow(ctx, false); err != nil {
		t.Fatal(err)
	}
	if err := (&follower{App: w.App, p: p, found: found[0]}).follow(ctx, false); err != nil {
		t.Errorf("who leaves while it reads gets an error: %v", err)
	}
	got := out.String()
	if strings.Count(got, "asked    find the race") != 1 || strings.Count(got, "asked    use a mutex") != 1 ||
		strings.Count(got, "6b1f9c1e") != 1 {
		t.Errorf("got\n%s", got)
	}
}
