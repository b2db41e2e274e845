package check

import (
	"slices"
	"strings"

	"recall/payload"
)

// A claim is what an item says about one thing: against it or for it.
type claim struct {
	against  bool
	words    []word // the thing, words of content
	place    []word // what it is said of: "for the session cache"; none if of everything
	explicit bool   // said in so many words: never, not, instead of, keep
	chosen   []word // of a claim for something: what was taken, without what it was taken for
	verb     word   // what isn't to be done: "don't cache …"; none if it says no more than that a thing is had
	needs    []word // whose claim it is: "the checkout must never call …"
	kept     bool   // it says where something is kept: "attachments are stored in S3"
	hands    bool   // it is about touching it, not about having it: "don't edit gen/"
}

// reading is an item as far as it can be gone against.
type reading struct {
	claims []claim
	all    []word // all that the item says, its names too
	names  []word // what it is bound to
	chosen []word // what it took: the other side of what it is against
	except []word // where it doesn't hold: "REST only at the edge"
	envs   []string
	shown  bool   // it is about how something is shown
	stored bool   // it is about how something is stored
	given  bool   // it says itself what it is bound to
	title  []word // its session's title: what it was about then
	tail   []word // what a dead end says behind its verdict: why, not what
}

// Marks by which a person sets one option against another, and how many words
// each is.
var marks = []struct {
	words   []string
	against bool
}{
	{[]string{"instead", "of"}, true}, {[]string{"rather", "than"}, true}, {[]string{"in", "place", "of"}, true},
	{[]string{"not"}, true}, {[]string{"over"}, true}, {[]string{"in", "favor", "of"}, false}, {[]string{"in", "favour", "of"}, false},
	{[]string{"without"}, true}, {[]string{"never"}, true}, {[]string{"no"}, true}, {[]string{"avoid"}, true},
	{[]string{"don't"}, true}, {[]string{"do", "not"}, true}, {[]string{"must", "not"}, true}, {[]string{"no", "more"}, true}, {[]string{"decided", "against"}, true},
	{[]string{"keep"}, false}, {[]string{"stay", "with"}, false}, {[]string{"stick", "with"}, false}, {[]string{"stick", "to"}, false}, {[]string{"leave"}, false},
	{[]string{"drop"}, true}, {[]string{"remove"}, true}, {[]string{"stop"}, true}, {[]string{"ban"}, true}, {[]string{"reject"}, true},
}

// places begin what a thing is said of.
var places = set("for against in on at around inside within into across between under per behind alongside")

// conditions begin when a thing holds: it is bound to nothing by them.
var conditions = set("until when while during if unless before after")

// reasons begin why: nothing behind them is claimed.
var reasons = set("because since so due otherwise")

// handling are verbs of touching something.
var handling = set("edit touch change regenerate modify rewrite rename move delete hand-edit alter reformat")

// fillers are verbs that say that a thing is had, and small words around it.
var fillers = set("want wants need use using used add adding introduce adopt switch go going with run running put store write call have having take build make making try trying setting doing writing sending storing keeping putting set up any more anymore new another extra via through by of just only")

// purposes begin what a thing was meant to bring about: "to get rid of".
var purposes = set("get stop avoid fix prevent reduce make save speed keep help cut hide mask find detect catch solve improve limit")

func readItem(it *payload.Item) reading {
	var r reading
	sentence, reason, _ := strings.Cut(it.Text, ", because ") // one that is quoted gives its reason itself
	text := cut(beforeParen(sentence))
	r.all = append(r.all, content(text)...)
	own := r.all
	r.stored = slices.ContainsFunc(text, func(w word) bool { return storing[w.text] })
	r.shown = slices.ContainsFunc(text, func(w word) bool { return showing[w.text] })
	r.except, r.envs = exceptions(text), environments(slices.Concat(text, cut(it.Scope)))
	r.all = append(r.all, content(cut(it.Why+" "+reason))...)
	r.all = append(r.all, content(cut(it.Scope))...)
	scope := content(cut(it.Scope))
	for _, a := range it.Alternatives {
		alt := cut(a)
		c := claimOf(alt, true, scope)
		c.explicit = true
		r.add(c)
		r.all = append(r.all, content(alt)...)
		own = append(own[:len(own):len(own)], content(alt)...)
	}
	for _, a := range it.About {
		r.names = append(r.names, content(cut(a))...)
	}
	r.all, r.given = append(r.all, r.names...), len(r.names) > 0
	switch it.Kind {
	case payload.Eliminated:
		parts := conjoined(it.Text)
		for _, part := range parts {
			text := cut(part)
			what := withoutVerdict(text)
			r.add(claimOf(what, true, scope))
			if len(parts) > 1 { // one of them is bound to nothing by the others
				r.tail = r.all
			}
			for _, w := range content(text) {
				if !has(what, w) {
					r.tail = append(r.tail, w)
				}
			}
		}
	case payload.Decision, payload.Flag:
		r.said(text, scope, it.Kind == payload.Decision)
	}
	if len(r.names) == 0 { // rules don't say what an item is about: its own names do
		for _, w := range own {
			if w.name && w.text != "keep" && w.text != "leave" && !places[w.text] && !fillers[w.text] && !taking[w.text] && !giving[w.text] && !handling[w.text] {
				r.names = append(r.names, w)
			}
		}
	}
	for i := range r.claims {
		if c := &r.claims[i]; !c.against {
			c.chosen = withoutSubject(text, *c)
			r.chosen = append(r.chosen, c.chosen...)
		}
	}
	return r
}

