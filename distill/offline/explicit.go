package offline

import (
	"regexp"
	"strings"

	"recall/payload"
)

// A saying is a way to state outright that something is decided, ruled out,
// put off or to be minded. What matches is an item whatever the models say.
type saying struct {
	name  string
	kind  payload.Kind
	who   speaker
	re    *regexp.Regexp // over the plain sentence, apostrophes straight
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
	return saying{name, kind, who, regexp.MustCompile(`(?i)` + re), where}
}

// sayings are tried in order; the first that matches counts. Their measured
// precision is in precision.json.
var sayings = []saying{
	// put off
	say("deferred-typed", payload.Deferred, person, `\b(?:out of scope|(?:do|leave|keep|handle|fix|tackle|address) (?:that|this|it|those|these|them) (?:for )?(?:later|after|another time|next time|in a follow)|not (?:now|yet|for now|in this (?:pr|branch|release|change|version))|postpone|defer(?:red)?\b|in a (?:follow-?up|later|separate|different|next) (?:pr|issue|branch|change|ticket|release|session|step)|(?:put|note|log|add) (?:it|that|this) (?:down )?as an? (?:todo|issue|ticket)|some other time|another day|revisit)\b`, assertive),
	say("deferred-report", payload.Deferred, closer, `^(?:deferred|left for later|out of scope|postponed|parked|not now|follow-?ups?|for later|todo later|future work)\b[^:]{0,20}:|\b(?:is|are|was|stays?|were) (?:deferred|postponed|parked|left for (?:later|a follow-?up)|out of scope)\b|\bleft (?:it|that|this|them) (?:out|for later|for a follow-?up)\b|\bskip(?:ped|ping)? .{2,60}\bfor (?:now|this round|this pr)\b|\bcan (?:be )?revisit|\bworth a follow-?up\b`, nil),

	// ruled out
	say("ruled-out", payload.Eliminated, report, `^(?:ruled? out|eliminated|rejected|dismissed|discarded|not the (?:cause|issue|problem|culprit))\b[^:]{0,30}:|\b(?:ruled out|rules out|red herring|dead end|false alarm|(?:is|was|are|were)(?: not|n't) (?:actually )?(?:the|a) (?:cause|culprit|root cause|reason|trigger))\b`, nil),
	say("not-the-cause", payload.Eliminated, report, `^(?:so )?(?:it(?:'s| is| was) not|it isn't|it wasn't|this is(?:n't| not)|that(?:'s| is) not) (?:the|a|an|caused|because|related) .{3,}`, nil),
	say("did-not-work", payload.Eliminated, report, `\b(?:didn't|did not|doesn't|won't|wouldn't|can't|cannot|could not|couldn't) (?:work|help|fix it|solve it|be used|scale)\b.{0,20}\b(?:because|since|as|:|—|–|;)`, nil),
	say("turned-out", payload.Eliminated, report, `\bturn(?:s|ed) out (?:not |to be (?:wrong|false|unnecessary|impossible|slower|worse)|that .{3,80}\b(?:not|n't|no)\b)`, nil),
	say("reverted-because", payload.Eliminated, report, `\b(?:reverted|rolled back|backed out|abandoned|dropped|gave up on|withdrew|undid)\b.{3,120}\b(?:because|since|as|due to|:|—|–|;)`, nil),
	say("skipped-with-reason", payload.Eliminated, closer, `^(?:skipped|declined|not taken|not applied|rejected|dismissed|ignored|left out|no change)\b.{0,80}(?:—|–|:|because|since)`, nil),
	say("typed-not-the-cause", payload.Eliminated, person, `\b(?:doesn't mean|does not mean|not the (?:cause|issue|problem|reason)|can't be|cannot be|isn't (?:the|it|related)|is not (?:the|related)|rules out|ruled out|that's not (?:the|it|why)|wasn't (?:the|that))\b`, assertive),
	say("typed-does-not-work", payload.Eliminated, person, `\b(?:doesn't work|does not work|won't work|didn't work|can't work|not an option|the (?:issue|problem) (?:is|with .{2,40} is)|has the (?:issue|problem)|would (?:break|lose)|too (?:strict|slow|complex|complicated|risky|expensive|much|broad|fragile))\b`, replies),

	// decided
	say("chosen-over", payload.Decision, person, `\b(?:use|take|make|keep|go with|choose|prefer|do|have|put|store|write|call|name)\b.{2,120}(?:\binstead of\b|\brather than\b|, not\b|\bnot the\b|\bover\b|\binstead\b)`, assertive),
	say("go-with", payload.Decision, person, `\b(?:let's|lets|let us|we|i|i'd|we'd|i'll|we'll|would)(?: just| rather| then| now)? (?:go(?:ing)? (?:with|for)|stick (?:with|to)|use|keep|drop|skip|opt for|settle on|take|leave)\b`, assertive),
	say("decided", payload.Decision, person, `\b(?:(?:we|i)(?:'ve| have)? (?:decided|agreed|settled|chose|picked)|decision(?: is)?:|change (?:in|of) plans?)\b`, assertive),
	say("person-rule", payload.Decision, person, `^(?:(?:and|but|also|ok|so|note|remember)[, ]+)*(?:we|you|it|they|this|that|there|the \w+)(?: \w+)? (?:only|always|never|must(?: not)?|should (?:only|always|never|not|be)|shouldn't|may not)\b`, assertive),
	say("do-not", payload.Decision, person, `(?:^|[,;.] |\bbut |\band |\bplease |\bso )(?:do not|don't|never) (?:use|add|change|make|create|set|touch|remove|include|store|write|show|call|rename|commit|push|do|put|allow|log|send|break|introduce|support|build|start)\b`, assertive),
	say("i-want", payload.Decision, person, `\b(?:i|we)(?:'d| would)? (?:want|prefer|like|rather)(?: to| that| it| the)?\b.{8,}`, firmWish),
	say("decided-report", payload.Decision, closer, `^(?:decided|decision|agreed|settled|resolution|chosen|we decided|going with|choice)\b[^:]{0,40}:`, nil),
	say("now-instead", payload.Decision, closer, `\b(?:now|switched|changed|moved|replaced|replaces|uses?)\b.{2,140}\b(?:instead of|rather than|no longer)\b|\bno longer\b.{2,100}\b(?:now|instead)\b`, fromWork),

	// minded
	say("warning", payload.Flag, report, `^(?:careful|caution|warning|caveat|gotcha|heads[- ]up|beware|watch out|be aware|keep in mind|one caveat|known (?:issue|limitation)|limitation|important)\b[^.]{0,40}[:—–]`, nil),
	say("the-catch", payload.Flag, report, `\b(?:the catch|one gotcha|one caveat|be aware that|beware that|keep in mind that|note that|the downside is)\b.{12,}`, closingOnly),

	// to do
	say("next-step", payload.Next, closer, `^(?:the )?(?:next(?: steps?| up| action)?|remaining|still to do|todo|left to do|follow-?up)(?: is|:| —| –)`, lastWords),
}

