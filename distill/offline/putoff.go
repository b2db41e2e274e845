package offline

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"recall/distill/offline/cue"
	"recall/payload"
)

// What is put off: "not now", "leave it for when we redo the reports", "that
// goes on the list". The words often don't say what; the proposal before does.

const puttingOffWords = `(?i)^(?:(?:ok(?:ay)?|no|nah|nope|yes|yeah|hm+|but|and|fine|good|right|true|sure|great|nice|agreed|fair)\b[,.! ]*)*(?:not (?:now|today|this (?:time|week|month|year|sprint|quarter|round|season|release|version))|(?:later|some ?day|one day|eventually|v2)(?:[.,;:!]| when| once| maybe| not| yes|$)|another (?:day|time)|next (?:sprint|release|version|quarter|season|year|round|phase|milestone)|phase (?:2|two)|too early|premature|only (?:after|when|once)|after (?:the |that |our )?(?:launch|release|go-?live|holidays?|summer|pilot|migration|demo|move|audit|deadline|trip|show|fair|conference|merge|freeze|rollout|beta)(?:[.,;!]|$))` +
	`|\b(?:put|stick|throw|add|note|write|jot|log|park|leave|drop|file|keep|pop|dump) (?:it|that|this|them|those|[\w-]+) (?:down |away )?(?:as an? |in |on |onto |into |to |for )?(?:the |our |my |a |some)?(?:back ?log|to-?do|todos|later|issue|ticket|icebox|road ?map|wish ?list|parking lot|(?:\w+ )?list(?:[.,;:!]|$)|somewhere|idea file|ideas|notes?|next (?:time|release|version|round|season|year|sprint))\b` +
	`|\b(?:goes|go|belongs?|comes?) (?:on|in|into|onto|to) (?:the |our |my )?(?:list|back ?log|to-?do|road ?map|wish ?list|parking lot|pile|v2)\b` +
	`|\b(?:can|could|may) wait\b|\b(?:let's|i'd|we|we'll|we should|then) wait\b|\bwait (?:then|for now|with (?:that|it|this))\b|^(?:(?:ok|no|yes|then|but)[,. ]+)*wait (?:until|till)\b|^wait then\b|\blook(?:ed)? (?:at (?:it|that|this) )?again (?:at|when|in|after|once)\b|\bthat waits\b` +
	`|\b(?:is|are|it's|that's|this is|one|thing) for (?:later|another (?:day|time|week)|some other|the next|v2|phase|next (?:year|season|time|week|month|quarter)|rev)\b|\bfor another (?:day|time)\b|\bsome other (?:time|day)\b|\banother (?:day|time)\b` +
	`|\bleave (?:it|that|this|them|those|the [\w -]{2,30}?|[\w-]+) (?:out |as (?:it )?is |alone |be |there |open |off )?(?:for (?:now|later|when|after|the (?:next|moment)|next|the time being)|until|till)\b|\bleave (?:it|that) (?:be|alone|open|there)\b|: leave (?:it|that)\b` +
	`|\b(?:do|do it|handle|fix|tackle|address|build|shrink|see|revisit|add|decide|think about|worry about|talk about|care about|come back to|get (?:back )?to|look (?:at|into)|deal with|clean (?:it|that|this|them) up|bother with)(?: (?:it|that|this|those|these|them))? (?:later|then|when|once|after (?:the|we|that)|another|next (?:week|month|year|time|sprint|quarter)|in (?:a|the) (?:second|next|later))\b` +
	`|\bcomes? (?:with|in|after) (?:the |a )?(?:next|later|second|v2|2\.0)\b|\b(?:skip|drop|leave(?: out)?|no|without) .{3,60}\bfor (?:now|the moment|the time being|this (?:round|version|release|sprint))\b|\bleave .{3,40} out of (?:this|the first|v1|it for now)\b|\bdo(?:n't|nt| not) bother\b|\bcross that bridge\b|\ba problem for (?:another|later|next|future)\b|\bparking (?:this|that|it)\b|\b(?:is|that's|it's) (?:for )?(?:v2|phase (?:2|two)|version 2|2\.0)\b|\bno time for (?:that|it|this)\b|\bnot worth it (?:right )?now\b|\b(?:see|talk|think|worry) about (?:that|it|this) (?:when|once|later|after)\b|\bmaybe in (?:the )?(?:spring|summer|autumn|fall|winter|new year)\b|\bhold that thought\b|\b(?:mark|tag) (?:it|that|this) (?:as|for) (?:a )?(?:to-?do|later)\b|\b(?:won't|wont|will not|doesn't need to|needn't) (?:happen|come|be) (?:before|until|this)\b|\bone (?:thing|step|migration|change|problem) at a time\b` +
	`|\bcan come (?:later|when|once|after)\b|\b(?:later|when|once|if) (?:somebody|someone|anybody|anyone|people|they|users?|customers?) (?:asks?|complains?|needs?|wants?|screams?|notices?)\b` +
	`|\bnot (?:in )?this (?:year|season|quarter|sprint|release|month|round|pr|iteration|milestone|version)\b|\bnot (?:for|in|before) (?:v1|the (?:mvp|pilot|first (?:version|release)|launch|demo|release)|next (?:week|month|year|season))\b|\bnot (?:a priority|urgent|pressing|worth it (?:yet|now|for now))\b|\b(?:low|no) prio(?:rity)?\b|\bno (?:hurry|rush)\b|\bnice[- ]to[- ]have\b` +
	`|\b(?:postpon|defer|shelv)(?:e|ed|ing)\b|\b(?:punt|park) (?:on )?(?:it|that|this|the)\b|\bput(?:ting)? (?:it|that|this|the [\w -]{2,30}?) (?:off|on (?:hold|ice))\b|\bhold off\b|\bon (?:hold|ice)\b|\bback ?burner\b|\bdown the (?:road|line)\b|\brevisit\b|\bout of scope\b|\bin a (?:follow-?up|later|second) (?:pr|issue|branch|change|ticket|release|step|round|pass)\b` +
	`|[,;.:] (?:maybe |perhaps |then )?later\b|\b(?:then|maybe|perhaps|but) later\b|\blater,? (?:not|when|once|if|maybe)\b|\bmaybe (?:next|in (?:a|the|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december))\b` +
	`|\bdo(?:n't| not) (?:build|do|start|touch|add|implement|fix) (?:it|that|this|them) (?:yet|now|for now)\b|\bi do not care (?:about \w+ )?now\b|\bbefore we (?:sell|ship|launch|release|go live)\b.{0,40}\b(?:has|have|must|needs?)\b|\bnot before (?:we|the|that|someone|somebody)\b`

