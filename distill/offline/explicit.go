package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// A saying is a way to state outright that something is decided, ruled out,
// put off or to be minded. What matches is an item whatever the models say.
type saying struct {
	name  string
	kind  payload.Kind
	who   speaker
	re    string // over the plain sentence, apostrophes straight
	where func(sp *speech, s *sentence) bool
}

type speaker int

const (
	person speaker = iota
	report         // an assistant's message that reports
	closer         // the assistant's last before the person speaks
	finale         // the closing message of the session
)

func say(name string, kind payload.Kind, who speaker, re string, where func(*speech, *sentence) bool) saying {
	return saying{name, kind, who, `(?i)` + re, where}
}

// sayings are tried in order; the first that matches counts. Their measured
// precision is in precision.json.
var sayings = []saying{
	// under a heading that says what they are
	say("headed-decided", payload.Decision, closer, `.`, under(`^(?:decided|decisions?(?: made)?|agreed|settled|what (?:we|was) decided)$`)),
	say("headed-ruled-out", payload.Eliminated, closer, `.`, under(`^(?:ruled out|eliminated|rejected|dismissed|not (?:taken|the cause)|tried and dropped|what (?:didn't work|was ruled out)|dead ends?)$`)),
	say("headed-deferred", payload.Deferred, closer, `.`, under(`^(?:deferred|put off|later|out of scope|for later|parked|not now|postponed)$`)),
	say("headed-question", payload.Question, closer, `.`, under(`^(?:open questions?|questions?(?: for you)?|needs? (?:somebody's |your |someone's )?input|to be decided|undecided|still to decide)$`)),
	say("headed-warning", payload.Flag, closer, `.`, under(`^(?:don't forget|careful|warnings?|caveats?|gotchas?|known (?:issues|limitations)|limitations?|heads[- ]up|watch out|keep in mind|remember|risks?)$`)),
	say("question-for", payload.Question, closer, `^(?:open )?questions? (?:for|to) [^:]{2,40}:`, nil),
	say("open-question", payload.Question, closer, `^(?:open|unanswered|remaining) questions?\b[^:]{0,20}:`, nil),

	say("asked-last", payload.Question, closer, `\b(?:which|how|what|who|when|where|should|do we|do you (?:want|prefer|have|know|need)|would you (?:rather|prefer)|is it|are there|can you|does| or )\b.*\?$`, awaited),

	// put off
	say("deferred-typed", payload.Deferred, person, `\b(?:out of scope|(?:do|leave|keep|handle|fix|tackle|address) (?:that|this|it|those|these|them) (?:for )?(?:later|after|another time|next time|in a follow)|not (?:now|yet|for now|in this (?:pr|branch|release|change|version))|postpone|defer(?:red)?\b|in a (?:follow-?up|later|separate|different|next) (?:pr|issue|branch|change|ticket|release|session|step)|(?:put|note|log|add) (?:it|that|this) (?:down )?as an? (?:todo|issue|ticket)|some other time|another day|revisit|put (?:it|that|this) off|leave (?:it|that|this|them|the [\w ]{2,30}?) (?:out )?for (?:now|later|the next)|(?:but|maybe|then) later|later, not|not before (?:the|we|that)|for the next (?:round|version|release|time)|let'?s decide (?:that |this |it )?(?:in|later|after|when|once))\b`, assertive),
	say("deferred-report", payload.Deferred, closer, `^(?:deferred|put off|noted as a task|left for later|out of scope|postponed|parked|not now|follow-?ups?|for later|todo later|future work)\b[^:]{0,20}:|\b(?:is|are|was|stays?|were) (?:deferred|postponed|parked|left for (?:later|a follow-?up)|out of scope)\b|\bleft (?:it|that|this|them) (?:out|for later|for a follow-?up)\b|\bskip(?:ped|ping)? .{2,60}\bfor (?:now|this round|this pr)\b|\bworth a follow-?up\b`, noOption),

	// ruled out
	say("ruled-out", payload.Eliminated, report, `^(?:ruled? out|eliminated|rejected|dismissed|discarded|tried and dropped|not taken|not the (?:cause|issue|problem|culprit))\b[^:]{0,30}:|^[^,;]{3,70} w(?:as|ere) (?:tried and )?(?:dropped|not taken|abandoned|turned down|given up)\b|\b(?:is|are) (?:out|no way out|not an option)\b ?[,:;—–]|\bdrops? out\b ?[,:;—–]|\b(?:ruled out|rules out|red herring|dead end|false alarm|(?:is|was|are|were)(?: not|n't) (?:actually )?(?:the|a) (?:cause|culprit|root cause|reason|trigger))\b`, nil),
	say("not-the-cause", payload.Eliminated, report, `^(?:so )?(?:it|this|that)(?:'s| is| was)(?: not|n't)(?: actually)? (?:(?:the|a|an) (?:cause|culprit|root cause|reason|source|trigger)\b|(?:caused|because|related)\b|the \w+(?: \w+){0,2}[:;—–,])`, nil),
	say("is-not-so", payload.Eliminated, report, `(?:\bby itself is|["”’] ?(?:is|—|–|-)|\bclaim(?:s|ed)?\b.{0,60}(?:is|was|—)|\bconcern is|\bassumption (?:is|was)) (?:not\b|wrong|false|incorrect|inaccurate|theoretical|not accurate|unfounded)|— not accurate`, nil),
	say("unable", payload.Eliminated, report, `^(?:unfortunately,? |the (?:issue|problem|catch) (?:is|here is) that |no[,—–-] ?)?(?:[^\s.,;:!?]+ ){1,5}(?:doesn't|does not|do not|don't|can't|cannot) (?:actually |automatically |even |really )?(?:provide|support|respect|allow|expose|offer|be (?:scoped|restricted|limited|used|done|detected|distinguished)|guarantee|handle)\b`, closingOrMid),
	say("would-be-worse", payload.Eliminated, closer, `\b(?:would either|would (?:break|lose|defeat|double|bloat|silently)|only works if .{5,120}(?:isn't|not the case|can't)|without .{5,60}, (?:we|you|it) can(?:'t|not))\b`, standing),
	say("did-not-work", payload.Eliminated, report, `\b(?:didn't|did not|doesn't|won't|wouldn't|can't|cannot|could not|couldn't) (?:work|help|fix it|solve it|be used|scale)\b.{0,20}\b(?:because|since|as|:|—|–|;)`, nil),
	say("turned-out", payload.Eliminated, report, `\bturn(?:s|ed) out (?:not |to be (?:wrong|false|unnecessary|impossible|slower|worse)|that .{3,80}\b(?:not|n't|no)\b)`, nil),
	say("reverted-because", payload.Eliminated, report, `^(?:i |we |so |then |this was |it was )*(?:reverted|rolled back|backed out|abandoned|gave up on|withdrew|undid)\b.{3,120}\b(?:because|since|as|due to|:|—|–|;)`, nil),
	say("skipped-with-reason", payload.Eliminated, closer, `^(?:skipped|declined|not taken|not applied|rejected|dismissed|ignored|left out|no change)\b.{0,80}(?:—|–|:|because|since)`, nil),
	say("flawed-replaced", payload.Eliminated, closer, `^(?:the )?(?:invalid|incorrect|wrong|flawed|misleading|unsafe)\b.{3,80}\b(?:was|were|has been|have been|is)\b.{0,20}\b(?:removed|dropped|replaced)\b`, nil),
	say("fails-other-works", payload.Eliminated, person, `\b(?:error|fails?|failed|times? out|timeout|crash(?:es)?|breaks)\b.{0,40}[,;] (?:but |while |and )?.{1,40}\b(?:works?|is fine|is ok|passes|worked)\b`, assertive),
	say("typed-not-the-cause", payload.Eliminated, person, `\b(?:doesn't mean|does not mean|not the (?:cause|issue|problem|reason)|can't be|cannot be|isn't (?:the|it|related)|is not (?:the|related)|rules out|ruled out|that's not (?:the|it|why)|wasn't (?:the|that))\b`, assertive),
	say("typed-does-not-work", payload.Eliminated, person, `\b(?:doesn't work|does not work|won't work|didn't work|can't work|not an option|(?:is|are) the wrong (?:place|way|approach|tool|idea)|has the (?:issue|problem)|would (?:break|lose)|too (?:strict|slow|complex|complicated|risky|expensive|much|broad|fragile))\b`, complains),

	// decided
	say("chosen-over", payload.Decision, person, `\b(?:use|take|make|keep|go with|choose|prefer|do|have|put|store|write|call|name|show|display|sort|save|send|ship|start|deploy|host|measure|render|publish)\b.{2,120}(?:\binstead of\b|\brather than\b|, not\b|\bnot the\b|\bover\b|\binstead\b)`, assertive),
	say("go-with", payload.Decision, person, `\b(?:let's|lets|let us|i'd|we'd|i would|we would|i'll|we'll|we will|i will)(?: just| rather| then| now)? (?:go (?:with|for)|stick (?:with|to)|use|keep|drop|skip|opt for|settle on|leave|replace|remove|rename|move|migrate|switch)\b|\b(?:we|i|i'm|we're)(?: are| am)? (?:go|going) (?:with|for)\b|^(?:(?:then|ok|so|no|and|yes)[, ]+)*we (?:drop|take|use|keep|switch to|stay with|stick (?:with|to))\b`, assertive),
	say("keep", payload.Decision, person, `^(?:(?:ok(?:ay)?|yes|no|makes sense|fine|then|so|and|good|right)[,. ]+)*(?:keep|leave|stay with|stick (?:to|with)) (?:the|it|that|them|our|this|at)\b.{3,}`, replies),
	say("decided", payload.Decision, person, `\b(?:(?:we|i)(?:'ve| have)? (?:decided|agreed|settled|chose|picked)|decision(?: is)?:|change (?:in|of) plans?)\b`, assertive),
	say("taken-back", payload.Decision, person, `\b(?:i take (?:that|it) back|on second thoughts?|scratch that|changed my mind)\b.{12,}`, assertive),
	say("person-rule", payload.Decision, person, `^(?:(?:and|but|also|ok|so|note|remember)[, ]+)*(?:we|you|they|the \w+)(?: \w+)? (?:only|always|never|must(?: not)?|should (?:only|always|never|not|be)|shouldn't|may not)\b|^(?:(?:and|but|also|ok|so|note)[, ]+)*(?:it|this|that|everything|all \w+) (?:has|have|needs?) to (?:be|stay|work|run|fit|remain|keep)\b`, assertive),
	say("corrects", payload.Decision, person, `^(?:(?:then|and|so|but|no|please|just)[, ]+)*(?:use|take|put|go with|make it|keep|store|call it|name it|switch to|do (?:it|this|that|them))\b.{6,}`, afterNo),
	say("only-so", payload.Decision, person, `^(?:(?:and|but|also|ok|so|note|remember)[, ]+)*(?:\S+ ){1,3}(?:only|always|never) (?:go(?:es)?|runs?|happens?|deploys?|comes?|gets?|uses?|takes?|has|have|is|are|be|writes?|reads?|talks?|sends?|ships?|lives?|works?) .{4,}`, standsAlone),
	say("do-not", payload.Decision, person, `\b(?:let's|let us) not\b.{4,}|(?:^|[,;.] |\bno |\bbut |\band |\bplease |\bso )(?:do not|don't|never) (?:use|add|change|make|create|set|touch|remove|include|store|write|show|call|rename|commit|push|do|put|allow|log|send|break|introduce|support|build|start|delete|drop|edit|modify|overwrite|merge|deploy|replace|move|disable)\b`, notProcess),
	say("i-want", payload.Decision, person, `\b(?:i|we)(?:'d| would)? (?:want|prefer|like|rather)(?: to| that| it| the)?\b.{8,}`, firmWish),
	say("decided-report", payload.Decision, closer, `^(?:decided|decision|agreed|settled|resolution|chosen|we decided|going with|choice)\b[^:]{0,40}:`, nil),
	say("now-instead", payload.Decision, closer, `\b(?:now|switched|changed|moved|replaced|replaces|uses?)\b.{2,140}\b(?:instead of|rather than|no longer)\b|\bno longer\b.{2,100}\b(?:now|instead)\b`, fromWork),

	say("replaces", payload.Decision, closer, `.`, replacesSomething),
	say("lead-instead", payload.Decision, closer, `\b(?:instead of|rather than)\b`, headedChoice),

	// minded
	say("warning", payload.Flag, report, `^(?:careful|caution|warning|caveat|gotcha|heads[- ]up|beware|watch out|be aware|keep in mind|one caveat|known (?:issue|limitation)|limitation|important|don't forget|remember|mind)\b[^.]{0,40}[:—–]`, nil),
	say("the-catch", payload.Flag, report, `\b(?:the catch|one gotcha|one caveat|be aware that|beware that|keep in mind that|note that|the downside is)\b.{12,}`, closingOnly),

	say("before-that", payload.Flag, report, `\bmust (?:already |first )?(?:be|exist|have)\b.{3,80}\b(?:before|first|prior to)\b|\bwill (?:fail|break|not work|be lost|be overwritten)\b.{0,60}\b(?:if|unless|until|when|without|above|below)\b|\b(?:if|unless|until|when|without|above|below)\b.{3,80}\bwill (?:fail|break|not work|be lost|be overwritten)\b`, closingOnly),
	say("left-alone", payload.Flag, closer, `^(?:note: |the )?(?:pre-?existing|unrelated)\b|\b(?:pre-?existing|not part of this (?:branch|pr|change)|unrelated to (?:this|the|my|our) )`, nil),
	say("works-no-longer", payload.Flag, closer, `^[^.]{5,80}\bno longer (?:works?|accepted|supported|available|valid)\b|^anyone (?:scripting|using|who|with|relying)\b`, nil),
	say("mismatch", payload.Flag, closer, `^[^,;]{5,80}, but (?:your|our|the) (?:config|configuration|setup|script|version|machine|environment|workflow|pipeline)\b.{0,10}\b(?:has|have|uses?|needs?|requires?|expects?|sets?|is)\b`, nil),
	say("worked-around", payload.Flag, closer, `\bto (?:bypass|work around|get around|sidestep) (?:the |an? |your )?(?:[\w-]+ ){0,2}(?:local|unrelated|existing|known|broken|global)\b`, nil),
	say("same-elsewhere", payload.Flag, closer, `\balso .{5,80}\bsame (?:problem|issue|bug|flaw|mistake|pattern)\b`, nil),
	say("lies-elsewhere", payload.Flag, closer, `^(?:so )?(?:that's|this is|it's|that is) not (?:a |an |our |your )?[^,;.]{2,40} (?:issue|bug|problem|fault|error)\b ?(?:—|–|-|,|;|:) ?(?:it's|it is|but|the)\b`, nil),
	say("to-be-removed", payload.Flag, closer, `\b(?:should|must|needs? to|has to|have to) be (?:removed|reverted|cleaned up|deleted|undone|switched off|disabled) (?:after|once|when|before|again)\b`, nil),

	// what is held to be the cause
	say("the-cause", payload.Hypothesis, closer, `^(?:root )?cause:|^(?:so |ok |confirmed[:,]? |found it[:.,]? )?(?:the )?(?:root |real |actual )?(?:cause|culprit) (?:is|was)\b.{8,}|^(?:so |ok |confirmed[:,]? )?(?:the )?(?:root |real |actual )(?:cause|culprit|reason)\b[^.]{0,40}(?: is| was|:)|\b(?:that is|that's|is) the (?:root |real |actual )?cause\b`, telling),

	// to do
	say("next-step", payload.Next, closer, `^(?:the )?(?:next(?: steps?| up| action)?|remaining|still to do|todo|left to do|follow-?ups?)(?: when (?:you're )?ready| for you| from here)?(?: is|:| —| –)|^worth (?:a|an) (?:nudge|ping|look|check|follow-?up|note|test|try|second)\b`, nearEnd),
	say("for-you", payload.Next, closer, `^(?:for|on|in|before|after) (?:the|your|our|each) [^,]{3,60}, (?:set|run|configure|add|update|bump|pass|enable|create|install|export) .{8,}`, lastWordsOnWork),
	say("open-trap", payload.Flag, closer, `\b(?:fails?|off limits|must not|cannot|can't|won't|isn't safe|not safe)\b`, underNext),
	say("next-list", payload.Next, closer, `.`, underNext),
	say("offer", payload.Next, closer, `^(?:do you )?(?:want me to|should i|shall i|would you like me to|do you want me to)\b`, lastWords),
	say("still-open", payload.Next, closer, `\b(?:is|are) still (?:open|to do|missing|pending|left)\b|\bstill (?:needs? to|has to|have to|to be done)\b|\bremains? to be\b|\byou(?:'ll| will)? (?:still )?(?:need|have) to\b`, lastWords),

	// how far it is
	say("state", payload.Status, closer, `\b(?:committed|uncommitted|pushed|merged|not (?:yet )?(?:committed|pushed|merged|implemented|deployed|tested|released)|nothing (?:was |is |has been )?(?:committed|pushed)|no pr (?:exists|yet)|pr #?\d+|deployed|released)\b`, doneAndNot),
}

