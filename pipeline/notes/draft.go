package notes

import (
	"cmp"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"recall/distill"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/internal/text"
	"recall/payload"
)

// A DraftLine is one line of a payload that an agent drafted, and what became of it.
type DraftLine struct {
	N    int          // 1-based line of the draft
	Item payload.Item // its content

	Note   *payload.Note // its claim with the quote that bears it out, nil if there is none
	Why    string        // why there is none in the first session that was searched
	Quote  string        // as given by the draft; may be ""
	beside string        // words next to it, which say less
}

const draftNowhere = "not found in the conversation's words"

// GroundDraft finds, for each line of a draft without a note, the words of a session that support it: those that the
// draft quotes on a line of its own below ("> …") if they occur, else the passage that says the same. What only the
// draft itself says is no evidence. The session is redacted, as Read returns it.
func GroundDraft(s *ingest.Session, lines []DraftLine, now time.Time) {
	before := withoutDraft(s, lines)
	look, on := newPassages(before), newGrounds(before)
	on.strict = true
	for i := range lines {
		if lines[i].Note == nil {
			lines[i].ground(on, look, now)
		}
	}
}

// ground tries the draft's quote first, then the passages found; what the person said comes before what the assistant
// did.
func (l *DraftLine) ground(on *grounds, look *passages, now time.Time) {
	claim := l.Claim(string(on.s.ID), now)
	claim.Claim, claim.Quote = "", ""
	about := name(claim.Path) + " " + claim.Text
	if claim.Kind == payload.Status { // what it lists
		about = fileState().ReplaceAllString(claim.Text, "")
	}
	quotes := slices.Concat(look.best(about+" "+claim.Why), look.best(about))
	if claim.Kind == payload.File {
		quotes = look.ofFile(claim.Path)
	}
	if l.Quote != "" {
		quotes = append([]string{l.Quote}, quotes...)
	}
	why := draftNowhere
	for _, q := range quotes {
		note := *claim
		note.Quote = q
		if err := note.Check(); err != nil {
			why = err.Error()
			continue
		}
		it, fault := on.item(&note)
		switch {
		case it != nil && !it.Said():
			byPerson := it.By != payload.ByAssistant
			if byPerson || l.Note == nil {
				note.Quote = it.Evidence[0].Quote
				l.Note, l.Why = &note, ""
			}
			if byPerson {
				return
			}
		case it != nil && l.beside == "":
			l.beside = it.Evidence[0].Quote
		}
		if why == draftNowhere && fault != "" && fault != reasons[distill.DropUnrelated] && fault != quoteAbsent {
			why = fault // of the likeliest
		}
	}
	if l.Note == nil {
		l.Why = cmp.Or(l.Why, why)
	}
}

// Claim returns the line as a note by the session's agent that says why nothing supports it.
func (l *DraftLine) Claim(session string, now time.Time) *payload.Note {
	it := &l.Item
	n := &payload.Note{Type: payload.NoteType, By: "agent", Session: session, At: now.UTC().Truncate(time.Second),
		Kind: it.Kind, Text: it.Text, Why: it.Why, Scope: it.Scope, Alternatives: it.Alternatives,
		Path: it.Path, Status: it.Status, Quote: l.beside, Claim: l.Why}
	n.Fit()
	return n
}

var (
	boldLead = text.Pattern(`^\*\*([^*]+?)(:?)\*\*(:?)\s*(.*)$`)
	bulleted = text.Pattern(`^(?:[-*+•]|\d{1,3}[.)])\s+`)
	fileLine = text.Pattern(`^(DONE|COMPLETE|IN PROGRESS|UNTOUCHED|NOT STARTED|OFF LIMITS):\s+(.+)$`)
	// fileState matches a file's state before what is said of it: "OFF LIMITS until the audit", "is finished".
	fileState = text.Pattern(`(?i)^(?:(?:is|are|was) )?(?:(done|finished|completed?|ready)|` +
		`(in progress|half done|unfinished|not (?:done|finished|ready))|(untouched|not started)|` +
		`(off[- ]limits|hands off|(?:don['’]?t|do not) touch|leave (?:it )?alone))\b`)
	decided  = text.Pattern(`(?i)^(.+?)\s*\(decided (?:in )?session \d+(?:\s*[-–—:,]\s*(.+))?\)\.?$`)
	ruledOff = text.Pattern(`(?i)^(.+?)(?:\s*[:,]|\s+(?:is|was|were))?\s+ruled out\s*(?:[-–—:]\s*(.+))?$`)
)

