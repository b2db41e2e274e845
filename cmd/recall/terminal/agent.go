package terminal

import (
	"strings"

	"recall/answer"
	"recall/index"
	"recall/payload"
)

// Agent words for an agent what recall query and recall why show a person: on unbroken lines, items with their ids.
type Agent struct{}

// Result words a result of an answer, and what else its session says.
func (Agent) Result(r *answer.Result) string {
	return forAgent(func(p *Page) { p.Form("answer/further", []*answer.Result{r}) })
}

// Item words an item with its evidence and what came before and after it.
func (Agent) Item(it *answer.Item) string { return forAgent(func(p *Page) { p.Form("why-item", it) }) }

// Listed words an item on a line, with what may have overtaken it.
func (Agent) Listed(it payload.Item, by payload.Doubt, at index.Place, turn int) string {
	return forAgent(func(p *Page) { p.W.Write([]byte(p.told(it, by, at, turn))) })
}

func forAgent(write func(p *Page)) string {
	var b strings.Builder
	write(&Page{Voice: answer.Voice{Agent: true}, W: &b, Width: 1 << 20, Bare: true, Full: true})
	return b.String()
}

// told returns an item with its state, who said it and where, and its reason.
func (p *Page) told(it payload.Item, by payload.Doubt, at index.Place, turn int) string {
	said := p.Sentence(it) + " — " + answer.Standing(it, by)
	if by.By != "" {
		said += " by [" + string(by.By) + "]"
	}
	said = p.Wrapped(p.mark(it)+" ", "", said+" · "+p.Source(it, at, turn), "")
	if it.Quoted() { // of a quote it is no reason
		return said
	}
	return said + p.field("why", it.Why)
}