// assertive leaves out questions, and what stands in long pasted texts.
func assertive(sp *speech, s *sentence) bool {
	return !strings.HasSuffix(strings.TrimSpace(s.Raw), "?") && s.Block != quoted && len(sp.text) < 2500 && !isntIt.MatchString(s.straight())
}

// isntIt matches a question without its mark: "the wish is moot now, isn't it".
var isntIt = cue.One(`(?i)(?:\b(?:is|was)\b|'s\b).*\b(?:is|was)n'?t (?:it|he|she|that|there)\W*$`)

// afterNo asks that the words follow a "no" to what the assistant did or proposed.
func afterNo(sp *speech, s *sentence) bool {
	return assertive(sp, s) && (sp.reacts != nil || sp.refused != nil) && len(sp.text) < 400 && opensNo.MatchString(strings.ToLower(strings.TrimSpace(sp.text)))
}

// standsAlone leaves out what leans on what was said before, or recounts.
func standsAlone(sp *speech, s *sentence) bool {
	return assertive(sp, s) && !vague.MatchString(s.Text) && !recounts.MatchString(s.Text)
}

var vague = cue.One(`(?i)^(?:(?:and|but|so)[, ]+)*(?:like|there|i|it|that|this|which|he|she)\b`)

// notProcess leaves out what only says how to go on just now.
func notProcess(sp *speech, s *sentence) bool {
	return assertive(sp, s) && !howToGoOn.MatchString(s.Text)
}

