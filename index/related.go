package index

import (
	"slices"
	"strings"

	"recall/index/embed"
	"recall/index/rank"
	"recall/index/words"
)

// other is a phrase that the lexicon knows for one of the question's.
type other struct {
	match string
	df    counts // a guess, if it isn't a common word
}

// UseLexicon adds a lexicon of one's own to the shipped one. Not to be called
// while searches run.
func (x *Index) UseLexicon(own embed.Groups) { x.own = own }

// others lists the lexicon's phrases for the question's, the rarest first.
// Words of the question itself are left out; a phrase whose small words leave
// a single word isn't one any more ("set up" is not "set").
func (r *reader) others(ts []term) []other {
	if r.q.Without&Lexicon != 0 {
		return nil
	}
	seen := map[string]bool{}
	for _, t := range ts {
		seen[t.stem] = true
	}
	var out []other
	for _, phrase := range embed.Related(clipText(r.q.Text, longest), r.own) {
		w, cut := content(phrase)
		key := stemmed(w)
		if len(w) == 0 || len(w) == 1 && cut || seen[key] {
			continue
		}
		seen[key] = true
		o := other{match: `"` + strings.Join(w, " ") + `"`}
		if len(w) == 1 {
			o.df, _ = r.common.counts(key)
		}
		out = append(out, o)
	}
	return out
}

// kin lists the lexicon's phrases for each of the question's terms.
func (r *reader) kin(ts []term) []rank.Kin {
	if r.q.Without&Lexicon != 0 {
		return nil
	}
	place := map[string]int{}
	for i, t := range ts {
		place[t.stem] = i
	}
	var out []rank.Kin
	for _, m := range embed.Mentions(clipText(r.q.Text, longest), r.own) {
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
	return out
}

// related is the rarest of the lexicon's phrases as an FTS5 query, as many as
// the table's rows allow.
func related(list []other, k, docs int) string {
	guess := uncommon(docs)
	slices.SortStableFunc(list, func(a, b other) int { return a.df[k] - b.df[k] })
	var parts []string
	rows := 0
	for _, o := range list {
		if rows += max(o.df[k], guess); rows > tables[k].relatedRows || len(parts) == relatedMost {
			break
		}
		parts = append(parts, o.match)
	}
	return strings.Join(parts, " OR ")
}

const relatedMost = 120 // phrases; a usual question has forty

func content(phrase string) (w []string, cut bool) {
	words.Each(phrase, func(s string) bool {
		if words.Stop(s) {
			cut = true
		} else {
			w = append(w, s)
		}
		return true
	})
	return w, cut
}

func stemmed(w []string) string { return strings.Join(stems(w), " ") }

func stems(w []string) []string {
	out := make([]string, len(w))
	for i, s := range w {
		out[i] = words.Stem(s)
	}
	return out
}
