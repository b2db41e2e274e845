package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recall/cmd/recall/demo"
	"recall/distill"
	"recall/distill/model"
	"recall/distill/offline"
	"recall/eval"
	"recall/eval/report"
	"recall/ingest"
	"recall/internal/llm"
	"recall/internal/llm/replay"
	"recall/payload"
	"recall/pipeline"
)

// replayed puts answers that models gave once through today's grounding, merging and
// scoring: those about the demo's sessions, which are held against their gold sets, and
// those about the sessions of many projects, held against what was kept of them at the time.
func (q quality) replayed(t *testing.T) string {
	samples := t.TempDir()
	if _, _, err := demo.Write(samples); err != nil {
		t.Fatal(err)
	}
	kept, err := demo.Answers()
	if err != nil {
		t.Fatal(err)
	}
	answers := replay.NewAnswers(kept, "recorded")
	silver := readRecorded(t, filepath.Join(q.shared, "silver", "answers"))
	projects, err := filepath.Glob(filepath.Join(q.shared, "silver", "*", "*.silver.json"))
	if err != nil || len(projects) == 0 {
		t.Fatalf("no silver: %v", err)
	}
	var folders []string
	for _, p := range projects {
		if dir := filepath.Dir(p); len(folders) == 0 || folders[len(folders)-1] != dir {
			folders = append(folders, dir)
		}
	}
	rows := [][]string{{"", "sessions", "F1", "F1, decisions", "F1 but files", "items a session", "dropped",
		"tokens in", "out"}}
	for _, of := range []struct {
		name  string
		gold  []string
		from  string
		m     llm.Model
		store llm.Store
	}{
		{"demo, rules", nil, samples, nil, nil},
		{"demo, a large model", nil, samples, answers, answers},
		{"many projects, a large model", folders, q.shared, silver, memory{}},
	} {
		var takes distill.Estimate
		o := eval.Options{Gold: of.gold, From: of.from, Redact: func(s *ingest.Session) { pipeline.Redact(s) }}
		if of.m != nil {
			o.Distiller = byModel{model.New(model.Options{Model: of.m, Store: of.store}),
				model.New(model.Options{Model: of.m, Store: memory{}}), &takes}
		}
		run, err := eval.Payloads(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		s := run.Systems[0].Payloads
		var but eval.Count // a model's own items name their files otherwise than people's do
		for k, r := range s.Kinds {
			if k != payload.File {
				but.Hits, but.Pred, but.Wanted = but.Hits+r.Hits, but.Pred+r.Pred, but.Wanted+r.Wanted
			}
		}
		n, items, dropped := len(s.Sessions), 0, 0
		for _, one := range s.Sessions {
			items, dropped = items+len(one.Predicted), dropped+one.Dropped
		}
		row := []string{of.name, fmt.Sprint(n), report.Ranged(s.Micro.F1), report.Ranged(s.Kinds[payload.Decision].F1),
			fmt.Sprintf("%.2f", but.F1()), fmt.Sprintf("%.1f", float64(items)/float64(n)), fmt.Sprint(dropped),
			fmt.Sprint(takes.In / n), fmt.Sprint(takes.Out / n)}
		rows = append(rows, row)
	}
	if n := answers.Missing(); n > 0 {
		t.Errorf("%d requests about the samples aren't recorded: see TestDemoRecorded", n)
	}
	return markdown(rows...)
}

// byModel distills as sync does, and sums up what asking anew would take.
type byModel struct {
	*model.Improver
	fresh *model.Improver
	takes *distill.Estimate
}

func (d byModel) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	p, err := offline.Distiller{}.Distill(ctx, s)
	if err != nil || !d.Ripe(s) {
		return p, err
	}
	e, err := d.fresh.Estimate(ctx, s)
	if err != nil {
		return p, err
	}
	d.takes.In, d.takes.Out = d.takes.In+e.In, d.takes.Out+e.Out
	return d.Improve(ctx, s, p)
}

var _ distill.Distiller = byModel{}

// memory keeps answers for one run.
type memory map[string][]byte

func (m memory) Answer(key string) ([]byte, bool, error)  { data, ok := m[key]; return data, ok, nil }
func (m memory) KeepAnswer(key string, data []byte) error { m[key] = data; return nil }

// recorded answers today's requests with what was said to earlier ones of the same lines.
type recorded []exchange

// exchange is a request by its lines, and the items of its answer.
type exchange struct {
	lines map[string]bool
	items []map[string]any
}

var (
	shownLines = regexp.MustCompile(`(?s)<transcript>\n(.*)</transcript>`)
	heading    = regexp.MustCompile(`(?m)^## (t\d+)\b`)
)

func linesOf(prompt string) map[string]bool {
	lines := map[string]bool{}
	if m := shownLines.FindStringSubmatch(prompt); m != nil {
		for line := range strings.Lines(m[1]) {
			lines[strings.TrimSpace(line)] = len(line) > 20
		}
	}
	return lines
}

func readRecorded(t *testing.T, dir string) (all recorded) {
	files, err := filepath.Glob(filepath.Join(dir, "extract-*.answer.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded answers in %s: %v", dir, err)
	}
	for _, file := range files {
		var request struct{ Prompt string }
		var answer struct{ Items []map[string]any }
		readJSON(t, strings.Replace(file, ".answer.", ".request.", 1), &request)
		readJSON(t, file, &answer)
		for _, it := range answer.Items { // of a request of other windows
			delete(it, "earlier")
			delete(it, "bearing")
		}
		all = append(all, exchange{linesOf(request.Prompt), answer.Items})
	}
	return all
}

func (recorded) Name() string { return "replay/recorded" }
func (recorded) Window() int  { return 200_000 }

// Complete gives of the answers about the same session the items whose first quote is of
// a turn that is shown; nothing else is mended or added.
func (a recorded) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	if r.Task == "repair" {
		return llm.Response{Text: `{"quotes":[]}`}, nil
	}
	lines, turns := linesOf(r.Prompt), map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(r.Prompt, -1) {
		turns[m[1]] = true
	}
	items := []map[string]any{}
	for _, e := range a {
		shared, long := 0, 0
		for line, is := range e.lines {
			if is {
				long++
				if lines[line] {
					shared++
				}
			}
		}
		if shared*4 < min(long, len(lines)) {
			continue
		}
		for _, it := range e.items {
			evidence, _ := it["evidence"].([]any)
			if len(evidence) == 0 {
				continue
			}
			first, _ := evidence[0].(map[string]any)
			if turn, _ := first["turn"].(string); turns[turn] {
				items = append(items, it)
			}
		}
	}
	text, err := json.Marshal(map[string]any{"items": items})
	return llm.Response{Text: string(text)}, err
}

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