const keepingForWords = `(?i)\b(?:noted|added|put|left|wrote|written|recorded|kept|filed|parked|logged|tracked|listed|moved|documented|captured|stays?|is|are|it's|that's|opened|created|goes)\b.{0,90}(?:\bTODOs?\b|\bFIXME\b|\bback ?log\b|\bicebox|\broadmap\b|\bparking lot|\bwish ?list\b|\blater\.md|\bfor later\b|\bideas?\.md|\bsomeday\b|\bfollow-?up issue\b|\blater list\b)|^(?:in the back ?log|on the (?:list|back ?log|roadmap)|backlog|back ?logged|parked|deferred|postponed|put off)\b`

// offWords are what words of putting off have of keywords; what a statement has
// besides is what it is about.
var offWords = sync.OnceValue(func() terms {
	return keywords(`later today tomorrow week weekend month year quarter season sprint day time next moment another eventually somehow
		somewhere someday once until till when then first again soon early premature urgent pressing priority prio low hurry rush hold
		put stick throw add note write jot log park leave drop file keep pop dump mark tag wait waits skip defer deferred postpone
		postponed shelve punt revisit bother come comes go goes back come happen list backlog todo to-do issue ticket icebox roadmap
		wishlist parking lot pile idea ideas notes version release round phase milestone mvp pilot launch follow up followup scope
		separate pr branch know right good nice fine great sure true agreed fair think thought ok no not dont don't let lets us do
		does done build start touch care deal handle fix tackle address decide worry talk get look see problem material v2 somebody someone anybody
		anyone people users asks ask complains needs wants it's that's there's i'm we'll i'll bridge cross order road line ice burner`)
})

