package index

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/index/postings"
	"recall/index/rank"
)

// Asking is a question to another store, which finds items by their words and has them ranked here, so that the
// ranking is the same for all stores.
type Asking struct {
	Stems   []string  // to look for; one that ends with "*" matches all stems with that prefix
	Weights []float64 // of the stems
	Own     int       // the first Own stems are the caller's; the rest are related ones from the lexicon

	r    *reader
	also []term
	ts   []term // the question's
}

// ForeignResults holds items that another store found, and how common the question's words are there.
type ForeignResults struct {
	Asked    *Asking // the question it was asked
	Items    []ForeignItem
	Holding  []int // how many items contain each of Asking.Stems
	Searched int   // how many items were searched
}

// ForeignItem is an item of another store. Its place needs no number.
type ForeignItem struct {
	Place
	Item
	Overtaken bool // its project has a later session
}

// Without drops what an author shared from sessions that the index has itself.
func (e *ForeignResults) Without(author string, here func(session string) bool) {
	e.Items = slices.DeleteFunc(e.Items, func(s ForeignItem) bool { return s.Author == author && here(s.Session) })
}

func (e *ForeignResults) searched() int {
	if e == nil {
		return 0
	}
	return e.Searched
}

// docsWith returns how many of the items contain a word.
func (e *ForeignResults) docsWith(word string) int {
	if e == nil {
		return 0
	}
	i := slices.Index(e.Asked.Stems, termOf(word))
	if i < 0 || i >= len(e.Holding) {
		return 0
	}
	return e.Holding[i]
}

// within returns as candidates the items that pass the query's time filters, without those that the index found
// itself.
func (e *ForeignResults) within(q Query, own []*ranked) (out []*ranked) {
	if e == nil || len(e.Items) == 0 {
		return nil
	}
	a := e.Asked
	a.r.size, a.r.q.Here, a.r.q.Project = corpus{items: e.Searched}, q.Here, ""
	for _, o := range a.firstPass(*e, a.weigh(*e)) {
		at := &e.Items[o.id]
		twice := slices.ContainsFunc(own, func(mine *ranked) bool {
			return mine.table == items && mine.item.ID == o.item.ID
		})
		early, late := o.item.At.Before(q.Since), !q.Until.IsZero() && !o.item.At.Before(q.Until)
		if !twice && !early && !late && len(out) < itemsLooked {
			o.session, o.from = -o.session, &at.Place // negative, since row ids are positive
			out = append(out, o)
		}
	}
	return out
}

// weigh sets how common the question's words are, and returns the number of items that contain each stem.
func (a *Asking) weigh(e ForeignResults) map[string]int {
	held := map[string]int{}
	for i, s := range a.Stems {
		if i < len(e.Holding) {
			held[s] = e.Holding[i]
		}
	}
	for _, ts := range [][]term{a.ts, a.also} {
		for i := range ts {
			n := held[termOf(ts[i].word)]
			ts[i].df = counts{ofItems: n}
			ts[i].idf = math.Log(1 + (max(float64(e.Searched-n), 0)+0.5)/(float64(n)+0.5))
		}
	}
	return held
}

// Ask prepares a question for another store.
func Ask(q Query) *Asking {
	if q.Limit <= 0 {
		q.Limit = shown
	}
	a := &Asking{r: &reader{q: q, weights: rank.Default}}
	a.ts, a.also = dropFraming(q.Text, terms(q.Text)), terms(strings.Join(q.Also, " "))
	a.add(lookupForms(a.ts), 1)
	a.add(lookupForms(a.also), alsoWeight)
	a.Own = len(a.Stems)
	others := a.r.others(a.ts)
	a.add(others[:min(len(others), maxRelated)], tables[ofItems].related)
	return a
}

func (a *Asking) add(stems []string, weight float64) {
	for _, s := range stems {
		if !slices.Contains(a.Stems, s) {
			a.Stems, a.Weights = append(a.Stems, s), append(a.Weights, weight)
		}
	}
}

// StemsOf returns the distinct stems by which an item is found, in the form of Asking.Stems.
func StemsOf(it Item) []string {
	v := newVocabulary()
	v.itemBags(it)
	all := v.stems
	for _, s := range v.stems {
		if r, _ := utf8.DecodeRuneInString(s); isSingleCJK(string(r)) && !slices.Contains(all, termOf(string(r))) {
			all = append(all, termOf(string(r)))
		}
	}
	return all
}

// Rank answers the question from what was found.
func (a *Asking) Rank(e ForeignResults) (out Answer) {
	r := a.r
	r.size = corpus{items: e.Searched}
	list := a.firstPass(e, a.weigh(e))
	list = list[:min(len(list), r.lookLimit(items))]
	r.rescore(list, a.ts)
	preferLater(list, r.asked)
	for _, o := range list[:min(len(list), r.q.Limit)] {
		out.Ranked = append(out.Ranked, resultOf(o, e.Items[o.id].Place))
	}
	out.SearchedItems = e.Searched
	r.judge(&out, a.ts, list)
	return out
}

// firstPass ranks what was found in the first pass, best first.
func (a *Asking) firstPass(e ForeignResults, held map[string]int) []*ranked {
	v := newVocabulary()
	bags := make([][]bag, len(e.Items))
	var size [2]float64
	for i := range e.Items {
		bags[i] = v.itemBags(e.Items[i].Item)
		for k, b := range bags[i] {
			size[k] += float64(b.size)
		}
	}
	sought := make([][]int, len(v.stems)) // by word, its indexes in a.Stems
	for i, s := range a.Stems {
		if begin, ok := strings.CutSuffix(s, "*"); ok {
			for w, stem := range v.stems {
				if strings.HasPrefix(stem, begin) {
					sought[w] = append(sought[w], i)
				}
			}
		} else if w, ok := v.ofStem[s]; ok {
			sought[w] = append(sought[w], i)
		}
	}
	all, sessions := gathered{}, map[string]int64{}
	for i, of := range bags {
		c := all.entry(int64(i))
		for k, b := range of {
			t, average := tables[k], max(size[k]/float64(len(bags)), 1)
			for _, w := range b.counts {
				for _, s := range sought[w.word] {
					score := inverseFrequency(float64(e.Searched), float64(held[a.Stems[s]])) * t.weight * a.Weights[s] *
						termFrequency([postings.Columns]uint32(w.n), t.columns, float64(b.size)/average)
					c.score += score
					c.parts[a.part(s, t)] += score
				}
			}
		}
		if key := e.Items[i].Author + "\x00" + e.Items[i].Session; sessions[key] == 0 {
			sessions[key] = int64(len(sessions) + 1)
		}
	}
	best := all.best(candidates)
	a.r.level(best, a.ts, ofItems)
	out := make([]*ranked, len(best))
	for i, c := range best {
		it := &e.Items[c.id]
		out[i] = &ranked{candidate: c, table: items, session: sessions[it.Author+"\x00"+it.Session],
			n: int64(it.First().N), item: it.Item.Item, overtaken: it.Overtaken,
			here: it.Project == a.r.q.Here && a.r.q.Project == ""}
	}
	return out
}

func (a *Asking) part(stem int, of table) int {
	if stem >= a.Own {
		return byLexicon
	}
	return of.part
}
