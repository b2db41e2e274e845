package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// What a person suggests and the answer speaks against: "can't we just …?",
// "It could, but then …".

const suggestingWords = `(?i)\b(?:can|could|should|shall|would|will|may)(?:n't|n’t| not)? (?:we|i|they|it|one|that|this|the [\w-]+|a [\w-]+|[\w-]+(?: [\w-]+)?)(?: not)? (?:not |just |simply |also |maybe |instead |rather |even |then |perhaps |at least )*[a-z]{2,}` +
	`|\b(?:why (?:not|don't we|do we not)|what about|how about|what if we|wouldn't it (?:be|help)|is it possible|is there (?:a|any) way|possible to|any reason not|any objections?|we could|could also|would love|i'd love|i was thinking|my idea|thought about|thinking of)\b` +
	`|^[^?]{4,60}\?`

const denyingWords = `(?i)^(?:no|nope|not (?:really|quite|reliably|safely|without|with|by|in|on|from|for|alone|any more|at all|entirely|directly)|unfortunately|sadly|i(?:'m afraid|'d rather not| would rather not|'d advise against|'d not| wouldn't|'d avoid|'d keep|'d leave| looked,? (?:and|but))|only (?:if|through|with|by|via|when|on|in|partly|half)|hardly|barely|in theory|on paper|tempting|sounds|true|right|yes,? but)\b` +
	`|^(?:that|it|this|they|one|we|you|which|i) (?:(?:could|would|can|might|may)(?:,| in theory| on paper| technically)*[,.]? but|fails?|breaks?|doesn't|does not|won't|wouldn't|would not|can't|cannot|couldn't|isn't|is not|aren't|would (?:break|fail|lose|mean|only|still|need|hide|double|leave|cost|make|bring|defeat|be (?:worse|slower|wasted|lost)))` +
	`|\b(?:no (?:full |real |big |great )?(?:cure|fix|help|gain|use|good|win|improvement|difference)|(?:doesn't|does not|didn't|did not|won't|wouldn't|can't|couldn't|hardly|barely) (?:really |actually |fully |even )?(?:help|work|fix|cure|solve|change|scale|survive|pay|hold|fit|reach|apply|exist|know|see|support)|makes? (?:that|it|this|things) worse|worse rather than|only (?:hide|move|delay|mask|shift|postpone)s?|just (?:hides?|moves?|delays?|waits?)|defeats|not an option|no option|dead ends?|is out\b|are out\b|isn't (?:wrapped|supported|exposed|possible|available|there|reachable|allowed|enough)|not (?:wrapped|supported|exposed|possible|available|reachable|allowed|enough|worth)|on paper|in theory|but then|the (?:trouble|problem|snag|catch) (?:is|with)|nothing to do with|isn't the|it isn't\b|ruled out|by (?:hand|then)|is lost before|never (?:warms|reaches|comes|gets|fires)|would be lost)\b` +
	`|\bI(?:'d| would) (?:wait|leave|not|rather|keep|stay|stick|advise)\b|\bI wouldn't\b`

// isSuggestion asks for a suggestion, rather than a wish that things be explained.
func isSuggestion(sp *speech, s *sentence) bool {
	text := s.straight()
	if len(s.keys()) < 1 || len(text) > 260 || explainMe.MatchString(text) {
		return false
	}
	question := strings.HasSuffix(strings.TrimSpace(s.Raw), "?")
	last := s.Index >= s.Of-2
	switch {
	case suggestLead.MatchString(text):
		return question || last
	case question && shortIdea.MatchString(text) && last:
		return len(strings.Fields(text)) <= 5
	}
	return false
}

var (
	explainMe   = cue.One(`(?i)\b(?:explain|tell me|show me|what (?:is|are|does|do|did|was|happens)|how (?:do|does|did|is|are|many|much|long|often|come)|why (?:is|are|does|do|did)|who\b|where|which|can you|could you|would you|will you|can u|are (?:there|you|we)|did you|have you|do you|does it|is (?:it|this|that) (?:safe|ok|right|true|correct|done|committed)|(?:we|i) (?:get|see|have|know|tell|find|recover))\b|^(?:please )?(?:double ?check|verify|confirm|options|ideas|thoughts|suggestions|ok|done|really|ready|anything)\b|\b(?:options|ideas|thoughts|suggestions)\?`)
	suggestLead = cue.One(`(?i)\b(?:can|could)(?:n't|n’t| not)? (?:we|they|it|one|the|a|this|that)\b|\b(?:should|shall)(?:n't|n’t| not)? (?:we|they|one)\b|\bcouldn't\b|\bcan't we\b|\bwould(?:n't)? (?:it|a|an|the|that|this|[\w-]+) (?:help|work|do|fix|solve|be (?:enough|easier|simpler|better|cheaper|faster))\b|\bwhy (?:not|don't we)\b|\b(?:what|how) about\b|\bwhat if we\b|\bwe could\b|\bis it possible\b|\bcan [\w-]+ be \w+ed\b|\bwould love\b|\bso (?:it'?s|[\w-]+) (?:the |loses|drops|breaks|eats|is)\b|\bmaybe (?:we|it'?s|use|a)\b`)
	shortIdea   = cue.One(`(?i)^(?:(?:and|or|then|so|hm+|but|ok|maybe|no good|1|2|3|a|b|c)\b[,. ]*)*(?:a |an |the |with |use |using |via )?[\w.-]+(?: [\w.-]+){0,3}\?`)
)