// ownOf are a statement's keywords besides those.
func ownOf(text string) terms {
	var own terms
	for _, w := range keywords(text) {
		if _, off := slices.BinarySearch(offWords(), w); !off {
			own = append(own, w)
		}
	}
	return own
}

// putOffs makes deferred items of what people put off.
func putOffs(t *talk) []payload.Item {
	var out []payload.Item
	var last *speech
	bare := false // the last was put off without words of its own
	t.eachTyped(puttingOff, func(sp *speech, s *sentence) {
		text := s.straight()
		if strings.HasSuffix(s.Raw, "?") || idleOff.MatchString(text) || !weighsIn(sp, s) || s.goes(askingOut) && willAsk.MatchString(text) {
			return
		}
		own := ownOf(text)
		again := last == sp
		if again && s.Block != listItem && !besides.MatchString(text) && (bare || len(own) < 3 || leansOn(text)) {
			return // it says more of what was just put off
		}
		it, keys, ok := t.whatWaits(sp, s, own, again)
		if !ok || t.revived(sp, keys) || again && saidIn(out, it) {
			return
		}
		last, bare = sp, len(own) < 2
		out = append(out, it)
	})
	return withoutDoubles(out, mostPutOff)
}

// besides matches what goes on to something else.
var besides = cue.One(`(?i)^(?:and|also|plus)\b|\b(?:is|are) also\b`)

// mostPutOff is how many a session may yield.
const mostPutOff = 4

// idleOff matches what has such words and puts nothing off.
var idleOff = cue.One(`(?i)\b(?:sooner or later|later in (?:the|this)|see you later|talk later|later (?:that|the same) (?:day|week)|the later\b|or later\b|minutes? later|seconds? later|days? later|wait (?:for|until|till) (?:the )?(?:ci|build|tests?|response|reply|review|result|page|load|it to)|not yet (?:done|there|working|pushed|merged|committed|tested|sure)|didn't|doesn't|wasn't|are we|revisited)\b|^(?:wait|hold on)[,.!]`)

// weighsIn leaves out long reports of what happens, where the words are no reply.
func weighsIn(sp *speech, s *sentence) bool {
	return sp.reacts != nil && len(sp.text) < 700 || len(sp.text) < 400 || s.Block == listItem
}

