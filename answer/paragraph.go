package answer

import (
	"fmt"
	"slices"
	"strings"

	"recall/answer/compose"
	"recall/index"
	"recall/index/rank"
	"recall/payload"
)

// Paragraph is an answer in one paragraph.
type Paragraph struct {
	By        string             `json:"by"` // model, rules
	Sentences []compose.Sentence `json:"sentences"`

	sources map[payload.ItemID]index.Placed
}

// Who words a paragraph.
const (
	ByModel = "model"
	ByRules = "rules"
)

// paragraphOf is what a model said of results, or else what is put together by rules;
// nil if that is nothing.
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

// Cited is the text of a paragraph, each sentence with the numbers of its sources, and
// the sources in that order.
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

// sourcesOf are the items and passages that a paragraph may cite, these by their turn's id.
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

// checked leaves out what cites nothing that was found.
func checked(sentences []compose.Sentence, sources map[payload.ItemID]index.Placed) []compose.Sentence {
	unknown := func(id payload.ItemID) bool { return sources[id].Item.Kind == "" }
	return slices.DeleteFunc(slices.Clone(sentences), func(s compose.Sentence) bool {
		return len(s.Items) == 0 || strings.TrimSpace(s.Text) == "" || slices.ContainsFunc(s.Items, unknown)
	})
}

// told are the kinds that a paragraph continues after its first item, and
// toldMost how many items it has.
var told = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred,
	payload.Question, payload.Flag}

const toldMost = 3

// PastShown is how much of an item's history an answer shows; recall why shows all
// of it.
const PastShown = 3

// byRules says in sentences what was found: the first item with its reason and
// history, and what else was decided.
func byRules(results []*Result) []compose.Sentence {
	var out []compose.Sentence
	say := func(id payload.ItemID, format string, args ...any) {
		out = append(out, compose.Sentence{Text: fmt.Sprintf(format, args...), Items: []payload.ItemID{id}})
	}
	v, n, first := Voice{}, 0, 0.0
	for _, r := range results {
		it := WithReason(r.Placed().Item)
		if n == toldMost || n > 0 && !slices.Contains(told, it.Kind) {
			continue
		}
		if n == 0 {
			first = r.speaksFor()
		} else if r.speaksFor() < besideFirst*first {
			continue // a result may be far off; a sentence beside the first would say it were not
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

// besideFirst is how much of the question an item must hold to be told beside the
// first one, as a share of what that holds.
const (
	besideFirst   = 0.5
	kindredCounts = 0.3 // as the lexicon does in the first pass
)

// longestSaid is how much of a passage a paragraph quotes.
const longestSaid = 300

// speaksFor is how much of the question stands in an item, in its own words or others.
func (r *Result) speaksFor() float64 {
	return max(r.Look[rank.All], r.Look[rank.Alias], r.Look[rank.PassageAll]) + kindredCounts*r.Look.Kindred()
}

// stated is an item as a sentence that says what kind of thing it is.
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
		form = "Put off: %s, on %s."
	case it.Kind == payload.Question:
		form = "Still open: %s, asked on %s."
	case it.Path != "":
		text = it.Path + ": " + text
	}
	return fmt.Sprintf(form, v.stop(text), Day(it.At))
}
