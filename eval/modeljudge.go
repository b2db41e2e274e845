package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"recall/internal/llm"
	"recall/internal/text"
	"recall/payload"
	"recall/prompts"
)

// ModelJudge asks a model, about many pairs in one request and about each pair once. It doesn't ask about pairs
// that can't be the same: files of different paths and, where a claim is compared with many, those with little
// in common in words and evidence.
type ModelJudge struct {
	Model  llm.Model
	Kept   llm.Store           // earlier answers, by request; nil keeps none
	Redact func(string) string // removes secrets from the prompt; nil: none
}

// claimPair is a pair as shown to the model, its two lines in a fixed order.
type claimPair struct{ A, B string }

var _ Judge = ModelJudge{}

const (
	pairsAtOnce = 30 // about 3,000 tokens; with more, models lose count
	maxPartners = 4  // at most this many pairs are asked about for each claim
	maxRequests = 64 // concurrent requests; a patient model allows fewer
)

// degrees is how alike two claims are, by verdict. "part" is no match.
var degrees = map[string]float64{"same": 1, "part": 0.4, "contrary": 0, "different": 0}

// Name implements Judge: it includes the model and the prompt's version.
func (j ModelJudge) Name() string {
	return "model/" + j.Model.Name() + "/" + prompts.Version(prompts.Judge.Text()+string(prompts.Judge.Schema()))
}

// Threshold implements Judge.
func (ModelJudge) Threshold() float64 { return 0.5 }

