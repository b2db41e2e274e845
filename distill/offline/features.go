package offline

import (
	"math"
	"slices"
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// A Candidate is a statement that may become an item, with what is known of
// it. The models in weights.json tell from its features what kind it is, if any.
type Candidate struct {
	Text     string
	Why      string
	Features []Feature // in order of name; 0 where missing

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

// A Feature is one thing known of a candidate.
type Feature struct {
	Name  string
	Value float64
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
			if fields(c.Text, 3) < 3 {
				continue
			}
			out = append(out, c)
		}
	}
	markGoal(t, out)
	names := t.echoes.words
	for _, c := range out {
		c.rare = names
		c.Features = features(t, c, names)
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
		if c.mate != nil && c.sp.user && c.says == nil && c.proposal == nil && leansOn(c.Text) {
			c.Text = c.mate.Text
			if c.Why == "" {
				c.Why = c.mate.Why
			}
		}
	}
}

var pronoun = cue.One(`(?i)\b(?:it|this|that|them|those|these|one|there|here|both|same)\b`)

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
func features(t *talk, c *Candidate, names rarity) []Feature {
	f := make(noted, 0, 48)
	sp, s := c.sp, c.part
	who := "a:"
	if sp.user {
		who = "u:"
	}
	on := f.on
	f.set(who, 1)
	said := s.cues()
	if strings.Contains(s.Text, "’") {
		straight := talkCues.in(strings.ToLower(strings.ReplaceAll(s.Text, "’", "'")))
		said = &straight
	}
	for i, name := range talkCues.spoken[asIndex(sp.user)] {
		if said.matches.Has(i) {
			f.set(name, 1)
		}
	}
	more := strings.ToLower(s.More)
	if more != "" {
		told := talkCues.in(more)
		for _, name := range told.all() {
			switch name {
			case "instead", "because", "flawed", "recommend", "fails", "undo":
				f.set(who+"more-"+name, 1)
			}
		}
	}
	placeFeatures(on, who, sp, s)
	shapeFeatures(&f, on, who, c)
	reactionFeatures(on, who, sp, c)
	headingFeatures(on, s)
	askFeatures(&f, on, t, c, names, said)
	if c.says != nil {
		f.set("says-"+string(c.says.kind), 1)
	}
	sessionFeatures(&f, on, who, t, c, names)
	listFeatures(&f, who, c)
	return f.inOrder()
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
func askFeatures(f *noted, on func(who, name string, yes bool), t *talk, c *Candidate, names rarity, said *said) {
	if c.sp.user {
		d := directs(said)
		on("", "u:directs", d)
		on("", "u:directs-work", d && c.sp.work)
		on("", "u:directs-short", d && c.part.Of <= 3)
		on("", "u:directs-named", d && (strings.ContainsAny(c.part.Raw, "`\"") || len(about(c.part.Raw)) > 0))
		on("", "u:answers-directly", c.sp.reacts != nil && endsAsking(c.sp.reacts) && c.part.Index == 0 && !said.has("asks-info"))
		return
	}
	mine := c.part.keys()
	var all, directive float64 // how much of what was asked for the sentence has
	for _, o := range t.exchange(c.sp.exchange) {
		if !o.user {
			continue
		}
		on("", "a:prompt-short", len(o.text) < 60)
		on("", "a:prompt-yes", o.mood == accepts)
		on("", "a:prompt-no", o.mood == objects)
		on("", "a:prompt-pasted", len(o.text) > 1200)
		for i := range o.parts {
			asked := o.parts[i].cues()
			d := o.parts[i].directs
			on("", "a:prompt-directs", d)
			on("", "a:prompt-looks", asked.has("look"))
			on("", "a:prompt-asks", strings.HasSuffix(o.parts[i].Raw, "?") && !d)
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
	on("", "a:did-work", did && c.sp.work && c.sp.closing)
	on("", "a:did-item", did && c.part.Block == listItem)
	on("", "a:first-after-work", c.sp.work && c.sp.closing && c.part.Index <= 1)
	micro := did && microEdit.MatchString(c.part.Raw)
	on("", "a:micro", micro)
	on("", "a:micro-bare", micro && c.Why == "" && !said.any("instead", "because"))
	on("", "a:lead-did", did && c.part.Lead != "")
	on("", "a:detail", c.part.Block == listItem && c.part.Depth >= 2)
	on("", "a:code-first", strings.HasPrefix(c.part.Raw, "`"))
	on("", "a:arrow", strings.Contains(c.part.Raw, "→") || strings.Contains(c.part.Raw, "->"))
	on("", "a:present-fact", !did && !said.any("now", "recommend", "will"))
	f.set("a:covers-ask", all)
	f.set("a:covers-directive", directive)
	f.set("a:crowd", math.Log1p(float64(c.part.Of))/4)
}

func placeFeatures(on func(who, name string, yes bool), who string, sp *speech, s *sentence) {
	on(who, "first", s.Index == 0)
	on(who, "second", s.Index == 1)
	on(who, "last-sentence", s.Index == s.Of-1 && s.Of > 1)
	on(who, "sole", s.Of == 1)
	on(who, "few", s.Of > 1 && s.Of <= 4)
	on(who, "many", s.Of > 12)
	on(who, "very-many", s.Of > 30)
	on(who, "item", s.Block == listItem)
	on(who, "numbered", s.Label != "")
	on(who, "nested", s.Depth >= 2)
	on(who, "quotation", s.Block == quoted)
	on(who, "lead", s.Lead != "")
	on(who, "opens", s.Opens && s.Block == paragraph)
	if !sp.user {
		on("", "a:midway", !sp.closing)
		on("", "a:final", sp.last)
		on("", "a:answer-work", sp.work)
		on("", "a:answer-talk", !sp.work)
	} else {
		on("", "u:refusal", sp.refused != nil)
		on("", "u:long-turn", len(sp.text) > 1200)
		on("", "u:opening", sp.exchange <= 1)
		on("", "u:led-to-work", sp.work)
	}
}

func shapeFeatures(f *noted, on func(who, name string, yes bool), who string, c *Candidate) {
	words, n, first := 0, 0, ""
	for w := range strings.FieldsSeq(c.Text) {
		if words++; words == 1 {
			first = w
		}
		if looksLikeName(w) {
			n++
		}
	}
	on(who, "short", words < 6)
	on(who, "long", words > 25)
	on(who, "very-long", words > 45)
	f.set(who+"log-words", math.Log1p(float64(words))/3)
	raw := strings.TrimSpace(c.part.Raw)
	on(who, "question", strings.HasSuffix(raw, "?"))
	on(who, "colon-end", strings.HasSuffix(raw, ":"))
	on(who, "no-name", n == 0)
	on(who, "some-names", n >= 2)
	on(who, "many-names", n >= 5)
	on(who, "dash", strings.Contains(c.Text, " — ") || strings.Contains(c.Text, " – "))
	on(who, "path-lead", c.part.Block == listItem && looksLikePath(strings.Trim(first, "`:,")))
	on(who, "has-why", c.Why != "")
	on(who, "quotes", strings.Contains(c.Text, `"`))
}

func reactionFeatures(on func(who, name string, yes bool), who string, sp *speech, c *Candidate) {
	if sp.user {
		on("", "u:yes-opening", sp.mood == accepts)
		on("", "u:no-opening", sp.mood == objects && sp.refused == nil)
		if r := sp.reacts; r != nil {
			on("", "u:answers-question", endsAsking(r))
			on("", "u:answers-options", len(optionsOf(r)) >= 2)
		}
		return
	}
	if !sp.closing {
		return
	}
	if r := sp.reaction; r != nil {
		on("", "a:accepted-then-work", sp.mood == accepts && r.work)
		on("", "a:answered-then-work", r.work)
		on("", "a:answered-short", len(r.text) < 60)
		if r.work && sp.mood == accepts {
			on("", "a:proposal-taken", !sp.work && (recommends.MatchString(c.part.Text) || c.part.cues().has("will")))
		}
	}
	on("", "a:accepted", sp.mood == accepts)
	on("", "a:objected", sp.mood == objects)
	on("", "a:unanswered", sp.mood == silent)
	if c.pick != nil {
		on("", "a:picked", c.pick.picked)
		on("", "a:confirmed", c.pick.confirmed)
		on("", "a:lost", c.pick.lost)
	}
	on("", "a:asks", endsAsking(sp))
}

var headingCues = cues(
	"h-next", `next|remaining|todo|to do|follow|pending|left`,
	"h-change", `chang|fix|implement|done|summary|what (?:i|changed)|updat|added|result|files`,
	"h-decide", `decision|design|approach|recommend|proposal|solution|plan|option|choice|rationale|why`,
	"h-problem", `problem|issue|cause|finding|bug|analysis|what happened|current|today|background|flow`,
	"h-note", `note|caveat|limit|warning|risk|edge|trade|consider|concern|important|question`,
	"h-test", `test|verif|coverage|check`,
)

func headingFeatures(on func(who, name string, yes bool), s *sentence) {
	h := strings.ToLower(s.Heading)
	on("", "headed", h != "")
	if h != "" {
		found := headingCues.in(h)
		for _, name := range found.all() {
			on("", name, true)
		}
	}
}

// sessionFeatures set a candidate against the rest of the session: where it
// stands in it, how common its names are, whether it is said again or committed.
func sessionFeatures(f *noted, on func(who, name string, yes bool), who string, t *talk, c *Candidate, names rarity) {
	place := 0.0
	if t.n > 1 {
		place = float64(c.sp.exchange) / float64(t.n-1)
	}
	f.set(who+"late", place)
	on(who, "short-talk", t.n <= 5)
	on(who, "long-talk", t.n > 20)
	mine := c.keys()
	if len(mine) == 0 {
		return
	}
	e := t.echoes.of(c.sp, mine)
	f.set(who+"asked-for", e[beside][typing])
	f.set(who+"said-again", e[after][closes])
	f.set(who+"taken-up", e[after][typing])
	f.set(who+"said-before", max(e[before][closes], e[before][midway]))
	f.set(who+"reported", e[beside][closes])
	top := 0.0
	for _, m := range t.commits {
		top = max(top, weighed(mine, m, names))
	}
	f.set(who+"committed", top)
	rare, seldom := 0, math.Log(1+float64(len(t.speeches))/2)
	for _, w := range mine {
		if names.of(w) >= seldom {
			rare++
		}
	}
	f.set(who+"rare", float64(rare)/float64(len(mine)))
}

// noted are features as they are found; of one noted twice the last counts.
type noted []Feature

func (n *noted) set(name string, value float64) { *n = append(*n, Feature{name, value}) }

// on notes what holds; who is before its name where that counts.
func (n *noted) on(who, name string, yes bool) {
	if yes {
		n.set(who+name, 1)
	}
}

// inOrder gives those that aren't 0 in order of name.
func (n noted) inOrder() []Feature {
	slices.SortStableFunc(n, func(a, b Feature) int { return strings.Compare(a.Name, b.Name) })
	out := n[:0]
	for i, f := range n {
		if f.Value != 0 && (i+1 == len(n) || n[i+1].Name != f.Name) {
			out = append(out, f)
		}
	}
	return out
}
