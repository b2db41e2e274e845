package check

import (
	"slices"
	"strings"
)

// A stance is what an action does with a thing.
type stance int

const (
	takesUp  stance = iota // uses, adds, switches to
	givesUp                // removes, replaces
	suspects               // takes for the cause
	touches                // edits, moves, deletes: paths
	sets                   // gives another value
)

// A move is one thing that an action does.
type move struct {
	stance stance
	words  []word // the thing and all that is said of it, words of content
	head   []word // the thing alone
	place  []word // where: "for the session cache"
	of     int    // so many words of head stand before an "of"; 0 if there is none
	verb   string // that it was told by, in prose
	odd    word   // that verb, if it isn't known: it may mean anything
	value  string // of sets: a number
	unit   string // and what it counts: "time", "size", "" if that isn't said
	edit   bool   // comes with an edit
	loose  bool   // its words needn't be the item's: a line of code, a package's name
	flips  bool   // told from a setting that is turned on or off
	unsaid bool   // told from lines that went: they may have moved
	exact  bool   // told from a command or a path, not from prose
}

// deed is an action as it was read.
type deed struct {
	moves []move
	all   []word // everything in it, paths too

	// Of an edit:
	swaps       []swap // lines of which only a value is another
	added, gone []word // words of the lines that come, and that go
	where       []word // the files
}

const readMost = 6 << 10 // bytes of a prompt or an edit that are read: a request stands at its beginning

func read(a Action) *deed {
	d := &deed{}
	if a.Text != "" {
		d.prose(clip(a.Text))
	}
	if a.Command != "" {
		d.command(clip(a.Command))
	}
	d.edit(a)
	return d
}

func clip(s string) string {
	if len(s) > readMost {
		return strings.ToValidUTF8(s[:readMost], "")
	}
	return s
}

func (d *deed) add(m move) {
	m.head = content(m.head)
	m.words = append(content(m.head), content(m.place)...)
	if len(m.head) > 0 || m.stance == touches {
		d.moves = append(d.moves, m)
	}
}

// Verbs in the form in which somebody is asked to do something.
var (
	taking   = set("use do redo add adopt introduce install try implement enable import require bring go put write build make create start convert port cache store wrap run call include retry set-up reintroduce bring-back push send show serve stream resize compress debounce throttle batch log package bundle deploy ship smooth average parse render poll lock hash encrypt serialize format generate load save query schedule trigger prefetch preload inline memoize buffer compile integrate upgrade downgrade offer take fetch hide split tune partition cluster vacuum shard replicate mirror invite index register materialize expose bind mount allow support using adding trying introducing adopting enabling installing implementing")
	giving   = set("remove delete drop uninstall disable rip strip scrap ditch kill removing dropping deleting disabling")
	putting  = set("put store save register place hold")
	changing = set("switch move migrate change swap replace convert port revert rewrite refactor turn transition switching moving migrating replacing swapping converting")
	setting  = set("set raise lower increase decrease bump reduce change limit cap make")
	probing  = set("suspect suspecting blame investigate")
	asking   = set("what why how when where who which whose did does do is are was were has have had remind explain tell show summarize summarise list describe recall read")
	// Before a verb in that form: an order or a proposal, not a report.
	leads = set("please let's lets let and then just also now should can could will would must shall rather instead to first okay ok so or not don't never i'll we'll i'd maybe simply actually yes no about not")
	wants = set("want wants need needs like going try trying time better prefer you me us plan proposal idea decided have decide tempted")
	modal = set("should can could shall would will don't might must not let's why can't couldn't")
)

// clause reads what a verb is said of.
func (d *deed) clause(v word, rest []word, denied bool) {
	before := len(d.moves)
	defer func() {
		for i := before; i < len(d.moves); i++ {
			m := &d.moves[i]
			if m.verb = v.text; !verb(v.text) && len(m.head) > 0 && m.head[0].text == v.text {
				m.odd = v
			}
		}
	}()
	d.done(v, rest, denied)
}

