package index

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"recall/index/rank"
	"recall/payload"
	"recall/text"
)

// ranked is one line of the answer before its place is known.
type ranked struct {
	candidate
	session int64 // row
	n       int64 // turn ordinal
	table   int
	item    payload.Item // of an item
	turn    Turn         // of a turn
	passage string       // of a turn: what would be shown
	brief   string       // and further down
	spoken  rank.Spoken  // of a turn
	look    rank.Features
	extras
	overtaken   bool    // of an item that says how its session ended: its project has later ones
	named, here bool    // see inNamed
	from        *Place  // of another store's
	raw         float64 // the second look's score, before it is made a share of the best one's
}

// claims reports whether it is a claim, not what somebody said.
func (o *ranked) claims() bool { return o.table == items && o.item.Kind != payload.Lead }

// says is what would be shown of it.
func (o *ranked) says() string {
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

// spot is where a turn stands.
type spot struct{ session, n int64 }

// claims are the share of claims among items, and how sure the lead is that was taken
// from a turn.
func claims(list []*ranked) (share float64, taken map[spot]float64) {
	taken = map[spot]float64{}
	var n, of float64
	for _, o := range list {
		if o.table != items {
			continue
		}
		of++
		if o.claims() {
			n++
		} else {
			p := spot{o.session, o.n}
			taken[p] = max(taken[p], o.item.Confidence)
		}
	}
	return n / max(of, 1), taken
}

const (
	lookedAt     = 50    // items that are looked at a second time
	turnsLooked  = 30    // and turns
	supportDecay = 0.7   // from each of a session's results, best first, to the next
	settled      = 0.002 // of what was to be done before the first result was decided
)

// UseWeights has the second look weigh otherwise than shipped. Not to be
// called while searches run.
func (x *Index) UseWeights(w rank.Weights) {
	w[rank.Near] = x.weights[rank.Near] // which is UseVectors' matter
	x.weights = w
}

// look makes one list of items and turns, best first: the first of each are
// loaded and scored again.
func (r *reader) look(ctx context.Context, found [2][]candidate, ts []term) ([]*ranked, error) {
	var out []*ranked
	for k, list := range found {
		from := len(out)
		for _, c := range list[:min(len(list), r.looked(k))] {
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
	r.see(out, ts)
	return out, nil
}

// looked is how many documents of a kind get a second look.
func (r *reader) looked(kind int) int {
	most := lookedAt
	if kind == turns {
		most = turnsLooked
	}
	return max(most, r.q.Limit)
}

// see scores candidates again by what they say, and puts them in order. Wherever they come from, it reads nothing else.
func (r *reader) see(out []*ranked, ts []term) {
	kin, concepts := r.kin(ts)
	r.asked = rank.Ask(text.HeadMarked(r.q.Text, longest), rankTerms(ts), kin, concepts)
	support := supports(out)
	aliased := r.q.Without&Aliases == 0 && mostAliased(out)
	claimed, taken := claims(out)
	said := map[spot]rank.Spoken{}
	for _, o := range out {
		if o.table == turns {
			said[spot{o.session, o.n}] = o.spoken
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
			if r.q.Without&Aliases != 0 {
				it.Aliases = nil
			}
			if r.q.Without&Sources != 0 {
				it.Evidence = nil
			}
			c.Item = &it
			c.Spoken = said[spot{o.session, o.n}]
			c.Overtaken = o.overtaken
		} else {
			o.passage, o.brief = r.asked.Passage(o.turn.Text)
			c.Text, c.Shown, c.User = o.turn.Text, o.passage, o.turn.Role == "user"
			c.Taken, c.Spoken = taken[spot{o.session, o.n}], o.spoken
		}
		o.look = r.asked.Look(c)
		shown, all = append(shown, o.says()), append(all, &o.look)
		if o.claims() {
			of, looks, first = append(of, c.Item), append(looks, &o.look), append(first, c.Words+c.Source+c.Lexicon)
		}
	}
	r.asked.Beside(of, looks, first, lookedAt, aliased)
	r.asked.Among(shown, all)
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
	order(out)
	settle(out)
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

// order makes scores shares of the best one, and puts results in order.
func order(list []*ranked) {
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

// arrange puts results in order of their scores, turns below what was taken from them.
func arrange(list []*ranked) {
	byScore(list)
	below(list)
	byScore(list)
}

func byScore(list []*ranked) {
	slices.SortStableFunc(list, func(a, b *ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.table-b.table)
	})
}

// supports sums for each result what its session's others score, each less
// than the one before: a session that speaks of the matter in several places
// is the likelier one. It counts as its logarithm: in a session of a thousand turns
// there is always something that sounds alike.
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

// settle sets back what an earlier session left to do, where the first result
// is what was decided after it: most likely it has been done.
func settle(list []*ranked) {
	if len(list) == 0 || list[0].table != items || list[0].item.Kind != payload.Decision {
		return
	}
	for _, r := range list {
		if r.look[rank.Overtaken] > 0 && r.item.At.Before(list[0].item.At) && r.session != list[0].session {
			r.score *= settled
		}
	}
	arrange(list)
}

// below puts a turn right below the best claim that was taken from it, which
// says the same more clearly.
func below(list []*ranked) {
	best := map[spot]float64{}
	for _, r := range list {
		p := spot{r.session, r.n}
		if _, ok := best[p]; !ok && r.claims() && r.n > 0 {
			best[p] = r.score
		}
	}
	for _, r := range list {
		if s, ok := best[spot{r.session, r.n}]; ok && r.table == turns {
			r.score = min(r.score, s)
		}
	}
}
