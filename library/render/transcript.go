// Package render renders a session for people: as Markdown for its folder, or as one self-contained HTML page.
package render

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recall/ingest"
	"recall/internal/escape"
	txt "recall/internal/text"
	"recall/payload"
)

// About has facts for a transcript's head that the session itself doesn't have.
type About struct {
	Title   string // "" for the session's own
	Project string
	Outputs map[string]string // where each file that it produced is kept beside the transcript, by its name
}

// Transcript renders a redacted session as Markdown: who said what and when, each call on one line, sub-agents folded
// at their call, and anchors for the ids of each turn. The same session always gives the same bytes.
func Transcript(s *ingest.Session, a About) []byte {
	t := newTranscript(s, a)
	t.head()
	for i := range s.Turns {
		t.turn(&s.Turns[i])
	}
	for agent := range t.leftAgents() {
		t.agent(agent)
	}
	return []byte(escape.Page(t.buf.String(), escape.Markdown))
}

type transcript struct {
	session *ingest.Session
	about   About
	agents  map[string][]ingest.Subagent // by call, removed when shown
	sides   *regexp.Regexp               // see sidesOf
	buf     bytes.Buffer
	day     string
}

func newTranscript(s *ingest.Session, a About) *transcript {
	t := &transcript{session: s, about: a, agents: map[string][]ingest.Subagent{}, sides: sidesOf(s)}
	for _, agent := range s.Subagents {
		t.agents[agent.Call] = append(t.agents[agent.Call], agent)
	}
	return t
}

func (t *transcript) write(parts ...string) {
	for _, s := range parts {
		t.buf.WriteString(s)
	}
}

func (t *transcript) head() {
	s := t.session
	title := cmp.Or(oneLine(t.about.Title, 200), oneLine(s.Title, 200), "Session "+string(s.ID))
	fmt.Fprintf(&t.buf, "# %s\n\nSession `%s`", plainText(title), s.ID)
	for _, fact := range t.facts() {
		t.write(" · ", plainText(oneLine(fact, 200)))
	}
	t.write("\n")
	if p := s.Parent; p != nil {
		fmt.Fprintf(&t.buf, "\nFrom session `%s` (%s); turns copied from it: %d.\n", p.Session, p.How, p.Turns)
	}
	if s.Source == ingest.Cowork {
		t.write("\n**VM**: inside the session's virtual machine, as are all paths that begin with `", inVM,
			"`; **host**: on the computer it ran on.\n")
		t.files("Given to it", s.Uploads)
		t.files("Produced by it", s.Outputs)
	}
}

// facts returns what the head says about the session besides its id.
func (t *transcript) facts() []string {
	facts := []string{string(t.session.Source)}
	if t.about.Project != "" {
		facts = append(facts, "project "+t.about.Project)
	}
	if t.session.Where.Branch != "" {
		facts = append(facts, "branch "+t.session.Where.Branch)
	}
	if !t.session.Start.IsZero() {
		facts = append(facts, payload.Span(t.session.Start, t.session.End)+" UTC")
	}
	return facts
}

func (t *transcript) turn(turn *ingest.Turn) {
	if day := turn.At.UTC().Format(time.DateOnly); !turn.At.IsZero() && day != t.day {
		t.day = day
		fmt.Fprintf(&t.buf, "\n## %s\n", day)
	}
	t.buf.WriteByte('\n')
	anchors(&t.buf, append([]string{string(turn.ID)}, turn.Records...)...)
	fmt.Fprintf(&t.buf, "\n### %d · %s\n", turn.N, heading(turn))
	t.body(turn)
}

// heading returns a text like "You · 14:32 · abandoned".
func heading(turn *ingest.Turn) string {
	parts := []string{speaker(turn)}
	if !turn.At.IsZero() {
		parts = append(parts, turn.At.UTC().Format("15:04"))
	}
	return strings.Join(append(parts, remarks(turn)...), " · ")
}

// remarks says what is notable about how a turn came about.
func remarks(turn *ingest.Turn) (all []string) {
	if turn.Queued {
		all = append(all, "typed while the assistant worked")
	}
	if turn.Abandoned {
		all = append(all, "abandoned: on a branch that was rewound")
	}
	if turn.Gone {
		all = append(all, "no longer in the source")
	}
	if n := turn.Gap.Before; n > 0 {
		all = append(all, "before it, "+unread(n))
	}
	if n := turn.Gap.After; n > 0 {
		all = append(all, "behind it, "+unread(n))
	}
	if turn.Copied {
		all = append(all, "copied from the session this was forked from")
	}
	return all
}

// unread says that something is missing.
func unread(lines int) string {
	if lines == 1 {
		return "a line of the source could not be read"
	}
	return fmt.Sprintf("%d lines of the source could not be read", lines)
}

