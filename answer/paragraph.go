package answer

import (
	"fmt"
	"slices"
	"strings"

	"recall/answer/compose"
	"recall/index"
	"recall/payload"
)

// Paragraph is an answer in one paragraph, by a model.
type Paragraph struct {
	Sentences []compose.Sentence `json:"sentences"`

	sources map[payload.ItemID]index.Placed
}

// paragraphOf returns what a model said of results, nil if that is nothing.
func paragraphOf(said []compose.Sentence, results []*Result) *Paragraph {
	p := &Paragraph{sources: sourcesOf(results)}
	if p.Sentences = checked(said, p.sources); len(p.Sentences) == 0 {
		return nil
	}
	return p
}

// Cited returns the text of a paragraph, each sentence with the numbers of its sources, and the sources in that
// order.
func (p *Paragraph) Cited() (text string, sources []index.Placed) {
	number := map[payload.ItemID]int{}
	var b strings.Builder
	for _, s := range p.Sentences {
		b.WriteString(s.Text)
		for _, id := range s.Items {
			if number[id] == 0 {
				sources = append(sources, p.sources[id])
				number[id] = len(sources)
			}
			fmt.Fprintf(&b, " [%d]", number[id])
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(Voice{}.line(b.String())), sources
}

// sourcesOf returns the items and passages that a paragraph may cite, passages by their turn's id.
func sourcesOf(results []*Result) map[payload.ItemID]index.Placed {
	sources := map[payload.ItemID]index.Placed{}
	for _, r := range results {
		sources[r.cited()] = r.Placed()
		for _, l := range slices.Concat(r.History, r.Conflict) {
			sources[l.Item.ID] = l.Placed
		}
	}
	return sources
}

func (r *Result) cited() payload.ItemID {
	if r.Item == nil {
		return payload.ItemID(r.TurnID)
	}
	return r.Item.ID
}

// checked removes sentences that cite something other than what was found.
func checked(sentences []compose.Sentence, sources map[payload.ItemID]index.Placed) []compose.Sentence {
	unknown := func(id payload.ItemID) bool { return sources[id].Item.Kind == "" }
	return slices.DeleteFunc(slices.Clone(sentences), func(s compose.Sentence) bool {
		return len(s.Items) == 0 || strings.TrimSpace(s.Text) == "" || slices.ContainsFunc(s.Items, unknown)
	})
}

// PastShown is how many items of an item's history an answer shows; recall why shows all of them.
const PastShown = 3
