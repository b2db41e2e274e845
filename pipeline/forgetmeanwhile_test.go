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

// What another process forgets while a sync has it ready for the index doesn't come back with that sync, be it a
// session or an item.
func TestForgottenBeforeItIsIndexed(t *testing.T) {
	early := first
	early.said = slices.Clone(first.said)
	early.said[2] = "Use exponential backoff for retries instead of the fixed delay, because of the quokka last week."
	for name, forget := range map[string]func(*testing.T, *pipeline.Pipeline){
		"a session": func(t *testing.T, p *pipeline.Pipeline) {
			if _, err := p.ForgetSessions(t.Context(), nil, ingest.SessionID(early.id)); err != nil {
				t.Fatal(err)
			}
		},
		"an item": func(t *testing.T, p *pipeline.Pipeline) {
			made, err := p.Library.Payload(ingest.SessionID(early.id))
			if err != nil {
				t.Fatal(err)
			}
			it := slices.IndexFunc(made.Items, func(it payload.Item) bool { return strings.Contains(it.Text, "quokka") })
			if err := p.ForgetItem(t.Context(), ingest.SessionID(early.id), made.Items[it]); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
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
				if try == 500 {
					t.Fatal("the first session isn't written", err)
				}
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(100 * time.Millisecond)
			forget(t, other)
			close(d.let)
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			p.Index.Close()
			other.Index.Close()
			files, _ := filepath.Glob(filepath.Join(p.Cache, "index.db*"))
			for _, f := range files {
				if data, err := os.ReadFile(f); err != nil || bytes.Contains(bytes.ToLower(data), []byte("quokka")) {
					t.Errorf("%s has words that were forgotten (%v)", f, err)
				}
			}
		})
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
