package eval

import (
	"maps"
	"strings"
)

// direct sets the roles: what becomes what, then what comes before and after.
func direct(ts []token) {
	for i, t := range ts {
		switch t.word {
		case "→", "becomes", "become":
			role(ts, i, 1, 2)
		case "replaces", "replacing":
			role(ts, i, 2, 1)
		case "from":
			between(ts, i)
		case "rename", "renamed", "renames", "renaming", "move", "moves", "moved", "moving", "convert", "migrate", "switch", "replace", "replaced", "change", "changed":
			between(ts, i)
		case "over":
			if i > 1 && ts[i-1].weight > 0 && preferred(ts[:i]) {
				role(ts, i, 2, 1)
			}
		case "than":
			if i > 0 && ts[i-1].word != "rather" {
				role(ts, i, 1, 2)
			}
		}
	}
	for i, t := range ts {
		switch t.word {
		case "before", "precedes":
			role(ts, i, 1, 2)
		case "after", "follows":
			role(ts, i, 2, 1)
		}
	}
}

// between gives roles to what stands before and behind the "to" that follows.
func between(ts []token, at int) {
	for k := at + 1; k < len(ts) && ts[k].part == ts[at].part && k < at+12; k++ {
		switch ts[k].word {
		case "to", "into", "with", "by", "→":
			for m := at + 1; m < k; m++ {
				if ts[m].role == 0 {
					ts[m].role = 1
				}
			}
			role(ts, k, 0, 2)
			return
		}
	}
	if ts[at].word == "from" {
		role(ts, at, 0, 1)
	}
}

func preferred(ts []token) bool {
	for _, t := range ts {
		if strings.HasPrefix(t.word, "prefer") || strings.HasPrefix(t.word, "cho") || strings.HasPrefix(t.word, "pick") || t.word == "wins" {
			return true
		}
	}
	return false
}

// nearby is how many words of content before and behind a word have a role by it.
const nearby = 2

// role marks what stands before and behind a word within its clause, where it
// isn't marked yet.
func role(ts []token, at, before, behind int) {
	mark := func(step, role int) {
		left := nearby
		for k := at + step; role > 0 && left > 0 && k >= 0 && k < len(ts) && ts[k].clause == ts[at].clause; k += step {
			if ts[k].weight == 0 {
				continue
			}
			left--
			if ts[k].role == 0 {
				ts[k].role = role
			}
		}
	}
	mark(-1, before)
	mark(1, behind)
}

// turned looks for two things that change places: from here to there, and from
// there to here.
func turned(a, b stance) bool {
	same, inverse, heavy := 0, 0, false
	for key, as := range a.said {
		bs := b.said[key]
		if bs == nil {
			continue
		}
		switch x, y := a.role(as), b.role(bs); {
		case x == 0 || y == 0:
		case x == y:
			same++
		default:
			inverse++
			heavy = heavy || a.tokens[as[0]].number
		}
	}
	return inverse >= 2 && inverse > same || heavy && same == 0
}

// role is the one role that a word has; 0 for none or both.
func (s stance) role(at []int) int {
	r := 0
	for _, i := range at {
		switch t := s.tokens[i]; {
		case t.role == 0:
		case r != 0 && r != t.role:
			return 0
		default:
			r = t.role
		}
	}
	return r
}

// swapped reports whether two words of both statements fit each other's places
// better than their own, by the words around them. Ordinary words must do so
// more clearly than names; the members of a list may stand in any order.
func swapped(a, b stance) bool {
	as, bs := a.surroundings(), b.surroundings()
	var both []string
	for key := range as {
		if bs[key] != nil {
			both = append(both, key)
		}
	}
	for i, x := range both {
		for _, y := range both[i+1:] {
			enough := swapMargin
			if !a.named(x) || !a.named(y) {
				enough = plainMargin
			}
			if like(as[x], bs[y])+like(as[y], bs[x])-like(as[x], bs[x])-like(as[y], bs[y]) >= enough && !a.listed(x, y) && !b.listed(x, y) {
				return true
			}
		}
	}
	return false
}

// How many words more must fit.
const (
	swapMargin  = 2
	plainMargin = 4
)

// around is how far a name's surroundings reach, in words.
const around = 3

// surroundings are the words about each word of content, by side.
func (s stance) surroundings() map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for i, t := range s.tokens {
		if t.weight == 0 {
			continue
		}
		if m[t.key] == nil {
			m[t.key] = map[string]bool{}
		}
		maps.Copy(m[t.key], s.about(i))
	}
	return m
}

// about are the words near a place, by side.
func (s stance) about(i int) map[string]bool {
	m := map[string]bool{}
	for k := 1; k <= around; k++ {
		if i-k >= 0 {
			m["<"+s.tokens[i-k].key] = true
		}
		if i+k < len(s.tokens) {
			m[">"+s.tokens[i+k].key] = true
		}
	}
	return m
}

func like(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

func (s stance) named(key string) bool {
	for _, i := range s.said[key] {
		if t := s.tokens[i]; t.name || t.number {
			return true
		}
	}
	return false
}

// listed reports whether two names stand in one list.
func (s stance) listed(x, y string) bool {
	for _, i := range s.said[x] {
		for _, j := range s.said[y] {
			from, to := min(i, j), max(i, j)
			strung := to-from < 12
			for k := from + 1; k < to; k++ {
				t := s.tokens[k]
				strung = strung && (t.name || t.number || t.word == "and" || t.word == "or" || t.word == "the")
			}
			if strung {
				return true
			}
		}
	}
	return false
}
