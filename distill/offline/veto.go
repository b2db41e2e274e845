package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// What is plainly something else can't be a decision, however much its words
// are like one: the state of the work, what is to be done, a file's share of a
// summary, talk about what comes now.
var (
	stateOfWork = cue.One(`(?i)\ball (?:\d+ )?tests? pass|\bcommitted (?:as|and|to|on|in)\b|^(?:all (?:changes|tasks|items|steps|tests?|checks?|green|clean|good|done|set|pass|linters?)|tests? (?:all )?pass|(?:lint|build|vet|fmt|ci|tests?|types?)(?: \w+)? (?:is |are |now )?(?:pass|clean|green|succeed|work|ok)|committed\b|commit: |(?:\w+ )?commits? (?:on|ahead|landed)|branched|pushed\b|pr (?:opened|created|#|is)|opened (?:a |the )?pr|pull request|merged|built|build succeed|verified|both (?:pass|commits)|two commits|done\b|everything|it works|works|ready|complete|implementation (?:is )?complete|working tree|no (?:issues|errors|problems|changes)|nothing)(?:\W|$)|(?:—|–|-|:) (?:passed|passes|ok|clean|green|none|no (?:issues|errors|warnings|findings|changes)|all (?:good|passed|clean))\b|\b\d+ (?:tests|issues|errors|failures)\b|^[^,;:]{1,60} (?:is|are) (?:updated|adjusted|green|up to date)\.?$`)
	aboutToDo   = cue.One(`(?i)^(?:let me|now (?:let me|i|the|update|add|check|fix|run|for|wire)|i'll (?:start|check|look|read|first|now|run|verify|search)|i (?:need to|see|can see|have)|looking|checking|running|reading|first,? (?:let|i)|next,? (?:let|i)|try |you can\b|your task|or (?:just )?(?:run|use|try)|just run|simply|run |here(?:'s| is| are)|next (?:run|step|time)|now here|i(?:'ve| have) (?:got|read|looked|checked|reviewed|verified)|want me|should i|would you|if you(?:'d| want)|good (?:question|catch|point)|great|you(?:'re| are) (?:right|absolutely))\b`)
	remark      = cue.One(`(?i)^(?:\W*)(?:high|medium|low|critical|major|minor|nit|p[0-3]|blocker|info|important|suggestion)\b\s*(?:\)|\]|:|—|–|-)`)
	suppose     = cue.One(`(?i)^(?:if|when|suppose|imagine|say|in case) [^,]{3,80}(?:,|→|:)|\bprints?\b.*\bexit\b|→ prints?\b`)
	process     = cue.One(`(?i)^(?:i'?ve |i have )?(?:just )?(?:written|wrote|created|saved|prepared|drafted|put together) (?:a|an|the|it|everything|your)\b.{0,80}(?:\bto|\bin|\bat|:) \S*[/.]\S+|^or (?:just|simply)\b|^(?:the )?(?:pr|pull request|issue|ticket|commit)(?: \w+)? (?:description|body|title|message|comment)\b|^(?:cleaned up|re-?ran|double-?checked|confirmed|tested|checked|ran|still)\b|→ (?:still|now) `)
	errand      = cue.One(`(?i)^(?:fix (?:this|it|that|the|lint|these)\b|(?:give|tell|show|write|send|explain|print|run|rerun|commit|push|open|check|review|look|test|try|verify)\b(?: (?:me|it|this|that|the|a|an|again))?|make a plan|plan (?:it|this|that)\b|i(?:'ll| will)? (?:ask|check|try|look|think|see)\b|(?:if|when) i (?:run|do|use|try|start|open|click|call)|i(?:'m| am)? (?:just |now )?(?:get|getting|tried|ran|see|saw|got|have the)\b)`)
	describes   = cue.One("^`[^`]+`\\s*(?:-|—|–)\\s*[A-Za-z]+s\\b|^`[^`]+\\(\\)`\\s*:\\s*[A-Za-z]+s\\b|^(?:[Aa]dded |[Nn]ew |[Rr]emoved )?`[^`]*` imports?\\b")
	// what is so, as against what is to be
	finding   = cue.One(`(?i)\b(?:cmd|ctrl|alt|shift|option)\s?\+\s?\w|[⌘⌃⌥]|\bfeel free\b|^i(?:'|’)ll (?:ask|wait|let|get back|keep you|be)\b|\b(?:was|were) (?:getting|being)\b|→.*→|^(?:one|another|an open|a) (?:\w+ )?question\b|^(?:\W?[^\s]+:\d+\W?(?:[\s,]|$)|you(?:'re| are) |\(|on \(?\d|the (?:\w+ )?(?:issue|problem|code|bug|error|cause|failure|log|output)(?: here| now)? (?:is|was|has|had|says|shows)\b|that's (?:the|why|what|not)|this (?:matches|solves|fixes|addresses)\b|this is\b|these are\b|note (?:the|that)|there (?:is|are|was|were)\b|you already|it already|(?:the )?\S+(?: \S+)? already (?:has|have|is|are|exists?|supports?|does)\b|same \S+|optional\b|mergeable|approved)|\bstill (?:technically|points?|remains?|waiting|needs?|has|have|fails?|failing|crashes|breaks?|broken|missing)\b|\b(?:agents?|reviewers?|tests?|ci) (?:itself |themselves )?(?:confirmed|found|agreed|concluded|said|noted)\b|\b(?:is|are) (?:correct|accurate|fine|right) (?:as (?:is|they are)|already)|\bremains? (?:accurate|correct|valid)\b|^[^,;:]{1,40} (?:is|are) (?:left|missing|still open)(?: to (?:be )?\w+)?(?::|\.?$)|→ (?:\S+ ){0,3}(?:prints?|clean|ok|pass(?:es|ed)?|works?)\b`)
	chapter   = cue.One(`(?i)^(?:new |added |updated |more )?(?:unit |integration )?(?:tests?|docs?|documentation|readme|changelog|comments?|lint(?:ing)?|formatting|imports?|cleanup)\b[^:]{0,20}:|^(?:removed|deleted|cleaned up) (?:the )?(?:duplicate|unused|dead|redundant|leftover|stale|debug)\b`)
	recounts  = cue.One(`(?i)^(?:(?:and|but|so|well|yeah|hm+)[, ]+)*(?:i(?:'ve| have| had| was| just| get| got| see| saw| tried| noticed)\b|this is (?:a|the|an|not)\b|it'?s (?:a|hard|the|not|still|just|weird|strange|also)\b|(?:the )?idea was\b|i (?:guess|think|wonder|assume|don'?t (?:know|see|think|understand))\b|(?:scrolling|clicking|typing|running|opening|starting) )|\bi guess\b|\b(?:it|that|this|they) still [a-z]+\b|\bstill (?:doesn'?t|does not|fails|not working|broken|see|get)\b`)
	wantsWork = cue.One(`(?i)^(?:i|we)(?:'d| would)? (?:want|need|like|wanna)(?: you)? to (?:achieve|share|see|build|make|start|test|try|know|understand|learn|get|collaborate|work)\b`)
	flatNo    = cue.One(`(?i)^(?:the )?[^\s,;:]+(?: [^\s,;:]+){0,3}[,:]? (?:no way|no thanks|nope|not an option|out of the question)[.!]*$`)
	contrast  = cue.One(`(?i)^(?:before|after|old|new|example|e\.g\.?|was|now)\s?:`)
	inTests   = cue.One(`(?i)^(?:the |this |a |new |added |updated )?(?:unit |integration )?tests? (?:case|that|for|creates?|verif|check|now|cover|assert|use)`)
)