// whatWaits words what a typed statement puts off, own being its own words.
func (t *talk) whatWaits(sp *speech, s *sentence, own terms, again bool) (it payload.Item, keys terms, ok bool) {
	text := s.straight()
	said := strings.TrimRight(tidy(spelled(text)), ". ")
	if o := t.optionNamed(sp, text); o != nil {
		what := o.sp.parts[o.part]
		it = sp.item(payload.Deferred, "put-off", s, strings.TrimRight(plainOption(o.name(o.sp), what.Text), ". ")+" — "+lowerFirst(said))
		alsoCite(&it, o.sp, &what)
		return it, what.keys(), true
	}
	p, by := t.proposed(sp, own)
	if n, a := t.noteOf(sp); n != nil { // the answer wrote it down in full
		note := listedText(n)
		if keys := keywords(note); !again && (len(own) < 3 && (p == nil || shared(keys, keywords(offerText(by, p))) > 0) || shared(keys, own) > 0) {
			it = sp.item(payload.Deferred, "put-off", s, note)
			if p != nil && len(p.Text) < 140 && len(note) < 80 && (shared(keys, p.keys()) > 1 || shared(keys, p.keys()) > 0 && (couldBe.MatchString(p.straight()) || recommends.MatchString(p.straight()))) {
				it.Text = shorten(strings.TrimRight(tidy(note), ".") + ": " + lowerFirst(offerText(by, p)) + ".")
			}
			alsoCite(&it, a, n)
			it.Why = t.whyAfter(sp, s)
			return it, keys, true
		}
	}
	if b := sp.before(s); b != nil && (len(own) < 2 || len(own) < 4 && leanStart.MatchString(text)) && !b.goes(puttingOff) && len(b.keys()) >= 2 && len(b.Text) < 160 &&
		!strings.HasSuffix(b.Raw, "?") && (!leansOn(b.Text) || strings.Contains(b.Text, ": ")) && !opensNo.MatchString(strings.ToLower(b.Text)) && !answersOnly.MatchString(b.Text) {
		it = sp.item(payload.Deferred, "put-off", s, tidy(spelled(b.Text))+" "+upperFirst(said))
		it.Evidence[0] = cite(sp, b.From, s.To)
		return it, b.keys(), true
	}
	if p != nil && (len(own) < 3 || shared(own, p.keys()) > 0) {
		text := offerText(by, p)
		if len(own) == 0 || share(own, keywords(text)) < 1 {
			text = strings.TrimRight(text, ".?! ") + " — " + lowerFirst(strings.TrimRight(tidy(restOf(said)), "."))
		}
		it = sp.item(payload.Deferred, "put-off", s, text)
		alsoCite(&it, by, p)
		it.Why = t.whyAfter(sp, s)
		return it, p.keys(), true
	}
	if len(own) < 2 || len(own) < 3 && leanStart.MatchString(text) {
		return it, nil, false
	}
	it = sp.item(payload.Deferred, "put-off", s, said)
	it.Why = t.whyAfter(sp, s)
	return it, own, true
}

// leanStart matches what begins with a word for something said before.
var leanStart = cue.One(`(?i)^(?:(?:and|but|ok|so|then)[, ]+)*(?:we|i|it|that|this|they|she|he|those|these)\b`)

// noteOf is the sentence of the answer that says what was written down for later,
// in words of its own; nil if there is none.
func (t *talk) noteOf(sp *speech) (*sentence, *speech) {
	a := t.answer(sp)
	if a == nil {
		return nil, nil
	}
	for i := range a.parts {
		if s := &a.parts[i]; s.goes(keepingFor) && listedText(s) != s.Text && !notKept.MatchString(s.straight()) {
			return s, a
		}
	}
	return nil, nil
}

// restOf is what a person says without the yes or no that it opens with.
func restOf(said string) string {
	if r := openingYesNo.ReplaceAllString(said, ""); len(r) > 3 {
		return r
	}
	return said
}

var openingYesNo = cue.One(`(?i)^(?:(?:ok(?:ay)?|no|nah|nope|yes|yeah|hm+|fine|sure|right)\b[,.! ]+)+`)

// suggestsElse matches how a person proposes something else.
var suggestsElse = cue.One(`(?i)\b(?:can|could|should|shall)(?:n't)? (?:we|i|it|one)\b|\b(?:why not|what about|how about|what if we|we could)\b`)

// whyAfter is the sentence after a putting off, where it reads like a reason.
func (t *talk) whyAfter(sp *speech, s *sentence) string {
	n := sp.nextTo(s)
	if n == nil || n.goes(puttingOff) || strings.HasSuffix(n.Raw, "?") || len(n.Text) > 160 || len(n.keys()) < 2 || len(keywords(s.Text)) > 5 || suggestsElse.MatchString(n.straight()) {
		return ""
	}
	return strings.TrimRight(tidy(spelled(n.Text)), ".")
}

// A namedOption is an option with the message that offers it.
type namedOption struct {
	option
	sp *speech
}

