package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// Traps and duties that the code doesn't show, as a closing message announces
// them: "Mind the …", "One trap remains: …", "whoever touches this must …",
// "… has to exclude /api, or the webhook gets a redirect".

const trappingWords = `(?i)\bbe warned\b|\bside[- ]effects?\b|\bworth noting\b|\b(?:unlike|contrary to) what\b|\bundocumented\b|\bfor (?:this|that|it) to work\b|^what (?:cost|took|bit|surprised|confused|fooled)\b|\bkeep an eye\b|^(?:and |but |so )?(?:if|when|should) (?:any(?:one|body)|some(?:one|body)|you ever|we ever|(?:it|this|that|they) ever)\b|\bonly works?\b|\b(?:traps?|catch|gotchas?|snags?|pitfalls?|caveats?|warnings?|surprises?|quirks?|oddity|oddities|wrinkle|subtlety|subtle|heads-?up|reminder|remark|footgun|landmine|bite|bites|bit me|bit us|beware|careful|caution|mind|watch|attention|danger|dangerous|risky)\b|\b(?:one|a|two|another|last|some) (?:\w+ )?(?:thing|note|point|word|detail)s?\b|\b(?:closing|side|final) note\b|\bnoticed\b|\bran into\b|\bstumbled\b|\bworth (?:knowing|remembering|a warning)\b|\bgood to know\b|\btook (?:me|us) a while\b|\beasy to (?:miss|forget|get wrong)\b|\bnot obvious\b|\bbe aware\b|\bkeep in mind\b|\bremember\b|\b(?:don't|do not) (?:forget|be surprised|remove|delete|drop|touch|move|rename|reorder|rely|run|edit|change|raise|lower)\b|\bby the way\b|\bbtw\b|\bfor the record\b`

const obligingWords = `(?i)\b(?:whoever|anyone who|anybody who|everyone who|everybody who|anything (?:that|with|which)|everything (?:that|with|which)|any(?:one|body) (?:adding|touching|changing|editing|using|running|who's))\b|\b(?:must|has to|have to|needs?|mustn't)\b|\bshould (?:never|always|not)\b|\b(?:don't|do not|never) (?:remove|delete|drop|touch|move|rename|reorder|rely|run|edit|change|raise|lower|forget|put|call|use|store|commit|merge|deploy|start)\b|\bonly (?:with|if|when|by|via|through|from)\b|\bor else\b|\b(?:never|always|may only|can only)\b|\botherwise\b|\b(?:must|has to|have to) (?:keep|stay|remain|be (?:kept|set|run|done|started|excluded|in)|never|not)\b|\bsilently\b|\bwithout (?:any |an? )?(?:error|warning|notice)\b|\bno(?:t| longer)? (?:an? )?error\b|\bleaks?\b|\blimited to\b|\blimits?\b|\bnever (?:reveals?|returns?|fires?|tells?|sends?|reaches)\b|\breserves\b|\bhands (?:back|out)\b|\bpauses\b|\brefuses?\b`