// ReadDraft reads a payload as agents write it: with any headings or bold leads, as lists or paragraphs, in a code
// fence, after an introduction. A quote ("> …") belongs to the line above it. What stands under a heading that names
// no kind becomes a flag, prefixed with the heading.
func ReadDraft(markdown string) []DraftLine {
	d := draftReader{}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufeff", "").Replace(markdown)
	for i, line := range strings.Split(text, "\n") {
		d.line(i+1, strings.TrimSpace(line))
	}
	d.flush()
	return d.lines
}

type draftReader struct {
	lines []DraftLine
	kind  payload.Kind // of the section, "" under a heading that names none
	head  string       // that heading
	open  string       // the line being read
	at    int          // where it began
}

func (d *draftReader) line(n int, s string) {
	bold := boldLead().FindStringSubmatch(s)
	switch {
	case strings.HasPrefix(s, "```"), strings.HasPrefix(s, "~~~"), strings.HasPrefix(s, "<!--"), s == "---":
		if d.flush(); strings.HasPrefix(s, "<!-- /recall") {
			d.kind, d.head = "", "" // what follows isn't part of the page
		}
	case payload.IsCutNote(s): // nor is this
		d.flush()
	case strings.HasPrefix(s, "#"):
		name := strings.TrimSpace(strings.Trim(s, "#"))
		names := payload.KindOf(name) != "" && len(strings.Fields(name)) <= mostOfHeading
		title := d.head == "" &&
			(strings.HasPrefix(s, "# ") && !names || strings.Contains(strings.ToLower(name), "payload"))
		if d.flush(); !title {
			d.kind, d.head = payload.KindOf(name), name
		}
	case bold != nil && (bold[2]+bold[3] != "" || bold[4] == ""):
		d.flush()
		d.kind, d.head = payload.KindOf(bold[1]), bold[1]
		d.open, d.at = bold[4], n
	case s == "":
		d.flush()
	case strings.HasPrefix(s, ">"):
		d.flush()
		if quoted := strings.Trim(strings.TrimSpace(s[1:]), "\"“”"); len(d.lines) > 0 {
			l := &d.lines[len(d.lines)-1]
			l.Quote = strings.TrimSpace(l.Quote + " " + quoted)
		}
	case d.head == "": // text before the payload
	case bulleted().MatchString(s):
		d.flush()
		d.open, d.at = s[len(bulleted().FindString(s)):], n
	default: // as in Markdown, the paragraph or item continues
		if d.open == "" {
			d.at = n
		}
		d.open = strings.TrimSpace(d.open + " " + s)
	}
}

// mostOfHeading is how many words a first heading of the highest rank has that names a kind and isn't the title.
const mostOfHeading = 3

// flush turns the line that was read into items.
func (d *draftReader) flush() {
	said := strings.ReplaceAll(d.open, "**", "")
	if d.open = ""; said == "" {
		return
	}
	kind := d.kind
	if kind == "" {
		kind, said = payload.Flag, d.head+": "+said
	}
	if kind == payload.File {
		d.files(said)
		return
	}
	it := payload.ParseLine(kind, said)
	if kind == payload.Lead { // a passage from recall's own page
		it.Kind = payload.Flag
		d.lines = append(d.lines, DraftLine{N: d.at, Item: it, Quote: it.Text})
		return
	}
	for _, form := range []*regexp.Regexp{decided(), ruledOff()} {
		if m := form.FindStringSubmatch(it.Text); m != nil && (form == decided() || kind == payload.Eliminated) {
			it.Text, it.Why = m[1], cmp.Or(it.Why, m[2])
		}
	}
	if text, why, ok := strings.Cut(it.Text, " - "); ok && it.Why == "" && reasoned[kind] {
		it.Text, it.Why = text, why
	}
	d.lines = append(d.lines, DraftLine{N: d.at, Item: it})
}

var fileStates = []string{payload.FileDone, payload.FileProgress, payload.FileUntouched, payload.FileOffLimits}

var reasoned = map[payload.Kind]bool{payload.Decision: true, payload.Eliminated: true, payload.Finding: true}

