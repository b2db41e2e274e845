package eval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"recall/distill"
	"recall/eval/baseline"
	"recall/ingest"
	"recall/payload"
	"recall/payload/tokens"
)

// Payloads distills every session that has a gold set and says how the payloads
// stand against it, and how the baselines do. A session whose transcript is
// missing is named in the run and is in no figure; one that can't be distilled
// counts as an empty payload and is named. What recall's program knows of itself
// (Run.Recall, Revision, Command) is left to the caller.
func Payloads(ctx context.Context, o Options) (*Run, error) {
	set, err := LoadSet(o.Gold...)
	if err != nil {
		return nil, err
	}
	c, err := Gather(ctx, set, o, false)
	if err != nil {
		return nil, err
	}
	r, err := newRun(ctx, "payloads", set, c, o)
	if err != nil {
		return nil, err
	}
	m := maker{o: o, run: r, made: map[*Case]distilling{}}
	if err := m.distill(ctx, c.Cases); err != nil {
		return nil, err
	}
	type way struct {
		System
		cases []*Case
		make  func(*Case) making
	}
	ways := []way{{System{Name: o.distiller().Name(), Model: o.Model}, c.Cases, m.distilled}}
	for _, b := range baselines {
		having := slices.DeleteFunc(slices.Clone(c.Cases), func(k *Case) bool { return len(b.parts(k.Session)) == 0 })
		ways = append(ways, way{System{Name: b.name, Baseline: true}, having, sentencesOf(b.parts)})
	}
	ways = append(ways, way{System{Name: Drawn, Baseline: true}, c.Cases, func(k *Case) making { return k.draw(0, nil) }})
	for _, w := range ways {
		if len(w.cases) == 0 {
			continue
		}
		if w.Payloads, err = m.payloads(ctx, w.cases, w.make); err != nil {
			return nil, err
		}
		r.Systems = append(r.Systems, w.System)
	}
	return r, nil
}

// baselines are what stands in for a payload that nobody made. Each of its
// statements is a prediction; it has the kind of what it is like, as nobody
// says more, and one that is like nothing is wrong in each kind.
var baselines = []struct {
	name  string
	parts func(*ingest.Session) []baseline.Part
}{
	{"last assistant message", baseline.LastAssistant},
	{"compaction summary", baseline.CompactionSummary},
	{"first + last user message", baseline.FirstAndLastUser},
}

// newRun begins a run: what is measured, with what.
func newRun(ctx context.Context, what string, set *Set, c *Corpus, o Options) (*Run, error) {
	r := &Run{Schema: RunSchema, What: what, At: time.Now().UTC().Truncate(time.Second), Gold: set.Ref(),
		Missing: c.Missing,
		Config: map[string]string{"judge": o.judge().Name(), "threshold": strconv.FormatFloat(o.judge().Threshold(), 'g', 3,
			64)},
		Prompts: map[string]string{}}
	r.Problems = append(append(r.Problems, set.Notices...), c.Problems...)
	if len(set.Pairs) > 0 {
		a, err := Agree(ctx, o.judge(), set.Pairs)
		if err != nil {
			return nil, err
		}
		r.Agreement = &a
	}
	return r, nil
}

// A maker fills a run with systems that make payloads.
type maker struct {
	o    Options
	run  *Run
	made map[*Case]distilling
}

// making is what a system makes of one session.
type making struct {
	claims    []Claim
	predicted []Predicted
	kindless  bool
	tokens    int
	cut       int
	dropped   int
	seconds   float64
	cost      float64
}

// payloads scores one way of making them.
func (m maker) payloads(ctx context.Context, cases []*Case, do func(*Case) making) (*PayloadScore, error) {
	sessions := make([]SessionScore, len(cases))
	err := m.o.each(ctx, len(cases), func(ctx context.Context, i int) (what string, err error) {
		c := cases[i]
		if sessions[i], err = m.score(ctx, c, do(c)); err != nil {
			err = fmt.Errorf("session %s: %w", c.Gold.Session, err)
		}
		return c.Session.Title, err
	})
	if err != nil {
		return nil, err
	}
	return summed(sessions), nil
}