var (
	// how a trap is announced, with what follows the announcement
	trapLead = cue.One(`(?i)^(?:(?:and|but|also|oh|please|just|still|so|p\.?s\.?|by the way|btw|for the record|fyi)[,: ]+)*(?:` +
		`mind (?:the|that|you|your|how|when)\b|beware(?: of| that)?\b|careful(?: (?:with|when|here|there|about)\b[^.:;,]{0,50}:|,|:| when\b)|(?:caution|attention)\b[^.:]{0,30}:|watch (?:out(?: for)?|the|for|that)\b|be (?:aware|careful)(?: that| of| with| when)?\b|keep in mind(?: that)?\b|heads[- ]?up\b(?:[^.:]{0,30}:)?|be warned\b[^.:]{0,20}[:,]|(?:one |a |the |known )?side[- ]effects?\b[^.:]{0,30}:|worth noting\b[^.:]{0,20}:|two things to (?:watch|know|mind|remember|keep in mind)\b[^.:]{0,30}:|what (?:cost|took|bit|surprised|confused|fooled) (?:me|us)\b[^.:]{0,40}:|keep an eye on\b[^.:]{2,50}:|easy to (?:miss|forget|overlook|trip over|get wrong)\b[^.:]{0,30}:|not obvious\b[^.:]{0,30}:|good to know(?:\b[^.:]{0,30}:)?|worth (?:knowing|remembering)(?: that)?\b|(?:a )?(?:reminder|warning|caveat|gotcha|footgun|trap|danger)(?: (?:for|about|when|with|to) [^:]{2,30})?(?::|—|–)` +
		`|(?:(?:there(?:'s| is)|i (?:found|hit|met|have)|found|hit|ran into|here(?:'s| is)|with) )?(?:(?:one|a|an|another|the|two|last|final|first|second|small|little|big|nasty|real|known|closing|side|remaining|only|important|open|more|quick|subtle|unpleasant|ugly|hidden|old) )+(?:traps?|catch|gotcha|snag|pitfall|caveat|warning|surprise|quirk|oddity|wrinkle|subtlety|heads-?up|reminder|remark|note|footgun|landmine|danger|thing|detail|word of (?:warning|caution))\b(?:[^.:;—–,]{0,60}(?::|—|–)| (?:here )?(?:is|was)(?: that)?\b)` +
		`)\s*[:—–,]?\s*`)
	announced = cue.One(`(?i)^what\b|\bside[- ]effect|\bnoting\b|\bwarned\b|\bthings to\b|\b(?:eye on|easy to|not obvious|traps?|catch|gotchas?|snags?|pitfalls?|caveats?|warning|surprise|quirk|oddity|wrinkle|subtlety|heads-?up|reminder|footgun|landmine|danger|beware|careful|mind|watch|attention|aware|remark|closing note|ran into|stumbled|worth knowing|good to know|bit me|bites)\b`)
	plainNote = cue.One(`(?i)^(?:one|a|another|the|last|final|two|small|side|more|quick)\b.{0,20}\b(?:thing|note|detail|point)\b`)
	// what follows from not minding it
	orElse    = cue.One(`(?i)(?:[,;—–(]|\bor\b) ?(?:or else|else|otherwise|lest)\b.{8,}|\b(?:otherwise|or else)\b.{8,}|, or (?:the|it|you|we|they|a|an|one|every|all|else|scanners?|clients?|guests?|users?|[\w-]+s? (?:will|would|gets?|keeps?|fails?|breaks?|loses?|sees?))\b.{6,}`)
	duty      = cue.One(`(?i)\b(?:must|has to|have to|needs? to|needs? (?:a|an|the)|mustn't|must not|should (?:never|always|not)|never|always|don't|do not|may only|can only)\b`)
	whoever   = cue.One(`(?i)\b(?:whoever|any(?:one|body) (?:who|adding|touching|changing|editing|using|running)|every(?:one|body) who)\b.{3,120}\b(?:must|has to|have to|should|needs?|mustn't|keep|know)\b|\banything (?:that|with|which)\b.{3,100}\b(?:must|has to|have to|needs)\b`)
	doNot     = cue.One(`(?i)(?:^|[,;:—–] ?|\bso |\bplease |\band )(?:please )?(?:don't|do not|never) (?:remove|delete|drop|touch|move|rename|reorder|rely|run|edit|change|raise|lower|forget|put|call|use|store|commit|merge|deploy|start)\b.{3,}\b(?:even if|even though|because|or|otherwise|else|unless|since|as|it's|it is|before|without|without that)\b|(?:^|[,;:—–] ?|\bplease )(?:don't|do not|never) (?:remove|delete|drop|touch|move|rename|reorder|run|edit|change|call|use)\b[^,.;]{3,80}[,;:—–] (?:it|that|this|they|the [\w-]+) \w+s\b|\bmust (?:never|not) be (?:removed|changed|called|cached|run|reordered|dropped)\b`)
	quiet     = cue.One(`(?i)\b(?:silently|without (?:any |an? )?(?:error|warning|notice)|takes? that as|forever|for ever|for good|twice|garbage|leaks?|corrupts?|panics?|jumps? into|lost|loses|stale|out of sync|overwritten|swallow(?:s|ed)?|never (?:sees?|notices?|reveals?)|blank|redirect|413|401|403|502|wrong|hidden|refuses?|pauses|reserves|reserved|limited)\b`)
	dutyFirst = cue.One(`(?i)\b(?:must|has to|have to|needs?)\b.{3,120}\b(?:before (?:this|it|that|the|we|you|going|each|every)|after (?:each|every)|first\b|at (?:each|every)|each time|every time|on (?:each|every)|until)\b`)
)