// withoutSubject is what was chosen without what it was chosen for, where the
// sentence says that before its verb: "the feed uses Kafka".
func withoutSubject(text []word, c claim) []word {
	for i, w := range text {
		if i == 0 || i >= 6 || !copulas[w.text] {
			continue
		}
		var out []word
		for _, w := range slices.Concat(c.words, c.place) {
			if !has(content(text[:i]), w) {
				out = append(out, w)
			}
		}
		return out
	}
	return c.words
}

var copulas = set("is are was were stays stay uses goes runs run gets comes ships needs has go live lives remain remains become becomes must should will keeps belongs")

func (r *reading) add(c claim) {
	if len(c.words) > 0 {
		r.claims = append(r.claims, c)
	}
}

// said reads a sentence for what it is for and what it is against.
func (r *reading) said(text, scope []word, chosen bool) {
	var start int
	against, explicit := false, false
	var needs []word
	flush := func(end int) {
		if end > start && (explicit || chosen) {
			c := claimOf(text[start:end], against, scope)
			c.explicit, c.needs = explicit, needs
			if w := text[start]; explicit && against && verb(w.text) && !fillers[w.text] && end > start+1 {
				c.verb = w
			}
			if !(c.hands && !c.against) {
				r.add(c)
			}
		}
	}
	for i := 0; i < len(text); {
		n, neg := markAt(text, i)
		if n > 0 && text[i].text == "leave" && alone(text[i+n:]) { // "leave modules/vpn alone": don't touch it
			flush(i)
			c := claimOf(text[i+n:], true, scope)
			c.explicit, c.hands = true, true
			r.add(c)
			return
		}
		if n > 0 {
			flush(i)
			needs = nil
			if w := text[i+n-1].text; neg && start == 0 && (w == "never" || w == "don't" || n > 1 && w == "not") {
				needs = content(text[:i])
			}
			start, against, explicit = i+n, neg, true
			i += n
			continue
		}
		if reasons[text[i].text] && i > start {
			flush(i)
			return
		}
		if e := text[i].ends; (e == '.' || e == ':' || e == '—' || e == ',') && i+1 < len(text) {
			flush(i + 1)
			start = i + 1
			if e != ',' {
				if e == '—' { // what follows a dash is why
					return
				}
				against, explicit, needs = false, false, nil
			} else if against {
				if next := text[i+1].text; next != "nor" && next != "or" {
					chosen = false // what follows explains
					against, explicit = false, false
				}
			}
		}
		i++
	}
	flush(len(text))
}

// alone says whether something is to be left as it is.
func alone(text []word) bool {
	return slices.ContainsFunc(text, func(w word) bool { return w.text == "alone" || w.text == "untouched" || w.text == "as-is" })
}

func markAt(text []word, i int) (n int, against bool) {
	for _, m := range marks {
		if len(m.words) <= n || i+len(m.words) > len(text) {
			continue
		}
		fits := true
		for k, w := range m.words {
			fits = fits && text[i+k].text == w
		}
		if fits && !(m.words[0] == "over" && !preferred(text[:i])) {
			n, against = len(m.words), m.against
		}
	}
	return n, against
}

// preferred says whether an "over" means "rather than".
func preferred(before []word) bool {
	for _, w := range before {
		switch w.text {
		case "prefer", "choose", "chose", "chosen", "pick", "picked", "go", "use", "take":
			return true
		}
	}
	return false
}

