package index

import (
	"slices"

	"recall/index/embed"
	"recall/index/rank"
	"recall/internal/text"
)

// UseLexicon adds a user's lexicon to the shipped one. It must not be called while searches run.
func (x *Index) UseLexicon(own embed.Groups) { x.own = own }

// others lists the stems of the lexicon's words for the question's, without words of the question itself. A
// phrase that is a single word only without its small words doesn't count ("set up" is not "set").
func (r *reader) others(ts []term) []string {
	if r.q.Exact {
		return nil
	}
	seen := map[string]bool{}
	for _, t := range ts {
		seen[t.stem] = true
	}
	var out []string
	for _, m := range embed.Mentions(text.HeadMarked(r.q.Text, maxQuestion), r.own) {
		for _, phrase := range m.Others {
			if w, cut := content(phrase); len(w) == 1 && !cut && !seen[termOf(w[0])] {
				seen[termOf(w[0])] = true
				out = append(out, termOf(w[0]))
			}
		}
	}
	return out
}

// kin lists the lexicon's phrases for each of the question's terms, and the question's concepts with small
// words included.
func (r *reader) kin(ts []term) (out []rank.Kin, concepts []rank.Concept) {
	if r.q.Exact {
		return nil, nil
	}
	place := map[string]int{}
	for i, t := range ts {
		place[t.stem] = i
	}
	for _, m := range embed.Mentions(text.HeadMarked(r.q.Text, maxQuestion), r.own) {
		concept := rank.Concept{Own: m.Stems}
		for _, phrase := range m.Others {
			concept.Others = append(concept.Others, stems(text.Split(phrase)))
		}
		concepts = append(concepts, concept)
		for _, stem := range m.Stems {
			i, ok := place[stem]
			if !ok {
				continue
			}
			for _, phrase := range m.Others {
				w, cut := content(phrase)
				if len(w) > 1 || len(w) == 1 && !cut {
					out = append(out, rank.Kin{Term: i, Stems: stems(w)})
				}
			}
		}
	}
	return out, concepts
}

// related returns the rarest of the lexicon's words, as many as the table's row limit allows. Phrases of
// several words aren't searched for: the index has no word positions, and documents that merely contain all the
// words do harm (hit@1 of perfect items with aliases 0.62 and 0.70 with them, 0.64 and 0.73 without). The
// second look uses them.
func (r *reader) related(list []string, k int) []string {
	type counted struct {
		stem string
		docs int
	}
	var found []counted
	for _, s := range list {
		if n := r.listedDocs(s, k); n > 0 {
			found = append(found, counted{s, n})
		}
	}
	slices.SortStableFunc(found, func(a, b counted) int { return a.docs - b.docs })
	var out []string
	rows := 0
	for _, w := range found {
		if rows += w.docs; rows > tables[k].relatedRows || len(out) == maxRelated {
			break
		}
		out = append(out, w.stem)
	}
	return out
}

const maxRelated = 120 // words; a typical question has thirty

func content(phrase string) (w []string, cut bool) {
	text.Each(phrase, func(s string) bool {
		if text.Stop(s) {
			cut = true
		} else {
			w = append(w, s)
		}
		return true
	})
	return w, cut
}

func stems(w []string) []string {
	out := make([]string, len(w))
	for i, s := range w {
		out[i] = text.Stem(s)
	}
	return out
}