// Excluded tells whether a candidate can't be an item of a kind.
func (c *Candidate) Excluded(kind payload.Kind) bool {
	if c.says != nil {
		return c.says.kind != kind
	}
	text := strings.ReplaceAll(c.part.Text, "’", "'")
	titled := c.pick != nil && c.pick.picked && c.pick.title != ""
	if kind == payload.Decision && !titled && strings.HasSuffix(strings.TrimRight(c.part.Raw, "*_ "), ":") || contrast.MatchString(text) {
		return true // it leads to what isn't quoted
	}
	switch kind {
	case payload.Decision:
		if c.sp.user {
			if c.mate != nil && c.Text == c.mate.Text && c.mate.Excluded(kind) || idleQuestion(c.part) {
				return true
			}
			if recounts.MatchString(text) || wantsWork.MatchString(text) || flatNo.MatchString(text) {
				return true
			}
			return c.goal || remark.MatchString(text) || errand.MatchString(c.Text) && !talkCues.has("instead", strings.ToLower(text)) && !talkCues.has("only", strings.ToLower(text))
		}
		return usage.MatchString(c.part.Heading) || stateOfWork.MatchString(text) || aboutToDo.MatchString(text) || inTests.MatchString(text) || process.MatchString(text) || describes.MatchString(text) || finding.MatchString(text) || chapter.MatchString(text) || suppose.MatchString(text) || c.ofFile() || c.micro()
	case payload.Eliminated, payload.Flag:
		return stateOfWork.MatchString(text) || aboutToDo.MatchString(text) || c.goal
	}
	return c.goal
}

