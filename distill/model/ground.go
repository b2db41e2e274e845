package model

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/distill"
	"recall/internal/text"
	"recall/payload"
)

// Reasons for dropping items, in addition to distill's; keys of Payload.Dropped.
const (
	dropDetail  = "detail not in its turns" // the item itself is kept
	dropKind    = "unknown kind"
	dropEmpty   = "no text"
	dropForm    = "another form"
	dropDoubted = "doubted by the model"
	dropTooMany = "too many items"
	dropMarker  = "recall's own marks"
	dropUnknown = "unknown item"
)

const (
	minQuote    = 2        // letters of a quote ("ok"), unless it is all that was said: "C"
	minPart     = 14       // letters of a quote from which part of it, or another turn, is enough
	maxCompared = 64 << 10 // bytes of a text that is too long for comparing parts of a quote
	maxQuote    = 2_000    // bytes of a quote that are used; evidence holds far fewer
	maxCited    = 4        // quotes of an item that are looked for
)

// grounded is an item with quotes that were found.
type grounded struct {
	item  payload.Item
	found *found
}

// ground finds the quotes of an answer's items. Those without one are dropped and counted, as are those that they
// don't bear out; what says more than its quotes is kept as the model's words.
func (l *ledger) ground(w *window, a *answer) (out []*grounded) {
	src := l.sources.until(w.blocks[len(w.blocks)-1].turn.N)
	l.drop(dropForm, a.bad)
	l.drop(dropTooMany, len(a.Items)-maxItems)
	for i := range a.Items[:min(len(a.Items), maxItems)] {
		f := &a.Items[i]
		it, fault := itemOf(f)
		if fault == "" {
			fault = src.cite(&it, f)
		}
		if fault == "" {
			src.setBy(&it)
			var took int
			fault, took = l.judge.Judge(&it)
			l.drop(dropDetail, took)
		}
		if fault != "" {
			l.drop(fault, 1)
		}
		if fault == distill.MendSaid {
			it = it.AsSaid()
		} else if fault != "" {
			continue
		}
		out = append(out, &grounded{it, f})
	}
	return out
}

func (l *ledger) drop(why string, n int) {
	if n > 0 {
		l.dropped[why] += n
	}
}

// cite gives an item its evidence; fault says why there is none.
func (s *sources) cite(it *payload.Item, f *found) (fault string) {
	fault = distill.DropNoEvidence
	for _, c := range f.Evidence[:min(len(f.Evidence), maxCited)] {
		turn, quote, why := s.find(c)
		if why != "" {
			fault = why
			continue
		}
		cite(it, turn, quote)
	}
	if len(it.Evidence) > 0 {
		return ""
	}
	return fault
}

// find locates a quote: all of it in the cited turn, whatever its spacing, marks and accents; or else in another turn,
// if only one has it; or else most of it in the cited turn. What it returns occurs verbatim in that turn and is at
// most MaxQuote long.
func (s *sources) find(c cited) (turn *source, quote, fault string) {
	src, want := s.turns[c.label()], cutAt(string(c.Quote), maxQuote)
	if utf8.RuneCountInString(bare(want)) < minQuote && (bare(want) == "" || src == nil ||
		bare(want) != bare(src.turn.Text)) {
		return nil, "", distill.DropNoEvidence
	}
	part := ""
	if src != nil {
		forms := []string{want, unmarked(want)}
		if len(src.turn.Calls) > 0 { // the line of a call: with its name and outcome
			_, doing, _ := strings.Cut(lineEnd().ReplaceAllString(unmarked(want), ""), " ")
			forms = append(forms, doing)
		}
		for _, form := range forms {
			q, whole := src.quote(form)
			if whole {
				return src, q, ""
			}
			part = cmp.Or(part, q)
		}
	}
	if want = unmarked(want); len(bare(want)) >= minPart {
		if other, q := s.elsewhere(src, want); other != nil {
			return other, q, ""
		}
	}
	switch {
	case part != "":
		return src, part, ""
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

// quote finds a quote in what may be quoted of the turn, and reports whether that is all of it. A line as windows show
// it may join several texts ("Label: Description", todos), shorten them or add to them; then the quote is the longest
// part, of what was said at least half, or an option's label.
func (src *source) quote(want string) (quote string, whole bool) {
	if bare(want) == "" {
		return "", false
	}
	if trimmed := strings.TrimSpace(want); slices.ContainsFunc(src.own, func(p *passage) bool {
		return strings.Contains(p.text, trimmed)
	}) {
		return fit(trimmed), true
	}
	want = bare(want)
	best, most := "", 0
	for i, p := range src.quotable() {
		if at := strings.Index(p.form(), want); at >= 0 {
			return fit(p.stretch(at, at+len(want))), true
		}
		if p.head != "" && strings.Contains(bare(p.head), want) || p.label && strings.HasPrefix(want, p.form()+":") {
			first, _, _ := strings.Cut(strings.TrimSpace(p.text), "\n")
			return fit(first), true
		}
		if len(p.text) > maxCompared {
			continue
		}
		from, to := longestShared(p.form(), want)
		n, half, joined := to-from, 2*(to-from) >= len(want), i >= len(src.own)
		part, whole := n >= minPart && (half || joined), n >= minQuote && n == len(p.form()) && half
		if n > most && (part || whole) {
			best, most = p.stretch(from, to), n
		}
	}
	return fit(best), false
}

// unmarked removes the marks at the beginning of a window's lines, and the names of speakers in answers.
func unmarked(quote string) string { return lineMark().ReplaceAllString(quote, "") }

var lineMark = text.Pattern(`(?m)^\s*(?:[|>?+=x]\s+)*(?:\| |- |user(?: notes)?: )?`)

// lineEnd matches what a window appends to a call's line.
var lineEnd = text.Pattern(`(?: \([^()]*\))?(?: -> .*)?$`)

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
func (s *sources) elsewhere(not *source, want string) (src *source, quote string) {
	form := bare(want)
	for _, other := range s.order {
		for _, p := range other.own {
			i := strings.Index(p.form(), form)
			switch {
			case other == not || i < 0:
			case src != nil && src != other:
				return nil, "" // ambiguous
			default:
				src, quote = other, fit(p.stretch(i, i+len(form)))
			}
		}
	}
	return src, quote
}

// fit cuts a verbatim text to the length of evidence.
func fit(q string) string { return text.HeadWords(q, distill.MaxQuote) }

// setBy marks an item as the assistant's if none of its quotes is a person's. If the
// model didn't say whose it is, the first quote decides.
func (s *sources) setBy(it *payload.Item) {
	theirs := slices.IndexFunc(it.Evidence, func(e payload.Evidence) bool {
		src := s.byID(e.Turn)
		return src != nil && saidByPerson(src.turn, e.Quote)
	})
	switch {
	case theirs < 0, theirs > 0 && it.By == "":
		it.By = payload.ByAssistant
	case it.By == "":
		it.By = payload.ByUser
	}
}
