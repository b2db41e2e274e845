package notes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
	"recall/text"
)

// A DraftLine is one line of a payload that an agent drafted, and what became of
// it.
type DraftLine struct {
	N     int // 1-based line of the draft
	Text  string
	Note  *payload.Note // its claim with the words that bear it out, nil if it was dropped
	Why   string        // why it was dropped
	Quote string        // as the draft gave it, ""

	Unquoted string // why the draft's own quote doesn't bear it out, though other words do; ""
}

// Why a line of a draft is dropped, beside what GroundNotes says.
const (
	draftFile    = "files are read from the transcript itself"
	draftNowhere = "nothing in the conversation bears it out"
	draftSection = "its section is none of a payload's"
)

// GroundDraft reads a payload that the session's agent drafted in Markdown and
// finds for each line the words of the session that it rests on: those that the
// draft quotes on a line of its own below ("> …") if they stand there, else the
// passage that says the same. What nothing bears out is dropped, and so is what
// only the draft itself says. The session is redacted, as Read gives it.
func GroundDraft(s *ingest.Session, markdown string, now time.Time) ([]DraftLine, error) {
	lines, err := readDraft(markdown)
	if err != nil {
		return nil, err
	}
	before := withoutDraft(s, lines)
	look := newPassages(before)
	for i := range lines {
		l := &lines[i]
		if l.Why != "" {
			continue
		}
		l.Note.Type, l.Note.By, l.Note.Session, l.Note.At = payload.NoteType, "agent", string(s.ID),
			now.UTC().Truncate(time.Second)
		l.ground(before, look)
	}
	return lines, nil
}

// ground tries what the draft quotes first, then what was found.
func (l *DraftLine) ground(s *ingest.Session, look *passages) {
	quotes := look.best(l.Note.Text + " " + l.Note.Why)
	if l.Quote != "" {
		quotes = append([]string{l.Quote}, quotes...)
	}
	l.Why = draftNowhere
	unquoted := ""
	for i, q := range quotes {
		note := *l.Note
		note.Quote = q
		if err := note.Check(); err != nil {
			l.Why = err.Error()
			continue
		}
		said := GroundNotes(s, []payload.Note{note})
		if n := said[0]; n.Item != nil {
			note.Quote = n.Item.Evidence[0].Quote
			l.Note, l.Why, l.Unquoted = &note, "", unquoted
			return
		} else if i == 0 && l.Quote != "" {
			unquoted = cmp.Or(n.Why, quoteAbsent)
		}
		if n := said[0]; n.Why != "" && n.Why != quoteOther && n.Why != quoteAbsent {
			l.Why = n.Why
		}
	}
	l.Note = nil
}

// readDraft reads the lines of a draft. Agents write around what they were asked
// for: a fence around it, a word before it, sections of their own.
func readDraft(markdown string) ([]DraftLine, error) {
	var out []DraftLine
	section, known := "", false
	var page strings.Builder // what payload.Read gets, line for line
	quotes := map[int]string{}
	last := 0
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(markdown)
	for i, line := range strings.Split(text, "\n") {
		n, bare, keep := i+1, strings.TrimSpace(line), ""
		switch {
		case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"), strings.HasPrefix(bare, "<!--"):
		case strings.HasPrefix(bare, "#"):
			section, known = bare, isSection(bare)
			if known {
				keep = "## " + strings.TrimLeft(bare, "# ")
			}
		case strings.HasPrefix(bare, ">"):
			if last > 0 {
				quotes[last] = strings.TrimSpace(quotes[last] + " " + strings.Trim(strings.TrimSpace(bare[1:]), "\"“”"))
			}
		case bare == "" || section == "":
		case known:
			keep, last = line, n
		case !strings.HasPrefix(section, "# "):
			out = append(out, DraftLine{N: n, Text: bare, Why: draftSection})
		}
		page.WriteString(keep + "\n")
	}
	doc, err := payload.Read(page.String())
	if err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	for _, d := range doc.Lines {
		it := d.Item
		l := DraftLine{N: d.N, Text: payload.LineOf(&it), Quote: quotes[d.N],
			Note: &payload.Note{Kind: it.Kind, Text: it.Text, Why: it.Why, Scope: it.Scope, Alternatives: it.Alternatives}}
		if it.Kind == payload.File {
			l.Why, l.Note = draftFile, nil
		}
		out = append(out, l)
	}
	return out, nil
}

func isSection(heading string) bool {
	doc, err := payload.Read("## " + strings.TrimLeft(heading, "# ") + "\n- x\n")
	return err == nil && len(doc.Lines) == 1
}

// withoutDraft is a session without the messages that hold the draft: a claim is
// no evidence of itself.
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
			if l.Note != nil && strings.Contains(line, text.OneLine(l.Note.Text)) {
				said++
			}
		}
		if said > 0 && said*2 >= len(lines) {
			t.Text = ""
		}
	}
	return &cut
}

// passages are the sentences of a session's conversation with their words.
type passages struct {
	list []passage
	df   map[string]int
}

type passage struct {
	text  string
	words text.Bag
	own   bool // a person's
}

// newPassages cuts what was said, answered and planned into sentences that may
// be quoted.
func newPassages(s *ingest.Session) *passages {
	p := &passages{df: map[string]int{}}
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Copied || t.Abandoned {
			continue
		}
		switch t.Kind {
		case ingest.Prompt, ingest.Command, ingest.PlanTurn:
			p.add(t.OwnText(), true)
		case ingest.Message:
			p.add(t.OwnText(), false)
		}
		for k := range t.Calls {
			c := &t.Calls[k]
			p.add(c.Reason, true)
			for _, a := range c.Answers {
				for _, chosen := range slices.Concat(a.Chosen, []string{a.Notes}) {
					p.add(chosen, true)
				}
			}
			if c.Plan != nil && c.Verdict == ingest.Approved {
				p.add(c.Plan.Text, true)
			}
		}
	}
	return p
}

func (p *passages) add(said string, own bool) {
	for line := range strings.Lines(said) {
		for _, s := range text.Sentences(strings.TrimSpace(line), true) {
			if len(s) < 4 || len(s) > distill.MaxQuote {
				continue
			}
			w := text.Words(s)
			for stem := range w {
				p.df[stem]++
			}
			p.list = append(p.list, passage{s, w, own})
		}
	}
}

// How much of a line's words a passage must hold, rare ones weighing more, and
// how many passages are tried.
const (
	bearsOut   = 0.45
	triedAtAll = 4
)

// best lists the passages that say most of a text, the best first. Of two that
// say as much a person's comes first.
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
	var top []scored
	for _, s := range p.list {
		score := want.In(s.words)
		if score < bearsOut || want.Shared(s.words) < 2 {
			continue
		}
		if s.own {
			score += 0.1
		}
		at := len(top)
		for at > 0 && top[at-1].score < score {
			at--
		}
		top = append(top[:at], append([]scored{{s.text, score}}, top[at:]...)...)
		top = top[:min(len(top), triedAtAll)]
	}
	var out []string
	for _, s := range top {
		out = append(out, s.text)
	}
	return out
}
