package offline

import (
	"slices"
	"strings"

	"recall/distill/offline/cue"
)

// How people who build software talk, in classes of cues. Each is a pattern
// over a lower-case sentence; what a class is worth for a kind of item is
// learned (see weights.json), so that a class may be broad.
type classes struct {
	names  []string
	places map[string]int // of the names
	as     []sided        // the names as features
	set    *cue.Set
}

// cues makes classes of a list of names, each with its pattern; as makes a
// feature of a name.
func cues(as func(name string) sided, list ...string) *classes {
	c := &classes{places: make(map[string]int, len(list)/2)}
	var patterns []string
	for i := 0; i+1 < len(list); i += 2 {
		c.places[list[i]] = len(c.names)
		c.names, patterns = append(c.names, list[i]), append(patterns, list[i+1])
	}
	for _, name := range c.names {
		c.as = append(c.as, as(name))
	}
	c.set = cue.MustCompile(patterns...)
	return c
}

// in asks a text for all classes at once.
func (c *classes) in(text string) said { return said{c, c.set.Match(text)} }

// has tells whether a text has a cue of the class.
func (c *classes) has(name, text string) bool {
	s := c.in(text)
	return s.has(name)
}

// A said holds the classes that a text has a cue of.
type said struct {
	of      *classes
	matches cue.Matches
}

// note notes them of a speech.
func (s *said) note(f *noted, sp *speech) {
	for i, as := range s.of.as {
		f.on(as.of(sp), s.matches.Has(i))
	}
}

func (s *said) has(name string) bool {
	i, ok := s.of.places[name]
	return ok && s.matches.Has(i)
}

func (s *said) any(names ...string) bool { return slices.ContainsFunc(names, s.has) }

// cues are those of the sentence in small letters.
func (s *sentence) cues() *said {
	if s.said.of == nil {
		s.said = talkCues.in(strings.ToLower(s.Text))
		s.directs = directs(&s.said)
	}
	return &s.said
}

