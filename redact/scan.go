package redact

import (
	"cmp"
	"slices"
)

// span is a secret's place in a text.
type span struct {
	from, to int
	kind     string
	rank     int // of two that are the same place the lesser gives the kind
}

const (
	genericKind = "key"    // what the generic rule finds; any other says more
	knownKind   = "secret" // what is told by a secret found before, which has its placeholder
)

// scan is one pass over one text. Its memory is used again for the next.
type scan struct {
	text  string
	found []span

	// The last assignment looked at, since many rules share a name.
	assignedAt int
	value      int
	assigned   bool

	// The end of the last run of token characters, and of the last key block,
	// so that a long run full of literals is walked once.
	runFrom, runTo int
	blockEnd       int
}

// run collects the secrets of a text in s.found.
func (s *scan) run(r *Rules, text string) {
	*s = scan{text: text, found: s.found[:0], assignedAt: -1, blockEnd: -1}
	a := r.literals
	state := uint16(0)
	for i := range len(text) {
		state = a.step(state, text[i])
		if state < a.ends {
			continue
		}
		for _, literal := range a.hits[state-a.ends] {
			for _, try := range r.tries[literal] {
				try(s, i+1-a.length[literal], i+1)
			}
		}
	}
}

// add notes a secret.
func (s *scan) add(from, to int, kind string) {
	if from < to {
		rank := len(s.found)
		if kind == genericKind || kind == knownKind {
			rank += 1 << 30
		}
		s.found = append(s.found, span{from, to, kind, rank})
	}
}

// merged returns the spans in order, those that overlap as one. It has the kind
// of the longest of them, the first found where two are as long.
func (s *scan) merged() []span {
	slices.SortFunc(s.found, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to), cmp.Compare(a.rank, b.rank))
	})
	var out []span
	longest := 0
	for _, f := range s.found {
		last := len(out) - 1
		if last < 0 || f.from >= out[last].to {
			out, longest = append(out, f), f.to-f.from
			continue
		}
		if f.to-f.from > longest {
			out[last].kind, longest = f.kind, f.to-f.from
		}
		out[last].to = max(out[last].to, f.to)
	}
	return out
}

// runEnd returns where the run of token characters around position at ends. Each
// run is walked once, however many literals stand in it.
func (s *scan) runEnd(at int) int {
	if at < s.runFrom || at >= s.runTo {
		end := at
		for end < len(s.text) && is(s.text[end], token) {
			end++
		}
		s.runFrom, s.runTo = at, end
	}
	return s.runTo
}

// before returns the byte before position at, 0 at the beginning.
func (s *scan) before(at int) byte {
	if at == 0 {
		return 0
	}
	return s.text[at-1]
}

// at returns the byte at position at, 0 at the end.
func (s *scan) at(at int) byte {
	if at >= len(s.text) {
		return 0
	}
	return s.text[at]
}
