package model

import (
	"regexp"
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
	leastQuote = 2        // letters of a quote; "ok" is one
	sureQuote  = 14       // letters from which on a quote is looked for in other turns
	fuzzyWords = 8        // words of a quote from which on one in eight may be wrong
	fuzzyText  = 64 << 10 // bytes of a text that is searched so: comparing takes time
	mostQuote  = 2_000    // bytes of a quote that is looked for: evidence holds far fewer
)

// find looks a quote up where it is said to stand: letter by letter, then
// without regard to white space, marks and accents, then on the lines that were
// shown of the turn, then, if it is long, with one word in eight wrong; then in
// the other turns, where only one may hold it.
// What it returns stands verbatim in the turn and is at most MaxQuote long.
func (s *sources) find(c cited) (turn *source, quote, fault string) {
	text := cutAt(string(c.Quote), mostQuote)
	if src := s.turns[c.label()]; src == nil || src.quote(text, bare(text)) == "" {
		text = unmarked(text)
	}
	want := bare(text)
	if utf8.RuneCountInString(want) < leastQuote {
		return nil, "", distill.DropNoEvidence
	}
	src := s.turns[c.label()]
	if src != nil {
		if q := src.quote(text, want); q != "" {
			return src, q, ""
		}
		for _, text := range []string{text, lineEnd.ReplaceAllString(text, "")} {
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
		if q := src.near(text); q != "" {
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

var turnNumber = regexp.MustCompile(`\d+`)

// label is the turn cited as windows call it, however a model wrote it.
func (c cited) label() string {
	if n := turnNumber.FindString(string(c.Turn)); n != "" {
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
	best := ""
	for _, piece := range dots.Split(text, -1) { // "first … last": the longest piece
		if piece = strings.TrimSpace(piece); len(piece) < len(trimmed) && len(bare(piece)) >= sureQuote &&
			len(piece) > len(best) {
			for _, p := range src.own {
				if i := strings.Index(p.form(), bare(piece)); i >= 0 {
					best = fit(p.stretch(i, i+len(bare(piece))))
				}
			}
		}
	}
	return best
}

var dots = regexp.MustCompile(`\s*(?:\[?(?:…|\.\.\.)\]?)\s*`)

// unmarked is a quote without the marks that begin a window's lines, and without who
// is said there to answer.
func unmarked(quote string) string { return lineMark.ReplaceAllString(quote, "") }

var lineMark = regexp.MustCompile(`(?m)^\s*(?:[|>?+=x]\s+)*(?:\| |- |message: |user(?: notes)?: )?`)

// lineEnd is what a window says at the end of a call's line.
var lineEnd = regexp.MustCompile(`(?: \([^()]*\))?(?: -> .*)?$`)

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
		if enough && (answer && !persons || answer == persons && to-from > most) {
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

// near finds the stretch of a turn's words that differs from a long quote in at
// most one word of eight.
func (src *source) near(text string) string {
	want := fieldsOf(text)
	if len(want) < fuzzyWords || len(want) > 80 {
		return ""
	}
	for _, p := range src.own {
		if len(p.text) > fuzzyText {
			continue
		}
		if from, to, ok := nearest(want, fieldsOf(p.text)); ok {
			return fit(strings.TrimSpace(p.text[from:to]))
		}
	}
	return ""
}

// A field is a word of a text with its place.
type field struct {
	word     string
	from, to int
}

func fieldsOf(text string) []field {
	var out []field
	for at := 0; at < len(text); {
		n := strings.IndexAny(text[at:], " \n\t\r")
		if n < 0 {
			n = len(text) - at
		}
		if w := strings.Trim(bare(text[at:at+n]), ".,;:!?()[]\"'"); w != "" {
			out = append(out, field{w, at, at + n})
		}
		at += n + 1
	}
	return out
}

// nearest aligns words with any stretch of a text (Sellers) and returns the
// stretch if the distance in words is at most one in eight.
func nearest(want, have []field) (from, to int, ok bool) {
	type cell struct{ cost, start int }
	row := make([]cell, len(want)+1)
	for i := range row {
		row[i] = cell{i, 0}
	}
	best, end := cell{len(want), 0}, -1
	for j := range have {
		diagonal := cell{0, j}
		row[0] = cell{0, j + 1}
		for i := 1; i <= len(want); i++ {
			next := diagonal
			if want[i-1].word != have[j].word {
				next.cost++
			}
			if c := row[i]; c.cost+1 < next.cost {
				next = cell{c.cost + 1, c.start}
			}
			if c := row[i-1]; c.cost+1 < next.cost {
				next = cell{c.cost + 1, c.start}
			}
			diagonal, row[i] = row[i], next
		}
		if c := row[len(want)]; c.cost < best.cost {
			best, end = c, j
		}
	}
	if end < 0 || best.cost*fuzzyWords > len(want) || best.start > end {
		return 0, 0, false
	}
	return have[best.start].from, have[end].to, true
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
