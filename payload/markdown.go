package payload

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"recall/internal/escape"
	"recall/internal/text"
	"recall/payload/tokens"
)

// DefaultBudget is the default limit of a page in tokens.
const DefaultBudget = 1000

// maxItemText is how many characters of an item's text and of its reason a budgeted page shows, so that a runaway one
// doesn't push out all others.
const maxItemText = 600

// Options controls how a payload is rendered.
type Options struct {
	Variant Variant // "" means Coding
	Budget  int     // tokens; 0 means DefaultBudget, negative no limit

	// Editable has the marker name each item, not just the sessions, so that Merge knows what an edited page showed. It
	// doesn't count towards the budget.
	Editable bool

	// Told is a page that a session is told of unasked: its heading has nothing that only a person makes use of.
	Told bool
}

// Rendered is a payload as Markdown.
type Rendered struct {
	Text   string   // from marker to marker, ending in a newline
	Shown  []ItemID // in line order
	Cut    int      // current items that didn't fit; recall show has them
	Tokens int      // in Text with the marker of a page that isn't Editable; 0 if there was no limit
}

// Render lays out the items that hold today as Markdown within the budget; the output is deterministic. If even the
// goal and the next action don't fit, their texts are shortened, and if that isn't enough, the budget is exceeded.
func Render(p *Payload, o Options) Rendered {
	if _, ok := layouts[o.Variant]; !ok {
		o.Variant = Coding
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	page := page{payload: p, variant: o.Variant, layout: layouts[o.Variant], items: shown(p), told: o.Told}
	if o.Variant == Debug {
		page.read = p.Read
	}
	r := page.within(o)
	if o.Editable {
		_, rest, _ := strings.Cut(r.Text, "\n")
		r.Text = marker(r.Shown) + rest
	}
	return r
}

// within lays out the page within its budget.
func (pg *page) within(o Options) Rendered {
	all := slices.Clone(pg.items) // what is said anyway takes no line
	pg.items = slices.DeleteFunc(pg.items, func(it Item) bool { return saidAbove(all, &it) })
	for i := range pg.items {
		pg.items[i].Text = beyondGoal(all, &pg.items[i])
	}
	if o.Budget < 0 {
		return pg.layOut(nil)
	}
	pg.shorten(maxItemText)
	r, order := pg.fit(o.Budget)
	for size := maxItemText / 2; r.Tokens > o.Budget && size >= 20; size /= 2 {
		pg.shorten(size)
		r = pg.render(order)
	}
	return r
}

// handsOn returns the ids of the sessions that the page hands on: not those that only decided something beside its own.
func (pg *page) handsOn(shown []ItemID) []ItemID {
	ids := []ItemID{PageID(pg.payload.Session)}
	for _, id := range shown {
		if from, ok := pg.payload.Origins[id]; ok && !pg.payload.Beside[id] {
			ids = append(ids, PageID(from.Session))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// marker returns the line that a page begins with.
func marker(ids []ItemID) string {
	return strings.Join(append([]string{"<!-- recall"}, text.Strings(ids)...), " ") + " -->\n"
}

// saidAbove reports whether a passage is contained in a goal, a last order or what a file is off limits by, which are
// shown anyway; or is a task that the list names and that isn't the next one. Commits say that it was done.
func saidAbove(items []Item, it *Item) bool {
	if it.Rule == TaskStatesRule || it.Rule == CommitRule {
		return false
	}
	listed := it.Rule == TaskRule && it.Text != nextTask(items)
	return it.Kind == Lead && !it.Pinned && slices.ContainsFunc(items, func(o Item) bool {
		return listed && o.Rule == TaskStatesRule && contains(o.Text, oneLine(it.Text)) ||
			o.Kind == Goal && o.Current() && contains(blanks.Replace(o.Text), blanks.Replace(oneLine(it.Text))) ||
			o.Rule == UnansweredRule && o.Kind == Next && o.Text == it.Text ||
			o.Kind == File && o.Status == FileOffLimits && it.Rule == RefusalRule && contains(o.Text, oneLine(it.Text))
	})
}

// nextTask returns the open task that is next: the first in progress, or else the first of all.
func nextTask(items []Item) (first string) {
	for i := range items {
		switch it := &items[i]; {
		case it.Rule != TaskRule || !it.Current():
		case it.Why == TaskInProgress:
			return it.Text
		default:
			first = cmp.Or(first, it.Text)
		}
	}
	return first
}

// beyondGoal returns what an item says; of a plan whose title is the goal, its steps.
func beyondGoal(items []Item, it *Item) string {
	for i := range items {
		steps, ok := strings.CutPrefix(it.Text, items[i].Text+" · ")
		if ok && it.Kind == Lead && items[i].Kind == Goal && items[i].ApprovedPlan() {
			return steps
		}
	}
	return it.Text
}

// blanks removes whitespace before comparing: a goal has a space between sentences that were typed without one.
var blanks = strings.NewReplacer(" ", "", "\n", "")

// fit renders the page with as few cuts as the budget requires, and returns the items cut: what was cut and still fits
// beside the rest comes back, the most important first.
func (pg *page) fit(budget int) (Rendered, []int) {
	r, order := pg.render(nil), cutOrder(pg.items)
	if r.Tokens <= budget || len(order) == 0 {
		return r, nil
	}
	// The first cut adds the line with the count; from then on each cut makes the page shorter.
	n := 1 + sort.Search(len(order)-1, func(n int) bool { return pg.render(order[:n+1]).Tokens <= budget })
	cut := slices.Clone(order[:n])
	r = pg.render(cut)
	for i := n - 2; i >= 0; i-- {
		with := slices.Delete(slices.Clone(cut), i, i+1)
		if fuller := pg.render(with); fuller.Tokens <= budget {
			r, cut = fuller, with
		}
	}
	return r, cut
}

// shown returns the items that get a line: a pinned next action before the others, and what a person said last before
// the list of tasks.
func shown(p *Payload) []Item {
	var items []Item
	for _, it := range p.Items {
		if it.Current() && formatItem(&it) != "" {
			items = append(items, it)
		}
	}
	place := func(it Item) int {
		switch {
		case it.Kind == Next && it.Pinned:
			return 0
		case it.Rule == ToldNextRule && it.By == ByUser && !p.Beside[it.ID]:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(items, func(a, b Item) int { return place(a) - place(b) })
	return items
}

// A page is a payload being rendered as Markdown.
type page struct {
	payload *Payload
	variant Variant
	layout  []section
	items   []Item
	read    []string // files only read, named below the heading
	told    bool
	lines   []string // of the items in their current form; nil if not yet formatted
}

// render lays out the page without the items whose indexes are in cut, and counts its tokens.
func (pg *page) render(cut []int) Rendered {
	r := pg.layOut(cut)
	r.Tokens = tokens.Count(r.Text)
	return r
}

// layOut is render without counting.
func (pg *page) layOut(cut []int) Rendered {
	gone := make(map[int]bool, len(cut))
	for _, i := range cut {
		gone[i] = true
	}
	for i := len(pg.lines); i < len(pg.items); i++ {
		it := &pg.items[i]
		pg.lines = append(pg.lines, formatItem(it)+pg.saidMoreSince(it)+pg.note(it))
	}
	r := Rendered{Cut: len(cut)}
	var body strings.Builder
	for _, s := range pg.layout {
		var lines []string
		for i := range pg.items {
			if kind, ended := pg.items[i].Under(); kind == s.kind && ended == s.ended && !gone[i] {
				lines = append(lines, pg.lines[i])
				r.Shown = append(r.Shown, pg.items[i].ID)
			}
		}
		if len(lines) > 0 {
			if s.kind == Goal {
				s.heading = cmp.Or(pg.begun(), s.heading)
			}
			fmt.Fprintf(&body, "\n## %s\n", s.heading)
			list(&body, s.kind, lines)
		}
	}
	switch {
	case r.Cut > 0 && (pg.variant == Handoff || pg.payload.Session == ""): // its reader hasn't the session
		fmt.Fprintf(&body, "\n… and %d more left out\n", r.Cut)
	case r.Cut > 0:
		fmt.Fprintf(&body, "\n… and %d more: recall show %s\n", r.Cut, ShortID(pg.payload.Session))
	}
	var b strings.Builder
	b.WriteString(marker(pg.handsOn(r.Shown)))
	b.WriteString(heading(pg.payload, pg.told))
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

// maxLater is how much is shown, in characters, of what a person said later that may give a question another answer.
const maxLater = 80

// note says which session of a thread an item is from, whether only its agent said so, and what has since replaced or
// contradicted it. It is omitted for kinds taken from the last session only, and for quotes from the page's own
// session: their turn says where they are from.
func (pg *page) note(it *Item) string {
	from, ok := pg.payload.Origins[it.ID]
	by, doubted := pg.payload.Doubted[it.ID]
	switch {
	case pg.payload.Origins == nil && doubted:
		from.Session = pg.payload.Session
	case !ok || !accumulates[it.Kind] && from.Session == pg.payload.Session:
		return ""
	}
	name := "session " + ShortID(from.Session)
	switch {
	case it.Handed:
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
	after := ""
	if accumulates[it.Kind] && it.Kind != Lead && it.By == ByAssistant && it.Maker != ByHuman {
		after = "; by the agent"
	}
	switch {
	case doubted && it.Kind == Decision && by.Words != "":
		word := "later"
		if by.Sure {
			word = by.Word(it.Kind)
		}
		after += fmt.Sprintf("; %s: “%s”, %s", word, inParens(text.Clip(by.Words, maxLater)), day(by.At))
	case doubted:
		after += fmt.Sprintf("; %s, %s", by.Word(it.Kind), day(by.At))
	}
	if was := pg.payload.InPlaceOf[it.ID]; was != "" {
		after += "; in place of “" + inParens(text.Clip(was, MaxOtherPassage)) + "”"
	}
	if it.Quoted() && from.Session == pg.payload.Session && after == "" {
		return ""
	}
	return fmt.Sprintf(" (%s%s, %s%s)", name, from.On(), day(it.At), after)
}

// shorten clips each part of an item to size characters.
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

// How a page's heading begins, and that of one a session is told of.
const (
	pageTitle = "Rehydration payload"
	toldTitle = "Earlier work"
)

// beginsGoal reports whether a goal that is shown anyway begins as a session's name does.
func beginsGoal(items []Item, name string) bool {
	name = strings.TrimSuffix(name, "…")
	return slices.ContainsFunc(items, func(it Item) bool {
		return it.Kind == Goal && it.Current() && strings.HasPrefix(oneLine(it.Text), name)
	})
}

// heading returns the title and the line that says where the payload is from.
func heading(p *Payload, told bool) string {
	title, made, notice := "# "+pageTitle, p.Made.By(), leadsNotice
	if told {
		title, made, notice = "# "+toldTitle, "", leadsMeaning
	}
	if name := safe(p.Title, 120); name != "" && !beginsGoal(p.Items, name) {
		title += ": " + name
	}
	parts := []string{sessionName(p)}
	open := ""
	switch n := p.Uncommitted; {
	case n == 1:
		open = "1 file changed, in no commit seen since"
	case n > 1:
		open = fmt.Sprint(n, " files changed, in no commit seen since")
	}
	for _, of := range [][2]string{{"project ", p.Project}, {"branch ", p.Branch}, {"", open},
		{"", Span(p.Start, p.End)}, {"distilled by ", made}} {
		if name := safe(of[1], 80); name != "" {
			parts = append(parts, of[0]+name)
		}
	}
	if slices.ContainsFunc(p.Items, func(it Item) bool {
		return it.Kind == Lead && it.Rule != ClaimRule && it.Current()
	}) {
		parts = append(parts, notice)
	}
	return title + "\n" + strings.Join(parts, " · ") + "\n"
}

// leadsNotice explains a payload that has passages.
const (
	leadsMeaning = "quotes, not conclusions"
	leadsNotice  = "by rules: " + leadsMeaning
)

func sessionName(p *Payload) string {
	if p.Session == "" {
		return "Session handed over"
	}
	name := "Session " + safe(ShortID(p.Session), 40)
	if len(p.Session) > len(ShortID(p.Session)) {
		name += "…"
	}
	if n := len(p.Thread) - 1; n > 0 {
		name += fmt.Sprintf(" and %d before it", n)
	}
	return strings.TrimSpace(name)
}

// Span formats a period in UTC; "" if neither end is known.
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

// safe makes s fit in a heading.
func safe(s string, size int) string {
	return comment().ReplaceAllString(text.Clip(oneLine(s), size), `<\$1!--`)
}

// Data returns a transcript's text as one line of data for a model, clipped to at most so many characters (0: no
// limit).
func Data(s string, most int) string {
	s = escape.Line(s, escape.Model)
	if most > 0 {
		s = text.Clip(s, most)
	}
	return s
}

// RenderData is Render for a model: except for its two markers, nothing in the page can open a client's tags or end the
// marker, and nothing in a quotation ends it.
func RenderData(p *Payload, o Options) Rendered {
	data := *p
	data.Items = slices.Clone(p.Items)
	for i := range data.Items {
		if it := &data.Items[i]; it.Quoted() {
			it.Text, it.Evidence = Data(it.Text, 0), slices.Clone(it.Evidence)
			for k := range it.Evidence {
				it.Evidence[k].Quote = Data(it.Evidence[k].Quote, 0)
			}
		}
	}
	r := Render(&data, o)
	lines := strings.SplitAfter(r.Text, "\n")
	for i, line := range lines {
		own := i == 0 && strings.HasPrefix(line, "<!-- recall") || i >= len(lines)-2 &&
			strings.TrimSpace(line) == "<!-- /recall -->"
		if !own {
			lines[i] = escape.Text(line, escape.Model)
		}
	}
	r.Text = strings.Join(lines, "")
	return r
}

// WithoutMarkers returns a rendered payload, and any text after it, for a person: without the markers. Its heading
// still identifies it where it is pasted.
func WithoutMarkers(text string) string {
	if head, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(head, "<!-- recall") {
		text = rest
	}
	return strings.Replace(text, "<!-- /recall -->\n", "", 1)
}