// consequence is the sentence after a trap, or one of the two after that if it
// says what comes of it.
func (sp *speech) consequence(s *sentence) *sentence {
	first := sp.nextTo(s)
	for n, k := first, 0; n != nil && k < 3; n, k = sp.nextTo(n), k+1 {
		if text := n.straight(); orElse.MatchString(text) || ifEver.MatchString(text) || duty.MatchString(text) && quiet.MatchString(text) {
			return n
		}
	}
	return first
}

var (
	// a word for something said in the sentence before
	pointing   = cue.One(`(?i)\b(?:it|that|this|there|those|these)\b`)
	ifEver     = cue.One(`(?i)^(?:and |but |so )?(?:if|when|should) (?:any(?:one|body)|some(?:one|body)|you ever|we ever|(?:it|this|that|they) ever)\b.{4,}, .{8,}`)
	wishful    = cue.One(`(?i)^[^,]{0,40}\b(?:want|need|like|prefer|wish|decide|feel)s?\b`)
	onlyWorks  = cue.One(`(?i)\bonly works? (?:as long as|if|when|while|with|on|from)\b`)
	unlikeDocs = cue.One(`(?i)\b(?:unlike|contrary to) what (?:the|their|its) (?:docs?|documentation|manual|readme|spec)\b|\bundocumented\b.{6,}`)
	toWork     = cue.One(`(?i)^for (?:this|that|it) to work,? .{3,80}\b(?:must|has to|have to|needs?)\b`)
	beforeLive = cue.One(`(?i)\b(?:must|has to|have to|needs?)\b.{3,80}\bbefore (?:this|it|we|the|you) .{0,30}\b(?:live|ships?|shipped|releas\w*|deploy\w*|launch\w*|production|opens?)\b`)
	onlyWith   = cue.One(`(?i)\b(?:can|could) be \w+ .{0,40}\bonly (?:with|if|when|by|via|through|from)\b`)
)