var howToGoOn = cue.One(`(?i)\b(?:don't|do not|don’t) (?:write|change|touch|do|commit|push|start|make) (?:any |the )?(?:code|anything|changes?|it|yet)\b`)

// replies asks that the person answers the assistant, and asserts.
func replies(sp *speech, s *sentence) bool {
	return (sp.reacts != nil || sp.refused != nil) && assertive(sp, s) && len(s.keys()) >= 3
}

// orderForm matches an order to take something up: what is wrong behind it is
// wrong with what that takes the place of.
var orderForm = cue.One(`(?i)^(?:(?:then|so|ok|okay|and|please|just|no|yes|instead)[,. ]+)*(?:let's |let us |lets |we |we'll )?(?:replace|use|take|switch|go (?:with|for)|move|migrate|swap|make|keep|write|try)\b`)

// complains asks that the person answers with what is wrong, not with an order.
func complains(sp *speech, s *sentence) bool {
	return replies(sp, s) && !orderForm.MatchString(s.Text)
}

func firmWish(sp *speech, s *sentence) bool {
	low := strings.ToLower(s.Text)
	return assertive(sp, s) && (sp.refused != nil || strings.Contains(low, "default") || strings.Contains(low, " only ") || strings.Contains(low, " not ") || strings.Contains(low, "prefer") || strings.Contains(low, "rather"))
}

