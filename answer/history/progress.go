package history

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/distill/offline"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/payload"
)

// Step is one line of a session's log.
type Step struct {
	At   time.Time `json:"at,omitzero"`
	What string    `json:"what"` // asked, decided, tried, flag, next, file, commit, error, …
	Text string    `json:"text"`
	Turn int       `json:"turn,omitempty"`
}

// Progress lists what a session did so far, in order: prompts, decisions and other items, files changed, errors,
// commits.
func Progress(ctx context.Context, s *ingest.Session) ([]Step, error) {
	p, err := offline.Distiller{}.Distill(ctx, s)
	if err != nil {
		return nil, err
	}
	var log []Step
	add := func(at time.Time, what, said string, turn int) {
		if said = text.Clip(line(said), 240); said != "" {
			log = append(log, Step{at.UTC(), what, said, turn})
		}
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Aside() {
			continue
		}
		switch t.Kind {
		case ingest.Prompt, ingest.PlanTurn:
			add(t.At, "asked", text.Clip(line(t.OwnText()), 120), t.N)
		case ingest.Interrupt:
			add(t.At, "stopped", "you stopped the assistant", t.N)
		}
	}
	words := map[payload.Kind]string{payload.Decision: "decided", payload.Eliminated: "tried", payload.Finding: "found",
		payload.Flag: "flag", payload.Deferred: "deferred",
		payload.Question: "open", payload.Hypothesis: "suspect", payload.Next: "next"}
	for _, it := range p.Items {
		if what := words[it.Kind]; what != "" && it.Current() {
			said := it.Text
			if it.Why != "" {
				said += " — " + it.Why
			}
			add(it.At, what, said, it.First().N)
		}
	}
	addWork(s, add)
	slices.SortStableFunc(log, func(a, b Step) int { return cmp.Or(a.At.Compare(b.At), a.Turn-b.Turn) })
	return log, nil
}

// addWork adds what the session's calls did.
func addWork(s *ingest.Session, add func(at time.Time, what, text string, turn int)) {
	tr := trace.Of(s)
	touched := map[string]bool{}
	for i := range tr.Actions {
		a := &tr.Actions[i]
		if a.Copied {
			continue
		}
		if a.Call.Verdict == ingest.Rejected {
			add(a.At, "refused", strings.TrimSpace(a.Call.Name+" "+a.Call.Path+" "+a.Call.Reason), a.N)
		}
		for _, f := range a.Touches {
			how := string(f.How)
			if f.How == trace.Read || f.Unsure || touched[how+f.Path] {
				continue
			}
			touched[how+f.Path] = true
			add(a.At, "file", how+" "+within(f.Path, a.Dir), a.N)
		}
	}
	for _, f := range tr.Faults {
		a := &tr.Actions[f.Action]
		add(a.At, "error", f.Text, a.N)
	}
	for _, c := range tr.Commits {
		add(c.At, "commit", strings.TrimSpace(c.Hash+" "+c.Subject), c.N)
	}
}

// within returns a path relative to a folder that contains it, else the path.
func within(path, dir string) string {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path), strings.TrimRight(filepath.ToSlash(dir), "/")+"/"); ok &&
		dir != "" {
		return rest
	}
	return path
}
