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
	return one && !menu().MatchString(a.Question) && !(Offers(a.Question) && consents().MatchString(a.Chosen[0]))
}

// Offers reports whether a question only asks if the assistant may do something.
func Offers(question string) bool { return offer().MatchString(question) }

var (
	menu = text.Pattern(`(?i)\b(?:which|what) (?:\w+ )?(?:areas?|parts?|topics?|aspects?|sections?|features?|` +
		`of these|next)\b|\bwhat (?:would you like|do you want|should (?:i|we) (?:do|look|focus|start|work))\b|` +
		`\bwhere (?:should|do|shall) \w+ (?:start|begin)|` +
		`\bhow (?:should|would|do|shall) .{0,20}\b(?:proceed|continue|go on)\b|\b(?:first|next)\?`)
	offer = text.Pattern(`(?i)^\W*(?:want me|shall i|should i|would you like|do you want|can i|may i|ok if)\b|` +
		`^\W*[\w ]{1,30}\?$`)
	consents = text.Pattern(`(?i)^\W*(?:yes|sure|ok|okay|go ahead|no(?:t|,)? (?:now|yet|later|thanks)|later|skip|` +
		`please|ja|oui|sí)\b`)
)

// quoteAnswer turns a decision into a quote of the answer, to what was asked.
func quoteAnswer(it *payload.Item, a *ingest.Answer) {
	said := it.First()
	it.Kind, it.Hint, it.Text = payload.Lead, payload.Decision, text.OneLine(strings.Join(a.Chosen, ", "))
	it.Why, it.Alternatives = "", nil
	it.Evidence = []payload.Evidence{said}
	if q := text.HeadWords(a.Question, MaxQuote); q != "" {
		it.Evidence = append(it.Evidence, payload.Evidence{Turn: said.Turn, N: said.N, Quote: q})
	}
}

// takenBack returns the later prompt in which the person refuses what they chose or approved, or takes another option,
// with the sentence that says so.
func (c *contract) takenBack(it *payload.Item, t *ingest.Turn, a *ingest.Answer) (no *ingest.Turn, quote string) {
	chosen, about, others := read(it.Text), []sayWord(nil), [][]sayWord(nil)
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
	for i := c.position[t] + 1; i < len(c.session.Turns); i++ {
		later := &c.session.Turns[i]
		if !typed(later) {
			continue
		}
		for _, s := range c.statements(later) {
			instead := len(s.text) <= longestChange && slices.ContainsFunc(others, func(o []sayWord) bool {
				return len(o) > 0 && allIn(o, s.words, false)
			}) && (changesMind().MatchString(s.text) || shareIn(chosen, read(later.OwnText())) > 0)
			undone := allIn(chosen, s.words, true) && !more(s.words, chosen, about) || a == nil && takesOut(s, chosen)
			if instead || undone || c.renumbers(later, s, chosen) {
				if q := inTurn(later, s.text); q != "" {
					return later, q
				}
			}
		}
	}
	return nil, ""
}

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
	return len(beside) <= 2 && before != nil && slices.ContainsFunc(c.statements(before), func(said statement) bool {
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

// takesOut reports whether a statement undoes what a choice names: "take the expiry out again".
func takesOut(s statement, chosen []sayWord) bool {
	n, others, sure := 0, 0, false
	undoing := outAgain().MatchString(s.text) || slices.ContainsFunc(s.words, func(w sayWord) bool {
		return undoes[w.stem]
	})
	for _, w := range s.words {
		named := slices.ContainsFunc(chosen, func(o sayWord) bool {
			long, short := max(w.stem, o.stem), min(w.stem, o.stem) // "expiry", "expire"
			return long == short || len(short) > 4 && strings.HasPrefix(long, short)
		})
		switch {
		case !w.denied || w.joint || undoes[w.stem]:
		case named:
			n, sure = n+1, sure || w.exact
		default:
			others++
		}
	}
	return undoing && n > 0 && (sure || others == 0)
}

// outAgain matches what takes out what stands before it.
var outAgain = text.Pattern(`(?i)\b(?:out again|back out|wieder (?:he)?raus|wieder weg)\b`)

// statement is a sentence that a person typed and that asks nothing.
type statement struct {
	text  string
	words []sayWord
}

// statements returns a turn's, which are read once: each item on record is held to all later turns.
func (c *contract) statements(t *ingest.Turn) []statement {
	all, ok := c.stated[t]
	if !ok {
		for _, sentence := range text.Sentences(t.OwnText(), true) {
			if !strings.HasSuffix(sentence, "?") {
				all = append(all, statement{sentence, read(sentence)})
			}
		}
		c.stated[t] = all
	}
	return all
}

// changesMind matches a sentence by which something is to be otherwise.
var changesMind = text.Pattern(`(?i)\b(?:instead|actually|after all|rather|(?:my|our) mind|second thoughts?|switch|` +
	`no longer|doch|lieber|stattdessen|finalement|mejor)\b`)

// longestChange is the longest sentence in which a person takes another option, in bytes; what is longer was pasted.
const longestChange = 500

// allIn reports whether all words of one text are in another, denied there or not.
func allIn(words, in []sayWord, denied bool) bool {
	return !slices.ContainsFunc(words, func(w sayWord) bool {
		return !w.joint && !slices.ContainsFunc(in, func(o sayWord) bool { return o.stem == w.stem && o.denied == denied })
	})
}

// more reports whether a sentence denies something else, too: "drop the sqlite tests" doesn't take back SQLite.
func more(words, chosen, about []sayWord) bool {
	return slices.ContainsFunc(words, func(w sayWord) bool {
		return w.denied && !w.joint && !undoes[w.stem] && !has(chosen, w.stem) && !has(about, w.stem)
	})
}
