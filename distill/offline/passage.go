package offline

import (
	"cmp"
	"slices"
	"strings"

	"recall/distill"
	"recall/internal/text"
	"recall/payload"
)

// A passage is a run of sentences of a speech that is quoted.
type passage struct {
	*speech
	run []sentence
}

// passages cuts a speech into runs of whole sentences that a quote has room for. What a person typed is one text; a
// message's paragraphs and lists stand for themselves, but a list goes with the line that announces it, and a paragraph
// too short to tell anything alone with what follows.
func (sp *speech) passages() []passage {
	var out []passage
	from := 0
	end := func(to int) {
		for to > from && announces(sp.parts[to-1].text) && !(sp.user && anyCue(sp.parts[to-1:to], cueOrder|cueWant)) {
			to-- // what it announces isn't quoted
		}
		if to > from {
			out = append(out, passage{sp, sp.parts[from:to]})
		}
	}
	skip := false
	for i := range sp.parts {
		s := &sp.parts[i]
		if skip = skip && s.block == listItem; skip {
			from = i + 1
			continue
		}
		goesOn := i > from && !s.opens && s.block != quoted
		told := i > from && announces(sp.parts[i-1].text) // "The page is at: https://…"
		worth := s.block == listItem || (goesOn || told) && s.block != row || worthReading(s, sp)
		if sp.user {
			worth = !s.pasted
		}
		if sp.foreign(s) || !worth {
			end(i)
			from = i + 1
			continue
		}
		if i > from {
			before := &sp.parts[i-1]
			list := s.listedWith(before)
			brief := s.block == paragraph && before.block == paragraph && !asks(s.text) &&
				s.from-sp.parts[from].from < shortParagraph
			together := list || brief || announces(before.text) && s.head == nil
			apart := !sp.user && s.opens && !together
			if apart || s.to-sp.parts[from].from > distill.MaxQuote {
				end(i)
				was := from
				from = i
				if skip = !apart && s.block == listItem && announces(sp.parts[was].text); skip {
					from = i + 1
				}
			}
		}
	}
	end(len(sp.parts))
	return out
}

// listedWith reports whether two sentences are of items of one list.
func (s *sentence) listedWith(o *sentence) bool {
	return s.block == listItem && o.block == listItem && s.list == o.list
}

// shortParagraph is the length in bytes below which a paragraph isn't quoted alone.
const shortParagraph = 80

func (p passage) to() int { return p.run[len(p.run)-1].to }

// from returns where a passage begins, with the heading of a list if a quote has room for it.
func (p passage) from() int {
	if head := p.head(); head != nil {
		return head.from
	}
	return p.run[0].from
}

// joints stand before the items of lists and tables.
var joints = map[block]string{listItem: " · ", row: "; "}

// head returns the heading of a list, without which its beginning may say nothing, if a quote has room for both.
func (p passage) head() *sentence {
	if p.run[0].head == nil || p.to()-p.run[0].head.from > distill.MaxQuote {
		return nil
	}
	return p.run[0].head
}

// text returns the passage without markup, on one line.
func (p passage) text() string {
	if len(p.run) == 0 {
		return ""
	}
	var b strings.Builder
	above, begins, ends := p.cuts()
	b.WriteString(above)
	if begins {
		b.WriteString("… ")
	}
	for i, s := range p.run {
		joint := ""
		if i > 0 {
			joint = s.space(&p.run[i-1])
			if s.opens && !announces(p.run[i-1].text) {
				joint = cmp.Or(joints[s.block], joint)
			}
		}
		b.WriteString(joint + s.text)
	}
	if ends {
		b.WriteString(" · …")
	}
	if said := b.String(); announces(said) { // what was pasted
		return strings.TrimRight(said, ":：") + " …"
	}
	return b.String()
}

