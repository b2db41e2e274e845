package distill

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// Reasons for which a claim's quotes don't bear it out.
const (
	DropOpposite  = "quote says the opposite"
	DropOrder     = "quote says it the other way round"
	DropQuoted    = "words that the assistant only quotes"
	DropUnrelated = "quote speaks of something else"

	// MendSaid counts claims that code can't compare with their quotes: they are kept as the words of who made them.
	MendSaid = "says more than its quote"
)

// refusals are the reasons for which an item isn't kept at all.
var refusals = []string{DropOpposite, DropOrder, DropQuoted, DropUnrelated, DropHalf, DropQuote, DropForeign,
	DropNoTurn, DropLong, DropNoEvidence}

// Refused returns how many of a payload's items were refused, and the main reason.
func Refused(p *payload.Payload) (n int, why string) {
	for _, reason := range refusals {
		if of := p.Dropped[reason]; of > 0 {
			if n += of; why == "" || of > p.Dropped[why] {
				why = reason
			}
		}
	}
	return n, why
}

// How much of a claim's words its quotes, what is said around them and what they answer must have. Of 1,117 items that
// people and a model wrote about 55 sessions, with quotes of their own choice, 22 are refused and 76 are kept as their
// maker's words (TestGoldIsBorneOut).
const (
	minRelated = 0.25 // else it is about something else
	minClaim   = 0.4  // of all its words
	minClause  = 0.25 // of each clause's: nothing is added
	minAsked   = 0.6  // of all and of each clause's, if only a bare yes bears it
	minDetail  = 0.34 // of a reason's, a condition's, an option's
	minMixed   = 0.05 // if two languages are spoken: names and cognates
	mostNamed  = 2    // words of a quote that only names something

	leastBeside   = 3 // words of a reply that agrees, and says something else besides
	longestEnding = 3 // bytes of a word in a name that is a file's ending
)

// A Judge compares claims about a session with their quotes. Not safe for concurrent use.
type Judge struct {
	c     *contract
	words map[string]bool // of all that was said
	mixed bool            // the person writes in another language than the assistant
}

// NewJudge prepares to judge claims about a session.
func NewJudge(s *ingest.Session) *Judge { return newContract(s, nil).judge() }

func (c *contract) judge() *Judge {
	if c.judges != nil {
		return c.judges
	}
	j := &Judge{c: c, words: map[string]bool{}}
	b := bearing{said: j.words}
	var typed, answered strings.Builder
	for i := range c.session.Turns {
		t := &c.session.Turns[i]
		if t.Abandoned || t.Copied {
			continue
		}
		own := ownSpeech(t)
		b.say(own)
		if t.Kind == ingest.Prompt || t.Kind == ingest.Command {
			b.say(t.WithPasted())
		}
		for k := range t.Calls {
			b.say(strings.Join(saidInCall(&t.Calls[k]), "\n"))
		}
		into := &answered
		if t.Role == ingest.User {
			into = &typed
		}
		if into.Len() < 16<<10 {
			into.WriteString(text.HeadWords(own, 1<<10) + "\n")
		}
	}
	j.mixed = text.TwoLanguages(typed.String(), answered.String())
	c.judges = j
	return j
}

