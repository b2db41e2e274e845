package eval

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/payload"
	"recall/text"
)

// idLetter begins the ids of a kind's items in gold files that Label makes.
var idLetter = map[payload.Kind]string{
	payload.Goal: "g", payload.Decision: "d", payload.Eliminated: "e", payload.Finding: "c", payload.Flag: "f",
	payload.Next: "p", payload.Hypothesis: "h",
	payload.Deferred: "o", payload.Question: "q", payload.File: "x", payload.Status: "s",
}

// Label makes a gold set to fill in out of a session's payload: each item a
// proposal with its evidence, all of them with must. A person takes out what
// isn't worth keeping, words the rest, adds what is missing, and writes the
// summary and the claims of Not. What a person wrote has no evidence and is left
// out: the transcript can't bear it out.
func Label(f ingest.Found, p *payload.Payload) *Gold {
	all := []GoldItem{}
	n := map[payload.Kind]int{}
	for _, it := range p.Items {
		if len(it.Evidence) == 0 {
			continue
		}
		n[it.Kind]++
		item := GoldItem{ID: fmt.Sprintf("%s%d", idLetter[it.Kind], n[it.Kind]), Kind: it.Kind, Text: it.Text, Why: it.Why,
			Must: true}
		if it.Kind == payload.File {
			item.Text = strings.TrimSuffix(it.Path+": "+it.Text, ": ")
		}
		for _, e := range it.Evidence {
			if !slices.Contains(item.Turns, e.Turn) {
				item.Turns = append(item.Turns, e.Turn)
			}
		}
		item.Quote = telling(it.Evidence)
		all = append(all, item)
	}
	return &Gold{Schema: GoldSchema, Session: p.Session, Transcript: transcriptOf(f), Items: all, Not: []string{}}
}

// transcriptOf names a session's transcript from the folder that it was found
// below.
func transcriptOf(f ingest.Found) string {
	if len(f.Files) == 0 {
		return ""
	}
	name := f.Files[0].Path
	if rel, err := filepath.Rel(f.Root, name); err == nil && filepath.IsLocal(rel) && rel != "." {
		return filepath.ToSlash(rel)
	}
	if name == "" {
		name = f.Files[0].Name
	}
	return filepath.Base(filepath.FromSlash(name))
}

// telling is the first quote that says more than "Yes" or the label of an
// option, else the first.
func telling(all []payload.Evidence) string {
	for _, e := range all {
		if q := asWritten(e.Quote); len(strings.Fields(q)) >= 3 {
			return q
		}
	}
	return asWritten(all[0].Quote)
}

var placeholder = text.Pattern(`‹[^›]*›`)

// asWritten is the longest part of a quote that stands in the transcript as it
// is: secrets were taken out of what payloads quote.
func asWritten(quote string) string {
	best := ""
	for _, part := range placeholder().Split(quote, -1) {
		if part = strings.TrimSpace(part); len(part) > len(best) {
			best = part
		}
	}
	return best
}

// Encode is the set as a gold file holds it.
func (g *Gold) Encode() ([]byte, error) {
	return encode(g, "  ")
}
