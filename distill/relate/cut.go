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

// words returns the words of an item that a rule may match.
func (c *cutItem) words() bag {
	b := bagOf(c.text)
	for _, toks := range append(c.alternatives, c.quote) {
		for _, t := range toks {
			b.put(t)
		}
	}
	return b
}
