package offline

import (
	"regexp"
	"strings"

	"recall/payload"
)

var (
	objection = regexp.MustCompile(`(?i)\b(?:doesn't work|does not work|won't work|didn't work|only works? (?:if|when|for)|the (?:issue|problem) (?:is|with)|(?:is|are|was) not (?:fully |really |quite )?(?:true|right|correct|the case|great|what)|isn't (?:true|right|correct|the|what)|wrong|none of (?:them|the)|would (?:break|lose|fail|mean)|is a stretch|not an option|too (?:strict|slow|complex|complicated|risky|much|broad|fragile)|doesn't (?:mean|make|help|need|have)|already (?:covered|handled|working|have|does)|can't (?:be|use|do|have)|we don't (?:want|need|have)|i don't (?:want|think|like)|no need|let's not|not jump|instead of that|still (?:happens|fails|broken|there))\b`)
	proposes  = regexp.MustCompile(`(?i)\b(?:we (?:can|could|should)|i(?:'ll| will|'d| would| can| could)|you (?:can|could|should)|let's|should|could|would|propos|suggest|recommend|option|approach|fix|solution|likely|cause|because|add|use|set|create|change|update|replace|store|search|now)\b`)
)

// objections makes eliminated items of what the assistant proposed or held and
// the person spoke against: the proposal is what fell, the objection its reason.
func objections(t *talk) []payload.Item {
	rare := rarity(t)
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
			p := spokenAgainst(sp, s, rare)
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
func spokenAgainst(sp *speech, s *sentence, rare map[string]float64) *sentence {
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
		if x := weighed(s.keys(), p.keys(), rare); x > top {
			best, top = p, x
		}
	}
	return best
}
