package index

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"recall/index/rank"
	"recall/internal/text"
	"recall/payload"
)

// ranked is one result before its place is known.
type ranked struct {
	candidate
	session int64 // row
	n       int64 // turn ordinal
	table   int
	item    payload.Item // if it is an item
	turn    Turn         // if it is a turn
	passage string       // of a turn: the text to show
	brief   string       // the same, shorter, for lower ranks
	spoken  rank.Spoken  // of a turn
	look    rank.Features
	extras
	overtaken   bool    // it states how its session ended, and its project has later sessions
	named, here bool    // see inNamed
	from        *Place  // if it is from another store
	raw         float64 // the second look's score, before scaling by the best one
}

// isClaim reports whether it is an item that claims something, rather than a quote.
func (o *ranked) isClaim() bool { return o.table == items && o.item.Kind != payload.Lead }

// shownText returns the text to show.
func (o *ranked) shownText() string {
	if o.table == items {
		return o.item.Text
	}
	return o.passage
}

func (o *ranked) at() time.Time {
	if o.table == items {
		return o.item.At
	}
	return o.turn.At
}

// turnPlace is the place of a turn.
type turnPlace struct{ session, n int64 }

// claimShare returns the share of claims among the items, and by turn the confidence of the lead taken from it.
func claimShare(list []*ranked) (share float64, taken map[turnPlace]float64) {
	taken = map[turnPlace]float64{}
	var n, of float64
	for _, o := range list {
		if o.table != items {
			continue
		}
		of++
		if o.isClaim() {
			n++
		} else {
			p := turnPlace{o.session, o.n}
			taken[p] = max(taken[p], o.item.Confidence)
		}
	}
	return n / max(of, 1), taken
}

const (
	itemsLooked   = 50    // items in the second look
	turnsLooked   = 30    // turns in the second look
	supportDecay  = 0.7   // from each of a session's results to the next, best first
	settledFactor = 0.002 // factor for a to-do older than the decision in first place
)

// UseWeights replaces the shipped weights of the second look. It must not be called while searches run.
func (x *Index) UseWeights(w rank.Weights) {
	w[rank.Near] = x.weights[rank.Near] // set by UseVectors
	x.weights = w
}

// look loads the first candidates of items and turns and ranks them in one list, best first.
func (r *reader) look(ctx context.Context, found [2][]candidate, ts []term) ([]*ranked, error) {
	var out []*ranked
	for k, list := range found {
		from := len(out)
		for _, c := range list[:min(len(list), r.lookLimit(k))] {
			out = append(out, &ranked{candidate: c, table: k})
		}
		if err := r.load(ctx, k, out[from:]); err != nil {
			return nil, err
		}
	}
	for _, o := range out {
		var err error
		if o.named, o.here, err = r.inNamed(ctx, o.session); err != nil {
			return nil, err
		}
	}
	out = append(out, r.q.Elsewhere.within(r.q, out)...)
	r.rescore(out, ts)
	return out, nil
}

// lookLimit returns how many documents of a kind get a second look.
func (r *reader) lookLimit(kind int) int {
	most := itemsLooked
	if kind == turns {
		most = turnsLooked
	}
	return max(most, r.q.Limit)
}

