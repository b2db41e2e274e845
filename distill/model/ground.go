package model

import (
	"strings"
	"unicode/utf8"

	"recall/distill"
	"recall/text"
)

// Why a quote is not found, beside distill's reasons: all are keys of
// Payload.Dropped.
const (
	dropUnsupported = "claim not in its turns"
	dropDetail      = "detail not in its turns" // of an item that is kept
	dropKind        = "unknown kind"
	dropEmpty       = "no text"
	dropForm        = "another form"
	dropDoubted     = "doubted by the model"
	dropTooMany     = "too many items"
	dropMarker      = "recall's own marks"
	dropUnknown     = "unknown item"
)

const (
	leastQuote = 2        // letters of a quote, "ok" is one, if it isn't all that was said: "C"
	sureQuote  = 14       // letters from which on a quote is looked for in other turns
	longText   = 64 << 10 // bytes of a text that isn't searched for parts of a quote: comparing takes time
	mostQuote  = 2_000    // bytes of a quote that is looked for: evidence holds far fewer
)

// find looks a quote up where it is said to stand: letter by letter, then
// without regard to white space, marks and accents, then on the lines that were
// shown of the turn, then in the other turns, where only one may hold it; then
// most of it.
// What it returns stands verbatim in the turn and is at most MaxQuote long.
func (s *sources) find(c cited) (turn *source, quote, fault string) {
	text := cutAt(string(c.Quote), mostQuote)
	if src := s.turns[c.label()]; src == nil || src.quote(text, bare(text)) == "" {
		text = unmarked(text)
	}
	want, src := bare(text), s.turns[c.label()]
	if utf8.RuneCountInString(want) < leastQuote && (want == "" || src == nil || want != bare(src.turn.Text)) {
		return nil, "", distill.DropNoEvidence
	}
	if src != nil {
		if q := src.quote(text, want); q != "" {
			return src, q, ""
		}
		for _, text := range []string{text, lineEnd().ReplaceAllString(text, "")} {
			if q := src.shown(bare(text)); q != "" {
				return src, q, ""
			}
		}
	}
	if len(want) >= sureQuote {
		if other, q := s.elsewhere(src, text, want); other != nil {
			return other, q, ""
		}
	}
	if src != nil {
		if q := src.most(want); q != "" {
			return src, q, ""
		}
	}
	switch {
	case s.foreign(src, want):
		return nil, "", distill.DropForeign
	case src == nil:
		return nil, "", distill.DropNoTurn
	}
	return nil, "", distill.DropQuote
}

var turnNumber = text.Pattern(`\d+`)

// label is the turn cited as windows call it, however a model wrote it.
func (c cited) label() string {
	if n := turnNumber().FindString(string(c.Turn)); n != "" {
		return "t" + n
	}
	return ""
}

// quote finds a quote in the turn's own words, "" if it isn't there.
func (src *source) quote(text, want string) string {
	trimmed := strings.TrimSpace(text)
	for _, p := range src.own {
		if strings.Contains(p.text, trimmed) {
			return fit(trimmed)
		}
	}
	for _, p := range src.own {
		if i := strings.Index(p.form(), want); i >= 0 {
			return fit(p.stretch(i, i+len(want)))
		}
	}
	return ""
}

// unmarked is a quote without the marks that begin a window's lines, and without who
// is said there to answer.
func unmarked(quote string) string { return lineMark().ReplaceAllString(quote, "") }

var lineMark = text.Pattern(`(?m)^\s*(?:[|>?+=x]\s+)*(?:\| |- |user(?: notes)?: )?`)

// lineEnd is what a window says at the end of a call's line.
var lineEnd = text.Pattern(`(?: \([^()]*\))?(?: -> .*)?$`)

// shown finds a quote of a line as the window shows it, which may join several texts
// ("Label: Description", to-dos), cut them or say something beside them ("Edit
// queue/order.go (5 lines for 3)"): the longest stretch of it that the turn holds,
// a person's own answer before all others. Of what the window says itself the turn
// holds next to nothing; what it says of a plan stands for the plan.
func (src *source) shown(want string) string {
	if !strings.Contains(src.face, want) {
		return ""
	}
	best, most, persons := "", 0, false
	for _, p := range src.parts() {
		if p.head != "" && strings.Contains(bare(p.head), want) {
			first, _, _ := strings.Cut(strings.TrimSpace(p.text), "\n")
			return fit(first)
		}
		from, to := longestShared(p.form(), want)
		whole := to-from >= leastQuote && to-from == len(p.form())
		answer := p.persons && whole && strings.HasPrefix(want, p.form())
		enough := whole || to-from >= min(sureQuote, (len(want)+1)/2)
		better := enough && (answer && !persons || answer == persons && to-from > most)
		if better {
			best, most, persons = p.stretch(from, to), to-from, answer
		}
	}
	return fit(best)
}

// longestShared is the longest stretch of a text that stands in another, too.
func longestShared(text, in string) (from, to int) {
	row := make([]int, len(in)+1) // how long a stretch ends here
	for i := range len(text) {
		diagonal := 0
		for k := range len(in) {
			above := row[k+1]
			row[k+1] = 0
			if text[i] == in[k] {
				row[k+1] = diagonal + 1
				if row[k+1] > to-from {
					from, to = i-diagonal, i+1
				}
			}
			diagonal = above
		}
	}
	return from, to
}

// elsewhere finds the one other turn that holds a quote.
func (s *sources) elsewhere(not *source, text, want string) (src *source, quote string) {
	for _, other := range s.order {
		if other == not {
			continue
		}
		holds := false
		for _, p := range other.own {
			holds = holds || strings.Contains(p.form(), want)
		}
		switch {
		case holds && src != nil:
			return nil, "" // twice: nobody knows which was meant
		case holds:
			src = other
		}
	}
	if src == nil {
		return nil, ""
	}
	return src, src.quote(text, want)
}

// most finds the longest stretch of a quote that stands in the turn's words, if that is most
// of it: of one with a word changed, or of two passages joined by dots.
func (src *source) most(want string) string {
	for _, p := range src.own {
		if len(p.text) > longText {
			continue
		}
		if from, to := longestShared(p.form(), want); to-from >= max(sureQuote, (len(want)+1)/2) {
			return fit(p.stretch(from, to))
		}
	}
	return ""
}

// foreign reports whether a quote is from what may not be quoted.
func (s *sources) foreign(src *source, want string) bool {
	order := s.order
	if src != nil {
		order = []*source{src}
	}
	for _, o := range order {
		for _, text := range o.others() {
			if strings.Contains(text, want) {
				return true
			}
		}
	}
	return false
}

// fit cuts a verbatim text to what evidence may hold.
func fit(q string) string { return text.HeadWords(q, distill.MaxQuote) }
