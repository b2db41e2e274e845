package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"recall/distill/model"
	"recall/index"
	"recall/internal/llm"
	"recall/internal/llm/openai"
	"recall/library"
	"recall/library/calls"
	"recall/library/check"
	"recall/library/inbox"
	"recall/pipeline"
	"recall/pipeline/improve"
)

// prices of the model that the services of these tests are asked for.
var prices = llm.Prices{{Model: "small", In: 0.1, Out: 0.4}}

// ask has a pipeline ask a service, as recall does.
func (s *service) ask(t testing.TB, p *pipeline.Pipeline, caps improve.Caps) *model.Improver {
	t.Helper()
	chat, err := openai.NewChat(llm.Options{URL: s.URL + "/v1", Key: "sk-test", Model: "small", Window: 32_000})
	if err != nil {
		t.Fatal(err)
	}
	return askBy(p, llm.Patient(llm.Metered(chat, improve.NewPurse(p.Library, caps, p.Now), prices),
		llm.Patience{Pause: time.Millisecond, Longest: 10 * time.Millisecond}))
}

func askBy(p *pipeline.Pipeline, m llm.Model) *model.Improver {
	improver := model.New(model.Options{Model: m, Store: p.Library})
	asker(p).Improver, asker(p).Reconciler = improver, improver
	return improver
}

// beside does what other processes do while one asks a model: it archives and
// distills a session that has grown, notes something, and asks a question.
type besides struct {
	t    *testing.T
	p    *pipeline.Pipeline // of the process that asks the model
	root string
	n    int
}

func (b *besides) run() {
	l, err := library.Open(b.p.Library.Dir())
	if err != nil {
		b.t.Error(err)
		return
	}
	defer l.Close()
	q := *b.p
	q.Library = l
	b.n++
	fresh := first
	fresh.id = fmt.Sprintf("%08x-0000-4000-8000-000000000001", 0xb0000000+b.n)
	fresh.start = day.AddDate(0, 2, b.n)
	fresh.write(b.t, b.root)
	if r, err := q.Sync(context.Background(), pipeline.Options{From: []string{b.root}}); err != nil || r.New != 1 ||
		r.Distilled == 0 {
		b.t.Errorf("a sync meanwhile: %+v %v", r, err)
	}
	if err := inbox.Add(l, map[string]any{"type": "note", "session": fresh.id, "text": "remember the heap"}); err != nil {
		b.t.Errorf("a note meanwhile: %v", err)
	}
	if answer, err := q.Index.Search(context.Background(),
		index.Query{Text: "exponential backoff for retries"}); err != nil || len(answer.Ranked) == 0 {
		b.t.Errorf("a question meanwhile: %d hits, %v", len(answer.Ranked), err)
	}
}

// A night over many sessions with a service of whose answers every fifth fails,
// and the nights after until all is done: every session has a payload all the
// while, nothing that was answered is asked again, the ledger has what the
// service charged and an estimate for what broke off, no secret left the machine,
// and other work went on.
func TestNight(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := open(t, t.TempDir())
	sessions, secrets := 28, 1000
	if testing.Short() { // under the race detector
		sessions, secrets = 8, 300
	}
	talks, planted := secretTalks(sessions, secrets)
	for _, k := range talks {
		k.write(t, root)
	}
	r := nights(t, p, root, len(talks))
	pages := derived(t, filepath.Dir(p.Library.Dir()))
	left := 0 // some kinds are lines of files, and are missed within the sentences that these stand in
	for _, s := range planted {
		if sent, kept := bytes.Contains(r.bodies, []byte(s)), bytes.Contains(pages, []byte(s)); sent || kept {
			t.Logf("%.8s… was sent to the model: %v; is in a page or the index: %v", s, sent, kept)
			left++
		}
	}
	if left*50 > len(planted) {
		t.Errorf("%d of %d secrets got out, want at most two in a hundred", left, len(planted))
	}
	if n := bytes.Count(r.bodies, []byte("‹")); n < secrets/2 {
		t.Errorf("%d placeholders were sent: this test proves nothing", n)
	}
	for _, k := range talks {
		if got := texts(t, p.Library, k.id, "model"); len(got) == 0 {
			t.Errorf("%s has no decision of the model's", k.id)
		}
	}
}

