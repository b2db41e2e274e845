package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"text/tabwriter"

	"recall/eval"
	"recall/index"
	"recall/index/rank"
)

const heads = "project\titems\tvariant\tn\tanswer@1\tanswer@5\thit@1\thit@5\thit@20\tsession@1\tsession@5\tstale@1\t"

// row formats a score under the columns of heads.
func row(s *eval.QuestionScore) string {
	a := s.All
	return fmt.Sprintf("%d\t%.3f\t%.3f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d of %d\t", a.N, a.Answer1.Value, a.Answer5.Value,
		a.Hit1.Value, a.Hit5.Value, a.Hit20.Value, a.Session1.Value, a.Session5.Value, s.Stale.K, s.Stale.N)
}

// drawn sums, over questions, what random passages of the printed length reach.
type drawn struct {
	n                        int
	first, five, bytes, more float64
}

func (d drawn) plus(o drawn) drawn {
	return drawn{d.n + o.n, d.first + o.first, d.five + o.five, d.bytes + o.bytes, d.more + o.more}
}

const drawnHeads = "project\titems\tn\tchance@1\tchance@5\tbytes of the first\tof five\t"

func (d drawn) String() string {
	n := float64(max(d.n, 1))
	return fmt.Sprintf("%d\t%.3f\t%.3f\t%.0f\t%.0f\t", d.n, d.first/n, d.five/n, d.bytes/n, d.more/n)
}

// chance measures random passages on a project's questions.
func (p *project) chance(ctx context.Context, source string) (sum drawn, err error) {
	all := make([]drawn, len(p.Questions))
	err = each(ctx, len(all), func(i int) error {
		if len(p.Questions[i].Expect) == 0 {
			return nil
		}
		c, err := p.indexes[source].Chance(ctx, p.Questions[i])
		all[i] = drawn{1, c.First, c.Five, float64(c.Bytes), float64(c.All)}
		return err
	})
	for _, d := range all {
		sum = sum.plus(d)
	}
	return sum, err
}

func table() *tabwriter.Writer {
	return tabwriter.NewWriter(os.Stdout, 2, 8, 2, ' ', 0)
}

func (p *project) measure(ctx context.Context, source string, as index.Query) (*eval.QuestionScore, error) {
	p.indexes[source].Query = as
	return p.indexes[source].Ask(ctx, p.Questions, atOnce)
}

func indicator(b bool) int {
	if b {
		return 1
	}
	return 0
}

// train fits to all projects but one and reports on that one, for each in turn; then it fits to all.
func (w *world) train(ctx context.Context) error {
	if err := w.ask(ctx); err != nil {
		return err
	}
	out, drawnOut, sureOut := table(), table(), table()
	fmt.Fprintln(out, heads)
	fmt.Fprintln(drawnOut, drawnHeads)
	fmt.Fprintln(sureOut, sureHeads)
	answers, chances, pools := map[string][]eval.QuestionsMade{}, map[string]drawn{}, map[string]*refusal{}
	for _, p := range w.projects {
		weights, sure := w.fitted(func(of *project) bool { return of != p })
		w.use(weights)
		for _, source := range sources {
			score, err := p.measure(ctx, source, index.Query{})
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\t%s\tleft out\t%s\n", p.Name, source, row(score))
			chance, err := p.chance(ctx, source)
			if err != nil {
				return err
			}
			fmt.Fprintf(drawnOut, "%s\t%s\t%v\n", p.Name, source, chance)
			r, err := p.refusals(ctx, source, &sure)
			if err != nil {
				return err
			}
			fmt.Fprintf(sureOut, "%s\t%s\tleft out\t%v\n", p.Name, source, r)
			pool := map[bool]string{false: "invented", true: "people's"}[p.Real()] + "\t" + source
			answers[pool] = append(answers[pool], score.Questions...)
			chances[pool] = chances[pool].plus(chance)
			if pools[pool] == nil {
				pools[pool] = &refusal{}
			}
			pools[pool].add(r)
		}
	}
	for _, pool := range slices.Sorted(maps.Keys(pools)) {
		fmt.Fprintf(out, "all %s\tleft out\t%s\n", pool, row(eval.SummedUp(answers[pool])))
		fmt.Fprintf(drawnOut, "all %s\t%v\n", pool, chances[pool])
		fmt.Fprintf(sureOut, "all %s\tleft out\t%v\n", pool, *pools[pool])
	}
	for _, t := range []*tabwriter.Writer{out, drawnOut, sureOut} {
		t.Flush()
		fmt.Println()
	}
	weights, sure := w.fitted(func(*project) bool { return true })
	fmt.Printf("%s\n%s", weights, sure)
	return nil
}

// write fits to all projects and writes the shipped weights.
func (w *world) write(ctx context.Context) error {
	if err := w.ask(ctx); err != nil {
		return err
	}
	weights, sure := w.fitted(func(*project) bool { return true })
	if err := os.WriteFile("index/rank/weights.txt", []byte(weightsHead+weights.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile("index/rank/sure.txt", []byte(weightsHead+sure.String()), 0o644)
}

const weightsHead = "# Written by go run ./eval/train/rank -write.\n"

// fitted returns the weights for the projects that ok accepts. Those of the second look are fitted first, since
// the certainty of an answer builds on its scores.
func (w *world) fitted(ok func(*project) bool) (rank.Weights, rank.SureWeights) {
	weights := rank.Default
	if w.passages {
		weights = fitPassages(w.of(ok), weights)
	} else {
		weights = fit(w.of(ok))
	}
	return weights, fitSure(signsOf(w.of(ok), &weights))
}
