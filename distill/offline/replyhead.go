package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

var (
	agreeing = cue.One(`(?i)^(?:(?:ok(?:ay)?|oki|yes|yeah|yep|yup|sure|clear|good|great|fine|right|agreed|perfect|nice|cool|alright|hm+|ah+|oh|so|then|and|well|love it|makes sense|understood|exactly|convincing|thanks|thx|please|pls|i think|i like (?:it|that)|(?:that|this|it)'?s? ?(?:is )?(?:convincing|good|fine|better|right|ok|it)|sounds (?:good|right|fine))\b[,.:;!—– -]*)+`)
	taking   = cue.One(`(?i)^(?:(?:let'?s|lets|let us|i'?d|i would|i'?ll|we|we'?ll|i|please|just|rather|want(?: the)?)\s+)*(?:take|use|go(?: for| with)?|pick|choose|do|prefer|switch to|implement|going with|want)\s+(?:the )?(.+)$`)
	tail     = cue.One(`(?i)[, ]+(?:then|it is(?:,? then)?|please|pls|sounds (?:good|right|fine|best|ok)|is (?:fine|ok|okay|good|right|better|best|perfect)|ok|okay|fine|yes|good|of course|for me|works(?: for me)?)\s*$`)
	clauseAt = cue.One(`[,;:]\s+|\s+(?:but|because|since|as|so that|though|tho)\s+|\s+[—–-]\s+|\.\s+`)
	article  = cue.One(`(?i)^(?:the|a|an|our|your|that|this)\s+`)
)

var (
	// what opens a sentence that tells, asks or refuses, rather than takes
	noChoice = cue.One(`(?i)^(?:no|nope|nah|not|don'?t|do not|never|without|neither|forget|stop|wait|why|how|what|who|when|where|which|can|could|is|are|does|did|if|but|or|because|maybe|perhaps|hm+|still|it|this|that|there|i|you|they|he|she|check|look|see|show|tell|test|try|run|review|explain|let me|also)\b`)
	// what no course is called by
	tells  = cue.One(`(?i)\b(?:is|are|was|were|has|have|does|did|can|could|should|would|will|not|it'?s|i'?m|we|you|they|he|she|there|don'?t|doesn'?t|isn'?t|no)\b|n't\b`)
	asksOn = cue.One(`(?i)^(?:(?:and|but|so|ok|also)[, ]+)*(?:what|how|why|who|when|where|which|is|are|can|could|does|did|do (?:we|you|they|i))\b`)
	putOff = cue.One(`(?i)^(?:leave|later|not|no|never|skip|forget|wait|don'?t)\b`)
	// what turns down the thing named before it: "stripe: the fees eat the margin, no"
	refusesIt = cue.One(`(?i)^(?:(?:it'?s|is|that'?s|way|far|much|just|simply) )*(?:too [a-z]+(?: [a-z]+)?$|overkill|not (?:an option|worth|for (?:us|me|now))|out of the question|a pain)|(?:^|[,;.:–—-] ?)(?:no|nope|nah|no way|no thanks|no thank you|rather not|better not|forget it|not an option|nein|nee|nö|lieber nicht)$`)
	bothOf    = cue.One(`(?i)^(?:do |take |i want )?(?:both|all three|all of (?:them|it|these))\b`)
	onlyRefer = cue.One(`(?i)^(?:it|that|this|so|them|those|these|one)$`)
)

// A head is what a sentence takes up, before it says more.
type head struct {
	words  string // "indexeddb", "device_id+seq"
	rest   string // what it goes on to say
	strong bool   // it is said that this is taken, not merely named
	agreed bool   // a yes comes before it
	opens  bool   // the answer opens with it
}

// headOf parts a sentence into what it takes up and the rest.
func headOf(s *sentence) head {
	text := strings.TrimRight(s.Text, ".! ")
	t := agreeing.ReplaceAllString(text, "")
	h := head{words: t, agreed: t != text}
	if m := taking.FindStringSubmatch(t); m != nil {
		h.strong, h.words = true, m[1]
	} else if noChoice.MatchString(t) {
		return head{}
	}
	if loc := clauseAt.FindStringIndex(h.words); loc != nil {
		h.words, h.rest = h.words[:loc[0]], h.words[loc[1]:]
		if onlyRefer.MatchString(h.words) { // "do it: prefix for all"
			h.words, h.rest = h.rest, ""
		}
	}
	for {
		w := tail.ReplaceAllString(h.words, "")
		if w == h.words {
			break
		}
		h.words, h.strong = w, true
	}
	h.words = article.ReplaceAllString(strings.Trim(h.words, " .,;:!"), "")
	if tells.MatchString(h.words) || !h.strong && putOff.MatchString(h.rest) || refusesIt.MatchString(h.rest) {
		return head{}
	}
	return h
}
