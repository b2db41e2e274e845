package pipeline_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/distill/offline"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// stuckOn doesn't answer about one session, until it is let go.
type stuckOn struct {
	stuck
	session ingest.SessionID
}

func (d stuckOn) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	if s.ID != d.session {
		return offline.Distiller{}.Distill(ctx, s)
	}
	return d.stuck.Distill(ctx, s)
}

// What another process forgets while a sync has it ready for the index doesn't come back with that sync.
func TestForgottenBeforeItIsIndexed(t *testing.T) {
	early := first
	early.said = slices.Clone(first.said)
	early.said[2] = "Use exponential backoff for retries instead of the fixed delay, because of the quokka last week."
	root, dir := t.TempDir(), t.TempDir()
	early.write(t, root)
	second.write(t, root)
	p := own(open(t, dir), root)
	d := stuckOn{newStuck(), ingest.SessionID(second.id)}
	p.Distiller = d
	ended := make(chan error, 1)
	go func() {
		_, err := p.Sync(context.Background(), pipeline.Options{})
		ended <- err
	}()
	<-d.began
	other := asOther(t, p)
	other.Distiller = offline.Distiller{}
	for try := 0; ; try++ { // the first session is written, and then waits for the second
		all, err := other.Library.Sessions()
		if slices.ContainsFunc(all, func(e library.Entry) bool {
			return string(e.ID) == early.id && e.Distilled != nil
		}) {
			break
		}
		if try == 12_000 {
			t.Fatal("the first session isn't written", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	if _, err := other.ForgetSessions(t.Context(), nil, ingest.SessionID(early.id)); err != nil {
		t.Fatal(err)
	}
	close(d.let)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	noWordOf(t, "quokka", p, other)
}

// Nor do the links of a session come back that is forgotten while they wait for the index.
func TestForgottenBeforeItsLinksAreIndexed(t *testing.T) {
	p, root := open(t, t.TempDir()), t.TempDir()
	for _, k := range changing {
		k.said = slices.Clone(k.said)
		k.said[0] = strings.Replace(k.said[0], "Let's use Redis", "Because of the quokka, let's use Redis", 1)
		k.write(t, root)
	}
	syncAll(t, p, root)
	if err := p.Index.AllDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := asOther(t, p)
	if err := p.RelateWhile(t.Context(), func() {
		if _, err := other.ForgetSessions(t.Context(), nil, ingest.SessionID(changing[1].id)); err != nil {
			t.Fatal(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	noWordOf(t, "quokka", p, other)
}

// noWordOf checks that no byte of a word is left in the index, which it closes.
func noWordOf(t *testing.T, word string, all ...*pipeline.Pipeline) {
	t.Helper()
	for _, p := range all {
		p.Index.Close()
	}
	files, _ := filepath.Glob(filepath.Join(all[0].Cache, "index.db*"))
	for _, f := range files {
		if data, err := os.ReadFile(f); err != nil || bytes.Contains(bytes.ToLower(data), []byte(word)) {
			t.Errorf("%s has words that were forgotten (%v)", f, err)
		}
	}
}

// asOther returns a pipeline as another process has it: with its own handles.
func asOther(t *testing.T, p *pipeline.Pipeline) *pipeline.Pipeline {
	l, err := library.Open(p.Library.Dir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	l.LockWait(2 * time.Second)
	x, err := index.Open(filepath.Join(p.Cache, "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	o := *p
	o.Library, o.Index = l, x
	return &o
}
