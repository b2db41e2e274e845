package index

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/payload"
)

// shared is where the transcripts and gold sets lie that are not part of the
// repository.
func shared(t testing.TB) string {
	dir := os.Getenv("RECALL_SHARED")
	if dir == "" {
		t.Skip("RECALL_SHARED is not set")
	}
	return dir
}

// question is one of a project's gold questions that has an answer, or none
// (Expect empty).
type question struct {
	Q      string
	Expect []string // "<session>#<item>"
	Stale  []string
	AsOf   string `json:"as_of"`
	Para   bool   `json:"paraphrase"`
}

func (q question) sessions() []string {
	var out []string
	for _, e := range q.Expect {
		s, _, _ := strings.Cut(e, "#")
		out = append(out, s)
	}
	return out
}

var goldProjects = []string{"entireio-cli", "entireio-git-sync"}

func questions(t testing.TB, project string) (answerable, none []question) {
	files, _ := filepath.Glob(filepath.Join(shared(t), "eval/gold", project, "*.questions.json"))
	for _, f := range files {
		var qs []question
		readJSON(t, f, &qs)
		for _, q := range qs {
			if len(q.Expect) > 0 {
				answerable = append(answerable, q)
			} else {
				none = append(none, q)
			}
		}
	}
	if len(answerable) == 0 {
		t.Fatalf("no questions of %s", project)
	}
	return answerable, none
}

func readJSON(t testing.TB, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// goldItems are the items that people wrote for a project's sessions, by
// session: an oracle, what a perfect distiller would give. With aliases come
// the other words that a model wrote beside each.
func goldItems(t testing.TB, project string, aliases bool) map[string][]payload.Item {
	dir := filepath.Join(shared(t), "eval/gold", project)
	files, _ := filepath.Glob(filepath.Join(dir, "*.gold.json"))
	more := map[string]struct{ Aliases, Asks []string }{}
	if aliases {
		readJSON(t, filepath.Join(dir, "aliases.json"), &more)
	}
	out := map[string][]payload.Item{}
	for _, f := range files {
		var g struct {
			Session string
			Items   []struct {
				ID, Kind, Text, Why, Quote, Path, Status string
				Turns                                    []string
			}
		}
		readJSON(t, f, &g)
		for _, i := range g.Items {
			id := g.Session + "#" + i.ID
			it := payload.Item{ID: payload.ItemID(id), Kind: payload.Kind(i.Kind), Text: i.Text, Why: i.Why, Path: i.Path,
				Status: i.Status, State: payload.Stands,
				Aliases: append(more[id].Aliases, more[id].Asks...)}
			for _, turn := range i.Turns {
				it.Evidence = append(it.Evidence, payload.Evidence{Turn: turn, Quote: i.Quote})
			}
			out[g.Session] = append(out[g.Session], it)
		}
	}
	return out
}

// rates are hits at 1, 5, 20 and 50.
type rates [4]int

var cuts = [4]int{1, 5, 20, 50}

func (r *rates) add(ranked []string, expect []string) {
	i := slices.IndexFunc(ranked, func(s string) bool { return slices.Contains(expect, s) })
	for k, c := range cuts {
		if i >= 0 && i < c {
			r[k]++
		}
	}
}

func (r rates) of(n int) [4]float64 {
	var out [4]float64
	for k := range r {
		out[k] = float64(r[k]) / float64(n)
	}
	return out
}

// sessionsOf lists sessions by their first result.
func sessionsOf(a Answer) []string {
	var out []string
	for _, r := range a.Ranked {
		if s := r.Session; !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func itemsOf(a Answer) []string {
	var out []string
	for _, r := range a.Ranked {
		if r.Item != nil {
			out = append(out, string(r.Item.ID))
		}
	}
	return out
}
