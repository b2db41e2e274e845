package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/llm"
	"recall/prompts"
)

const (
	carryTokens     = 2_000 // for the items known so far: some 40
	wrapping        = 300   // tokens of title, headings and other text around a transcript
	justBefore      = 1_600 // bytes of what was said before a window
	minAnswer       = 2_000 // tokens an answer may have besides the window's; typical ones have a quarter, and 600
	minWindow       = 300   // tokens below which asking is pointless
	minSettledShare = 12    // a window filled to at least 1/12 is not asked about again when the session grows
)

// A window is the part of a session that a model is shown at once.
type window struct {
	of     ingest.SessionID
	key    string // of its answer; depends on the windows before it, too
	chain  string // key of the previous window, "" for the first
	n      int    // number of blocks it covers
	part   int    // its position among the session's windows, from 1
	parts  int    // number of windows
	blocks []block
	before []block // what was said just before, for context
}

// text returns a window as shown to the model. A heading gives the speaker only if that changes.
func (w *window) text() string {
	var b strings.Builder
	before := ""
	for _, k := range w.blocks {
		head, rest, _ := strings.Cut(k.text, "\n")
		name := "## " + label(k.turn)
		if who := strings.TrimPrefix(head, name); who == before {
			head = name
		} else {
			before = who
		}
		b.WriteString(head + "\n" + rest)
	}
	return b.String()
}

// A sizing limits one request.
type sizing struct {
	window int // tokens of a window's blocks
	carry  int // tokens of the items carried along
	max    int // tokens of the answer
}

// size returns the number of tokens in a window's blocks.
func (w *window) size() (n int) {
	for i := range w.blocks {
		n += w.blocks[i].size
	}
	return n
}

// sizes fits a request with at most so many tokens of transcript to the model: instructions, carried items, window and
// answer.
func (m *Improver) sizes(most int) (sizing, error) {
	z := sizing{window: most, carry: carryTokens, max: m.o.Max}
	all := m.o.Model.Window()
	if all > 0 {
		z.carry = min(z.carry, all/10)
		text, form := prompts.Extraction(true, m.o.Small)
		fixed := tokens(text+string(form)) + tokens(strings.Repeat("word ", justBefore/5)) + wrapping
		// If the instructions take most of the space, an answer to the little that is shown is short, too.
		z.max = min(z.max, all/4, max(all-fixed-z.carry, 0)*2/5)
		z.window = min(z.window, all-fixed-z.carry-z.max)
	}
	if z.window < minWindow {
		return z, &llm.Error{Fault: llm.TooLong, Model: m.o.Model.Name(),
			Text: fmt.Sprintf("a window of %d tokens leaves no room for a transcript", all)}
	}
	return z, nil
}

// windows cuts a session's blocks. A window ends where one ended that was asked about before, according to the
// Store, or else where the next turn doesn't fit; so later turns never move earlier windows.
func (m *Improver) windows(of ingest.SessionID, blocks, copied []block, z sizing) ([]window, error) {
	blocks = m.split(blocks, z.window)
	var out []window
	chain := ""
	for at := 0; at < len(blocks); {
		n, key, err := m.settled(of, chain, blocks[at:], z.window)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			n = countFitting(blocks[at:], z.window)
			key = windowKey(chain, blocks[at:at+n])
		}
		w := window{of: of, key: key, chain: chain, n: n, blocks: blocks[at : at+n]}
		if at > 0 {
			w.before = lastSaid(blocks[:at])
		} else {
			w.before = copied[max(0, len(copied)-6):]
		}
		out = append(out, w)
		chain, at = key, at+n
	}
	for i := range out {
		out[i].part, out[i].parts = i+1, len(out)
	}
	return out, nil
}

// countFitting returns how many blocks fit.
func countFitting(blocks []block, most int) int {
	size := 0
	for i := range blocks {
		if size += blocks[i].size; size > most && i > 0 {
			return i
		}
	}
	return len(blocks)
}

