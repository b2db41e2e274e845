package offline

import (
	"slices"
	"strings"

	"recall/distill/offline/cue"
)

var (
	labelled  = cue.One(`(?i)^(?:(?:option|options|approach|variant|choice|number|nr\.?|no\.?|plan|point)\s+|#)?\(?([1-9]|[a-e])\)?((?:(?:\s*[,+&]\s*|\s+and\s+)\(?(?:[1-9]|[a-e])\)?)*)(?:$|[.,;:!)—–]+(?:\s|$)|\s+(?:(?:is |sounds )?(?:ok(?:ay)?|yes|yep|fine|good|great|right|perfect|best|better)|then|please|pls|it is|with|for|but|as|though|first|now|only)\b)`)
	ordinal   = cue.One(`(?i)^(first|1st|second|2nd|third|3rd|fourth|4th|last|latter|former)(?: (?:one|option|variant|way|approach))?(?:$|[.,;:!]|\s+(?:then|please|pls|sounds|is|with|it is|but|and|one)\b)`)
	notNowAt  = cue.One(`(?i)^\(?([1-9]|[a-e])\)?:? (?:later|not (?:now|yet)|let'?s see|we'?ll see|maybe|no\b|can wait)`)
	otherMark = cue.One(`(?i)\b([1-9]|[a-e])\b`)
	nextMark  = cue.One(`(?i)[,;]\s+(?:and\s+)?\(?[1-9a-e]\)?\s+(?:ok(?:ay)?|yes|yep|fine|good|no|nope|not|later|too|please)\b`)
)

var ordinals = map[string]int{"first": 0, "1st": 0, "former": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "last": -1, "latter": -1}

// byLabel takes what an answer names by number, letter or place.
func (r *reply) byLabel(t *talk, s *sentence) bool {
	text := strings.TrimRight(s.Text, " ")
	done := false
	if s.Index > 0 && !r.opens(s) && len(r.taken) == 0 {
		return false
	}
	for text != "" {
		here := text
		if loc := nextMark.FindStringIndex(text[min(1, len(text)):]); loc != nil && mayBeLabel(text) {
			here, text = text[:loc[0]+1], strings.TrimLeft(text[loc[0]+2:], " ,;")
		} else {
			text = ""
		}
		done = r.byOneLabel(t, s, here) || done
	}
	return done
}

// mayBeLabel tells whether one of the first words may name a course by number,
// letter or place.
func mayBeLabel(words string) bool {
	n := 0
	for w := range strings.FieldsSeq(words) {
		if n++; n > 5 {
			break
		}
		w = strings.ToLower(strings.Trim(w, "().,:;!#"))
		if _, place := ordinals[w]; place || len(w) == 1 {
			return true
		}
	}
	return false
}

func (r *reply) byOneLabel(t *talk, s *sentence, text string) bool {
	words := strings.TrimRight(text, ".! ")
	if words = agreeing.ReplaceAllString(words, ""); !mayBeLabel(words) {
		return false
	}
	if m := taking.FindStringSubmatch(words); m != nil {
		words = m[1]
	}
	words = article.ReplaceAllString(words, "")
	switch {
	case notNowAt.MatchString(words):
		s.chosen = r.has(t, strings.ToLower(notNowAt.FindStringSubmatch(words)[1])) // it is put off, not decided
		return s.chosen
	case ordinal.MatchString(words):
		m := ordinal.FindStringSubmatchIndex(words)
		n := ordinals[strings.ToLower(words[m[2]:m[3]])]
		return r.takePlace(t, s, n, words[m[1]:])
	case labelled.MatchString(words):
		m := labelled.FindStringSubmatchIndex(words)
		first := strings.ToLower(words[m[2]:m[3]])
		if first == "a" && m[3] < len(words) && words[m[3]] == ' ' {
			return false // the article
		}
		labels := []string{first}
		for _, l := range otherMark.FindAllString(words[m[4]:m[5]], -1) {
			labels = append(labels, strings.ToLower(l))
		}
		return r.takeLabels(t, s, labels, words[m[1]:])
	}
	return false
}

// has tells whether the message offers a course of the label.
func (r *reply) has(t *talk, label string) bool {
	for _, g := range r.offered(t, 0) {
		for i := range g {
			if g[i].label == label {
				return true
			}
		}
	}
	return false
}

// takeLabels takes the courses of the labels from the nearest choice that has them.
func (r *reply) takeLabels(t *talk, s *sentence, labels []string, own string) bool {
	for n := range farthest {
		gs := r.offered(t, n)
		for i := len(gs) - 1; i >= 0; i-- {
			var hits []*offer
			for _, l := range labels {
				for k := range gs[i] {
					if gs[i][k].label == l {
						hits = append(hits, &gs[i][k])
					}
				}
			}
			if len(hits) != len(labels) {
				continue
			}
			if own = strings.Trim(own, " .,;:!–—-"); len(hits) > 1 {
				own = ""
			} else if own == "" {
				own = r.goesOn(s)
			}
			if n > 0 && (gs[i][0].part == nil || len(labels) > 1 || !r.mentions(labels[0])) {
				continue
			}
			if hits[0].part == nil && n == 0 { // a table only names it; a list before may tell it
				if o, g := r.sameLabel(t, labels[0]); o != nil && len(hits) == 1 {
					r.decide("reply-label", s, o, g, own)
					return true
				}
			}
			among := without(gs[i], hits)
			if len(hits) > 1 {
				among = nil // points to agree to, not courses to choose from
			}
			for _, o := range hits {
				r.decide("reply-label", s, o, among, own)
			}
			return true
		}
	}
	return false
}

