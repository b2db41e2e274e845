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

// Looked is how many results a model is shown.
const Looked = 50

const (
	readWhole   = 10    // results of which the whole passage is shown; of the others what says most of the question
	longestLine = 700   // bytes of a passage, of which no search's is longer
	longestOld  = 260   // of what an item took the place of, or was overtaken by
	longestItem = 1_500 // of an item, so that its reason, which decides whether it answers, isn't cut
	lookOut     = 200   // tokens of the answer
)

// A Look is what a model says about a search's results.
type Look struct {
	Order   []int // indices of results, best first, without duplicates; empty if nothing comes near
	Answers bool  // whether the first of them answers
}

// Look asks which of the first results answer the question.
func (a *Asker) Look(ctx context.Context, question string, found []*index.Result) (Look, error) {
	r := llm.Request{Task: "rerank", System: prompts.Rerank.Text(), Max: lookOut,
		Schema: &llm.Schema{Name: "order", JSON: prompts.Rerank.Schema()}}
	found = found[:min(len(found), Looked)]
	room := a.room(r, question)
	var b strings.Builder
	for i, one := range found {
		said := one.Brief
		if i < readWhole {
			said = one.Passage
		}
		s := fmt.Sprintf("%d. %s\n", i+1, oneLine(one, said))
		if b.Len()+len(s) > room {
			found = found[:i]
			break
		}
		b.WriteString(s)
	}
	r.Prompt = head(question) + b.String() + "\nNow the order, as JSON.\n"
	var of []string
	for _, one := range found {
		of = append(of, sessionOf(one.Place))
	}
	said, err := a.ask(ctx, r, of)
	if err != nil {
		return Look{}, err
	}
	var look Look
	for _, n := range said.Order {
		if n >= 1 && n <= len(found) && !slices.Contains(look.Order, n-1) {
			look.Order = append(look.Order, n-1)
		}
	}
	look.Answers = said.Found == "answer" && len(look.Order) > 0 // otherwise it doesn't say which one answers
	return look, nil
}

// oneLine describes a result, of a turn with what is shown of it.
func oneLine(r *index.Result, said string) string {
	it := r.Item
	if it == nil {
		by := strings.Replace(r.Role, index.Both, "assistant and the user", 1)
		return fmt.Sprintf("(said by the %s, %s) %s", by, day(r.At), line(said, longestLine))
	}
	s := it.Text
	if it.Path != "" {
		s = it.Path + ": " + s
	}
	for _, f := range []struct{ name, text string }{{"Why", it.Why}, {"Scope", it.Scope},
		{"Instead of", strings.Join(it.Alternatives, "; ")}} {
		if f.text != "" {
			s += " " + f.name + ": " + f.text
		}
	}
	if len(r.History) > 0 {
		s += " Took the place of: " + line(r.History[0].Item.Text, longestOld)
	}
	head := fmt.Sprintf("(%s", it.Kind)
	if who := string(it.By); who != "" {
		if it.Kind == payload.Lead { // only said, not accepted
			who = strings.TrimSuffix(who, "-accepted")
		}
		head += " by " + who
	}
	return head + ", " + day(it.At) + ", " + today(r) + ") " + line(s, longestItem)
}

// today reports whether an item still stands, and what may have overtaken it.
func today(r *index.Result) string {
	by := r.Doubted()
	switch {
	case !r.Item.Current():
		return string(r.Item.State)
	case by == nil:
		return string(payload.Stands)
	}
	s := by.Doubt().Word(r.Item.Kind) + " on " + day(by.At)
	for _, l := range slices.Concat(r.Related, r.Conflict) {
		if l.Item.ID == by.From {
			return s + ": " + line(l.Item.Text, longestOld)
		}
	}
	return s
}

// Apply puts an answer's results in a look's order, followed by those it doesn't name in their old order. Its
// verdict on whether anything answers is trusted: it was never found to refuse what could be answered
// (docs/internals/quality.md), and the nearest results are shown even then.
func (l Look) Apply(a *index.Answer) {
	var ranked []*index.Result
	for _, i := range l.Order {
		if i < len(a.Ranked) {
			ranked = append(ranked, a.Ranked[i])
		}
	}
	for i, r := range a.Ranked {
		if !slices.Contains(l.Order, i) {
			ranked = append(ranked, r)
		}
	}
	for i := range ranked { // scores must fall with the order
		if i > 0 {
			ranked[i].Score = min(ranked[i].Score, ranked[i-1].Score)
		}
	}
	a.Ranked = ranked
	a.Unknown, a.Doubtful = len(l.Order) == 0, !l.Answers
	if len(ranked) > 0 {
		a.Coverage = ranked[0].Coverage
	}
}