// replacesSomething asks for a list item that goes on to say what it replaces.
func replacesSomething(sp *speech, s *sentence) bool {
	return unopposed(sp, s) && s.Block == listItem && s.Depth < 2 && replacing.MatchString(s.More)
}

// headedChoice asks for a list item under its own bold name, in a report of work.
func headedChoice(sp *speech, s *sentence) bool {
	return unopposed(sp, s) && s.Lead != "" && s.Depth < 2 && noOption(sp, s) && sp.work && len(alternatives(s.Text)) > 0 && !figures.MatchString(s.Text)
}

// figures matches what reports a measurement.
var figures = cue.One(`(?i)^(?:measured|results?|tested|verified|before|performance|numbers?|bench\w*)\b|\b(?:instead of|rather than) [\d.,]+\b`)

func fromWork(sp *speech, s *sentence) bool {
	return sp.work && sp.mood != objects && !strings.Contains(s.Text, "you should") && !strings.Contains(s.Text, "you'll")
}

// closingOrMid leaves out lists of what is so: there it is a property, not a finding.
func closingOrMid(sp *speech, s *sentence) bool {
	return s.Block == paragraph && !strings.Contains(s.Text, "issue was") && !strings.Contains(s.Text, "problem was")
}

func closingOnly(sp *speech, s *sentence) bool { return sp.closing }

