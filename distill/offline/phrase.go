package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

var (
	politeAsk = cue.One(`(?i)^(?:(?:and|then|also|maybe|now|so)\s+)*(?:(?:can|could|would|will) (?:we|you|u)|let'?s|lets|let us|please|i(?:'d| would) (?:like|want) (?:you )?to|i want you to)(?: (?:please|also|maybe|then|now|just|rather|first|actually))*\s+`)
	offerAsk  = cue.One(`(?i)^(?:do you )?(?:want me to|should i|shall i|would you like me to|do you want me to|want to|should we|shall we)(?: (?:also|go ahead and|just|now|maybe))*\s+`)
	pickLead  = cue.One(`(?i)^(?:my (?:pick|recommendation|vote|preference|suggestion|instinct|lean|take)|recommendation|recommended|decision|resolution|proposal|summary|conclusion|answer|decided|agreed|settled|ruled out|eliminated|rejected|dismissed|deferred|out of scope|next(?: steps?| up| action)?|remaining|still to do|todo|left to do|follow-?ups?|the catch|note|careful|caution|warning|caveat|gotcha|heads[- ]up|limitation|one caveat|important|don't forget|remember|tried and dropped|not taken|put off|(?:root )?cause|open questions?)(?: when (?:you're )?ready)?(?: is|:|\s+—|\s+–)+\s+`)
	optLead   = cue.One(`(?i)^(?:(?:option|approach|alternative)\s+)?\(?(?:[a-e]|[1-9])[).:]\s+`)
	optNamed  = cue.One(`(?i)^(?:option|approach|alternative)\s+\(?(?:[a-e]|[1-9])\)?\s*(?::|—|–|-)\s+`)
	concludes = cue.One(`(?i)^(.{20,}?)[,;.] (?:so|then|therefore)(?: then)? ((?:let'?s|lets|let us|we(?:'ll| will)? (?:go|use|take|keep|stay|stick|drop|do)|i(?:'d| would) (?:go|use|take|keep)|use|take|keep|go with|stick)\b.*)$`)
	newPlan   = cue.One(`(?i)^\W*(?:(?:ok|sorry|hm+|no|wait|actually)[,. ]+)*(?:change (?:in|of) plans?|new plan|i take (?:that|it) back|scratch that|on second thoughts?|i changed my mind|decision(?: is)?)\s*[:,.;—–-]+\s*`)
	tailNoise = cue.One(`(?i)(?:[,;]\s*|\s+)(?:right|ok|okay|or|no|please|thanks|thank you|wdyt|what do you think|does that make sense|makes sense|i think|if possible)\s*[?!.]*$`)
)

// phrase words a candidate as one clear sentence, its reason apart.
func phrase(sp *speech, s *sentence) (text, why string) {
	text = s.Text
	if s.Block == listItem {
		text = optLead.ReplaceAllString(text, "")
	}
	text = pickLead.ReplaceAllString(text, "")
	if m := replacing.FindStringSubmatch(s.More); m != nil && !sp.user {
		text = strings.TrimRight(text, ". ") + ", replacing " + strings.TrimRight(m[1], " ")
	}
	if sp.user && sp.reacts != nil {
		text = nameOptions(text, sp.reacts)
	}
	text = optNamed.ReplaceAllString(text, "")
	if sp.user {
		if m := concludes.FindStringSubmatch(text); m != nil && few(m[2], 2) >= 2 {
			text, why = m[2], tidy(m[1])
		}
	}
	asked := strings.HasSuffix(text, "?")
	if sp.user {
		if t := newPlan.ReplaceAllString(text, ""); t != text && few(t, 2) >= 2 {
			text = t
		}
		text = aside.ReplaceAllString(text, "")
		if i := strings.Index(text, `: """`); i > 12 {
			text = text[:i]
		}
	}
	if sp.user {
		text = tidy(text)
		if t := politeAsk.ReplaceAllString(text, ""); fields(t, 3) >= 3 && !strings.HasPrefix(t, "not ") {
			if t != text && asked {
				t = strings.TrimRight(t, "?. ")
			}
			text = t
		}
		text = tailNoise.ReplaceAllString(strings.TrimRight(text, ". "), "")
	} else if t := offerAsk.ReplaceAllString(text, ""); t != text && asked {
		text = strings.TrimRight(t, "?. ")
	}
	before := why
	if text, why = splitWhy(strings.TrimRight(text, ". ")); why == "" {
		why = before
	}
	if why == "" && reasonFollows.MatchString(s.More) {
		why = strings.TrimRight(firstSentence(s.More), ". ")
	}
	if s.Lead != "" {
		text = strings.Replace(text, s.Lead+": ", s.Lead+": ", 1)
	}
	if strings.HasPrefix(text, "`") && offerAsk.MatchString(s.Text) {
		text = "Run " + text
	}
	if !sp.user {
		text = iDid.ReplaceAllString(text, "$1")
	} else if before := wordBefore(sp, s); before != nil && (leansOn(text) || s.says(continues)) {
		text = tidy(before.Text) + " " + tidy(text)
	} else if q := questionBefore(sp); q != "" && few(text, 4) < 4 && leansOn(text) && len(text) < 120 {
		text = q + ": " + lowerFirst(tidy(text))
	}
	if sp.user {
		text, why = spelled(text), spelled(why)
	}
	return shorten(tidy(text)), strings.TrimSuffix(shorten(why), ".")
}

