package offline

import (
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"recall/internal/text"
)

// A Feature is one known fact about a candidate or a file, by the name that models use for
// it.
type Feature struct {
	Name  string
	Value float64
}

// featureList collects features in a fixed order, each once. Those that mean different things for
// the assistant's sentences and a person's are given as ":name" and prefixed with who.
type featureList struct {
	who  string // "a", "u", or "" for files
	list []Feature
}

func (n *featureList) set(name string, value float64) {
	if value == 0 {
		return
	}
	if name[0] == ':' {
		name = n.who + name
	}
	n.list = append(n.list, Feature{name, value})
}

func (n *featureList) on(name string, yes bool) {
	if yes {
		n.set(name, 1)
	}
}

// classes adds each class in a set of cues, with a prefix that says whose they are. No model learned of undecided.
func (n *featureList) classes(before string, set cueSet) {
	for set &^= cueUndecided; set != 0; set &= set - 1 {
		n.set(before+cueNames[bits.TrailingZeros64(uint64(set))], 1)
	}
}

// Features describe a candidate by its speaker, position, wording and consequences. Apart
// from the classes of cues they don't depend on any language.
func (c *Candidate) Features() []Feature { return c.features(nil) }

// features appends them to a list.
func (c *Candidate) features(list []Feature) []Feature {
	t, sp, s := c.talk, c.sp, c.part
	f := &featureList{who: "a", list: list}
	if sp.user {
		f.who = "u"
	}
	f.set(sourceNames[sp.source], 1)
	own := s.cues
	if sp.work { // working words and work done weigh the same
		own |= cueWork
	}
	f.classes(":", own)
	f.set("cues", float64(bits.OnesCount64(uint64(s.cues)))/5)
	t.place(f, c)
	shape(f, c)
	t.reaction(f, c)
	t.words(f, c)
	t.around(f, c)
	return f.list
}

var (
	sourceNames = [...]string{"typed", "refusal", "message", "plan", "commit", "summary"}
	blockNames  = [...]string{":paragraph", ":item", ":quoted", ":row"}
	whenNames   = [...]string{"before", "beside", "after"}
	byNames     = [...]string{"midway", "closing", "person", "record"}
)

func (t *talk) place(f *featureList, c *Candidate) {
	sp, s := c.sp, c.part
	f.on(":lone", s.of == 1)
	f.on(":few", s.of > 1 && s.of <= 4)
	f.on(":many", s.of > 15)
	f.on(":first", s.index == 0)
	f.on(":second", s.index == 1)
	f.on(":final", s.index == s.of-1 && s.of > 1)
	f.on(":opens", s.opens)
	f.set(blockNames[s.block], 1)
	f.on(":numbered", s.numbered)
	f.on(":nested", s.depth >= 2)
	f.on(":lead", s.lead)
	if s.heading != "" {
		f.set(":headed", 1)
		f.classes("head:", cuesIn(s.heading)&^cueSkip)
	}
	if s.index > 0 {
		f.classes("before:", sp.parts[s.index-1].cues)
	}
	if s.index+1 < len(sp.parts) {
		f.classes("after:", sp.parts[s.index+1].cues)
	}
	f.on("closing", sp.closing)
	f.on("last-word", sp.last)
	f.on("midway", sp.source == message && !sp.closing)
	f.on("long-text", len(sp.text) > 1500)
	f.on("short-talk", t.n <= 5)
	f.on("long-talk", t.n > 20)
	if t.n > 1 {
		at := float64(sp.exchange) / float64(t.n-1)
		f.set(":place", at)
		f.on(":early", sp.exchange <= 1)
		f.on(":end", sp.exchange >= t.n-2)
	}
}

func shape(f *featureList, c *Candidate) {
	s := c.part
	n, names, first := 0, 0, ""
	for w := range strings.FieldsSeq(s.text) {
		if n++; n == 1 {
			first = w
		}
		if looksLikeName(w) {
			names++
		}
	}
	letters := utf8.RuneCountInString(s.text)
	if letters > 12*n { // no spaces between words
		n = letters / 3
	}
	f.on(":short", n < 6)
	f.on(":long", n > 25)
	f.on(":very-long", n > 45)
	f.set(":length", math.Log1p(float64(n))/3)
	f.set(":names", math.Log1p(float64(names)))
	f.on(":no-name", names == 0)
	f.on(":digits", strings.ContainsAny(s.text, "0123456789"))
	f.on(":path-first", s.block == listItem && looksLikePath(strings.Trim(first, "`:,")))
	end := strings.TrimRight(s.text, "`*\") ")
	f.on(":asks", endsInQuestion(end))
	f.on(":colon", strings.HasSuffix(end, ":"))
	f.on(":arrow", strings.Contains(s.text, "→") || strings.Contains(s.text, "->"))
	f.on(":dash", strings.Contains(s.text, " — ") || strings.Contains(s.text, " – ") ||
		strings.Contains(s.text, " - "))
	f.on(":quotes", strings.Contains(s.text, `"`))
}

