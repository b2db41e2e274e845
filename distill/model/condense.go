package model

import (
	"fmt"
	"slices"
	"strings"

	"recall/ingest"
	"recall/text"
)

// How much of a session a model is shown, in bytes. What people decide stands
// in dialogue, answers and plans (measured: 230 of 237 items that must be kept),
// which are shown whole unless huge.
const (
	clipTyped   = 12_000 // one typed turn
	clipPasted  = 6_000  // what is pasted into one
	clipSaid    = 7_000  // one message of the assistant's
	clipPlan    = 14_000
	clipRefused = 3_000 // a plan that was refused: what came of it is shown below
	clipSummary = 9_000 // a compaction summary of what isn't there any more
	clipAgain   = 6_000 // one of what is there
	clipAsked   = 1_500 // a question of the assistant's
	clipEcho    = 200   // events, copied turns
	clipOutput  = 150   // of a call that failed
	clipInputs  = 90    // a search, a command that failed or hands on what was done
	clipCommand = 40    // another command
	clipPage    = 1_000 // the beginning of a document, an issue or a commit's message that was written
	clipChange  = 200   // a line of a document that was changed
)

// A block is one turn as a model is shown it. Headings of turns begin with "##",
// what was said with "|", what was pasted with ">", what people answered with "?" and "=", calls of tools
// with "+", a plan that was refused with "x", and with "~" what tools printed and
// the client said: a text can't pass for another's, as each of its lines begins with
// its mark.
type block struct {
	turn *ingest.Turn
	text string // ends in a line break
	size int    // in tokens, once windows were cut
	part int    // > 0 if it is a piece of a turn too large for a window
}

// condense makes the blocks of a session's own turns, in their order, and those
// of the turns it began with as a copy of another. Turns of branches that were left,
// and those with nothing to show, have none.
func condense(s *ingest.Session) (blocks, copied []block) {
	root := rootOf(s)
	todos, files := map[string]bool{}, map[string]bool{}
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
		c := condenser{root: root, todos: todos, files: files}
		c.turn(t, first)
		if c.b.Len() > 0 || c.place {
			blocks = append(blocks, block{turn: t, text: c.b.String()})
		}
		if t.Kind == ingest.Prompt || t.Kind == ingest.Message || t.Kind == ingest.PlanTurn {
			first = false
		}
	}
	return once(blocks), copied
}

// leastRepeated is from how many letters on a line that says what another says is a copy. A
// shorter one goes with the line above it.
const leastRepeated = 20

// once leaves out what is said in the very words of a line that is shown anyway and counts
// as much: of the assistant's, plans and summaries, what stands above; of documents, what is
// said anywhere, as a plan is written to a file before a person is shown it; of tools' output,
// what stands above; of plans that were refused, also what came back in one that wasn't. A turn of
// which nothing is left, or that only tries the last one's calls again, has no text.
func once(blocks []block) []block {
	const document = 'd' // written by a call, besides its mark
	form := func(line string) (mark byte, words string) {
		if strings.HasPrefix(line, written) {
			return document, bare(unmarked(line))
		}
		return line[0], bare(unmarked(line))
	}
	said := map[byte]bool{'|': true, '=': true, '+': true}
	standing, refused := map[string]bool{}, map[string]bool{} // said anywhere
	for _, k := range blocks {
		for line := range strings.Lines(k.text) {
			mark, words := form(line)
			standing[words] = standing[words] || said[mark]
			refused[words] = refused[words] || mark == 'x'
		}
	}
	above, besides := map[string]bool{}, map[string]bool{} // said; of no weight
	out := slices.Clone(blocks)
	before := "" // what the turn before shows
	for i := range out {
		k := &out[i]
		var b strings.Builder
		left := false // out, just before
		for line := range strings.Lines(k.text) {
			mark, words := form(line)
			again := false
			switch mark {
			case 'x':
				again = standing[words] || besides[words]
			case document:
				again = standing[words] || refused[words] || besides[words]
			case '~':
				again = above[words] || besides[words]
			case '|':
				again = above[words] && k.turn.Kind != ingest.Prompt && k.turn.Kind != ingest.Command
			}
			again = again && (left || len(words) >= leastRepeated)
			switch {
			case !again:
				b.WriteString(line)
				above[words] = above[words] || said[mark]
				besides[words] = besides[words] || !said[mark]
			case !left && mark != '~':
				b.WriteString(line[:1] + " […]\n")
			}
			left = again
		}
		_, rest, _ := strings.Cut(b.String(), "\n")
		retried := rest == before && strings.HasPrefix(rest, "+")
		if k.text, before = b.String(), rest; retried || rest == "" && k.turn.Kind != ingest.Interrupt {
			k.text = ""
		}
	}
	return out
}