// cuts returns the heading of the list that a passage begins with, or what announces that, and reports whether it
// begins and whether it ends within a list.
func (p passage) cuts() (above string, begins, ends bool) {
	place := func(s *sentence) (i int, there bool) {
		return slices.BinarySearchFunc(p.parts, s.from, func(s sentence, from int) int { return s.from - from })
	}
	first, there := place(&p.run[0])
	list := first
	for there && list > 0 && p.parts[list].listedWith(&p.parts[list-1]) {
		list--
	}
	switch head := p.parts[list].head; {
	case head != nil:
		above = head.text + " "
	case list > 0 && list < first && announces(p.parts[list-1].text) && len(p.parts[list-1].text) < shortParagraph:
		above = p.parts[list-1].text + " "
	}
	last, _ := place(&p.run[len(p.run)-1])
	next := last + 1
	return above, list < first, next < len(p.parts) && p.parts[next].opens && p.parts[next].listedWith(&p.parts[last])
}

// space returns what stands between a sentence and the one before it: in Chinese and Japanese nothing.
func (s *sentence) space(before *sentence) string {
	if s.from == before.to {
		return ""
	}
	return " "
}

// item returns the passage as a lead, with the question that it answers and the options that it chose from.
func (p passage) item(rule string) payload.Item {
	it := payload.Item{Kind: payload.Lead, Maker: payload.ByRule, State: payload.Stands, By: p.by(),
		Hint: p.hint(), Rule: rule, At: p.turn.At, Text: p.text(), About: about(p.text()),
		Evidence: []payload.Evidence{cite(p.turn, p.speech.text, p.from(), p.to())}}
	if rule == payload.ReportRule && p.tellsState() {
		it.Rule = payload.ReportStatesRule
	}
	if p.wonders() {
		if in, s := p.told(); s != nil {
			it.Evidence = append(it.Evidence, cite(in.turn, in.text, s.from, s.to))
		}
	} else if rule != payload.ReportRule && p.met() { // a report goes, and the reply stays
		reply := p.answer.begins()
		it.Evidence = append(it.Evidence, cite(p.answer.turn, p.answer.text, reply[0].from, reply[len(reply)-1].to))
	} else if said, evidence, ok := p.answered(); ok {
		it.Evidence = append(it.Evidence, evidence)
		if p.bare() || !p.user {
			it.Text, it.About, it.By = said, about(said), payload.ByAssistant
			slices.Reverse(it.Evidence)
		}
		if offer, s := p.choseFrom(); s != nil && !strings.Contains(said, s.text) {
			it.Evidence = append(it.Evidence, cite(offer.turn, offer.text, s.from, s.to))
		}
	}
	return it
}

// tellsState reports whether a passage lists, under a label, what is done or what isn't, in a message that tells what
// isn't.
func (p passage) tellsState() bool {
	open := func(s sentence) bool { return s.labelled() == payload.FileProgress }
	return !p.user && p.run[0].labelled() != "" && slices.ContainsFunc(p.parts, open)
}

// wonders reports whether a person only asks something in a passage, which alone says nothing.
func (p passage) wonders() bool {
	last := p.run[len(p.run)-1].text
	if n := len(p.run) - 2; n >= 0 && strings.HasPrefix(last, "http") { // "is this of use? https://…"
		last = p.run[n].text
	}
	return p.user && (asks(last) || questions().MatchString(last)) && !anyCue(p.run, cueOrder|cueWant) && !p.settles()
}

// questions matches the beginning of a question that is typed without its mark.
var questions = text.Pattern(`(?i)^\W*(?:(?:so|and|but|ok|okay|now|also|then|und|aber)\W+)*` +
	`(?:(?:what|how|why|where|which|who)\b[^.]*$|(?:should|can|could|does|is|are) (?:we|i|it|that|this|there)\b|` +
	`(?:was|wie|warum|wo|wer) (?:ist|sind|passiert|machen|geht|kann|können)\b)`)

// met reports whether a passage is shown with how it was met, without which it would seem to stand: the reply to what
// the assistant asks in it or after it lists options, or took back thereupon; and the answer to a person that it is so
// already.
func (p passage) met() bool {
	question := func(s sentence) bool { // not one that it quotes
		return s.block <= listItem && text.AnyOf(s.text, strings.HasSuffix, "?", "？")
	}
	switch {
	case p.answer == nil || len(p.answer.parts) == 0:
		return false
	case p.user:
		return alreadySo().MatchString(passage{p.answer, p.answer.begins()}.text())
	}
	lists := func(s sentence) bool { return s.block == listItem }
	acted := p.closing && p.idle() && p.answer.changed
	offers := acted && asks(p.parts[len(p.parts)-1].text) && slices.ContainsFunc(p.run, lists)
	tries := p.closing && len(p.answer.text) < shortParagraph &&
		slices.ContainsFunc(p.run, func(s sentence) bool { return tries().MatchString(s.text) })
	return offers || tries || p.overlaps(p.disputed) || slices.ContainsFunc(p.run, question)
}

