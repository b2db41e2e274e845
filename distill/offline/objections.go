package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

var (
	objection = cue.One(`(?i)\b(?:doesn't work|does not work|won't work|didn't work|only works? (?:if|when|for)|the (?:issue|problem) (?:is|with)|(?:is|are|was) not (?:fully |really |quite )?(?:true|right|correct|the case|great|what)|isn't (?:true|right|correct|the|what)|wrong|none of (?:them|the)|would (?:break|lose|fail|mean)|is a stretch|not an option|too (?:strict|slow|complex|complicated|risky|much|broad|fragile)|doesn't (?:mean|make|help|need|have)|already (?:covered|handled|working|have|does)|can't (?:be|use|do|have)|we don't (?:want|need|have)|i don't (?:want|think|like)|no need|let's not|not jump|instead of that|still (?:happens|fails|broken|there))\b`)
	proposes  = cue.One(`(?i)\b(?:we (?:can|could|should)|i(?:'ll| will|'d| would| can| could)|you (?:can|could|should)|let's|should|could|would|propos|suggest|recommend|option|approach|fix|solution|likely|cause|because|add|use|set|create|change|update|replace|store|search|now)\b`)
)

// objections makes eliminated items of what the assistant proposed or held and
// the person spoke against: the proposal is what fell, the objection its reason.
func objections(t *talk) []payload.Item {
	var out []payload.Item
	for _, sp := range t.speeches {
		if !sp.user || sp.reacts == nil || sp.refused != nil {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			text := strings.ReplaceAll(s.Text, "’", "'")
			if sp.foreign(s) || s.Pasted || len(sp.text) > 1500 || !objection.MatchString(text) || len(s.keys()) < 3 {
				continue
			}
			p := spokenAgainst(sp, s, t.echoes.words)
			if p == nil {
				continue
			}
			what, _ := phrase(sp.reacts, p)
			it := turnItem(payload.Eliminated, "objected-to", payload.ByUser, sp.turn, what, quote(sp.text, s.From, s.To))
			it.Why = strings.TrimRight(shorten(tidy(s.Text)), ".?")
			it.About = about(p.Raw)
			it.Evidence = append(it.Evidence, payload.Evidence{Turn: string(sp.reacts.turn.ID), N: sp.reacts.turn.N, Quote: quote(sp.reacts.text, p.From, p.To)})
			out = append(out, it)
			break
		}
	}
	return out
}

// spokenAgainst finds what an objection is about in the message it answers.
func spokenAgainst(sp *speech, s *sentence, rare rarity) *sentence {
	if m := namedOpt.FindStringSubmatch(s.Text); m != nil {
		for _, o := range optionsOf(sp.reacts) {
			if o.label == strings.ToLower(m[1]) {
				return &sp.reacts.parts[o.part]
			}
		}
	}
	var best *sentence
	top := 0.3
	for j := range sp.reacts.parts {
		p := &sp.reacts.parts[j]
		if strings.HasSuffix(p.Raw, "?") || !proposes.MatchString(p.Text) || len(p.keys()) < 3 {
			continue
		}
		if x := s.weighed(p.keys(), rare); x > top {
			best, top = p, x
		}
	}
	return best
}

var turnsDown = cue.One(`(?i)^(?:(?:stop|ok|but|and|please|no|yeah|yes)[,.!]? )*(?:no|not|forget(?: about)?|drop|skip|without|scrap|ditch)(?: the| an?)? ([\p{L}\d][\p{L}\d_./+#-]*?(?: [\p{L}\d][\p{L}\d_./+#-]*?)?)(?: (?:for|in) (?:this|that|now|here|it))?\s*(?:[.,;:!]|$)`)

// turnedDown makes eliminated items of a "no X" of the person's, where X is what
// was spoken of before, and another course or a reason is given with it.
func turnedDown(t *talk) []payload.Item {
	var out []payload.Item
	said := map[word]bool{}
	for _, sp := range t.speeches {
		if sp.user {
			out = append(out, turnedDownIn(sp, said)...)
		}
		for i := range sp.parts {
			for _, w := range sp.parts[i].keys() {
				said[w] = true
			}
		}
	}
	return out
}

func turnedDownIn(sp *speech, said map[word]bool) []payload.Item {
	var out []payload.Item
	for i := range sp.parts {
		s := &sp.parts[i]
		m := turnsDown.FindStringSubmatchIndex(s.Text)
		if m == nil || s.Pasted || sp.foreign(s) || len(sp.text) > 600 {
			continue
		}
		what := s.Text[m[2]:m[3]]
		keys := keywords(what)
		known := len(keys) > 0
		if sp.refused != nil {
			keys = nil // it is what the refused call was to do
		}
		for _, w := range keys {
			known = known && said[w]
		}
		why := reasonBeside(sp, i, m[1])
		if !known || why == "" && !takesOther(sp, i, said) {
			continue
		}
		it := turnItem(payload.Eliminated, "turned-down", payload.ByUser, sp.turn, tidy("No "+what), quote(sp.text, s.From, s.To))
		it.Why = strings.TrimRight(shorten(why), ".")
		it.About = about(what)
		out = append(out, it)
	}
	return out
}

// takesOther tells whether the next sentence is nothing but the name of what was
// spoken of before: "forget the reed. brass"
func takesOther(sp *speech, i int, said map[word]bool) bool {
	if i+1 >= len(sp.parts) || strings.HasSuffix(strings.TrimSpace(sp.parts[i+1].Raw), "?") {
		return false
	}
	keys := keywords(sp.parts[i+1].Text)
	for _, w := range keys {
		if !said[w] {
			return false
		}
	}
	return len(keys) > 0 && fields(sp.parts[i+1].Text, 4) <= 3
}

// reasonBeside is what the person says with a "no": the rest of the sentence
// after it, or the next one.
func reasonBeside(sp *speech, i, after int) string {
	if rest := strings.Trim(sp.parts[i].Text[after:], " .,;:!"); few(rest, 2) >= 2 {
		return tidy(rest)
	}
	for j := i; j < min(i+2, len(sp.parts)); j++ {
		text := sp.parts[j].Text
		if j == i {
			_, why := splitWhy(strings.TrimRight(text, ". "))
			if why != "" {
				return why
			}
			continue
		}
		if few(text, 2) >= 2 {
			return tidy(text)
		}
	}
	return ""
}