// derived is all that was made of transcripts, one file after the other.
func derived(t *testing.T, dir string) (all []byte) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(path)) == "raw" {
			return err
		}
		text, err := os.ReadFile(path)
		all = append(append(all, text...), '\n')
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The same over real transcripts.
func TestNightOfSharedTranscripts(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED is not set")
	}
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "projects"), os.DirFS(filepath.Join(shared, "transcripts"))); err != nil {
		t.Fatal(err)
	}
	nights(t, open(t, t.TempDir()), root, 1)
}

// nights runs sync and asks night after night until nothing is left to ask.
func nights(t *testing.T, p *pipeline.Pipeline, root string, least int) *service {
	t.Helper()
	now := time.Date(2027, 1, 1, 2, 0, 0, 0, time.UTC)
	p.Now = func() time.Time { return now }
	s := newService(t, 20)
	s.ask(t, p, improve.Caps{})
	if _, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}}); err != nil {
		t.Fatal(err)
	}
	beside := &besides{t: t, p: p, root: root}
	s.arrived = func(n int) {
		if n == 5 || n == 15 {
			beside.run()
		}
	}
	improved := 0
	for night := 1; ; night++ {
		r, err := asker(p).Run(context.Background(), improve.Options{Quiet: 30 * time.Minute})
		if err != nil || len(r.Problems) > 0 {
			t.Fatalf("night %d: %v %+v", night, err, r.Problems)
		}
		t.Logf("night %d: %d asked, %d improved, %d waiting (%s), %d resting; %d requests, %d failed", night, r.Asked,
			r.Improved, r.Waiting, r.Why, r.Resting, s.requests, s.failed)
		improved += r.Improved
		everyPayload(t, p.Library)
		if r.Waiting+r.Resting == 0 && r.Improved == 0 {
			break
		}
		if night == 20 {
			t.Fatalf("it never ends: %+v", r)
		}
		now = now.AddDate(0, 0, 1)
	}
	if improved < least || beside.n != 2 {
		t.Errorf("%d sessions improved, want at least %d; %d other processes, want 2", improved, least, beside.n)
	}
	for _, text := range s.twice() {
		t.Errorf("asked again although it was answered, %s", text)
	}
	in, out, cost, guessed := 0, 0, 0.0, 0
	spent, err := calls.Spending(p.Library)
	for _, line := range spent {
		if err != nil || line.Estimated && (line.In == 0 || line.Cost == 0 || line.Fault == "") {
			t.Errorf("%+v %v", line, err)
		}
		if line.Estimated {
			guessed++
			continue
		}
		in, out, cost = in+line.In, out+line.Out, cost+line.Cost
	}
	if guessed != s.broke || guessed == 0 {
		t.Errorf("%d calls stand in the ledger as estimated, want the %d that broke off", guessed, s.broke)
	}
	if in != s.in || out != s.out || cost < float64(s.in)*0.1e-6 {
		t.Errorf("the ledger has %d tokens in and %d out for $%f, the service %d and %d", in, out, cost, s.in, s.out)
	}
	if s.failed*100 < s.requests*10 {
		t.Errorf("only %d of %d answers failed: this test proves nothing", s.failed, s.requests)
	}
	if v, err := check.Verify(context.Background(), p.Library, nil); err != nil || v.Damage() > 0 {
		t.Errorf("verify: %v %+v", err, v.Findings)
	}
	before := s.requests
	if r, err := asker(p).Run(context.Background(), improve.Options{}); err != nil || s.requests != before {
		t.Errorf("once more: %+v %v, %d requests", r, err, s.requests-before)
	}
	return s
}

func everyPayload(t *testing.T, l *library.Library) {
	t.Helper()
	entries, err := l.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, err := l.Payload(e.ID); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
	}
}
