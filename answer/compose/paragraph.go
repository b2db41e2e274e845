package compose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recall/index"
	"recall/internal/llm"
	"recall/payload"
	"recall/prompts"
)

const (
	mostNotes     = 16  // that a paragraph is based on
	mostSentences = 8   // of a paragraph
	longestNote   = 500 // bytes of a text, a reason, a quote
	paragraphOut  = 700 // tokens of the answer
)

// A Sentence is one of a paragraph, and the items that support it, at least one: of the results, their history or
// conflicts.
type Sentence struct {
	Text  string           `json:"text"`
	Items []payload.ItemID `json:"items"`
}

// A Paragraph is the part of a model's answer that the items support. It has no sentences if there is none.
type Paragraph struct {
	Sentences []Sentence
	LeftOut   int // sentences that aren't supported
}

// Paragraph has the model answer from the items of results, those that they replaced and those that contradict them.
func (a *Asker) Paragraph(ctx context.Context, question string, results []*index.Result) (Paragraph, error) {
	r := llm.Request{Task: "answer", System: prompts.Answer.Text(), Max: paragraphOut,
		Schema: &llm.Schema{Name: "answer", JSON: prompts.Answer.Schema()}}
	notes := notesOf(results)
	room := a.room(r, question)
	var b strings.Builder
	for i, n := range notes {
		var one strings.Builder
		n.write(&one, i+1)
		if b.Len()+one.Len() > room {
			notes = notes[:i]
			break
		}
		b.WriteString(one.String())
	}
	if len(notes) == 0 {
		return Paragraph{}, nil
	}
	r.Prompt = head(question) + b.String() + "\nNow the answer, as JSON.\n"
	var said struct {
		Sentences []struct {
			Text string   `json:"text"`
			IDs  []string `json:"ids"`
		} `json:"sentences"`
	}
	var of []string
	for _, n := range notes {
		of = append(of, n.session)
	}
	if err := a.ask(ctx, r, of, &said, func() error { return nil }); err != nil {
		return Paragraph{}, err
	}
	var p Paragraph
	for _, s := range said.Sentences[:min(len(said.Sentences), mostSentences)] {
		cited, ok := citing(s.IDs, notes)
		text := line(s.Text, 4*longestNote)
		if !ok || !grounded(text, cited) {
			p.LeftOut++
			continue
		}
		one := Sentence{Text: text}
		for _, n := range cited {
			one.Items = append(one.Items, n.item.ID)
		}
		p.Sentences = append(p.Sentences, one)
	}
	p.LeftOut += max(0, len(said.Sentences)-mostSentences)
	return p, nil
}

// note is an item as the model is shown it.
type note struct {
	item    *payload.Item
	session string
	holds   bool   // it stands, and no result replaced it
	role    string // "n1 took its place"; "" for a result
}

// notesOf lists a search's items, each followed by its conflicts and history.
func notesOf(results []*index.Result) []note {
	var out []note
	seen := map[payload.ItemID]bool{}
	add := func(it *payload.Item, session string, holds bool, role string) {
		if !seen[it.ID] && len(out) < mostNotes {
			seen[it.ID] = true
			out = append(out, note{it, session, holds, role})
		}
	}
	for _, r := range results {
		if r.Item == nil {
			continue
		}
		add(r.Item, sessionOf(r.Place), r.Item.Current(), "")
		of := fmt.Sprintf("n%d", len(out))
		for i := range r.Conflict {
			add(&r.Conflict[i].Item, sessionOf(r.Conflict[i].Place), r.Conflict[i].Item.Current(), "contradicts "+of)
		}
		for i := range r.History {
			add(&r.History[i].Item, sessionOf(r.History[i].Place), false, of+" took its place")
		}
	}
	return out
}

func (n note) write(b *strings.Builder, number int) {
	it := n.item
	holds := state(it)
	if !n.holds && holds == string(payload.Stands) {
		holds = string(payload.Superseded)
	}
	fmt.Fprintf(b, "n%d (%s, %s, %s", number, it.Kind, day(it.At), holds)
	if n.role != "" {
		b.WriteString(", " + n.role)
	}
	b.WriteString(") ")
	if it.Path != "" {
		b.WriteString(line(it.Path, longestNote) + ": ")
	}
	b.WriteString(line(it.Text, longestNote) + "\n")
	for _, f := range []struct{ name, text string }{{"why", it.Why}, {"scope", it.Scope},
		{"instead of", strings.Join(it.Alternatives, "; ")}} {
		if f.text != "" {
			fmt.Fprintf(b, "   %s: %s\n", f.name, line(f.text, longestNote))
		}
	}
	for _, e := range it.Evidence[:min(2, len(it.Evidence))] {
		fmt.Fprintf(b, "   said: %q\n", line(e.Quote, longestNote))
	}
}

// citing returns the notes with these ids; ok is false if there are none, or an id isn't valid.
func citing(ids []string, notes []note) (cited []note, ok bool) {
	var seen []int
	for _, id := range ids {
		var n int
		if _, err := fmt.Sscanf(strings.Trim(strings.ToLower(id), "[] "), "n%d", &n); err != nil || n < 1 || n > len(notes) {
			return nil, false
		}
		if !slices.Contains(seen, n) {
			seen = append(seen, n)
			cited = append(cited, notes[n-1])
		}
	}
	return cited, len(cited) > 0
}