// noOption leaves out what is merely one of several courses offered.
func noOption(sp *speech, s *sentence) bool {
	for _, o := range optionsOf(sp) {
		if &sp.parts[o.part] == s {
			return false
		}
	}
	return true
}

// unopposed leaves out what the person then spoke against.
func unopposed(sp *speech, s *sentence) bool { return sp.mood != objects }

// under asks for list items and sentences below a heading.
func under(heading string) func(*speech, *sentence) bool {
	re := cue.One(`(?i)` + heading)
	return func(sp *speech, s *sentence) bool {
		h := strings.TrimSpace(strings.ReplaceAll(s.Heading, "’", "'"))
		return h != "" && len(sp.parts) > 1 && sp.mood != objects && s.Depth < 2 && re.MatchString(h)
	}
}

// telling asks that a cause be named, not merely announced.
func telling(sp *speech, s *sentence) bool { return unopposed(sp, s) && len(s.keys()) >= 4 }

// standing leaves out what leans on the sentence before it.
func standing(sp *speech, s *sentence) bool { return !leaning.MatchString(s.Text) }

var leaning = cue.One(`(?i)^(?:however|but|so|then|and|this|that|it|these|those)\b`)

// underNext tells whether a list item stands under a heading of what is to come.
func underNext(sp *speech, s *sentence) bool {
	return lastWords(sp, s) && s.Block == listItem && s.Depth < 2 && nextHeading.MatchString(s.Heading)
}

