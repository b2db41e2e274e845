package distill

import (
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// onRecord holds a decision on record to what the record says: the one labelled option that a person chose, or a plan
// that they approved. Whatever else was answered is a quote. What they take back later in the session is revoked.
func (c *contract) onRecord(it *payload.Item) {
	for _, t := range c.at[it.First().Turn] {
		a := answerOf(t, it.First().Quote)
		if a != nil && it.Rule == payload.AnswerRule && !labelled(a) {
			quoteAnswer(it, a)
			return
		}
		if no, quote := c.takenBack(it, t, a); no != nil {
			it.State = payload.Revoked
			it.Evidence = append(slices.Clip(it.Evidence), payload.Evidence{Turn: string(no.ID), N: no.N, Quote: quote})
			return
		}
	}
}

// answerOf returns the answer of a turn that begins with a quote, or nil.
func answerOf(t *ingest.Turn, quote string) *ingest.Answer {
	for i := range t.Calls {
		for k := range t.Calls[i].Answers {
			if a := &t.Calls[i].Answers[k]; len(a.Chosen) > 0 && strings.HasPrefix(a.Chosen[0], quote) {
				return a
			}
		}
	}
	return nil
}

// labelled reports whether an answer is one option of several that exclude each other, and decides something: not what
// to talk about next, nor whether the assistant may do what it offers.
func labelled(a *ingest.Answer) bool {
	one := !a.Free && !a.Multi && len(a.Chosen) == 1
	return one && !menu().MatchString(a.Question) && !(asksLeave(a.Question) && consents().MatchString(a.Chosen[0]))
}

// asksLeave reports whether a question asks if the assistant may do something: also "Proceed?", of a few words.
func asksLeave(question string) bool {
	return offer().MatchString(question) || len(strings.Fields(question)) <= 3
}

// Offers reports whether a question, which may be a sentence of a message, only asks if the assistant may do something.
func Offers(question string) bool {
	return offer().MatchString(question) || brief().MatchString(question)
}

var (
	menu = text.Pattern(`(?i)\b(?:which|what) (?:\w+ )?(?:areas?|parts?|topics?|aspects?|sections?|features?|` +
		`of these|next)\b|\bwhat (?:would you like|do you want|should (?:i|we) (?:do|look|focus|start|work))\b|` +
		`\bwhere (?:should|do|shall) \w+ (?:start|begin)|` +
		`\bhow (?:should|would|do|shall) .{0,20}\b(?:proceed|continue|go on)\b|\b(?:first|next)\?`)
	offer    = text.Pattern(`(?i)^\W*(?:want me|shall i|should i|would you like|do you want|can i|may i|ok if)\b`)
	brief    = text.Pattern(`^\W*[\w ]{1,30}\?$`)
	consents = text.Pattern(`(?i)^\W*(?:yes|sure|ok|okay|go ahead|no(?:t|,)? (?:now|yet|later|thanks)|later|skip|` +
		`please|ja|oui)\b|^\W*sí(?:\W|$)`)
)

// quoteAnswer turns a decision into a quote of the answer, to what was asked.
func quoteAnswer(it *payload.Item, a *ingest.Answer) {
	said := it.First()
	it.Kind, it.Hint, it.Text = payload.Lead, payload.Decision, text.OneLine(strings.Join(a.Chosen, ", "))
	if notes := text.OneLine(a.Notes); !strings.Contains(it.Text, notes) { // their own words, and often what counts
		it.Text += "; " + notes
	}
	it.Why, it.Alternatives = "", nil
	it.Evidence = []payload.Evidence{said}
	if q := text.HeadWords(a.Question, MaxQuote); q != "" {
		it.Evidence = append(it.Evidence, payload.Evidence{Turn: said.Turn, N: said.N, Quote: q})
	}
}

// takenBack returns the later prompt in which the person refuses what they chose or approved, or takes another option,
// with the sentence that says so.
func (c *contract) takenBack(it *payload.Item, t *ingest.Turn, a *ingest.Answer) (no *ingest.Turn, quote string) {
	chosen, about, others := read(it.Text), read("plan"), [][]sayWord(nil)
	planned := a == nil // no other plan was approved since
	if a != nil {
		chosen, about = read(strings.Join(a.Chosen, " ")), read(a.Question)
		for _, o := range a.Options {
			if !slices.Contains(a.Chosen, o.Label) {
				others = append(others, read(o.Label))
			}
		}
	}
	if len(chosen) == 0 || a == nil && len(chosen) < 2 {
		return nil, ""
	}
	next := true // nothing else was typed since
	for i := c.position[t] + 1; i < len(c.session.Turns); i++ {
		later := &c.session.Turns[i]
		said := c.rulings(later)
		planned = planned && !slices.ContainsFunc(later.Calls, func(call ingest.ToolCall) bool {
			return call.Plan != nil && call.Verdict == ingest.Approved
		})
		for _, s := range said {
			instead := slices.ContainsFunc(others, func(o []sayWord) bool {
				return len(o) > 0 && allIn(o, s.words)
			}) && (changesMind().MatchString(s.text) || shareIn(chosen, read(later.OwnText())) > 0)
			gone := deniesOf(s.words, chosen, about) || next && s.undoesThat() ||
				planned && s.dropsPlan()
			if instead || gone || c.renumbers(later, s, chosen) {
				if q := text.HeadWords(s.text, MaxQuote); !typed(later) || inTurn(later, s.text) != "" {
					return later, q
				}
			}
		}
		next = next && len(said) == 0
	}
	return nil, ""
}

// rulings returns the statements of a turn that a person typed, or with which they refused its calls. What is longer
// than a ruling was pasted. They are read once: each item on record is held to all later turns.
func (c *contract) rulings(t *ingest.Turn) []statement {
	all, known := c.ruled[t]
	if known {
		return all
	}
	if typed(t) {
		all = statementsIn(t.OwnText(), longestRuling)
	} else if !t.Abandoned {
		for i := range t.Calls {
			if call := &t.Calls[i]; call.Verdict == ingest.Rejected && call.ReasonTurn == "" {
				all = append(all, statementsIn(call.Reason, longestRuling)...)
			}
		}
	}
	c.ruled[t] = all
	return all
}

// undoesThat reports whether a statement undoes what was just done, whatever that is: "undo all of it".
func (s statement) undoesThat() bool {
	of := slices.DeleteFunc(slices.Clone(s.words), func(w sayWord) bool { return w.clause > s.words[0].clause })
	return len(of) == 1 && undoes[of[0].stem] && whole().MatchString(s.text)
}

// dropsPlan reports whether a sentence gives up the plan as a whole.
func (s statement) dropsPlan() bool {
	at := dropped().FindStringIndex(s.text)
	return at != nil && !notTo().MatchString(s.text[:at[0]])
}

// notTo matches what has the verb after it denied.
var notTo = text.Pattern(`(?i)(?:\b(?:not|never|nicht|dont|wont)|n['’]t)\b[^,.;:]*$`)

var dropped = text.Pattern(`(?i)\b(?:scrap|drop|forget|abandon|ditch|cancel|discard|trash|bin|undo|` +
	`(?:throw|toss) out|throw away)\s+` +
	`(?:the|this|that|your|my|our)\s+(?:(?:whole|entire|old|last)\s+)?plan(?:\W*$|[,;:!–—]|` +
	`\s+(?:and|then|again|please|for now|completely|entirely)\b)|` +
	`\b(?:vergiss|verwirf|vergessen wir|streich)\s+(?:den|diesen|deinen)\s+(?:ganzen\s+)?plan\b`)

// whole matches a word for what was said or done before.
var whole = text.Pattern(`(?i)\b(?:this|that|it|them|all|everything|alles|das|tout|todo|eso)\b`)

// renumbers reports whether a statement gives another number for one of a choice's: it names that, too, or most of what
// it is of, or says little else in reply to a message that did ("make that 25").
func (c *contract) renumbers(by *ingest.Turn, s statement, chosen []sayWord) bool {
	had, others := numbersIn(chosen), numbersIn(s.words)
	others = slices.DeleteFunc(others, func(w sayWord) bool { return has(had, w.stem) })
	if len(had) == 0 || len(others) == 0 {
		return false
	}
	names := func(said []sayWord) (numbers, of int) {
		for _, w := range chosen {
			switch {
			case w.joint || !has(said, w.stem):
			case has(had, w.stem):
				numbers++
			default:
				of++
			}
		}
		return numbers, of
	}
	if number, of := names(s.words); number > 0 || of > 1 && 2*of >= len(chosen)-len(had) {
		return true
	}
	beside := slices.DeleteFunc(slices.Clone(s.words), func(w sayWord) bool {
		return w.clause != others[0].clause || w.joint
	})
	before := c.before(by)
	if len(beside) > 2 || before == nil {
		return false
	}
	return slices.ContainsFunc(statementsIn(before.OwnText(), len(before.Text)), func(said statement) bool {
		number, of := names(said.words)
		return number > 0 && of > 0
	})
}

// numbersIn returns the words that are numbers, and no part of a name.
func numbersIn(words []sayWord) (numbers []sayWord) {
	for i, w := range words {
		ofName := i+1 < len(words) && words[i+1].part
		if w.exact && !ofName && strings.Trim(w.stem, "0123456789.") == "" {
			numbers = append(numbers, w)
		}
	}
	return numbers
}

// statement is a sentence that a person typed and that asks nothing.
type statement struct {
	text  string
	words []sayWord
}

// statementsIn returns the statements of a text of so many bytes at most.
func statementsIn(said string, most int) (all []statement) {
	for _, sentence := range text.Sentences(said, true) {
		if !strings.HasSuffix(sentence, "?") && len(sentence) <= most {
			all = append(all, statement{sentence, read(sentence)})
		}
	}
	return all
}

// changesMind matches a sentence by which something is to be otherwise.
var changesMind = text.Pattern(`(?i)\b(?:instead|actually|after all|rather|(?:my|our) mind|second thoughts?|switch|` +
	`no longer|doch|lieber|stattdessen|finalement|mejor)\b`)

// longestRuling is the longest sentence in which a person takes something back, in bytes.
const longestRuling = 500

// deniesOf reports whether a sentence surely denies words of a choice, and of nothing else: "take the expiry out
// again", but not "drop the sqlite tests" of SQLite. A number that it has is enough.
func deniesOf(words, chosen, about []sayWord) bool {
	named, others := false, false
	for _, w := range words {
		surely := w.denied && !w.loose && !w.joint
		switch {
		case !surely, undoes[w.stem], has(about, w.stem):
		case has(numbersIn(chosen), w.stem):
			return true
		default:
			is := slices.ContainsFunc(chosen, func(o sayWord) bool { return alike(w.stem, o.stem) })
			named, others = named || is, others || !is
		}
	}
	return named && !others
}

// alike reports whether two stems are of one word: "expiry", "expire".
func alike(a, b string) bool {
	long, short := max(a, b), min(a, b)
	return long == short || len(short) > 4 && strings.HasPrefix(long, short)
}

// allIn reports whether a sentence affirms all words of a text.
func allIn(words, in []sayWord) bool {
	return !slices.ContainsFunc(words, func(w sayWord) bool {
		return !w.joint && !slices.ContainsFunc(in, func(o sayWord) bool { return o.stem == w.stem && !o.denied })
	})
}