// tries matches what has the person see for themselves whether something works.
var tries = text.Pattern(`(?i)^\W*(?:(?:you (?:can|should)|please|now|then) )*(?:try|test|check|see (?:if|whether)|` +
	`let me know|give it a (?:try|shot)|restart|reload|probier\pL*|teste?|versuch\pL*) `)

// alreadySo matches what says that nothing is left to do.
var alreadySo = text.Pattern(`(?i)\b(?:already|nothing (?:more |left )?to (?:do|change|fix)|` +
	`no changes? (?:is |are )?(?:needed|necessary)|(?:ist|sind|hat|haben) (?:\S+ )?(?:schon|bereits))\b`)

const (
	maxAsked = 160 // bytes up to which a question without its answer isn't quoted
	maxTold  = 200 // sentences among which its answer is looked for
)

// told returns the sentence that answers a person's question: of what closed its exchange the first with most of its
// words; an earlier message's if that has more of them, or if the answer begins by saying that the person is right.
func (p passage) told() (in *speech, best *sentence) {
	words, most := keywords(p.text()), -1
	if len(p.text()) > maxAsked { // of several questions, perhaps
		most = 1
	}
	denied := p.answer != nil && len(p.answer.parts) > 0 && passage{p.answer, p.answer.begins()}.denies()
	for sp := p.answer; sp != nil; sp = sp.reacts {
		if denied && sp != p.answer {
			break // it takes back what was supposed on the way
		}
		if sp.reacts == nil && concedes().MatchString(sp.text) {
			if begins := sp.begins(); len(begins) > 0 && tells(begins[len(begins)-1].text, minTelling) {
				return sp, &begins[len(begins)-1]
			}
		}
		for i := range sp.parts[:min(len(sp.parts), maxTold)] {
			s := &sp.parts[i]
			says := s.block == paragraph && worthReading(s, sp) && !sp.foreign(s) && !asks(s.text)
			says = says && !s.cues.has(cueNarrate) && !announces(s.text) && tells(s.text, minTelling)
			says = says && !conditional().MatchString(s.text) &&
				!(passage{sp, sp.parts[i : i+1]}).overlaps(sp.takenBack)
			if n := keywords(s.text).Shared(words); says && n > most && (n > 0 || !sp.ofNotice) {
				in, best, most = sp, s, n
			}
		}
	}
	return in, best
}

// outcome returns what the message that closed the work on an order says of it, if it has two of the order's words.
func (p passage) outcome() (e payload.Evidence, ok bool) {
	if !p.user || !p.actedOn || p.bare() || p.wonders() {
		return e, false
	}
	in, s := p.told()
	if s == nil || in != p.answer || keywords(s.text).Shared(keywords(p.text())) < 2 {
		return e, false
	}
	return cite(in.turn, in.text, s.from, s.to), true
}

// conditional matches what is said of a case that may never come.
var conditional = text.Pattern(`(?i)^\W*(?:if|falls|wenn|si) \pL+ `)

// overlaps reports whether one of some sentences of its speech is in a passage.
func (p passage) overlaps(of []sentence) bool {
	return slices.ContainsFunc(of, func(s sentence) bool { return s.from < p.to() && p.from() < s.to })
}

// beyond returns what of the passage an item of the same turn doesn't quote, without greetings before that; where all
// is quoted, what is, which no page shows twice.
func (p passage) beyond(quoted string) passage {
	holds := func(s sentence) bool { return strings.Contains(quoted, strings.TrimSpace(s.text)) }
	idle := func(s sentence) bool { return holds(s) || asksNothing(&s) }
	first := slices.IndexFunc(p.run, holds)
	if first < 0 {
		return p
	}
	from, to := 0, len(p.run)
	for from < to && idle(p.run[from]) {
		from++
	}
	for to > from && holds(p.run[to-1]) {
		to--
	}
	if from == to {
		from, to = first, len(p.run)
	}
	return passage{p.speech, p.run[from:to]}
}

