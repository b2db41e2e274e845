package model

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/ingest"
	"recall/internal/text"
)

// How much of a session a model is shown, in bytes. What people decide is in dialogue, answers and plans (measured:
// 230 of 237 items that must be kept), which are shown whole unless huge.
const (
	clipTyped   = 12_000 // one typed turn
	clipPasted  = 6_000  // text pasted into one
	clipSaid    = 7_000  // one message of the assistant
	clipPlan    = 14_000
	clipRefused = 3_000 // a refused plan: its outcome is shown below
	clipSummary = 9_000 // a compaction summary of turns that are no longer there
	clipAgain   = 6_000 // a summary of turns that are
	clipAsked   = 1_500 // a question by the assistant
	clipEcho    = 200   // events, copied turns
	clipInputs  = 90    // a search, or a command that failed or published work
	clipCommand = 40    // another command
	clipPage    = 1_000 // the beginning of a document, issue or commit message that was written
)

// A block is one turn as shown to a model. Every line begins with a mark, so that no text can pass for another's:
// "##" for a turn's heading, "|" for what was said, ">" for what was pasted, "?" and "=" for questions and answers,
// "+" for tool calls, "x" for a refused plan, and "~" for tool output and the client's own words.
type block struct {
	turn *ingest.Turn
	text string // ends in a newline
	size int    // in tokens, set when windows are cut
	part int    // > 0 if it is a piece of a turn too large for one window
}

// condense makes the blocks of a session's own turns, in order, and of the turns it began with as a copy of another
// session. Turns of abandoned branches, and those with nothing to show, have none.
func condense(s *ingest.Session) (blocks, copied []block) {
	root := rootOf(s)
	todos := map[string]bool{}
	first := true // nothing of the session itself has been said yet
	for i := range s.Turns {
		t := &s.Turns[i]
		switch {
		case t.Abandoned:
			continue
		case t.Copied:
			if text := echo(t); text != "" {
				copied = append(copied, block{turn: t, text: text})
			}
			continue
		}
		c := condenser{root: root, todos: todos}
		c.turn(t, first)
		if c.b.Len() > 0 {
			blocks = append(blocks, block{turn: t, text: c.b.String()})
		}
		if t.Kind == ingest.Prompt || t.Kind == ingest.Message || t.Kind == ingest.PlanTurn {
			first = false
		}
	}
	return blocks, copied
}

// rootOf returns the folder that a session began in. Unlike the one most turns ran in, it doesn't change as the
// session grows.
func rootOf(s *ingest.Session) string {
	if len(s.Where.Cwds) == 0 {
		return ""
	}
	return strings.TrimRight(strings.ReplaceAll(s.Where.Cwds[0].Dir, "\\", "/"), "/")
}

// label is a turn's name for the model.
func label(t *ingest.Turn) string { return fmt.Sprintf("t%d", t.N) }

// A condenser renders one turn.
type condenser struct {
	b     strings.Builder
	root  string          // folder that paths are relative to, or ""
	todos map[string]bool // todo entries shown before
}

func (c *condenser) turn(t *ingest.Turn, first bool) {
	switch t.Kind {
	case ingest.Message:
		text := strings.TrimSpace(ownWords(t))
		calls := c.calls(t)
		if text == "" && calls == "" {
			return
		}
		c.head(t, "assistant")
		c.lines("| ", clip(listings(text), clipSaid))
		c.b.WriteString(calls)
	case ingest.Prompt:
		if t.Role == ingest.Program {
			c.said(t, "a program, not the user, asks", "| ", clipTyped)
			break
		}
		c.typed(t)
	case ingest.PlanTurn:
		c.said(t, "user hands over an approved plan", "| ", clipPlan)
	case ingest.Command:
		c.said(t, "user, command "+oneLine(t.Name, 60), "| ", clipTyped)
	case ingest.Shell:
		c.said(t, "user ran a command", "~ ", clipEcho)
	case ingest.Summary:
		if first {
			c.said(t, "summary by the client of a conversation that isn't shown", "| ", clipSummary)
		} else {
			c.said(t, "summary by the client of what is above", "| ", clipAgain)
		}
	case ingest.Interrupt:
		c.head(t, "user interrupted the assistant")
	case ingest.Event:
		c.said(t, "notice of the client", "~ ", clipEcho)
	}
}

func (c *condenser) said(t *ingest.Turn, who, mark string, most int) {
	text := strings.TrimSpace(ownWords(t))
	if text == "" && len(t.Uploads) == 0 {
		return
	}
	c.head(t, who)
	c.lines(mark, clip(text, most))
	c.uploads(t)
}

func (c *condenser) uploads(t *ingest.Turn) {
	for i, u := range t.Uploads {
		if i == 5 {
			c.line("+ ", fmt.Sprintf("and %d more files", len(t.Uploads)-i))
			break
		}
		c.line("+ ", "attached "+oneLine(u, 100))
	}
}

