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

// Payloads distills every session that has a gold set and compares the payloads, and the baselines, with it. A
// session whose transcript is missing is named in the run and left out of the figures; one that can't be
// distilled counts as an empty payload and is named. The caller fills in what the program knows of itself
// (Run.Recall, Revision, Command).
func Payloads(ctx context.Context, o Options) (*Run, error) {
	r, _, c, err := newRun(ctx, "payloads", o)
	if err != nil {
		return nil, err
	}
	made, err := r.distilled(ctx, c.Cases, o)
	if err != nil {
		return nil, err
	}
	type way struct {
		System
		cases    []*Case
		make     func(*Case) SessionScore // the predictions, and what they cost
		kindless bool
	}
	ways := []way{{System{Name: o.distiller().Name(), Model: o.Model}, c.Cases, made, false}}
	for _, b := range baselines {
		having := slices.DeleteFunc(slices.Clone(c.Cases), func(k *Case) bool { return len(b.parts(k.Session)) == 0 })
		ways = append(ways, way{System{Name: b.name, Baseline: true}, having, statementsOf(b.parts), true})
	}
	ways = append(ways, way{System{Name: Drawn, Baseline: true}, c.Cases,
		func(k *Case) SessionScore { return k.draw(0, nil) }, false})
	for _, w := range ways {
		sessions := make([]SessionScore, len(w.cases))
		err := o.each(ctx, len(sessions), func(ctx context.Context, i int) (what string, err error) {
			c := w.cases[i]
			sessions[i] = w.make(c)
			if err = sessions[i].judge(ctx, c, o.judge(), w.kindless); err != nil {
				err = fmt.Errorf("session %s: %w", c.Gold.Session, err)
			}
			return c.Session.Title, err
		})
		if err != nil {
			return nil, err
		}
		if len(sessions) > 0 {
			w.Payloads = summarizePayloads(sessions)
			r.Systems = append(r.Systems, w.System)
		}
	}
	return r, nil
}

// baselines stand in for a payload. Each of their statements is a prediction and takes the kind of the gold
// item it matches; one that matches nothing is wrong in each kind.
var baselines = []struct {
	name  string
	parts func(*ingest.Session) []baseline.Part
}{
	{"last assistant message", baseline.LastAssistant},
	{"compaction summary", baseline.CompactionSummary},
	{"first + last user message", baseline.FirstAndLastUser},
}

// newRun starts a run: it reads the gold set and the sessions, and notes the settings.
func newRun(ctx context.Context, what string, o Options) (*Run, *Set, *Corpus, error) {
	set, err := LoadSet(o.Gold...)
	if err != nil {
		return nil, nil, nil, err
	}
	if what == "questions" && len(set.Questions) == 0 {
		return nil, nil, nil, fmt.Errorf("%s holds no questions (NAME.questions.json)", set.Name)
	}
	c, err := Gather(ctx, set, o)
	if err != nil {
		return nil, nil, nil, err
	}
	r := &Run{Schema: RunSchema, What: what, At: time.Now().UTC().Truncate(time.Second), Gold: set.Ref(),
		Missing: c.Missing,
		Config: map[string]string{"judge": o.judge().Name(), "threshold": strconv.FormatFloat(o.judge().Threshold(), 'g', 3,
			64)},
		Prompts: map[string]string{}}
	r.Problems = append(r.Problems, c.Problems...)
	if len(set.Pairs) > 0 {
		a, err := Agree(ctx, o.judge(), set.Pairs)
		if err != nil {
			return nil, nil, nil, err
		}
		r.Agreement = &a
	}
	return r, set, c, nil
}

// distilled distills the cases with the system under test.
func (r *Run) distilled(ctx context.Context, cases []*Case, o Options) (func(*Case) SessionScore, error) {
	var sessions []*ingest.Session
	for _, c := range cases {
		sessions = append(sessions, c.Session)
	}
	all, err := distillEach(ctx, sessions, o)
	if err != nil {
		return nil, err
	}
	made := map[*Case]SessionScore{}
	for i, d := range all {
		c := cases[i]
		s := SessionScore{Seconds: d.seconds, Cost: d.cost}
		if d.err != nil {
			r.Problems = append(r.Problems, Problem{c.Gold.File, "",
				fmt.Sprintf("session %s was not distilled: %v", c.Gold.Session, d.err)})
		} else {
			s.addItems(c, d.payload, o.Budget)
			if d.payload.Made.Prompt != "" {
				r.Prompts[d.payload.Made.Distiller] = d.payload.Made.Prompt
			}
		}
		made[c] = s
	}
	return func(c *Case) SessionScore { return made[c] }, nil
}