// split measures blocks and cuts those larger than a window at newlines.
func (m *Improver) split(blocks []block, most int) []block {
	out := make([]block, 0, len(blocks))
	for _, k := range blocks {
		if k.size = tokens(k.text); k.size <= most {
			out = append(out, k)
			continue
		}
		head := "## " + label(k.turn) + " goes on\n"
		room := most - tokens(head)
		piece, size := "", 0
		for line := range strings.Lines(k.text) {
			for _, part := range m.shortLines(line, room) {
				n := tokens(part)
				if size+n > room && piece != "" {
					out = append(out, block{turn: k.turn, text: piece, size: size, part: len(out) + 1})
					piece, size = head, 0
				}
				piece, size = piece+part, size+n
			}
		}
		out = append(out, block{turn: k.turn, text: piece, size: size, part: len(out) + 1})
	}
	return out
}

// shortLines cuts a line that by itself is larger than a window.
func (m *Improver) shortLines(line string, most int) []string {
	if tokens(line) <= most {
		return []string{line}
	}
	mark, _, _ := strings.Cut(line, " ")
	var out []string
	for len(line) > most {
		head := cutAt(line, most) // a token has at least one byte
		out = append(out, head+"\n")
		line = mark + " " + strings.TrimLeft(line[len(head):], " ")
		if len(head) <= len(mark)+1 {
			break
		}
	}
	return append(out, line)
}

// lastSaid returns what was said last, as the window may begin with the answer to it.
func lastSaid(blocks []block) []block {
	var out []block
	left := justBefore
	for i := len(blocks) - 1; i >= 0 && left > 0 && len(out) < 3; i-- {
		text := spoken(blocks[i].text)
		if text == "" {
			continue
		}
		if len(text) > left {
			head, rest, _ := strings.Cut(text, "\n")
			from := startOf(rest, max(0, len(rest)-left))
			mark := ""
			if from > 0 && rest[from-1] != '\n' {
				mark = "| "
			}
			text = head + "\n| […]\n" + mark + rest[from:]
		}
		left -= len(text)
		out = append(out, block{turn: blocks[i].turn, text: text})
	}
	slices.Reverse(out)
	return out
}

// spoken returns a block without what tools did, or "" if nothing is left.
func spoken(text string) string {
	var b strings.Builder
	said := false
	for line := range strings.Lines(text) {
		switch line[0] {
		case '+', '~':
			continue
		case '|', '>', '?', '=':
			said = true
		}
		b.WriteString(line)
	}
	if !said {
		return ""
	}
	return b.String()
}

// A cut records where a window ended when it was asked about.
type cut struct {
	N   int    `json:"n"` // blocks
	Key string `json:"key"`
}

// settled finds a window that was asked about before and should stay as it is: its content is unchanged, and it is all
// there is or too large to ask again.
func (m *Improver) settled(of ingest.SessionID, chain string, blocks []block, most int) (n int, key string, err error) {
	k, ok, err := m.load(cutKey(of, chain))
	if err != nil || !ok || m.o.Anew && !m.current("cut", k) {
		return 0, "", err
	}
	var c cut
	if json.Unmarshal([]byte(k.Text), &c) != nil || c.N < 1 || c.N > len(blocks) ||
		windowKey(chain, blocks[:c.N]) != c.Key {
		return 0, "", nil
	}
	if _, ok, err = m.load(c.Key); err != nil || !ok {
		return 0, "", err
	}
	if then := (window{blocks: blocks[:c.N]}); c.N < len(blocks) && then.size()*minSettledShare < most {
		return 0, "", nil
	}
	return c.N, c.Key, nil
}

// settle records where a window ends.
func (m *Improver) settle(w *window) error {
	key := cutKey(w.of, w.chain)
	text, err := json.Marshal(cut{w.n, w.key})
	if err != nil {
		return err
	}
	k, had, err := m.load(key)
	same := had && k.Text == string(text)
	if err != nil || same && (!m.o.Anew || m.current("cut", k)) {
		return err
	}
	return m.keep(key, kept{Prompt: m.Prompt(), Model: m.o.Model.Name(), Text: string(text), Of: []string{string(w.of)}})
}