var nextHeading = cue.One(`(?i)^(?:the )?(?:suggested |recommended |possible |open |remaining )?(?:next(?: steps?| up| actions?)?|open|not done|to-?dos?|remaining(?: work| steps| items| tasks)?|still (?:to do|open|left)|left to do|follow-?ups?|what'?s (?:left|next)|open (?:items|tasks|points))\b`)

// awaited asks for a question at the end of the session that only a person can
// answer: no offer, no courtesy.
func awaited(sp *speech, s *sentence) bool {
	return sp.last && s.Index >= s.Of-2 && strings.HasSuffix(strings.TrimRight(s.Raw, "*_ "), "?") &&
		!offerAsk.MatchString(s.Text) && !courtesy.MatchString(s.Text) && (len(s.keys()) >= 3 || s.Index > 0 && len(sp.parts[s.Index-1].keys()) >= 4)
}

var courtesy = cue.One(`(?i)\b(?:anything else|any questions|make sense|sounds? (?:good|right|ok)|want me|shall i|should i|ready|let me know|look good|looks? right|like me to|can i help|help you|would you like|what would you like|what's next|what do you think|next\?|proceed|go ahead|happy with|for you\?|work for you)\b`)

// doneAndNot asks that the session's last message speaks of what is done and
// of what is not.
func doneAndNot(sp *speech, s *sentence) bool { return sp.last && notDone.MatchString(sp.text) }

