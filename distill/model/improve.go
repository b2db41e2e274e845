// Package model distills a session by asking a language model. It condenses the transcript to turns with short ids,
// cuts it into windows that fit the model, asks about each, grounds the answers in the turns and merges them into one
// payload. See Improver.
//
// # Stored answers
//
// An answer is stored under what was asked about: the turns of a window and those before it, but not the prompt's
// wording, the model, or how recall condenses. So nothing is asked twice, a session that grew is asked about from
// where it ended, and a new prompt or model costs nothing unless requested (Options.Anew).
package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"recall/distill"
	"recall/ingest"
	"recall/internal/llm"
	"recall/payload"
	"recall/prompts"
)

// Improve implements distill.Improver. If a model says that it gets too much, it is asked with windows of half the size
// of the largest, and so on.
func (m *Improver) Improve(ctx context.Context, s *ingest.Session, rules *payload.Payload) (*payload.Payload, error) {
	for most := m.o.Window; ; {
		p, largest, err := m.improve(ctx, s, rules, most)
		e, ok := errors.AsType[*llm.Error](err)
		most = largest / 2
		if !ok || e.Fault != llm.TooLong && e.Fault != llm.Cut || most < minWindow {
			return p, err
		}
	}
}

// cut condenses a session and cuts it into windows of at most so many tokens.
func (m *Improver) cut(s *ingest.Session, most int) (z sizing, windows []window, blocks []block, err error) {
	if z, err = m.sizes(most); err != nil {
		return z, nil, nil, err
	}
	blocks, copied := condense(s)
	windows, err = m.windows(s.ID, blocks, copied, z)
	return z, windows, blocks, err
}

func (m *Improver) improve(ctx context.Context, s *ingest.Session, rules *payload.Payload,
	most int) (p *payload.Payload, largest int, err error) {
	z, windows, blocks, err := m.cut(s, most)
	for i := range windows {
		largest = max(largest, windows[i].size())
	}
	if err != nil {
		return nil, largest, err
	}
	l := &ledger{session: s, sources: sourcesOf(blocks), judge: distill.NewJudge(s), dropped: map[string]int{}}
	for i := range windows { // one after the other
		w := &windows[i]
		if err := ctx.Err(); err != nil {
			return nil, largest, err
		}
		if err := m.window(ctx, l, w, z); err != nil {
			return nil, largest, fmt.Errorf("turns %d to %d: %w", w.blocks[0].turn.N, w.blocks[len(w.blocks)-1].turn.N, err)
		}
	}
	p = &payload.Payload{Schema: payload.Schema, Session: string(s.ID), Source: string(s.Source), Title: s.Title,
		Branch: s.Where.Branch,
		Start:  s.Start, End: s.End, Made: payload.Provenance{Distiller: m.Name(), Prompt: m.Prompt()}, Dropped: l.dropped}
	stands := slices.ContainsFunc(l.entries, func(e *entry) bool { return !e.item.Said() })
	if p.Items = l.items(); stands || rules == nil {
		p.Items = l.withRules(p.Items, rules)
	} else { // what rules found isn't given up for nothing
		p.Items = beside(p.Items, rules)
	}
	if rules != nil {
		p.Read = payload.Unchanged(rules.Read, p)
	}
	distill.Hold(s, p)
	if len(p.Dropped) == 0 {
		p.Dropped = nil
	}
	return p, largest, nil
}

// window asks about one window and merges its answer.
func (m *Improver) window(ctx context.Context, l *ledger, w *window, z sizing) error {
	q := m.about(l.session, w, z, l.entries)
	k, err := m.ask(ctx, q)
	if err != nil {
		return err
	}
	if err := m.settle(w); err != nil {
		return err
	}
	a, err := decodeAnswer(k.Text)
	if err != nil {
		return err
	}
	l.take(l.ground(w, a), a.Closed, k.Known)
	return nil
}

