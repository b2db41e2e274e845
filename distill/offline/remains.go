package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// What is left to do: what people say at the end they will do when ("deploy
// wednesday, not before"), what the last message leaves ("Left for Thursday: …").

const planningWords = `(?i)\b(?:tomorrow|tmrw|tonight|later today|this (?:afternoon|evening|weekend|week)|next (?:week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|in the (?:morning|evening|afternoon)|after (?:lunch|the weekend|work|late shift|shift)|(?:next|first thing)[, ]+(?:i|we|you|up|is|step|thing|then)\b|next time|(?:i|we)(?:'ll| will) (?:\w+ )?[a-z]+|(?:i'm|we're) (?:going to|gonna)|will do\b|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|before (?:the |we )?(?:release|launch|go-?live|demo|deploy))\b`

const leavingWords = `(?i)^(?:and |so )?(?:the (?:only|one|last) thing|all|what) (?:that's |that is |is |still )?(?:left|missing|open|to do)\b|^still on the list\b|^(?:\W*)(?:left|still|open|remaining|remains|outstanding|pending|missing|not (?:done|built|yet|covered|tested|included|finished|started|wired|migrated)|to ?do|to be done|next|up next|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tonight|next (?:week|time|session|step)|for (?:the )?(?:next|tomorrow|monday|tuesday|wednesday|thursday|friday|later)|before (?:the |we |going |you )?(?:release|launch|merge|merging|deploy\w*|go-?live|tagging|rollout)|after (?:the |that|merging)|what'?s (?:left|missing|open|still)|what (?:is (?:left|missing|open|still)|remains)|noted|on (?:my|your|the) (?:list|plate|side)|for you|your (?:turn|side|part)|(?:when|once) (?:you|we)|when you(?:'re| are)? (?:back|ready|continue)|when we (?:continue|resume|go on)|to (?:pick|take) up|to continue|i(?:'ll| will)|then|if (?:it|all|that|nothing|everything)|waiting (?:for|on)|blocked)\b|\b(?:is|are) (?:the one|still|the only|the last) (?:open|missing|left|to do|a stub|to be|pending|outstanding|not)\b|\b(?:has|have) to be \w+ (?:by (?:you|hand|somebody|someone)|manually)\b|\bstill (?:a stub|missing|to do|needs?|open|has to|have to)\b|\bi can't (?:do|see|check|reach|get at) (?:that|it|this|them|those)? ?from here\b|\b(?:is|are) (?:for|up to) you\b|\bon your side\b|\byou(?:'ll| will)? (?:still )?(?:need|have) to\b`

