package model

import (
	"strings"

	"recall/ingest"
	"recall/payload"
	"recall/text"
)

const (
	// share of a claim's words that people or the assistant must have said around its quotes; see TestGoldIsSupported
	leastSupport = 0.25
	leastDetail  = 0.2  // of a reason's and the like: as annotators word them
	anySupport   = 0.05 // where two languages are spoken: names, and words that are alike
	saidBefore   = 3    // turns with words before and after one that is quoted
	saidAfter    = 2
)

// Supports returns the check that every item which a model words passes, over one
// session: whether what was said where an item is quoted bears it out. A reason, a
// condition, an option or a name that nobody spoke of there is taken off it. What
// an agent notes while it works is worded by a model too.
func Supports(s *ingest.Session) func(*payload.Item) bool {
	blocks, _ := condense(s)
	said := sourcesOf(blocks)
	return func(it *payload.Item) bool {
		ok, _ := said.supported(it)
		return ok
	}
}

// supported reports whether a claim's words were said where it is quoted: in the
// turns of its quotes and the nearest ones that say something. What a model was
// talked into has a true quote that speaks of something else. A reason, a
// condition, an option or a name that nobody spoke of there is taken away; what
// says how many.
func (s *sources) supported(it *payload.Item) (ok bool, taken int) {
	said := s.around(it)
	least, detail := leastSupport, leastDetail
	if s.mixed {
		least, detail = anySupport, anySupport
	}
	if !backed(it.Text+" "+it.Path, said, least) {
		return false, 0
	}
	for _, text := range []*string{&it.Why, &it.Scope} {
		if !backed(*text, said, detail) {
			*text = ""
			taken++
		}
	}
	taken += len(it.Alternatives) + len(it.About)
	it.Alternatives = backedOnes(it.Alternatives, said, detail)
	// A component may have its name from anywhere in the session.
	it.About = backedOnes(it.About, s.everything(), detail)
	return true, taken - len(it.Alternatives) - len(it.About)
}

// backed reports whether a text's words were said. One without any says nothing.
func backed(s string, said text.Bag, least float64) bool {
	words := text.Words(s)
	return len(words) == 0 || words.In(said) >= least
}

func backedOnes(list []string, said text.Bag, least float64) []string {
	var out []string
	for _, text := range list {
		if backed(text, said, least) {
			out = append(out, text)
		}
	}
	return out
}

// mixedIn reports whether the person writes another language than the assistant:
// then an item is in the one, and what it is about was said in the other.
func (s *sources) mixedIn() bool {
	var typed, answered strings.Builder
	for _, src := range s.order {
		into := &answered
		if src.turn.Role == ingest.User {
			into = &typed
		}
		if into.Len() < 16<<10 {
			into.WriteString(cutAt(src.turn.Text, 1<<10) + "\n")
		}
	}
	a, b := scripts(typed.String()), scripts(answered.String())
	for name, n := range a.of {
		if a.letters > 60 && b.letters > 200 && float64(n) > 0.5*float64(a.letters) &&
			float64(b.of[name]) < 0.1*float64(b.letters) {
			return true
		}
	}
	x, y := littleWords(typed.String()), littleWords(answered.String())
	one, other := best(x), best(y)
	return one != other && x[one] >= 4 && y[other] >= 8 && x[one] >= 2*x[other] && y[other] >= 4*y[one]
}

// around is what was said in the turns that an item quotes, and near them.
func (s *sources) around(it *payload.Item) text.Bag {
	said := text.Bag{}
	for _, e := range it.Evidence {
		for i, src := range s.order {
			if string(src.turn.ID) == e.Turn {
				said.Add(src.said())
				s.near(i, -1, saidBefore, said)
				s.near(i, 1, saidAfter, said)
			}
		}
	}
	return said
}

func (s *sources) everything() text.Bag {
	if s.all == nil {
		s.all = text.Bag{}
		for _, src := range s.order {
			s.all.Add(src.said())
		}
	}
	return s.all
}

// near adds the words of the nearest turns that say something, in one direction.
func (s *sources) near(at, step, turns int, into text.Bag) {
	for i := at + step; i >= 0 && i < len(s.order) && turns > 0; i += step {
		into.Add(s.order[i].said())
		if strings.TrimSpace(s.order[i].turn.Text) != "" {
			turns--
		}
	}
}

// said is a turn's own words.
func (src *source) said() text.Bag {
	if src.bag == nil {
		src.bag = text.Bag{}
		for _, p := range src.own {
			src.bag.Add(text.Words(p.text))
		}
	}
	return src.bag
}