// refuted makes eliminated items of suggestions that the answer speaks against,
// where the person doesn't hold to them.
func refuted(t *talk) []payload.Item {
	var out []payload.Item
	taken := -1
	t.eachTyped(suggesting, func(sp *speech, s *sentence) {
		if taken == sp.turn.N || !isSuggestion(sp, s) {
			return
		}
		a := t.answer(sp)
		if a == nil || a.doesIt() {
			return
		}
		no := refusal(a, s)
		if no == nil || holdsOn(a, s) || a.work && !no.goes(dropping) {
			return
		}
		text := idea(sp, s)
		if few(text, 2) < 2 {
			if b := sp.reacts; b == nil || few(text, 1) < 1 {
				return
			}
			if len(keywords(no.Text)) < 4 {
				return
			}
		}
		it := sp.item(payload.Eliminated, "suggestion-refuted", s, text)
		it.By = payload.ByBoth
		it.Evidence = []payload.Evidence{cite(a, no.From, no.To), cite(sp, s.From, s.To)}
		it.Why = strings.TrimRight(shorten(whyNot(a, no)), ".")
		it.About = about(s.Raw + " " + no.Raw)
		taken = sp.turn.N
		out = append(out, it)
	})
	return withoutDoubles(out, mostRefuted)
}

const mostRefuted = 4

// doesIt tells whether an answer reports that what was suggested is done.
func (sp *speech) doesIt() bool {
	for i := range sp.parts {
		if didIt.MatchString(sp.parts[i].straight()) {
			return true
		}
	}
	return false
}

var didIt = cue.One(`(?i)^(?:done|moved|added|fixed|changed|renamed|built|implemented|removed|replaced|switched)\b|\bi(?:'ll)? (?:add|fix|change|move|build|make|do|put) (?:it|that|this)\b`)

// refusal finds the sentence of an answer that speaks against a suggestion: its
// first, or one soon after that is about the same.
func refusal(a *speech, s *sentence) *sentence {
	for i := 0; i < min(5, len(a.parts)); i++ {
		p := &a.parts[i]
		if p.Block != paragraph || !p.goes(denying) || strings.HasSuffix(p.Raw, "?") {
			continue
		}
		if i == 0 || i == 1 && len(a.parts[0].Text) < 120 || shared(p.keys(), s.keys()) > 0 || firmly.MatchString(p.straight()) {
			return p
		}
	}
	return nil
}

// firmly matches a verdict that needs no further words to be one.
var firmly = cue.One(`(?i)\b(?:no (?:full |real )?cure|makes? (?:that|it|this|things) worse|worse rather than|dead ends?|not an option|no option|doesn't help|it isn't\b|isn't the|nothing to do with)\b`)

// whyNot is what an answer says against, with the next sentence if it says little.
func whyNot(a *speech, no *sentence) string {
	text := noLead.ReplaceAllString(no.Text, "")
	if n := a.nextTo(no); n != nil && len(keywords(text)) < 7 && !strings.HasSuffix(n.Raw, "?") && len(text)+len(n.Text) < 240 {
		text = strings.TrimRight(text, ".") + ". " + n.Text
	}
	return tidy(text)
}

var noLead = cue.One(`(?i)^(?:(?:no|nope|unfortunately|sadly|true|right|in theory|on paper|yes)\b[,.:;]? ?)+|^(?:that|it|we|you|one) (?:could|would|can)[,.]? but (?:then )?`)

// holdsOn tells whether the person goes for the suggestion all the same.
func holdsOn(a *speech, s *sentence) bool {
	r := a.reaction
	if r == nil {
		return false
	}
	open := strings.ToLower(strings.TrimSpace(r.text))
	if insists.MatchString(open) {
		return true
	}
	return r.mood == objects && len(r.parts) > 0 && shared(r.parts[0].keys(), s.keys()) > 1 && !r.parts[0].goes(dropping) && !r.parts[0].goes(puttingOff)
}

var insists = cue.One(`(?i)^(?:(?:ok|yes|no|but|still|hm+)[,. ]+)*(?:(?:do|try|build|take) it (?:anyway|all the same|still|nevertheless)|still,? (?:do|try|i want)|i (?:don't care|still want)|here (?:is|are|it is|you go)|anyway|wait then|later|that is fine, do|then do (?:it|that) anyway)\b`)

// idea words a suggestion as the course that it means.
func idea(sp *speech, s *sentence) string {
	text := spelled(s.straight())
	if m := ideaCore.FindStringSubmatchIndex(text); m != nil && few(text[m[1]:], 1) >= 1 {
		rest := text[m[1]:]
		if few(text[:m[0]], 4) >= 4 {
			rest = strings.TrimRight(text[:m[0]], ",;: ") + ": " + rest
		}
		text = rest
	}
	text = strings.TrimRight(tidy(text), "?!. ")
	text = tailNoise.ReplaceAllString(text, "")
	return tidy(text)
}

var ideaCore = cue.One(`(?i)\b(?:can|could|should|shall)(?:n't| not)? (?:we|i|one|you)(?: not)? (?:(?:not|just|simply|also|maybe|instead|rather|even|then|at least) )*|\bwhy (?:not|don't we) (?:just |simply )?|\b(?:what|how) about (?:just |simply )?|\bwhat if we (?:just |simply )?|\bis it possible to `)
