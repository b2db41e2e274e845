package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recall/eval/baseline"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
	"recall/payload/tokens"
)

// PageScore is what reaches a reader: of the page that a session hands on, as it is printed.
type PageScore struct {
	Covered    Interval       `json:"covered"`    // share of the must-know items that a line says
	Useful     Interval       `json:"useful"`     // share of the lines that say a gold item
	Misleading int            `json:"misleading"` // lines more like an entry of "not" than like gold
	Tokens     float64        `json:"tokens"`     // mean per page
	Sessions   []PageMeasured `json:"sessions"`
}

// PageMeasured is one session's page.
type PageMeasured struct {
	Session string `json:"session"`
	Title   string `json:"title,omitempty"`
	Project string `json:"project"`

	Must       int `json:"must"`    // items that the next session must know
	Covered    int `json:"covered"` // of these, those that a line says
	Printed    int `json:"printed"` // lines
	Useful     int `json:"useful"`  // of these, those that say an item
	Misleading int `json:"misleading"`
	Tokens     int `json:"tokens"`

	Missed []string   `json:"missed,omitempty"` // ids of the must-know items that no line says
	Lines  []PageLine `json:"lines,omitempty"`
}

// PageLine is a line of a page with the gold items that it says.
type PageLine struct {
	Text       string   `json:"text"`
	Says       []string `json:"says,omitempty"`
	Misleading string   `json:"misleading,omitempty"` // the entry of "not" that it is like
}

// Pages distills every session that has a gold set, and compares the lines of its page with the set: each line and
// each of its sentences with each item, so that a line may say several. Beside it stand pages made without distilling:
// the end of the session with what was typed, and sentences drawn at random, of as many tokens.
func Pages(ctx context.Context, o Options) (*Run, error) {
	r, _, c, err := newRun(ctx, "pages", o)
	if err != nil {
		return nil, err
	}
	var sessions []*ingest.Session
	for _, k := range c.Cases {
		sessions = append(sessions, k.Session)
	}
	made, err := distillEach(ctx, sessions, o)
	if err != nil {
		return nil, err
	}
	pages := make([]string, len(made))
	for i, d := range made {
		if d.err != nil {
			r.Problems = append(r.Problems, Problem{c.Cases[i].Gold.File, "",
				fmt.Sprintf("session %s was not distilled: %v", sessions[i].ID, d.err)})
			continue
		}
		pages[i] = payload.Render(d.payload, payload.Options{Budget: o.Budget}).Text
	}
	ways := []struct {
		System
		page func(i int) string
	}{
		{System{Name: o.distiller().Name(), Model: o.Model}, func(i int) string { return pages[i] }},
		{System{Name: "report, commits, typed", Baseline: true}, func(i int) string { return baseline.Page(sessions[i]) }},
		{System{Name: Drawn, Baseline: true}, func(i int) string {
			return drawnPage(sessions[i], tokens.Count(pages[i]))
		}},
	}
	for _, w := range ways {
		all := make([]PageMeasured, len(c.Cases))
		err := o.each(ctx, len(all), func(ctx context.Context, i int) (what string, err error) {
			all[i], err = c.Cases[i].page(ctx, o.judge(), w.page(i))
			return c.Cases[i].Session.Title, err
		})
		if err != nil {
			return nil, err
		}
		w.Pages = summarizePages(all)
		r.Systems = append(r.Systems, w.System)
	}
	return r, nil
}

// pageLines returns what a page says, without its headings.
func pageLines(page string) (lines []string) {
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if line != "" && !text.AnyOf(line, strings.HasPrefix, "<!--", "#", "Session ", "…") {
			lines = append(lines, line)
		}
	}
	return lines
}