// files reads a line about files: "a.go — DONE — holds the heap", or "DONE: a.go, b.go (both tested)".
func (d *draftReader) files(said string) {
	m := fileLine().FindStringSubmatch(said)
	if m == nil {
		it := payload.ParseLine(payload.File, said)
		file, rest, _ := strings.Cut(it.Path, " ")
		if file = strings.Trim(file, "`:"); rest != "" && trace.LooksLikePath(file) {
			it.Path, it.Text = file, strings.Trim(rest, "()")
		}
		if m := fileState().FindStringSubmatch(it.Text); m != nil && it.Status == "" {
			for i, state := range fileStates {
				if m[i+1] != "" {
					it.Status, it.Text = state, strings.TrimLeft(it.Text[len(m[0]):], " .:;,—–-")
				}
			}
		}
		d.lines = append(d.lines, DraftLine{N: d.at, Item: it})
		return
	}
	status := map[string]string{"COMPLETE": payload.FileDone, "NOT STARTED": payload.FileUntouched}[m[1]]
	paths, about, _ := strings.Cut(m[2], " (")
	for path := range strings.SplitSeq(paths, ",") {
		it := payload.Item{Kind: payload.File, Path: strings.Trim(strings.TrimSpace(path), "`"),
			Status: cmp.Or(status, m[1]), Text: strings.TrimSuffix(about, ")"), State: payload.Stands}
		d.lines = append(d.lines, DraftLine{N: d.at, Item: it})
	}
}

// withoutDraft returns a session without the messages that contain the draft: a claim is no evidence of itself.
func withoutDraft(s *ingest.Session, lines []DraftLine) *ingest.Session {
	cut := *s
	cut.Turns = append([]ingest.Turn(nil), s.Turns...)
	for i := range cut.Turns {
		t := &cut.Turns[i]
		if t.Role != ingest.Assistant || t.Text == "" {
			continue
		}
		line, said := text.OneLine(t.Text), 0
		for _, l := range lines {
			if strings.Contains(line, text.OneLine(cmp.Or(l.Item.Text, l.Item.Path))) {
				said++
			}
		}
		if said > 0 && said*2 >= len(lines) {
			t.Text = ""
		}
	}
	return &cut
}

// passages holds the sentences of a session's conversation with their words.
type passages struct {
	list []passage
	df   map[string]int
}

type passage struct {
	text   string
	words  text.Bag
	around text.Bag // also what else its message says, and what that answers
	own    bool     // a person's
}

// newPassages splits what was said, answered and planned into sentences that can be quoted.
func newPassages(s *ingest.Session) *passages {
	p := &passages{df: map[string]int{}}
	var typed, answered text.Bag // the last messages
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Aside() {
			continue
		}
		switch t.Kind {
		case ingest.Prompt, ingest.Command, ingest.PlanTurn:
			typed = p.add(t.OwnText(), true, answered)
		case ingest.Message:
			if t.Text != "" {
				answered = p.add(t.OwnText(), false, typed)
			}
		}
		for k := range t.Calls {
			c := &t.Calls[k]
			p.add(c.Reason, true, answered)
			for _, a := range c.Answers {
				for _, chosen := range slices.Concat(a.Chosen, []string{a.Notes}) {
					p.add(chosen, true, text.Words(a.Question))
				}
			}
			if c.Plan != nil && c.Verdict == ingest.Approved {
				p.add(c.Plan.Text, true, nil)
			}
		}
	}
	return p
}

// add adds what was said and returns its words.
func (p *passages) add(said string, own bool, answers text.Bag) text.Bag {
	all := text.Words(said)
	around := text.Bag{}
	around.Add(all)
	around.Add(answers)
	for line := range strings.Lines(said) {
		for _, s := range text.Sentences(strings.TrimSpace(line), true) {
			if len(s) < 4 || len(s) > distill.MaxQuote {
				continue
			}
			w := text.Words(s)
			for stem := range w {
				p.df[stem]++
			}
			p.list = append(p.list, passage{s, w, around, own})
		}
	}
	return all
}

const (
	minCovered = 0.45 // share of a line's words, weighted by rarity, that what is said around a passage must contain
	maxTried   = 8    // passages
)

