package offline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
)

// Item is the candidate as an item of a kind.
func (c *Candidate) Item(kind payload.Kind) payload.Item {
	it := payload.Item{Kind: kind, Text: c.Text, Why: c.Why, Maker: payload.ByRule, State: payload.Stands,
		By: payload.ByAssistant, Rule: c.rule(), At: c.sp.turn.At, About: about(c.part.Raw)}
	it.Evidence = []payload.Evidence{cite(c.sp, c.part.From, c.part.To)}
	if c.sp.user {
		it.By = payload.ByUser
	}
	if i := c.part.Index; kind == payload.Question && i > 0 && len(c.part.keys()) < 4 {
		if before := &c.sp.parts[i-1]; len(before.Text)+len(c.Text) < maxText && before.From < c.part.From {
			it.Text = shorten(tidy(before.Text) + " " + c.Text) // what the question is about
			it.Evidence = []payload.Evidence{cite(c.sp, before.From, c.part.To)}
		}
	}
	if p := c.proposal; p != nil {
		it.By = payload.ByBoth
		it.About = about(p.Raw)
		it.Evidence = append([]payload.Evidence{cite(c.sp.reacts, p.From, p.To)}, it.Evidence...)
		if kind == payload.Decision {
			it.Alternatives = alternatives(c.Text)
		}
		return it
	}
	if kind != payload.Decision && kind != payload.Eliminated {
		return it // what is said to be so needs nobody's word beside it
	}
	if kind == payload.Decision {
		it.Alternatives = alternatives(c.Text)
	}
	switch r := c.sp.asks; {
	case c.pick != nil && (c.pick.picked || c.pick.confirmed):
		it.By = payload.ByBoth
		it.Evidence = append(it.Evidence, citeOpening(c.pick.reply))
		if c.pick.picked {
			it.Alternatives = c.lost()
		}
	case c.mate != nil:
		it.By = payload.ByBoth
		it.Evidence = append(it.Evidence, cite(c.mate.sp, c.mate.part.From, c.mate.part.To))
	case r != nil && !c.sp.user && len(strings.TrimSpace(r.text)) < 80:
		if r.mood == accepts {
			it.By = payload.ByBoth
		}
		it.Evidence = append(it.Evidence, citeOpening(r))
	case !c.sp.user && c.says != nil && kind == payload.Decision:
		if e, ok := c.wish(); ok {
			it.By = payload.ByBoth
			it.Evidence = append(it.Evidence, e)
			return it // the report says it in full
		}
	}
	c.personFirst(&it)
	return it
}

// wish is what the person said that led to what a report states: the sentence
// of theirs in the same exchange that has most in common with it.
func (c *Candidate) wish() (payload.Evidence, bool) {
	var best *sentence
	var by *speech
	top := 0.0
	if o := c.sp.asks; o != nil && o.exchange == c.sp.exchange {
		for i := range o.parts {
			s := &o.parts[i]
			x := s.weighed(c.part.keys(), c.rare)
			if x > top && (x > 0.25 || shared(s.keys(), c.part.keys()) >= 2) && !o.foreign(s) && !s.Pasted {
				best, by, top = s, o, x
			}
		}
	}
	if best == nil {
		return payload.Evidence{}, false
	}
	return cite(by, best.From, best.To), true
}

// personFirst puts the person's words before the assistant's, where they are
// about what the item says: the first quote is shown as its proof.
func (c *Candidate) personFirst(it *payload.Item) {
	if len(it.Evidence) < 2 || c.sp.user && !(c.mate != nil && c.Text == c.mate.Text) {
		return
	}
	text := keywords(it.Text)
	mine, other := shared(keywords(it.Evidence[0].Quote), text), shared(keywords(it.Evidence[1].Quote), text)
	if !c.sp.user && other >= 2 || c.sp.user && mine < 2 && other > mine {
		it.Evidence[0], it.Evidence[1] = it.Evidence[1], it.Evidence[0]
	}
}

func cite(sp *speech, from, to int) payload.Evidence {
	return payload.Evidence{Turn: string(sp.turn.ID), N: sp.turn.N, Quote: quote(sp.text, from, to)}
}

