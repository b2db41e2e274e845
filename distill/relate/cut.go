package relate

import "recall/payload"

// A cutItem is the tokenized text of an item that the rules read.
type cutItem struct {
	text, quote  []token // quote is from its first evidence, nil if equal to the text
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

// words returns the stems of an item that a rule may match, and whether each occurs as a
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
