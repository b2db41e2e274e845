package pipeline_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/internal/llm"
	"recall/library/calls"
	"recall/pipeline"
	"recall/pipeline/improve"
)

// What is foreseen is what a night then costs, up to two and a half times it: the
// other words of items, how they bear on those of other sessions and a second try
// of some answers are in it.
func TestForeseenNight(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	sources := map[string]func(t *testing.T, root string){
		"many small sessions": func(t *testing.T, root string) { writeTalks(t, root, 12) },
		"one large session": func(t *testing.T, root string) {
			talks, _ := secretTalks(25, 0)
			for _, k := range talks[1:] {
				talks[0].said = append(talks[0].said, k.said...)
			}
			for i := 1; i < len(talks[0].said); i += 2 {
				talks[0].said[i] += strings.Repeat("The importer reads the module's rows in order and writes what it finds. ", 20)
			}
			talks[0].write(t, root)
		},
	}
	if shared := os.Getenv("RECALL_SHARED"); shared != "" {
		sources["shared transcripts"] = func(t *testing.T, root string) {
			if err := os.CopyFS(filepath.Join(root, "projects"), os.DirFS(filepath.Join(shared, "transcripts"))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, write := range sources {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root)
			p := open(t, t.TempDir())
			p.Now = func() time.Time { return time.Date(2027, 1, 1, 2, 0, 0, 0, time.UTC) }
			s := newService(t, 0)
			s.wordy = true
			s.ask(t, p, improve.Caps{})
			if _, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}}); err != nil {
				t.Fatal(err)
			}
			f, err := asker(p).Foresee(context.Background(), improve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := asker(p).Run(context.Background(), improve.Options{})
			if err != nil || r.Waiting > 0 {
				t.Fatal(err, r)
			}
			sum := f.Sum()
			took := map[string]llm.Usage{}
			spent, _ := calls.Spending(p.Library)
			for _, line := range spent {
				took[line.Task] = took[line.Task].Add(llm.Usage{In: line.In, Out: line.Out})
				took["all"] = took["all"].Add(llm.Usage{In: line.In, Out: line.Out})
			}
			cost := func(in, out int) float64 {
				usd, _ := prices.Cost("openai/small", llm.Usage{In: in, Out: out})
				return usd
			}
			ratio := cost(sum.In, sum.Out) / cost(took["all"].In, took["all"].Out)
			t.Logf("%d sessions: foreseen %d requests, %d in, %d out; took %d, %v: %.2f", len(f.Sessions), sum.Requests, sum.In,
				sum.Out, s.requests, took, ratio)
			if ratio < 1 || ratio > 2.5 {
				t.Errorf("foreseen %.2f times what it cost, want 1 to 2.5", ratio)
			}
			if f, err = asker(p).Foresee(context.Background(), improve.Options{}); err != nil ||
				f.Sum().Requests > 0 {
				t.Errorf("foreseen after it: %+v %v, want nothing", f.Sum(), err)
			}
			entries, err := p.Library.Sessions()
			if err == nil {
				err = calls.NoteTry(p.Library, calls.Try{Session: entries[0].ID, Input: entries[0].Input, Unlinked: true})
			}
			if err != nil {
				t.Fatal(err)
			}
			if f, err = asker(p).Foresee(context.Background(), improve.Options{}); err != nil ||
				f.Bearing.Requests != 1 || len(f.Sessions) > 0 {
				t.Errorf("foreseen with a session that was compared with nothing: %+v %v", f, err)
			}
		})
	}
}

func writeTalks(t *testing.T, root string, n int) {
	talks, _ := secretTalks(n, 0)
	for _, k := range talks {
		k.write(t, root)
	}
}
