package distill

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// DropNotAgreed is why a claim isn't confirmed that rests on a question or an offer which nobody took up.
const DropNotAgreed = "quote is an offer that wasn't taken up"

// How much of a claim may be in other words than those of the exchange.
const (
	mostUnsaid = 0.34 // of its words
	thingCost  = 2    // words that a thing counts as
	leastWords = 5    // of what is to be done, for one to be unsaid
	minCore    = 0.3  // of its words that an assistant's sentence must have itself
)

// An exchange is what was said around a quote.
type exchange struct {
	item      *payload.Item
	core      []sayWord       // of the quote's sentences
	sentences []string        // these first, then the others
	affirmed  map[string]bool // stems
	denied    map[string]bool
	open      map[string]bool // only asked or offered
	declined  map[string]bool // offered, and answered with no or with another option
	spoken    map[string]bool // words in any form
	ever      map[string]bool // stems of all that was said in the session
}

// Confirm returns why what was said around an item's quotes doesn't confirm its claim, or "". It is stricter than
// Judge, for claims whose quote was only looked for: their words must have been said in one exchange, but for a few
// that name no person, number or file and replace no other; what they deny must have been denied there, and what they
// affirm affirmed; a question or an offer confirms nothing unless it was taken up.
func (j *Judge) Confirm(it *payload.Item) (why string) {
	for _, e := range it.Evidence {
		for _, t := range j.c.at[e.Turn] {
			if why = j.c.confirm(it, t, e.Quote); why == "" {
				return ""
			}
		}
	}
	return why
}

func (c *contract) confirm(it *payload.Item, t *ingest.Turn, quote string) string {
	x := &exchange{item: it, affirmed: map[string]bool{}, denied: map[string]bool{}, open: map[string]bool{},
		declined: map[string]bool{}, spoken: map[string]bool{}, ever: c.judge().words}
	said := sentenceOf(t.OwnText(), quote)
	x.core = read(said)
	messages := c.messagesAround(t)
	at := slices.Index(messages, t)
	reply := replyTo(messages, at)
	// What a person answered, approved or said as they refused stands in a call of the assistant's.
	assistants := t.Role == ingest.Assistant && it.By == payload.ByAssistant
	claim := read(it.Text)
	switch {
	case isTentative(t, said) && !canBeAsked[it.Kind] && !x.takenUp(said, reply):
		return DropNotAgreed
	case assistants && orders[it.Kind] && text.LeavesIt(reply) && !text.Agrees(reply):
		return DropNotAgreed
	case assistants && it.Kind == payload.Decision && c.informs(t, said, reply, claim):
		return DropNotAgreed
	case onlyFails(it.Text) && slices.ContainsFunc(c.session.Turns[c.position[t]:], saysPasses):
		return DropOpposite
	case assistants && !sumsUp[it.Kind] && shareIn(claim, x.core) < minCore:
		return MendSaid
	}
	x.hear(t, said, reply)
	for i, m := range messages {
		for _, s := range nearest(m, said, i-at) {
			x.hear(m, s, replyTo(messages, i))
		}
	}
	for i := range t.Calls {
		for _, s := range QuotableTexts(&t.Calls[i]) {
			if strings.Contains(s, quote) {
				x.hear(t, sentenceOf(s, quote), "")
			}
		}
		for _, a := range t.Calls[i].Answers {
			if strings.Contains(strings.Join(a.Chosen, "\n"), quote) {
				x.hearAnswered(t, &a)
			}
		}
	}
	for i := c.position[t]; i < len(c.session.Turns) && (i == c.position[t] || !typed(&c.session.Turns[i])); i++ {
		for k := range c.session.Turns[i].Calls {
			if made := &c.session.Turns[i].Calls[k]; made.CommitMessage != "" && made.Worked() {
				x.hear(&c.session.Turns[i], made.CommitMessage, "")
			}
		}
	}
	return x.misses()
}

// canBeAsked are the kinds that a question can state, sumsUp those worded from several sentences, orders those that a
// person can put off.
var (
	canBeAsked = map[payload.Kind]bool{payload.Goal: true, payload.Question: true, payload.Deferred: true,
		payload.Next: true, payload.Hypothesis: true, payload.File: true}
	sumsUp = map[payload.Kind]bool{payload.Goal: true, payload.Status: true, payload.File: true}
	orders = map[payload.Kind]bool{payload.Next: true, payload.Decision: true}
)

