package model

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"recall/distill"
	"recall/ingest"
)

// sources holds what may be quoted of a session, by turn.
type sources struct {
	turns map[string]*source // by label, such as t12
	order []*source
}

// A source holds what may be quoted of one turn.
type source struct {
	turn *ingest.Turn
	own  []*passage // what was said or pasted, and what calls were to do as far as a model is shown it
	all  []*passage // see quotable
}

// A passage is a text with its form for comparison.
type passage struct {
	text string
	bare string // lower case, without white space, Markdown marks and accents
	at   []int  // for each byte of bare, the start of its character in text; finally len(text)

	label bool   // of an option, shown before its description
	head  string // the line that a plan is shown under, or ""
}

func sourcesOf(blocks []block) *sources {
	s := &sources{turns: map[string]*source{}}
	for _, k := range blocks {
		name := label(k.turn)
		if s.turns[name] != nil { // the next piece of a large turn
			continue
		}
		src := &source{turn: k.turn}
		if k.turn.Kind != ingest.Event && k.turn.Kind != ingest.Shell { // the client's words, or a command's output
			src.words(k.turn)
		}
		for i := range k.turn.Calls {
			src.call(&k.turn.Calls[i])
		}
		s.turns[name] = src
		s.order = append(s.order, src)
	}
	return s
}

// until restricts the sources to turns up to n.
func (s *sources) until(n int) *sources {
	u := &sources{turns: map[string]*source{}}
	for _, src := range s.order {
		if src.turn.N <= n {
			u.order = append(u.order, src)
			u.turns[label(src.turn)] = src
		}
	}
	return u
}

func (s *sources) byID(turn string) *source {
	for _, src := range s.order {
		if string(src.turn.ID) == turn {
			return src
		}
	}
	return nil
}

func (src *source) add(texts ...string) {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			src.own = append(src.own, &passage{text: text})
		}
	}
}

// words adds what condense shows of a turn's text, and nothing else.
func (src *source) words(t *ingest.Turn) {
	at := 0
	for _, f := range t.Hidden() {
		from, to := min(max(f.From, at), len(t.Text)), min(max(f.To, at), len(t.Text))
		src.add(t.Text[at:from])
		at = max(from, to)
	}
	src.add(t.Text[at:])
}

// call adds what passed between the person and a call, and what the call was to do as far as a model is shown it.
func (src *source) call(c *ingest.ToolCall) {
	src.add(c.Reason, c.CommitMessage, c.Path, c.Command)
	for _, a := range c.Answers {
		src.add(a.Question, a.Notes)
		src.add(a.Chosen...)
		for _, o := range a.Options {
			src.add(o.Label, o.Description)
		}
	}
	if c.Plan != nil {
		src.add(c.Plan.Text)
	}
	for _, key := range []string{"content", "description", "body", "text", "message", "prompt"} {
		if v := c.Input[key]; v != "" && (key != "content" || isProse(c.Path)) {
			src.add(v)
		}
	}
}

// quotable returns own and everything else that lines shown to a model may be made of.
func (src *source) quotable() []*passage {
	if src.all != nil {
		return src.all
	}
	src.all = slices.Clip(src.own)
	for i := range src.turn.Calls {
		c := &src.turn.Calls[i]
		if ingest.OwnTool(c.Name, "") {
			continue
		}
		for _, a := range c.Answers {
			for _, o := range a.Options {
				src.all = append(src.all, &passage{text: o.Label, label: true})
			}
		}
		if c.Plan != nil {
			src.all = append(src.all, &passage{text: c.Plan.Text, head: planHead(c)})
		}
		for _, text := range distill.QuotableTexts(c) {
			src.all = append(src.all, &passage{text: text})
		}
	}
	return src.all
}

// form makes the form for comparison at first use. Most turns never need it, as their
// quotes match exactly or belong elsewhere.
func (p *passage) form() string {
	if p.at != nil {
		return p.bare
	}
	var b strings.Builder
	for i, r := range p.text {
		for _, x := range bareRune(r) {
			from := b.Len()
			b.WriteRune(x)
			for range b.Len() - from {
				p.at = append(p.at, i)
			}
		}
	}
	p.at = append(p.at, len(p.text))
	p.bare = b.String()
	return p.bare
}

func bare(text string) string {
	var b strings.Builder
	for _, r := range text {
		for _, x := range bareRune(r) {
			b.WriteRune(x)
		}
	}
	return b.String()
}

// bareRune normalizes a character for comparison; it returns nothing for characters that a
// copy may lose without changing the meaning.
func bareRune(r rune) []rune {
	if r < utf8.RuneSelf {
		switch {
		case r <= ' ' || r == 0x7f || strings.ContainsRune("*_`#>|~\\", r):
			return nil
		case 'A' <= r && r <= 'Z':
			return []rune{r + 'a' - 'A'}
		}
		return []rune{r}
	}
	switch r {
	case '‘', '’', '‚', '‛', '′', '´':
		return []rune{'\''}
	case '“', '”', '„', '‟', '″', '«', '»':
		return []rune{'"'}
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return []rune{'-'}
	case '…':
		return []rune("...")
	case '‹':
		return []rune{'<'}
	case '›':
		return nil
	}
	if unicode.IsSpace(r) || hidden(r) || r == 0x200C || r == 0x200D {
		return nil
	}
	var out []rune
	for _, x := range norm.NFKD.String(string(r)) {
		if !unicode.Is(unicode.Mn, x) && x > ' ' {
			out = append(out, unicode.ToLower(x))
		}
	}
	return out
}

// stretch returns the original text of a range of bare.
func (p *passage) stretch(from, to int) string {
	if to <= from {
		return ""
	}
	start, last := p.at[from], p.at[to-1]
	_, n := utf8.DecodeRuneInString(p.text[last:])
	return strings.TrimSpace(p.text[start : last+n])
}

func isProse(p string) bool {
	return slices.Contains([]string{".md", ".txt", ".rst", ".adoc"}, strings.ToLower(path.Ext(p)))
}
