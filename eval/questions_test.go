package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The figures of random answers are those of another implementation, which
// walks the ranked list.
func TestQuestionFiguresByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 1000 {
		expect := []string{"s1#d1", "s1#d2", "s2#d1", "s3#f1"}[:1+r.IntN(4)]
		var a response
		for i := range r.IntN(30) {
			res := result{session: "s9", name: string(rune('a' + i))}
			if r.IntN(5) == 0 {
				held := expect[r.IntN(len(expect))]
				res.session, res.holds = sessionOf(held), []string{held}
			}
			a.results = append(a.results, res)
			if !slices.Contains(a.sessions, res.session) {
				a.sessions = append(a.sessions, res.session)
			}
		}
		m := outcomeOf(Question{Q: "q", Expect: expect}, a)
		found := map[string]bool{}
		var hit1, hit5, hit20, recall5, mrr, dcg float64
		for i, res := range a.results {
			if len(res.holds) == 0 || found[res.holds[0]] {
				continue
			}
			found[res.holds[0]] = true
			if i < 1 {
				hit1 = 1
			}
			if i < 5 {
				hit5 = 1
				recall5 += 1 / float64(len(expect))
			}
			if i < 20 {
				hit20 = 1
				if mrr == 0 {
					mrr = 1 / float64(i+1)
				}
			}
			if i < 10 {
				dcg += math.Ln2 / math.Log(float64(i+2))
			}
		}
		ideal := 0.0
		for i := range expect {
			ideal += math.Ln2 / math.Log(float64(i+2))
		}
		for name, v := range map[string][2]float64{
			"hit@1": {m.Hit(1), hit1}, "hit@5": {m.Hit(5), hit5}, "hit@20": {m.Hit(20), hit20},
			"recall@5": {m.Recall(5), recall5}, "MRR": {m.Reciprocal(), mrr}, "nDCG@10": {m.NDCG(10), dcg / ideal},
		} {
			if !near(v[0], v[1]) {
				t.Fatalf("case %d: %s is %v, want %v (ranks %v)", n, name, v[0], v[1], m.Ranks)
			}
		}
	}
}

func TestWilson(t *testing.T) {
	// Known values: 8 of 10 is 0.490 to 0.943, 0 of 10 is 0 to 0.278.
	for _, tt := range []struct {
		k, n      int
		low, high float64
	}{{8, 10, .4902, .9433}, {0, 10, 0, .2775}, {10, 10, .7225, 1}, {0, 0, 0, 1}} {
		if got := wilson(tt.k, tt.n); math.Abs(got.Low-tt.low) > 1e-4 || math.Abs(got.High-tt.high) > 1e-4 {
			t.Errorf("%d of %d: got %.4f to %.4f, want %.4f to %.4f", tt.k, tt.n, got.Low, got.High, tt.low, tt.high)
		}
	}
}

// Stale answers, refusals and what is printed first are counted where they are
// possible, and nowhere else.
func TestCountsOfAnswers(t *testing.T) {
	q := Question{Q: "which queue?", Expect: []string{"s#d2"}, Stale: []string{"s#d1"}}
	old, new := result{session: "s", holds: []string{"s#d1"}}, result{session: "s", holds: []string{"s#d2"}}
	both := result{session: "s", holds: []string{"s#d1", "s#d2"}}
	list := []QuestionsMade{
		outcomeOf(q, response{results: []result{old, new}, shown: []result{old, new}}),
		outcomeOf(q, response{results: []result{new, old}, shown: []result{new}}),
		outcomeOf(q, response{results: []result{both}, shown: []result{both}}),
		outcomeOf(q, response{results: []result{new}, shown: []result{new}, refused: true}),
		outcomeOf(Question{Q: "which font?"}, response{refused: true}),
		outcomeOf(Question{Q: "which logo?"}, response{results: []result{old}, shown: []result{old}}),
	}
	s := SummedUp(list)
	if s.Stale.K != 1 || s.Stale.N != 4 || s.Abstained.K != 1 || s.Abstained.N != 2 || s.Refused.K != 1 ||
		s.Refused.N != 4 {
		t.Errorf("got stale %+v, abstained %+v, refused %+v", s.Stale, s.Abstained, s.Refused)
	}
	if s.All.N != 4 {
		t.Errorf("got %d answerable questions, want 4", s.All.N)
	}
	// One of them is refused, one begins with what is stale.
	for name, want := range map[string]float64{"hit@1": .75, "answer@1": .5, "answer@5": .75} {
		if got := s.All.Means[name].Value; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// The bundled questions: the oracle finds what people wrote, and a question of
// a day knows nothing of what came later.
func TestQuestionsOfTheSamples(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and only computes")
	}
	o := Options{From: demoSessions(t), Vectors: KeptVectors()}
	run, err := Questions(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]*QuestionScore{}
	for _, s := range run.Systems {
		by[s.Name] = s.Questions
	}
	ours, oracle, messages := by["offline/25"], by["oracle"], by["OR-BM25 over messages"]
	if ours == nil || oracle == nil || messages == nil || by["turns only"] == nil {
		t.Fatalf("got systems %v", run.Systems)
	}
	if oracle.All.Means["hit@20"].Value < .9 {
		t.Errorf("the oracle has what was asked for among twenty for %.2f of the questions, want .9",
			oracle.All.Means["hit@20"].Value)
	}
	if ours.All.Means["answer@1"].Value <= messages.All.Means["answer@1"].Value {
		t.Errorf("answer@1 %.2f, no better than %.2f of messages as they are", ours.All.Means["answer@1"].Value,
			messages.All.Means["answer@1"].Value)
	}
	again, err := Questions(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again.Systems[0].Questions.Questions {
		a, b := run.Systems[0].Questions.Questions[i], again.Systems[0].Questions.Questions[i]
		a.Seconds, b.Seconds = 0, 0
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("asked again, another answer (-before +after):\n%s", d)
		}
	}
}

func TestAsOfKnowsNothingLater(t *testing.T) {
	set, err := LoadSet()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{From: demoSessions(t), Vectors: KeptVectors()}
	c, err := Gather(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	start := map[string]time.Time{}
	for _, s := range c.Sessions {
		start[string(s.ID)] = s.Start
	}
	day := c.Sessions[len(c.Sessions)/2].Start.Format(time.DateOnly)
	systems, err := searches(t.Context(), set, c, o, &Run{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range systems {
		if s.name == DrawnPassages { // of the sessions that hold the answer, and here none does
			continue
		}
		for _, asOf := range []string{"", day} {
			a, err := s.answer(t.Context(), Question{Q: "which provider, which queue, retries and the cache", AsOf: asOf})
			if err != nil {
				t.Fatal(err)
			}
			later := slices.ContainsFunc(a.sessions, func(id string) bool { return start[id].Format(time.DateOnly) > day })
			if later != (asOf == "") {
				t.Errorf("%s, as of %q: sessions after %s found: %v", s.name, asOf, day, later)
			}
		}
		s.close()
	}
}