// Ripe implements distill.Improver: a session needs at least three turns typed or answers given by a person, or 500
// tokens of dialogue.
func (m *Improver) Ripe(s *ingest.Session) bool {
	typed, said := 0, 0
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Aside() {
			continue
		}
		switch t.Kind {
		case ingest.Prompt, ingest.PlanTurn:
			typed++
		case ingest.Message:
			typed += answered(t)
		default:
			continue
		}
		if typed >= ripeTyped {
			return true
		}
		if said += tokens(t.OwnText()); said >= ripeTokens && typed > 0 {
			return true
		}
	}
	return false
}

// answered counts how often a person responded to something that a turn presented.
func answered(t *ingest.Turn) (n int) {
	for i := range t.Calls {
		c := &t.Calls[i]
		n += len(c.Answers)
		if c.Reason != "" || c.Plan != nil && c.Verdict != ingest.Unasked {
			n++
		}
	}
	return n
}

const (
	ripeTyped  = 3
	ripeTokens = 500
)

// Estimate implements distill.Improver.
func (m *Improver) Estimate(ctx context.Context, s *ingest.Session) (distill.Estimate, error) {
	var e distill.Estimate
	z, windows, _, err := m.cut(s, m.o.Window)
	if err != nil {
		return e, err
	}
	for i := range windows {
		w := &windows[i]
		q := m.about(s, w, z, nil)
		if _, done, err := m.atHand(q); err != nil || done {
			if err != nil {
				return e, err
			}
			continue
		}
		e.Requests++
		e.In += m.size(q.request)
		if i > 0 {
			e.In += z.carry / 2
		}
		e.Out += min(z.max, usualOut+tokens(w.text())*usualShare/100)
	}
	e.In, e.Out = e.In+e.In/mended, e.Out+e.Out/mended
	return e, nil
}

// Typical sizes of answers: a session of 5,000 tokens yields some 15 items of 200 tokens each, aliases included.
const (
	usualOut   = 1_200 // tokens
	usualShare = 40    // percent of the transcript's tokens
	mended     = 10    // one in this many answers is requested again, for a wrong form
)

func (m *Improver) size(r llm.Request) int {
	n := tokens(r.System) + tokens(r.Prompt)
	if r.Schema != nil {
		n += tokens(string(r.Schema.JSON))
	}
	return n
}

// Options configures an Improver. Zero numbers mean the defaults.
type Options struct {
	Model llm.Model
	Store llm.Store
	// most tokens of a transcript to ask about at once, fewer if the model's context window is smaller
	Window int
	Max    int  // most tokens in an answer
	Small  bool // the model has few parameters and is shown complete examples
	Anew   bool // ask again if a stored answer is from another prompt or model
}

const (
	defaultWindow = 24_000 // few sessions say more, and models overlook things beyond it
	defaultMax    = 8_000  // 40 items of 200 tokens
)

// An Improver makes payloads by asking a model. Safe for concurrent use.
type Improver struct {
	o Options
}

var _ distill.Improver = (*Improver)(nil)

// New returns an Improver. Model and Store must be given.
func New(o Options) *Improver {
	if o.Window <= 0 {
		o.Window = defaultWindow
	}
	if o.Max <= 0 {
		o.Max = defaultMax
	}
	return &Improver{o: o}
}

// Name implements distill.Improver.
func (m *Improver) Name() string { return "model/" + m.o.Model.Name() }

// Prompt implements distill.Improver.
func (m *Improver) Prompt() string { return prompts.Version(prompts.Extract.Text()) }

// tokens estimates a text's tokens by bytes: about four per token in English prose, three in code and paths, fewer
// elsewhere. It tends to overestimate.
func tokens(s string) int {
	ascii := 0
	for i := range len(s) {
		if s[i] < 0x80 {
			ascii++
		}
	}
	return (ascii*10+34)/35 + (len(s)-ascii+1)/2
}
