package terminal

import (
	"strings"

	"recall/answer"
	"recall/index"
	"recall/payload"
)

// Agent lays out documents for an agent as for a person, but on unbroken lines, and items with their ids.
type Agent struct{}

// Form returns a document in the named form.
func (Agent) Form(name string, doc any) string {
	var b strings.Builder
	p := &Page{Voice: answer.Voice{Agent: true}, W: &b, Width: 1 << 20, Bare: true, Full: true}
	p.Form(name, doc)
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
