package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recall/distill"
	"recall/llm"
	"recall/payload"
	"recall/prompts"
	"recall/text"
)

// grounded is an item whose quotes stand where it says.
type grounded struct {
	item  payload.Item
	found *found
}

// lost is one without a quote that stands anywhere.
type lost struct {
	grounded
	fault  string   // the last
	faults []string // of each of its quotes
}

// ground finds the quotes of an answer's items. Items without one that stands
// are asked about once more, all together; what is then without is dropped and
// counted, as is what its turns don't speak of.
func (m *Improver) ground(ctx context.Context, l *ledger, w *window, z sizing, a *answer) ([]*grounded, error) {
	src := l.sources.until(w.blocks[len(w.blocks)-1].turn.N)
	var all []*grounded
	var missing []*lost
	if a.bad > 0 {
		l.dropped[dropForm] += a.bad
	}
	for i := range a.Items {
		if i >= mostFound {
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
			missing = append(missing, &lost{*g, fault, faults})
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
		src.settleBy(&g.item)
		out = append(out, g)
	}
	return out, nil
}

// settleBy takes a person's word from an item that has no quote of theirs. Of which it wasn't said
// whose it is, that is theirs whose words prove it first.
func (s *sources) settleBy(it *payload.Item) {
	theirs := slices.IndexFunc(it.Evidence, func(e payload.Evidence) bool {
		src := s.byID(e.Turn)
		return src != nil && persons(src.turn, e.Quote)
	})
	switch {
	case theirs < 0, theirs > 0 && it.By == "":
		it.By = payload.ByAssistant
	case it.By == "":
		it.By = payload.ByUser
	}
}

// mending is a right quote, in the answer to repair.
type mending struct {
	Number int  `json:"number"`
	Turn   word `json:"turn"`
	Quote  word `json:"quote"`
}

// repair asks for the right quotes of items, and returns those that now have
// one. A model that fails at it costs these items only, unless it can't be
// reached at all.
func (m *Improver) repair(ctx context.Context, l *ledger, w *window, z sizing, src *sources,
	missing []*lost) ([]*grounded, error) {
	if len(missing) == 0 {
		return nil, nil
	}
	if most := max(1, z.window/2/claimTokens); len(missing) > most {
		for _, x := range missing[most:] {
			l.dropped[x.fault]++
		}
		missing = missing[:most]
	}
	k, err := m.ask(ctx, m.mend(w, z, missing))
	var e *llm.Error
	switch {
	case err == nil:
	case errors.As(err, &e) && !e.Passing() && !e.Ends():
		k.Text = `{"quotes":[]}`
	default:
		return nil, err
	}
	quotes, err := listIn[mending](k.Text, "quotes")
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

// told is what is wrong with a quote, as a model is told.
var told = map[string]string{
	distill.DropNoEvidence: "too short to be looked for",
	distill.DropNoTurn:     "there is no such turn",
	distill.DropForeign:    "from a line marked ~",
	distill.DropQuote:      "not in these words there",
}

// claimTokens is the most that a claim with its quotes takes in a request.
const claimTokens = 220

// mend is the question for right quotes: what was claimed, and the turns around
// those that were named.
func (m *Improver) mend(w *window, z sizing, missing []*lost) question {
	var claims strings.Builder
	for i, x := range missing {
		fmt.Fprintf(&claims, "%d. %s: %s\n", i+1, x.item.Kind, oneLine(x.item.Text, 300))
		for k, c := range x.found.Evidence {
			if k < 2 {
				fmt.Fprintf(&claims, "   said to be in %s: %q (%s)\n", oneLine(string(c.Turn), 10), oneLine(string(c.Quote), 200),
					told[x.faults[k]])
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
		check: func(text string) error { _, err := listIn[mending](text, "quotes"); return err }}
}

// around are the blocks near the turns that claims named, and those that have most
// words in common with them, as far as half a window holds them.
func (m *Improver) around(w *window, z sizing, missing []*lost) []block {
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