// Judge returns why an item's quotes don't bear out its claim, or "". DropUnrelated and MendSaid mean that they say
// less than the claim; the others that they don't say it. It removes what nobody said of the reason, the condition,
// the options and the names from the item; took is their number. The item must be grounded.
func (j *Judge) Judge(it *payload.Item) (why string, took int) {
	if !judged[it.Kind] {
		return "", 0
	}
	b := j.c.bears(it)
	claim := read(it.Text)
	all, clause, lacks := covered(claim, b.said, j.words)
	opposite := j.opposite(it, claim, b)
	round := slices.ContainsFunc(b.quotes, func(q []sayWord) bool { return turnsRound(claim, q) })
	reorders := slices.ContainsFunc(b.sentences, func(s string) bool { return reordered(it.Text, s) }) ||
		limitsElse(it.Text, strings.Join(b.sentences, "\n")) ||
		slices.ContainsFunc(b.quotes, func(q []sayWord) bool { return swaps(claim, q) })
	inTime := sequence().MatchString(it.Text)
	praises, turned := praises(claim, b.decisive())
	asked := b.said
	if b.replies { // what they reply to may name what they didn't take
		asked = nil
	}
	wonders := b.replies && !b.states && !tellsOfQuestion().MatchString(it.Text)
	switch {
	case !b.spoken:
		return DropQuoted, 0
	case opposite && !(round && inTime), it.Kind == payload.Decision && (turned || b.offers.leaves(it.Text)),
		slices.ContainsFunc(b.sentences, func(s string) bool { return takesIn(it.Text, s) }):
		return DropOpposite, 0
	case reorders, round && !opposite: // both is neither in time: "nothing is merged before the tests pass"
		return DropOrder, 0
	case j.mixed && all >= minMixed:
	case all < minRelated || len(claim) == 0:
		return DropUnrelated, 0
	case it.Kind == payload.Status: // sums up
	case slices.ContainsFunc(b.quotes, func(q []sayWord) bool { return substitutes(claim, q, asked) }):
		why = MendSaid
	case it.Kind == payload.Decision && b.replies && slices.ContainsFunc(b.sentences, undecided().MatchString),
		it.Kind == payload.Decision && (praises || wonders):
		why = MendSaid
	case limits().MatchString(it.Text) && !b.limited, absolute().MatchString(it.Text) && !b.absolute,
		it.Kind != payload.Finding && b.exceptsMore(it.Text+" "+it.Scope):
		why = MendSaid
	case all < minClaim, clause < minClause, len(lacks) > 0, b.bare && min(all, clause) < minAsked, b.speaksOfElse(claim):
		why = MendSaid
	}
	return why, j.details(it, b)
}

// judged are the kinds of claims that are compared with what was said; a file is looked up by its path.
var judged = map[payload.Kind]bool{payload.Goal: true, payload.Decision: true, payload.Eliminated: true,
	payload.Finding: true, payload.Flag: true, payload.Next: true, payload.Hypothesis: true, payload.Deferred: true,
	payload.Question: true, payload.Status: true}

// opposite reports whether the quotes deny what a claim affirms, or the reverse. What is put off or asked is denied and
// affirmed at once.
func (j *Judge) opposite(it *payload.Item, claim []sayWord, b *bearing) bool {
	denies := slices.ContainsFunc(claim, func(w sayWord) bool { return w.denied })
	switch {
	case it.Kind == payload.Deferred, it.Kind == payload.Question:
		return false
	case it.Kind != payload.Eliminated:
		return opposes(claim, b.decisive()) || slices.ContainsFunc(b.sentences, func(s string) bool {
			return it.Kind == payload.Decision && flipped(it.Text, s)
		})
	case denies, payload.SaysNo(it.Text):
		return false
	}
	// A thing that is ruled out: its quote must not choose it.
	return slices.ContainsFunc(b.sentences, func(s string) bool {
		q := read(s)
		denied := slices.ContainsFunc(q, func(w sayWord) bool { return w.denied && has(claim, w.stem) })
		return !denied && opposes(deniedAll(claim), q) && chooses().MatchString(s) && !rejects().MatchString(s)
	})
}

// Opposes reports whether a sentence denies what another one affirms, or the reverse.
func Opposes(said, before string) bool { return opposes(read(said), read(before)) }

var (
	chooses = text.Pattern(`(?i)\b(?:keep|use|let['’]s|go with|must|stays?|we['’]ll|i['’]ll|take|prefer|behalten|` +
		`nehmen|nimm)\b`)
	rejects = text.Pattern(`(?i)\b(?:instead|rather|rul(?:e|ed|es) out|eliminat\w*|fail\w*|wrong|broke\w*|breaks|` +
		`dead end|slow\w*|worse|useless|too \w+|tried|costs?|would|could|might)\b|\?$`)
)

func deniedAll(words []sayWord) []sayWord {
	words = slices.Clone(words)
	deny(words)
	return words
}

// decisive returns what the person's quotes say, or all if none is theirs.
func (b *bearing) decisive() []sayWord {
	if len(b.theirs) > 0 {
		return b.theirs
	}
	return slices.Concat(b.quotes...)
}

// speaksOfElse reports whether the person's replies that a claim rests on say something, but nothing of what it says.
func (b *bearing) speaksOfElse(claim []sayWord) bool {
	shares := func(q []sayWord) bool { return len(q) == 0 || sharesWord(q, claim) }
	return b.replies && !b.bare && !slices.ContainsFunc(b.quotes, shares) ||
		len(b.named) > 0 && !slices.ContainsFunc(b.named, shares)
}

