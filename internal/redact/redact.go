// Package redact removes secrets from text, once, on the way from a raw transcript to everything derived from it.
//
// One pass searches for the literals that secrets begin with or stand beside. Only there are more expensive rules
// tried: recall's own, and those of gitleaks, whose expressions see a few dozen bytes. The cost is that of the pass,
// independent of the number of rules.
//
// A secret is replaced by a placeholder such as ‹aws-key 2›, numbered by kind within a session; the same secret gets
// the same placeholder. Redacting redacted text changes nothing.
package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// codeVersion must be raised when the code finds other secrets than before: older texts are then rendered again.
const codeVersion = 28

// rules is the immutable part of the scanner, safe for concurrent use.
type rules struct {
	once     sync.Once // builds them for the first text, in about a millisecond: many runs have none
	literals literals
	wholes   map[string]detector // by prefix: forms searched for only at the beginning of runs
}

// detector examines an occurrence of its literal, text[from:to], and adds what it finds to the scan.
type detector func(s *scan, from, to int)

var scanner rules // whose expressions are compiled when they are first tried

// Text redacts a text that is no part of a session.
func Text(text string) string { return New().Text(text) }

func (r *rules) build() {
	ownRules(r)
	for _, s := range shipped() {
		lazy := newLazyRule(&s)
		for _, a := range s.anchors {
			r.add(a, lazy.detect)
		}
	}
	r.wholes = map[string]detector{}
	for _, k := range keyForms() {
		if k.whole() {
			r.wholes[k.prefix] = k.detector()
		}
	}
}

func (r *rules) add(text string, d detector) {
	if text == "" || strings.ToLower(text) != text {
		panic(fmt.Sprintf("redact: literal %q is empty or not in lower case", text)) // the rules are our own
	}
	if len(text) == 2 { // too short to search for: extended by what can follow
		for _, c := range " :=_-\"'/>)}\n：는은はが是为為" { // also "is" in Korean, Japanese and Chinese
			after := utf8.RuneLen(c)
			r.add(text+string(c), func(s *scan, from, to int) { d(s, from, to-after) })
		}
		return
	}
	r.literals.add(text, d)
}

// Version identifies the rules and their code. Text redacted by one version may contain what another would have found.
var Version = sync.OnceValue(func() string {
	h := sha256.New()
	fmt.Fprintf(h, "code %d\n%s%s%s%s%s%s", codeVersion, shippedTable, keyFormTable, wordTable, jointTable,
		weightTable, oddTable)
	return hex.EncodeToString(h.Sum(nil))[:12]
})

// New starts the redaction of one session. Its texts must come in a fixed order, so that placeholders are reproducible.
func New() *Redactor { return &Redactor{names: map[string]string{}, counts: map[string]int{}} }
