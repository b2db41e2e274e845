package distill

import (
	"strings"

	"recall/ingest"
	"recall/internal/text"
)

// Objects reports whether a turn begins with words that disagree with what was said before it.
func Objects(t *ingest.Turn) bool { return text.Refuses(t.OwnText()) }

// ObjectsTo reports whether the next turn disagrees with what a message says: a "no" that answers a question at its end
// disagrees with that alone.
func ObjectsTo(t *ingest.Turn, quote string, next *ingest.Turn) bool {
	if !Objects(next) {
		return false
	}
	own := strings.TrimSpace(t.OwnText())
	return !asks(own) || strings.Contains(askedIn(own), quote)
}

var (
	// turnsDown matches the word with which a clause rejects what follows.
	turnsDown = text.Pattern(`(?i)\b(?:no|nope|nein|don['’]?t|do not|let['’]?s not|not|never|instead of|rather ` +
		`than|undo|revert|scratch|drop|forget|stop)\b`)
	// harmlessNo matches phrases with such a word that reject nothing; each has one of harmlessSigns.
	harmlessNo = text.Pattern(`(?i)\b(?:not? (?:more|less|fewer) than|no (?:problem|worries|idea|issue|doubt|matter)|` +
		`not (?:only|just|sure|bad|clear|certain)|(?:don['’]?t|do not) ` +
		`(?:forget|worry|know|understand|see|get|have|mind|remember)|why not|whether or not|if not|or not)\b`)
	harmlessSigns = []string{"no ", "not", "don't ", "don’t ", "dont "}

	clauseEnd    = text.Pattern(`[,;:.!?\n—]`)
	sentences    = text.Pattern(`[^.!?\n]+(?:[.!?]+[^\s.!?][^.!?\n]*)*[.!?]*`)
	saysNoItself = text.Pattern(`(?i)\b(?:without|not?|never|instead|rather than|removed?|dropped)\b|n['’]t\b`)
	pronoun      = text.Pattern(`(?i)\b(?:this|that|it|them)\b`)
)

// withoutHarmless puts something else in place of phrases that deny nothing.
func withoutHarmless(s, instead string) string {
	if !text.AnyOf(strings.ToLower(s), strings.Contains, harmlessSigns...) { // as in most sentences
		return s
	}
	return harmlessNo().ReplaceAllString(s, instead)
}

const (
	refusalSentences = 3 // leading sentences of the answer that may hold a refusal
	bareRefusalWords = 2 // most content words in a refusal of whatever was proposed
	refusalWords     = 6 // content words after the "no" that may name what it rejects
)

// refusal returns the sentence with which a person's next turn rejects or takes back what was said, or "" if it
// doesn't do so outright: a "no" whose clause is about it, or a bare "no" if it was the only thing asked last.
func refusal(said string, proposal *ingest.Turn, quote string, next *ingest.Turn) string {
	if saysNoItself().MatchString(said) {
		return "" // it already reflects the refusal
	}
	about := text.Words(said)
	own := next.OwnText()
	for n, at := range sentences().FindAllStringIndex(own, refusalSentences) {
		sentence := strings.TrimSpace(own[at[0]:at[1]])
		plain := withoutHarmless(sentence, "")
		if strings.HasSuffix(plain, "?") {
			continue
		}
		for _, m := range turnsDown().FindAllStringIndex(plain, -1) {
			clause := strings.TrimLeft(plain[m[1]:], " ,")
			if end := clauseEnd().FindStringIndex(clause); end != nil {
				clause = clause[:end[0]]
			}
			words := content(clause)
			hits := 0
			for _, w := range words[:min(refusalWords, len(words))] {
				if about.Has(w) {
					hits++
				}
			}
			if hits > 0 && 2*hits >= len(words) || hits > 0 && pronoun().MatchString(clause) {
				return inTurn(next, sentence)
			}
		}
		if n == 0 && text.Refuses(plain) && len(content(plain)) <= bareRefusalWords && askedLast(proposal, quote) {
			return inTurn(next, sentence)
		}
	}
	return ""
}

// inTurn returns a sentence as a quote, or "" if it isn't contiguous in the turn's own words.
func inTurn(t *ingest.Turn, sentence string) string {
	if q := text.HeadWords(sentence, MaxQuote); strings.Contains(t.Text, q) && t.Owns(q) {
		return q
	}
	return ""
}

// askedLast reports whether a quote is from the last sentence of an assistant's message and that is a question.
func askedLast(t *ingest.Turn, quote string) bool {
	all := sentences().FindAllString(t.Text, -1)
	for len(all) > 0 && strings.TrimSpace(all[len(all)-1]) == "" {
		all = all[:len(all)-1]
	}
	if t.Role != ingest.Assistant || len(all) == 0 {
		return false
	}
	last, quote := strings.TrimSpace(all[len(all)-1]), strings.TrimSpace(quote)
	return strings.HasSuffix(last, "?") && (strings.Contains(last, quote) || strings.HasSuffix(quote, last))
}