// sharesWord reports whether a claim has a word that was said: of a file's name, more than its ending.
func sharesWord(said, claim []sayWord) bool {
	return slices.ContainsFunc(said, func(w sayWord) bool {
		return !w.joint && !(w.part && len(w.stem) <= longestEnding) && has(claim, w.stem)
	})
}

// saysAlone reports whether a reply begins with what says something by itself: "each its own" and "hm, yes" bear only
// together with what they answer.
func saysAlone(reply string) bool {
	all := text.Sentences(text.OneLine(reply), true)
	if len(all) == 0 {
		return true
	}
	least := 1
	if text.Agrees(all[0]) {
		least = leastBeside
	}
	return len(read(all[0])) >= least
}

// undecided matches what isn't decided yet: "not sure yet". "Can we maybe do it?" is a polite order.
var undecided = text.Pattern(`(?i)\b(?:not sure|unsure|undecided|(?:haven['’]?t|not) decided|let me think|` +
	`(?:no|keine) (?:idea|ahnung)|don['’]?t know|nicht sicher|pas sûre?)\b`)

// exception matches what a sentence doesn't hold for, lasting how long it holds.
var (
	exception = text.Pattern(`(?i)(?:^|[ ,])(?:unless|except|apart from|as long as|provided|es sei denn|außer|` +
		`solange|sauf|à moins|salvo|a menos) ([^.;!?]+)`)
	lasting = text.Pattern(`(?i)[ ,](?:while|until|till|bis|jusqu['’]\pL+|hasta) [^.;!?]+`)
)

// condition matches what begins with a condition, conditional a word that can state one.
var (
	condition   = text.Pattern(`(?i)^\W*(?:if|falls|sofern|sobald) `)
	conditional = text.Pattern(`(?i)\b(?:if|when|once|after|until|unless|provided|in case|` +
		`falls|wenn|sofern|sobald|bis|nach)\b`)
)

// exceptsMore reports whether what is said has a limit or an exception of which a claim has no word, or the person
// named a condition and it none.
func (b *bearing) exceptsMore(claim string) bool {
	has := wordsIn(claim)
	return slices.ContainsFunc(b.sentences, func(s string) bool {
		if b.replies && condition().MatchString(s) && !conditional().MatchString(claim) {
			return true
		}
		left := content(exception().FindString(s))
		if b.replies {
			left = slices.Concat(left, content(lasting().FindString(s)), limited(s))
		}
		return len(left) > 0 && !slices.ContainsFunc(left, func(w string) bool { return has[w] })
	})
}

// details removes what nobody said.
func (j *Judge) details(it *payload.Item, b *bearing) (took int) {
	least := minDetail
	if j.mixed {
		least = minMixed
	}
	said := func(s string) bool {
		all, _, _ := covered(read(s), j.words, nil)
		return all >= least
	}
	for _, s := range []*string{&it.Why, &it.Scope} {
		if *s != "" && (!said(*s) || strings.Contains(b.offers.leftFor, strings.ToLower(strings.TrimRight(*s, ".")))) {
			*s, took = "", took+1
		}
	}
	unsaid := func(s string) bool { return !said(s) }
	took += len(it.Alternatives) + len(it.About)
	it.Alternatives = slices.DeleteFunc(slices.Clone(it.Alternatives), unsaid)
	it.About = slices.DeleteFunc(slices.Clone(it.About), unsaid)
	return took - len(it.Alternatives) - len(it.About)
}

// A bearing is what a claim rests on.
type bearing struct {
	quotes    [][]sayWord     // of each quote's sentence; for a bare yes, of the sentence that was asked
	sentences []string        // these
	theirs    []sayWord       // of these the person's
	said      map[string]bool // also what else the quoted turns say, and what they answer
	spoken    bool            // a quote isn't only something that the assistant quotes
	bare      bool            // it rests on a bare yes or no, and nothing else
	replies   bool            // all quotes are a person's
	named     [][]sayWord     // or all are an assistant's and only name something
	states    bool            // a person answers, or doesn't only wonder, or ask and then say no
	offers    eitherOr        // that a person's reply chose from
	limited   bool            // what is said limits something: "only", "except"
	absolute  bool            // or holds for everything, or for ever
}