// Alike implements Judge. Answers received before an error are kept, and not asked for again.
func (j ModelJudge) Alike(ctx context.Context, claims []Claim, pairs [][2]int) ([]float64, error) {
	out := make([]float64, len(pairs))
	var ask []claimPair
	places := map[claimPair][]int{} // in out
	for k, ok := range worthAsking(claims, pairs) {
		if !ok {
			continue
		}
		q := j.question(claims[pairs[k][0]], claims[pairs[k][1]])
		if q.A == q.B {
			out[k] = 1
			continue
		}
		if places[q] == nil {
			ask = append(ask, q)
		}
		places[q] = append(places[q], k)
	}
	var mu sync.Mutex
	heard := func(q claimPair, verdict string) {
		mu.Lock()
		defer mu.Unlock()
		for _, k := range places[q] {
			out[k] = degrees[verdict]
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(maxRequests)
	for some := range slices.Chunk(ask, pairsAtOnce) {
		g.Go(func() error { return j.ask(ctx, some, heard) })
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("judge %s: %w", j.Model.Name(), err)
	}
	return out, nil
}

func (j ModelJudge) question(a, b Claim) claimPair {
	x, y := j.claimLine(a), j.claimLine(b)
	return claimPair{min(x, y), max(x, y)}
}

// claimLine writes a claim in one line.
func (j ModelJudge) claimLine(c Claim) string {
	s := c.Text
	if c.Path != "" && !strings.Contains(s, c.Path) {
		s = c.Path + ": " + s
	}
	if c.Kind != "" {
		s = string(c.Kind) + ": " + s
	}
	if c.Why != "" {
		s += " (why: " + c.Why + ")"
	}
	if j.Redact != nil {
		s = j.Redact(s)
	}
	return text.OneLine(s)
}

// worthAsking reports for each pair whether its claims might be the same.
func worthAsking(claims []Claim, pairs [][2]int) []bool {
	sides := sidesOf(claims)
	type partner struct {
		pair int
		near float64
	}
	of := make([][]partner, len(claims))
	ok := make([]bool, len(pairs))
	for k, p := range pairs {
		a, b := sides[p[0]], sides[p[1]]
		if a.kind == payload.File && b.kind == payload.File && !samePath(a.path, b.path) {
			continue
		}
		near := nearness(a, b)
		of[p[0]] = append(of[p[0]], partner{k, near})
		of[p[1]] = append(of[p[1]], partner{k, near})
	}
	for _, list := range of {
		if len(list) > maxPartners {
			slices.SortStableFunc(list, func(x, y partner) int { return cmp.Compare(y.near, x.near) })
			list = slices.DeleteFunc(list[:maxPartners], func(p partner) bool { return p.near == 0 })
		}
		for _, p := range list {
			ok[p.pair] = true
		}
	}
	return ok
}

// nearness is how much two claims have in common in words and evidence, whether or not one denies the other.
func nearness(a, b side) float64 {
	x, y := a.wide, b.wide
	x.open, y.open = true, true
	near := textSimilarity(x, y)
	if overlap(a.turns, b.turns) {
		near += 0.2
	}
	return near
}

// ask asks until every question has a verdict: omitted ones once more, a batch that was too large in halves.
func (j ModelJudge) ask(ctx context.Context, some []claimPair, heard func(claimPair, string)) error {
	for try := 1; ; try++ {
		left, err := j.once(ctx, some, heard)
		var e *llm.Error
		if errors.As(err, &e) && (e.Fault == llm.Cut || e.Fault == llm.TooLong) && len(some) > 1 {
			half := len(some) / 2
			return errors.Join(j.ask(ctx, some[:half], heard), j.ask(ctx, some[half:], heard))
		}
		if err != nil || len(left) == 0 {
			return err
		}
		if try == 2 {
			return fmt.Errorf("no verdict on %d of %d pairs, such as %q and %q", len(left), len(some), left[0].A, left[0].B)
		}
		some = left
	}
}

// once gets the answer to one request, kept or new, and records the verdicts; left are the questions without one.
func (j ModelJudge) once(ctx context.Context, some []claimPair, heard func(claimPair, string)) (left []claimPair,
	err error) {
	var b strings.Builder
	b.WriteString("The pairs:\n")
	for i, q := range some {
		fmt.Fprintf(&b, "\n%d\nA %s\nB %s\n", i+1, q.A, q.B)
	}
	key := "judge-" + text.Hash(j.Name()+"\x00"+b.String(), 20)
	var said []byte
	if j.Kept != nil {
		if said, _, err = j.Kept.Answer(key); err != nil {
			return nil, err
		}
	}
	verdicts := verdictsIn(string(said), len(some))
	fresh := !slices.ContainsFunc(verdicts, func(v string) bool { return v != "" })
	if fresh {
		res, err := j.Model.Complete(ctx, llm.Request{Task: "judge", System: prompts.Judge.Text(), Prompt: b.String(),
			Schema: &llm.Schema{Name: "verdicts", JSON: prompts.Judge.Schema()}, Max: 500 + 80*len(some)})
		if err != nil {
			return nil, err
		}
		said = []byte(res.Text)
		verdicts = verdictsIn(res.Text, len(some))
	}
	for i, q := range some {
		if verdicts[i] == "" {
			left = append(left, q)
		} else {
			heard(q, verdicts[i])
		}
	}
	if fresh && j.Kept != nil && len(left) < len(some) {
		return left, j.Kept.KeepAnswer(key, said)
	}
	return left, nil
}

// verdictsIn reads an answer about n pairs. A pair with two different verdicts, or with an unknown one, gets
// none.
func verdictsIn(text string, n int) []string {
	var a struct {
		Pairs []struct {
			Number  int    `json:"number"`
			Verdict string `json:"verdict"`
		} `json:"pairs"`
	}
	out := make([]string, n)
	if value, ok := llm.FindJSON(text); !ok || json.Unmarshal([]byte(value), &a) != nil {
		return out
	}
	torn := map[int]bool{}
	for _, p := range a.Pairs {
		i, verdict := p.Number-1, strings.ToLower(strings.TrimSpace(p.Verdict))
		if _, known := degrees[verdict]; !known || i < 0 || i >= n {
			continue
		}
		if out[i] != "" && out[i] != verdict {
			torn[i] = true
		}
		out[i] = verdict
	}
	for i := range torn {
		out[i] = ""
	}
	return out
}
