package relate

import (
	"recall/internal/text"
	"recall/payload"
)

// A rule says when a later item takes the place of an earlier one.
type rule struct {
	name  string
	fits  func(later, earlier *claim) bool
	alike bool // fits only if the later one has half of the earlier one's words

	// How often it is right on labelled pairs of domains that it wasn't tuned on, and whether that is often enough for
	// the later item to hide the earlier one.
	precision float64
	sure      bool
}

// despiteRule links a decision to what it was made against in spite of a note. It is never sure, because the person
// must say which of them stands.
var despiteRule = &rule{name: "despite"}

// rules are tried in this order. Their precision is measured on eval/testdata/relations.jsonl, see TestPrecision.
var rules = []rule{
	{"ruled-out", ruledOut, false, 1, false}, // rules out what the earlier one decided or supposed
	{"revokes", revokes, false, 0.962, true}, // gives up what the earlier one stood for
	{"new-value", newValue, true, 1, true},   // the same with another number
	{"outdates", outdates, false, 1, false},  // as revokes, but one of them is a warning
	{"answers", answers, false, 0.8, false},  // decides what the earlier one asks
}

// between returns the rule that fits two claims, or nil.
func between(later, earlier *claim) *rule {
	half := earlier.all.In(later.all) >= 0.5
	for i := range rules {
		if r := &rules[i]; (half || !r.alike) && r.fits(later, earlier) {
			return r
		}
	}
	return nil
}

func decisions(later, earlier *claim) bool {
	return later.kind == payload.Decision && earlier.kind == payload.Decision
}

// say reports whether both say how things are: decisions or flags.
func say(later, earlier *claim) bool { return later.says() && earlier.says() }

func (c *claim) says() bool { return c.kind == payload.Decision || c.kind == payload.Flag }

// revokes: two that deny nearly the same say it twice: "no remote code", "runs no remote code".
func revokes(later, earlier *claim) bool {
	again := later.denies && earlier.denies && later.all.Like(earlier.all) > 0.7
	return decisions(later, earlier) && !again && takesPlace(later, earlier)
}

// outdates: a warning often holds only somewhere ("in the sandbox …"), which the earlier one must then mention.
func outdates(later, earlier *claim) bool {
	return say(later, earlier) && !decisions(later, earlier) && (len(later.scope) == 0 ||
		later.scope.Shared(earlier.all) > 0 && namesIn(later.scope, earlier.all)) && takesPlace(later, earlier)
}

// takesPlace: the earlier one stood for what the later one gives up, and if either says what it is about, they agree.
func takesPlace(later, earlier *claim) bool {
	for _, g := range later.gives {
		if g.lost.In(earlier.held) < lostShare || !namesIn(g.lost, earlier.held) {
			continue
		}
		other := earlier.held.Without(later.all).Without(g.lost)
		if other.Weight() > (1-subjectShare)*earlier.held.Weight() {
			continue // a long sentence that only mentions it
		}
		rest := earlier.held.Without(g.lost)
		switch {
		case len(g.who) > 0 && g.who.In(earlier.all) >= lostShare, len(rest) == 0, g.bare && !vague(g.lost):
			return true
		case rest.Shared(later.all.Without(g.lost)) > 0 && !later.apart(earlier):
			return true
		}
	}
	return false
}

const (
	lostShare    = 0.7 // share of what is given up that the earlier one must have stood for
	subjectShare = 0.5 // share of what the earlier one stands for that the later one must mention
)

// vague reports whether what is given up could be anything: fewer than two words and no name.
func vague(lost text.Bag) bool { return lost.Weight() < 2 }

func ruledOut(later, earlier *claim) bool {
	return later.kind == payload.Eliminated && (earlier.kind == payload.Decision || earlier.kind == payload.Hypothesis) &&
		later.all.Like(earlier.held) >= 0.8
}

// newValue: one number differs, everything else is the same.
func newValue(later, earlier *claim) bool {
	if !say(later, earlier) || later.denies != earlier.denies || len(later.values) != len(earlier.values) ||
		len(later.values.Without(earlier.values)) != 1 {
		return false
	}
	a, b := later.all.Without(later.values), earlier.all.Without(earlier.values)
	return len(a) > 0 && a.Like(b) >= 0.99
}

// answers: it decides in the words of the question, all of its names among them; how much, if that is asked.
func answers(later, earlier *claim) bool {
	if earlier.amount && len(later.values) == 0 {
		return false
	}
	return later.kind == payload.Decision && earlier.kind == payload.Question && !later.puts &&
		earlier.asks.Weight() >= 2 && earlier.asks.In(later.all) >= askedShare && namesIn(earlier.asks, later.all)
}

// askedShare is the share of what is asked that the answer must have.
const askedShare = 0.7
