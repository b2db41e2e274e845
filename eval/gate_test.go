package eval_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/demo"
	"recall/distill/offline"
	"recall/eval"
	"recall/ingest"
	"recall/payload"
)

// samples is a folder with the bundled sessions.
func samples(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if _, _, err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func measure(t *testing.T, do func(context.Context, eval.Options) (*eval.Run, error), o eval.Options) *eval.Run {
	t.Helper()
	r, err := do(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// bundled are the runs on the bundled gold set, each measured once.
var bundled = map[string]func() (*eval.Run, error){
	"payloads":  sync.OnceValues(func() (*eval.Run, error) { return onSamples(eval.Payloads) }),
	"questions": sync.OnceValues(func() (*eval.Run, error) { return onSamples(eval.Questions) }),
}

func onSamples(do func(context.Context, eval.Options) (*eval.Run, error)) (*eval.Run, error) {
	dir, err := os.MkdirTemp("", "recall-samples-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, _, err := demo.Write(dir); err != nil {
		return nil, err
	}
	return do(context.Background(), eval.Options{From: dir, Vectors: eval.KeptVectors()})
}

// bundledRun is a run on the bundled gold set; nobody may change it.
func bundledRun(t *testing.T, what string) *eval.Run {
	t.Helper()
	r, err := bundled[what]()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// kept is a run as its baseline file gives it back.
func kept(t *testing.T, r *eval.Run) *eval.Run {
	t.Helper()
	data, err := eval.EncodeBaseline(r)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "base.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	base, err := eval.ReadRun(file)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

func gate(t *testing.T, base, now *eval.Run) *eval.Gate {
	t.Helper()
	g, err := eval.NewGate(base, now)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// worse is the offline distiller with something spoilt in each payload.
type worse struct {
	offline.Distiller
	spoil func(*payload.Payload)
}

func (d worse) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	p, err := d.Distiller.Distill(ctx, s)
	if err == nil {
		d.spoil(p)
	}
	return p, err
}

// A baseline is reached by what it was made of, and not by distillers that
// lose decisions, invent items, or quote what nobody said.
func TestGateOnPayloads(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and only computes")
	}
	from := samples(t)
	base := kept(t, bundledRun(t, "payloads"))
	if g := gate(t, base, measure(t, eval.Payloads, eval.Options{From: from})); !g.Holds() {
		t.Errorf("the same distiller again: dropped %v", g.Dropped)
	}
	for _, c := range []struct {
		name  string
		spoil func(*payload.Payload)
		want  string
	}{
		{"the decisions are lost", func(p *payload.Payload) {
			p.Items = slices.DeleteFunc(p.Items, func(it payload.Item) bool { return it.Kind == payload.Decision })
		}, "decision F1"},
		{"each payload has as many invented items again", func(p *payload.Payload) {
			for _, it := range p.Items {
				it.ID, it.Text, it.Why, it.Path = "", "Quokkas graze upon purple zeppelins.", "", "zeppelin/quokka.go"
				p.Items = append(p.Items, it)
			}
		}, "micro F1"},
		{"one quote was never said", func(p *payload.Payload) {
			p.Items[0].Evidence = slices.Clone(p.Items[0].Evidence)
			p.Items[0].Evidence[0].Quote = "a quokka said so"
		}, "grounding"},
	} {
		g := gate(t, base, measure(t, eval.Payloads, eval.Options{From: from, Distiller: worse{spoil: c.spoil}}))
		if !slices.ContainsFunc(g.Dropped, func(d eval.Difference) bool { return d.Name == c.want }) {
			t.Errorf("%s: dropped %v, want %s among them", c.name, g.Dropped, c.want)
		}
	}
}

// A ranking that is worse doesn't pass: here ours in the place of one that knows the
// answers.
func TestGateOnQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and only computes")
	}
	now := bundledRun(t, "questions")
	if g := gate(t, kept(t, now), now); !g.Holds() {
		t.Errorf("the same answers: dropped %v", g.Dropped)
	}
	i := slices.IndexFunc(now.Systems, func(s eval.System) bool { return s.Name == "oracle" })
	if i < 0 {
		t.Fatal("the run has no oracle")
	}
	better := *now
	better.Systems = now.Systems[i:]
	g := gate(t, kept(t, &better), now)
	if !slices.ContainsFunc(g.Dropped, func(d eval.Difference) bool { return d.Name == "MRR" }) {
		t.Errorf("ours in the place of the oracle: dropped %v, want MRR among them", g.Dropped)
	}
}

// Where the gold set or the measure changed there is no gate, and that is said.
func TestGateNeedsTheSameGold(t *testing.T) {
	now := bundledRun(t, "payloads")
	base := kept(t, now)
	base.Systems[0].Payloads.Sessions[3].Gold[0].Must = !base.Systems[0].Payloads.Sessions[3].Gold[0].Must
	if _, err := eval.NewGate(base, now); err == nil || !strings.Contains(err.Error(),
		"11 of the baseline's 12 sessions") {
		t.Errorf("one session's gold changed: got %v, want an error that counts what can be compared", err)
	}
	base = kept(t, now)
	base.Config["threshold"] = "0.99"
	if _, err := eval.NewGate(base, now); err == nil || !strings.Contains(err.Error(), "another threshold (0.99") {
		t.Errorf("measured with another threshold: got %v, want an error that says so", err)
	}
}

// A baseline holds nothing that anybody said: each text in it is an id, a hash,
// a kind, a date or a word of ours.
func TestBaselinesHoldNoText(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	for _, what := range []string{"payloads", "questions"} {
		r := bundledRun(t, what)
		data, err := eval.EncodeBaseline(r)
		if err != nil {
			t.Fatal(err)
		}
		checkNoText(t, "a new baseline of "+r.What, data)
	}
	files, err := filepath.Glob("testdata/baseline/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d kept baselines (%v), want some", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		checkNoText(t, f, data)
		if _, err := eval.ReadRun(f); err != nil {
			t.Error(err)
		}
	}
}

// notText are the fields of a baseline with what they may hold.
var notText = map[string]*regexp.Regexp{
	"at": regexp.MustCompile(`^\d{4}-\d\d-\d\dT[\d:.]+Z$`), "recall": regexp.MustCompile(`^[\w.+() -]{1,40}$`),
	"revision": regexp.MustCompile(`^[0-9a-f]{7,40}\+?$`),
	"what":     regexp.MustCompile(`^(payloads|questions|pages)$`), "distiller": regexp.MustCompile(`^[\w./-]{1,40}$`),
	"judge":     regexp.MustCompile(`^[\w./-]{1,40}$`),
	"redaction": regexp.MustCompile(`^[0-9a-f]+$`), "threshold": regexp.MustCompile(`^[\d.]+$`),
	"hash": regexp.MustCompile(`^[0-9a-f]+$`),
	"name": regexp.MustCompile(`^[\w+-]+(/\d+)?$`), "project": regexp.MustCompile(`^[\w.-]+$`),
	"rule":    regexp.MustCompile(`^[a-z][a-z0-9-]*$`),
	"session": regexp.MustCompile(`^(local_)?[0-9a-f-]{36}$`), "kind": regexp.MustCompile(`^[a-z]+$`),
	"gold":      regexp.MustCompile(`^[a-z]{1,2}\d+[a-z]?$`),
	"id":        regexp.MustCompile(`^([a-z]{1,2}\d+[a-z]?|[a-z2-9]{10}|[0-9a-f]{12})$`),
	"predicted": regexp.MustCompile(`^[a-z2-9]{10}$`),
	"expect":    regexp.MustCompile(`^((local_)?[0-9a-f-]{36}|[a-z]+-\d\d)#[a-z]+\d+[a-z]?$`),
	"stale":     regexp.MustCompile(`^((local_)?[0-9a-f-]{36}|[a-z]+-\d\d)#[a-z]+\d+[a-z]?$`),
}

func checkNoText(t *testing.T, what string, data []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	seen := map[string]bool{}
	var walk func(field string, v any)
	walk = func(field string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				walk(k, x)
			}
		case []any:
			for _, x := range v {
				walk(field, x)
			}
		case string:
			seen[field] = true
			if form := notText[field]; form == nil || !form.MatchString(v) {
				t.Errorf("%s: %s holds %q", what, field, v)
			}
		}
	}
	walk("", v)
	if !seen["session"] && !seen["expect"] {
		t.Errorf("%s: neither a session nor a question was seen", what)
	}
}

// A run file comes back as it was written.
func TestRunFile(t *testing.T) {
	r := bundledRun(t, "payloads")
	data, err := eval.EncodeRun(r)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	got, err := eval.ReadRun(write("run.json", string(data)))
	if err != nil {
		t.Fatal(err)
	}
	again, err := eval.EncodeRun(got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(data), string(again)); diff != "" {
		t.Errorf("written, read and written again (-first +second):\n%s", diff)
	}
	for name, text := range map[string]string{"no.json": "{", "other.json": `{"schema":1,"what":"weather"}`,
		"empty.json": `{"schema":1,"what":"payloads","systems":[]}`,
		"newer.json": `{"schema":99,"what":"payloads"}`,
		"mixed.json": `{"schema":1,"what":"questions","systems":[{"name":"x","payloads":{}}]}`} {
		if _, err := eval.ReadRun(write(name, text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error that names the file", name, err)
		}
	}
}
