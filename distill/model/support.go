package model

import (
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

const (
	// share of a claim's words that must have been said around its quotes; see TestGoldIsSupported
	minSupport = 0.25
	minDetail  = 0.2  // for reasons and the like: as annotators word them
	anySupport = 0.05 // if two languages are spoken: names and cognates
	saidBefore = 3    // turns with words to consider before a quoted one; saidAfter is the number after it
	saidAfter  = 2
)

// Supports returns the check for items worded by a model, including an agent's notes, over one session: whether what
// was said around an item's quotes supports it. A reason, condition, option or name that nobody mentioned there is
// removed from the item.
func Supports(s *ingest.Session) func(*payload.Item) bool {
	blocks, _ := condense(s)
	said := sourcesOf(blocks)
	return func(it *payload.Item) bool {
		ok, _ := said.supported(it)
		return ok
	}
}

// supported reports whether a claim's words were said in the turns it quotes or the nearest ones that say something.
// A claim that a model was talked into has a true quote about something else. A reason, condition, option or name
// that nobody mentioned there is removed; taken is their number.
func (s *sources) supported(it *payload.Item) (ok bool, taken int) {
	said := s.around(it)
	least, detail := minSupport, minDetail
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
	// A component may be named anywhere in the session.
	it.About = backedOnes(it.About, s.everything(), detail)
	return true, taken - len(it.Alternatives) - len(it.About)
}

// backed reports whether a sufficient share of a text's words was said. A text without words passes.
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

// mixedIn reports whether the person writes in another language than the assistant, so that an item and what it is
// about may be in different languages.
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
	x, y := countFunctionWords(typed.String()), countFunctionWords(answered.String())
	one, other := mostFrequent(x), mostFrequent(y)
	return one != other && x[one] >= 4 && y[other] >= 8 && x[one] >= 2*x[other] && y[other] >= 4*y[one]
}

// around returns what was said in and near the turns that an item quotes.
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

// said returns the turn's own words.
func (src *source) said() text.Bag {
	if src.bag == nil {
		src.bag = text.Bag{}
		for _, p := range src.own {
			src.bag.Add(text.Words(p.text))
		}
	}
	return src.bag
}