var talkCues = cues(eachSide,
	"go-with", `\b(?:go(?:ing)? (?:with|for)|went with|stick(?:ing)? (?:with|to)|let'?s (?:use|keep|do|make|have|drop|skip|go)|opt(?:ed)? for|settled? on|chose|choose|picked?|decid(?:e|ed|ing))\b`,
	"lets", `\blet'?s\b|\blet us\b`,
	"instead", `\binstead(?: of)?\b|\brather than\b|\bin favou?r of\b|\bin place of\b|\bas opposed to\b|\bnot (?:a|an|the|via|by|through|with)\b`,
	"change", `\b(?:renam|replac|mov|switch|swap|migrat|convert|chang|split|merg|inlin|extract|redirect|consolidat)(?:e|ed|es|ing|ping|ted|t|s)?\b`,
	"remove", `\b(?:remov|delet|drop|strip|skip|discard|omit|exclud|get rid|disabl)(?:e|ed|es|ing|ped|ping|s|ped)?\b|\bno longer\b|\bgone\b`,
	"add", `\b(?:add|creat|introduc|support|implement|includ|new)(?:e|ed|es|ing|s)?\b`,
	"keep", `\b(?:keep|kept|keeps|leave|left|stays?|remains?|preserv(?:e|ed|es)|unchanged|untouched|as is)\b`,
	"dont", `\b(?:don'?t|do not|never|shouldn'?t|should not|must not|mustn'?t|no need|avoid|without|isn'?t|won'?t)\b`,
	"should", `\b(?:should|must|has to|have to|needs? to|ought|required?|requires?)\b`,
	"want", `\bi(?:'d| would)? (?:want|like|prefer|rather|love|expect)\b|\bwe (?:want|need|would like|should|could|can)\b`,
	"request", `^(?:(?:ok|okay|and|then|now|so|yes|also|maybe|please)[, ]+)*(?:can|could|would) (?:we|you|u)\b|\bplease\b`,
	"imperative", `^(?:(?:ok|okay|and|then|now|so|yes|also|maybe|please)[, ]+)*(?:add|use|make|keep|remove|drop|rename|move|change|put|set|show|store|write|update|create|replace|revert|swap|switch|skip|leave|include|exclude|return|allow|treat|fix|implement|do|go|delete|hide|print|split|merge|log|run|commit|push)\b`,
	"default", `\bdefaults?\b|\bopt[- ](?:in|out)\b|\bfallback|\bprecedence\b`,
	"only", `\bonly\b|\balways\b|\bnever\b|\bexactly\b|\beach\b|\bevery\b|\bper\b`,
	"now", `\bnow\b|\bfrom now on\b|\bno longer\b|\bwas\b.*\bnow\b|→|->`,
	"recommend", `\brecommend|\bmy (?:pick|vote|preference|suggestion|instinct|lean|take)\b|\bi'?d (?:go|suggest|keep|prefer|lean|use|say|rather|drop|skip|pick|start)\b|\bsuggest|\bpropos|\bcleanest\b|\bbest (?:option|approach)\b`,
	"will", `\bi'?ll\b|\bi will\b|\bwe'?ll\b|\bgoing to\b|\bplan(?:ning)? to\b`,
	"because", `\bbecause\b|\bsince\b|\bso that\b|\bdue to\b|\bto avoid\b|\bwhich (?:means|avoids|keeps|lets|makes|would)\b|\bthe reason\b|\bthat way\b|\bmatch(?:es|ing)\b|\bconsistent\b`,
	"option", `\boptions?\b|\balternativ|\bapproach(?:es)?\b|\bchoice\b|\btrade-?offs?\b|\beither\b|\bvs\.?\b`,
	"design", `\bdesign\b|\barchitectur|\bdecision|\bpolicy\b|\bcontract\b|\bsemantics?\b|\bby design\b|\bintentional|\bdeliberate|\bon purpose\b|\bexplicit`,
	"scope", `\bscope\b|\bfor now\b|\blater\b|\bfollow[- ]?ups?\b|\bfuture\b|\bnot now\b|\bpostpone|\bdefer|\brevisit|\bdown the (?:road|line)\b|\bsome ?day\b|\beventually\b|\bseparate (?:pr|issue|ticket|change|commit|task)\b|\bnice to have\b|\bwait until\b|\btodo\b|\bonce we\b`,
	"ruled-out", `\bruled? out\b|\brules out\b|\bnot the (?:cause|issue|problem|culprit|reason|case)\b|\b(?:isn'?t|wasn'?t|not) (?:the|a|an|caused|related|relevant|valid|true|right|correct|accurate|possible|needed|necessary|worth|enough)\b|\bturn(?:s|ed) out\b|\bfalse (?:alarm|positive|lead)\b|\bred herring\b|\bdead end\b`,
	"fails", `\b(?:didn'?t|doesn'?t|does not|did not|won'?t|will not|wouldn'?t|can'?t|cannot|can not|couldn'?t) (?:\w+ )?(?:work|help|fix|solve|support|respect|handle|apply|hold|match|need|reach|be|have|know|see|read|detect|find|use|scale|fit|make)`,
	"undo", `\brevert|\brolled? back|\bback(?:ed)? out\b|\bundo|\babandon|\bgave up\b|\bgiven up\b|\breject|\bdeclin|\bwithdr|\bdismiss|\boverrul|\bdiscard`,
	"flawed", `\bproblem (?:with|is)\b|\bissue (?:with|is)\b|\bdownside|\bdrawback|\bbreaks?\b|\bbroken\b|\btoo (?:strict|broad|slow|complex|risky|invasive|much|many|fragile|loose|narrow|big|expensive)\b|\boverkill\b|\btheoretical\b|\bfragile\b|\bwrong\b|\bincorrect\b|\binvalid\b|\binaccurate\b|\bmisleading\b|\bnot true\b|\bfalse\b|\blos(?:e|es|ing|t)\b|\bfriction\b`,
	"warning", `\bnote(?: that)?\b|\bcaveat|\bcareful|\bbeware\b|\bwarning\b|\bheads[- ]?up\b|\bgotcha|\bkeep in mind\b|\bbe aware\b|\bthe catch\b|\bimportant(?:ly)?\b|\blimitation|\bknown issue|\bpitfall|\brisk|\bedge case|\bcaution\b|\bwatch out\b|\bone (?:thing|edge)\b`,
	"constraint", `\bonly works?\b|\bonly if\b|\bonly when\b|\bunless\b|\buntil\b|\brequires?\b|\bdepends? on\b|\blimit(?:s|ed)?\b|\bas long as\b|\bwill (?:fail|break|reject|lose|be lost)\b|\bcan't be\b|\bnot (?:yet )?(?:supported|possible|guaranteed|available|atomic)\b`,
	"leftover", `\bpre-?existing\b|\bunrelated\b|\bstill\b|\bremain|\bleftover|\bnot (?:yet|part of|touched|covered)\b|\boutside\b|\bseparately\b`,
	"next", `\bnext steps?\b|\bnext:|\bwant me to\b|\bshould i\b|\bshall i\b|\bwould you like\b|\blet me know\b|\bif you want\b|\bif you'?d like\b|\byou (?:can|could|may|should|might|need to|will need|'ll need) (?:now|want to|then|also)?\b|\bready to\b|\bremaining\b|\bstill (?:need|to do|todo|open|pending)\b|\bleft to do\b|\bto do\b|\bnext time\b|\bworth a\b`,
	"status", `\btests? (?:all )?pass|\ball (?:tests|checks|green|clean|pass)|\bcommitted\b|\bpushed\b|\bmerged\b|\buncommitted\b|\bpr #?\d|\blint\b|\bbuilds?\b|\bverified\b|\ball done\b|\bcomplete[d]?\b|\bimplemented\b|\bstaged\b|\bready\b`,
	"guess", `\blikely\b|\bprobably\b|\bsuspect|\bmight be\b|\bmay be\b|\bcould be\b|\bseems?\b|\bappears?\b|\bperhaps\b|\bpresumably\b|\btheory\b|\bhypothes|\bi (?:think|believe|guess|wonder|assume)\b|\bmaybe\b`,
	"cause", `\broot cause|\bcaused? by\b|\bthe (?:cause|culprit|reason|trigger|bug|real)\b|\bexplains?\b|\bthat'?s why\b|\bbecause of\b|\btriggers?\b`,
	"narration", `^(?:let me|let's (?:see|check|look|verify|run)|now (?:let me|i|the|update|add|check|fix|run|for)|i'll (?:start|check|look|read|first|now|run|verify|search|update|add)|i (?:need|see|can see|now|have|found|understand)|looking|checking|running|reading|first,? (?:let|i)|next,? (?:let|i)|good[,.!]|great[,.!]|perfect[,.!]|all (?:tests|clean|good|green))\b|\blet me\b`,
	"did", `^(?:added|updated|removed|changed|created|fixed|renamed|replaced|moved|implemented|refactored|wired|extracted|dropped|switched|introduced|converted|simplified|deleted|bumped|documented|rewrote|adjusted|ensured|made|kept|left|reverted|threaded|gated|wrapped|applied|set|done)\b`,
	"i-did", `\bi(?:'ve| have)? (?:added|updated|removed|changed|created|fixed|renamed|replaced|moved|implemented|kept|left|used|made|wrote|put|switched|did)\b`,
	"you", `\byou(?:r|'re|'ve|'ll|'d)?\b`,
	"asked", `\bas you (?:asked|wanted|requested|said|suggested|wished)\b|\bper your\b|\byou (?:asked|said|wanted|explicitly|chose|decided|requested|approved)\b|\bthe user\b`,
	"test", `\btests?\b|\bassert|\bcoverage\b|\bspec\b`,
	"docs", `\breadme\b|\bdocs?\b|\bdocument|\bchangelog\b|\bcomments?\b`,
	"git", `\bcommit|\bbranch|\brebase\b|\bpr\b|\bpull request\b|\bmerge\b|\bpush\b`,
	"asks-info", `^(?:(?:ok|okay|and|but|so|hm+|wait|then)[, ]+)*(?:how|what|why|where|when|who|which|is|are|does|do|did|was|were|has|have|am|any|shouldn'?t|isn'?t|doesn'?t|won'?t)\b`,
	"look", `\b(?:check|look (?:at|into)|review|explain|understand|investigate|analy[sz]e|verify|research|find out|figure out|take a look|have a look|see if|help me|tell me|show me|go through|walk me)\b`,
	"conditional", `\bif\b|\bwhen\b|\bin case\b`,
	"names-loser", `\b(?:instead of|rather than|in place of|replac(?:es|ed|ing)|no longer|over)\b|, not\b`, // what was chosen and what it replaces
	"number", `\b\d[\d.,_]*k?\b`,
	"called", `\bcalled\b|\bnamed?\b|\blabel|\bprefix|\bwording\b|\btitle\b`,
	"we-do", `\bwe (?:only |just |always |then |also |now )*(?:add|allow|build|call|check|clean|copy|create|cut|delete|drop|fail|fetch|go|ignore|import|keep|leave|look|make|merge|move|name|pick|prefer|push|put|read|remove|rename|replace|run|save|search|send|set|share|show|skip|start|stay|stick|stop|store|switch|take|treat|use|wait|write)\b`,
	"will-be", `\b(?:will|would|should|must|can) (?:only |always |never |just |still |not )*be\b|\b(?:is|are|be) (?:only |always |never |just |still |now )*(?:stored|kept|set|called|named|shown|used|created|deleted|removed|treated|allowed|required|optional|disabled|enabled|skipped|ignored|rejected|fatal|mutually)\b`,
	"on-purpose", `\b(?:stays?|keeps?|kept|remains?|left (?:as|untouched|alone|out)|untouched|unchanged|avoid(?:s|ed|ing)?|on purpose|intentional(?:ly)?|deliberate(?:ly)?|by design|explicit(?:ly)?)\b`,
	"aside-why", `\([^()]*\b(?:not|no|since|so|instead|avoid\w*|was|kept|because|to)\b[^()]*\)`,
)

// Reactions, told from how a person's words open.
var (
	opensYes = cue.One(`^(?:yes|yep|yeah|yup|ya|ok|okay|oki|k|sure|sounds? (?:good|great|right)|go(?: ahead| for it)?|do (?:it|that|so|both|all)|please do|perfect|great|good|nice|cool|correct|right|agreed?|exactly|lgtm|looks? good|it'?s (?:perfect|good|fine|great)|its (?:perfect|good)|works?|fine|all good|thanks|thank you|let'?s|lets|that (?:works|sounds)|makes sense|love it|awesome|alright|approved?|proceed|continue|both)\b`)
	opensNo  = cue.One(`^(?:(?:ok|hm+|ah|oh|and|yeah|yes)[, ]+)?(?:no|nope|nah|wait|stop|but|actually|not|don'?t|hm+|this is (?:wrong|not)|that'?s (?:wrong|not|incorrect)|that is (?:wrong|not)|why (?:do|did|are|would)|wrong|i (?:don'?t|didn'?t|disagree|meant)|it (?:doesn'?t|does not|didn'?t|still)|still|undo|revert|or no|change (?:in|of) plans?|sorry|never ?mind|are you sure|isn'?t|shouldn'?t|doesn'?t|wouldn'?t)\b`)
)