// claimOf cuts a phrase into the thing and what it is said of.
func claimOf(text []word, against bool, scope []word) claim {
	c := claim{against: against, place: scope}
	inPlace := false
	for i, w := range text {
		switch {
		case reasons[w.text] && i > 0, i > 1 && w.text == "to" && i+1 < len(text) && purposes[text[i+1].text]:
			return c
		case conditions[w.text] && len(c.words) > 0:
			return c
		case places[w.text] && len(c.words) > 0:
			inPlace = true
		case i < 4 && handling[w.text] && len(c.words) == 0:
			c.hands = true
		case keeps[w.text] && len(c.place) == 0:
			c.kept = true
			if w.stem != "" && !fillers[w.text] {
				c.words = append(c.words, w)
			}
		case w.stem == "" || i < 3 && fillers[w.text] || w.text == "locally" || causing[w.text]:
		case inPlace:
			c.place = append(c.place[:len(c.place):len(c.place)], w)
		default:
			c.words = append(c.words, w)
		}
		if w.ends == '—' && len(c.words) > 0 || (w.ends == '.' || w.ends == ':') && i > 0 && i+1 < len(text) && text[i+1].stem == "" && len(c.words) > 0 { // "Celery for jobs: it lost tasks"
			return c
		}
	}
	return c
}

// verdicts end what was tried and begin what came of it.
var verdicts = set("didn't doesn't don't isn't wasn't made makes failed fails was were is are won't can't cannot broke breaks caused causes did does ruled had has drops dropped")

// beforeParen is a text without a remark in brackets at its end.
func beforeParen(s string) string {
	if i := strings.LastIndex(s, " ("); i > 0 && strings.HasSuffix(strings.TrimRight(s, ". "), ")") {
		return s[:i]
	}
	return s
}

// suspect says whether a thing is named that could have been the cause.
func suspect(list []word) bool {
	switch list[0].text {
	case "the", "a", "an", "our", "its", "due", "caused", "from":
	default:
		return false
	}
	return !slices.ContainsFunc(list, func(w word) bool { return causes[w.text] })
}

var causes = set("cause reason culprit problem issue bottleneck answer solution way fix point")

// conjoined are the dead ends of a list whose ends have a remark each: "clock
// skew (3 ms) and the pool (12 of 50)". A text that is none is one.
func conjoined(s string) []string {
	var out []string
	for {
		i := strings.Index(s, ") and ")
		if i < 0 || !strings.Contains(s[:i], " (") {
			return append(out, beforeParen(s))
		}
		out = append(out, beforeParen(s[:i+1]))
		s = s[i+len(") and "):]
	}
}

// keeps are words of where something is.
var keeps = set("store stored stores save saved saves kept put puts write written writes send sent sends log logged host hosted live lives go goes")

// causing are words between what is seen and what was thought to be behind it.
var causing = set("come comes came caused due")

var storing = set("store stored stores save saved put kept persist hold held")

var showing = set("show shown shows display displayed displays render rendered print printed drawn")

// exceptions are words of where a sentence doesn't hold: "REST only at the edge".
func exceptions(text []word) []word {
	for i, w := range text {
		if i+1 >= len(text) {
			break
		}
		if next := text[i+1].text; w.text == "only" && (places[next] || conditions[next]) || w.text == "except" || w.text == "unless" || w.text == "apart" && next == "from" || w.text == "other" && next == "than" {
			end := i + 1
			for end < len(text) && (end == i+1 || text[end-1].ends == ' ') {
				end++
			}
			return content(text[i+1 : end])
		}
	}
	return nil
}

// envOf is where a thing runs, by the words for it.
var envOf = map[string]string{"local": "local", "locally": "local", "laptop": "local", "localhost": "local", "dev": "local", "development": "local",
	"staging": "staging", "preview": "staging", "sandbox": "staging", "production": "production", "prod": "production", "live": "production", "ci": "ci"}

func environments(text []word) []string {
	var out []string
	for _, w := range text {
		if e := envOf[w.text]; e != "" {
			out = append(out, e)
		}
	}
	return out
}

// withoutVerdict is a dead end without what came of it: "X made it worse". Of
// "the freeze isn't the spell checker" what came of it is what was suspected.
func withoutVerdict(text []word) []word {
	for i, w := range text {
		if i > 0 && i+1 < len(text) && (w.text == "isn't" || w.text == "wasn't" || w.text == "not" && (text[i-1].text == "is" || text[i-1].text == "was")) && suspect(text[i+1:]) {
			return text
		}
		if i > 0 && i+1 < len(text) && text[i-1].ends == ':' && slices.ContainsFunc(text[:i], func(w word) bool { return w.name }) {
			return text[:i]
		}
		if (i > 1 || i == 1 && text[0].name) && verdicts[w.text] && !(w.text == "caused" && i+1 < len(text) && text[i+1].text == "by") || i > 0 && text[i-1].ends == '—' {
			return text[:i]
		}
	}
	if len(text) > 1 && (text[0].text == "no" || text[0].text == "not" || text[0].text == "tried" || strings.HasPrefix(text[0].text, "trying")) {
		for i, w := range text[1:] {
			if w.ends == ',' && i+2 < len(text) && (text[i+2].text == "forget" || text[i+2].stem == "") { // "no Redis, forget it"
				return text[1 : i+2]
			}
		}
		return text[1:]
	}
	return text
}