// typed renders what a person typed. The middle of a long text is marked differently: it may be pasted, and somebody
// else's.
func (c *condenser) typed(t *ingest.Turn) {
	text := strings.TrimSpace(ownWords(t))
	if len(text) < minPasteBytes || strings.Count(text, "\n") < minPasteLines {
		c.said(t, "user", "| ", clipTyped)
		return
	}
	before, rest, ok := strings.Cut(text, "\n\n")
	if !ok {
		before, rest, _ = strings.Cut(text, "\n")
	}
	at := strings.LastIndex(rest, "\n\n")
	middle, after := rest, ""
	if at >= 0 && len(rest)-at < maxTypedParagraph {
		middle, after = rest[:at], rest[at:]
	}
	if len(before) > maxTypedParagraph {
		before, middle = "", text[:len(text)-len(after)]
	}
	c.head(t, "user")
	c.lines("| ", before)
	c.lines("> ", clip(middle, clipPasted))
	c.lines("| ", after)
	c.uploads(t)
}

// A text of at least this many bytes and lines counts as pasted, except for a first and last paragraph of at most
// maxTypedParagraph bytes.
const (
	minPasteBytes     = 2_000
	minPasteLines     = 20
	maxTypedParagraph = 600
)

func (c *condenser) head(t *ingest.Turn, who string) {
	c.b.WriteString("## " + label(t) + " " + who + "\n")
}

func (c *condenser) line(mark, text string) { c.b.WriteString(mark + text + "\n") }

// lines writes a text with the mark before each line, without lines that say nothing.
func (c *condenser) lines(mark, text string) {
	for _, line := range strings.Split(visible(text), "\n") {
		if line = strings.TrimRight(line, " \t"); !saysNothing().MatchString(line) {
			c.line(mark, line)
		}
	}
}

// saysNothing matches lines of only brackets and rules, and a client's boilerplate around output, commits and
// summaries.
var saysNothing = text.Pattern(`^[\s|+*_=~─━═:{}()\[\];,-]*$|^(?:Exit code \d+$|` +
	`\(Bash completed with no output|Shell cwd was reset to |Co-Authored-By: Claude|.*Generated with \[Claude Code\]|` +
	`This session is being continued from a previous conversation|If you need specific details from before |` +
	`(?:Please c|C)ontinue the conversation from where )`)

// ownWords returns a turn's text with a placeholder for each part that isn't shown. The rest may be quoted: see
// sources.words.
func ownWords(t *ingest.Turn) string {
	hidden := t.Hidden()
	if len(hidden) == 0 {
		return t.Text
	}
	var b strings.Builder
	at := 0
	for _, f := range hidden {
		from, to := min(max(f.From, at), len(t.Text)), min(max(f.To, at), len(t.Text))
		b.WriteString(t.Text[at:from])
		if to > from {
			fmt.Fprintf(&b, "\n[%d bytes of %s left out]\n", to-from, f.Label)
		}
		at = max(from, to)
	}
	b.WriteString(t.Text[at:])
	return b.String()
}

// echo is the short form of a copied turn.
func echo(t *ingest.Turn) string {
	var who string
	switch t.Kind {
	case ingest.Prompt, ingest.PlanTurn:
		who = "user"
	case ingest.Message:
		who = "assistant"
	default:
		return ""
	}
	text := strings.TrimSpace(ownWords(t))
	if text == "" {
		return ""
	}
	var c condenser
	c.b.WriteString("## before, " + who + "\n")
	c.lines("| ", clip(text, clipEcho))
	return c.b.String()
}

// clip shortens a text to at most most bytes: its beginning and its end.
func clip(text string, most int) string {
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text
	}
	return cutAt(text, most*3/5) + "\n[…]\n" + text[startOf(text, len(text)-most/4):]
}

// maxListed is how many lines of a listing in an assistant's message are shown.
const maxListed = 6

// listings cuts fenced code blocks to their first lines.
func listings(text string) string {
	var b strings.Builder
	lines, in := 0, false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			in, lines = !in, 0
		} else if lines++; in && lines > maxListed {
			if lines == maxListed+1 {
				b.WriteString("[…]\n")
			}
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// cutAt returns at most the first n bytes of a text, ending at a line or word boundary if one is near.
func cutAt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	for _, sep := range []string{"\n", " "} {
		if i := strings.LastIndex(text[:n], sep); i > n*3/4 {
			return text[:i]
		}
	}
	return text[:n]
}

// startOf moves an index forward to the start of a line or word if one is near.
func startOf(text string, i int) int {
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	for _, sep := range []string{"\n", " "} {
		if k := strings.Index(text[i:], sep); k >= 0 && k < (len(text)-i)/4 {
			return i + k + 1
		}
	}
	return i
}

// oneLine puts a text on one line of at most n bytes, keeping its beginning.
func oneLine(s string, n int) string {
	if len(s) > 4*n {
		s = cutAt(s, 4*n)
	}
	s = text.OneLine(visible(s))
	if len(s) <= n {
		return s
	}
	return cutAt(s, n) + "…"
}

// visible removes what a reader doesn't see but a model might: control characters, zero-width and bidirectional
// characters, tags. Every kind of line ending becomes a newline.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("\r\v\f\u0085\u2028\u2029", r):
			return '\n'
		case hidden(r):
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

func hidden(r rune) bool {
	kept := r == '\n' || r == '\t' || r == 0x200C || r == 0x200D // the last two join letters and emoji
	tag := r >= 0xE0000 && r <= 0xE0FFF
	return !kept && (tag || r == utf8.RuneError || unicode.In(r, unicode.Cf, unicode.Cc, unicode.Zl, unicode.Zp))
}
