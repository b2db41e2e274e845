package redact_test

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/internal/redact"
	"recall/internal/redact/plantedtest"
)

// lifelike are secrets of kinds that no rule was made with when they were first measured.
//
//go:embed plantedtest/lifelike.txt
var lifelike string

// places are where a session has the text of a kind: what a person or the assistant says, a command's result, a tool's
// input.
var places = map[string]func(text string) *ingest.Session{
	"prompt": func(text string) *ingest.Session {
		return &ingest.Session{Turns: []ingest.Turn{{Text: text}}}
	},
	"said": func(text string) *ingest.Session {
		text = "This is what I see:\n\n```\n" + text + "\n```\n\nand it is old."
		return &ingest.Session{Turns: []ingest.Turn{{Text: text}}}
	},
	"result": func(text string) *ingest.Session {
		call := ingest.ToolCall{Name: "Bash", Command: "make show", Result: text}
		if command, printed, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(command, "$ ") {
			call.Command, call.Result = command[2:], printed
		}
		return &ingest.Session{Turns: []ingest.Turn{{Calls: []ingest.ToolCall{call}}}}
	},
	"input": func(text string) *ingest.Session {
		return &ingest.Session{Turns: []ingest.Turn{{Calls: []ingest.ToolCall{{Name: "Write",
			Input: map[string]string{"content": "first line\n" + text + "\nlast line\n"}}}}}}
	},
}

// leftInPlaces plants each kind in each place and returns those of which a session still has a secret, by class.
func leftInPlaces(kinds []plantedtest.Kind, seed uint64) (left []string, by map[string][2]int) {
	random := rand.New(rand.NewPCG(seed, 23))
	by = map[string][2]int{}
	for _, k := range kinds {
		for _, place := range []string{"prompt", "said", "result", "input"} {
			text, secrets := k.Draw(random)
			s := places[place](text)
			one := redact.New()
			s.MapText(one.Text)
			s.MapText(one.Known)
			got := fmt.Sprintf("%s %+v", s.Turns[0].Text, s.Turns[0].Calls)
			n := by[k.Class]
			if n[1]++; slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(got, s) }) {
				n[0]++
				left = append(left, fmt.Sprintf("%s/%s/%s: %q", k.Class, k.Name, place, text))
			}
			by[k.Class] = n
		}
	}
	return left, by
}

// Of lifelike secrets in all places of a session, no more than this is left.
func TestLifelikeSecretsAreMasked(t *testing.T) {
	const most = 5.0 // of a hundred
	left, by := leftInPlaces(plantedtest.Parse(lifelike), 3)
	all := 0
	for class, n := range by {
		t.Logf("%s: %d of %d left", class, n[0], n[1])
		all += n[1]
	}
	share := 100 * float64(len(left)) / float64(all)
	t.Logf("%d of %d left, %.1f %%", len(left), all, share)
	if share > most {
		t.Errorf("want at most %v %%\n%s", most, strings.Join(left, "\n"))
	}
}
