package relate

import (
	"cmp"
	"slices"

	"recall/payload"
)

// A cutItem is what the rules read of an item, cut into tokens.
type cutItem struct {
	text, quote  []token // the quote of its first evidence, nil if it is the text
	alternatives [][]token
}

func cut(it *payload.Item) cutItem {
	c := cutItem{text: tokens(it.Text)}
	if len(it.Evidence) > 0 && it.Evidence[0].Quote != it.Text {
		c.quote = tokens(it.Evidence[0].Quote)
	}
	for _, a := range it.Alternatives {
		c.alternatives = append(c.alternatives, tokens(a))
	}
	return c
}

// A word is a stem that a rule may find in an item; name reports whether it stands
// there as one.
type word struct {
	term term
	name bool
}

// words are all of an item, each once.
func (c *cutItem) words() []word {
	var out []word
	add := func(toks []token) {
		for _, t := range toks {
			if t.stem != "" {
				out = append(out, word{t.term, t.name})
			}
		}
	}
	add(c.text)
	add(c.quote)
	for _, a := range c.alternatives {
		add(a)
	}
	slices.SortFunc(out, func(a, b word) int { return cmp.Compare(a.term, b.term) })
	n := 0
	for _, w := range out {
		if n > 0 && out[n-1].term == w.term {
			out[n-1].name = out[n-1].name || w.name
			continue
		}
		out[n] = w
		n++
	}
	return out[:n]
}