// beyondAll returns what of the passage no item of the same turn quotes.
func (p passage) beyondAll(items []payload.Item) passage {
	for _, it := range items {
		if it.Quoted() && string(p.turn.ID) == it.First().Turn {
			p = p.beyond(it.Text)
		}
	}
	return p
}

// quotedIn reports whether an item quotes the passage.
func (p passage) quotedIn(it *payload.Item) bool {
	said := cite(p.turn, p.speech.text, p.from(), p.to())
	return slices.ContainsFunc(it.Evidence, func(e payload.Evidence) bool { return e.Quote == said.Quote })
}

// hint returns what a passage perhaps is, by its cues, or "".
func (p passage) hint() payload.Kind {
	for _, h := range hints {
		if anyCue(p.run, h.cue) || h.kind == payload.Eliminated && p.denies() {
			return h.kind
		}
	}
	if payload.Warns(p.text()) {
		return payload.Flag
	}
	return ""
}

var hints = []struct {
	cue  cueSet
	kind payload.Kind
}{
	{cueRuled, payload.Eliminated}, {cueOf("later"), payload.Deferred}, {cueOf("warn"), payload.Flag},
	{cueOf("cause"), payload.Hypothesis}, {cueOf("next"), payload.Next},
}

// asked returns what a typed text answers that begins too briefly to make sense alone: the last question near the end
// of the message before it, with what the question is about; where nothing was asked, its last sentence.
func (p passage) asked() []sentence {
	if !p.user {
		return p.supposed()
	}
	open := leansBack().MatchString(p.run[0].text)
	if p.from() > p.parts[0].from || p.reacts == nil || tells(p.run[0].text, minAnswerKeys) && !open {
		return nil
	}
	parts := p.reacts.parts
	for i := len(parts) - 1; i >= max(0, len(parts)-3); i-- {
		if !asks(parts[i].text) {
			continue
		}
		if asks(p.text()) {
			return nil
		}
		if listed := p.takes(parts, i); listed >= 0 {
			return parts[listed : listed+1]
		}
		from := i
		pointsBack := pointsBack().MatchString(parts[i].text) && len(about(parts[i].text)) == 0
		brief := !tells(parts[i].text, minTelling)
		if from > 0 && !parts[i].opens && (pointsBack || brief) {
			from--
		}
		each := p.bare() || eachOf().MatchString(p.run[0].text) // yes to both, yes to the first
		for from > 0 && asks(parts[from-1].text) && (each || orElse().MatchString(parts[from].text)) {
			from--
		}
		return parts[from : i+1]
	}
	if len(parts) == 0 || tells(p.text(), minAnswerKeys) {
		return nil
	}
	says := text.Denies(p.text()) || tells(p.text(), 1) && !p.greets()
	first := max(0, slices.IndexFunc(p.run, func(s sentence) bool { return !s.greets() })) // "nice. commit that"
	alone := p.run[first].cues.has(cueOrder|cueWant) && !p.bare() &&
		!(pointsBack().MatchString(p.run[first].text) && tells(p.run[first].text, 2))
	if answers := says && !alone || p.declines() || text.Agrees(p.text()) && p.bare(); !answers {
		return nil
	}
	from := len(parts) - 1
	last := &parts[from]
	brief := !tells(last.text, minTelling) || distill.NeedsContext(last.text)
	if from > 0 && !last.opens && brief {
		from--
	}
	for from > 0 && parts[from-1].listedWith(last) && last.to-parts[from-1].from <= payload.MaxOtherPassage {
		from-- // a list is answered as a whole
	}
	if last.cues.has(cueNarrate) {
		return nil
	}
	return parts[from:]
}