func speaker(turn *ingest.Turn) string {
	if turn.Role == ingest.Program && turn.Kind != ingest.Event {
		return "Task given to it"
	}
	switch turn.Kind {
	case ingest.Summary:
		return "Summary of the conversation so far, by the model"
	case ingest.Interrupt:
		return "You stopped the assistant"
	case ingest.Event:
		return "Notice"
	case ingest.PlanTurn:
		return "Plan carried into this session"
	case ingest.Command:
		return "You: " + code(oneLine(turn.Name, 80))
	case ingest.Shell:
		return "You ran a command"
	}
	if turn.Role == ingest.User {
		return "You"
	}
	return "Assistant"
}

// body writes a turn's text, as a quotation if it is a person's, and its calls.
func (t *transcript) body(turn *ingest.Turn) {
	text := strings.TrimSpace(turn.Text)
	if text != "" {
		body := safeMarkdown(text)
		if turn.Role != ingest.Assistant {
			body = quoted(body)
		}
		t.buf.WriteByte('\n')
		t.buf.WriteString(body)
		t.buf.WriteByte('\n')
	}
	for _, f := range turn.Foreign {
		if f.Label == ingest.ForeignPasted {
			continue // it looks it
		}
		f.Label = plainText(f.Label)
		t.write("\n*(", foreign(turn.Text, f), ")*\n")
	}
	for _, name := range turn.Uploads {
		fmt.Fprintf(&t.buf, "\n*attached:* %s\n", t.marked(oneLine(name, 200)))
	}
	if len(turn.Calls) > 0 {
		t.buf.WriteByte('\n')
	}
	for i := range turn.Calls {
		t.call(&turn.Calls[i])
	}
}

// foreign says how much of a text isn't its speaker's.
func foreign(text string, f ingest.Foreign) string {
	n := 0
	if f.From >= 0 && f.To <= len(text) && f.From <= f.To {
		n = utf8.RuneCountInString(text[f.From:f.To])
	}
	return fmt.Sprintf("%d characters of this are from %s, not the speaker's own words", n, f.Label)
}

// agent writes a sub-agent's turns, folded.
func (t *transcript) agent(a ingest.Subagent) {
	name := html.EscapeString(oneLine(strings.TrimSpace(a.Type+" "+a.ID), 80))
	fmt.Fprintf(&t.buf, "\n<details><summary>Sub-agent %s: %s (turns: %d)</summary>\n", name,
		html.EscapeString(oneLine(a.Description, 160)), len(a.Turns))
	for i := range a.Turns {
		turn := &a.Turns[i]
		t.buf.WriteByte('\n')
		anchors(&t.buf, append([]string{string(turn.ID)}, turn.Records...)...)
		fmt.Fprintf(&t.buf, "\n**%s**\n", heading(turn))
		t.body(turn)
	}
	t.buf.WriteString("\n</details>\n\n")
}

// leftAgents yields the sub-agents whose call isn't known.
func (t *transcript) leftAgents() iter.Seq[ingest.Subagent] {
	return func(yield func(ingest.Subagent) bool) {
		for _, a := range t.session.Subagents {
			if left := t.agents[a.Call]; len(left) > 0 {
				t.agents[a.Call] = left[1:]
				if !yield(left[0]) {
					return
				}
			}
		}
	}
}

// anchors writes a link target for each id.
func anchors(b *bytes.Buffer, ids ...string) {
	for _, id := range anchorIDs(ids) {
		b.WriteString(`<a id="`)
		b.WriteString(html.EscapeString(id))
		b.WriteString(`"></a>`)
	}
}

// anchorIDs returns the ids without duplicates.
func anchorIDs(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		again := seen[id]
		seen[id] = true
		return again || id == ""
	})
}

// TranscriptName is the file name of a session's transcript in its folder.
const TranscriptName = "transcript.md"

// callAnchors matches the anchors before a call.
var callAnchors = txt.Pattern(`(?m)^- (?:<a id="[^"]*"></a>)+`)

// TurnsFrom yields the turns of a rendered transcript from a line on, the first one's or one above, by their numbers,
// without the anchors of their calls.
func TurnsFrom(text string, line int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		lines := strings.SplitAfter(text, "\n")[line-1:]
		begin, number := 0, 0
		turn := func(end int) string {
			said := strings.Join(lines[begin:end], "")
			return strings.Trim(callAnchors().ReplaceAllString(said, "- "), "\n") + "\n"
		}
		for i := 1; i < len(lines); i++ { // a sub-agent's turns inside one have anchors, but no such headings
			if !strings.HasPrefix(lines[i-1], "<a id=") || !strings.HasPrefix(lines[i], "### ") {
				continue
			}
			if begin > 0 && !yield(number, turn(i-1)) {
				return
			}
			begin = i
			fmt.Sscanf(lines[i], "### %d", &number)
		}
		if begin > 0 {
			yield(number, turn(len(lines)))
		}
	}
}