func (d *deed) done(v word, rest []word, denied bool) {
	verb := v.text
	if verb == "set" && len(rest) > 0 && rest[0].text == "up" {
		verb, rest = "use", rest[1:]
	}
	if denied || verb == "stop" || verb == "avoid" || verb == "keep" {
		switch {
		case denied:
		case verb == "keep":
			d.put(rest)
		default: // "stop using X": giving it up
			d.add(split(givesUp, rest))
		}
		return
	}
	rest, left := lost(rest)
	if len(left) > 0 {
		d.add(split(givesUp, left))
	}
	if m, ok := value(verb, rest); ok {
		d.add(m)
		d.add(move{stance: takesUp, head: append([]word{v}, rest...)}) // of a dead end it may be all
	}
	if verb == "make" {
		if len(rest) > 0 && rest[0].text == "sure" {
			return
		}
		rest = uncompared(rest)
	}
	switch {
	case verb == "take" && out(rest), undoing[verb] && len(rest) > 0 && rest[0].text != "to":
		d.add(move{stance: givesUp, head: rest})
	case giving[verb] && ruled(rest): // "delete attachments when their message goes": what is to happen, not what is to go
	case (verb == "go" || verb == "going") && back(rest):
		d.change(v, rest)
	case giving[verb] || verb == "get":
		d.add(split(givesUp, rest))
	case putting[verb] && d.put(rest):
	case changing[verb]:
		d.change(v, rest)
	case taking[verb] && fillers[verb], bare[verb]:
		d.add(split(takesUp, rest))
	case !setting[verb] && !handling[verb] && !mending[verb] && len(content(rest)) > 0: // "compress the batches": the verb is what is done
		d.add(split(takesUp, append([]word{v}, rest...)))
	}
	if !putting[verb] && !giving[verb] && !handling[verb] && !looks[verb] && !changing[verb] && !setting[verb] {
		if sending[verb] {
			d.put(rest)
		}
		d.means(rest)
	}
	if setting[verb] && verb == "set" && len(rest) > 2 { // "set it up with poetry"
		for i, w := range rest[1:] {
			if w.text == "up" {
				d.means(rest[i+1:])
			}
		}
	}
	if handling[verb] {
		m := split(touches, rest)
		d.add(m)
	}
	if mending[verb] {
		m := move{stance: touches}
		for _, w := range rest {
			if w.path {
				m.head = append(m.head, w)
			}
		}
		if len(m.head) > 0 {
			d.add(m)
		}
	}
}

// bare are verbs that say no more than that a thing is to be there.
var bare = set("implement enable import require bring create start include reintroduce adopting enabling installing implementing trying introducing install build write take offer")

// lost cuts off what an "instead of" gives up.
func lost(rest []word) (keeps, gives []word) {
	for i := range rest {
		if i+1 < len(rest) && (rest[i].text == "instead" && rest[i+1].text == "of" || rest[i].text == "rather" && rest[i+1].text == "than") {
			return rest[:i], rest[i+2:]
		}
		if w := rest[i].text; i > 0 && (w == "not" || w == "without") {
			return rest[:i], nil
		}
	}
	return rest, nil
}

// out says that something is taken away: "take the old code out of it".
func out(rest []word) bool {
	for _, w := range rest {
		if w.text == "out" || w.text == "away" || w.text == "off" || w.text == "down" {
			return true
		}
	}
	return false
}

// back says that something is gone to, not about: "go back to polling".
func back(rest []word) bool {
	return len(rest) > 1 && rest[0].text == "to" || len(rest) > 2 && rest[0].text == "back" && rest[1].text == "to"
}

// means reads what a thing is to be done with: "cache the rates in Redis".
func (d *deed) means(rest []word) {
	for i, w := range rest {
		by := w.text == "with" || w.text == "using" || w.text == "via" || w.text == "through" || w.text == "as"
		switch {
		case w.text == "that" || w.text == "which":
			return
		case tellings[w.text] && !(tests[w.text] && i+1 < len(rest)):
			return
		}
		if i > 0 && i+1 < len(rest) && (by || (w.text == "in" || w.text == "into") && !toldOf(rest[:i])) {
			m := split(takesUp, rest[i+1:])
			if len(m.head) > 0 && (!m.head[0].path || strings.HasSuffix(m.head[0].text, ".js") && !strings.Contains(m.head[0].text, "/")) {
				m.place = append(m.place, content(untilOf(rest[:i]))...)
				m.loose = w.text == "as"
				d.add(m)
			}
			return
		}
	}
}

// tellings are what speaks of a thing without having it.
var tellings = set("test tests doc docs documentation note notes comment comments answer sentence line rule readme adr help draft summary list paragraph that glossary faq .gitignore gitignore changelog blocklist denylist comparison slides talk blog post article ticket issue section decisions history")

// untilOf is the thing itself: of "the checksum of attachments" the checksum.
func untilOf(list []word) []word {
	for i, w := range list {
		if w.text == "of" {
			return list[:i]
		}
	}
	return list
}