// optionNamed finds the option that a clause opens with: "3 let's see later".
func (t *talk) optionNamed(sp *speech, text string) *namedOption {
	m := opensOption.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	label := strings.ToLower(m[1] + m[2])
	by := sp.reacts
	for k := 0; by != nil && k < 2; k++ {
		if options := optionsOf(by); len(options) >= 2 {
			for _, o := range options {
				if o.label == label {
					return &namedOption{o, by}
				}
			}
		}
		for i := range by.parts { // a letter alone in bold is no list's label
			if by.parts[i].Block == listItem && strings.ToLower(by.parts[i].Lead) == label {
				return &namedOption{option{label: label, part: i}, by}
			}
		}
		if by.asks == nil {
			break
		}
		by = by.asks.reacts
	}
	return nil
}

var opensOption = cue.One(`(?i)^(?:(?:and|but|ok|no|so|then)[, ]+)*(?:option |nr\.? ?|number |no\.? ?|point |#)?\(?([1-9]|[b-h])\)?(?:[:,.)]|\s+(?:is|isn't|we|i|let's|can|later|no|not|out|too|would|makes|means|won't|doesn't|for)\b|\s+—|\s+-)|^((?-i:A)) (?:is|makes|would|means|costs|has|needs|won't|doesn't|no|out)\b`)

func plainOption(name, text string) string {
	if text = optLead.ReplaceAllString(text, ""); len(text) < 160 {
		return tidy(text)
	}
	return tidy(name)
}

// proposed finds what a reply without words of its own is about: what the
// message before it offered, asked or called undone.
func (t *talk) proposed(sp *speech, own terms) (*sentence, *speech) {
	by := sp.reacts
	if by == nil {
		return nil, nil
	}
	var best *sentence
	top := 1.4
	n := len(by.parts)
	for i := range by.parts {
		p := &by.parts[i]
		if len(p.keys()) < 2 || len(p.Text) > maxText || by.foreign(p) {
			continue
		}
		score := 1.5 * float64(min(2, shared(own, p.keys())))
		question := strings.HasSuffix(strings.TrimRight(p.Raw, "*_ "), "?")
		switch text := p.straight(); {
		case question && offerAsk.MatchString(text):
			score += 2
		case question && asksFact.MatchString(text):
			continue
		case question:
			score += 1.5
		case undone.MatchString(text):
			score += 1.5
		case couldBe.MatchString(text), recommends.MatchString(text):
			score += 1
		case stateOfWork.MatchString(text):
			score--
		}
		if i >= n-2 {
			score += 0.5
		}
		if score >= top {
			best, top = p, score
		}
	}
	if best != nil {
		return best, by
	}
	if p := proposalFor(sp); p != nil {
		return p, by
	}
	if by.asks != nil && len(by.parts) <= 8 && !speaksAgainst.MatchString(by.parts[0].straight()) { // it answered what the person had asked
		for i := len(by.asks.parts) - 1; i >= 0; i-- {
			if p := &by.asks.parts[i]; strings.HasSuffix(p.Raw, "?") && len(p.keys()) >= 3 && !by.asks.foreign(p) && !p.Pasted && len(p.Text) < 200 {
				return p, by.asks
			}
		}
	}
	return nil, nil
}

// asksFact matches a question that proposes nothing.
var asksFact = cue.One(`(?i)^(?:(?:and|but|so|ok)[, ]+)*(?:did|is|are|was|were|has|have|which|who|where|when|why|how (?:many|much|long|often|do|does|did)|do you (?:see|know|get|use|have|remember)|does|what (?:is|are|was|does|did|do you|happens|kind|version))\b`)

var (
	undone  = cue.One(`(?i)^(?:not (?:done|covered|built|included|yet)|missing|left out|still (?:missing|open)|open|known limit)\b|\b(?:(?:is|are) (?:still )?(?:missing|open)|still (?:counts|uses|reads|needs|has|does|shows|lacks)|doesn't (?:yet|handle|cover)|isn't (?:yet|there|covered|handled)|not (?:yet )?(?:covered|handled|done|built|supported|implemented))\b|⏳|☐`)
	couldBe = cue.One(`(?i)\b(?:could|would be|would make|might|cleaner|proper|nicer|alternative(?:ly)?|i can|we can|i'd|a day more|worth|possible|it's (?:around|about)|takes? (?:about|around))\b`)
)

