package eval

import (
	"fmt"
	"slices"

	"recall/answer"
)

// Verdict is the outcome of a comparison.
type Verdict string

const (
	Better   Verdict = "better"
	Worse    Verdict = "worse"
	CantTell Verdict = "can't tell" // the interval of the difference includes zero, or there is too little data
)

// Comparison is what changed from one run to another, on what both have.
type Comparison struct {
	what    string
	Shared  int      // sessions, or questions, that both have with the same gold
	Notes   []string // what was left out and why, and what else makes the runs differ
	Figures []Difference
}

// Difference is one figure before and after, over what both runs have.
type Difference struct {
	Name    string // "decision F1", "micro precision", "hit@1"
	Before  float64
	After   float64
	Change  Interval // after less before, with its paired bootstrap interval
	Few     bool
	Verdict Verdict
}

// minShared is how many sessions or questions a comparison needs to tell anything.
const minShared = 5

// Compare compares the systems under test of two runs on the sessions or questions that both have.
func Compare(before, after *Run) (*Comparison, error) {
	if before.What != after.What {
		return nil, fmt.Errorf("one run is of %s, the other of %s", before.What, after.What)
	}
	old, now := before.Systems[0], after.Systems[0]
	c := &Comparison{what: before.What}
	if before.Gold.Hash != after.Gold.Hash {
		c.Notes = append(c.Notes, fmt.Sprintf("the gold sets are not the same (%s %s, %s %s)", before.Gold.Name,
			before.Gold.Hash, after.Gold.Name, after.Gold.Hash))
	}
	for _, key := range []string{"judge", "threshold", "redaction"} {
		if a, b := before.Config[key], after.Config[key]; a != b {
			c.Notes = append(c.Notes,
				fmt.Sprintf("%s: %s before, %s after: part of the change may come from the measurement", key, a, b))
		}
	}
	switch c.what {
	case "payloads":
		c.payloads(old.Payloads, now.Payloads)
	case "pages":
		c.pages(old.Pages, now.Pages)
	default:
		c.questions(old.Questions, now.Questions)
	}
	if c.Shared == 0 {
		return nil, fmt.Errorf("%s and %s have no %s in common", old.Name, now.Name, c.Of())
	}
	return c, nil
}

// Of returns the singular of what the comparison counts.
func (c *Comparison) Of() string {
	return map[string]string{"payloads": "session", "pages": "session", "questions": "question"}[c.what]
}

// shared pairs what two lists have in common by key, and notes the rest.
func shared[T any](c *Comparison, what string, before, after []T, key func(T) string,
	same func(a, b T) bool) (out [][2]T) {
	old := map[string]T{}
	for _, x := range before {
		old[key(x)] = x
	}
	changed, fresh := 0, 0
	for _, y := range after {
		x, ok := old[key(y)]
		delete(old, key(y))
		switch {
		case !ok:
			fresh++
		case !same(x, y):
			changed++
		default:
			out = append(out, [2]T{x, y})
		}
	}
	note := func(n int, why string) {
		if n > 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s left out: %s", answer.Count(n, what), why))
		}
	}
	note(len(old), "only in the run before")
	note(fresh, "only in the run after")
	note(changed, "its gold answers changed in between")
	c.Shared = len(out)
	if c.Shared > 0 && c.Shared < minShared {
		c.Notes = append(c.Notes, answer.Count(c.Shared, what)+" in common are too few to tell anything")
	}
	return out
}

func (c *Comparison) payloads(before, after *PayloadScore) {
	pairs := shared(c, "session", before.Sessions, after.Sessions,
		func(s SessionScore) string { return s.Session },
		func(a, b SessionScore) bool {
			return slices.EqualFunc(a.Gold, b.Gold, func(x, y GoldItem) bool {
				return x.ID == y.ID && x.Kind == y.Kind && x.Must == y.Must
			})
		})
	if len(pairs) == 0 {
		return
	}
	scores := make([][2]Score, len(pairs))
	var both []SessionScore
	for i, p := range pairs {
		scores[i] = [2]Score{p[0].Score(), p[1].Score()}
		both = append(both, p[0], p[1])
	}
	for _, kind := range kindsOf(both) {
		c.counted(string(kind), scores, func(s Score) Count { return s.Kinds[kind] }, true)
	}
	c.counted("micro", scores, func(s Score) Count { return s.Micro }, false)
	c.counted("lenient", scores, func(s Score) Count { return s.Lenient }, false)
}

