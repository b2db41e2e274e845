package redact

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"recall/text"
)

// A Redactor redacts the texts of one session. It is not safe for concurrent use.
type Redactor struct {
	rules  *Rules
	names  map[string]string // placeholder by secret
	counts map[string]int    // different secrets by kind
	known  known
	tails  []tail
	texts  int // so far
	scan   scan
	inner  scan // of what is within a text: unescaped, joined
}

// Counts says how many different secrets were found, by kind.
func (r *Redactor) Counts() map[string]int {
	return maps.Clone(r.counts)
}

// maxPasses bounds how often a text is looked at again: more than two passes only where secrets stand in one another.
const maxPasses = 16

// Text returns the text without its secrets. One found in an earlier text of the session needs no words beside it.
func (r *Redactor) Text(text string) string {
	for pass := range maxPasses {
		r.find(text)
		if pass == 0 {
			r.seams(text)
		}
		if len(r.scan.found) == 0 {
			break
		}
		text = r.replace(text, r.scan.merged())
	}
	return text
}

// find leaves the secrets of a text in r.scan.
func (r *Redactor) find(text string) {
	r.scan.look(r.rules, text)
	r.nested(text)
	r.known.each(r.scan.text, r.scan.try)
}

// Known returns the text without the secrets shown so far. It costs little: a second look with it finds those that
// stood in a text before the one that told them.
func (r *Redactor) Known(text string) string {
	r.scan = scan{text: text, found: r.scan.found[:0], around: r.scan.around}
	r.known.each(r.scan.text, r.scan.try)
	if len(r.scan.found) == 0 {
		return text
	}
	return r.replace(text, r.scan.merged())
}

// Name returns a name that several sessions share, such as a folder's, without its secrets, placeholders unnumbered.
func (r *Redactor) Name(text string) string {
	return withNumber().ReplaceAllString(r.Text(text), open+"$1"+shut)
}

var withNumber = text.Pattern(open + `([a-z0-9-]+) [0-9]+` + shut)

// replace puts placeholders in the place of spans, which are in order and apart.
func (r *Redactor) replace(text string, spans []span) string {
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from])
		b.WriteString(r.placeholder(s.kind, cmp.Or(s.secret, text[s.from:s.to])))
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

func (r *Redactor) placeholder(kind, secret string) string {
	if name, ok := r.names[secret]; ok {
		return name
	}
	r.counts[kind]++
	name := fmt.Sprintf("%s%s %d%s", open, kind, r.counts[kind], shut)
	r.names[secret] = name
	r.known.keep(secret, false)
	for _, v := range variants(secret) {
		r.learn(name, v)
	}
	if kind == "private-key" {
		for line := range strings.SplitSeq(strings.ReplaceAll(secret, `\n`, "\n"), "\n") {
			if line = line[pastGutter(line, 0):]; len(line) >= 40 {
				r.learn(name, strings.TrimSpace(line))
			}
		}
	}
	return name
}

// learn has what is another form or a part of a secret replaced as the secret is.
func (r *Redactor) learn(name, part string) {
	if _, ok := r.names[part]; !ok && len(part) >= knownLeast-2 {
		r.names[part] = name
		r.known.keep(part, true)
	}
}

const (
	open = "‹"
	shut = "›"
)
