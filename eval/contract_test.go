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
// none may be taken for refused, cut or not chosen. Project by project, over those
// that no rule was written from too.
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
		decided, lost := 0, 0
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
					if len(kept) == 0 || kept[0].Kind != g.Kind {
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
	}
}

// Sessions in which recall once said what wasn't so: whose word it is, and which
// kind, whatever makes the items.
func TestContractOnRealSessions(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED isn't set: the shared transcripts are needed")
	}
	// The words of an item, found in the session: a line of the turn before the
	// person's, or the person's own.
	for _, tt := range []struct {
		name, session, person string // the person's turn holds these words
		own                   bool   // the item is worded by it, else by the assistant's line that holds line
		line                  string
		kind, want            payload.Kind
		role                  ingest.Role // whose the first quote is
		holds, lacks          string      // of the item that is left
	}{
		{"a refused setting", "entireio-cli/03a1382e", "let's see if it keeps happening", false, "gc.auto 0",
			payload.Decision, payload.Eliminated, ingest.User, "gc.auto", ""},
		{"option C, not what was recommended", "entireio-cli/22c5d52e", "I like Option C", false, "My recommendation:",
			payload.Decision, payload.Decision, ingest.User, "footer", "Option A"},
		{"the cli should, not you", "entireio-cli/acdd84ab", "not you adding", false, ".gitignore", payload.Decision,
			payload.Eliminated, ingest.User, ".gitignore", ""},
		{"a wish asked back about", "entireio-git-sync/aefcb05b", "I'd go with renaming", true, "", payload.Decision,
			payload.Decision, ingest.User, "errors out", "real normal"},
		{"a push isn't atomic", "entireio-git-sync/aefcb05b", "", false, "by itself is **not** atomic", payload.Eliminated,
			payload.Finding, ingest.Assistant, "not atomic", ""},
	} {
		s := realSession(t, filepath.Join(shared, "transcripts", "dev"), tt.session)
		line, turn := "", ""
		for i := range s.Turns {
			at := &s.Turns[i]
			if tt.person != "" && (at.Role != ingest.User || !strings.Contains(at.OwnText(), tt.person)) {
				continue
			}
			for k := i; k >= 0 && line == ""; k-- {
				for l := range strings.Lines(s.Turns[k].Text) {
					if tt.own && k == i || !tt.own && s.Turns[k].Role == ingest.Assistant && strings.Contains(l, tt.line) {
						line, turn = strings.TrimSpace(l), string(s.Turns[k].ID)
					}
				}
				if tt.person == "" {
					break
				}
			}
			if line != "" {
				break
			}
		}
		if line == "" {
			t.Errorf("%s: its words aren't in the session", tt.name)
			continue
		}
		for part := range strings.SplitAfterSeq(line, ". ") {
			if tt.line != "" && strings.Contains(part, tt.line) {
				line = strings.TrimSpace(part)
				break
			}
		}
		text := strings.NewReplacer("**", "", "?", ".").Replace(line)
		p := &payload.Payload{Items: []payload.Item{{Kind: tt.kind, Text: text, Maker: payload.ByModel,
			By: payload.ByAssistant, State: payload.Stands,
			Evidence: []payload.Evidence{{Turn: turn, Quote: line}}}}}
		distill.Hold(s, p)
		if len(p.Items) != 1 {
			t.Errorf("%s: %q was dropped: %v", tt.name, line, p.Dropped)
			continue
		}
		got := p.Items[0]
		role := ingest.Role("")
		for i := range s.Turns {
			if string(s.Turns[i].ID) == got.Evidence[0].Turn {
				role = s.Turns[i].Role
			}
		}
		if got.Kind != tt.want || role != tt.role || !strings.Contains(got.Text, tt.holds) || tt.lacks != "" &&
			strings.Contains(got.Text, tt.lacks) {
			t.Errorf("%s: got %s %q on the word of the %s, want %s on that of the %s", tt.name, got.Kind, got.Text, role,
				tt.want, tt.role)
		}
	}
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
