package notes

import (
	"path"
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// refuses says why a note can't be based on a place, "" if it can, and whether that place is a person's assent to
// what was said before it.
func (g *grounds) refuses(n *payload.Note, p standing) (why string, assent bool) {
	t := &g.s.Turns[p.turn]
	around := p.quote + " " + ownText(t)
	if assent = p.by == payload.ByUser && assents(t.OwnText()); assent {
		around += " " + g.before(p.turn) // what "yes, do that" refers to
	}
	if !bears(name(n.Path)+" "+n.Text, p.quote, around, assent) {
		return quoteOther, false
	}
	if opposite(n, lead(ownText(t), p.quote), p.quote) {
		return quoteAgainst, false
	}
	if p.by != payload.ByAssistant {
		return "", assent
	}
	next := g.next(p.turn)
	switch {
	case next != nil && (next.Kind == ingest.Interrupt || distill.Objects(next)):
		return notAccepted, false
	case next == nil && (n.Kind == payload.Decision || n.Kind == payload.Deferred) && t.Role == ingest.Assistant:
		return notAccepted, false
	}
	return "", false
}

// agreeing are the words of a reply that only says yes.
var agreeing = text.Set(`yes yep yeah yup ya ok okay oki k sure sounds looks good great fine perfect nice cool
	correct right exactly absolutely definitely agree agreed approved lgtm alright go ahead proceed please thanks thank
	works makes sense love awesome done way plan idea option first second third one both all suggested propose proposed
	say ja jo klar passt gut genau mach machen das so bitte danke einverstanden oui si vas y d'accord accord parfait
	bien vale claro perfecto adelante sí sim certo va bene`)

// assents reports whether a reply only says yes to what was said before. "Do the calls" doesn't: it is about the
// calls.
func assents(s string) bool {
	own := func(w string) bool { return !agreeing[w] }
	return strings.TrimSpace(s) != "" && !slices.ContainsFunc(text.Content(s), own)
}

// name returns what people call a file: its base name without what follows the first dot.
func name(file string) string {
	base, _, _ := strings.Cut(path.Base(file), ".")
	return strings.Trim(base, "/ ")
}

// ownText returns what a turn's speaker said, including answers to its questions and its plans.
func ownText(t *ingest.Turn) string {
	parts := []string{t.OwnText()}
	for i := range t.Calls {
		c := &t.Calls[i]
		parts = append(parts, c.Reason)
		for _, a := range c.Answers {
			parts = append(parts, a.Question, strings.Join(a.Chosen, " "), a.Notes)
		}
		if c.Plan != nil {
			parts = append(parts, c.Plan.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// before returns the assistant's last message before a turn.
func (g *grounds) before(turn int) string {
	for i := turn - 1; i >= 0; i-- {
		if t := &g.s.Turns[i]; t.Kind == ingest.Message && strings.TrimSpace(t.OwnText()) != "" && !t.Abandoned {
			return t.OwnText()
		}
	}
	return ""
}

// next returns the person's next turn, nil if there is none.
func (g *grounds) next(turn int) *ingest.Turn {
	for i := turn + 1; i < len(g.s.Turns); i++ {
		t := &g.s.Turns[i]
		if t.Abandoned {
			continue
		}
		switch t.Kind {
		case ingest.Prompt, ingest.Command, ingest.Interrupt, ingest.PlanTurn:
			return t
		}
	}
	return nil
}

// coverage is the share of a note's content words that must occur in the quoted turn (for an assent, also in the
// message that it answers); at least one must occur in the quote itself. An agent misled by a web page finds no such
// words.
const coverage = 0.4

func bears(note, quote, around string, assent bool) bool {
	said := text.Words(note)
	in := said.In(text.Words(around))
	return in > 0 && in >= coverage && (assent || said.Shared(text.Words(quote)) > 0)
}

// negation matches words that reverse what follows; maxNegated is how many content words that reaches.
var (
	negation = text.Pattern(`(?i)\b(?:no|not|never|without|don't|dont|do ` +
		`not|doesn't|won't|can't|cannot|shouldn't|isn't|stop|avoid|instead of|rather than|drop|skip)\b`)
	ruledOut = text.Pattern(`(?i)\b(?:no|not|never|without|drop(?:ped)?|skip|avoid|instead|rather|rul(?:e|ed|es) ` +
		`out|eliminat\w*|revert\w*|remov\w*|abandon\w*|fail\w*|wrong|broke\w*|dead end|slower|worse|useless|tried)\b|n't\b`)
)

const maxNegated = 3

// touching and staying say the same if one is negated: "don't touch the interface" is "the
// interface stays".
var (
	touching = text.Pattern(`(?i)^\W*(?:touch|chang|edit|modif|break|rewrit|renam|mov|delet|forget)\w*`)
	staying  = text.Pattern(`(?i)\b(?:stays?|keeps?|kept|remains?|unchanged|as (?:it|they) (?:is|are)|alone)\b`)
)

// opposite reports whether a quote, with the words right before it, says the opposite of a note: it rejects what the
// note settles, or doesn't reject what the note rules out.
func opposite(n *payload.Note, before, quote string) bool {
	s := strings.ReplaceAll(before+" "+quote, "’", "'")
	switch n.Kind {
	case payload.Eliminated:
		return !ruledOut().MatchString(s)
	case payload.Decision, payload.Next, payload.Goal, payload.Status:
	default:
		return false
	}
	if negation().MatchString(strings.ReplaceAll(n.Text, "’", "'")) {
		return false
	}
	says := text.Words(n.Text)
	for _, m := range negation().FindAllStringIndex(s, -1) {
		clause := s[m[1]:]
		if i := strings.IndexAny(clause, ",;:.!?\n—"); i >= 0 {
			clause = clause[:i]
		}
		if touching().MatchString(clause) && staying().MatchString(n.Text) {
			continue
		}
		content := text.Content(clause)
		for _, w := range content[:min(maxNegated, len(content))] {
			if says.Has(text.Stem(w)) {
				return true
			}
		}
	}
	return false
}

// lead returns the last few words before a quote in the same sentence.
func lead(text, quote string) string {
	i := strings.Index(text, quote)
	if i <= 0 {
		return ""
	}
	before := text[:i]
	if k := strings.LastIndexAny(before, ".!?\n;"); k >= 0 {
		before = before[k+1:]
	}
	parts := strings.Fields(before)
	return strings.Join(parts[max(0, len(parts)-4):], " ")
}