// offerText words a proposal as what would be done, together with the sentence
// before it if it leans on that.
func offerText(sp *speech, p *sentence) string {
	text := p.Text
	if t := offerAsk.ReplaceAllString(text, ""); t != text {
		text = strings.TrimRight(t, "? ")
	}
	text = undoneLead.ReplaceAllString(text, "")
	text = aboutLead.ReplaceAllString(text, "")
	text = needsNone.ReplaceAllString(strings.TrimRight(tidy(text), "?. "), "")
	if sp.user {
		text = spelled(text)
	}
	if b := sp.before(p); b != nil && pronoun.MatchString(text) && few(text, 5) < 5 && len(b.Text)+len(text) < 220 {
		text = strings.TrimRight(tidy(b.Text), ".") + "; " + lowerFirst(text)
	}
	return text
}

var (
	undoneLead = cue.One(`(?i)^(?:not (?:done|covered|built|included)(?: yet)?|missing|left out|still (?:missing|open)|open|known limit)\s*[:—–-]\s*`)
	aboutLead  = cue.One(`(?i)^(?:(?:and |but )?(?:what|how) about|what's with|and)\s+`)
)

// keptFor makes deferred items of what an assistant says by itself that it wrote
// down for later.
func keptFor(t *talk) []payload.Item {
	var out []payload.Item
	t.eachClosing(keepingFor, func(sp *speech, s *sentence) {
		text := s.straight()
		if sp.mood == objects || strings.HasSuffix(s.Raw, "?") || !iKept.MatchString(text) || notKept.MatchString(text) {
			return
		}
		if sp.asks != nil {
			for i := range sp.asks.parts {
				if p := &sp.asks.parts[i]; p.goes(puttingOff) || p.goes(askingOut) {
					return // the person put it off, see putOffs, or asks somebody
				}
			}
		}
		what := listedText(s)
		if keys := keywords(what); len(keys) >= 4 && !t.revived(sp, keys) {
			out = append(out, sp.item(payload.Deferred, "kept-for-later", s, what))
		}
	})
	return withoutDoubles(out, mostPutOff)
}

var iKept = cue.One(`(?i)^(?:so |and |then |both |all )*(?:i(?:'ve| have)? )?(?:noted|added|put|left|wrote|recorded|kept|filed|parked|logged|tracked|listed|in the back ?log|on the (?:list|back ?log|roadmap)|backlog|parked|deferred|postponed|put off|are|is)\b`)

var notKept = cue.One(`(?i)\b(?:removed|deleted|done|resolved|closed|no longer) .{0,30}\b(?:todo|backlog|fixme)\b|\b(?:todo|fixme)s? (?:is|are|was|were) (?:gone|done|removed)\b`)

// listedText is what was written down, without the words that say where.
func listedText(s *sentence) string {
	text := s.Text
	for _, re := range []*regexp.Regexp{todoSays, quotedWhat} {
		if m := re.FindStringSubmatch(text); m != nil && few(m[1], 3) >= 3 {
			return m[1]
		}
	}
	if i := strings.Index(text, ": "); i > 0 && i < 60 && few(text[i+2:], 3) >= 3 && keptLead.MatchString(text[:i]) {
		return text[i+2:]
	}
	return text
}

var (
	todoSays   = regexp.MustCompile("(?i)`[^`]*\\b(?:todo|fixme)\\b(?:\\([^)]*\\))?:? ([^`]{12,200})`")
	quotedWhat = regexp.MustCompile(`["“]([^"”]{12,200})["”]`)
	keptLead   = cue.One(`(?i)\b(?:backlog|todo|later|list|noted|added|roadmap|ideas|parked|deferred)\b`)
)
