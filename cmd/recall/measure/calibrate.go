package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/library"
	"recall/llm"
	"recall/payload"
)

func newCalibrateCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "calibrate",
		Short:   "Find out how much vectors should count for your own items",
		GroupID: "keep",
		Long: `Asks for each of up to 300 items in words that are hidden from the search: one of
its aliases, else the sentence it was taken from. Prints how often the item then
comes first and among the first five, by words alone and with the configured
model's vectors at several weights. Such questions favour words:
it tells a bad model, it doesn't prove a good one.`,
		Example: "  recall calibrate",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.Library(cmd.Context())
			if err != nil {
				return err
			}
			if err := a.ReadIndex(l); err != nil {
				return terminal.WithHint(err, "recall reindex makes the index")
			}
			return runCalibrate(cmd.Context(), a, l)
		},
	}
}

// trial is a question whose answer is known.
type trial struct {
	q      index.Query
	expect payload.ItemID
	text   string // of the item to embed, without what the question hides
}

const mostTrials = 300

// trials asks for items by what is hidden from the search.
func trials(l *library.Library) ([]trial, error) {
	entries, err := l.Sessions()
	if err != nil {
		return nil, err
	}
	var all []trial
	for _, e := range entries {
		p, err := l.Payload(e.ID)
		if errors.Is(err, library.ErrNoPayload) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, it := range p.Items {
			t := trial{expect: it.ID}
			switch {
			case it.Kind == payload.File || it.Kind == payload.Status:
				continue
			case len(it.Aliases) > 0:
				t.q = index.Query{Text: it.Aliases[len(it.Aliases)-1], Without: index.Aliases}
			case len(it.Evidence) > 0 && it.Evidence[0].Quote != it.Text:
				t.q = index.Query{Text: it.Evidence[0].Quote, Without: index.Sources}
			default:
				continue
			}
			bare := it
			bare.Aliases, bare.Evidence = nil, nil
			t.text = index.TextToEmbed(bare)
			t.q.Limit, t.q.Kinds = 20, payload.Kinds // items only
			all = append(all, t)
		}
	}
	if len(all) <= mostTrials {
		return all, nil
	}
	var some []trial // evenly over time
	for i := range mostTrials {
		some = append(some, all[i*len(all)/mostTrials])
	}
	return some, nil
}

// leastGain is by how many standard errors a weight must beat words alone.
const leastGain = 2

func runCalibrate(ctx context.Context, a *app.App, l *library.Library) error {
	e, err := a.Config.Embedder()
	if err != nil {
		return err
	}
	if e == nil {
		return errNoEmbedder
	}
	has, err := a.Index.HasVectors(ctx, e.Model())
	if err != nil {
		return err
	}
	if !has {
		return terminal.WithHint(fmt.Errorf("no vectors of %s yet", e.Model()), "recall embed makes them")
	}
	list, err := trials(l)
	if err != nil {
		return err
	}
	if len(list) < 20 {
		return fmt.Errorf("%s to ask for, too few to say anything", answer.Count(len(list), "item"))
	}
	hidden, err := hide(ctx, e, list)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%d questions, vectors of %s\n", len(list), e.Model())
	out := tabwriter.NewWriter(a.Out, 2, 8, 2, ' ', 0)
	fmt.Fprintln(out, "weight\tfirst\tamong five\tMRR")
	var words []float64
	best, most := 0, 0.0
	for _, weight := range []int{0, 5, 10, 20, 30, 40} {
		a.Index.UseVectors(e, float64(weight)/100, hidden)
		ranks, err := ranks(ctx, a, list)
		if err != nil {
			return err
		}
		var first, five, mrr float64
		for _, r := range ranks {
			mrr += r / float64(len(ranks))
			first += atLeast(r, 1) / float64(len(ranks))
			five += atLeast(r, 0.2) / float64(len(ranks))
		}
		fmt.Fprintf(out, "%d\t%.2f\t%.2f\t%.3f\n", weight, first, five, mrr)
		if weight == 0 {
			words = ranks
		} else if t := paired(ranks, words); t > leastGain && t > most {
			best, most = weight, t
		}
	}
	out.Flush()
	if best == 0 {
		fmt.Fprintln(a.Out, "No weight is clearly better than words alone: leave query.vectors off.")
		return nil
	}
	fmt.Fprintf(a.Out, "Best: query.vector_weight: %d\n", best)
	return nil
}

// hide makes vectors of the items that are asked for in which the question isn't;
// those with nothing else to say have none.
func hide(ctx context.Context, e llm.Embedder, list []trial) (map[payload.ItemID][]float32, error) {
	var texts []string
	for _, t := range list {
		texts = append(texts, t.text)
	}
	vs, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := map[payload.ItemID][]float32{}
	for i, t := range list {
		out[t.expect] = nil
		if index.CheckVector(vs[i]) == nil {
			out[t.expect] = vs[i]
		}
	}
	return out, nil
}

// ranks are the reciprocal ranks at which each item came, 0 where it didn't.
func ranks(ctx context.Context, a *app.App, list []trial) ([]float64, error) {
	out := make([]float64, len(list))
	for i, t := range list {
		answer, err := a.Index.Search(ctx, t.q)
		if err != nil {
			return nil, err
		}
		for n, h := range answer.Hits {
			if h.Item.ID == t.expect {
				out[i] = 1 / float64(n+1)
				break
			}
		}
	}
	return out, nil
}

func atLeast(x, least float64) float64 {
	if x >= least {
		return 1
	}
	return 0
}

// paired is the t of the mean difference of two lists: how many standard
// errors it is from none.
func paired(a, b []float64) float64 {
	n := float64(len(a))
	var sum, squares float64
	for i := range a {
		d := a[i] - b[i]
		sum += d
		squares += d * d
	}
	mean := sum / n
	variance := (squares - n*mean*mean) / (n - 1)
	if variance <= 0 {
		return 0
	}
	return mean / math.Sqrt(variance/n)
}