// addItems records a payload's current items as predictions.
func (s *SessionScore) addItems(c *Case, p *payload.Payload, budget int) {
	for _, n := range p.Dropped {
		s.Dropped += n
	}
	page := payload.Render(p, payload.Options{Budget: budget})
	s.Tokens, s.Cut = page.Tokens, page.Cut
	for _, it := range p.Items {
		if !it.Current() {
			continue
		}
		s.Predicted = append(s.Predicted, Predicted{ID: it.ID, Claim: predicted(it, c.turns),
			Quote: it.First().Quote, Grounded: grounded(c.Session, it)})
	}
}

// grounded reports whether every quote of an item occurs in the turn it cites.
func grounded(s *ingest.Session, it payload.Item) bool {
	one := &payload.Payload{Items: []payload.Item{it}}
	distill.Ground(s, one)
	return len(one.Items) == 1 && len(one.Items[0].Evidence) == len(it.Evidence)
}

func (s *SessionScore) predict(kind payload.Kind, text, turn string) {
	s.Predicted = append(s.Predicted, Predicted{ID: payload.ItemID(fmt.Sprintf("s%d", len(s.Predicted)+1)),
		Claim: Claim{Kind: kind, Text: text, Turns: []string{turn}}, Quote: text, Grounded: true})
}

// statementsOf makes a baseline of the statements of a part of the session.
func statementsOf(parts func(*ingest.Session) []baseline.Part) func(*Case) SessionScore {
	return func(c *Case) (s SessionScore) {
		for _, p := range parts(c.Session) {
			s.Tokens += tokens.Count(p.Text)
			for _, text := range baseline.Statements(p.Text) {
				s.predict("", text, canonical(string(p.Turn), c.turns))
			}
		}
		return s
	}
}

// claims returns the predictions as judges see them.
func (s *SessionScore) claims() (all []Claim) {
	for _, p := range s.Predicted {
		all = append(all, p.Claim)
	}
	return all
}

// judge compares a session's predictions with its gold set. Kindless ones take the kind of the item they match.
func (s *SessionScore) judge(ctx context.Context, c *Case, by Judge, kindless bool) error {
	s.Session, s.Title, s.Project, s.Gold = c.Gold.Session, c.Session.Title, c.Gold.Project, c.Gold.Items
	claims := s.claims()
	strict, lenient, err := c.matchBy(ctx, by, claims)
	if err != nil {
		return err
	}
	if kindless {
		strict = lenient
		for _, p := range lenient {
			s.Predicted[p.Pred].Kind = c.Gold.Items[p.Gold].Kind
		}
	} else if err := c.falseClaims(ctx, by, claims, s.Predicted); err != nil {
		return err
	}
	name := func(pairs []Pair) []MatchedPair {
		out := []MatchedPair{}
		for _, p := range pairs {
			out = append(out, MatchedPair{s.Predicted[p.Pred].ID, c.Gold.Items[p.Gold].ID, p.Similarity})
		}
		return out
	}
	s.Pairs, s.Lenient = name(strict), name(lenient)
	return nil
}

// falseClaims marks predictions that are more like a claim that the gold set calls wrong than like any of its
// items.
func (c *Case) falseClaims(ctx context.Context, by Judge, claims []Claim, predicted []Predicted) error {
	if len(c.Gold.Not) == 0 {
		return nil
	}
	var wrong []Claim
	for _, text := range c.Gold.Not {
		wrong = append(wrong, Claim{Text: text})
	}
	good, err := similarities(ctx, by, claims, c.wanted())
	if err != nil {
		return err
	}
	bad, err := similarities(ctx, by, claims, wrong)
	if err != nil {
		return err
	}
	for i := range claims {
		_, like := argmax(good[i])
		if j, unlike := argmax(bad[i]); j >= 0 && unlike >= by.Threshold() && unlike > like {
			predicted[i].FalseClaim = c.Gold.Not[j]
		}
	}
	return nil
}

// argmax returns the greatest value and its place, -1 for an empty list.
func argmax(list []float64) (at int, value float64) {
	at = -1
	for i, x := range list {
		if at < 0 || x > value {
			at, value = i, x
		}
	}
	return at, value
}

// Score recounts a session from what its run keeps.
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

// summarizePayloads computes a system's figures from its sessions.
func summarizePayloads(sessions []SessionScore) *PayloadScore {
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
	var grounded []Count // Precision is then the share that is grounded
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
