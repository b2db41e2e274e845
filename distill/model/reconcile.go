package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recall/distill"
	"recall/distill/relate"
	"recall/internal/llm"
	"recall/internal/text"
	"recall/payload"
	"recall/prompts"
)

// A Pair is two items of one project, of which a model is asked how the later relates to
// the earlier.
type Pair struct {
	Later, Earlier relate.Item
}

// A Verdict is a model's answer about a pair.
type Verdict struct {
	Known    bool             // false if not answered yet
	Relation payload.Relation // "" if they are unrelated, or the answer didn't hold
	Later    payload.Evidence // evidence from the later item; empty if a person wrote it
	Earlier  payload.Evidence // evidence from the earlier item
}

const (
	pairsAtOnce = 15
	pairTokens  = 900 // tokens of one with its answer, at most
)

// Reconcile asks about pairs and returns their verdicts in order. It doesn't repeat earlier
// requests. Along with an error it returns what is known; the error is, or wraps,
// an *llm.Error if the model failed.
func (m *Improver) Reconcile(ctx context.Context, pairs []Pair) ([]Verdict, error) {
	out := make([]Verdict, len(pairs))
	all := bulk[ruling]{list: "pairs", number: func(r ruling) int { return r.Number }, most: pairsAtOnce,
		tokens: pairTokens}
	for i := range pairs {
		p := &pairs[i]
		all.keys, all.of = append(all.keys, pairKey(p)), append(all.of, []string{p.Earlier.Session, p.Later.Session})
	}
	all.write = func(which []int) llm.Request {
		var b strings.Builder
		for n, i := range which {
			fmt.Fprintf(&b, "%d.\nA %s\nB %s\n", n+1, sideOf(&pairs[i].Earlier), sideOf(&pairs[i].Later))
		}
		return llm.Request{Task: "reconcile", System: prompts.Reconcile.Text(), Prompt: "Pairs:\n" + b.String() +
			"\nNow the relation of each pair, as JSON.\n", Max: 300 + 160*len(which),
			Schema: &llm.Schema{Name: "relations", JSON: prompts.Reconcile.Schema()}}
	}
	err := askMany(ctx, m, all, func(i int, r ruling) { out[i] = pairs[i].verdict(r) })
	return out, err
}

// ruling is the model's answer about one pair.
type ruling struct {
	Number   int    `json:"number"`
	Why      string `json:"why"`
	Relation string `json:"relation"`
	Earlier  string `json:"earlier_quote"`
	Later    string `json:"later_quote"`
}

// sideOf renders one side of a pair for the model.
func sideOf(it *relate.Item) string {
	s := fmt.Sprintf("(%s, %s) %s", it.At.UTC().Format("2006-01-02"), it.Kind, oneLine(it.Text, 300))
	if it.Why != "" {
		s += " Why: " + oneLine(it.Why, 200)
	}
	if it.Scope != "" {
		s += " Scope: " + oneLine(it.Scope, maxScope)
	}
	for i, e := range it.Evidence {
		if i < 2 {
			s += fmt.Sprintf("\n  quote: %q", oneLine(e.Quote, distill.MaxQuote))
		}
	}
	return fenced(s)
}

func pairKey(p *Pair) string {
	var parts []string
	for _, it := range []*relate.Item{&p.Earlier, &p.Later} {
		parts = append(parts, string(it.Kind), it.Text, it.Why, it.Scope)
		for _, e := range it.Evidence {
			parts = append(parts, e.Quote)
		}
		parts = append(parts, "")
	}
	return keyOf("pair", parts...)
}

// verdict checks a ruling: both quotes must be from the items, and both items must have a
// word in common. A ruling that fails is ignored.
func (p *Pair) verdict(r ruling) Verdict {
	v := Verdict{Known: true}
	relation := payload.Relation(strings.TrimSpace(r.Relation))
	if !slices.Contains(payload.Relations, relation) {
		return v
	}
	var earlier, later bool
	v.Earlier, earlier = shown(&p.Earlier, r.Earlier)
	v.Later, later = shown(&p.Later, r.Later)
	a, b := text.Words(p.Earlier.Text+" "+p.Earlier.Why+" "+strings.Join(p.Earlier.About, " ")),
		text.Words(p.Later.Text+" "+p.Later.Why+" "+strings.Join(p.Later.About, " "))
	if earlier && later && p.Later.ID != p.Earlier.ID && a.Like(b) > 0 {
		v.Relation = relation
	}
	return v
}

// shown returns the evidence of an item that holds a quote; a quote from its text is
// supported by its first evidence.
func shown(it *relate.Item, quote string) (payload.Evidence, bool) {
	want := bare(quote)
	if len(want) < minQuote {
		return payload.Evidence{}, false
	}
	for _, e := range it.Evidence {
		if strings.Contains(bare(e.Quote), want) {
			return e, true
		}
	}
	if !strings.Contains(bare(it.Text), want) && !strings.Contains(bare(it.Why), want) {
		return payload.Evidence{}, false
	}
	if len(it.Evidence) > 0 {
		return it.Evidence[0], true
	}
	return payload.Evidence{}, it.Maker == payload.ByHuman
}

// Link returns the line of links.jsonl for a verdict; ok is false if there is none. A
// model's link never hides an item, because its accuracy hasn't been measured.
func (m *Improver) Link(p Pair, v Verdict) (l payload.Link, ok bool) {
	if v.Relation == "" {
		return l, false
	}
	l = payload.Link{Op: payload.OpLink, Relation: v.Relation, From: p.Later.ID, To: p.Earlier.ID,
		FromSession: p.Later.Session, ToSession: p.Earlier.Session,
		Maker: payload.ByModel, Rule: "reconcile/" + prompts.Version(prompts.Reconcile.Text()), At: p.Later.At}
	if v.Later.Quote != "" {
		l.FromEvidence = &v.Later
	}
	if v.Earlier.Quote != "" {
		l.ToEvidence = &v.Earlier
	}
	return l, true
}