// messagesAround returns a message with what it answers and what answers it, in order.
func (c *contract) messagesAround(t *ingest.Turn) []*ingest.Turn {
	around := []*ingest.Turn{c.before(t), t, c.answer(t)}
	if t.Role == ingest.Assistant {
		around = append(around, c.asker(t), c.next(t))
	}
	around = slices.DeleteFunc(around, func(t *ingest.Turn) bool { return t == nil })
	slices.SortFunc(around, func(a, b *ingest.Turn) int { return c.position[a] - c.position[b] })
	return around
}

// informs reports whether a sentence of the assistant's that offers nothing decides nothing either, unless the person
// just says yes to it: it stands beside an offer, answers a question or is answered with one, or has no word of what
// the person asked for.
func (c *contract) informs(t *ingest.Turn, said, reply string, claim []sayWord) bool {
	if isTentative(t, said) || text.Agrees(reply) {
		return false
	}
	any := func(s string, is func(string) bool) bool {
		return slices.ContainsFunc(text.Sentences(text.OneLine(s), true), is)
	}
	asker := c.asker(t)
	return any(ownSpeech(t), func(s string) bool { return isTentative(t, s) }) || any(reply, asks) ||
		asker != nil && (any(asker.OwnText(), asks) || shareIn(claim, read(asker.OwnText())) == 0)
}

// asker returns the last turn that the person typed before another, or nil.
func (c *contract) asker(t *ingest.Turn) *ingest.Turn {
	return c.toward(t, -1, func(p *ingest.Turn) bool { return typed(p) && !p.Copied })
}

// answer returns the first thing the assistant said after a turn, before the person spoke again, or nil.
func (c *contract) answer(t *ingest.Turn) *ingest.Turn {
	n := c.toward(t, 1, func(n *ingest.Turn) bool { return typed(n) || told(n) })
	if n == nil || typed(n) {
		return nil
	}
	return n
}

// replyTo returns what the other one says to a message, or "".
func replyTo(messages []*ingest.Turn, i int) string {
	for _, n := range messages[i+1:] {
		if n.Role != messages[i].Role {
			return ownSpeech(n)
		}
	}
	return ""
}

// nearest returns the sentences of a message that belong to a quote's: those beside it, the last ones of what was
// said before, the first ones of what follows.
func nearest(m *ingest.Turn, said string, after int) []string {
	const beside, before = 2, 5
	var all []string
	for line := range strings.Lines(ownSpeech(m)) {
		all = append(all, text.Sentences(strings.TrimSpace(line), true)...)
	}
	switch {
	case after < 0:
		return all[max(0, len(all)-before):]
	case after > 0:
		return all[:min(len(all), beside)]
	}
	isPart := func(s string) bool { return strings.Contains(said, s) || strings.Contains(s, said) }
	from := max(0, slices.IndexFunc(all, isPart))
	to := min(from+1, len(all))
	for to < len(all) && strings.Contains(said, all[to]) {
		to++
	}
	return all[max(0, from-beside):min(len(all), to+beside)]
}

var (
	failing = text.Pattern(`(?i)\bfail(?:s|ing|ed)?\b`)
	passing = text.Pattern(`(?i)\bpass(?:es|ing|ed)?\b|\bgreen\b`)
)

func onlyFails(s string) bool { return failing().MatchString(s) && !passing().MatchString(s) }

// saysPasses reports whether the assistant says that something passes, and not that something fails.
func saysPasses(t ingest.Turn) bool {
	said := ownSpeech(&t)
	return t.Role == ingest.Assistant && !t.Aside() && passing().MatchString(said) && !failing().MatchString(said)
}

var (
	tentative = text.Pattern(`(?i)\b(?:could|would|might|i['’]d|we['’]d|suggest|propose|shall|options?|two ways|` +
		`alternatively|or)\b`)
	saysOut = text.Pattern(`(?i)\b(?:not|no|never|nothing|none|without|rule[sd]|` +
		`fine|innocent|exclud\w+|dead end|red herring|` +
		`reject\w*|drop\w*|instead|rather)\b|n['’]t\b`)
	preferring = text.Pattern(`(?i)\b(?:instead of|rather than)\b`) // what is denied need only have been said
	asBefore   = text.Pattern(`(?i)\b(?:as before|exactly|same|unchanged|untouched|hands off|leave|alone|keep|` +
		`stays?)\b`)
)

func declines(reply string) bool { return text.Refuses(reply) || text.LeavesIt(reply) }

// answersNo reports whether a reply turns down what was asked or, in a clause of its own, just says no.
func answersNo(reply string) bool {
	no := func(s string) bool { return isBare(s) && saysNot(s) }
	return declines(reply) || slices.ContainsFunc(clauseEnd().Split(reply, -1), no)
}