func (c *Comparison) pages(before, after *PageScore) {
	pairs := shared(c, "session", before.Sessions, after.Sessions,
		func(m PageMeasured) string { return m.Session },
		func(a, b PageMeasured) bool { return a.Must == b.Must })
	if len(pairs) == 0 {
		return
	}
	of := func(name string, count func(*PageMeasured) Count, share func(Count) float64, lessIsMore bool) {
		c.add(name, len(pairs), func(side int, draw []int) float64 {
			var sum Count
			for _, i := range draw {
				sum = sum.Plus(count(&pairs[i][side]))
			}
			return share(sum)
		}, lessIsMore)
	}
	of("covered", (*PageMeasured).covered, Count.Recall, false)
	of("useful lines", (*PageMeasured).useful, Count.Recall, false)
	of("misleading lines", (*PageMeasured).misleading, func(n Count) float64 { return float64(n.Hits) }, true)
}

// counted compares precision, recall and F1 of a count.
func (c *Comparison) counted(name string, scores [][2]Score, pick func(Score) Count, mayBeFew bool) {
	for _, m := range []struct {
		name string
		of   func(Count) float64
	}{{"F1", Count.F1}, {"precision", Count.Precision}, {"recall", Count.Recall}} {
		value := func(side int, draw []int) float64 {
			var sum Count
			for _, i := range draw {
				sum = sum.Plus(pick(scores[i][side]))
			}
			return m.of(sum)
		}
		c.add(name+" "+m.name, len(scores), value, false)
		if mayBeFew {
			wanted := 0
			for _, s := range scores {
				wanted += pick(s[0]).Wanted
			}
			c.Figures[len(c.Figures)-1].Few = wanted < minWanted
		}
	}
}

func (c *Comparison) questions(before, after *QuestionScore) {
	pairs := shared(c, "question", before.Questions, after.Questions,
		func(q QuestionsMade) string { return q.ID },
		func(a, b QuestionsMade) bool {
			return slices.Equal(a.Expect, b.Expect) && slices.Equal(a.Stale, b.Stale)
		})
	if len(pairs) == 0 {
		return
	}
	for _, m := range QuestionMetrics {
		c.mean(m.Name, pairs, func(q *QuestionsMade) bool { return q.Answerable() }, m.of, false)
	}
	c.mean("stale@1", pairs, func(q *QuestionsMade) bool { return len(q.Stale) > 0 },
		func(q *QuestionsMade) float64 { return indicator(q.StaleFirst) }, true)
	refused := func(q *QuestionsMade) float64 { return indicator(q.Refused) }
	c.mean("abstained", pairs, func(q *QuestionsMade) bool { return !q.Answerable() }, refused, false)
	c.mean("refused", pairs, func(q *QuestionsMade) bool { return q.Answerable() }, refused, true)
}

// mean compares the mean of a figure over the questions it applies to.
func (c *Comparison) mean(name string, pairs [][2]QuestionsMade, in func(*QuestionsMade) bool,
	of func(*QuestionsMade) float64, lessIsMore bool) {
	var values [2][]float64
	for i := range pairs {
		if in(&pairs[i][0]) {
			values[0], values[1] = append(values[0], of(&pairs[i][0])), append(values[1], of(&pairs[i][1]))
		}
	}
	if n := len(values[0]); n > 0 {
		c.add(name, n, func(side int, draw []int) float64 { return mean(values[side], draw) }, lessIsMore)
	}
}

// add compares a figure over n sessions or questions by paired bootstrap: both sides use the same draws.
func (c *Comparison) add(name string, n int, value func(side int, draw []int) float64, lessIsMore bool) {
	all := indices(n)
	d := Difference{Name: name, Before: value(0, all), After: value(1, all), Verdict: CantTell}
	d.Change = bootstrap(n, func(draw []int) float64 { return value(1, draw) - value(0, draw) })
	if n >= minShared {
		switch up := d.Change.Low > 0; {
		case up && !lessIsMore, d.Change.High < 0 && lessIsMore:
			d.Verdict = Better
		case up, d.Change.High < 0:
			d.Verdict = Worse
		}
	}
	c.Figures = append(c.Figures, d)
}