// rescore scores candidates by their features and sorts them. It works on candidates of any store.
func (r *reader) rescore(out []*ranked, ts []term) {
	kin, concepts := r.kin(ts)
	r.asked = rank.Ask(text.HeadMarked(r.q.Text, maxQuestion), rankTerms(ts), kin, concepts)
	support := supports(out)
	aliased := mostAliased(out)
	claimed, taken := claimShare(out)
	said := map[turnPlace]rank.Spoken{}
	for _, o := range out {
		if o.table == turns {
			said[turnPlace{o.session, o.n}] = o.spoken
		}
	}
	var of []*payload.Item
	var looks, all []*rank.Features
	var first []float64
	var shown []string
	for i, o := range out {
		c := rank.Candidate{Aliased: aliased, Claimed: claimed, Words: o.parts[byWords], Source: o.parts[bySource],
			Lexicon: o.parts[byLexicon], Near: o.near, Support: math.Log1p(support[i])}
		if o.table == items {
			it := o.item
			if r.q.Exact {
				it.Evidence = nil
			}
			c.Item = &it
			c.Spoken = said[turnPlace{o.session, o.n}]
			c.Overtaken = o.overtaken
		} else {
			o.passage, o.brief = r.asked.Passage(o.turn.Text)
			c.Text, c.Shown, c.User = o.turn.Text, o.passage, o.turn.Role == "user"
			c.Taken, c.Spoken = taken[turnPlace{o.session, o.n}], o.spoken
		}
		o.look = r.asked.Look(c)
		shown, all = append(shown, o.shownText()), append(all, &o.look)
		if o.isClaim() {
			of, looks, first = append(of, c.Item), append(looks, &o.look), append(first, c.Words+c.Source+c.Lexicon)
		}
	}
	r.asked.CompareItems(of, looks, first, itemsLooked, aliased)
	r.asked.ComparePassages(shown, all)
	for _, o := range out {
		o.raw = r.weights.Score(o.look)
		if o.named {
			o.raw += namedBoost
		}
		o.score = o.raw
		if o.here {
			o.score += hereBoost
		}
	}
	normalize(out)
	demoteDone(out)
}

// mostAliased reports whether at least half of the items have aliases.
func mostAliased(list []*ranked) bool {
	with, all := 0, 0
	for _, r := range list {
		if r.table == items {
			with, all = with+min(len(r.item.Aliases), 1), all+1
		}
	}
	return with > 0 && 2*with >= all
}

func rankTerms(ts []term) []rank.Term {
	out := make([]rank.Term, len(ts))
	for i, t := range ts {
		out[i] = rank.Term{Stem: t.stem, IDF: t.idf}
	}
	return out
}

// normalize scales scores by the best one, and sorts the results.
func normalize(list []*ranked) {
	if len(list) == 0 {
		return
	}
	top := math.Inf(-1)
	for _, r := range list {
		top = max(top, r.score)
	}
	for i := range list {
		list[i].score = math.Exp(list[i].score - top)
	}
	arrange(list)
}

// arrange sorts results by score, turns below the items taken from them.
func arrange(list []*ranked) {
	byScore(list)
	turnsBelowClaims(list)
	byScore(list)
}

func byScore(list []*ranked) {
	slices.SortStableFunc(list, func(a, b *ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.table-b.table)
	})
}

// supports sums for each result the scores of its session's other results, each with less weight than the one
// before: a session that mentions the subject in several places is more likely the right one. Callers take the
// logarithm, since a session of a thousand turns always has something similar.
func supports(list []*ranked) []float64 {
	best := make([]int, len(list))
	for i := range list {
		best[i] = i
	}
	slices.SortStableFunc(best, func(a, b int) int {
		return cmp.Compare(list[b].candidate.score,
			list[a].candidate.score)
	})
	bySession := map[int64][]int{}
	for _, i := range best {
		bySession[list[i].session] = append(bySession[list[i].session], i)
	}
	out := make([]float64, len(list))
	for _, of := range bySession {
		for _, i := range of {
			weight := 1.0
			for _, j := range of {
				if j != i {
					out[i] += weight * list[j].candidate.score
					weight *= supportDecay
				}
			}
		}
	}
	return out
}

// demoteDone demotes the to-dos of earlier sessions if the first result is a later decision: most likely they have
// been done.
func demoteDone(list []*ranked) {
	if len(list) == 0 || list[0].table != items || list[0].item.Kind != payload.Decision {
		return
	}
	for _, r := range list {
		if r.look[rank.Overtaken] > 0 && r.item.At.Before(list[0].item.At) && r.session != list[0].session {
			r.score *= settledFactor
		}
	}
	arrange(list)
}

// turnsBelowClaims puts a turn right below the best claim taken from it, which says the same more clearly.
func turnsBelowClaims(list []*ranked) {
	best := map[turnPlace]float64{}
	for _, r := range list {
		p := turnPlace{r.session, r.n}
		if _, ok := best[p]; !ok && r.isClaim() && r.n > 0 {
			best[p] = r.score
		}
	}
	for _, r := range list {
		if s, ok := best[turnPlace{r.session, r.n}]; ok && r.table == turns {
			r.score = min(r.score, s)
		}
	}
}
