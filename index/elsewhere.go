package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
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
	a.r.q.Here, a.r.q.Project = q.Here, ""
	for _, o := range a.ranked(*e) {
		twice := slices.ContainsFunc(own, func(mine *ranked) bool {
			return mine.table == items && mine.item.ID == o.item.ID
		})
		early, late := o.item.At.Before(q.Since), !q.Until.IsZero() && !o.item.At.Before(q.Until)
		if !twice && !early && !late && len(out) < candidates/2 {
			o.session, o.from = -o.session, &e.Items[o.id].Place // negative, since row ids are positive
			out = append(out, o)
		}
	}
	return out
}

// weigh sets how common the question's words are there.
func (a *Asking) weigh(e ForeignResults) {
	for _, ts := range [][]term{a.ts, a.also} {
		for i := range ts {
			n := e.docsWith(ts[i].word)
			ts[i].df = n
			ts[i].idf = math.Log(1 + (max(float64(e.Searched-n), 0)+0.5)/(float64(n)+0.5))
		}
	}
}

// Ask prepares a question for another store.
func Ask(q Query) *Asking {
	if q.Limit <= 0 {
		q.Limit = shown
	}
	a := &Asking{r: &reader{q: q}}
	a.ts, a.also = dropFraming(q.Text, terms(q.Text)), terms(strings.Join(q.Also, " "))
	a.add(lookupForms(a.ts), 1)
	a.add(lookupForms(a.also), alsoWeight)
	a.Own = len(a.Stems)
	others := a.r.others(a.ts)
	a.add(others[:min(len(others), maxRelated)], relatedWeight)
	return a
}

const maxRelated = 120 // words; a typical question has thirty

func (a *Asking) add(stems []string, weight float64) {
	for _, s := range stems {
		if !slices.Contains(a.Stems, s) {
			a.Stems, a.Weights = append(a.Stems, s), append(a.Weights, weight)
		}
	}
}

// StemsOf returns the distinct stems by which an item is found, in the form of Asking.Stems.
func StemsOf(it Item) []string {
	s := stemmer{map[string]string{}}
	all := s.cut(s.item(it), turnSearched, it.Context)
	for _, stem := range all {
		if r, _ := utf8.DecodeRuneInString(stem); isSingleCJK(string(r)) {
			all = append(all, termOf(string(r)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Rank answers the question from what was found.
func (a *Asking) Rank(e ForeignResults) (out Answer) {
	e.Asked = a
	list := a.ranked(e)
	scale(list)
	preferLater(list, a.r.asked)
	for _, o := range list[:min(len(list), a.r.q.Limit)] {
		out.Ranked = append(out.Ranked, resultOf(o, e.Items[o.id].Place))
	}
	out.SearchedItems = e.Searched
	a.r.size = e.Searched
	a.r.judge(&out, a.ts)
	return out
}

// BM25 parameters as in SQLite's FTS5.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// ranked ranks what was found, best first, as the index's own items are. Of their exchanges nothing is known.
func (a *Asking) ranked(e ForeignResults) []*ranked {
	a.weigh(e)
	a.r.ask(a.ts)
	size := 0.0
	bags := make([][]string, len(e.Items))
	s := stemmer{map[string]string{}}
	for i := range e.Items {
		bags[i] = s.item(e.Items[i].Item)
		size += float64(len(bags[i])) / float64(len(e.Items))
	}
	var out []*ranked
	sessions := map[string]int64{}
	for i, words := range bags {
		it := &e.Items[i]
		key := it.Author + "\x00" + it.Session
		if sessions[key] == 0 {
			sessions[key] = int64(len(sessions) + 1)
		}
		o := &ranked{id: int64(i), table: items, session: sessions[key], x: int64(i + 1), n: int64(it.First().N),
			item: it.Item.Item, project: it.Project}
		for k, stem := range a.Stems {
			begin, prefix := strings.CutSuffix(stem, "*")
			times := 0.0
			for _, w := range words {
				if w == stem || prefix && strings.HasPrefix(w, begin) {
					times++
				}
			}
			if times == 0 || k >= len(e.Holding) {
				continue
			}
			n := float64(e.Holding[k])
			idf := max(math.Log((float64(e.Searched)-n+0.5)/(n+0.5)), 1e-6)
			o.held.score += a.Weights[k] * idf * times * (bm25K + 1) /
				(times + bm25K*(1-bm25B+bm25B*float64(len(words))/max(size, 1)))
			if k < len(a.ts) && k < 64 {
				o.held.words |= 1 << k
			}
		}
		if o.held.score *= 2; o.held.score > 0 { // it stands for its exchange, which isn't known
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(x, y *ranked) int { return cmp.Compare(y.held.score, x.held.score) })
	out = out[:min(len(out), candidates)]
	a.r.blend(out, a.ts)
	arrange(out)
	return out
}
