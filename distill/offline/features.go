package offline

import (
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// byClass are the features of a sentence's cues: a number for each class.
type byClass []feature

func eachClass(before string) byClass {
	var out byClass
	for _, name := range cueNames {
		out = append(out, numbered(before+name))
	}
	return out
}

func (n *noted) classes(by byClass, set cueSet) {
	for ; set != 0; set &= set - 1 {
		n.set(by[bits.TrailingZeros64(uint64(set))], 1)
	}
}

// Whose cues: the sentence's own, by who speaks, and those of what stands around it.
var (
	ownCues    = [2]byClass{eachClass("a:"), eachClass("u:")}
	beforeCues = eachClass("before:") // of the sentence before
	afterCues  = eachClass("after:")
	headCues   = eachClass("head:")
	roundCues  = [2]byClass{eachClass("a:passage:"), eachClass("u:passage:")} // of the other sentences of its passage
	// of what the person said to it, or it answers
	replyCues = eachClass("reply:")
)

func on(names ...string) (out []feature) {
	for _, n := range names {
		out = append(out, numbered(n))
	}
	return out
}

var (
	asSource = on("typed", "refusal", "message", "plan", "commit", "summary")
	asWork   = on("a:work", "u:work")
	asLone   = on("a:lone", "u:lone")
	asFew    = on("a:few", "u:few")
	asMany   = on("a:many", "u:many")
	asFirst  = on("a:first", "u:first")
	asSecond = on("a:second", "u:second")
	asFinal  = on("a:final", "u:final") // sentence of the message
	asOpens  = on("a:opens", "u:opens")
	asBlock  = [2][]feature{on("a:paragraph", "a:item", "a:quoted", "a:row"),
		on("u:paragraph", "u:item", "u:quoted", "u:row")}
	asNumber  = on("a:numbered", "u:numbered")
	asNested  = on("a:nested", "u:nested")
	asLead    = on("a:lead", "u:lead")
	asAsks    = on("a:asks", "u:asks")
	asColon   = on("a:colon", "u:colon")
	asShort   = on("a:short", "u:short")
	asLong    = on("a:long", "u:long")
	asVeryLon = on("a:very-long", "u:very-long")
	asLength  = on("a:length", "u:length")
	asKeys    = on("a:keys", "u:keys")
	asNames   = on("a:names", "u:names")
	asNoName  = on("a:no-name", "u:no-name")
	asNumbers = on("a:digits", "u:digits")
	asPath    = on("a:path-first", "u:path-first")
	asArrow   = on("a:arrow", "u:arrow")
	asDash    = on("a:dash", "u:dash")
	asQuotes  = on("a:quotes", "u:quotes")
	asHeaded  = on("a:headed", "u:headed")
	asPlace   = on("a:place", "u:place")
	asEarly   = on("a:early", "u:early")
	asEnd     = on("a:end", "u:end") // of the session
	asRare    = on("a:rare", "u:rare")

	asClosing    = numbered("closing")
	asLastWord   = numbered("last-word")
	asMidway     = numbered("midway")
	asLongText   = numbered("long-text")
	asPastedText = numbered("pasted-text")
	asShortTalk  = numbered("short-talk")
	asLongTalk   = numbered("long-talk")
	asReplied    = numbered("replied")
	asReplyShort = numbered("reply-short")
	asReplyLong  = numbered("reply-long")
	asReplyAsks  = numbered("reply-asks")
	asReplyWork  = numbered("reply-work")
	asYesWork    = numbered("yes-then-work")
	asReplySaid  = numbered("reply-said")
	asAnswers    = numbered("answers-question")
	asAnswerHead = numbered("answers-first")
	asAnswered   = numbered("words-of-answered")
	asAskedFor   = numbered("words-of-asked")
	asOrderWords = numbered("words-of-order")
	asEdited     = numbered("words-of-edited")
	asCommitted  = numbered("words-of-commit")
	asGoal       = numbered("words-of-goal")
	asNeighbour  = numbered("words-of-neighbour")
	asCentral    = numbered("words-of-message")
	asCueCount   = numbered("cues")

	asPassage    = on("a:passage-length", "u:passage-length")
	asPassageOf  = on("a:passage-of", "u:passage-of")
	asPassageAsk = on("a:passage-asks", "u:passage-asks")
	asAllAsk     = on("a:all-asks", "u:all-asks")
	asText       = on("a:text-length", "u:text-length")
	asLines      = on("a:lines", "u:lines")
	asEdits      = on("a:edits", "u:edits")
	asNoEdits    = on("a:no-edits", "u:no-edits")
	asCommits    = on("a:commits", "u:commits")
	asAnswerLen  = on("a:answer-length", "u:answer-length")
	asAnswerAsks = on("a:answer-asks", "u:answer-asks")
	asNextEdits  = on("a:next-edits", "u:next-edits")
	asShouted    = on("a:shouted", "u:shouted")
	asCodeRefs   = on("a:code-refs", "u:code-refs")
	asAddress    = on("a:address", "u:address")

	asSaid = func() (out [3][4]sided) { // where its words are said again
		for i, when := range []string{"before", "beside", "after"} {
			for j, by := range []string{"midway", "closing", "person", "record"} {
				out[i][j] = eachSide("said-" + when + "-" + by)
			}
		}
		return out
	}()
)

// features describes a candidate by who speaks, where it stands, what its words
// are and what came of it. Nothing in them is a word of some language but the
// classes of cues.
func (t *talk) features(f *noted, c *Candidate) []Feature {
	sp, s := c.sp, c.part
	side := 0
	if sp.user {
		side = 1
	}
	f.set(asSource[sp.source], 1)
	f.classes(ownCues[side], s.cues)
	f.set(asCueCount, float64(bits.OnesCount64(uint64(s.cues)))/5)
	t.place(f, c, side)
	shape(f, c, side)
	t.reaction(f, c)
	t.words(f, c, side)
	t.around(f, c, side)
	return f.list()
}

func (t *talk) place(f *noted, c *Candidate, side int) {
	sp, s := c.sp, c.part
	f.on(asWork[side], sp.work)
	f.on(asLone[side], s.of == 1)
	f.on(asFew[side], s.of > 1 && s.of <= 4)
	f.on(asMany[side], s.of > 15)
	f.on(asFirst[side], s.index == 0)
	f.on(asSecond[side], s.index == 1)
	f.on(asFinal[side], s.index == s.of-1 && s.of > 1)
	f.on(asOpens[side], s.opens)
	f.set(asBlock[side][s.block], 1)
	f.on(asNumber[side], s.numbered)
	f.on(asNested[side], s.depth >= 2)
	f.on(asLead[side], s.lead)
	if s.heading != "" {
		f.set(asHeaded[side], 1)
		f.classes(headCues, cuesIn(s.heading))
	}
	if s.index > 0 {
		f.classes(beforeCues, sp.parts[s.index-1].cues)
	}
	if s.index+1 < len(sp.parts) {
		f.classes(afterCues, sp.parts[s.index+1].cues)
	}
	f.on(asClosing, sp.closing)
	f.on(asLastWord, sp.last)
	f.on(asMidway, sp.source == message && !sp.closing)
	f.on(asLongText, len(sp.text) > 1500)
	f.on(asShortTalk, t.n <= 5)
	f.on(asLongTalk, t.n > 20)
	if t.n > 1 {
		at := float64(sp.exchange) / float64(t.n-1)
		f.set(asPlace[side], at)
		f.on(asEarly[side], sp.exchange <= 1)
		f.on(asEnd[side], sp.exchange >= t.n-2)
	}
}

func shape(f *noted, c *Candidate, side int) {
	s := c.part
	n, names, digits, first := 0, 0, 0, ""
	for w := range strings.FieldsSeq(s.text) {
		if n++; n == 1 {
			first = w
		}
		if looksLikeName(w) {
			names++
		}
		if strings.ContainsAny(w, "0123456789") {
			digits++
		}
	}
	letters := utf8.RuneCountInString(s.text)
	if letters > 12*n { // no blanks between words
		n = letters / 3
	}
	f.on(asShort[side], n < 6)
	f.on(asLong[side], n > 25)
	f.on(asVeryLon[side], n > 45)
	f.set(asLength[side], math.Log1p(float64(n))/3)
	f.set(asNames[side], math.Log1p(float64(names)))
	f.on(asNoName[side], names == 0)
	f.on(asNumbers[side], digits > 0)
	f.on(asPath[side], s.block == listItem && looksLikePath(strings.Trim(first, "`:,")))
	end := strings.TrimRight(s.text, "`*\") ")
	f.on(asAsks[side], strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？"))
	f.on(asColon[side], strings.HasSuffix(end, ":"))
	f.on(asArrow[side], strings.Contains(s.text, "→") || strings.Contains(s.text, "->"))
	f.on(asDash[side], strings.Contains(s.text, " — ") || strings.Contains(s.text, " – ") ||
		strings.Contains(s.text, " - "))
	f.on(asQuotes[side], strings.Contains(s.text, `"`))
}

// around describes the passage that a candidate is shown in, and its exchange.
func (t *talk) around(f *noted, c *Candidate, side int) {
	sp := c.sp
	var cues cueSet
	n, asks := 0, 0
	for i := range sp.parts {
		p := &sp.parts[i]
		if p.from < c.from || p.to > c.to {
			continue
		}
		n++
		if strings.HasSuffix(p.text, "?") || strings.HasSuffix(p.text, "？") {
			asks++
		}
		if p != c.part {
			cues |= p.cues
		}
	}
	f.classes(roundCues[side], cues)
	text := sp.text[c.from:c.to]
	f.set(asPassage[side], float64(len(text))/300)
	f.set(asPassageOf[side], float64(len(text))/float64(len(sp.text)))
	f.on(asPassageAsk[side], asks > 0)
	f.on(asAllAsk[side], asks == n)
	f.set(asText[side], math.Log1p(float64(len(sp.text)))/5)
	f.set(asLines[side], math.Log1p(float64(strings.Count(sp.text, "\n"))))
	r := t.round(sp.exchange)
	f.set(asEdits[side], math.Log1p(float64(r.edits)))
	f.on(asNoEdits[side], r.edits == 0)
	f.on(asCommits[side], r.commits > 0)
	if r.closing != nil {
		f.set(asAnswerLen[side], math.Log1p(float64(len(r.closing.text)))/5)
		f.on(asAnswerAsks[side], r.closing.endsAsking())
	}
	if sp.exchange+1 < len(t.rounds) {
		f.on(asNextEdits[side], t.rounds[sp.exchange+1].edits > 0)
	}
	upper, refs := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] >= 'A' && text[i] <= 'Z' {
			upper++
		}
		if text[i] == ':' && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
			refs++
		}
	}
	f.on(asShouted[side], 2*upper > len(text))
	f.on(asCodeRefs[side], refs > 0)
	f.on(asAddress[side], strings.Contains(text, "://"))
}

