package check

import (
	"slices"
	"strings"

	"recall/ingest/trace"
	"recall/payload"
)

// claim is what an item says for or against one thing.
type claim struct {
	against bool
	listed  bool   // from the item's alternatives, not cut out of a sentence
	words   []word // the thing
	place   []word // where that holds: "for the session cache"
}

// reading is an item, parsed for what an action can go against.
type reading struct {
	kind      payload.Kind
	claims    []claim
	text      []word   // of its sentence, stop words included
	all       []word   // all its content words
	names     []word   // what it is about
	chosen    []word   // what it chose
	bound     bool     // it says itself what it is about
	untouched []string // files and folders to leave alone
}

var (
	against, places, reasons = lists["against"], lists["places"], lists["reasons"]
	causes, handling, empty  = lists["causes"], lists["handling"], lists["empty"]
)

func readItem(it *payload.Item) *reading {
	said := it.Text
	if _, answer, ok := strings.Cut(said, " → "); ok { // a question and its answer, on record
		said = answer
	}
	r := &reading{kind: it.Kind, text: cut(said)}
	if it.Kind == payload.File && it.Status == payload.FileOffLimits {
		r.untouched = append(r.untouched, it.Path)
	}
	for _, a := range it.Alternatives {
		r.claim(cut(a), true, true)
	}
	for _, a := range it.About {
		r.names = append(r.names, content(cut(a))...)
	}
	if it.Kind == payload.Eliminated {
		r.claim(r.text, true, false)
	} else {
		r.sides(r.text)
	}
	if r.bound = len(excluding(r.names, r.chosen)) > 0; !r.bound { // not every item says what it is about
		for _, c := range r.claims {
			r.names = append(r.names, named(c.place)...)
		}
		for _, c := range r.claims {
			if len(r.names) == 0 || c.against {
				r.names = append(r.names, named(c.words)...)
			}
		}
	}
	r.all = slices.Clone(r.names)
	for _, s := range append([]string{it.Text, it.Why, it.Scope}, it.Alternatives...) {
		r.all = append(r.all, content(cut(s))...)
	}
	return r
}

// claim records what a phrase says about a thing.
func (r *reading) claim(phrase []word, against, listed bool) {
	c := claim{against: against, listed: listed}
	c.words, c.place = splitPlace(phrase)
	if len(c.words) > 0 {
		r.claims = append(r.claims, c)
		if !against {
			r.chosen = append(r.chosen, c.words...)
		}
	}
}

// sides splits a sentence where it turns: "SQLite, not Postgres".
func (r *reading) sides(text []word) {
	from, no := 0, false
	flush := func(to int) {
		if no && handling[text[min(from, len(text)-1)].text] {
			for _, w := range text[from:to] {
				if strings.ContainsAny(w.text, `/\`) || trace.LooksLikePath(w.text) {
					r.untouched = append(r.untouched, w.text)
				}
			}
		}
		n := len(r.claims)
		if words, _ := splitPlace(text[from:to]); no && n > 0 && len(words) == 0 { // "Postgres is not used"
			r.claims[n-1].against = true
			r.chosen = excluding(r.chosen, r.claims[n-1].words)
		}
		r.claim(text[from:to], no, false)
		from = to
	}
	for i := 0; i < len(text); i++ {
		w := text[i]
		joined := no && (w.text == "or" || w.text == "nor")
		switch n := turnAt(text, i); {
		case n > 0:
			flush(i)
			no, from = true, i+n
			i += n - 1
		case w.text == "leave" && len(text) > i+2:
			flush(i)
			no = true
		case i > from && (reasons[w.text] || text[i-1].ends == '—'):
			flush(i)
			return
		case i > from && text[i-1].ends != ' ' && !joined:
			flush(i)
			no = false
		}
	}
	flush(len(text))
}

// turnAt returns how many words at a place set what follows against the rest, 0 for none.
func turnAt(text []word, i int) int {
	w, next := text[i].text, ""
	if i+1 < len(text) {
		next = text[i+1].text
	}
	switch w + " " + next {
	case "instead of", "rather than", "do not", "must not", "no more":
		return 2
	}
	if against[w] && (w != "over" || i > 1 && text[i-1].name) {
		return 1
	}
	return 0
}

// splitPlace splits a phrase into what it is about and where that holds.
func splitPlace(phrase []word) (words, place []word) {
	there := false
	for i, w := range phrase {
		switch {
		case len(words) > 0 && causes[w.text]: // the symptom comes before its supposed cause
			place, words, there = append(place, words...), nil, false
		case len(words) > 0 && reasons[w.text]:
			return words, place
		case len(words) > 0 && places[w.text]:
			there = true
		case len(w.parts) == 0 || i < 3 && empty[w.text]:
		case there:
			place = append(place, w)
		default:
			words = append(words, w)
		}
		if w.ends == '—' && len(words) > 0 {
			return words, place
		}
	}
	return words, place
}