// takes returns the place of the item of a list near a question that a reply of more than yes or no shares clearly more
// words with than with the question; -1 if there is none.
func (p passage) takes(parts []sentence, question int) int {
	const clearly, near = 2, 6
	words, best := keywords(p.text()), -1
	most := keywords(parts[question].text).Shared(words) + clearly - 1
	for i := max(0, question-near); i < len(parts) && !p.bare(); i++ {
		item := keywords(parts[i].text)
		n := item.Shared(words)
		if n > most && parts[i].block == listItem && n < len(item) { // else the reply quotes it
			best, most = i, n
		}
	}
	return best
}

// answered returns what a passage is shown with: the option that it takes, else what it answers.
func (p passage) answered() (said string, of payload.Evidence, ok bool) {
	from, to, ok := p.picked()
	if asked := p.asked(); !ok && asked != nil {
		question := passage{p.reacts, asked}
		return question.text(), cite(p.reacts.turn, p.reacts.text, asked[0].from, question.to()), true
	}
	if !ok {
		return "", of, false
	}
	return plain(p.reacts.text[from:to]), cite(p.reacts.turn, p.reacts.text, from, to), true
}

// choseFrom returns the sentence that offered two options of which a person's reply took one: of the messages before it
// in the same exchange.
func (p passage) choseFrom() (*speech, *sentence) {
	took := text.Takes(p.text())
	for sp := p.reacts; p.user && sp != nil; sp = sp.reacts {
		for i := range sp.parts {
			if s := &sp.parts[i]; text.Lost(s.text, took) != nil && !sp.foreign(s) {
				return sp, s
			}
		}
	}
	return nil, nil
}

// orElse matches a question that gives the other choice of the one before it.
var orElse = text.Pattern(`(?i)^\W*(?:(?:or|oder|ou|of)\b|o (?:[a-z]|¿)|それとも|あるいは|还是|還是|아니면)`)

// leansBack matches the beginning of an answer that makes no sense without its question, however much more it says: yes
// or no, what leaves the question open, and what has its verb in the question: "in each package, so that …".
var leansBack = text.Pattern(`(?i)^\W*(?:sí[ ,.]|não |네[, .]|아니|(?:yes|yep|yeah|yup|no|nope|nah|ja|nein|oui|non|sim|` +
	`(?:good|keine) (?:question|ahnung)|(?:i )?don['’]?t know|not (?:sure|my call)|` +
	`in|on|at|with|without|by|from|into|per|under|each|both|neither|either|same|auf|mit|ohne|je|beides?|` +
	`its own|their own|the (?:first|second|third|last|former|latter|other|same|one))\b)`)

// eachOf matches an answer to several questions by their places.
var eachOf = text.Pattern(`(?i)\b(?:first|second|third|former|latter|both|neither|either|erste[rsn]?|zweite[rsn]?|` +
	`beides?|primer[oa]|segund[oa])\b`)

// smallTalk reports whether a passage is only that, and no answer to a question: a yes to what the assistant offered to
// do says no more than what it then did.
func (p passage) smallTalk() bool {
	asked := p.asked()
	if len(asked) == 0 || p.declines() {
		return p.greets() && len(asked) == 0
	}
	says := func(s sentence) bool { return !distill.Offers(s.text) }
	repeats := func() bool { return keywords(p.text()).In(keywords(passage{p.reacts, asked}.text())) == 1 }
	agrees := p.greets() || text.Agrees(p.text()) && (p.bare() || repeats())
	return p.greets() && !asks(asked[len(asked)-1].text) || agrees && !slices.ContainsFunc(asked, says)
}

// greets reports whether a passage only greets, thanks or agrees.
func (p passage) greets() bool {
	return !slices.ContainsFunc(p.run, func(s sentence) bool { return !s.greets() })
}

// bare reports whether a passage says no more than yes or no.
func (p passage) bare() bool { return !tells(p.text(), minBareKeys) }

// How many keywords an answer has from which it makes sense without its question, and from which it says more than yes.
const (
	minAnswerKeys = 6
	minBareKeys   = 2
)

// tells reports whether a passage says enough to be worth a line, with what it is shown with.
func (p passage) tells() bool {
	to, _, _ := p.answered()
	return tells(p.text()+" "+to, minTelling) || text.Lost(to, text.Takes(p.text())) != nil
}
