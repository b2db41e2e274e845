package model

import (
	"context"
	"encoding/json"
	"errors"
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

// A Pair is two items of one project, of which a model is asked how the later relates to the earlier.
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

// Reconcile asks about pairs and returns their verdicts in order. It doesn't repeat earlier requests: each pair's
// answer is stored on its own. Along with an error it returns what is known; the error is, or joins, those of single
// requests, or is what ends the asking. It is, or wraps, an *llm.Error if the model failed.
func (m *Improver) Reconcile(ctx context.Context, pairs []Pair) ([]Verdict, error) {
	out := make([]Verdict, len(pairs))
	var missing []int
	for i := range pairs {
		k, ok, err := m.load(pairKey(&pairs[i]))
		if err != nil {
			return out, err
		}
		var r ruling
		if !ok || m.o.Anew && !m.current("pair", k) || json.Unmarshal([]byte(k.Text), &r) != nil {
			missing = append(missing, i)
			continue
		}
		out[i] = pairs[i].verdict(r)
	}
	most := pairsAtOnce
	if all := m.o.Model.Window(); all > 0 {
		most = max(1, min(most, (all-pairInstructions)/pairTokens))
	}
	var failed error
	for which := range slices.Chunk(missing, most) {
		err := m.reconcile(ctx, pairs, which, out)
		if fault, ok := errors.AsType[*llm.Error](err); ok && !fault.Ends() && !fault.Passing() && ctx.Err() == nil {
			failed = errors.Join(failed, err) // others may succeed
		} else if err != nil {
			return out, err
		}
	}
	return out, failed
}

const (
	pairsAtOnce      = 15
	pairTokens       = 900   // tokens of one with its answer, at most
	pairInstructions = 1_500 // tokens of the prompt with its schema
)

// reconcile asks about some of the pairs at once. A pair that the answer leaves out counts as unrelated.
func (m *Improver) reconcile(ctx context.Context, pairs []Pair, which []int, out []Verdict) error {
	var b strings.Builder
	for n, i := range which {
		fmt.Fprintf(&b, "%d.\nA %s\nB %s\n", n+1, sideOf(&pairs[i].Earlier), sideOf(&pairs[i].Later))
	}
	k, err := m.answer(ctx, question{request: llm.Request{Task: "reconcile", System: prompts.Reconcile.Text(),
		Prompt: "Pairs:\n" + b.String() + "\nNow the relation of each pair, as JSON.\n", Max: 300 + 160*len(which),
		Schema: &llm.Schema{Name: "relations", JSON: prompts.Reconcile.Schema()}},
		check: func(text string) error { _, _, err := elements[ruling](text, "pairs"); return err }})
	if err != nil {
		return err
	}
	rulings, _, err := elements[ruling](k.Text, "pairs")
	if err != nil {
		return err
	}
	each := make([]ruling, len(which))
	for _, r := range rulings {
		if n := r.Number - 1; n >= 0 && n < len(each) {
			each[n] = r
		}
	}
	for n, i := range which {
		data, err := json.Marshal(each[n])
		if err != nil {
			return err
		}
		p := &pairs[i]
		if err := m.keep(pairKey(p), kept{Prompt: versionFor("pair"), Model: k.Model, Text: string(data),
			Of: []string{p.Earlier.Session, p.Later.Session}}); err != nil {
			return err
		}
		out[i] = p.verdict(each[n])
	}
	return nil
}

// ruling is the model's answer about one pair.
type ruling struct {
	Number   int  `json:"number"`
	Why      word `json:"why"`
	Relation word `json:"relation"`
	Earlier  word `json:"earlier_quote"`
	Later    word `json:"later_quote"`
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
	relation := payload.Relation(strings.TrimSpace(string(r.Relation)))
	if !slices.Contains(payload.Relations, relation) {
		return v
	}
	var earlier, later bool
	v.Earlier, earlier = shown(&p.Earlier, string(r.Earlier))
	v.Later, later = shown(&p.Later, string(r.Later))
	a, b := text.Words(p.Earlier.Text+" "+p.Earlier.Why+" "+strings.Join(p.Earlier.About, " ")),
		text.Words(p.Later.Text+" "+p.Later.Why+" "+strings.Join(p.Later.About, " "))
	if earlier && later && p.Later.ID != p.Earlier.ID && a.Like(b) > 0 {
		v.Relation = relation
	}
	return v
}

// shown returns the evidence of an item that holds a quote; a quote from its text is supported by its first evidence.
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