// isTentative reports whether a sentence asks or, an assistant's, offers.
func isTentative(by *ingest.Turn, s string) bool {
	return asks(s) || by.Role == ingest.Assistant && tentative().MatchString(s)
}

func asks(s string) bool { return strings.HasSuffix(strings.TrimRight(s, "*_`\"” "), "?") }

// wonders reports whether a person asks whether something is so or should be, rather than for it politely.
func wonders(s string) bool { return asks(s) && wondering().MatchString(s) }

var wondering = text.Pattern(`(?i)^\W*(?:(?:so|and|but|hm+|ok|well|also|btw|und|aber)\b\W*)*` +
	`(?:what|how|should|shall|is|are|do|does|did|was|were|has|have|which|who|where|when|would it|` +
	`soll\w*|ist|sind|gibt|was|wie|wer|faut-il|est-ce|debería\w*)\b`)

// tellsOfQuestion matches a claim that something was asked.
var tellsOfQuestion = text.Pattern(`(?i)\b(?:asks?|asked|wonders?|whether|open|unclear|undecided|fragt\w*|ob)\b|\?$`)

// takenUp reports whether a reply takes up of what was asked or offered what the claim says.
func (x *exchange) takenUp(offered, reply string) bool {
	switch {
	case reply == "", declines(reply):
		return false
	case text.Agrees(reply), isBare(reply):
		return true
	}
	picked := text.Words(firstClause(reply))
	return picked.Shared(text.Words(x.item.Text)) > 0 && picked.Shared(text.Words(offered)) > 0
}

// firstClause returns what a reply begins with, which is what it takes of an offer.
func firstClause(reply string) string {
	reply = strings.TrimSpace(reply)
	if end := clauseEnd().FindStringIndex(reply); end != nil && end[0] > 0 {
		return reply[:end[0]]
	}
	return reply
}