// mentions tells whether the message speaks of the course of a letter.
func (r *reply) mentions(label string) bool {
	if label[0] < 'a' {
		return false // a figure may be anything
	}
	for w := range strings.FieldsSeq(r.to.text) {
		if strings.Trim(w, "*.,:;!?()|") == strings.ToUpper(label) {
			return true
		}
	}
	return false
}

// sameLabel finds the course of a label in a list of an earlier message.
func (r *reply) sameLabel(t *talk, label string) (*offer, offering) {
	for n := 1; n < farthest; n++ {
		for _, g := range r.offered(t, n) {
			for k := range g {
				if g[k].label == label && g[k].part != nil {
					return &g[k], g
				}
			}
		}
	}
	return nil, nil
}

// without is an offering but for what was taken of it.
func without(g offering, taken []*offer) offering {
	var out offering
	for i := range g {
		mine := false
		for _, o := range taken {
			mine = mine || &g[i] == o
		}
		if !mine {
			out = append(out, g[i])
		}
	}
	return out
}

// takePlace takes the n-th course of the choice that was offered last.
func (r *reply) takePlace(t *talk, s *sentence, n int, own string) bool {
	gs := r.offered(t, 0)
	if len(gs) == 0 {
		return false
	}
	g := gs[len(gs)-1]
	if n < 0 {
		n = len(g) - 1
	}
	if n >= len(g) {
		return false
	}
	if own = strings.Trim(own, " .,;:!–—-"); own == "" {
		own = r.goesOn(s)
	}
	r.decide("reply-label", s, &g[n], without(g, []*offer{&g[n]}), own)
	return true
}

// byName takes the course that an answer calls by its name.
func (r *reply) byName(t *talk, s *sentence, h head) bool {
	words := r.inFullWords(h.words)
	keys := keywords(words)
	if len(keys) == 0 || len(keys) > 5 || genericName.MatchString(words) {
		return false
	}
	own := func() string {
		if h.rest == "" {
			return r.goesOn(s)
		}
		return h.rest
	}
	if r.byTopic(t, s, keys, h) {
		return true
	}
	prose, sure := r.proposed(keys, h)
	for n := range farthest {
		if n > 0 && !h.opens {
			break
		}
		if sp := r.closing(t, n); sp == nil || !sp.speaksOf(keys) {
			continue
		}
		gs := r.offered(t, n)
		for _, listed := range []bool{true, false} {
			if n == 0 && !listed && prose != nil && sure {
				r.decide("reply-proposal", s, prose, nil, own())
				return true
			}
			for i := len(gs) - 1; i >= 0; i-- {
				if gs[i].listed() != listed {
					continue
				}
				if o := oneNamed(gs[i], keys, h); o != nil && (n == 0 || h.opens && o.part != nil) {
					among := without(gs[i], []*offer{o})
					if o.part != nil && gs[i].listed() && together.MatchString(o.part.Heading) {
						among = nil
					}
					r.decide("reply-name", s, o, among, own())
					return true
				}
			}
		}
	}
	if prose != nil {
		r.decide("reply-proposal", s, prose, nil, own())
	}
	return prose != nil
}

// byTopic takes a course by what the choice is about: "money: whole cents".
func (r *reply) byTopic(t *talk, s *sentence, keys terms, h head) bool {
	if h.rest == "" || !strings.Contains(r.to.text, " or ") || !r.to.speaksOf(keys) {
		return false
	}
	said := keywords(h.rest)
	for _, g := range r.offered(t, 0) {
		if topic := keywords(g[0].topic); len(topic) == 0 || shared(topic, keys) < max(len(topic), len(keys)) {
			continue
		}
		var best *offer
		top := 0
		for i := range g {
			switch n := shared(said, g[i].all); {
			case n > top:
				best, top = &g[i], n
			case n == top:
				best = nil
			}
		}
		if best != nil {
			r.decide("reply-name", s, best, without(g, []*offer{best}), h.rest)
			return true
		}
	}
	return false
}

// speaksOf tells whether a message has all of the words.
func (sp *speech) speaksOf(keys terms) bool {
	found := 0
	for _, k := range keys {
		for i := range sp.parts {
			if _, ok := slices.BinarySearch(sp.parts[i].keys(), k); ok {
				found++
				break
			}
		}
	}
	if found == len(keys) {
		return true
	}
	return strings.Contains(sp.text, "|") // tables are no sentences
}

// together matches the heading of a list whose items go together.
var together = cue.One(`(?i)\b(?:proposal|plan|layout|design|proposed|steps|changes|propose)\b`)

// listed tells whether it is a list, each course in its own words.
func (g offering) listed() bool { return g[0].part != nil && (len(g) < 2 || g[0].part != g[1].part) }

// genericName matches what no course is told from the others by.
var genericName = cue.One(`(?i)^(?:your |my )?(?:options?|approach|variant|choice|way|plan|one|proposal|suggestion|idea|thing|work|tests?|change|fix|all|everything)(?: (?:[1-9a-e]|one|first))?$`)

// oneNamed is the only course that has all words of a name, nil if there are
// more or none. That it is called so tells more than that it speaks of it.
func oneNamed(g offering, keys terms, h head) *offer {
	var named, spoken *offer
	n, m := 0, 0
	for i := range g {
		if shared(keys, g[i].named) == len(keys) {
			named = &g[i]
			n++
		}
		if shared(keys, g[i].all) == len(keys) {
			spoken = &g[i]
			m++
		}
	}
	switch {
	case n == 1:
		return named
	case n == 0 && m == 1 && (h.strong || h.opens):
		return spoken
	}
	return nil
}
