package distill

import (
	"maps"
	"slices"
	"strings"

	"recall/ingest"
	"recall/payload"
)

// MaxQuote is the maximum length of a quote in bytes.
const MaxQuote = 300

// Reasons for which Ground drops an item.
const (
	DropNoEvidence = "no evidence"
	DropNoTurn     = "unknown turn"
	DropQuote      = "quote not in turn"
	DropLong       = "quote too long"
	DropForeign    = "quote from elsewhere"
)

// Ground keeps the verifiable part of a payload: each piece of evidence must cite a turn of the session and quote
// it verbatim, in what was said or pasted, in at most MaxQuote bytes. Other evidence is removed, and an item left
// without any is dropped. Ground returns the number of dropped items by reason and adds it to the payload's counts.
// Items written by a person, and an agent's claims that are marked as unsupported, need no evidence.
func Ground(s *ingest.Session, p *payload.Payload) (dropped map[string]int) {
	dropped = map[string]int{}
	turns := turnsByID(s, p.Items)
	kept := p.Items[:0]
	for _, it := range p.Items {
		if it.Maker == payload.ByHuman || it.Said() && len(it.Evidence) == 0 {
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

// turnsByID maps the ids in some items' evidence to their turns, or all ids if there are no items. An id may be a
// turn's own, one of its records', or a tool result's. A record that holds both a result and what the person typed
// meanwhile belongs to two turns.
func turnsByID(s *ingest.Session, items []payload.Item) map[string][]*ingest.Turn {
	m := map[string][]*ingest.Turn{}
	for _, it := range items {
		for _, e := range it.Evidence {
			m[e.Turn] = nil
		}
	}
	delete(m, "")
	add := func(id string, t *ingest.Turn) {
		if had, ok := m[id]; (ok || len(items) == 0 && id != "") && !slices.Contains(had, t) {
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

// fault returns what is wrong with a piece of evidence, or "".
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
		if why = faultInTurn(t, e); why == "" {
			break
		}
	}
	return why
}

// faultInTurn returns what is wrong with evidence cited from this turn, or "".
func faultInTurn(t *ingest.Turn, e payload.Evidence) string {
	switch {
	case inCalls(t, e.Quote):
		return ""
	case !strings.Contains(t.Text, e.Quote):
		return DropQuote
	case !t.Shows(e.Quote):
		return DropForeign
	}
	return ""
}

// inCalls reports whether a quote is from what passed between the person and the turn's
// tool calls. A tool's output is no evidence.
func inCalls(t *ingest.Turn, quote string) bool {
	return slices.ContainsFunc(t.Calls, func(c ingest.ToolCall) bool {
		return !ingest.OwnTool(c.Name, "") && // what recall itself was told proves nothing
			slices.ContainsFunc(QuotableTexts(&c), func(text string) bool { return strings.Contains(text, quote) })
	})
}

// saidInCall returns a call's reasons, answers and plans, and what it names.
func saidInCall(c *ingest.ToolCall) []string {
	texts := []string{c.Reason, c.Path, c.Command, c.CommitMessage}
	for i := range c.Answers {
		texts = append(texts, answerTexts(&c.Answers[i])...)
	}
	if c.Plan != nil {
		texts = append(texts, c.Plan.Text)
	}
	return texts
}

// answerTexts returns what was asked, offered and answered.
func answerTexts(a *ingest.Answer) []string {
	texts := append([]string{a.Question, a.Header, a.Notes}, a.Chosen...)
	for _, o := range a.Options {
		texts = append(texts, o.Label, o.Description)
	}
	return texts
}

// QuotableTexts returns the quotable texts of a call: what was said in it and what it was to
// do, but not its output.
func QuotableTexts(c *ingest.ToolCall) []string {
	texts := saidInCall(c)
	for _, key := range slices.Sorted(maps.Keys(c.Input)) {
		texts = append(texts, c.Input[key])
	}
	for _, e := range c.Edits {
		texts = append(texts, e.New)
	}
	return texts
}
