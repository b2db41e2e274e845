package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

// proposed finds the sentence of the message that proposes what is named.
func (r *reply) proposed(keys terms, h head) (o *offer, sure bool) {
	var best *sentence
	top := 0.9
	for i := range r.to.parts {
		p := &r.to.parts[i]
		if shared(keys, p.keys()) < len(keys) || len(p.Text) > maxText || len(p.keys()) < 3 || r.to.foreign(p) || turnedAway.MatchString(p.Text) || stateOfWork.MatchString(p.Text) {
			continue
		}
		if iCanBut.MatchString(p.Text) || strings.Contains(p.Text, " or ") && !recommends.MatchString(p.Text) && !proposesIt.MatchString(p.Text) {
			continue // it leaves open which
		}
		score := 0.0
		if strings.Contains(h.words, "that") && offerAsk.MatchString(p.Text) {
			continue
		}
		question := strings.HasSuffix(strings.TrimRight(p.Raw, "*_ "), "?")
		switch {
		case recommends.MatchString(p.Text) || proposesIt.MatchString(p.Text):
			score = 2
		case question && !offerAsk.MatchString(p.Text):
			continue
		case opensWith(p, keys):
			score = 1.5
		case offers.MatchString(p.Text) || question:
			score = 1
		case h.strong || h.agreed:
			score = 0.5
		}
		if i >= len(r.to.parts)-2 {
			score += 0.5
		}
		if score > top {
			best, top = p, score
		}
	}
	if best == nil {
		return nil, false
	}
	o = proposalOffer(r.to, best)
	if top <= 1 && h.strong && !offers.MatchString(best.Text) { // it only speaks of it
		o.text = "Take " + h.words + ": " + lowerFirst(o.text)
	}
	return o, recommends.MatchString(best.Text) || proposesIt.MatchString(best.Text)
}

// opensWith tells whether a sentence opens with what is named: "External: a
// partition of its own".
func opensWith(p *sentence, keys terms) bool {
	head := strings.Join(strings.Fields(p.Text)[:min(len(strings.Fields(p.Text)), len(keys)+1)], " ")
	return shared(keys, keywords(head)) == len(keys)
}

// iCanBut matches what is offered and advised against at once.
var iCanBut = cue.One(`(?i)\b(?:i|we|you|one) (?:can|could|might)\b.*\bbut\b`)

// proposesIt matches how a proposal opens.
var proposesIt = cue.One(`(?i)^(?:my )?(?:proposal|suggestion|idea|plan)\b|\bi(?:'d| would) \w+|\bi (?:prefer|propose|suggest|set|lean|chose)\b|\bwould be my (?:pick|choice)\b|\bso: `)

// proposalOffer words a proposing sentence as what is to be.
func proposalOffer(sp *speech, p *sentence) *offer {
	o := &offer{sp: sp, part: p, from: p.From, to: p.To}
	o.text, o.why = phrase(sp, p)
	o.text, o.why = proposalWords(o.text, o.why)
	return o
}

func proposalWords(text, why string) (string, string) {
	text = strings.TrimRight(text, ". ")
	if m := thenIWould.FindStringSubmatch(text); m != nil && few(m[2], 3) >= 2 {
		if text = m[2]; why == "" && few(m[1], 3) >= 3 {
			why = tidy(m[1])
		}
	} else if t := proposing.ReplaceAllString(text, ""); few(t, 2) >= 2 {
		text = t
	}
	text = midSuggest.ReplaceAllString(text, " ")
	return tidy(needsNone.ReplaceAllString(text, "")), why
}

var (
	// proposing matches what makes a proposal of what it says.
	proposing = cue.One(`(?i)^(?:for [1-9a-e]: |(?:my )?(?:proposal|suggestion|idea|plan): |what (?:we|you|i|one) (?:can|could) do[^:]{0,30}: |(?:then |so |hence )?(?:i'?d|i would|i) (?:recommend|suggest|propose|say|go with|go for|lean to(?:wards)?|take|pick|prefer|set|rather|like to)(?: to| that we| that)? |(?:i'?d|i would) |i then (?:did|made) it with )`)
	// thenIWould parts a reason from what it leads to: "it buys nothing; I'd drop it".
	thenIWould = cue.One(`(?i)^((?:[^ia;]|i[^f]|a[^s])[^;]{10,}?)[;—–] (?:so |then |therefore |hence )?(?:i'?d|i would) (?:rather |suggest to |propose to |prefer to )?(.{8,})$`)
	midSuggest = cue.One(`(?i) i (?:suggest|propose)(?: that)? (?:we )?`)
)

// inFullWords spells an abbreviation out that the message has in full with
// hyphens: "swr" where it speaks of stale-while-revalidate.
func (r *reply) inFullWords(name string) string {
	low := strings.ToLower(name)
	if len(low) < 2 || len(low) > 5 || strings.ContainsAny(low, " -_.") {
		return name
	}
	for w := range strings.FieldsSeq(r.to.text) {
		w = strings.Trim(w, "`*_.,;:()\"'")
		if strings.Count(w, "-") != len(low)-1 {
			continue
		}
		i := 0
		for part := range strings.SplitSeq(strings.ToLower(w), "-") {
			if part == "" || part[0] != low[i] {
				i = -1
				break
			}
			i++
		}
		if i == len(low) {
			return w
		}
	}
	return name
}

var verdict = cue.One(`(?i)^(?:and |but )?(?:the )?(.{2,40}?):? (yes|no|ok(?:ay)?|fine|good)$`)

// byVerdict reads "block yes, override no": what the answer says of parts of
// what was proposed.
func (r *reply) byVerdict(s *sentence) bool {
	if !strings.Contains(s.Text, " no") || !strings.Contains(s.Text, ", ") {
		return false
	}
	text := strings.TrimRight(s.Text, ".! ")
	var yes, no []string
	rest := ""
	for i, seg := range splitBy(verdictJoint, text) {
		m := verdict.FindStringSubmatch(strings.TrimSpace(seg))
		switch {
		case m == nil && i == 0:
			return false
		case m == nil:
			if rest == "" {
				rest = seg
			}
		case strings.EqualFold(m[2], "no"):
			no = append(no, m[1])
		default:
			yes = append(yes, m[1])
		}
	}
	if len(yes) != 1 || len(no) == 0 {
		return false
	}
	o, _ := r.proposed(keywords(yes[0]), head{strong: true, opens: true})
	if o == nil {
		return false
	}
	for _, n := range no {
		o.text = denied(o.text, n)
	}
	r.decide("reply-verdict", s, o, nil, rest)
	return true
}

var verdictJoint = cue.One(`[,;] (?:and |but )?`)

// denied takes a part out of what was proposed: "with an override" becomes
// "without an override".
func denied(text, part string) string {
	keys := keywords(part)
	for _, with := range []string{", with ", " with ", " and "} {
		i := strings.LastIndex(text, with)
		if i < 0 || shared(keys, keywords(text[i+len(with):])) < len(keys) || len(keys) == 0 {
			continue
		}
		return text[:i] + " without " + text[i+len(with):]
	}
	return strings.TrimRight(text, ". ") + " (" + part + ": no)."
}