// barred tells whether a candidate is no item of a kind though its words may
// be those of one: what is excluded, and what led to nothing.
func (c *Candidate) barred(kind payload.Kind) bool {
	if c.part.chosen && kind == payload.Decision && (c.says == nil || c.sp.user) {
		return true // it is one already
	}
	if kind == payload.Decision && !c.sp.user && c.says == nil && c.sp.asks != nil && c.sp.asks.exchange == c.sp.exchange && c.sp.asks.took() && !c.part.cues().any("instead", "now", "default", "dont") {
		return true // the report of a course that was taken: how, not what
	}
	if c.pick != nil && c.pick.lost && kind == payload.Decision && c.says == nil {
		return true
	}
	if c.says == nil && kind == payload.Decision && !c.sp.user && c.part.Block == listItem && fields(c.Text, 8) <= 7 && c.pick == nil && c.mate == nil &&
		!c.part.cues().any("instead", "change", "remove", "add", "keep", "dont", "only", "default", "did") {
		return true // a heading of a list, not a choice
	}
	if c.says == nil && kind == payload.Decision && !c.sp.user && c.pick == nil && len(strings.Fields(c.Text)) <= 4 {
		return true // too little to tell what it is about
	}
	if c.says == nil && kind == payload.Decision && !c.sp.user && strings.HasSuffix(strings.TrimRight(c.part.Raw, "*_ "), "!") {
		return true // a greeting, a cheer
	}
	return c.Excluded(kind) || c.says == nil && kind == payload.Decision && !c.sp.user && c.idle()
}

// usage matches headings of what tells how to use a thing.
var usage = cue.One(`(?i)\b(?:usage|how to|launch|run it|try it|to use|quick ?start|getting started|commands?|shortcuts?|key ?bind(?:ing)?s?|examples?|installation|ways to)\b`)

// idle tells whether an assistant's statement led to nothing: no work in its
// exchange or the next, nothing that was picked or said yes to.
func (c *Candidate) idle() bool {
	r := c.sp.reaction
	return !c.sp.work && c.pick == nil && (r == nil || r.mood == objects || !r.work)
}

// idleQuestion tells a question from a wish put as one.
func idleQuestion(s *sentence) bool {
	return strings.HasSuffix(strings.TrimSpace(s.Raw), "?") && !politeAsk.MatchString(s.Text) && !suggests.MatchString(s.Text) &&
		!s.cues().any("request", "lets", "guess", "should", "want", "imperative")
}

// micro tells whether a candidate is one of a list of edits that their diff
// tells better: "added the parameter x to f()".
func (c *Candidate) micro() bool {
	if !isMicro(c.part) {
		return false
	}
	n := 0
	for i := range c.sp.parts {
		if isMicro(&c.sp.parts[i]) {
			n++
		}
	}
	return n >= 3
}

func isMicro(s *sentence) bool {
	return s.Block == listItem && s.cues().has("did") && !s.cues().any("instead", "because") && microEdit.MatchString(s.Raw)
}

// ofFile tells whether a candidate is a line of a summary about one file.
func (c *Candidate) ofFile() bool {
	words := strings.Fields(c.part.Text)
	if c.part.Block != listItem || len(words) == 0 {
		return false
	}
	return looksLikePath(strings.Trim(words[0], "`:,")) || len(words) > 1 && looksLikePath(strings.Trim(words[1], "`:,")) && talkCues.has("did", strings.ToLower(words[0]))
}

// took tells whether an answer takes what was offered; see replied.
func (sp *speech) took() bool {
	for i := range sp.parts {
		if sp.parts[i].chosen {
			return true
		}
	}
	return false
}
