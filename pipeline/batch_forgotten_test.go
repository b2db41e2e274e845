package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"recall/distill/model"
	"recall/ingest"
	"recall/internal/llm"
	"recall/library"
	"recall/pipeline/improve"
)

// A batch that answers only about a session that was forgotten meanwhile is paid
// for, and so is charged. Only one whose id was looked for may be somebody else's.
func TestBatchOfForgotten(t *testing.T) {
	for _, found := range []bool{false, true} {
		root := t.TempDir()
		p := open(t, t.TempDir())
		now := day.AddDate(0, 1, 0)
		p.Now = func() time.Time { return now }
		writeTalks(t, root, 2)
		syncAll(t, p, root)
		s := &post{name: "openai/small", taken: map[string]map[string]llm.Request{}, times: map[string]int{}}
		night := func() improve.Report {
			asker(p).Improver = model.New(model.Options{Model: s, Store: p.Library, Batch: true})
			asker(p).Batch = &improve.Batching{Model: s, Purse: improve.NewPurse(p.Library, improve.Caps{}, p.Now),
				Prices: prices}
			r, err := asker(p).Run(t.Context(), improve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			now = now.Add(20 * time.Hour)
			return r
		}
		night()
		lines, err := p.Library.BatchLines()
		if err != nil || len(lines) != 3 || lines[2].Op != library.BatchSent {
			t.Fatalf("got %+v, %v, want two requests that were sent", lines, err)
		}
		if found {
			lines[2].Found = true
			if err := p.Library.NoteBatch(lines[2]); err != nil {
				t.Fatal(err)
			}
		}
		goes := lines[0]
		if err := p.Library.Forget([]ingest.SessionID{ingest.SessionID(goes.Session)}, nil); err != nil {
			t.Fatal(err)
		}
		s.ended, s.collect = true, func(_, key string) bool { return key == goes.Key }
		r := night()
		theirs := len(r.Problems) == 1 && strings.Contains(r.Problems[0].Reason(), "somebody else's")
		if theirs != found || len(r.Problems) > 0 && !theirs || len(s.taken) != 2 {
			t.Errorf("found %v: problems %+v, %d batches; want the other session asked about again", found, r.Problems,
				len(s.taken))
		}
		charged := 0
		for line, err := range p.Library.Spending() {
			if err != nil || line.In != 1000 || line.Session != "" {
				t.Errorf("found %v: %+v, %v, want 1000 tokens for nobody", found, line, err)
			}
			charged++
		}
		if (charged == 1) == found || charged > 1 {
			t.Errorf("found %v: %d requests were charged", found, charged)
		}
	}
}