// page measures a page of the session.
func (c *Case) page(ctx context.Context, by Judge, page string) (PageMeasured, error) {
	m := PageMeasured{Session: c.Gold.Session, Title: c.Session.Title, Project: c.Gold.Project,
		Tokens: tokens.Count(page)}
	wants := c.wanted()
	items := len(wants)
	for _, wrong := range c.Gold.Not {
		wants = append(wants, Claim{Text: wrong})
	}
	lines := pageLines(page)
	var claims []Claim
	ends := make([]int, len(lines)) // of the lines' claims
	for i, line := range lines {
		claims = append(claims, lineClaims(line)...)
		ends[i] = len(claims)
	}
	alike, err := similarities(ctx, by, claims, wants)
	if err != nil {
		return m, err
	}
	said := make([]bool, items)
	begin := 0
	for i, line := range lines {
		like := c.lineLike(line, claims[begin:ends[i]], alike[begin:ends[i]], wants)
		begin = ends[i]
		one := PageLine{Text: line}
		for j, x := range like[:items] {
			if x >= by.Threshold() {
				said[j] = true
				one.Says = append(one.Says, c.Gold.Items[j].ID)
			}
		}
		_, good := argmax(like[:items])
		if at, bad := argmax(like[items:]); at >= 0 && bad >= by.Threshold() && bad > good {
			one.Misleading = c.Gold.Not[at]
		}
		m.Lines = append(m.Lines, one)
		m.Printed++
		m.Useful += min(1, len(one.Says))
		m.Misleading += min(1, len(one.Misleading))
	}
	for j, g := range c.Gold.Items {
		switch {
		case !g.Must:
		case said[j]:
			m.Covered++
		default:
			m.Missed = append(m.Missed, g.ID)
		}
	}
	m.Must = m.Covered + len(m.Missed)
	return m, nil
}

// lineClaims returns what a line may say: each of its sentences, and all that it states.
func lineClaims(line string) (claims []Claim) {
	states := ""                                      // what it doesn't ask
	for part := range strings.SplitSeq(line, " · ") { // the items of a list that was quoted
		said := baseline.Statements(part)
		for _, one := range append(said, part) {
			claims = append(claims, Claim{Text: one})
		}
		states += strings.Join(slices.DeleteFunc(said, asks), " ") + " "
	}
	return append(claims, Claim{Text: line}, Claim{Text: states})
}

// lineLike returns how much a line, by one of its claims, is like each that is wanted; a line that holds an item's
// quote says the item.
func (c *Case) lineLike(line string, claims []Claim, alike [][]float64, wants []Claim) []float64 {
	out := make([]float64, len(wants))
	for j := range wants {
		for i := range claims {
			if j < len(c.Gold.Items) || mayClaim(line, claims[i].Text, wants[j].Text) {
				out[j] = max(out[j], alike[i][j])
			}
		}
		if j < len(c.proofs) && c.quotedIn(j, line) {
			out[j] = 1
		}
	}
	return out
}

// mayClaim reports whether part of a line can say something wrong: a question says nothing, and a commit not that what
// it did is still to be done.
func mayClaim(line, part, wrong string) bool {
	committed := strings.Contains(line, "” — commit")
	return !asks(part) && !(committed && stillToDo().MatchString(wrong))
}

func asks(said string) bool { return text.AnyOf(said, strings.Contains, "?", "？") }

var stillToDo = text.Pattern(`(?i)\b(?:still (?:to be|open|missing|lacks|needs)|not (?:been )?\w+ yet|pending)\b`)

// drawnPage draws a session's sentences at random, up to a number of tokens.
func drawnPage(s *ingest.Session, most int) string {
	all, page := statementsIn(s), ""
	for _, i := range drawing(s.ID, 0).Perm(len(all)) {
		if longer := page + "- " + all[i].Text + "\n"; tokens.Count(longer) <= most {
			page = longer
		}
	}
	return page
}

// summarizePages computes a system's figures from its sessions.
func summarizePages(all []PageMeasured) *PageScore {
	out := &PageScore{Sessions: all}
	var covered, useful []Count
	for i := range all {
		m := &all[i]
		covered, useful = append(covered, m.covered()), append(useful, m.useful())
		out.Misleading += m.Misleading
		out.Tokens += float64(m.Tokens) / float64(len(all))
	}
	out.Covered, out.Useful = ratesOf(covered).Recall, ratesOf(useful).Recall
	return out
}

func (m *PageMeasured) covered() Count    { return Count{Hits: m.Covered, Wanted: m.Must} }
func (m *PageMeasured) useful() Count     { return Count{Hits: m.Useful, Wanted: m.Printed} }
func (m *PageMeasured) misleading() Count { return Count{Hits: m.Misleading, Wanted: m.Printed} }

// Project returns the share covered of one project's must-know items.
func (p *PageScore) Project(name string) Count {
	var sum Count
	for i := range p.Sessions {
		if p.Sessions[i].Project == name {
			sum = sum.Plus(p.Sessions[i].covered())
		}
	}
	return sum
}

// Projects lists the projects measured, in order of first mention.
func (p *PageScore) Projects() (names []string) {
	for _, m := range p.Sessions {
		if len(names) == 0 || names[len(names)-1] != m.Project {
			names = append(names, m.Project)
		}
	}
	return names
}