var (
	dayWord   = cue.One(`(?i)\b(?:tomorrow|tmrw|tonight|later today|this (?:afternoon|evening|weekend)|next (?:week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|in the (?:morning|evening)|after (?:lunch|the weekend|late shift)|first thing)\b`)
	pastDay   = cue.One(`(?i)\b(?:last|yesterday|since|was|were|came|happened|called|had|did|went|saw|got|every|each|on a|don't|by the|until|as of|from) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|tonight)|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\b(?:was|were|had|happened|crashed|died|lost|broke|failed|started|complained)\b`)
	actDay    = cue.One(`(?i)^(?:(?:ok(?:ay)?|yes|good|fine|and|but|so|then|great|perfect|nice|thanks|right|no|also|agreed|looks good|done|lovely)\b[,.! ]*)*(?:(?:on |from |until )?(?:tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next week|next)(?: morning| evening| afternoon| night)?[,:]? )?(?:i(?:'ll| will| can|'m going to|'m gonna)|we(?:'ll| will| can|'re going to)|let's|lets|please|pls|you)? ?(?:then |also |just |first |really |have to |need to )*(?:[a-z]+)\b`)
	verbs     = cue.One(`(?i)\b(?:test|try|deploy|ship|merge|release|tag|look|check|walk|update|reflash|flash|run|call|send|mail|write|build|do|finish|start|continue|review|compare|measure|move|switch|add|fix|publish|roll|bring|meet|present|show|demo|order|install|migrate|clean|delete|remove|push|record|print|sign|talk|train|turn|upload|import|restart|reboot|replace|set|prepare|repeat|watch|see|go|give|take|make|get|pick|swap|book|post|announce|verify|visit|collect|read|plan|draft|submit|hand)\b`)
	nextI     = cue.One(`(?i)^(?:(?:ok(?:ay)?|yes|good|fine|and|but|so|then|great|makes sense|thanks)\b[,.! ]*)*next,? (?:up,? |thing,? |step,? )?(?:i|we|you|is|up)(?:'ll|'m|'d| will| am| want| need)?\b`)
	leftLead  = cue.One(`(?i)^(?:\W*)(?:so |and |then |now )?(?:left (?:for|to do|open|over|undone|until|from)\b[^:.]{0,40}|(?:still |noted as )?(?:open|missing|to do|outstanding|pending|remaining|undone)\b[^:.]{0,30}|not (?:done|built|covered|tested|included|finished|started|wired|migrated)(?: yet| here| today)?|to ?do\b[^:.]{0,30}|up next|tomorrow|tonight|(?:on |for )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b[^:.]{0,20}|(?:for )?(?:the )?next (?:week|time|session|step|round|steps)\b[^:.]{0,20}|for (?:tomorrow|later)\b[^:.]{0,20}|before (?:the |we |you |going )?[^:.,]{3,30}|what(?:'s| is) (?:left|missing|open|still (?:open|missing|to do))\b[^:.]{0,20}|what remains\b[^:.]{0,20}|still on the list|tomorrow's [\w-]+|(?:noted|on (?:my|your|the) (?:list|plate|side)|for you|your (?:turn|side|part)|(?:when|once) (?:you|we)|when you(?:'re| are)? (?:back|ready)|to pick up|waiting (?:for|on) you))\s*(?::|—|–)\s*`)
	justNoted = cue.One(`(?i)^noted\s*(?::|—|–)`)
	condition = cue.One("(?i)^if (?:it|all|that|nothing|everything|zone|the|this|those|no)\\b.{3,90}(?::|,) ?(?:`|run|then|set|tag|merge|switch|deploy|ship|roll|turn|remove|publish|push|raise)")
	again     = cue.One(`(?i)^(?:when|once|if) (?:you|we) (?:pick|take|continue|resume|come back|get back|go on|carry on)\b[^,]{0,50}, .{6,}`)
	comesNext = cue.One(`(?i)^(?:and |then )?next (?:on (?:the|my|our|your) list|up|in line|in turn|thing|one)\b[^.]{0,20}\b(?:is|are|comes|would be|will be)\b .{4,}`)
	byYou     = cue.One(`(?i)\b(?:has|have) to be \w+ (?:by (?:you|hand|somebody|someone)|manually)\b|\b(?:is|are) still (?:a stub|missing|to do|open|to be|unwritten|pending)\b|\b(?:is|are) the (?:one|only|last) (?:open|missing|remaining)\b|^(?:and |so )?(?:the (?:only|one|last) thing|all|what) (?:that's |that is |is |still )?(?:left|missing|open|to do)(?: now| here)? is\b|\bi can't (?:do|see|check|reach|get at) (?:that|it|this|them|those)? ?from here\b|\byou(?:'ll| will)? still (?:need|have) to\b|\bstill (?:needs? (?:to|a|an)|has to|have to)\b`)
	forLater  = cue.One(`(?i)^\W*(?:left|noted) for later\b`)
	leftOpen  = cue.One(`(?i)^(?:\W*)(?:left |still |noted as )?open[^:.]{0,30}(?::|—|–) (?:how|what|which|who|when|where|whether|why|should)\b`)
	leftHead  = cue.One(`(?i)^(?:left\b|still (?:open|to do|missing)|open\b|remaining|outstanding|to ?do|tomorrow|for (?:tomorrow|you|later|the next|next)|before (?:the|we|you|launch|release|merg)|until\b|what(?:'s| is) left|what remains|next\b|not (?:done|built|yet)|pending|missing|on your (?:side|plate|list)|your (?:turn|part|side|list))`)
)

// plansOf makes next items of what a person says at the end is to be done when.
func plansOf(t *talk, planned map[*sentence]bool) []payload.Item {
	var out []payload.Item
	t.eachTyped(planning, func(sp *speech, s *sentence) {
		if sp.exchange < t.n-2 || strings.HasSuffix(s.Raw, "?") || sp.reacts == nil || len(sp.text) > 800 {
			return
		}
		text := s.straight()
		day := dayWord.MatchString(text) && !pastDay.MatchString(text) && verbs.MatchString(text) && actDay.MatchString(text)
		if !day && !nextI.MatchString(text) || s.goes(askingOut) && willAsk.MatchString(text) || s.goes(puttingOff) {
			return
		}
		a := t.answer(sp)
		if a != nil && a.work && !day && sp.exchange < t.n-1 {
			return
		}
		said := strings.TrimRight(tidy(spelled(text)), ". ")
		it := sp.item(payload.Next, "planned", s, said)
		if leansOn(said) || pronoun.MatchString(said) && few(said, 6) < 6 {
			if b := sp.before(s); b != nil && len(b.keys()) >= 3 && len(b.Text) < 140 && !strings.HasSuffix(b.Raw, "?") {
				it = sp.item(payload.Next, "planned", s, tidy(spelled(b.Text))+" "+said)
				it.Evidence[0] = cite(sp, b.From, s.To)
			} else if p := lastSaid(sp); p != nil {
				it = sp.item(payload.Next, "planned", s, said+": "+lowerFirst(strings.TrimRight(tidy(p.Text), "?")))
				alsoCite(&it, sp.reacts, p)
			} else if few(said, 6) < 6 {
				return
			}
		}
		out = append(out, it)
		planned[s] = true
	})
	return withoutDoubles(out, mostPlans)
}

const mostPlans = 3

