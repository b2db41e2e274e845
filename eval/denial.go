package eval

import "slices"

// denied reports whether one of two statements negates the other: in a clause about the same thing, in words
// that stand together in both, or by affirming and denying two things the other way round.
func denied(a, b stance) bool {
	return clauseDenied(a, b) || clauseDenied(b, a) || a.missesNegation(b) || b.missesNegation(a) || reversed(a, b)
}

// clauseDenied compares the clauses about the same things, and reports whether enough of them negate their
// counterpart.
func clauseDenied(a, b stance) bool {
	var all, no float64
	for _, x := range a.clauses {
		y, both := x.counterpart(b.clauses)
		if both == 0 {
			continue
		}
		all += both
		if x.denies(y) {
			no += both
		}
	}
	return no > 0 && no >= deniedShare*all
}

// Two clauses are about the same thing if they share at least sameClause of the shorter one's weight and
// clauseWeight in all. Like all numbers here, these were chosen by hand with the labelled pairs of both
// projects in view; testdata/invented-pairs.jsonl holds wordings that no rule was written for.
const (
	sameClause   = 0.6
	clauseWeight = 2.0
	deniedShare  = 0.34 // of the shared weight must be denied
)

// denies reports whether one of two clauses negates the other. A soft negation in only one of them leaves it
// open.
func (c clause) denies(d clause) bool {
	if c.no == d.no || c.soft != d.soft {
		return false
	}
	if d.no {
		c, d = d, c
	}
	for _, h := range c.heads {
		if _, ok := d.words[h]; ok {
			return true
		}
	}
	return false
}

// counterpart returns the clause that shares the most weight; on a tie, the one with the same number of
// negations.
func (c clause) counterpart(list []clause) (best clause, most float64) {
	for _, d := range list {
		var both float64
		for key, w := range c.words {
			if _, ok := d.words[key]; ok {
				both += w
			}
		}
		if both < clauseWeight || both < sameClause*min(c.total, d.total) {
			continue
		}
		if both > most || both == most && d.no == c.no {
			best, most = d, both
		}
	}
	return best, most
}

// missesNegation looks for a negation that the other statement omits: most of the words around it stand together
// there, with no negation near.
func (s stance) missesNegation(other stance) bool {
	for i := range s.tokens {
		if denies(s.tokens, i) && s.omits(i, other) {
			return true
		}
	}
	return false
}

const (
	behind = 3   // content words after a "no" that it may negate
	ahead  = 2   // content words before it
	reach  = 9   // tokens within which the other must hold them
	margin = 5   // tokens around these where the other's own "no" may stand
	mostly = 0.6 // share of them that the other must hold
)

func (s stance) omits(at int, other stance) bool {
	head := contentAbout(s.tokens, at, behind, 0)
	lead := contentAbout(s.tokens, at, 0, ahead)
	if w := s.tokens[at].word; w == "instead" || w == "rather" || w == "in" {
		lead = nil // what was chosen stands before it
	}
	if len(head) == 0 {
		head, lead = lead, nil
	}
	n, from, to := other.together(head, lead)
	if n < 2 || float64(n) < mostly*float64(len(head)+len(lead)) {
		return false
	}
	for k := max(0, from-margin); k <= min(len(other.tokens)-1, to+margin); k++ {
		if denies(other.tokens, k) || isSoft(other.tokens[k].word) {
			return false
		}
	}
	return true
}

// together finds the place where most of the words, at least one of head, stand within reach of one another.
func (s stance) together(head, lead []string) (n, from, to int) {
	for i := range s.tokens {
		found := map[string]bool{}
		heads, first, last := 0, -1, -1
		for k := i; k < min(len(s.tokens), i+reach); k++ {
			key := s.tokens[k].key
			h := slices.Contains(head, key)
			if s.tokens[k].weight == 0 || found[key] || !h && !slices.Contains(lead, key) {
				continue
			}
			found[key] = true
			if h {
				heads++
			}
			if first < 0 {
				first = k
			}
			last = k
		}
		if heads > 0 && len(found) > n {
			n, from, to = len(found), first, last
		}
	}
	return n, from, to
}

// reversed looks for one word denied in a and affirmed in b, and another the other way round.
func reversed(a, b stance) bool {
	if max(a.negators(), b.negators()) > 2 {
		return false // too many to say which is said of what
	}
	var up, down bool
	for key, as := range a.said {
		if bs := b.said[key]; bs != nil {
			x, y := a.polarity(as), b.polarity(bs)
			up = up || x > 0 && y < 0
			down = down || x < 0 && y > 0
		}
	}
	return up && down
}

// polarity is 1 if a word is always affirmed, -1 if always denied, else 0.
func (s stance) polarity(at []int) int {
	return commonSign(at, func(i int) int { return s.tokens[i].sign })
}

// commonSign is the sign that all places share, 0 if they differ.
func commonSign(at []int, sign func(i int) int) int {
	sum := 0
	for _, i := range at {
		sum += sign(i)
	}
	switch sum {
	case len(at), -len(at):
		return sum / max(1, len(at))
	}
	return 0
}
