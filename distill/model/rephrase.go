package model

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"recall/llm"
	"recall/payload"
	"recall/prompts"
)

const (
	notesAtOnce = 25  // items in one request for other words
	noteTokens  = 340 // of one with its answer, at most
	mostAliases = 10
	mostAsks    = 2
)

// words are the other words of one item.
type words struct {
	Aliases many[word] `json:"aliases"`
	Asks    many[word] `json:"asks"`
}

// note is the answer to rephrase about one item.
type note struct {
	Number int `json:"number"`
	words
}

// rephrase gives items the words that they may be asked for by, aliases and
// then questions. They are kept by what an item says, so that one that stays as
// it was isn't asked about again. A model that fails at it costs the words only;
// the error is of the store, of ctx, or distill.ErrPending.
func (m *Improver) rephrase(ctx context.Context, session string, items []payload.Item) error {
	var missing []*payload.Item
	for i := range items {
		it := &items[i]
		if !worded(it) {
			continue
		}
		w, ok, err := m.wordsOf(it)
		switch {
		case err != nil:
			return err
		case ok:
			it.Aliases = w.list(it)
		default:
			missing = append(missing, it)
		}
	}
	var pending error
	for chunk := range evenly(missing, m.atOnce(notesAtOnce, noteTokens)) {
		err := m.rephraseSome(ctx, session, chunk)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case isFault(err): // they can be found by their own words
		default:
			pending = err
		}
	}
	return pending
}

// atOnce is how many things fit into one request, at most so many, each of so
// many tokens with its answer.
func (m *Improver) atOnce(most, tokens int) int {
	if all := m.o.Model.Window(); all > 0 {
		most = min(most, (all-instructions)/tokens)
	}
	return max(1, most)
}

// instructions is what a prompt other than extract's takes with its schema, in tokens.
const instructions = 1_500

// worded reports whether an item is looked for by words: a file is so by its name,
// and how things stood at the end of a session by what it is of.
func worded(it *payload.Item) bool {
	return it.Current() && it.Kind != payload.File && it.Kind != payload.Status
}

func wordsKey(it *payload.Item) string {
	return keyOf("words", string(it.Kind), it.Path, it.Text, it.Why)
}

// wordsOf are the kept words of an item.
func (m *Improver) wordsOf(it *payload.Item) (w words, ok bool, err error) {
	k, ok, err := m.load(wordsKey(it))
	if err != nil || !ok || m.o.Anew && !m.current(wordsKey(it), k) {
		return w, false, err
	}
	return w, json.Unmarshal([]byte(k.Text), &w) == nil, nil
}

// rephraseSome asks for the words of some items and keeps them one by one.
func (m *Improver) rephraseSome(ctx context.Context, session string, items []*payload.Item) error {
	var notes strings.Builder
	keys, of := make([]string, len(items)), make([][]string, len(items))
	for i, it := range items {
		keys[i], of[i] = wordsKey(it), []string{session}
		fmt.Fprintf(&notes, "%d. %s: %s", i+1, strings.TrimSpace(string(it.Kind)+" "+fenced(oneLine(it.Path, mostName))),
			fenced(oneLine(it.Text, 300)))
		if it.Why != "" {
			fmt.Fprintf(&notes, " (%s)", fenced(oneLine(it.Why, 200)))
		}
		if len(it.Alternatives) > 0 {
			fmt.Fprintf(&notes, " (lost: %s)", fenced(oneLine(strings.Join(it.Alternatives, "; "), 160)))
		}
		notes.WriteString("\n")
	}
	return askAll(ctx, m, keys, of, llm.Request{
		Task: "rephrase", System: prompts.Rephrase.Text(), Prompt: "Notes:\n" + notes.String() +
			"\nNow aliases and asks for each, as JSON.\n", Max: 300 + 160*len(items),
		Schema: &llm.Schema{Name: "other_words", JSON: prompts.Rephrase.Schema()},
	}, "notes", func(n note) int { return n.Number }, func(i int, n note) { items[i].Aliases = n.list(items[i]) })
}

// list is the words as an item holds them: each once, none that it says itself.
func (w words) list(it *payload.Item) []string {
	var out []string
	text := strings.ToLower(it.Text)
	take := func(list []word, most, longest int) {
		n := 0
		for _, w := range list {
			s := tidy(strings.Trim(string(w), `"`), longest)
			if s == "" || n == most || strings.Contains(text, strings.ToLower(s)) || slices.Contains(out, s) ||
				strings.Contains(s, "<!--") {
				continue
			}
			out = append(out, s)
			n++
		}
	}
	take(w.Aliases, mostAliases, 80)
	take(w.Asks, mostAsks, 160)
	return out
}
