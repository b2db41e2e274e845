package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recall/distill"
	"recall/internal/llm"
	"recall/internal/text"
	"recall/payload"
	"recall/prompts"
)

// grounded is an item with quotes that were found.
type grounded struct {
	item  payload.Item
	found *found
}

// ungrounded is an item without any quote that was found.
type ungrounded struct {
	grounded
	fault  string   // the last one
	faults []string // one for each quote
}

// ground finds the quotes of an answer's items. Those with no quote found are asked about
// once more, all together. Items still without one are dropped and counted, as are those
// that their turns don't support.
func (m *Improver) ground(ctx context.Context, l *ledger, w *window, z sizing, a *answer) ([]*grounded, error) {
	src := l.sources.until(w.blocks[len(w.blocks)-1].turn.N)
	var all []*grounded
	var missing []*ungrounded
	if a.bad > 0 {
		l.dropped[dropForm] += a.bad
	}
	for i := range a.Items {
		if i >= maxItems {
			l.dropped[dropTooMany] += len(a.Items) - i
			break
		}
		f := &a.Items[i]
		it, drop := itemOf(f)
		if drop != "" {
			l.dropped[drop]++
			continue
		}
		g := &grounded{it, f}
		all = append(all, g)
		fault := distill.DropNoEvidence
		var faults []string
		for k, c := range f.Evidence {
			if k == 4 {
				break
			}
			turn, quote, why := src.find(c)
			if why != "" {
				fault, faults = why, append(faults, why)
				continue
			}
			cite(&g.item, turn, quote)
		}
		if len(g.item.Evidence) == 0 {
			missing = append(missing, &ungrounded{*g, fault, faults})
			all = all[:len(all)-1]
		}
	}
	mended, err := m.repair(ctx, l, w, z, src, missing)
	if err != nil {
		return nil, err
	}
	var out []*grounded
	for _, g := range append(all, mended...) {
		ok, taken := src.supported(&g.item)
		if taken > 0 {
			l.dropped[dropDetail] += taken
		}
		if !ok {
			l.dropped[dropUnsupported]++
			continue
		}
		src.setBy(&g.item)
		out = append(out, g)
	}
	return out, nil
}

// setBy marks an item as the assistant's if none of its quotes is a person's. If the
// model didn't say whose it is, the first quote decides.
func (s *sources) setBy(it *payload.Item) {
	theirs := slices.IndexFunc(it.Evidence, func(e payload.Evidence) bool {
		src := s.byID(e.Turn)
		return src != nil && saidByPerson(src.turn, e.Quote)
	})
	switch {
	case theirs < 0, theirs > 0 && it.By == "":
		it.By = payload.ByAssistant
	case it.By == "":
		it.By = payload.ByUser
	}
}

// repairedQuote is a corrected quote in an answer to repair.
type repairedQuote struct {
	Number int  `json:"number"`
	Turn   word `json:"turn"`
	Quote  word `json:"quote"`
}

// repair asks for the correct quotes of items and returns those that now have one. If the
// model fails, only these items are lost, unless it can't be reached at all.
func (m *Improver) repair(ctx context.Context, l *ledger, w *window, z sizing, src *sources,
	missing []*ungrounded) ([]*grounded, error) {
	if len(missing) == 0 {
		return nil, nil
	}
	if most := max(1, z.window/2/claimTokens); len(missing) > most {
		for _, x := range missing[most:] {
			l.dropped[x.fault]++
		}
		missing = missing[:most]
	}
	k, err := m.ask(ctx, m.repairQuestion(w, z, missing))
	switch {
	case err == nil:
	case ofThisRequest(err):
		k.Text = `{"quotes":[]}`
	default:
		return nil, err
	}
	quotes, err := listIn[repairedQuote](k.Text, "quotes")
	if err != nil {
		return nil, err
	}
	for _, q := range quotes {
		if n := q.Number; n >= 1 && n <= len(missing) && q.Quote != "" {
			if turn, quote, fault := src.find(cited{q.Turn, q.Quote}); fault == "" {
				cite(&missing[n-1].item, turn, quote)
			}
		}
	}
	var out []*grounded
	for _, x := range missing {
		if len(x.item.Evidence) == 0 {
			l.dropped[x.fault]++
			continue
		}
		out = append(out, &x.grounded)
	}
	return out, nil
}

// quoteFaults explains to a model what is wrong with a quote.
var quoteFaults = map[string]string{
	distill.DropNoEvidence: "too short to be looked for",
	distill.DropNoTurn:     "there is no such turn",
	distill.DropForeign:    "from a line marked ~",
	distill.DropQuote:      "not in these words there",
}

// claimTokens is the most tokens that a claim with its quotes takes in a request.
const claimTokens = 220

// repairQuestion is the question for the correct quotes: the claims, and the turns around those they
// cite.
func (m *Improver) repairQuestion(w *window, z sizing, missing []*ungrounded) question {
	var claims strings.Builder
	for i, x := range missing {
		fmt.Fprintf(&claims, "%d. %s: %s\n", i+1, x.item.Kind, oneLine(x.item.Text, 300))
		for k, c := range x.found.Evidence {
			if k < 2 {
				fmt.Fprintf(&claims, "   said to be in %s: %q (%s)\n", oneLine(string(c.Turn), 10), oneLine(string(c.Quote), 200),
					quoteFaults[x.faults[k]])
			}
		}
	}
	var b strings.Builder
	b.WriteString("Claims without a quote that stands:\n" + fenced(claims.String()))
	b.WriteString("\n<transcript>\n")
	for _, k := range m.around(w, z, missing) {
		b.WriteString(fenced(k.text))
	}
	b.WriteString("</transcript>\n\nNow the right quotes by number, as JSON.\n")
	return question{key: keyOf("repair", w.key, claims.String()), of: []string{string(w.of)}, request: llm.Request{
		Task: "repair", System: prompts.Repair.Text(), Prompt: b.String(), Max: min(z.max, 200+150*len(missing)),
		Schema: &llm.Schema{Name: "quotes", JSON: prompts.Repair.Schema()}},
		check: func(text string) error { _, err := listIn[repairedQuote](text, "quotes"); return err }}
}

// around returns the blocks near the turns that claims cite, and those with the most words
// in common with them, up to half a window.
func (m *Improver) around(w *window, z sizing, missing []*ungrounded) []block {
	want := make([]bool, len(w.blocks))
	bags := make([]text.Bag, len(w.blocks))
	for i := range w.blocks {
		bags[i] = text.Words(spoken(w.blocks[i].text))
	}
	for _, x := range missing {
		claim, best, top := text.Words(x.item.Text), -1, 0.0
		for i := range w.blocks {
			for _, c := range x.found.Evidence {
				if label(w.blocks[i].turn) == c.label() {
					for k := max(0, i-1); k < min(len(want), i+2); k++ {
						want[k] = true
					}
				}
			}
			if in := claim.In(bags[i]); in > top {
				best, top = i, in
			}
		}
		if best >= 0 {
			want[best] = true
		}
	}
	var out []block
	left := z.window / 2
	for i, k := range w.blocks {
		if n := m.o.Tokens(k.text); want[i] && n <= left {
			out, left = append(out, k), left-n
		}
	}
	return out
}