// bears gathers what an item's evidence says.
func (c *contract) bears(it *payload.Item) *bearing {
	b := &bearing{said: map[string]bool{}, replies: true}
	for _, e := range it.Evidence {
		for _, t := range c.at[e.Turn] {
			c.bear(b, t, e.Quote)
			b.named = append(b.named, read(e.Quote))
		}
	}
	says := func(q []sayWord) bool { return len(q) > mostNamed }
	if b.replies || len(b.theirs) > 0 || slices.ContainsFunc(b.named, says) {
		b.named = nil
	}
	return b
}

func (c *contract) bear(b *bearing, t *ingest.Turn, quote string) {
	before := c.before(t)
	switch own := ownSpeech(t); {
	case t.Role == ingest.Assistant && b.choice(t, quote):
	case t.Role == ingest.Assistant:
		b.bare, b.replies = false, false
		c.bearAssistants(b, t, quote)
	case t.Shows(quote) && !t.Owns(quote): // pasted: evidence of what was shown, not the person's word
		b.spoken, b.bare, b.replies = true, false, false
		b.rest(sentenceOf(t.WithPasted(), quote), false)
		b.say(t.WithPasted())
	case isBare(own):
		b.spoken, b.states, b.bare = true, true, len(b.quotes) == 0
		asked := ""
		if before != nil {
			asked = askedIn(ownSpeech(before))
		}
		b.theirs = append(b.theirs, b.rest(asked, Objects(t))...)
		b.say(asked)
		if pronoun().MatchString(asked) { // what the person had asked
			if first := c.toward(before, -1, typed); first != nil && asks(first.OwnText()) {
				b.say(first.OwnText())
			}
		}
		b.offers = offerOf(asked, own)
	default:
		said := sentenceOf(t.OwnText(), quote)
		b.spoken, b.bare = true, len(b.quotes) == 0 && !saysAlone(said)
		next := c.next(t)
		declined := asks(said) && next != nil && answersNo(next.OwnText())
		b.states = b.states || !declined && !wonders(said)
		b.theirs = append(b.theirs, b.rest(said, false)...)
		b.say(t.WithPasted())
		if before != nil { // a reply bears together with what it answers
			b.offers = offerOf(ownSpeech(before), own)
			b.say(ownSpeech(before))
			for i := range before.Calls {
				b.say(strings.Join(saidInCall(&before.Calls[i]), "\n"))
			}
		}
	}
}

func (c *contract) bearAssistants(b *bearing, t *ingest.Turn, quote string) {
	own := t.OwnText()
	if i := strings.Index(own, quote); i < 0 || !isQuoted(own, i, i+len(quote)) {
		b.spoken = true
		b.rest(quotation().ReplaceAllString(sentenceOf(own, quote), " "), false)
	}
	b.say(ownSpeech(t))
	for i := range t.Calls {
		texts := QuotableTexts(&t.Calls[i])
		b.say(strings.Join(saidInCall(&t.Calls[i]), "\n"))
		if k := slices.IndexFunc(texts, func(s string) bool { return strings.Contains(s, quote) }); k >= 0 {
			b.spoken = true
			b.rest(sentenceOf(texts[k], quote), false)
			for _, s := range texts {
				b.say(text.Head(s, 20_000))
			}
		}
	}
	for i := c.position[t] - 1; i >= 0; i-- { // what it answers
		if p := &c.session.Turns[i]; typed(p) && !p.Copied {
			b.say(p.OwnText())
			break
		}
	}
}

// rest adds the sentences that a claim rests on, or their opposite.
func (b *bearing) rest(said string, no bool) []sayWord {
	words := read(said)
	for i := range words {
		words[i].denied = words[i].denied != no
		words[i].clause += len(b.quotes) << 16 // no clause goes on in another quote
	}
	b.quotes, b.sentences = append(b.quotes, words), append(b.sentences, said)
	return words
}

func (b *bearing) say(s string) {
	out := leavesOut().MatchString(s)
	b.limited = b.limited || out || limits().MatchString(s)
	b.absolute = b.absolute || out || absolute().MatchString(s) || generally().MatchString(s)
	for _, w := range read(s) {
		b.said[w.stem] = true
	}
}

