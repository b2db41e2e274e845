package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/distill"
	"recall/llm"
	"recall/payload"
	"recall/prompts"
)

const (
	notesAtOnce = 25  // items in one request for other words
	noteTokens  = 520 // of one with its answer, at most
	mostAliases = 10
	mostAsks    = 2
)

// note is the answer to rephrase about one item: its other words.
type note struct {
	Number  int        `json:"number"`
	Aliases many[word] `json:"aliases"`
	Asks    many[word] `json:"asks"`
}

// rephrase gives items the words that they may be asked for by, aliases and
// then questions. They are kept by what an item says, so that one that stays as
// it was isn't asked about again. A model that fails at it costs the words only;
// the error is of the store, of ctx, or distill.ErrPending.
func (m *Improver) rephrase(ctx context.Context, session string, items []payload.Item) error {
	var asked []*payload.Item
	all := several[note]{list: "notes", number: func(n note) int { return n.Number }, most: notesAtOnce,
		tokens: noteTokens}
	for i := range items {
		if it := &items[i]; worded(it) {
			asked, all.keys, all.of = append(asked, it), append(all.keys, wordsKey(it)), append(all.of, []string{session})
		}
	}
	all.write = func(which []int) llm.Request {
		var notes strings.Builder
		for n, i := range which {
			fmt.Fprintf(&notes, "%d. %s\n", n+1, noted(asked[i]))
		}
		return llm.Request{Task: "rephrase", System: prompts.Rephrase.Text(), Prompt: "Notes:\n" + notes.String() +
			"\nNow aliases and asks for each, as JSON.\n", Max: 300 + 160*len(which),
			Schema: &llm.Schema{Name: "other_words", JSON: prompts.Rephrase.Schema()}}
	}
	err := askMany(ctx, m, all, func(i int, n note) { asked[i].Aliases = n.list(asked[i]) })
	switch {
	case errors.Is(err, distill.ErrPending):
		return distill.ErrPending
	case ctx.Err() == nil && isFault(err):
		return nil // they can be found by their own words
	}
	return err
}

// noted is an item as the model is asked about it.
func noted(it *payload.Item) string {
	s := strings.TrimSpace(string(it.Kind)+" "+fenced(oneLine(it.Path, mostName))) + ": " + fenced(oneLine(it.Text, 500))
	if it.Why != "" {
		s += " (" + fenced(oneLine(it.Why, 300)) + ")"
	}
	if len(it.Alternatives) > 0 {
		s += " (lost: " + fenced(oneLine(strings.Join(it.Alternatives, "; "), 300)) + ")"
	}
	return s
}

// worded reports whether an item is looked for by words: a file is so by its name,
// and how things stood at the end of a session by what it is of.
func worded(it *payload.Item) bool {
	return it.Current() && it.Kind != payload.File && it.Kind != payload.Status
}

func wordsKey(it *payload.Item) string {
	return keyOf("words", string(it.Kind), it.Path, it.Text, it.Why)
}

// list is the words as an item holds them: each once, none that it says itself.
func (w note) list(it *payload.Item) []string {
	var out []string
	text := strings.ToLower(it.Text)
	take := func(list []word, most, words, longest int) {
		n := 0
		for _, w := range list {
			s := tidy(strings.Trim(string(w), `"`), 2*longest)
			long := len(s) > longest || len(strings.Fields(s)) > words
			useless := s == "" || n == most || strings.Contains(text, strings.ToLower(s)) ||
				slices.Contains(out, s) || strings.Contains(s, "<!--")
			if long || useless {
				continue
			}
			out = append(out, s)
			n++
		}
	}
	take(w.Aliases, mostAliases, 5, 80)
	take(w.Asks, mostAsks, 14, 160)
	return out
}
