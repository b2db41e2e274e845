package vectors

import (
	"context"
	"errors"
	"math"
	"slices"

	"recall/index"
	"recall/library"
	"recall/payload"
)

// ErrFew: there are too few items to ask for to say anything.
var ErrFew = errors.New("too few items to ask for to say anything")

// Calibration is how often items were found that were asked for in words hidden from the search.
type Calibration struct {
	Questions int
	Weights   []Weighed
	Best      int // the weight that is clearly better than words alone, 0 if none is
}

// Weighed is how often with a weight of the vectors, in hundredths; 0 is words alone.
type Weighed struct {
	Weight           int
	First, Five, MRR float64
}

// Calibrate asks for each of up to 300 items in words that are hidden from the search: one of its aliases, else the
// sentence that it was taken from.
func (v Vectors) Calibrate(ctx context.Context) (c Calibration, err error) {
	list, err := v.trials()
	if err != nil {
		return c, err
	}
	if c.Questions = len(list); c.Questions < 20 {
		return c, ErrFew
	}
	hidden, err := v.hide(ctx, list)
	if err != nil {
		return c, err
	}
	var words []float64
	most := 0.0
	for _, weight := range []int{0, 5, 10, 20, 30, 40} {
		v.Index.UseVectors(v.Model, float64(weight)/100, hidden)
		w, ranks := Weighed{Weight: weight}, make([]float64, len(list)) // reciprocal; 0 where it didn't come
		each := 1 / float64(len(list))
		for i, t := range list {
			answer, err := v.Index.Search(ctx, t.q)
			if err != nil {
				return c, err
			}
			at := slices.IndexFunc(answer.Ranked, func(r *index.Result) bool { return r.Item.ID == t.expect })
			if at < 0 {
				continue
			}
			ranks[i] = 1 / float64(at+1)
			w.MRR += ranks[i] * each
			if at == 0 {
				w.First += each
			}
			if at < 5 {
				w.Five += each
			}
		}
		c.Weights = append(c.Weights, w)
		if weight == 0 {
			words = ranks
		} else if t := paired(ranks, words); t > leastGain && t > most {
			c.Best, most = weight, t
		}
	}
	return c, nil
}

// trial is a question whose answer is known.
type trial struct {
	q      index.Query
	expect payload.ItemID
	text   string // of the item to embed, without what the question hides
}

const mostTrials = 300

// trials asks for items by what is hidden from the search.
func (v Vectors) trials() ([]trial, error) {
	entries, err := v.Library.Sessions()
	if err != nil {
		return nil, err
	}
	var all []trial
	for _, e := range entries {
		p, err := v.Library.Payload(e.ID)
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

// hide makes vectors of the items that are asked for in which the question isn't;
// those with nothing else to say have none.
func (v Vectors) hide(ctx context.Context, list []trial) (map[payload.ItemID][]float32, error) {
	var texts []string
	for _, t := range list {
		texts = append(texts, t.text)
	}
	vs, err := v.Model.Embed(ctx, texts)
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
