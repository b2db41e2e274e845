package offline

import (
	"math"
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// A Candidate is a statement that may become an item, with what is known of
// it. The models in weights.json tell from its features what kind it is, if any.
type Candidate struct {
	Text     string
	Why      string
	Features []Feature // in order; 0 where missing

	sp       *speech
	part     *sentence
	pick     *pick   // how a reply bears on it, nil if none does
	says     *saying // what it states outright, nil if nothing
	rare     rarity  // of the talk's words
	goal     bool    // it stands in the session's goal
	words    terms   // keywords of wordsOf, which was its text; see keys
	wordsOf  string
	full     *Candidate // the report's full statement of it, nil if none
	proposal *sentence  // of the closing message that a typed answer takes its content from, nil if none
	mate     *Candidate // what the other side said of the same in the same exchange, nil if nothing
}

// keys are the keywords of its text, which pair may reword.
func (c *Candidate) keys() terms {
	switch {
	case c.wordsOf == c.Text:
	case c.part != nil && c.part.More == "" && sameWords(c.Text, c.part.Text):
		c.words, c.wordsOf = c.part.keys(), c.Text
	default:
		c.words, c.wordsOf = keywords(c.Text), c.Text
	}
	return c.words
}

// sameWords tells whether two texts surely have the same words: they differ in
// what stands behind the last, and in the first letter's size.
func sameWords(a, b string) bool {
	n := min(len(a), len(b))
	if n < 2 || a[1:n] != b[1:n] || a[0] != b[0] && (a[0]|0x20 != b[0]|0x20 || !isLetter(a[0]) || a[1] < 'a' || a[1] > 'z') {
		return false
	}
	return strings.Trim(a[n:], ".,:; ") == "" && strings.Trim(b[n:], ".,:; ") == ""
}

// candidates lists the statements of a talk that may be worth keeping: the
// sentences that people typed, and those of the assistant's reports.
func candidates(t *talk) []*Candidate {
	var out []*Candidate
	for _, sp := range t.speeches {
		if !sp.user && !sp.report() {
			continue
		}
		picks := picksOf(sp)
		sp.suggests = sp.user && suggestion.MatchString(sp.text)
		for i := range sp.parts {
			s := &sp.parts[i]
			if sp.foreign(s) || !worthReading(s, sp) {
				continue
			}
			c := &Candidate{sp: sp, part: s, pick: picks[i]}
			c.Text, c.Why = phrase(sp, s)
			if c.pick != nil && c.pick.picked && len(keywords(c.pick.title)) > 0 {
				c.Text = shorten(c.pick.title + ": " + lowerFirst(c.Text))
			}
			c.says = outright(c)
			c.standAlone()
			if c.leansBack() {
				c.fromProposal()
			}
			least := 3
			if c.says != nil && c.says.kind == payload.Next {
				least = 2 // "Add backups"
			}
			if fields(c.Text, least) < least {
				continue
			}
			out = append(out, c)
		}
	}
	markGoal(t, out)
	names, f := t.echoes.words, &noted{}
	for _, c := range out {
		c.rare = names
		c.Features = features(f, t, c, names)
	}
	pair(out, names)
	full := fullForms(out)
	for _, c := range out {
		c.full = restated(c, full)
	}
	return out
}

// pair finds for each candidate what the other side said of the same in its
// exchange: the wish to what was done, the report to what was asked for.
func pair(all []*Candidate, rare rarity) {
	by := map[int][]*Candidate{}
	for _, c := range all {
		by[c.sp.exchange] = append(by[c.sp.exchange], c)
	}
	for _, c := range all {
		best := 0.25
		for _, o := range by[c.sp.exchange] {
			if o.sp.user == c.sp.user || !o.sp.user && !o.sp.closing {
				continue
			}
			wish, done := c, o
			if o.sp.user {
				wish, done = o, c
			}
			if x := wish.part.weighed(done.part.keys(), rare); x > best && len(wish.part.keys()) >= 2 {
				best, c.mate = x, o
			}
		}
	}
	for _, c := range all {
		if c.mate != nil && c.sp.user && c.says == nil && c.proposal == nil && c.leans() {
			c.Text = c.mate.Text
			if c.Why == "" {
				c.Why = c.mate.Why
			}
		}
	}
}

var pronoun = cue.One(`(?i)\b(?:it|this|that|them|those|these|one|there|here|both|same)\b`)

// leans is leansOn of the candidate's text.
func (c *Candidate) leans() bool {
	n := len(c.keys())
	return n < 2 || n < 5 && pronoun.MatchString(c.Text)
}

// leansOn tells whether a typed sentence can't be understood alone.
func leansOn(text string) bool {
	n := few(text, 5)
	return n < 2 || n < 5 && pronoun.MatchString(text)
}

// standAlone words what is stated outright so that it can be read by itself: what
// "this change" is that somebody refuses, what failed without what follows from
// it, a way round a trap without what it was used for.
func (c *Candidate) standAlone() {
	switch {
	case c.says == nil:
	case c.says.kind == payload.Flag:
		if m := workaround.FindStringSubmatch(c.Text); m != nil && len(keywords(m[1])) >= 4 {
			c.Text = tidy(m[1])
		}
	case !c.sp.user:
	case c.says.kind == payload.Eliminated:
		if head := follows.ReplaceAllString(c.Text, ""); head != c.Text && len(keywords(head)) >= 4 {
			c.Text = tidy(head)
		}
	case c.sp.refused != nil && thisChange.MatchString(c.Text):
		if what := strings.TrimSuffix(undertaking(c.sp.turn, c.sp.refused), " (refused)"); what != "" {
			c.Text = shorten(tidy(strings.TrimRight(c.Text, ". ") + ": " + lowerFirst(what)))
		}
	}
}

var (
	workaround = cue.One(`\((with [^()]*\bto (?:bypass|work around|get around|sidestep)\b[^()]*)\)`)
	follows    = cue.One(`(?i),? so (?:i|we|let'?s|lets|then)\b.*$`)
	thisChange = cue.One(`(?i)\b(?:this|that|the) (?:change|edit|fix|one|file|command|step)\b|\b(?:do|make|change|touch|run|add|commit) (?:it|that|this|them)\b`)
)

// markGoal marks what the session's goal was read from.
func markGoal(t *talk, all []*Candidate) {
	for _, it := range t.goals {
		for _, c := range all {
			if c.sp.user && string(c.sp.turn.ID) == it.Evidence[0].Turn && share(c.part.keys(), keywords(it.Text)) > 0.8 {
				c.goal = true
			}
		}
	}
}

// report tells whether an assistant's message says something to its reader:
// the last before the person speaks, or one long enough not to be narration.
func (sp *speech) report() bool {
	return sp.closing || len(sp.text) >= 250 || len(sp.parts) >= 3
}

// features describes a candidate by who speaks, where it stands, what its
// words are and what came of it.
func features(f *noted, t *talk, c *Candidate, names rarity) []Feature {
	sp, s := c.sp, c.part
	f.set(asSpoken.of(sp), 1)
	said := s.cues()
	if strings.Contains(s.Text, "’") {
		straight := talkCues.in(strings.ToLower(strings.ReplaceAll(s.Text, "’", "'")))
		said = &straight
	}
	said.note(f, sp)
	if s.More != "" {
		told := talkCues.in(strings.ToLower(s.More))
		for name, more := range asMore {
			f.on(more.of(sp), told.has(name))
		}
	}
	placeFeatures(f, sp, s)
	shapeFeatures(f, c)
	reactionFeatures(f, sp, c)
	headingFeatures(f, sp, s)
	askFeatures(f, t, c, names, said)
	if c.says != nil {
		f.set(asSays[c.says.kind], 1)
	}
	sessionFeatures(f, t, c, names)
	listFeatures(f, c)
	return f.list()
}

func asIndex(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// directs tells whether typed words say what is to be: a wish, an order, a
// choice, not a mere question or a wish to look at something.
func directs(s *said) bool {
	return !s.any("look", "asks-info") && s.any(directing...)
}

var directing = []string{"lets", "request", "imperative", "want", "should", "instead", "keep", "dont", "go-with", "default", "only", "called"}

// microEdit tells a change of code that its diff tells better.
var microEdit = cue.One("(?i)`[^`]*\\([^`]*\\)`|\\b(?:field|import|param(?:eter)?|argument|func(?:tion)?|helper|method|variable|struct|tuple|constant|signature|call|type|regex|line|block)s?\\b")

// askFeatures set a statement beside what the person asked for in the same exchange.
func askFeatures(f *noted, t *talk, c *Candidate, names rarity, said *said) {
	if c.sp.user {
		d := directs(said)
		f.on(asDirects, d)
		f.on(asDirectsWork, d && c.sp.work)
		f.on(asDirectsShort, d && c.part.Of <= 3)
		f.on(asDirectsNamed, d && (strings.ContainsAny(c.part.Raw, "`\"") || len(namesIn(c.part.Raw, 1)) > 0))
		f.on(asAnswersDirectly, c.sp.reacts != nil && endsAsking(c.sp.reacts) && c.part.Index == 0 && !said.has("asks-info"))
		return
	}
	mine := c.part.keys()
	var all, directive float64 // how much of what was asked for the sentence has
	for _, o := range t.exchange(c.sp.exchange) {
		if !o.user {
			continue
		}
		f.on(asPromptShort, len(o.text) < 60)
		f.on(asPromptYes, o.mood == accepts)
		f.on(asPromptNo, o.mood == objects)
		f.on(asPromptPasted, len(o.text) > 1200)
		for i := range o.parts {
			asked := o.parts[i].cues()
			d := o.parts[i].directs
			f.on(asPromptDirects, d)
			f.on(asPromptLooks, asked.has("look"))
			f.on(asPromptAsks, strings.HasSuffix(o.parts[i].Raw, "?") && !d)
			cover := o.parts[i].weighed(mine, names)
			if len(o.parts[i].keys()) >= 2 {
				all = max(all, cover)
				if d {
					directive = max(directive, cover)
				}
			}
		}
	}
	did := said.any("did", "i-did")
	f.on(asDidWork, did && c.sp.work && c.sp.closing)
	f.on(asDidItem, did && c.part.Block == listItem)
	f.on(asFirstAfterWork, c.sp.work && c.sp.closing && c.part.Index <= 1)
	micro := did && microEdit.MatchString(c.part.Raw)
	f.on(asMicro, micro)
	f.on(asMicroBare, micro && c.Why == "" && !said.any("instead", "because"))
	f.on(asLeadDid, did && c.part.Lead != "")
	f.on(asDetail, c.part.Block == listItem && c.part.Depth >= 2)
	f.on(asCodeFirst, strings.HasPrefix(c.part.Raw, "`"))
	f.on(asArrow, strings.Contains(c.part.Raw, "→") || strings.Contains(c.part.Raw, "->"))
	f.on(asPresentFact, !did && !said.any("now", "recommend", "will"))
	f.set(asCoversAsk, all)
	f.set(asCoversDirective, directive)
	f.set(asCrowd, math.Log1p(float64(c.part.Of))/4)
}

func placeFeatures(f *noted, sp *speech, s *sentence) {
	f.on(asFirst.of(sp), s.Index == 0)
	f.on(asSecond.of(sp), s.Index == 1)
	f.on(asLastSentence.of(sp), s.Index == s.Of-1 && s.Of > 1)
	f.on(asSole.of(sp), s.Of == 1)
	f.on(asFew.of(sp), s.Of > 1 && s.Of <= 4)
	f.on(asMany.of(sp), s.Of > 12)
	f.on(asVeryMany.of(sp), s.Of > 30)
	f.on(asItem.of(sp), s.Block == listItem)
	f.on(asNumbered.of(sp), s.Label != "")
	f.on(asNested.of(sp), s.Depth >= 2)
	f.on(asQuotation.of(sp), s.Block == quoted)
	f.on(asLead.of(sp), s.Lead != "")
	f.on(asOpens.of(sp), s.Opens && s.Block == paragraph)
	if !sp.user {
		f.on(asMidway, !sp.closing)
		f.on(asFinal, sp.last)
		f.on(asAnswerWork, sp.work)
		f.on(asAnswerTalk, !sp.work)
	} else {
		f.on(asRefusal, sp.refused != nil)
		f.on(asLongTurn, len(sp.text) > 1200)
		f.on(asOpening, sp.exchange <= 1)
		f.on(asLedToWork, sp.work)
	}
}

func shapeFeatures(f *noted, c *Candidate) {
	words, n, first := 0, 0, ""
	for w := range strings.FieldsSeq(c.Text) {
		if words++; words == 1 {
			first = w
		}
		if looksLikeName(w) {
			n++
		}
	}
	f.on(asShort.of(c.sp), words < 6)
	f.on(asLong.of(c.sp), words > 25)
	f.on(asVeryLong.of(c.sp), words > 45)
	f.set(asLogWords.of(c.sp), math.Log1p(float64(words))/3)
	raw := strings.TrimSpace(c.part.Raw)
	f.on(asQuestion.of(c.sp), strings.HasSuffix(raw, "?"))
	f.on(asColonEnd.of(c.sp), strings.HasSuffix(raw, ":"))
	f.on(asNoName.of(c.sp), n == 0)
	f.on(asSomeNames.of(c.sp), n >= 2)
	f.on(asManyNames.of(c.sp), n >= 5)
	f.on(asDash.of(c.sp), strings.Contains(c.Text, " — ") || strings.Contains(c.Text, " – "))
	f.on(asPathLead.of(c.sp), c.part.Block == listItem && looksLikePath(strings.Trim(first, "`:,")))
	f.on(asHasWhy.of(c.sp), c.Why != "")
	f.on(asQuotes.of(c.sp), strings.Contains(c.Text, `"`))
}

func reactionFeatures(f *noted, sp *speech, c *Candidate) {
	if sp.user {
		f.on(asYesOpening, sp.mood == accepts)
		f.on(asNoOpening, sp.mood == objects && sp.refused == nil)
		if r := sp.reacts; r != nil {
			f.on(asAnswersQuestion, endsAsking(r))
			f.on(asAnswersOptions, len(optionsOf(r)) >= 2)
		}
		return
	}
	if !sp.closing {
		return
	}
	if r := sp.reaction; r != nil {
		f.on(asAcceptedThenWork, sp.mood == accepts && r.work)
		f.on(asAnsweredThenWork, r.work)
		f.on(asAnsweredShort, len(r.text) < 60)
		if r.work && sp.mood == accepts {
			f.on(asProposalTaken, !sp.work && (recommends.MatchString(c.part.Text) || c.part.cues().has("will")))
		}
	}
	f.on(asAccepted, sp.mood == accepts)
	f.on(asObjected, sp.mood == objects)
	f.on(asUnanswered, sp.mood == silent)
	if c.pick != nil {
		f.on(asPicked, c.pick.picked)
		f.on(asConfirmed, c.pick.confirmed)
		f.on(asLost, c.pick.lost)
	}
	f.on(asAsks, endsAsking(sp))
}

var headingCues = cues(eitherSide,
	"h-next", `next|remaining|todo|to do|follow|pending|left`,
	"h-change", `chang|fix|implement|done|summary|what (?:i|changed)|updat|added|result|files`,
	"h-decide", `decision|design|approach|recommend|proposal|solution|plan|option|choice|rationale|why`,
	"h-problem", `problem|issue|cause|finding|bug|analysis|what happened|current|today|background|flow`,
	"h-note", `note|caveat|limit|warning|risk|edge|trade|consider|concern|important|question`,
	"h-test", `test|verif|coverage|check`,
)

func headingFeatures(f *noted, sp *speech, s *sentence) {
	if s.Heading == "" {
		return
	}
	f.set(asHeaded, 1)
	found := headingCues.in(strings.ToLower(s.Heading))
	found.note(f, sp)
}

// sessionFeatures set a candidate against the rest of the session: where it
// stands in it, how common its names are, whether it is said again or committed.
func sessionFeatures(f *noted, t *talk, c *Candidate, names rarity) {
	place := 0.0
	if t.n > 1 {
		place = float64(c.sp.exchange) / float64(t.n-1)
	}
	f.set(asLate.of(c.sp), place)
	f.on(asShortTalk.of(c.sp), t.n <= 5)
	f.on(asLongTalk.of(c.sp), t.n > 20)
	mine := c.keys()
	if len(mine) == 0 {
		return
	}
	e := t.echoes.of(c.sp, mine)
	f.set(asAskedFor.of(c.sp), e[beside][typing])
	f.set(asSaidAgain.of(c.sp), e[after][closes])
	f.set(asTakenUp.of(c.sp), e[after][typing])
	f.set(asSaidBefore.of(c.sp), max(e[before][closes], e[before][midway]))
	f.set(asReported.of(c.sp), e[beside][closes])
	top := 0.0
	for _, m := range t.commits {
		top = max(top, weighed(mine, m, names))
	}
	f.set(asCommitted.of(c.sp), top)
	rare, seldom := 0, math.Log(1+float64(len(t.speeches))/2)
	for _, w := range mine {
		if names.of(w) >= seldom {
			rare++
		}
	}
	f.set(asRare.of(c.sp), float64(rare)/float64(len(mine)))
}