var notDone = cue.One(`(?i)\bnot (?:yet )?(?:been )?(?:pushed|committed|merged|implemented|deployed|tested|released|done|started|run|finished|wired|complete)\b|\buncommitted\b|\bno pr\b|\bstill (?:open|missing|pending|needs?|to do|left|fails?|failing)\b|\b(?:remaining|left to do|todo|blocked|pending)\b|\b(?:haven't|hasn't|isn't|wasn't)\b|\bnothing (?:is|was|has been) (?:committed|pushed|deployed)`)

// nearEnd asks that it was said in one of the last messages, and nothing of it
// reported as done since.
func nearEnd(sp *speech, s *sentence) bool {
	return sp.toCome <= 4 && sp.mood != objects && !offerAsk.MatchString(s.Text) && !strings.HasSuffix(s.Raw, "?") && (sp.last || sp.toCome > 0 && sp.reaction != nil && !sp.reaction.work)
}

// lastWordsOnWork asks that it stands in one of the last messages, after work.
func lastWordsOnWork(sp *speech, s *sentence) bool { return sp.work && nearEnd(sp, s) }

// lastWords asks that nothing was done about it afterwards in the session.
func lastWords(sp *speech, s *sentence) bool { return sp.last }

var inQuotes = cue.One(`"[^"]{3,}"|“[^”]{3,}”`)

// spoken are the sayings of one sort of speaker, asked for in one pass.
type spoken struct {
	sayings []*saying
	set     *cue.Set
}

// spokenBy are the sayings that count of each sort of speaker.
var spokenBy = func() (by [finale + 1]spoken) {
	for who := range by {
		var patterns []string
		for i := range sayings {
			if s := &sayings[i]; s.who == speaker(who) || s.who != person && s.who < speaker(who) {
				by[who].sayings = append(by[who].sayings, s)
				patterns = append(patterns, s.re)
			}
		}
		by[who].set = cue.MustCompile(patterns...)
	}
	return by
}()

// speaker tells of which sort a speech's speaker is.
func (sp *speech) speaker() speaker {
	switch {
	case sp.user:
		return person
	case sp.last:
		return finale
	case sp.closing:
		return closer
	}
	return report
}

// outright says what a candidate states outright, nil if nothing.
func outright(c *Candidate) *saying {
	text := strings.ReplaceAll(c.part.Text, "’", "'")
	if c.sp.user {
		text = inQuotes.ReplaceAllString(text, `"…"`) // what they quote is not what they say
	}
	ours := &spokenBy[c.sp.speaker()]
	said := ours.set.Match(text)
	if !said.Any() {
		return nil
	}
	for i, r := range ours.sayings {
		if said.Has(i) && (r.where == nil || r.where(c.sp, c.part)) {
			return r
		}
	}
	return nil
}
