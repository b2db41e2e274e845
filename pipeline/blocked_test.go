package pipeline_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"recall/distill/offline"
	"recall/index"
	"recall/ingest"
	"recall/library/check"
	"recall/library/inbox"
	"recall/payload"
	"recall/pipeline"
)

// stuck takes as long as it isn't let go.
type stuck struct {
	began chan struct{} // closed when it began
	let   chan struct{} // closed to let it end
	once  *sync.Once
}

func newStuck() stuck { return stuck{make(chan struct{}), make(chan struct{}), &sync.Once{}} }

func (stuck) Name() string { return offline.Distiller{}.Name() }

func (d stuck) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	d.once.Do(func() { close(d.began) })
	select {
	case <-d.let:
		return offline.Distiller{}.Distill(ctx, s)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// While one sync distills, however long, everything else goes on: archive, verify, the inbox, questions. Nothing holds
// a lock meanwhile, and in the end all is taken in.
func TestBlockedDistiller(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	first.write(t, root)
	p := own(open(t, dir), root)
	if _, err := p.Sync(context.Background(), pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	second.write(t, root)
	d := newStuck()
	p.Distiller = d
	ended := make(chan error, 1)
	go func() {
		_, err := p.Sync(context.Background(), pipeline.Options{})
		ended <- err
	}()
	<-d.began

	// Others are other processes: with their own handles.
	other := func() *pipeline.Pipeline { return asOther(t, p) }
	soon := func(what string, limit time.Duration, do func() error) {
		start := time.Now()
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if took := time.Since(start); took > limit {
			t.Errorf("%s waited %v, at most %v is meant", what, took, limit)
		} else {
			t.Logf("%s: %v", what, took)
		}
	}
	third.write(t, root)
	ctx := context.Background()
	soon("an event for the inbox", time.Minute, func() error {
		return inbox.Add(other().Library, map[string]string{"session": first.id, "text": "remember"})
	})
	soon("archive", time.Minute, func() error {
		r, err := other().Archive(ctx, nil)
		if err == nil && r.New != 1 {
			t.Errorf("archive: %+v", r)
		}
		return err
	})
	soon("verify", time.Minute, func() error {
		v, err := check.Verify(ctx, other().Library, nil)
		if err == nil && v.Damage() > 0 {
			t.Errorf("verify: %+v", v.Findings)
		}
		return err
	})
	soon("a question's search", time.Minute, func() error {
		a, err := other().Index.Search(ctx, index.Query{Text: first.said[0]})
		if err == nil && len(a.Ranked) == 0 {
			t.Error("nothing was found")
		}
		return err
	})
	select {
	case err := <-ended:
		t.Fatalf("the blocked sync ended: %v", err)
	default:
	}
	close(d.let)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	done := other()
	done.Distiller = offline.Distiller{}
	syncAll(t, done, root)
	for _, k := range []talk{first, second, third} {
		if e, err := done.Library.Session(ingest.SessionID(k.id)); err != nil || e.Behind() {
			t.Errorf("%s: %v, behind %v", k.id, err, e.Behind())
		}
	}
	if notes, err := done.Library.Notes(ingest.SessionID(first.id)); err != nil || len(notes) != 1 {
		t.Errorf("notes: %s, %v", notes, err)
	}
}