// hear adds a sentence of a message, given the reply to that.
func (x *exchange) hear(by *ingest.Turn, s, reply string) {
	x.sentences = append(x.sentences, s)
	open := isTentative(by, s)
	var offer eitherOr
	leaves := false
	if open {
		offer = offerOf(s, firstClause(reply))
		open, leaves = len(offer.took) == 0 && !x.takenUp(s, reply), offer.leaves(x.item.Text)
	}
	for _, w := range read(s) {
		switch {
		case has(offer.left, w.stem), open && declines(reply):
			x.declined[w.stem] = true
			x.affirmed[w.stem] = x.affirmed[w.stem] || !open && !leaves // of both sides
		case open:
			x.open[w.stem] = true
		default:
			x.affirmed[w.stem] = x.affirmed[w.stem] || !w.denied || w.loose
			x.denied[w.stem] = x.denied[w.stem] || w.denied || w.loose
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		x.spoken[w] = true
	}
}

// hearAnswered takes in what a question asked about that was answered in a call, unless it names what wasn't chosen.
func (x *exchange) hearAnswered(by *ingest.Turn, a *ingest.Answer) {
	asked := read(a.Question)
	if !slices.ContainsFunc(a.Options, func(o ingest.Option) bool {
		return !slices.Contains(a.Chosen, o.Label) && shareIn(read(o.Label), asked) > 0
	}) {
		x.hear(by, strings.TrimRight(a.Question, "? "), "")
	}
}

// misses returns why the exchange doesn't say what its item claims, or "".
func (x *exchange) misses() string {
	whole := x.item.Text + ". " + x.item.Why
	claim, things := read(whole), thingsIn(whole)
	agrees := slices.ContainsFunc(claim, func(w sayWord) bool { return w.denied && x.declined[w.stem] })
	polar, prefers := !x.deniesOtherwise(whole), preferring().MatchString(whole)
	unsaid, cost, n := map[string]bool{}, 0.0, 0
	for _, w := range claim {
		_, seen := unsaid[w.stem]
		heads := x.item.Kind == payload.Status && howFar[w.stem]
		if seen || heads || w.joint || w.part {
			continue
		}
		yes, no := x.saidOf(w, agrees)
		unsaid[w.stem] = !yes && !no
		n++
		turns := undoes[w.stem] && !saysOut().MatchString(x.sentences[0]) || moving[w.stem]
		other := w.exact || turns || x.affirmed[strings.TrimPrefix(w.stem, "un")]
		telling := things[w.stem] || w.denied || n == 1 && !orToDo[x.item.Kind] // what it is about comes first
		switch {
		case unsaid[w.stem] && other:
			return MendSaid
		case unsaid[w.stem]:
			own := 1.0
			if telling {
				own = thingCost
			}
			if x.ever[w.stem] { // only not here
				own /= 2
			}
			cost += own
		case !polar, w.loose:
		case w.denied && !no && !prefers, !w.denied && !yes && !orToDo[x.item.Kind]:
			return DropOpposite
		}
	}
	few := cost > 0 && (acts[x.item.Kind] && n < leastWords || limits().MatchString(whole))
	unheard := func(name string) bool { return !x.spoken[name] }
	switch {
	case few, cost > mostUnsaid*float64(n), slices.ContainsFunc(namesIn(whole), unheard):
		return MendSaid
	case polar && !agrees && saysNot(whole) && !slices.ContainsFunc(x.sentences, saysOut().MatchString):
		return DropOpposite
	}
	return ""
}

// orToDo are the kinds that affirm what isn't so yet, acts those that say what is to be done.
var (
	orToDo = map[payload.Kind]bool{payload.Goal: true, payload.Next: true}
	acts   = map[payload.Kind]bool{payload.Goal: true, payload.Next: true, payload.Decision: true}
)

// howFar are stems of words by which lists are headed that say how far something is.
var howFar = stems(`done complete completed finished progress started`)

// deniesOtherwise reports whether it can't be told by single words what a claim or its quote denies: what is put off,
// asked or ruled out is denied and affirmed at once, "dropped" denies what stands on either side of it, and "must not
// change" is "as before".
func (x *exchange) deniesOtherwise(claim string) bool {
	among := func(s string, words map[string]bool) bool {
		return slices.ContainsFunc(content(s), func(w string) bool { return words[w] })
	}
	switch x.item.Kind {
	case payload.Eliminated, payload.Deferred, payload.Question:
		return true
	}
	return among(claim, undoes) || among(x.sentences[0], undoes) ||
		among(claim, changes) && slices.ContainsFunc(x.sentences, asBefore().MatchString)
}

// saidOf reports whether a claim's word was affirmed, or denied. What was declined was denied, and affirmed too if
// the claim agrees that it was declined; what was left open may be either.
func (x *exchange) saidOf(w sayWord, agrees bool) (yes, no bool) {
	yes, no = x.affirmed[w.stem], x.denied[w.stem] || x.declined[w.stem]
	if again, ok := strings.CutPrefix(w.stem, "re"); !yes && (ok && x.affirmed[again] || x.affirmed["re"+w.stem]) {
		yes = true // "retries" of what was tried five times
	}
	if !yes && !no && x.open[w.stem] {
		yes, no = true, w.denied
	}
	return yes || agrees && x.declined[w.stem], no
}

func saysNot(s string) bool { return slices.ContainsFunc(text.Split(strings.ToLower(s)), denies) }

// shareIn returns the share of a claim's words that a text has.
func shareIn(claim, said []sayWord) float64 {
	return shareOf(claim, said, func(w sayWord) bool { return !w.joint && !w.part })
}

// shareOf returns the share of those of a claim's words that count which a text has.
func shareOf(claim, said []sayWord, counts func(sayWord) bool) float64 {
	n, in := 0, 0
	for _, w := range claim {
		if counts(w) {
			if n++; has(said, w.stem) {
				in++
			}
		}
	}
	return float64(in) / float64(max(1, n))
}

// namesIn returns the words of a text that begin with a capital inside a sentence.
func namesIn(s string) (names []string) {
	for _, one := range text.Sentences(s, true) {
		for i, w := range strings.Fields(one) {
			w = strings.TrimFunc(w, unicode.IsPunct)
			if r, _ := utf8.DecodeRuneInString(w); i > 0 && unicode.IsUpper(r) && strings.ToUpper(w) != w {
				isBreak := func(r rune) bool { return !unicode.IsLetter(r) }
				names = append(names, strings.FieldsFunc(strings.ToLower(w), isBreak)...)
			}
		}
	}
	return names
}

// thingsIn returns the stems of words that name a thing, as the word before them tells.
func thingsIn(s string) map[string]bool {
	things := map[string]bool{}
	words := text.Split(strings.ToLower(s))
	for i, w := range words {
		if i > 0 && beforeThing[words[i-1]] {
			things[text.Stem(w)] = true
		}
	}
	return things
}

var beforeThing = text.Set(`the a an of in on by about with from for into per each every no this that our its their`)