// rootOf is the folder that a session began in: unlike the one that most turns
// ran in it stays when the session grows.
func rootOf(s *ingest.Session) string {
	if len(s.Where.Cwds) == 0 {
		return ""
	}
	return strings.TrimRight(strings.ReplaceAll(s.Where.Cwds[0].Dir, "\\", "/"), "/")
}

// label is what a turn is called before the model.
func label(t *ingest.Turn) string { return fmt.Sprintf("t%d", t.N) }

// A condenser writes one turn.
type condenser struct {
	b     strings.Builder
	root  string          // folder that paths are named from, ""
	todos map[string]bool // entries of todo lists shown before
	files map[string]bool // files whose first changes were shown before
	place bool            // the turn shows nothing and has a block: answers are kept by blocks, and it had one
}

func (c *condenser) turn(t *ingest.Turn, first bool) {
	switch t.Kind {
	case ingest.Message:
		text := strings.TrimSpace(ownWords(t))
		calls, looked := c.calls(t)
		if text == "" && calls == "" {
			c.place = looked > 1
			return
		}
		c.head(t, "assistant")
		c.lines("| ", clip(listings(text), clipSaid))
		c.b.WriteString(calls)
	case ingest.Prompt:
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

// typed is what a person typed. What stands in the middle of a long text is marked apart:
// it may be somebody else's, and pasted.
func (c *condenser) typed(t *ingest.Turn) {
	text := strings.TrimSpace(ownWords(t))
	if len(text) < leastPaste || strings.Count(text, "\n") < leastLines {
		c.said(t, "user", "| ", clipTyped)
		return
	}
	before, rest, ok := strings.Cut(text, "\n\n")
	if !ok {
		before, rest, _ = strings.Cut(text, "\n")
	}
	at := strings.LastIndex(rest, "\n\n")
	middle, after := rest, ""
	if at >= 0 && len(rest)-at < mostTyped {
		middle, after = rest[:at], rest[at:]
	}
	if len(before) > mostTyped {
		before, middle = "", text[:len(text)-len(after)]
	}
	c.head(t, "user")
	c.lines("| ", before)
	c.lines("> ", clip(middle, clipPasted))
	c.lines("| ", after)
	c.uploads(t)
}

// A long text of so many bytes and lines is pasted in part, but for a first and a last
// paragraph of so many bytes: nobody types that.
const (
	leastPaste = 2_000
	leastLines = 20
	mostTyped  = 600
)

func (c *condenser) head(t *ingest.Turn, who string) {
	c.b.WriteString("## " + label(t) + " " + who + "\n")
}

func (c *condenser) line(mark, text string) { c.b.WriteString(mark + text + "\n") }

// lines writes a text with the mark before each line; those that say nothing are left out.
func (c *condenser) lines(mark, text string) {
	for _, line := range strings.Split(visible(text), "\n") {
		if line = strings.TrimRight(line, " \t"); !saysNothing().MatchString(line) {
			c.line(mark, line)
		}
	}
}

// saysNothing are lines of brackets and rules alone, and those that a client writes around
// what is somebody's: with a command's output, a commit, a summary.
var saysNothing = text.Pattern(`^[\s|+*_=~─━═:{}()\[\];,-]*$|^(?:Exit code \d+$|` +
	`\(Bash completed with no output|Shell cwd was reset to |Co-Authored-By: Claude|.*Generated with \[Claude Code\]|` +
	`This session is being continued from a previous conversation|If you need specific details from before |` +
	`(?:Please c|C)ontinue the conversation from where )`)

// ownWords is a turn's text with a note in place of what came from elsewhere.
func ownWords(t *ingest.Turn) string {
	if len(t.Foreign) == 0 {
		return t.Text
	}
	var b strings.Builder
	at := 0
	for _, f := range t.Foreign {
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

// echo is a copied turn in short.
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