// traps makes flags of what a closing message warns of.
func traps(t *talk) []payload.Item {
	var out []payload.Item
	seen := map[*sentence]bool{}
	visit := func(sp *speech, s *sentence) {
		if seen[s] || strings.HasSuffix(s.Raw, "?") || sp.states(s, payload.Flag) || sp.mood == objects && strings.HasPrefix(strings.ToLower(sp.reaction.text), "no") || !noOption(sp, s) || offered(sp, s) {
			return
		}
		seen[s] = true
		rule, text, why := "", "", ""
		plainly := s.straight()
		switch lead := trapLead.FindString(plainly); {
		case lead != "" && (announced.MatchString(lead) || plainNote.MatchString(lead) && weighty(sp, s)) && !strings.HasSuffix(strings.TrimSpace(lead), "?"):
			rule = "trap-told"
			if text = s.Text[len(s.Text)-len(plainly)+len(lead):]; len(s.Text) != len(plainly) || few(text, 3) < 3 || strings.HasPrefix(strings.ToLower(lead), "mind the") {
				text = s.Text
			}
			if n := sp.consequence(s); n != nil {
				seen[n] = true
				if few(text, 4) < 4 || leansOn(text) || !duty.MatchString(text) && !orElse.MatchString(text) && (duty.MatchString(n.Text) || orElse.MatchString(n.Text)) && n.Index == s.Index+1 && len(text)+len(n.Text) < maxText {
					text = strings.TrimRight(tidy(text), ".") + ". " + n.Text
				} else if why = n.Text; strings.HasSuffix(n.Raw, "?") || len(why) > 220 {
					why = ""
				}
			}
		case whoever.MatchString(plainly):
			rule, text = "whoever", s.Text
		case doNot.MatchString(plainly) && !toldYou.MatchString(plainly):
			rule, text = "do-not-touch", s.Text
		case orElse.MatchString(plainly) && duty.MatchString(plainly) && !suggestsIt.MatchString(plainly):
			rule, text = "or-else", s.Text
		case ifEver.MatchString(plainly) && !wishful.MatchString(plainly):
			rule, text = "if-ever", s.Text
		case onlyWorks.MatchString(plainly) && !suggestsIt.MatchString(plainly) && !sp.user:
			rule, text = "only-works", s.Text
		case unlikeDocs.MatchString(plainly) && !suggestsIt.MatchString(plainly):
			rule, text = "unlike-docs", s.Text
		case toWork.MatchString(plainly) && !suggestsIt.MatchString(plainly):
			rule, text = "must-first", s.Text
		case beforeLive.MatchString(plainly) && !suggestsIt.MatchString(plainly) && !stateOfWork.MatchString(plainly):
			rule, text = "before-live", s.Text
		case onlyWith.MatchString(plainly) && !suggestsIt.MatchString(plainly) && sp.before(s) != nil:
			rule, text = "only-with", s.Text
		case dutyFirst.MatchString(plainly) && quiet.MatchString(plainly) && !suggestsIt.MatchString(plainly):
			rule, text = "must-first", s.Text
		default:
			return
		}
		if rule != "trap-told" {
			b := sp.before(s)
			switch {
			case b == nil || strings.HasSuffix(b.Raw, "?"):
			case rule != "or-else" && pointing.MatchString(plainly) && len(b.keys()) >= 4:
				if seen[b] {
					return // the trap was told in the sentence before
				}
				seen[b] = true
				if text, why = strings.TrimRight(b.Text, ". ")+". "+s.Text, ""; len(text) > maxText {
					text, why = b.Text, s.Text
				}
			case rule == "do-not-touch" || leansOn(text) || leaning.MatchString(text) || len(s.keys()) < 6:
				if len(b.Text)+len(text) < 300 {
					why = b.Text
				}
			}
			if why != "" || strings.Contains(text, ". ") {
			} else if n := sp.nextTo(s); n != nil && quiet.MatchString(n.Text) {
				why = n.Text
			}
		}
		if len(keywords(text)) < 4 {
			return
		}
		it := sp.item(payload.Flag, rule, s, text)
		it.Why = strings.TrimRight(shorten(tidy(why)), ".")
		out = append(out, it)
	}
	for _, w := range []way{trapping, obliging} {
		t.eachClosing(w, visit)
	}
	t.eachTyped(trapping, func(sp *speech, s *sentence) {
		text := s.straight()
		lead := typedLead.FindString(text)
		if lead == "" || strings.HasSuffix(s.Raw, "?") || sp.reacts == nil || len(s.keys()) < 4 {
			return
		}
		it := sp.item(payload.Flag, "person-warns", s, spelled(s.Text))
		if n := sp.nextTo(s); n != nil && quiet.MatchString(n.straight()) && !strings.HasSuffix(n.Raw, "?") {
			it.Why = strings.TrimRight(shorten(tidy(spelled(n.Text))), ".")
		}
		out = append(out, it)
	})
	return withoutDoubles(out, mostTraps)
}

const mostTraps = 4

// typedLead is how a person opens a warning.
var typedLead = cue.One(`(?i)^(?:(?:ok|but|and|yes|also|oh|fine|good)[,. ]+)*(?:be )?(?:careful|beware|watch out|heads[- ]?up|fyi|mind (?:the|that|you)|attention|caution|warning|keep in mind|don't forget|dont forget|be aware|remember)\b(?:[,:.—–-]| that| with| of| about| the)`)

var (
	toldYou    = cue.One(`(?i)\b(?:as you (?:said|asked|wanted)|you (?:said|asked|told)|now (?:never|always)|i (?:never|don't|didn't))\b`)
	suggestsIt = cue.One(`(?i)^(?:so |then |hence |or )?(?:i|we|you)(?:'d| would| could| can| might| want| prefer| propose| suggest)\b|\b(?:i'd|i would|i propose|i suggest|we could|option|alternatively|either|my pick|shall i|should i|want me to|let me|if you want|if you'd like|whether or not)\b`)
	aftermath  = cue.One(`(?i)\b(?:must|has to|have to|never|otherwise|or|else|silently|until|unless|only|every|fails?|breaks?|breaks|lost|wrong|needs?|won't|can't|cannot|not)\b`)
)

// weighty tells whether a mere note says what comes of not heeding it.
func weighty(sp *speech, s *sentence) bool {
	text := s.Text
	if n := sp.nextTo(s); n != nil {
		text += " " + n.Text
	}
	return aftermath.MatchString(text) && (quiet.MatchString(text) || duty.MatchString(text))
}

// offered tells whether a message only lays out courses: it ends asking which,
// and what it says of them is no trap.
func offered(sp *speech, s *sentence) bool {
	return !sp.work && endsAsking(sp) && len(optionsOf(sp)) >= 2
}
