package index

import (
	"recall/index/embed"
	"recall/index/rank"
	"recall/internal/text"
)

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
	for _, m := range embed.Mentions(text.HeadMarked(r.q.Text, maxQuestion)) {
		for _, phrase := range m.Others {
			if w, cut := content(phrase); len(w) == 1 && !cut && !seen[termOf(w[0])] {
				seen[termOf(w[0])] = true
				out = append(out, termOf(w[0]))
			}
		}
	}
	return out
}

// kin lists the lexicon's phrases for each of the question's terms.
func (r *reader) kin(ts []term) (out []rank.Kin) {
	if r.q.Exact {
		return nil
	}
	place := map[string]int{}
	for i, t := range ts {
		place[t.stem] = i
	}
	for _, m := range embed.Mentions(text.HeadMarked(r.q.Text, maxQuestion)) {
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