// limits matches a word that leaves out all else.
var limits = text.Pattern(`(?i)\b(?:only|solely|exclusively|except|apart from|unless|nur|ausschließlich|außer|` +
	`seulement|sauf|solamente|salvo|soltanto)\b`)

// absolute matches a word that leaves nothing out.
var absolute = text.Pattern(`(?i)\b(?:all|everything|everyone|everybody|always|forever|for good|permanently|fully|` +
	`completely|entirely|alles?|immer|dauerhaft|völlig|tous|toutes|toujours|todos|todas|siempre)\b`)

// generally matches what a word that leaves nothing out can stand for.
var generally = text.Pattern(`(?i)\b(?:any\w*|every\w*|each|both|whole|whoever|whatever|wherever|only|jede\w*|nur)\b`)

// leavesOut matches what a limit can be concluded from.
var leavesOut = text.Pattern(`(?i)\b(?:not?|never|none|without|but|just|alone|single|sole|once?|nothing|nobody|` +
	`kein\w*|nicht|ohne|pas|sans|sin)\b|n['’]t\b`)

// ownSpeech returns a turn's text without what is somebody else's: for the assistant's, also without what it quotes.
func ownSpeech(t *ingest.Turn) string {
	switch {
	case t.Kind == ingest.Event, t.Kind == ingest.Shell: // the client's words, or a command's output
		return ""
	case t.Role == ingest.Assistant:
		return quotation().ReplaceAllString(t.OwnText(), " … ")
	}
	return t.OwnText()
}

// quotation matches several words between quotation marks, and lines quoted as in a mail.
var quotation = text.Pattern(`"[^"\n]+\s[^"\n]+"|“[^”\n]+\s[^”\n]+”|«[^»\n]+\s[^»\n]+»|` +
	`„[^“”\n]+\s[^“”\n]+[“”]|(?m)^\s*>.*$`)

// isQuoted reports whether more than two thirds of a range of a text are inside quotation marks. If less is, what is
// outside bears a claim by itself.
func isQuoted(s string, from, to int) bool {
	inside := 0
	for _, at := range quotation().FindAllStringIndex(s, -1) {
		inside += max(0, min(to, at[1])-max(from, at[0]))
	}
	return 3*inside > 2*(to-from)
}

// agreeing are the words of a reply that only says yes or no.
var agreeing = text.Set(`yes yep yeah yup ya ok okay oki k sure sounds looks good great fine perfect nice cool no
	nope nah correct right exactly absolutely definitely agree agreed approved lgtm alright go ahead proceed please thanks
	thank works makes sense love awesome done way plan idea option first second third one both all suggested propose
	proposed find say ja jo klar passt gut genau mach machen das so bitte danke einverstanden nein oui si vas y d'accord
	accord parfait bien vale claro perfecto adelante sí sim certo va bene non don't dont not now never later yet`)

// Bare reports whether a person's turn only says yes or no.
func Bare(t *ingest.Turn) bool { return isBare(t.OwnText()) }

// isBare reports whether a reply only says yes or no. "Do the calls" doesn't: it is about the calls.
func isBare(s string) bool {
	says := func(w string) bool { return !agreeing[w] }
	return strings.TrimSpace(s) != "" && !slices.ContainsFunc(text.Content(s), says)
}

// askedIn returns what a bare reply is about: the sentences asked, with the one before if they point back, or all that
// was said if nothing was asked but whether to go on.
func askedIn(said string) string {
	var sentences, asked []string
	for line := range strings.Lines(said) {
		sentences = append(sentences, text.Sentences(strings.TrimSpace(line), true)...)
	}
	for i, s := range sentences {
		if !strings.HasSuffix(strings.TrimRight(s, "*_` "), "?") {
			continue
		}
		if !slices.ContainsFunc(read(s), func(w sayWord) bool { return !w.joint && !goingOn[w.stem] }) {
			return said
		}
		if pronoun().MatchString(s) && i > 0 {
			asked = append(asked, sentences[i-1])
		}
		asked = append(asked, s)
	}
	if len(asked) == 0 {
		return said
	}
	return strings.Join(asked, "\n")
}

// goingOn are stems of words in questions that only ask whether to go on.
var goingOn = stems(`proceed continue start begin apply implement look sound right good fine ok like think ready sense
	shall way approach plan proceeding implementing starting ahead confirm approve agree correct`)