// leftToDo makes next items in both ways. What a report repeats of a person's plan
// is told once, in the words of the report.
func leftToDo(t *talk) []payload.Item {
	planned := map[*sentence]bool{}
	plans := plansOf(t, planned)
	left := remains(t, planned)
	out := plans[:0:0]
	for _, p := range plans {
		again := false
		for i := range left {
			l := &left[i]
			if l.Rule != "left-over" || l.Evidence[0].N <= p.Evidence[0].N {
				continue
			}
			day := strings.ToLower(dayWord.FindString(p.Text))
			if shared(keywords(p.Text), keywords(l.Text)) >= 2 || day != "" && strings.Contains(strings.ToLower(l.Text), day) {
				l.Evidence, l.By, again = append(l.Evidence, p.Evidence[0]), payload.ByBoth, true
				break
			}
		}
		if !again {
			out = append(out, p)
		}
	}
	return withoutDoubles(append(out, left...), 5)
}

// headOf is what leads to a list item: its heading, or the sentence before its
// list that ends with a colon.
func (sp *speech) headOf(s *sentence) string {
	for i := s.Index - 1; i >= 0; i-- {
		p := &sp.parts[i]
		if p.Block == listItem && p.Heading == s.Heading {
			continue
		}
		if p.Block == paragraph && strings.HasSuffix(strings.TrimRight(p.Raw, "*_ "), ":") {
			return p.Text
		}
		break
	}
	return s.Heading
}

var (
	noTask     = cue.One(`(?i)\b(?:off limits|must not|isn't safe|not safe|fails?)\b`)
	startsVerb = cue.One(`(?i)^` + strings.TrimPrefix(verbs.String(), `(?i)\b`))
)

// lastSaid is the statement that a short promise answers: one that leaves
// something to the reader, else the last of the message.
func lastSaid(sp *speech) *sentence {
	by := sp.reacts
	var last *sentence
	for i := range by.parts {
		p := &by.parts[i]
		if len(p.keys()) < 3 || len(p.Text) > 200 {
			continue
		}
		if byYou.MatchString(p.straight()) {
			return p
		}
		if len(by.parts) <= 2 {
			last = p
		}
	}
	return last
}

// remains makes next items of what the last messages leave to be done.
func remains(t *talk, planned map[*sentence]bool) []payload.Item {
	var out []payload.Item
	add := func(sp *speech, s *sentence, rule, text string) {
		kind := payload.Next
		if leftOpen.MatchString(s.straight()) {
			kind = payload.Question
		}
		if it := sp.item(kind, rule, s, text); len(keywords(it.Text)) >= 2 {
			out = append(out, it)
		}
	}
	for _, sp := range t.speeches {
		if sp.user || !sp.closing || sp.toCome > 3 || sp.mood == objects {
			continue
		}
		answersPlan, listed := false, false
		for i := range sp.parts {
			listed = listed || underNext(sp, &sp.parts[i])
		}
		if sp.asks != nil {
			for i := range sp.asks.parts {
				answersPlan = answersPlan || planned[&sp.asks.parts[i]]
			}
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			if s.Block == listItem && sp.last && s.Depth < 2 && leftHead.MatchString(sp.headOf(s)) && !noTask.MatchString(s.Text) && !strings.HasSuffix(s.Raw, "?") && sp.asks != nil && !s.goes(askingOut) {
				add(sp, s, "left-list", optLead.ReplaceAllString(s.Text, ""))
				continue
			}
			if s.Block == quoted || s.Pasted || !s.goes(leaving) || strings.HasSuffix(s.Raw, "?") {
				continue
			}
			text := s.straight()
			lead := leftLead.FindString(text)
			switch {
			case forLater.MatchString(lead): // it is put off
			case lead != "" && len(s.Text) == len(text) && few(text[len(lead):], 2) >= 2:
				if rest := text[len(lead):]; justNoted.MatchString(lead) && !actDay.MatchString(rest) || justNoted.MatchString(lead) && !startsVerb.MatchString(rest) || strings.HasPrefix(rest, "http") {
					continue
				}
				if listed || sp.toCome > 1 || !sp.last && (sp.reaction == nil || sp.reaction.work || sp.reaction.parts != nil && sp.reaction.parts[0].goes(puttingOff)) {
					continue
				}
				add(sp, s, "left-over", leftWords(lead, text[len(lead):]))
			case sp.toCome <= 1 && (again.MatchString(text) || comesNext.MatchString(text)) && sp.last:
				add(sp, s, "left-over", s.Text)
			case condition.MatchString(text) && (sp.last || dayWord.MatchString(text)) && !t.revived(sp, s.keys()):
				add(sp, s, "if-then", s.Text)
			case sp.toCome <= 1 && !answersPlan && byYou.MatchString(text) && (sp.last || sp.reaction != nil && !sp.reaction.work) && !stateOfWork.MatchString(text):
				add(sp, s, "still-to-do", s.Text)
			}
		}
	}
	return withoutDoubles(out, 4)
}

// leftWords keeps the day that what is left is for.
func leftWords(lead, rest string) string {
	if day := dayWord.FindString(lead); day != "" && !strings.Contains(strings.ToLower(rest), strings.ToLower(day)) {
		return strings.TrimRight(strings.TrimSpace(rest), ".") + " (" + day + ")"
	}
	return rest
}
