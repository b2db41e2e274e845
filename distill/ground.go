package distill

import (
	"maps"
	"slices"
	"strings"

	"recall/ingest"
	"recall/payload"
)

// MaxQuote is the most that a quote may hold, in bytes.
const MaxQuote = 300

// Why Ground drops an item, as the keys of what it returns.
const (
	DropNoEvidence = "no evidence"
	DropNoTurn     = "unknown turn"
	DropQuote      = "quote not in turn"
	DropLong       = "quote too long"
	DropForeign    = "quote from elsewhere"
)

// Ground keeps of a payload what can be checked: each piece of evidence must
// cite a turn of the session and quote it verbatim, in the speaker's own
// words, in at most MaxQuote bytes. Evidence that doesn't hold is taken away,
// an item left without any is dropped. It returns how many items were dropped,
// by reason, and adds them to the payload's own count. What a person wrote
// needs no evidence, and what an agent claims without any says so.
func Ground(s *ingest.Session, p *payload.Payload) (dropped map[string]int) {
	dropped = map[string]int{}
	turns := cited(s, p)
	kept := p.Items[:0]
	for _, it := range p.Items {
		if it.Maker == payload.ByHuman || it.Rule == payload.ClaimRule {
			kept = append(kept, it)
			continue
		}
		reason := DropNoEvidence
		evidence := it.Evidence[:0:0]
		for _, e := range it.Evidence {
			if r := fault(turns, e); r != "" {
				reason = r
				continue
			}
			evidence = append(evidence, e)
		}
		if len(evidence) == 0 {
			dropped[reason]++
			continue
		}
		it.Evidence = evidence
		kept = append(kept, it)
	}
	p.Items = kept
	count(p, dropped)
	return dropped
}

// cited maps the ids that a payload's evidence names to their turns: an id may be
// the turn's own, a record's of it, or that of the result of one of its calls. A
// record with a result and with what the person typed meanwhile is of two turns.
func cited(s *ingest.Session, p *payload.Payload) map[string][]*ingest.Turn {
	m := map[string][]*ingest.Turn{}
	for _, it := range p.Items {
		for _, e := range it.Evidence {
			m[e.Turn] = nil
		}
	}
	delete(m, "")
	add := func(id string, t *ingest.Turn) {
		if had, ok := m[id]; ok && !slices.Contains(had, t) {
			m[id] = append(had, t)
		}
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		add(string(t.ID), t)
		for _, r := range t.Records {
			add(r, t)
		}
		for j := range t.Calls {
			add(string(t.Calls[j].ResultTurn), t)
		}
	}
	return m
}

// fault says what is wrong with a piece of evidence, "" if nothing.
func fault(turns map[string][]*ingest.Turn, e payload.Evidence) string {
	switch {
	case len(turns[e.Turn]) == 0:
		return DropNoTurn
	case strings.TrimSpace(e.Quote) == "":
		return DropNoEvidence
	case len(e.Quote) > MaxQuote:
		return DropLong
	}
	why := ""
	for _, t := range turns[e.Turn] {
		if why = notIn(t, e); why == "" {
			break
		}
	}
	return why
}

// notIn says what is wrong with evidence from this turn, "" if nothing.
func notIn(t *ingest.Turn, e payload.Evidence) string {
	switch {
	case inCalls(t, e.Quote):
		return ""
	case !strings.Contains(t.Text, e.Quote):
		return DropQuote
	case !ownWords(t, e.Quote):
		return DropForeign
	}
	return ""
}

// ownWords reports whether the quote stands somewhere in the turn outside of
// what was pasted or injected from elsewhere.
func ownWords(t *ingest.Turn, quote string) bool {
	for from := 0; ; {
		i := strings.Index(t.Text[from:], quote)
		if i < 0 {
			return false
		}
		i += from
		if !slices.ContainsFunc(t.Foreign, func(f ingest.Foreign) bool { return i < f.To && i+len(quote) > f.From }) {
			return true
		}
		from = i + 1
	}
}

// inCalls reports whether a quote stands in what passed between the person and
// the turn's tool calls. A tool's output is no evidence.
func inCalls(t *ingest.Turn, quote string) bool {
	return slices.ContainsFunc(t.Calls, func(c ingest.ToolCall) bool {
		return !ingest.OwnTool(c.Name, "") && // what recall is told proves nothing
			slices.ContainsFunc(ToldToCall(&c), func(text string) bool { return strings.Contains(text, quote) })
	})
}

// saidInCall are a call's reasons, answers and plans, and what it names.
func saidInCall(c *ingest.ToolCall) []string {
	texts := []string{c.Reason, c.Path, c.Command, c.CommitMessage}
	for _, a := range c.Answers {
		texts = append(texts, a.Question, a.Header, a.Notes)
		texts = append(texts, a.Chosen...)
		for _, o := range a.Options {
			texts = append(texts, o.Label, o.Description)
		}
	}
	if c.Plan != nil {
		texts = append(texts, c.Plan.Text)
	}
	return texts
}

// ToldToCall are the texts of a call that may be quoted: what was said in it, and what
// it was to do, not what it printed.
func ToldToCall(c *ingest.ToolCall) []string {
	texts := saidInCall(c)
	for _, key := range slices.Sorted(maps.Keys(c.Input)) {
		texts = append(texts, c.Input[key])
	}
	for _, e := range c.Edits {
		texts = append(texts, e.New)
	}
	return texts
}