// reaction is what the person said to a message, and what a person's words answer.
func (t *talk) reaction(f *noted, c *Candidate) {
	sp := c.sp
	if sp.user {
		if r := sp.reacts; r != nil {
			f.on(asAnswers, r.endsAsking())
			f.on(asAnswerHead, r.endsAsking() && c.part.index == 0)
			f.set(asAnswered, weighed(c.part.keys(), r.allKeys(), t.echoes.words))
		}
		return
	}
	r := sp.reaction
	if r == nil {
		return
	}
	f.set(asReplied, 1)
	f.classes(replyCues, r.opening())
	f.on(asReplyShort, len(r.text) < 60)
	f.on(asReplyLong, len(r.text) > 400)
	f.on(asReplyAsks, r.endsAsking())
	f.on(asReplyWork, r.work)
	f.on(asYesWork, r.work && r.opening().has(cueYes) && !r.opening().has(cueNo))
	f.set(asReplySaid, weighed(c.part.keys(), r.allKeys(), t.echoes.words))
}

// words sets a candidate's words against those of the rest of the session.
func (t *talk) words(f *noted, c *Candidate, side int) {
	mine, rare := c.part.keys(), t.echoes.words
	f.set(asKeys[side], math.Log1p(float64(len(mine))))
	if len(mine) == 0 {
		return
	}
	e := t.echoes.of(c.sp, mine)
	for when := range e {
		for by, x := range e[when] {
			f.set(asSaid[when][by][side], x)
		}
	}
	asked, orders := 0.0, 0.0
	if a := c.sp.asks; a != nil {
		for i := range a.parts {
			x := weighed(a.parts[i].keys(), mine, rare)
			asked = max(asked, x)
			if a.parts[i].cues.has(cueOrder | cueWant) {
				orders = max(orders, x)
			}
		}
		f.on(asPastedText, len(a.text) > 1500)
	}
	f.set(asAskedFor, asked)
	f.set(asOrderWords, orders)
	f.set(asEdited, share(mine, t.edited))
	top := 0.0
	for _, m := range t.commits {
		top = max(top, weighed(mine, m, rare))
	}
	f.set(asCommitted, top)
	f.set(asGoal, share(mine, t.goalWords()))
	near := 0.0
	for _, i := range []int{c.part.index - 1, c.part.index + 1} {
		if i >= 0 && i < len(c.sp.parts) {
			near = max(near, share(mine, c.sp.parts[i].keys()))
		}
	}
	f.set(asNeighbour, near)
	if c.part.of > 2 {
		f.set(asCentral, share(mine, c.sp.oftenKeys()))
	}
	seldom, k := math.Log(1+float64(len(t.speeches))/2), 0
	for _, w := range mine {
		if rare.of(w) >= seldom {
			k++
		}
	}
	f.set(asRare[side], float64(k)/float64(len(mine)))
}

// allKeys are the keywords of all that was said.
func (sp *speech) allKeys() terms {
	if sp.keys == nil {
		var all []word
		for i := range sp.parts {
			all = append(all, sp.parts[i].keys()...)
		}
		sp.keys = sorted(all)
	}
	return sp.keys
}

// oftenKeys are the keywords that stand in more than one of its sentences.
func (sp *speech) oftenKeys() terms {
	if sp.often == nil {
		seen := map[word]int{}
		for i := range sp.parts {
			for _, w := range sp.parts[i].keys() {
				seen[w]++
			}
		}
		sp.often = terms{}
		for w, n := range seen {
			if n > 1 {
				sp.often = append(sp.often, w)
			}
		}
		sp.often = sorted(sp.often)
	}
	return sp.often
}

// goalWords are the keywords of what the person first asked for.
func (t *talk) goalWords() terms {
	if t.goal == nil {
		t.goal = terms{}
		for _, sp := range t.speeches {
			if sp.source == typing && len(sp.allKeys()) >= 3 {
				t.goal = sp.allKeys()
				break
			}
		}
	}
	return t.goal
}