// best lists the passages that contain, together with what is said around them, most of a text's words, best first,
// preferring a person's.
func (p *passages) best(said string) []string {
	want := text.Words(said)
	for stem := range want {
		want[stem] = math.Log(1 + float64(len(p.list)+1)/float64(p.df[stem]+1))
	}
	if len(want) < 2 {
		return nil
	}
	type scored struct {
		text  string
		score float64
	}
	var all []scored
	for _, s := range p.list {
		score := want.In(s.around)
		if score < minCovered || want.Shared(s.around) < 2 || want.Shared(s.words) == 0 {
			continue
		}
		score += want.In(s.words)
		if s.own {
			score += 0.1
		}
		all = append(all, scored{s.text, score})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []string
	for _, s := range all[:min(len(all), maxTried)] {
		out = append(out, s.text)
	}
	return out
}

var (
	finished = text.Pattern(`(?i)\b(?:done|completed?|finished|ready|implemented|written|tested|works|in place|fixed|` +
		`moved|pass(?:es|ed)?|fertig|erledigt)\b|[✅☑✔✓]`)
	unfinished = text.Pattern(`(?i)\b(?:not|never|nothing|none|stub\w*|skeleton|` +
		`missing|half|partial\w*|only|so far|yet|to ?do|` +
		`fail\w*|in progress|wip|unfinished|nicht|noch|fehlt)\b|n['’]t\b`)
	leftAlone = text.Pattern(`(?i)\b(?:not|no|never|leave|left|hands off|alone|stays?|keep|untouched|until|wait|lass|` +
		`nicht)\b|n['’]t\b|off[- ]limits`)
)

// ofFile lists the passages that may say how far a file is, the latest first: those that name it, then those that
// report a result.
func (p *passages) ofFile(file string) []string {
	var names, reports []string
	for _, s := range slices.Backward(p.list) {
		switch {
		case strings.Contains(s.text, path.Base(file)):
			names = append(names, s.text)
		case !s.own && finished().MatchString(s.text):
			reports = append(reports, s.text)
		}
	}
	return slices.Concat(names, reports[:min(len(reports), maxTried)])
}

// bearsState reports whether a place says of a file, or of what is listed, that it is as far as a draft has it: of a
// file in a sentence that names it or, for one that is done, in a report on work that changed it, unless the last
// sentence that names it says that it isn't finished.
func (g *grounds) bearsState(n *payload.Note, p standing) bool {
	if n.Kind == payload.Status {
		m := fileState().FindStringSubmatch(n.Text)
		return m == nil || unfinished().MatchString(p.quote) == (m[1] == "")
	}
	if n.Kind != payload.File {
		return true
	}
	base := path.Base(n.Path)
	names := strings.Contains(p.quote, base)
	last := g.lastChange(base)
	switch n.Status {
	case payload.FileDone:
		names = names || p.by == payload.ByAssistant && last >= 0 && last <= p.turn
		return names && finished().MatchString(p.quote) && !unfinished().MatchString(p.quote) && !g.unfinished(base)
	case payload.FileProgress:
		return names && unfinished().MatchString(p.quote)
	case payload.FileUntouched, payload.FileOffLimits:
		return names && last < 0 && (leftAlone().MatchString(p.quote) || g.isToldToLeave(p))
	}
	return names
}

// isToldToLeave reports whether the person says to leave the file that a message names last.
func (g *grounds) isToldToLeave(p standing) bool {
	reply := g.next(p.turn)
	if p.by != payload.ByAssistant || reply == nil || !g.isLast(p.turn) || !leftAlone().MatchString(reply.OwnText()) {
		return false
	}
	_, after, _ := strings.Cut(g.s.Turns[p.turn].OwnText(), p.quote)
	return !slices.ContainsFunc(strings.Fields(after), func(w string) bool {
		return trace.LooksLikePath(strings.Trim(w, "`,.:;()"))
	})
}

// lastChange returns the place of the last turn that wrote a file, -1 if none did.
func (g *grounds) lastChange(base string) int {
	last := -1
	for i := range g.s.Turns {
		for k := range g.s.Turns[i].Calls {
			if c := &g.s.Turns[i].Calls[k]; path.Base(c.Path) == base && len(c.Replaced()) > 0 && c.Worked() {
				last = i
			}
		}
	}
	return last
}

// unfinished reports whether the last sentence that names a file says that it isn't finished.
func (g *grounds) unfinished(base string) (is bool) {
	for i := range g.s.Turns {
		t := &g.s.Turns[i]
		if t.Aside() || !strings.Contains(t.Text, base) {
			continue
		}
		for _, s := range text.Sentences(text.OneLine(t.OwnText()), true) {
			if strings.Contains(s, base) {
				is = unfinished().MatchString(s) && !finished().MatchString(s)
			}
		}
	}
	return is
}
