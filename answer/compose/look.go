package compose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/index"
	"recall/llm"
	"recall/prompts"
)

// Looked is how many results a model is shown.
const Looked = 50

const (
	longestLine = 260 // bytes of one
	lookOut     = 200 // tokens of the answer
)

// A Look is what a model says of a search's results.
type Look struct {
	Order []int // places in the results, from 0, best first; none twice
	Found Found
}

// Found reports whether any of it answers.
type Found string

const (
	Answers Found = "answer"
	Near    Found = "near"
	Nothing Found = "nothing"
)

// Look asks which of the first results answer the question.
func (a *Asker) Look(ctx context.Context, question string, found []index.Result) (Look, error) {
	r := llm.Request{Task: "rerank", System: prompts.Rerank(), Max: lookOut,
		Schema: &llm.Schema{Name: "order", JSON: prompts.RerankSchema()}}
	found = found[:min(len(found), Looked)]
	room := a.room(r, question)
	var b strings.Builder
	for i, one := range found {
		s := fmt.Sprintf("%d. %s\n", i+1, oneLine(one))
		if b.Len()+len(s) > room {
			found = found[:i]
			break
		}
		b.WriteString(s)
	}
	r.Prompt = head(question) + b.String() + "\nNow the order, as JSON.\n"
	var said struct {
		Order []int `json:"order"`
		Found Found `json:"found"`
	}
	var of []string
	for _, one := range found {
		of = append(of, sessionOf(placeOf(one)))
	}
	err := a.ask(ctx, r, of, &said, func() error {
		if !slices.Contains([]Found{Answers, Near, Nothing}, said.Found) {
			return errors.New("it doesn't say what was found")
		}
		return nil
	})
	if err != nil {
		return Look{}, err
	}
	look := Look{Found: said.Found}
	for _, n := range said.Order {
		if n >= 1 && n <= len(found) && !slices.Contains(look.Order, n-1) {
			look.Order = append(look.Order, n-1)
		}
	}
	if look.Found == Answers && len(look.Order) == 0 {
		look.Found = Near // which line that would be isn't said
	}
	return look, nil
}

func placeOf(r index.Result) index.Place {
	if r.Turn != nil {
		return r.Turn.Place
	}
	return r.Item.Place
}

// oneLine is a result as a model is shown it.
func oneLine(r index.Result) string {
	if t := r.Turn; t != nil {
		return fmt.Sprintf("(said by the %s, %s) %s", t.Role, day(t.At), line(around(t.Text, t.Terms), longestLine))
	}
	it := &r.Item.Item
	s := it.Text
	if it.Path != "" {
		s = it.Path + ": " + s
	}
	if it.Why != "" {
		s += " Why: " + it.Why
	}
	return fmt.Sprintf("(%s, %s, %s) %s", it.Kind, day(it.At), state(it), line(s, longestLine))
}

// around is a turn's text from shortly before the first of the question's words.
func around(text string, terms []string) string {
	low, at := strings.ToLower(text), len(text)
	if len(low) != len(text) {
		return text
	}
	for _, t := range terms {
		if i := strings.Index(low, t); i >= 0 {
			at = min(at, i)
		}
	}
	if at == len(text) || at < longestLine/2 {
		return text
	}
	return strings.ToValidUTF8(text[at-longestLine/4:], "")
}

// Apply puts an answer's results in a look's order, those that it doesn't name
// behind, as they were. What it says of all of them is taken: it was never found
// to refuse what could be answered (docs/internals/quality.md), and what is nearest is shown
// even then.
func (l Look) Apply(a *index.Answer) {
	var ranked []index.Result
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
	for i := range ranked { // scores fall with the order, whatever gave it
		if i > 0 {
			ranked[i].Score = min(ranked[i].Score, ranked[i-1].Score)
		}
	}
	a.Ranked = ranked
	switch l.Found {
	case Answers:
		a.Unknown, a.Doubtful = false, false
	case Near:
		a.Unknown, a.Doubtful = false, true
	case Nothing:
		a.Unknown, a.Doubtful = true, true
	}
	if len(ranked) > 0 {
		if h := ranked[0].Item; h != nil {
			a.Coverage = h.Coverage
		} else {
			a.Coverage = ranked[0].Turn.Coverage
		}
	}
}
