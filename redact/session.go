package redact

import (
	"fmt"
	"iter"
	"strings"
)

// A Redactor redacts the texts of one session. It is not safe for concurrent
// use.
type Redactor struct {
	rules  *Rules
	names  map[string]string // placeholder by secret
	counts map[string]int    // different secrets by kind
	known  []string          // secrets long and odd enough to be told wherever they stand again
	scan   scan
}

// Counts says how many different secrets were found, by kind.
func (r *Redactor) Counts() map[string]int {
	counts := make(map[string]int, len(r.counts))
	for k, n := range r.counts {
		counts[k] = n
	}
	return counts
}

// maxPasses bounds how often a text is looked at again. Each pass but the last
// found something; more than two happen only where secrets stand in one another.
const maxPasses = 16

// Text returns the text without its secrets. A secret found in an earlier text
// of the session is found again without the words beside it.
func (r *Redactor) Text(text string) string {
	for range maxPasses {
		r.scan.run(r.rules, text)
		r.findKnown(text)
		if len(r.scan.found) == 0 {
			break
		}
		text = r.replace(text, r.scan.merged())
	}
	return text
}

// replace puts placeholders in the place of spans, which are in order and apart.
func (r *Redactor) replace(text string, spans []span) string {
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.from])
		b.WriteString(r.placeholder(s.kind, text[s.from:s.to]))
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
	r.remember(secret)
	return name
}

const (
	open = "‹"
	shut = "›"

	maxKnown   = 200     // secrets looked for again; each costs a search of every text
	knownLeast = 10      // bytes; shorter ones may be words
	knownMost  = 4 << 10 // bytes; longer ones are whole key files
)

// remember keeps a secret that can't be mistaken for a word or an identifier.
func (r *Redactor) remember(secret string) {
	if len(r.known) < maxKnown && len(secret) >= knownLeast && len(secret) <= knownMost &&
		!strings.Contains(secret, open) && mixed(secret) {
		r.known = append(r.known, secret)
	}
}

// findKnown adds where the session's known secrets stand.
func (r *Redactor) findKnown(text string) {
	for _, secret := range r.known {
		for at := 0; ; {
			i := strings.Index(text[at:], secret)
			if i < 0 {
				break
			}
			at += i
			r.scan.add(at, at+len(secret), knownKind)
			at += len(secret)
		}
	}
}

func keys[K comparable, V any](m map[K]V) iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