var iDid = cue.One(`^I(?:'ve|’ve| have)?(?: also| now| just| already)* (added|updated|removed|changed|created|fixed|renamed|replaced|moved|implemented|kept|left|used|made|wrote|put|switched|extracted|set|dropped|reverted|increased|reduced)\b`)

// continues matches a sentence that goes on with the one before it.
var continues = cue.One(`(?i)^(?:(?:but|and|then|maybe|so)[, ]+)*(?:later|not|same|also|both|neither|only)\b`)

func (s *sentence) says(re *cue.Regexp) bool { return re.MatchString(s.Text) && len(s.keys()) < 4 }

// wordBefore is the person's sentence before this one, where it is short: what
// an "it" or "that" may mean; nil if there is none.
func wordBefore(sp *speech, s *sentence) *sentence {
	if s.Index == 0 || s.Block == listItem {
		return nil
	}
	p := &sp.parts[s.Index-1]
	if len(p.Text) > 120 || len(p.keys()) < 2 || p.Pasted || sp.foreign(p) {
		return nil
	}
	return p
}

// questionBefore is what the assistant asked or offered last before the person
// spoke, as a heading to their answer; "" if nothing.
func questionBefore(sp *speech) string {
	if sp.reacts == nil {
		return ""
	}
	parts := sp.reacts.parts
	for i := len(parts) - 1; i >= max(0, len(parts)-3); i-- {
		s := &parts[i]
		if !strings.HasSuffix(s.Raw, "?") || !asksToDo.MatchString(s.Text) {
			continue
		}
		q := strings.TrimRight(offerAsk.ReplaceAllString(tidy(s.Text), ""), "?. ")
		if few(q, 2) >= 2 && len(q) < 140 && !strings.Contains(q, " or ") {
			return upperFirst(q)
		}
	}
	return ""
}

// aside is a bracket that opens a typed sentence, and what joins it to the rest.
var aside = cue.One(`^\([^()]*\)[,;]?\s*(?:and|but)?\s*(?:then)?\s*`)

var optionWord = cue.One(`\b(?i:(?:option|approach|variant|choice)s?\s+#?|#)([a-eA-E1-9])\b|(?:^|\s)([B-E])(?:[\s.,;!]|$)|^(A) (?:for|and|is|in|with)\b`)

// nameOptions puts the option's own words beside its bare number or letter.
func nameOptions(text string, closing *speech) string {
	options := optionsOf(closing)
	if len(options) < 2 {
		return text
	}
	m := optionWord.FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] < 0 {
			continue
		}
		mark := strings.ToLower(text[m[g]:m[g+1]])
		for _, o := range options {
			if o.label == mark {
				return text[:m[g+1]] + " (" + strings.TrimRight(shortenTo(o.name(closing), 90), ". ") + ")" + text[m[g+1]:]
			}
		}
	}
	return text
}

var reasonFollows = cue.One(`(?i)^(?:because|since|(?:the )?reasons?|why|otherwise|(?:(?:this|that|it|which)(?: also)? )?(?:avoids?|keeps?|ensures?|prevents?|matches|lets|saves|safer|simpler|is (?:safer|simpler|faster|cheaper|needed|required|what)|would (?:have|otherwise|break|lose)|means (?:that )?(?:we|no|it)))\b`)

func firstSentence(s string) string {
	if cuts := splitSentences(s); len(cuts) > 0 {
		return s[cuts[0][0]:cuts[0][1]]
	}
	return s
}