// distill has the system under test make its payloads.
func (m maker) distill(ctx context.Context, cases []*Case) error {
	var sessions []*ingest.Session
	for _, c := range cases {
		sessions = append(sessions, c.Session)
	}
	all, err := distillEach(ctx, sessions, m.o)
	if err != nil {
		return err
	}
	for i, d := range all {
		m.made[cases[i]] = d
		if d.err != nil {
			m.run.Problems = append(m.run.Problems, Problem{cases[i].Gold.File, "",
				fmt.Sprintf("session %s was not distilled: %v", cases[i].Gold.Session, d.err)})
		} else if d.payload.Made.Prompt != "" {
			m.run.Prompts[d.payload.Made.Distiller] = d.payload.Made.Prompt
		}
	}
	return nil
}

// distilled is the system under test.
func (m maker) distilled(c *Case) making {
	d := m.made[c]
	out := making{seconds: d.seconds, cost: d.cost}
	if d.err != nil {
		return out
	}
	for _, n := range d.payload.Dropped {
		out.dropped += n
	}
	page := payload.Render(d.payload, payload.Options{Budget: m.o.Budget})
	out.tokens, out.cut = page.Tokens, page.Cut
	for _, it := range d.payload.Items {
		if !it.Current() {
			continue // history; nobody claims that it holds
		}
		out.claims = append(out.claims, predicted(it, c.turns))
		out.predicted = append(out.predicted, predictedOf(it, c))
	}
	return out
}

func predictedOf(it payload.Item, c *Case) Predicted {
	p := Predicted{ID: it.ID, Kind: it.Kind, Text: it.Text, Why: it.Why, Path: it.Path, Rule: it.Rule, Turns: []string{},
		Grounded: grounded(c.Session, it)}
	for _, e := range it.Evidence {
		p.Turns = append(p.Turns, canonical(e.Turn, c.turns))
	}
	p.Quote = it.First().Quote
	return p
}

// grounded reports whether all that an item quotes stands in the turns it cites.
func grounded(s *ingest.Session, it payload.Item) bool {
	one := &payload.Payload{Items: []payload.Item{it}}
	distill.Ground(s, one)
	return len(one.Items) == 1 && len(one.Items[0].Evidence) == len(it.Evidence)
}

// say adds a sentence that stands in a turn.
func (m *making) say(kind payload.Kind, text, turn string) {
	id := payload.ItemID(fmt.Sprintf("s%d", len(m.claims)+1))
	m.claims = append(m.claims, Claim{Kind: kind, Text: text, Turns: []string{turn}})
	m.predicted = append(m.predicted, Predicted{ID: id, Kind: kind, Text: text, Turns: []string{turn}, Quote: text,
		Grounded: true})
}

// sentencesOf is a baseline: statements of a part of the session.
func sentencesOf(parts func(*ingest.Session) []baseline.Part) func(*Case) making {
	return func(c *Case) making {
		out := making{kindless: true}
		for _, p := range parts(c.Session) {
			out.tokens += tokens.Count(p.Text)
			for _, text := range baseline.Statements(p.Text) {
				out.say("", text, canonical(string(p.Turn), c.turns))
			}
		}
		return out
	}
}

