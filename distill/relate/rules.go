package relate

import (
	"slices"

	"recall/payload"
)

// The rules, in the order in which they are tried. Their precision is measured
// on eval/testdata/relations.jsonl.
const (
	Revokes   = "revokes"    // names what it gives up, and the earlier one stood for that
	Partly    = "partly"     // names what it gives up, and the earlier one stood for that among more
	RuledOut  = "ruled-out"  // rules out what the earlier one decided or supposed
	Keeps     = "keeps"      // confirms the earlier one
	TakesBack = "takes-back" // goes back to something else than the earlier one decided
	Reopens   = "reopens"    // decides for what the earlier one ruled out
	Changes   = "new-value"  // the same with another number
	Restates  = "restates"   // the same words
	Narrows   = "narrows"    // the same and more
	Outdates  = "outdates"   // as revokes, where one of them warns: of what is gone, or of what is no longer so
)

// despiteRule ties a decision to what it was made against in spite of a note: which of
// them stands is the person's to say, so it is never sure.
var despiteRule = &rule{name: "despite", relation: payload.Supersedes}

type rule struct {
	name     string
	relation payload.Relation
	fits     func(later, earlier *claim) bool
	alike    bool // fits only where the later one holds half of the earlier one's words
}

var rules = []rule{
	{RuledOut, payload.Supersedes, ruledOut, false},
	{Reopens, payload.Contradicts, reopens, true},
	{Opposite, payload.Contradicts, opposite, false},
	{Keeps, payload.Same, keeps, true},
	{Revokes, payload.Supersedes, revokes, false},
	{Changes, payload.Supersedes, newValue, true},
	{Partly, payload.Supersedes, partly, false},
	{Narrows, payload.Refines, narrows, true},
	{Restates, payload.Same, restates, true},
	{TakesBack, payload.Supersedes, takesBack, true},
	{Answers, payload.Supersedes, answers, false},
	{TakesUp, payload.Supersedes, takesUp, false},
	{Outdates, payload.Supersedes, outdates, false},
}

// between is the rule that fits two claims, nil if none does.
func between(later, earlier *claim) *rule {
	half := earlier.halfIn(later)
	for i := range rules {
		if r := &rules[i]; (half || !r.alike) && r.fits(later, earlier) {
			return r
		}
	}
	return nil
}

// restatesRule is the one of Restates.
var restatesRule = &rules[slices.IndexFunc(rules, func(r rule) bool { return r.name == Restates })]

func decisions(later, earlier *claim) bool {
	return later.kind == payload.Decision && earlier.kind == payload.Decision
}

// say reports whether both say how things are: what was decided, or what one must
// know of them.
func say(later, earlier *claim) bool { return later.says() && earlier.says() }

func (c *claim) says() bool { return c.kind == payload.Decision || c.kind == payload.Flag }

func revokes(later, earlier *claim) bool {
	return decisions(later, earlier) && takesPlace(later, earlier)
}

// outdates: a warning often holds somewhere only ("in the sandbox …"), which the
// earlier one must speak of.
func outdates(later, earlier *claim) bool {
	return say(later, earlier) && !decisions(later, earlier) && (len(later.scope) == 0 ||
		later.scope.meets(earlier.all) && namesIn(later.scope, earlier.all)) && takesPlace(later, earlier)
}

// takesPlace: the earlier one stood for what the later one gives up, and where
// either says what it is about, they agree.
func takesPlace(later, earlier *claim) bool {
	for _, g := range later.gives {
		if g.lost.in(earlier.held) < lostShare || !namesIn(g.lost, earlier.held) {
			continue
		}
		if other := earlier.held.without(later.all).without(g.lost); other.weight() > (1-subjectShare)*earlier.held.weight() {
			continue // a long sentence that touches on it
		}
		rest := earlier.held.without(g.lost)
		switch {
		case len(g.who) > 0 && g.who.in(earlier.all) >= lostShare, len(rest) == 0, g.bare && !vague(g.lost):
			return true
		case rest.meets(later.all.without(g.lost)) && !later.apart(earlier):
			return true
		}
	}
	return false
}

