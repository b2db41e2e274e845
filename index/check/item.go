package check

import (
	"slices"
	"strings"

	"recall/payload"
	"recall/text"
)

// A claim is what an item says of one thing: against it or for it.
type claim struct {
	against bool
	listed  bool   // an option that lost, not cut out of a sentence
	hands   bool   // the thing is not to be touched; it may well be had
	words   []word // the thing
	place   []word // what it is said of: "for the session cache"
}

// A reading is an item as far as it can be gone against.
type reading struct {
	kind   payload.Kind
	claims []claim
	text   []word // of its sentence, small words too
	all    []word // all that it says, words of content
	names  []word // what it is bound to
	chosen []word // what it took
	given  bool   // it says itself what it is bound to
}

// Words that turn what follows them round, or set it against another option.
var (
	against = text.Set("not never no without avoid don't cannot can't nor neither drop stop ban reject remove over")
	keeping = text.Set("keep keeps stay stays stick leave only")
	places  = text.Set("for against in on at around inside within into across between under per behind to from of")
	reasons = text.Set("because since so otherwise until when while during if unless before after as")
	verdict = text.Set(`didn't doesn't don't isn't wasn't made makes failed fails was were is are won't can't
		cannot broke breaks did does ruled had has drops dropped`)
	handling = text.Set("edit touch change regenerate modify rewrite rename move delete hand-edit alter reformat")
	// empty are verbs that say no more than that a thing is had.
	empty = text.Set(`use uses used using add adding introduce adopt switch go goes going with run running put
		call have having make making try trying tried set setting do doing want need new another any more via
		through by of just keep stay`)
)

func readItem(it *payload.Item) *reading {
	// A question and its answer, on record: what was asked is what the answer is bound to.
	asked, answer, ok := strings.Cut(withoutRemark(it.Text), " → ")
	if !ok {
		asked, answer = "", asked
	}
	r := &reading{kind: it.Kind, text: cut(answer)}
	scope := content(cut(it.Scope))
	for _, a := range it.Alternatives {
		c := claimOf(cut(a), true)
		c.listed, c.place = true, append(c.place, scope...)
		r.add(c)
	}
	for _, a := range it.About {
		r.names = append(r.names, content(cut(a))...)
	}
	if it.Kind == payload.Eliminated {
		r.add(claimOf(withoutVerdict(r.text), true))
	} else {
		r.sides(r.text)
	}
	r.given = len(besides(r.names, r.chosen)) > 0
	if !r.given { // not every item says what it is about: what its claims are said of does, else what they are of
		for _, c := range r.claims {
			r.names = append(r.names, named(c.place)...)
		}
		if len(r.names) == 0 {
			r.names = named(cut(asked))
		}
		for _, c := range r.claims {
			if len(r.names) == 0 || c.against {
				r.names = append(r.names, named(c.words)...)
			}
		}
	}
	r.all = slices.Concat(content(r.text), content(cut(asked)), r.names)
	for _, s := range append([]string{it.Why, it.Scope}, it.Alternatives...) {
		r.all = append(r.all, content(cut(s))...)
	}
	return r
}

func (r *reading) add(c claim) {
	if len(c.words) > 0 {
		r.claims = append(r.claims, c)
	}
}

// sides cuts a sentence where it turns: "SQLite, not Postgres".
func (r *reading) sides(text []word) {
	from, no, hands := 0, false, false
	var place []word
	flush := func(to int) {
		c := claimOf(text[from:to], no)
		c.hands = hands
		if !no {
			r.chosen, place = append(r.chosen, c.words...), c.place
		} else if len(c.place) == 0 { // "SQLite for the index, not Postgres": for the index
			c.place = place
		}
		r.add(c)
		from, hands = to, false
	}
	for i := 0; i < len(text); i++ {
		w := text[i]
		switch n := turnAt(text, i); {
		case n > 0:
			flush(i)
			no, from = true, i+n
			hands = from < len(text) && handling[text[from].text]
			i += n - 1
		case keeping[w.text]:
			flush(i)
			no = w.text == "leave" && len(text) > i+2
			hands = no
		case i > from && (reasons[w.text] || text[i-1].ends == '—'):
			flush(i)
			return
		case i > from && text[i-1].ends != ' ' && !(no && (w.text == "or" || w.text == "nor")):
			flush(i)
			no = false
		}
	}
	flush(len(text))
}

// turnAt is how many words at a place set what follows against the rest, 0 for none.
func turnAt(text []word, i int) int {
	two := ""
	if i+1 < len(text) {
		two = text[i].text + " " + text[i+1].text
	}
	switch {
	case two == "instead of" || two == "rather than" || two == "do not" || two == "must not" || two == "no more":
		return 2
	case text[i].text == "over":
		if i > 1 && !places[text[i-1].text] && text[i-1].name {
			return 1
		}
		return 0
	case against[text[i].text]:
		return 1
	}
	return 0
}

// claimOf cuts a phrase into the thing and what it is said of.
func claimOf(text []word, no bool) claim {
	c := claim{against: no}
	there := false
	for i, w := range text {
		switch {
		case i > 0 && causing[w.text] && len(c.words) > 0: // what is seen stands before what was thought to be behind it
			c.place, c.words, there = append(c.place, c.words...), nil, false
		case i > 0 && reasons[w.text] && len(c.words) > 0:
			return c
		case places[w.text] && len(c.words) > 0:
			there = true
		case w.stem == "" || i < 3 && empty[w.text]:
		case there:
			c.place = append(c.place, w)
		default:
			c.words = append(c.words, w)
		}
		if w.ends == '—' && len(c.words) > 0 {
			return c
		}
	}
	return c
}

var causing = text.Set("caused causes causing cause comes come came blamed due")

// withoutVerdict is a dead end without what came of it: "X made it worse", "no X, forget it".
func withoutVerdict(text []word) []word {
	for len(text) > 1 && text[0].ends == ' ' && (against[text[0].text] || trying[text[0].text]) {
		text = text[1:]
	}
	for i := 1; i < len(text); i++ {
		w, before := text[i], text[i-1].ends
		aside := before == ',' && (w.text == "forget" || w.stem == "")
		if aside || before == '—' || before == ':' || before == '.' || i > 1 && verdict[w.text] {
			return text[:i]
		}
	}
	return text
}

var trying = text.Set("try tried trying")

// withoutRemark is a sentence without its reason and a remark in brackets at its end.
func withoutRemark(s string) string {
	s, _, _ = strings.Cut(s, ", because ")
	if i := strings.LastIndex(s, " ("); i > 0 && strings.HasSuffix(strings.TrimRight(s, ". "), ")") {
		return s[:i]
	}
	return s
}
