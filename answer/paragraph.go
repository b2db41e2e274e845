package answer

import (
	"fmt"
	"slices"
	"strings"

	"recall/answer/compose"
	"recall/index"
	"recall/payload"
)

// Paragraph is an answer in one paragraph.
type Paragraph struct {
	By        string             `json:"by"` // model or rules
	Sentences []compose.Sentence `json:"sentences"`

	sources map[payload.ItemID]index.Placed
}

// Who worded a paragraph.
const (
	ByModel = "model"
	ByRules = "rules"
)

// paragraphOf returns what a model said of results, or else what rules put together; nil if that is nothing.
func paragraphOf(said []compose.Sentence, results []*Result) *Paragraph {
	p := &Paragraph{By: ByModel, sources: sourcesOf(results)}
	if p.Sentences = checked(said, p.sources); len(p.Sentences) == 0 {
		p.By, p.Sentences = ByRules, checked(byRules(results), p.sources)
	}
	if len(p.Sentences) == 0 {
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

// told are the kinds with which a paragraph may continue after its first item; maxTold is how many items it has.
var told = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred,
	payload.Question, payload.Flag}

const maxTold = 3

// PastShown is how many items of an item's history an answer shows; recall why shows all of them.
const PastShown = 3

// byRules words the results as sentences: the first item with its reason and history, then what else was decided.
func byRules(results []*Result) []compose.Sentence {
	var out []compose.Sentence
	say := func(id payload.ItemID, format string, args ...any) {
		out = append(out, compose.Sentence{Text: fmt.Sprintf(format, args...), Items: []payload.ItemID{id}})
	}
	v, n, first := Voice{}, 0, 0.0
	for _, r := range results {
		it := WithReason(r.Placed().Item)
		if n == maxTold || n > 0 && !slices.Contains(told, it.Kind) {
			continue
		}
		if n == 0 {
			first = r.relevance()
		} else if r.relevance() < minBesideFirst*first {
			continue // too far off: placing it beside the first would suggest otherwise
		}
		n++
		say(r.cited(), "%s", stated(it))
		if it.Why != "" && n == 1 {
			say(r.cited(), "The reason: %s.", v.stop(it.Why))
		}
		for _, l := range r.Conflict {
			say(l.Item.ID, "That contradicts what was said on %s: %s.", Day(l.Item.At), v.stop(l.Item.Text))
		}
		for _, l := range r.History[:min(PastShown, len(r.History))] {
			say(l.Item.ID, "Before, since %s, it was: %s.", Day(l.Item.At), v.stop(l.Item.Text))
		}
	}
	return out
}

// minBesideFirst is how much of the question an item must cover, as a share of what the first one covers, to be
// told beside it.
const (
	minBesideFirst = 0.5
	kindredWeight  = 0.3 // the lexicon's weight in the first pass
)

// longestSaid is how many characters of a passage a paragraph quotes.
const longestSaid = 300

// relevance is how much of the question an item covers, in its own words or others.
func (r *Result) relevance() float64 {
	return r.Coverage + kindredWeight*r.Kindred
}

// stated returns an item as a sentence that shows its kind.
func stated(it payload.Item) string {
	v := Voice{}
	text, form := it.Text, "%s (%s)."
	switch {
	case !it.Current():
		return fmt.Sprintf(form, v.stop(text), State(it))
	case it.Kind == payload.Lead:
		return fmt.Sprintf("On %s %s said: “%s”", Day(it.At), v.speaker(it),
			v.clipped(text, longestSaid))
	case it.Kind == payload.Decision:
		form = "%s, decided on %s."
	case it.Kind == payload.Eliminated && payload.SaysNo(text):
		form = "%s (ruled out on %s)."
	case it.Kind == payload.Eliminated:
		form, text = "Ruled out: %s, on %s.", payload.RuledOutThing(text)
	case it.Kind == payload.Finding:
		form = "%s (found on %s)."
	case it.Kind == payload.Deferred:
		form = "Deferred: %s, on %s."
	case it.Kind == payload.Question:
		form = "Still open: %s, asked on %s."
	case it.Path != "":
		text = it.Path + ": " + text
	}
	return fmt.Sprintf(form, v.stop(text), Day(it.At))
}