const (
	lostShare    = 0.7 // of what is given up, that the earlier one must have stood for
	subjectShare = 0.5 // of what the earlier one stands for, that the later one must speak of
)

func namesIn(b, c bag) bool {
	for e := range b.rest(c) {
		if e.weight >= nameWeight {
			return false
		}
	}
	return true
}

// vague reports whether what is given up could be anything: no name in it, and
// not two words.
func vague(lost bag) bool {
	return lost.weight() < 2
}

// partly: what the later one gives up is a part of a longer earlier one, and
// more than a word.
func partly(later, earlier *claim) bool {
	if !decisions(later, earlier) {
		return false
	}
	for _, g := range later.gives {
		if !g.option && !vague(g.lost) && g.lost.in(earlier.held) > 0.99 &&
			earlier.held.without(g.lost).meets(later.all.without(g.lost)) {
			return !later.apart(earlier)
		}
	}
	return false
}

func ruledOut(later, earlier *claim) bool {
	return later.kind == payload.Eliminated && (earlier.kind == payload.Decision || earlier.kind == payload.Hypothesis) &&
		mayBeAlike(later.weight, earlier.heldSum, 0.8) && alike(later.all, earlier.held) >= 0.8
}

func reopens(later, earlier *claim) bool {
	return later.kind == payload.Decision && earlier.kind == payload.Eliminated &&
		earlier.all.in(later.held) >= 0.8
}

// keeps: it says that something stays, and that is what the earlier one decided.
func keeps(later, earlier *claim) bool {
	return decisions(later, earlier) && later.stays && namesMeet(later.all, earlier.held) &&
		earlier.all.in(later.all) >= 0.6
}

// takesBack: it goes back to something, and speaks of what the earlier one is about.
func takesBack(later, earlier *claim) bool {
	return decisions(later, earlier) && later.back && !later.stays && earlier.all.in(later.all) >= 0.5 &&
		!later.apart(earlier) &&
		len(earlier.all.without(later.all)) > 0
}

// newValue: one number is another, all else the same.
func newValue(later, earlier *claim) bool {
	if !say(later, earlier) || later.denies != earlier.denies || len(later.values) != len(earlier.values) ||
		len(later.values.without(earlier.values)) != 1 {
		return false
	}
	a, b := later.all.without(later.values), earlier.all.without(earlier.values)
	return len(a) > 0 && alike(a, b) >= 0.99
}

func restates(later, earlier *claim) bool {
	return later.kind == earlier.kind && !Left(later.kind) && later.denies == earlier.denies &&
		mayBeAlike(later.weight, earlier.weight, 0.74) && alike(later.all, earlier.all) >= 0.74 && !later.apart(earlier) &&
		onlyWords(later.all, earlier.all) && onlyWords(earlier.all, later.all)
}

// onlyWords reports whether neither a name nor a value is in b alone.
func onlyWords(b, c bag) bool {
	for e := range b.rest(c) {
		if e.weight >= nameWeight || e.value {
			return false
		}
	}
	return true
}

func narrows(later, earlier *claim) bool {
	return decisions(later, earlier) && later.denies == earlier.denies && len(later.gives) == 0 &&
		later.weight > earlier.weight && len(earlier.all) >= 2 && earlier.all.in(later.all) >= 0.9
}

func namesMeet(a, b bag) bool {
	at, ok := 0, false
	for _, e := range a {
		if at, ok = b.seek(at, e.term); ok && max(e.weight, b[at].weight) >= nameWeight {
			return true
		}
	}
	return false
}

// mayBeAlike tells from two bags' weights whether they may be alike by least.
func mayBeAlike(a, b, least float64) bool { return 2*min(a, b) >= least*(a+b) }

// alike is the weight that two bags share, in parts of the mean of both.
func alike(a, b bag) float64 {
	sum := a.weight() + b.weight()
	if sum == 0 {
		return 0
	}
	shared := 0.0
	at, ok := 0, false
	for _, e := range a {
		if at, ok = b.seek(at, e.term); ok {
			shared += min(e.weight, b[at].weight)
		}
	}
	return 2 * shared / sum
}
