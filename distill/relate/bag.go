package relate

// A bag represents a text for comparison: its words, each once.
type bag map[string]mark

// A mark says what a word is; a name or an identifier weighs twice as much as another word.
type mark struct{ name, value bool }

func (m mark) weight() int {
	if m.name {
		return 2
	}
	return 1
}

func bagOf(toks []token) bag {
	b := bag{}
	for _, t := range toks {
		b.put(t)
	}
	return b
}

// put adds what a token is compared by. What is a name once is one.
func (b bag) put(t token) {
	if t.stem != "" {
		b[t.stem] = mark{name: t.name || b[t.stem].name, value: t.stem[0] == '='}
	}
}

func (b bag) has(word string) bool {
	_, ok := b[word]
	return ok
}

// names reports whether a name is present.
func (b bag) names() bool {
	for _, m := range b {
		if m.name {
			return true
		}
	}
	return false
}

// weight returns the total weight.
func (b bag) weight() (sum int) {
	for _, m := range b {
		sum += m.weight()
	}
	return sum
}

// without returns what one bag has and the other hasn't.
func without(b, c bag) bag {
	rest := bag{}
	for w, m := range b {
		if !c.has(w) {
			rest[w] = m
		}
	}
	return rest
}

// in returns the share of a bag's weight whose words the other has too, from 0 to 1; 0 for an empty bag.
func (b bag) in(c bag) float64 {
	all := b.weight()
	return float64(all-without(b, c).weight()) / float64(max(1, all))
}

// like returns how similar two bags are, from 0 to 1: the shared weight relative to the mean of both (Dice). It is 0
// for two empty bags.
func (b bag) like(c bag) float64 {
	shared := 0
	for w, m := range b {
		if other, ok := c[w]; ok {
			shared += min(m.weight(), other.weight())
		}
	}
	return float64(2*shared) / float64(max(1, b.weight()+c.weight()))
}

// meet reports whether both have a common word.
func meet(b, c bag) bool { return len(without(b, c)) < len(b) }

// namesIn reports whether all names in one bag are in the other.
func namesIn(b, c bag) bool { return !without(b, c).names() }