func citeOpening(sp *speech) payload.Evidence {
	return payload.Evidence{Turn: string(sp.turn.ID), N: sp.turn.N, Quote: opening(sp.text)}
}

// rule names the way a candidate was found: who said it, where.
func (c *Candidate) rule() string {
	sp := c.sp
	switch {
	case c.says != nil:
		return c.says.name
	case c.full != nil:
		return "restated"
	case c.proposal != nil:
		return "proposal-taken"
	case c.pick != nil && c.pick.picked:
		return "option-picked"
	case c.pick != nil && c.pick.confirmed:
		return "proposal-confirmed"
	case sp.user && sp.refused != nil:
		return "refusal-words"
	case sp.user && sp.reacts != nil && endsAsking(sp.reacts):
		return "typed-answer"
	case sp.user:
		return "typed"
	case sp.last:
		return "final-message"
	case sp.closing && c.part.Block == listItem:
		return "closing-list"
	case sp.closing:
		return "closing-prose"
	}
	return "report-midway"
}

// lost lists the options that the picked one was chosen over.
func (c *Candidate) lost() []string {
	var out []string
	for _, o := range optionsOf(c.sp) {
		if &c.sp.parts[o.part] != c.part {
			out = append(out, o.name(c.sp))
		}
	}
	return out
}

// label is an option in a few words: its bold lead, or its beginning.
func label(s *sentence) string {
	text := s.Lead
	if text == "" {
		text = s.Text
	}
	if text = optLead.ReplaceAllString(text+" ", ""); len(keywords(text)) == 0 {
		text = optNamed.ReplaceAllString(optLead.ReplaceAllString(s.Text, ""), "")
	}
	text = strings.TrimSpace(text)
	if i := strings.Index(text, " — "); i > 15 {
		text = text[:i]
	}
	if len(text) > 100 {
		text = shortenTo(text, 100)
	}
	return text
}

func shortenTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := strings.LastIndexByte(s[:n-3], ' ')
	if cut < n/2 {
		for cut = n - 4; !utf8.RuneStart(s[cut]); cut-- {
		}
	}
	return strings.TrimRight(s[:cut], " ,;:—–-(") + "…"
}

// quote cuts a verbatim stretch of a text to what evidence may hold.
func quote(text string, from, to int) string {
	q := strings.TrimSpace(text[from:to])
	if i := strings.IndexByte(q, '\n'); i >= 60 {
		q = strings.TrimSpace(q[:i])
	}
	if len(q) <= distill.MaxQuote {
		return q
	}
	cut := strings.LastIndexAny(q[:distill.MaxQuote], " \n\t")
	if cut < distill.MaxQuote/2 {
		for cut = distill.MaxQuote; !utf8.RuneStart(q[cut]); cut-- {
		}
	}
	return strings.TrimSpace(q[:cut])
}

// opening is the beginning of a text, fit to be quoted.
func opening(text string) string {
	start := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	return quote(text, start, len(text))
}

// about lists the paths and symbols that a statement names, at most six.
func about(raw string) []string { return namesIn(raw, 6) }

// namesIn lists the first paths and symbols of a statement.
func namesIn(raw string, most int) []string {
	var out []string
	for w := range strings.FieldsSeq(plain(raw)) {
		if smallLetters(w) {
			continue
		}
		name := trimMarks(w, "`\"'“”‘’()[]{}<>,;:!?*…")
		name = strings.TrimRight(name, ".")
		if len(name) < 3 || !looksLikePath(name) && !looksLikeName(w) || strings.Contains(name, "://") || strings.Contains(name, "`") || slices.Contains(out, name) {
			continue
		}
		if out = append(out, name); len(out) == most {
			break
		}
	}
	return out
}

// turnItem is an item that rests on one turn.
func turnItem(kind payload.Kind, rule string, by payload.By, t *ingest.Turn, text, q string) payload.Item {
	return payload.Item{Kind: kind, Rule: rule, By: by, Maker: payload.ByRule, State: payload.Stands, Text: text, At: t.At,
		Evidence: []payload.Evidence{{Turn: string(t.ID), N: t.N, Quote: q}}}
}
