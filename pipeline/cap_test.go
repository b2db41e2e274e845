package pipeline_test

import (
	"context"
	"testing"
	"time"

	"recall/ingest"
	"recall/internal/llm"
	"recall/payload"
	"recall/pipeline/improve"
)

// A cap that one session's request reaches doesn't cost the answer that another
// waits for: it is paid for already.
func TestCapLeavesWhatIsAsked(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	p.Now = func() time.Time { return day.AddDate(0, 1, 0) }
	all := several(t, root, 4)
	syncAll(t, p, root)
	asked, reached := make(chan struct{}), make(chan struct{})
	asker(p).Improver = &script{do: func(s *ingest.Session) error {
		if s.ID[0] == 'b' {
			<-asked
			close(reached)
			return &llm.Capped{Cap: "night", Limit: "$1.00"}
		}
		close(asked)
		<-reached
		time.Sleep(50 * time.Millisecond) // until the asking has ended
		return nil
	}}
	r, err := asker(p).Run(context.Background(), improve.Options{AtOnce: 2})
	if err != nil || r.Improved != 1 || r.Waiting != 2 {
		t.Errorf("got %+v, %v; want one improved, two waiting", r, err)
	}
	if got := texts(t, p.Library, all[2].id, payload.ByModel); len(got) != 2 {
		t.Errorf("the session that was asked about meanwhile has %q, want two decisions", got)
	}
}