// score holds what was made of a session against its gold set.
func (m maker) score(ctx context.Context, c *Case, made making) (SessionScore, error) {
	s := SessionScore{Session: c.Gold.Session, Title: c.Session.Title, Project: c.Gold.Project, Gold: c.Gold.Items,
		Tokens: made.tokens, Cut: made.cut, Seconds: made.seconds, Cost: made.cost, Dropped: made.dropped}
	strict, lenient, err := c.matchBy(ctx, m.o.judge(), made.claims)
	if err != nil {
		return s, err
	}
	s.Predicted = made.predicted
	if made.kindless {
		strict = lenient
		for _, p := range lenient {
			s.Predicted[p.Pred].Kind = c.Gold.Items[p.Gold].Kind
		}
	} else if err := c.falseClaims(ctx, m.o.judge(), made.claims, s.Predicted); err != nil {
		return s, err
	}
	name := func(pairs []Pair) []MatchedPair {
		out := []MatchedPair{}
		for _, p := range pairs {
			out = append(out, MatchedPair{s.Predicted[p.Pred].ID, c.Gold.Items[p.Gold].ID, p.Similarity})
		}
		return out
	}
	s.Pairs, s.Lenient = name(strict), name(lenient)
	return s, nil
}

// falseClaims marks predictions that are more like a claim that the gold set
// calls wrong than like any of its items.
func (c *Case) falseClaims(ctx context.Context, by Judge, claims []Claim, predicted []Predicted) error {
	if len(c.Gold.Not) == 0 {
		return nil
	}
	var wrong []Claim
	for _, text := range c.Gold.Not {
		wrong = append(wrong, Claim{Text: text})
	}
	good, err := judged(ctx, by, claims, c.wanted())
	if err != nil {
		return err
	}
	bad, err := judged(ctx, by, claims, wrong)
	if err != nil {
		return err
	}
	for i := range claims {
		_, like := most(good[i])
		if j, unlike := most(bad[i]); j >= 0 && unlike >= by.Threshold() && unlike > like {
			predicted[i].FalseClaim = c.Gold.Not[j]
		}
	}
	return nil
}

// most is the greatest of a list with its place; -1 of none.
func most(list []float64) (at int, value float64) {
	at = -1
	for i, x := range list {
		if at < 0 || x > value {
			at, value = i, x
		}
	}
	return at, value
}

// Score counts a session of a run anew from what the run keeps of it.
func (s *SessionScore) Score() Score {
	kinds := make([]payload.Kind, len(s.Predicted))
	pred, gold := map[payload.ItemID]int{}, map[string]int{}
	for i, p := range s.Predicted {
		kinds[i], pred[p.ID] = p.Kind, i
	}
	for i, g := range s.Gold {
		gold[g.ID] = i
	}
	places := func(pairs []MatchedPair) []Pair {
		var out []Pair
		for _, p := range pairs {
			out = append(out, Pair{pred[p.Predicted], gold[p.Gold], p.Similarity})
		}
		return out
	}
	return scoreOf(kinds, s.Gold, places(s.Pairs), places(s.Lenient))
}

// summed makes the figures of a system from its sessions.
func summed(sessions []SessionScore) *PayloadScore {
	out := &PayloadScore{Kinds: map[payload.Kind]Rates{}, Sessions: sessions}
	scores := make([]Score, len(sessions))
	for i := range sessions {
		scores[i] = sessions[i].Score()
	}
	pick := func(f func(Score) Count) Rates {
		counts := make([]Count, len(scores))
		for i, s := range scores {
			counts[i] = f(s)
		}
		return ratesOf(counts)
	}
	for _, kind := range kindsOf(sessions) {
		out.Kinds[kind] = pick(func(s Score) Count { return s.Kinds[kind] })
	}
	out.Micro = pick(func(s Score) Count { return s.Micro })
	out.Micro.Few = false
	out.Lenient = pick(func(s Score) Count { return s.Lenient })
	out.Lenient.Few = false
	var grounded []Count // as precision: those that stand of those there are
	n := float64(len(sessions))
	for _, s := range sessions {
		g := Count{Pred: len(s.Predicted)}
		for _, p := range s.Predicted {
			if p.Grounded {
				g.Hits++
			}
			if p.FalseClaim != "" {
				out.FalseClaim++
			}
		}
		grounded = append(grounded, g)
		out.Tokens += float64(s.Tokens) / n
		out.Cut += s.Cut
		out.Seconds += s.Seconds / n
		out.Cost += s.Cost / n
	}
	out.Grounding = ratesOf(grounded).Precision
	return out
}
