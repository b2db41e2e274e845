package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// Questions that wait for somebody outside: "i'll mail Frau Lindqvist, don't
// wait for it", "must ask Jens in production".

const askingOutWords = `(?i)\b(?:an? ok|the ok|approval|go-?ahead|sign-?off|answer|reply|word|feedback) (?:from|by|of)\b|\bfor [\p{L} ]{2,25} to (?:decide|say|answer|confirm|approve)\b|\b(?:ask|asking|mail|email|e-mail|call|ring|phone|write to|write|ping|check with|talk to|talk with|speak to|speak with|find out from|raise (?:it|that|this) with|clarify (?:it |that |this )?with|confirm with|run (?:it|that|this) (?:by|past)|have to talk|need to talk|must talk|wait(?:ing)? (?:for|on)|until we hear|no (?:clue|idea)|(?:don't|dont|do not) know|not sure|has to (?:decide|say|sign|answer|confirm|approve|tell)|must (?:decide|say|answer|confirm|approve|tell)|needs to (?:decide|say|sign|answer|confirm|approve|tell)|up to|not my call|keep (?:it|that) (?:as )?open|still open|open (?:question|thing|point)|will know|would know|knows that|get back to (?:me|us|you))\b`

var (
	willAsk = cue.One(`(?i)\b(?:i|we)(?:'ll|'d| will| must| have to| need to| should| can| could| would|'m going to| gotta|'ve to)? ?(?:then |also |just |first |better )?(?:ask|mail|email|e-mail|call|ring|phone|ping|check with|talk to|speak to|speak with|find out from|write to|raise (?:it|that|this) with|clarify (?:it |that |this )?with|confirm (?:it |that |this )?with|run (?:it|that|this) (?:by|past)) (?:to )?(?:the |our |my |a )?[\p{L}]` +
		`|(?:^|[,;.!] ?)(?:then |so |and |please |pls |better )?(?:have to|must|need to|gotta|should|ought to|will|let me) (?:first )?(?:ask|mail|call|ring|phone|ping|check with|talk to|find out from|clarify (?:it |that )?with) (?:the |our |my )?[\p{L}]` +
		`|(?:^|[,;.!] ?)ask (?:him|her|them|(?-i:\p{Lu})\p{L}+|[a-z]+ (?:in|at|from|about|on)\b)` +
		`|\b(?:[\p{L}]+ and (?:me|i)|we|me and [\p{L}]+) (?:have to|need to|must|should|gotta|still have to) (?:talk|decide|agree|discuss|sort (?:it|that) out)\b` +
		`|\b[\p{L}]+ (?:has to|must|needs to|should|will have to|still has to) (?:decide|say|sign(?: it)? off|answer|confirm|approve|tell (?:us|me))\b|\b(?:need|wait for|waiting for|get) (?:an? |the )?(?:ok|approval|go-?ahead|sign-?off|answer|reply|feedback) (?:from|by|of) |\b(?:that's|it's|is|that is) for (?:the )?[\p{L}]+(?: [\p{L}]+)? to (?:decide|say|answer|confirm|approve)\b|\bno (?:answer|reply|word) from .{2,30}\byet\b|\bnot my (?:call|decision)\b|\b(?:is|that's|it's) up to (?:him|her|them|(?-i:\p{Lu})\p{L}+|the (?:client|boss|team|board|customer|lawyers?|owner|office))\b|\bwait(?:ing)? (?:for|on) (?:an answer|a reply|word|(?-i:\p{Lu})\p{L}+(?:'s)? (?:to|answer|reply|word|ok|decision))\b|\buntil (?:we|i) hear\b|\bkeep (?:it|that) (?:as )?(?:open|an open question)\b`)
	notOut  = cue.One(`(?i)\b(?:ask (?:me|you|yourself|for (?:it|that|a review)|again|the user)|asked|call (?:it|this|that|them|the (?:function|api|method|endpoint|script))|write (?:it|that|this|the|a|to (?:the )?(?:file|disk|db))|ping (?:the )?(?:server|host)|ask (?:claude|copilot|chatgpt))\b|^(?:can|could|would) you\b`)
	dunno   = cue.One(`(?i)\b(?:no clue|no idea|(?:don't|dont|do not) know|not sure|good q(?:uestion)?)\b`)
	cantSay = cue.One(`(?i)\b(?:can't|cannot|couldn't) (?:decide|answer|tell|find|say|know|see)\b|\bsomebody has to ask\b|\bsomeone (?:has|needs) to (?:ask|decide)\b|\bsays nothing (?:on|about)\b|\bopen (?:point|question)\b|\bnot (?:documented|stated|specified|clear)\b|\bunclear\b`)
)

