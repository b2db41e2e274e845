package eval

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/distill"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/payload"
)

// What careful readers wrote down keeps the contract: of their decisions next to
// none may be taken for refused, cut or not chosen. What says more than the one quote
// that the sets give is kept beside it as its maker's words, and counted by itself.
// Project by project, over those that no rule was written from too.
func TestReadersItemsKeepTheContract(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED isn't set: the shared gold sets and transcripts are needed")
	}
	for _, of := range []struct{ gold, from string }{
		{filepath.Join(shared, "eval", "gold"), filepath.Join(shared, "transcripts")},
		{filepath.Join(shared, "silver"), filepath.Join(shared, "silver")},
	} {
		set, err := LoadSet(of.gold)
		if err != nil {
			t.Fatal(err)
		}
		decided, lost, words := 0, 0, 0
		counts := map[string]map[string]int{}
		all, err := Gather(t.Context(), set, Options{From: of.from})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all.Cases {
			n := counts[c.Gold.Project]
			if n == nil {
				n = map[string]int{}
				counts[c.Gold.Project] = n
			}
			for _, g := range c.Gold.Items {
				it := payload.Item{Kind: g.Kind, Text: g.Text, Why: g.Why, Maker: payload.ByModel, State: payload.Stands}
				for _, turn := range g.Turns {
					it.Evidence = append(it.Evidence, payload.Evidence{Turn: turn, Quote: g.Quote})
				}
				p := payload.Payload{Items: []payload.Item{it}}
				if distill.Ground(c.Session, &p); len(p.Items) == 0 {
					continue // the set tells itself what it quotes that isn't there
				}
				kept, why := distill.Contract(c.Session, p.Items)
				n[string(g.Kind)]++
				for reason := range why {
					n[string(g.Kind)+": "+reason]++
					t.Logf("%s %.8s %s %s: %q because of %q", reason, c.Gold.Session, g.ID, g.Kind, g.Text, g.Quote)
				}
				if g.Kind == payload.Decision {
					decided++
					switch {
					case len(kept) == 0:
						lost++
					case kept[0].Said():
						words++
					case kept[0].Kind != g.Kind:
						lost++
					}
				}
			}
		}
		for _, project := range slices.Sorted(maps.Keys(counts)) {
			var line []string
			for _, k := range slices.Sorted(maps.Keys(counts[project])) {
				line = append(line, fmt.Sprintf("%s %d", k, counts[project][k]))
			}
			t.Logf("%s: %s", project, strings.Join(line, ", "))
		}
		if decided < 50 || lost > decided/33 {
			t.Errorf("%s: %d of %d decisions that readers wrote down don't keep the contract, want at most 3 in 100", of.gold,
				lost, decided)
		}
		t.Logf("%s: of %d decisions %d are lost and %d kept as their maker's words", of.gold, decided, lost, words)
		if words > decided/6 {
			t.Errorf("%s: %d of %d decisions are only kept as their maker's words, want at most 1 in 6", of.gold, words, decided)
		}
	}
}

// Sessions in which recall once gave as decided what the person refused with the next word typed.
func TestContractOnRealSessions(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED isn't set: the shared transcripts are needed")
	}
	for _, tt := range []struct{ session, said, person string }{ // a line of the assistant's, and of what was typed to it
		{"entireio-cli/03a1382e", "gc.auto 0", "let's see if it keeps happening"},
		{"entireio-cli/acdd84ab", ".gitignore", "not you adding"},
	} {
		s := realSession(t, filepath.Join(shared, "transcripts", "dev"), tt.session)
		line, turn := lineBefore(s, tt.said, tt.person)
		if line == "" {
			t.Errorf("%s: %q and %q aren't in the session", tt.session, tt.said, tt.person)
			continue
		}
		p := &payload.Payload{Items: []payload.Item{{Kind: payload.Decision, Maker: payload.ByModel, State: payload.Stands,
			Text: strings.NewReplacer("**", "", "?", ".").Replace(line),
			By:   payload.ByAssistant, Evidence: []payload.Evidence{{Turn: turn, Quote: line}}}}}
		distill.Hold(s, p)
		if len(p.Items) != 1 || p.Items[0].Kind != payload.Eliminated || p.Items[0].By != payload.ByUser {
			t.Errorf("%s: got %+v of %q, want it ruled out by the person", tt.session, p.Items, line)
		}
	}
}

// lineBefore is the sentence of the assistant's with some words, last said before a person's turn with others.
func lineBefore(s *ingest.Session, said, person string) (line, turn string) {
	at := slices.IndexFunc(s.Turns, func(t ingest.Turn) bool {
		return t.Role == ingest.User && strings.Contains(t.OwnText(), person)
	})
	for k := at; k >= 0; k-- {
		for l := range strings.Lines(s.Turns[k].Text) {
			for part := range strings.SplitAfterSeq(l, ". ") {
				if s.Turns[k].Role == ingest.Assistant && strings.Contains(part, said) {
					return strings.TrimSpace(part), string(s.Turns[k].ID)
				}
			}
		}
	}
	return "", ""
}

func realSession(t *testing.T, dir, name string) *ingest.Session {
	t.Helper()
	project, id, _ := strings.Cut(name, "/")
	found, _ := claudecode.Reader{}.Find(t.Context(), filepath.Join(dir, project), nil)
	for _, f := range found {
		if strings.HasPrefix(string(f.ID), id) {
			s, err := claudecode.Reader{}.Parse(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	t.Fatalf("no session %s in %s", name, dir)
	return nil
}
