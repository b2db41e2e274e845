package distill

import (
	"strings"

	"recall/ingest"
	"recall/text"
)

// Objects reports whether a turn begins with words that don't go along with what
// was said before it.
func Objects(t *ingest.Turn) bool { return objects().MatchString(t.OwnText()) }

var (
	objects = text.Pattern(`(?i)^\W*(?:no\b|nope|not? (?:that|this|quite|yet)|stop\b|wait\b|don['’]?t\b|do ` +
		`not\b|instead\b|undo\b|revert\b|wrong\b|that['’]?s (?:not|wrong)|i (?:don['’]?t|disagree|meant))`)
	// turnsDown matches the word by which a clause turns down what follows it.
	turnsDown = text.Pattern(`(?i)\b(?:no|nope|nein|don['’]?t|do not|let['’]?s not|not|never|instead of|rather ` +
		`than|undo|revert|scratch|drop|forget|stop)\b`)
	// turnsNothing are such words that turn nothing down.
	turnsNothing = text.Pattern(`(?i)\b(?:no (?:problem|worries|idea|issue|doubt|matter)|not ` +
		`(?:only|just|sure|bad|clear|certain)|(?:don['’]?t|do not) ` +
		`(?:forget|worry|know|understand|see|get|have|mind|remember)|why not|whether or not|if not|or not)\b`)
	clauseEnd    = text.Pattern(`[,;:.!?\n—]`)
	sentences    = text.Pattern(`[^.!?\n]+(?:[.!?]+[^\s.!?][^.!?\n]*)*[.!?]*`)
	saysNoItself = text.Pattern(`(?i)\b(?:without|not?|never|instead|rather than|removed?|dropped)\b|n['’]t\b`)
	together     = text.Pattern(`(?i)\b(?:this|that|it|them)\b`)
)

const (
	refusedIn = 3 // sentences of the answer that a refusal may stand in
	bareWords = 2 // words of content that a refusal of whatever was proposed has at most
	refusedBy = 6 // words of content behind the "no" that it may be said of
)

// refusal is the sentence with which a person's next turn says no to what was said,
// or takes it back, "" if it doesn't do so outright: a "no" whose clause speaks of
// it, or a bare one where it was the one thing asked last.
func refusal(said string, proposal *ingest.Turn, quote string, next *ingest.Turn) string {
	if saysNoItself().MatchString(said) {
		return "" // it knows of the refusal
	}
	about := text.Words(said)
	own := next.OwnText()
	for n, at := range sentences().FindAllStringIndex(own, refusedIn) {
		sentence := strings.TrimSpace(own[at[0]:at[1]])
		plain := turnsNothing().ReplaceAllString(sentence, "")
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
			for _, w := range words[:min(refusedBy, len(words))] {
				if about.Has(w) {
					hits++
				}
			}
			if hits > 0 && 2*hits >= len(words) || hits > 0 && together().MatchString(clause) {
				return inTurn(next, sentence)
			}
		}
		if n == 0 && objects().MatchString(plain) && len(content(plain)) <= bareWords && askedLast(proposal, quote) {
			return inTurn(next, sentence)
		}
	}
	return ""
}

// inTurn is a sentence as evidence, "" if it isn't the turn's own words in one piece.
func inTurn(t *ingest.Turn, sentence string) string {
	if q := text.HeadWords(sentence, MaxQuote); strings.Contains(t.Text, q) && ownWords(t, q) {
		return q
	}
	return ""
}

// askedLast reports whether a quote is of the last sentence of a message, and
// that is a question.
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
