package relate

import "recall/payload"

// A cutItem is what the rules read of an item, cut into tokens.
type cutItem struct {
	text, quote  []token // the quote of its first evidence, nil if it is the text
	alternatives [][]token
}

func cut(it *payload.Item) cutItem {
	c := cutItem{text: tokens(it.Text)}
	if quote := it.First().Quote; quote != it.Text {
		c.quote = tokens(quote)
	}
	for _, a := range it.Alternatives {
		c.alternatives = append(c.alternatives, tokens(a))
	}
	return c
}

// words are the stems of an item that a rule may find; whether one stands there as a
// name.
func (c *cutItem) words() map[string]bool {
	out := map[string]bool{}
	for _, toks := range append([][]token{c.text, c.quote}, c.alternatives...) {
		for _, t := range toks {
			if t.stem != "" {
				out[t.stem] = out[t.stem] || t.name
			}
		}
	}
	return out
}