// assertive leaves out questions, and what stands in long pasted texts.
func assertive(sp *speech, s *sentence) bool {
	return !strings.HasSuffix(strings.TrimSpace(s.Raw), "?") && s.Block != quoted && len(sp.text) < 2500
}

// replies asks that the person answers the assistant, and asserts.
func replies(sp *speech, s *sentence) bool {
	return (sp.reacts != nil || sp.refused != nil) && assertive(sp, s)
}

func firmWish(sp *speech, s *sentence) bool {
	low := strings.ToLower(s.Text)
	return assertive(sp, s) && (sp.refused != nil || strings.Contains(low, "default") || strings.Contains(low, " only ") || strings.Contains(low, " not ") || strings.Contains(low, "prefer") || strings.Contains(low, "rather"))
}

func fromWork(sp *speech, s *sentence) bool { return sp.work && sp.mood != objects }

func closingOnly(sp *speech, s *sentence) bool { return sp.closing }

// lastWords asks that nothing was done about it afterwards in the session.
func lastWords(sp *speech, s *sentence) bool { return sp.last }

// outright says what a candidate states outright, nil if nothing.
func outright(c *Candidate) *saying {
	text := strings.ReplaceAll(plain(c.part.Raw), "’", "'")
	for i := range sayings {
		r := &sayings[i]
		switch r.who {
		case person:
			if !c.sp.user {
				continue
			}
		case report:
			if c.sp.user {
				continue
			}
		case closer:
			if c.sp.user || !c.sp.closing {
				continue
			}
		case finale:
			if !c.sp.last {
				continue
			}
		}
		if r.where != nil && !r.where(c.sp, c.part) {
			continue
		}
		if r.re.MatchString(text) {
			return r
		}
	}
	return nil
}