// tests are tellings that are made with something all the same.
var tests = set("test tests")

func toldOf(list []word) bool {
	return slices.ContainsFunc(list, func(w word) bool { return tellings[w.text] })
}

// mending are verbs of working on a file.
var mending = set("clean tidy fix update patch adjust extend simplify restructure split format rework refactor")

// ruled says whether it is told when something is to happen.
func ruled(rest []word) bool {
	return slices.ContainsFunc(rest, func(w word) bool { return rulings[w.text] })
}

var rulings = set("when whenever if unless older every")

// undoing are verbs of taking back what was done.
var undoing = set("revert undo rollback")

// sending are verbs of what goes somewhere.
var sending = set("write send post push publish log route deliver dump upload stream save report expose serve deploy ship host run")

// uncompared cuts "more aggressive" off what is to be made so.
func uncompared(rest []word) []word {
	for i, w := range rest {
		if i > 0 && (w.text == "more" || w.text == "less") {
			out := slices.Clone(rest[:i])
			for k := i + 1; k < len(rest); k++ {
				if places[rest[k].text] {
					return append(out, rest[k:]...)
				}
			}
			return out
		}
	}
	return rest
}

// letters go to people.
var letters = set("mail mails email message messages reply letter invite invitation request question response note reminder")

// put reads "put A into B"; false where no B is named.
func (d *deed) put(rest []word) bool {
	for i, w := range rest {
		if i > 0 && i+1 < len(rest) && destinations[w.text] && !verb(rest[i+1].text) && !rest[i+1].path && !slices.ContainsFunc(rest[:i], func(w word) bool { return letters[w.text] }) {
			m := split(takesUp, rest[i+1:])
			m.place = append(m.place, content(untilOf(rest[:i]))...)
			d.add(m)
			return true
		}
	}
	return false
}

var destinations = set("in into on onto to over")

// change reads "move A to B", "replace A with B", "switch to B".
func (d *deed) change(v word, rest []word) {
	verb := v.text
	for i, w := range rest {
		to := w.text == "to" || w.text == "onto" || w.text == "into" || w.text == "back" && i+1 < len(rest) && rest[i+1].text == "to" ||
			(w.text == "with" || w.text == "by" || w.text == "for") && (verb == "replace" || verb == "swap" || verb == "replacing" || verb == "swapping") ||
			(w.text == "over" && i+1 < len(rest) && rest[i+1].text == "to")
		if !to {
			continue
		}
		from, target := rest[:i], rest[i+1:]
		m := split(takesUp, target)
		m.place = append(m.place, content(from)...)
		if len(m.head) > 0 {
			d.add(m)
		}
		if verb == "replace" || verb == "swap" || verb == "replacing" || verb == "swapping" || len(from) > 1 && from[0].text == "from" {
			d.add(split(givesUp, from))
		}
		for k, w := range from { // "off Redis"
			if w.text == "off" && k+1 < len(from) {
				d.add(split(givesUp, from[k+1:]))
			}
		}
		return
	}
	switch verb {
	case "replace", "replacing":
		d.add(split(givesUp, rest))
	case "rewrite", "port", "convert", "refactor", "turn": // "rewrite the importer in Rust"
		if !slices.ContainsFunc(rest, func(w word) bool { return w.text == "as" }) {
			d.add(split(takesUp, append([]word{v}, rest...)))
		}
		d.means(rest)
	}
}

// split cuts what a verb is said of into the thing and where.
func split(st stance, rest []word) move {
	m := move{stance: st}
	inPlace := false
	for i, w := range rest {
		if w.text == "of" && m.of == 0 && !inPlace && !(i > 0 && measures[rest[i-1].text]) {
			m.of = len(m.head)
		}
		if i > 0 && (w.text == "that" || w.text == "which" || w.text == "who") {
			return m
		}
		switch {
		case (places[w.text] || conditions[w.text] || w.text == "to") && len(m.head) > 0:
			inPlace = true
		case i < 2 && fillers[w.text]:
		case w.stem == "", i > 0 && adverbs[w.text]:
		case inPlace:
			m.place = append(m.place, w)
		default:
			m.head = append(m.head, w)
		}
	}
	return m
}

// adverbs say nothing of the thing.
var adverbs = set("well please too also now then again anyway instead asap temporarily somehow everywhere quickly simply")

// measures may stand before an "of" without being the thing.
var measures = set("number use usage version lot instance kind sort type copy set list amount size count rest most all half part some any pool support")
