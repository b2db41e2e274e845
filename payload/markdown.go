package payload

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"recall/payload/tokens"
	"recall/text"
)

// DefaultBudget is the most tokens of a payload.md, markers counted.
const DefaultBudget = 1000

// MostLeads is how many passages of each session a page shows.
const MostLeads = 8

// longest is how many characters of an item's text, and of its reason, a budgeted page shows: one that isn't a sentence
// must not push out all others.
const longest = 600

// Options says how to render a payload.
type Options struct {
	Variant Variant // "" is Coding
	Budget  int     // tokens, markers counted; 0 is DefaultBudget, less is no limit

	// Leads is how many passages of each session are shown, the most telling; 0: MostLeads. Without a token limit all
	// are.
	Leads int
}

// Rendered is a payload as Markdown.
type Rendered struct {
	Text   string   // from marker to marker, ending in a newline
	Shown  []ItemID // in the order of the lines
	Cut    int      // items that hold but didn't fit; they remain in payload.json
	Tokens int      // of Text, 0 where there was no limit to keep
}

// Render lays out the items that hold today as Markdown within the budget, always in the same bytes. Too small a budget
// for goal and next action shortens their texts; if that isn't enough, it is exceeded.
func Render(p *Payload, o Options) Rendered {
	if _, ok := layouts[o.Variant]; !ok {
		o.Variant = Coding
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	page := page{payload: p, layout: layouts[o.Variant], items: shown(p)}
	if o.Variant == Debug {
		page.read = p.Read
	}
	if o.Budget < 0 {
		return page.layOut(nil)
	}
	page.leaveLeads(cmp.Or(o.Leads, MostLeads) * max(1, len(p.Thread)))
	page.shorten(longest)
	r, order := page.fit(o.Budget)
	for size := longest / 2; r.Tokens > o.Budget && size >= 20; size /= 2 {
		page.shorten(size)
		r = page.render(order)
	}
	return r
}

// leaveLeads leaves the most telling passages and what an agent claims, uncounted. What can be read in the goal isn't
// said twice, nor counted as left out.
func (pg *page) leaveLeads(most int) {
	all := slices.Clone(pg.items)
	pg.items = slices.DeleteFunc(pg.items, func(it Item) bool { return InGoal(all, &it) })
	was := len(pg.items)
	leads := slices.DeleteFunc(lightestFirst(pg.items, Lead), func(i int) bool { return pg.items[i].Rule == ClaimRule })
	gone := leads[:max(0, len(leads)-most)]
	var kept []Item
	for i, it := range pg.items {
		if it.Pinned || !slices.Contains(gone, i) {
			kept = append(kept, it)
		}
	}
	pg.items = kept
	pg.left = was - len(pg.items)
}

// InGoal reports whether a passage stands in a goal that is shown anyway.
func InGoal(items []Item, it *Item) bool {
	return it.Kind == Lead && !it.Pinned && slices.ContainsFunc(items, func(g Item) bool {
		return g.Kind == Goal && g.Current() && contains(blanks.Replace(g.Text), blanks.Replace(oneLine(it.Text)))
	})
}

// blanks are taken out of what is compared: a goal has one between sentences that were typed without.
var blanks = strings.NewReplacer(" ", "", "\n", "")

// fit renders the page with as few items cut as the budget allows, and returns what it cut.
func (pg *page) fit(budget int) (Rendered, []int) {
	r, order := pg.render(nil), cutOrder(pg.items)
	if r.Tokens <= budget || len(order) == 0 {
		return r, nil
	}
	// The first cut adds the line that counts them; from there on each makes the page shorter.
	n := 1 + sort.Search(len(order)-1, func(n int) bool { return pg.render(order[:n+1]).Tokens <= budget })
	return pg.render(order[:n]), order[:n]
}

// shown returns the items that have a line. A next action that a person pinned comes before the others.
func shown(p *Payload) []Item {
	var items []Item
	for _, it := range p.Items {
		if it.Current() && formatItem(&it) != "" {
			items = append(items, it)
		}
	}
	last := func(it Item) int {
		if it.Kind == Next && it.Pinned {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(items, func(a, b Item) int { return last(a) - last(b) })
	return items
}

// A page is a payload on its way to Markdown.
type page struct {
	payload *Payload
	layout  []section
	items   []Item
	read    []string // files that were only read, named below the heading
	left    int      // passages that were left out beforehand
	lines   []string // of the items as they are now; nil: not written yet
}

// render writes the page without the items at the indexes in cut, and counts it.
func (pg *page) render(cut []int) Rendered {
	r := pg.layOut(cut)
	r.Tokens = tokens.Count(r.Text)
	return r
}

// layOut is render without the count.
func (pg *page) layOut(cut []int) Rendered {
	gone := make(map[int]bool, len(cut))
	for _, i := range cut {
		gone[i] = true
	}
	for i := len(pg.lines); i < len(pg.items); i++ {
		it := &pg.items[i]
		pg.lines = append(pg.lines, formatItem(it)+pg.since(it)+pg.note(it))
	}
	r := Rendered{Cut: len(cut) + pg.left}
	var body strings.Builder
	for _, s := range pg.layout {
		var lines []string
		for i := range pg.items {
			if it := &pg.items[i]; it.Kind == s.kind && !gone[i] {
				lines = append(lines, pg.lines[i])
				r.Shown = append(r.Shown, it.ID)
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(&body, "\n## %s\n", s.heading)
			list(&body, s.kind, lines)
		}
	}
	if r.Cut > 0 {
		fmt.Fprintf(&body, "\n… and %d more in payload.json\n", r.Cut)
	}
	var b strings.Builder
	b.WriteString("<!-- recall")
	for _, id := range r.Shown {
		b.WriteString(" " + string(id))
	}
	b.WriteString(" -->\n")
	b.WriteString(heading(pg.payload))
	if len(pg.read) > 0 {
		fmt.Fprintf(&b, "Read, no change seen · %s\n", safe(strings.Join(pg.read, " · "), 600))
	}
	b.WriteString(body.String())
	b.WriteString("<!-- /recall -->\n")
	r.Text = b.String()
	return r
}

// startsOdd matches a line that Markdown or Read would not take for a paragraph.
var startsOdd = text.Pattern("^([-*+•#<>|=\\[\\\\`~…]|\\.\\.\\.|\\d+[.)])")

// list writes the lines of one section: a single goal is a paragraph, next actions are numbered.
func list(b *strings.Builder, kind Kind, lines []string) {
	for i, line := range lines {
		switch {
		case kind == Goal && len(lines) == 1 && !startsOdd().MatchString(line):
			fmt.Fprintf(b, "%s\n", line)
		case kind == Next:
			fmt.Fprintf(b, "%d. %s\n", i+1, line)
		default:
			fmt.Fprintf(b, "- %s\n", line)
		}
	}
}

// since says of a goal that is what a person asked for that they said more in that session,
// and until when: they may have turned to something else.
func (pg *page) since(goal *Item) string {
	if goal.Kind != Goal || !goal.Quoted() || len(goal.Evidence) == 0 {
		return ""
	}
	last := goal.Evidence[0].N
	for i := range pg.payload.Items {
		it := &pg.payload.Items[i]
		theirs := it.By == ByUser && slices.Contains([]Kind{Lead, Decision, Eliminated}, it.Kind)
		later := it.At.After(goal.At) && pg.payload.Origins[it.ID].Session == pg.payload.Origins[goal.ID].Session
		if theirs && later && len(it.Evidence) > 0 {
			last = max(last, it.Evidence[0].N)
		}
	}
	if last == goal.Evidence[0].N {
		return ""
	}
	return fmt.Sprintf("; the user said more since, up to turn %d", last)
}

// note says from which session of a thread an item is, but for kinds that only the last speaks for; of one session
// that is shown, what became of an item since.
func (pg *page) note(it *Item) string {
	from, ok := pg.payload.Origins[it.ID]
	by, doubted := pg.payload.Doubted[it.ID]
	switch {
	case pg.payload.Origins == nil && doubted:
		from.Session = pg.payload.Session
	case !ok || !accumulates[it.Kind] && from.Session == pg.payload.Session:
		return ""
	}
	name := "session " + short(from.Session)
	switch {
	case it.Rule == ReceivedRule:
		name = "from " + strings.TrimPrefix(from.Session, "from-")
	case from.Number > 0:
		name = fmt.Sprint("session ", from.Number)
	}
	if from.Session == "" || it.At.IsZero() {
		return ""
	}
	day := func(t time.Time) string {
		if end := pg.payload.End; !end.IsZero() && end.UTC().Year() != t.UTC().Year() {
			return t.UTC().Format("Jan 2, 2006")
		}
		return t.UTC().Format("Jan 2")
	}
	doubt := ""
	if doubted {
		doubt = fmt.Sprintf("; %s, %s", by.Word(it.Kind), day(by.At))
	}
	return fmt.Sprintf(" (%s, %s%s)", name, day(it.At), doubt)
}

// shorten clips what the page shows of each item to size characters a part.
func (pg *page) shorten(size int) {
	pg.lines = nil
	for i := range pg.items {
		it := &pg.items[i]
		it.Text, it.Why, it.Scope = text.Clip(it.Text, size), text.Clip(it.Why, size), text.Clip(it.Scope, size)
		it.Path = text.Clip(it.Path, size)
		for j, alt := range it.Alternatives {
			if short := text.Clip(alt, size); short != alt {
				it.Alternatives = append([]string(nil), it.Alternatives...)
				it.Alternatives[j] = short
			}
		}
	}
}

// pageTitle begins the heading of what one pastes.
const pageTitle = "Rehydration payload"

// heading returns the title and the line that says where the payload is from.
func heading(p *Payload) string {
	title := "# " + pageTitle
	if name := safe(p.Title, 120); name != "" {
		title += ": " + name
	}
	parts := []string{sessionName(p)}
	for _, of := range [][2]string{{"project ", p.Project}, {"branch ", p.Branch}, {"", Span(p.Start, p.End)},
		{"distilled by ", p.Made.By()}} {
		if name := safe(of[1], 80); name != "" {
			parts = append(parts, of[0]+name)
		}
	}
	if slices.ContainsFunc(p.Items, func(it Item) bool {
		return it.Kind == Lead && it.Rule != ClaimRule && it.Current()
	}) {
		parts = append(parts, noModel)
	}
	return title + "\n" + strings.Join(parts, " · ") + "\n"
}

// noModel says what a payload with passages is.
const noModel = "by rules: quotes, not conclusions; with a model: recall init"

func sessionName(p *Payload) string {
	if p.Session == "" {
		return "Session handed over"
	}
	name := "Session " + safe(short(p.Session), 40)
	if len(p.Session) > len(short(p.Session)) {
		name += "…"
	}
	if n := len(p.Thread) - 1; n > 0 {
		name += fmt.Sprintf(" and %d before it", n)
	}
	return strings.TrimSpace(name)
}

// short returns the beginning of a session's id that people use.
func short(session string) string {
	name := text.BareID(session)
	if utf8.RuneCountInString(name) > 8 {
		name = string([]rune(name)[:8])
	}
	return name
}

// Span returns from when to when, in UTC; "" if neither is known.
func Span(start, end time.Time) string {
	const day, hour = "2006-01-02", "15:04"
	start, end = start.UTC(), end.UTC()
	switch {
	case start.IsZero() && end.IsZero():
		return ""
	case start.IsZero():
		return end.Format(day + " " + hour)
	case end.IsZero(), end.Equal(start):
		return start.Format(day + " " + hour)
	case start.Format(day) == end.Format(day):
		return start.Format(day+" "+hour) + "–" + end.Format(hour)
	}
	return start.Format(day+" "+hour) + " – " + end.Format(day+" "+hour)
}

// safe makes s fit a heading.
func safe(s string, size int) string {
	return comment().ReplaceAllString(text.Clip(oneLine(s), size), `<\$1!--`)
}