// around describes the passage that a candidate is shown in, and its exchange.
func (t *talk) around(f *featureList, c *Candidate) {
	sp := c.sp
	var cues cueSet
	n, asks := 0, 0
	for i := range sp.parts {
		p := &sp.parts[i]
		if p.from < c.from || p.to > c.to {
			continue
		}
		n++
		if endsInQuestion(p.text) {
			asks++
		}
		if p != c.part {
			cues |= p.cues
		}
	}
	f.classes(":passage:", cues)
	passage := sp.text[c.from:c.to]
	f.set(":passage-length", float64(len(passage))/300)
	f.set(":passage-of", float64(len(passage))/float64(len(sp.text)))
	f.on(":passage-asks", asks > 0)
	f.on(":all-asks", asks == n)
	f.set(":text-length", math.Log1p(float64(len(sp.text)))/5)
	f.set(":lines", math.Log1p(float64(strings.Count(sp.text, "\n"))))
	r := t.round(sp.exchange)
	f.set(":edits", math.Log1p(float64(r.edits)))
	f.on(":no-edits", r.edits == 0)
	f.on(":commits", r.commits > 0)
	if r.closing != nil {
		f.set(":answer-length", math.Log1p(float64(len(r.closing.text)))/5)
		f.on(":answer-asks", r.closing.endsAsking())
	}
	if sp.exchange+1 < len(t.rounds) {
		f.on(":next-edits", t.rounds[sp.exchange+1].edits > 0)
	}
	f.on(":code-refs", lineRef().MatchString(passage))
	f.on(":address", strings.Contains(passage, "://"))
}

var lineRef = text.Pattern(`:[0-9]`) // "queue.go:44"

// reaction describes what the person replied to a message, or what a person's words reply
// to.
func (t *talk) reaction(f *featureList, c *Candidate) {
	sp := c.sp
	if sp.user {
		if r := sp.reacts; r != nil {
			f.on("answers-question", r.endsAsking())
			f.on("answers-first", r.endsAsking() && c.part.index == 0)
			f.set("words-of-answered", weighed(c.part.keys(), r.allKeys(), t.echoes.words))
		}
		return
	}
	r := sp.reaction
	if r == nil {
		return
	}
	f.set("replied", 1)
	f.classes("reply:", r.opening())
	f.on("reply-short", len(r.text) < 60)
	f.on("reply-long", len(r.text) > 400)
	f.on("reply-asks", r.endsAsking())
	f.on("reply-work", r.work)
	f.on("yes-then-work", r.work && r.opening().has(cueYes) && !r.opening().has(cueNo))
	f.set("reply-said", weighed(c.part.keys(), r.allKeys(), t.echoes.words))
}

// words compares a candidate's words with those of the rest of the session.
func (t *talk) words(f *featureList, c *Candidate) {
	mine, rare := c.part.keys(), t.echoes.words
	f.set(":keys", math.Log1p(float64(len(mine))))
	if len(mine) == 0 {
		return
	}
	e := t.echoes.of(c.sp, mine)
	for when := range e {
		for by, x := range e[when] {
			f.set(":said-"+whenNames[when]+"-"+byNames[by], x)
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
		f.on("pasted-text", len(a.text) > 1500)
	}
	f.set("words-of-asked", asked)
	f.set("words-of-order", orders)
	f.set("words-of-edited", share(mine, t.edited))
	top := 0.0
	for _, m := range t.commits {
		top = max(top, weighed(mine, m, rare))
	}
	f.set("words-of-commit", top)
	f.set("words-of-goal", share(mine, t.goalWords()))
	near := 0.0
	for _, i := range []int{c.part.index - 1, c.part.index + 1} {
		if i >= 0 && i < len(c.sp.parts) {
			near = max(near, share(mine, c.sp.parts[i].keys()))
		}
	}
	f.set("words-of-neighbour", near)
	if c.part.of > 2 {
		f.set("words-of-message", share(mine, c.sp.oftenKeys()))
	}
	seldom, k := math.Log(1+float64(len(t.speeches))/2), 0
	for _, w := range mine {
		if rare.of(w) >= seldom {
			k++
		}
	}
	f.set(":rare", float64(k)/float64(len(mine)))
}

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

// oftenKeys returns the keywords that occur in more than one sentence of the speech.
func (sp *speech) oftenKeys() terms {
	if sp.often == nil {
		seen, often := map[word]bool{}, []word{}
		for i := range sp.parts {
			for _, w := range sp.parts[i].keys() {
				if seen[w] {
					often = append(often, w)
				}
				seen[w] = true
			}
		}
		sp.often = sorted(often)
	}
	return sp.often
}

// goalWords returns the keywords of what the person first asked for.
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
