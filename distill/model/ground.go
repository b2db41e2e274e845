package model

import (
	"slices"
	"strings"
	"unicode/utf8"

	"recall/distill"
	"recall/internal/text"
)

// Reasons for dropping items, in addition to distill's; keys of Payload.Dropped.
const (
	dropUnsupported = "claim not in its turns"
	dropDetail      = "detail not in its turns" // the item itself is kept
	dropKind        = "unknown kind"
	dropEmpty       = "no text"
	dropForm        = "another form"
	dropDoubted     = "doubted by the model"
	dropTooMany     = "too many items"
	dropMarker      = "recall's own marks"
	dropUnknown     = "unknown item"
)

const (
	minQuote          = 2        // letters of a quote ("ok"), unless it is all that was said: "C"
	minQuoteElsewhere = 14       // letters from which other turns are searched as well
	maxCompared       = 64 << 10 // bytes of a text that is too long for comparing parts of a quote
	maxQuote          = 2_000    // bytes of a quote that are used; evidence holds far fewer
)

// find locates a quote. It looks in the cited turn for the exact text, then ignoring white
// space, marks and accents, then on the turn's lines as they were shown; then in the other
// turns, if exactly one has it; and finally for most of the quote in the cited turn. The
// result occurs verbatim in the turn and is at most MaxQuote long.
func (s *sources) find(c cited) (turn *source, quote, fault string) {
	text := cutAt(string(c.Quote), maxQuote)
	if src := s.turns[c.label()]; src == nil || src.quote(text, bare(text)) == "" {
		text = unmarked(text)
	}
	want, src := bare(text), s.turns[c.label()]
	if utf8.RuneCountInString(want) < minQuote && (want == "" || src == nil || want != bare(src.turn.Text)) {
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
	if len(want) >= minQuoteElsewhere {
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

// label is the cited turn's name in windows, whatever form the model gave it.
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

// unmarked removes the marks at the beginning of a window's lines, and the names of
// speakers in answers.
func unmarked(quote string) string { return lineMark().ReplaceAllString(quote, "") }

var lineMark = text.Pattern(`(?m)^\s*(?:[|>?+=x]\s+)*(?:\| |- |user(?: notes)?: )?`)

// lineEnd matches what a window appends to a call's line.
var lineEnd = text.Pattern(`(?: \([^()]*\))?(?: -> .*)?$`)

// shown finds a quote of a line as the window shows it. Such a line may join several texts
// ("Label: Description", todos), shorten them or add to them ("Edit queue/order.go (5 lines
// for 3)"), so shown returns the longest part of it that the turn holds, preferring a
// person's own answer. The window's own words hardly occur in a turn; its heading of a plan
// stands for the plan.
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
		whole := to-from >= minQuote && to-from == len(p.form())
		answer := p.persons && whole && strings.HasPrefix(want, p.form())
		enough := whole || to-from >= min(minQuoteElsewhere, (len(want)+1)/2)
		better := enough && (answer && !persons || answer == persons && to-from > most)
		if better {
			best, most, persons = p.stretch(from, to), to-from, answer
		}
	}
	return fit(best)
}

// longestShared returns the longest part of a text that also occurs in another.
func longestShared(text, in string) (from, to int) {
	row := make([]int, len(in)+1) // length of the common part that ends here
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

// elsewhere finds a quote in another turn, if exactly one holds it.
func (s *sources) elsewhere(not *source, text, want string) (src *source, quote string) {
	for _, other := range s.order {
		if other == not {
			continue
		}
		holds := slices.ContainsFunc(other.own, func(p *passage) bool { return strings.Contains(p.form(), want) })
		switch {
		case holds && src != nil:
			return nil, "" // ambiguous
		case holds:
			src = other
		}
	}
	if src == nil {
		return nil, ""
	}
	return src, src.quote(text, want)
}

// most finds the longest part of a quote in the turn's own words, if that is most of the
// quote: a word may be changed, or two passages joined by dots.
func (src *source) most(want string) string {
	for _, p := range src.own {
		if len(p.text) > maxCompared {
			continue
		}
		if from, to := longestShared(p.form(), want); to-from >= max(minQuoteElsewhere, (len(want)+1)/2) {
			return fit(p.stretch(from, to))
		}
	}
	return ""
}

// foreign reports whether a quote is from text that must not be quoted.
func (s *sources) foreign(src *source, want string) bool {
	order := s.order
	if src != nil {
		order = []*source{src}
	}
	return slices.ContainsFunc(order, func(o *source) bool {
		return slices.ContainsFunc(o.others(), func(text string) bool { return strings.Contains(text, want) })
	})
}

// fit cuts a verbatim text to the length of evidence.
func fit(q string) string { return text.HeadWords(q, distill.MaxQuote) }