// askedOutside makes questions of what a person says somebody else must answer.
func askedOutside(t *talk) []payload.Item {
	var out []payload.Item
	t.eachTyped(askingOut, func(sp *speech, s *sentence) {
		text := s.straight()
		if !willAsk.MatchString(text) || notOut.MatchString(text) {
			return
		}
		for i := range s.Index {
			if p := &sp.parts[i]; p.goes(puttingOff) && !strings.HasSuffix(p.Raw, "?") {
				return // it is put off, see putOffs
			}
		}
		q, by := openQuestion(sp, s)
		if q == nil {
			return
		}
		said := strings.TrimRight(tidy(spelled(text)), ".")
		what := strings.TrimRight(tidy(openLead.ReplaceAllString(q.Text, "")), ".")
		if by.user {
			what = spelled(what)
		}
		it := by.item(payload.Question, "asked-outside", q, what)
		if q != s {
			it = by.item(payload.Question, "asked-outside", q, shorten(what)+" "+upperFirst(shortenTo(said, 120)))
		}
		if b := by.before(q); b != nil && (q == s && !strings.Contains(s.Text, "?") || leansOn(what)) && len(b.keys()) >= 3 && len(b.Text) < 160 {
			it.Text = shorten(strings.TrimRight(tidy(b.Text), ". ") + "; " + lowerFirst(it.Text))
			it.Evidence[0] = cite(by, b.From, q.To)
		}
		alsoCite(&it, sp, s)
		it.At = sp.turn.At
		if t.answeredSince(sp, q.keys()) {
			return
		}
		out = append(out, it)
	})
	return withoutDoubles(out, 3)
}

var openLead = cue.One(`(?i)^(?:(?:one|an?|the|another) (?:open|last|more)? ?(?:thing|point|question)\b[^:]{0,50}:|[^:]{3,60}\bcan't (?:decide|answer|tell)\b[^:]{0,40}:|about the [^:]{3,30}:)\s*`)

// openQuestion finds the question that is taken to somebody: in the same words,
// else in the message that they answer.
func openQuestion(sp *speech, s *sentence) (*sentence, *speech) {
	if strings.Contains(s.Text, "?") && len(s.keys()) >= 4 {
		return s, sp
	}
	for i := s.Index - 1; i >= max(0, s.Index-3); i-- {
		if p := &sp.parts[i]; strings.HasSuffix(p.Raw, "?") && len(p.keys()) >= 2 && !p.Pasted {
			return p, sp
		}
	}
	if i := s.Index + 1; i < len(sp.parts) && strings.HasSuffix(sp.parts[i].Raw, "?") && len(sp.parts[i].keys()) >= 3 {
		return &sp.parts[i], sp
	}
	if whetherTo.MatchString(s.straight()) && len(s.keys()) >= 4 {
		return s, sp
	}
	if by := sp.reacts; by != nil && s.Index <= 3 {
		for i := len(by.parts) - 1; i >= 0; i-- {
			if p := &by.parts[i]; strings.HasSuffix(strings.TrimRight(p.Raw, "*_ "), "?") && len(p.keys()) >= 3 && !offerAsk.MatchString(p.straight()) {
				return p, by
			}
		}
		for i := len(by.parts) - 1; i >= 0; i-- {
			if p := &by.parts[i]; cantSay.MatchString(p.straight()) {
				if len(p.keys()) < 5 && i > 0 && len(by.parts[i-1].keys()) >= 4 {
					return &by.parts[i-1], by
				}
				if len(p.keys()) >= 4 {
					return p, by
				}
			}
		}
	}
	if len(s.keys()) >= 5 && (s.Index > 0 || dunno.MatchString(sp.text)) {
		return s, sp
	}
	return nil, nil
}

var whetherTo = cue.One(`(?i)\b(?:whether|if (?:it|they|we|he|she|that|this|the)|about (?:the|it|that|this)|which|what|who|how|when)\b`)

// answeredSince tells whether a later word of the person's speaks of it again
// with an answer.
func (t *talk) answeredSince(after *speech, keys terms) bool {
	for _, sp := range t.speeches {
		if sp.user && sp.exchange > after.exchange {
			for i := range sp.parts {
				if s := &sp.parts[i]; shared(keys, s.keys()) >= 2 && gotAnswer.MatchString(s.straight()) {
					return true
				}
			}
		}
	}
	return false
}

var gotAnswer = cue.One(`(?i)\b(?:asked|answered|called|replied|says|said|wrote back|confirmed|told me)\b`)
