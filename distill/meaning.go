package distill

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"recall/internal/text"
)

// A sayWord is a content word of a text with what the text makes of it.
type sayWord struct {
	stem   string
	denied bool // "never use redis": redis
	loose  bool // "never use redis for the cache": whether the cache is denied can't be told
	joint  bool // "before", "than": tells how what stands on its two sides is related
	exact  bool // a number or a name of code, which no other word can stand for
	clause int
}

// read returns the content words of a text in order.
func read(s string) []sayWord {
	r := senseReader{}
	s = harmlessNo().ReplaceAllString(strings.ReplaceAll(s, "’", "'"), " ")
	ends := append(clauses().FindAllStringIndex(s, -1), []int{len(s), len(s)})
	from, listed := 0, false // "not in this step: a UI, cron": who can tell whether what is listed is denied
	for _, end := range ends {
		tokens := strings.FieldsFunc(s[from:end[0]], func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("'._-/%$@+#", r)
		})
		for i := range tokens {
			tokens[i] = strings.Trim(tokens[i], "'._-/")
		}
		r.from, r.no, r.loose, r.trade = len(r.all), false, false, ""
		for i := range tokens {
			r.token(tokens, i)
		}
		if listed {
			loosen(r.all[r.from:])
		}
		switch between := s[end[0]:end[1]]; {
		case strings.HasPrefix(between, ":") && len(tokens) > 0 && denies(strings.ToLower(tokens[0])):
			listed = true
		case strings.ContainsAny(between, ".!?…;") || strings.Contains(between, "\n\n"):
			listed = false
		}
		from = end[1]
		r.clause++
	}
	return r.all
}

type senseReader struct {
	all    []sayWord
	clause int
	from   int    // where the clause begins
	no     bool   // what follows is denied
	loose  bool   // or perhaps not
	trade  string // "rather", "replace": what is denied comes in two parts
}

func (r *senseReader) token(tokens []string, i int) {
	low := strings.ToLower(tokens[i])
	before, next := "", ""
	if i > 0 {
		before = strings.ToLower(tokens[i-1])
	}
	if i+1 < len(tokens) {
		next = strings.ToLower(tokens[i+1])
	}
	switch {
	case denies(low):
		r.denial(low, next, tokens[i+1:])
		return
	case low == "instead" && next == "of" || low == "rather" && next == "than":
		r.no = true
	case low == "rather":
		r.trade = low
	case low == "replace" && i == 0: // "replace axios with fetch"
		r.no, r.trade = true, low
	case r.trade == "replace" && (low == "with" || low == "by"):
		r.no = false
	case low == "than" && r.trade == "rather": // "I'd rather have one than three"
		r.no = true
	case low == "off" && (being[before] || slices.ContainsFunc(tokens[:i], turnsOff)): // "turn it off", "is off"
		deny(r.all[r.from:])
	case undoes[text.Stem(low)] && !denies(before), low == "out" && (being[before] || rulesOut[text.Stem(before)]):
		// "redis was dropped", "redis dropped for now"; "drop redis"
		ends := next == "" || places[next] || next == "per"
		if i > 0 && (being[before] || strings.HasSuffix(low, "ed") && ends) {
			deny(r.all[r.from:])
		} else {
			r.no = true
		}
	case low == "from" && moving[text.Stem(before)]: // "switch from redis to sqlite"
		r.no = true
	case low == "to" && r.no && slices.ContainsFunc(tokens[:i], func(t string) bool {
		return moving[text.Stem(strings.ToLower(t))]
	}):
		r.no = false
	}
	if r.no && next == "" && referring[low] { // "it runs in transaction mode, LISTEN doesn't survive that"
		loosen(r.all)
	}
	r.loose = r.no && (r.loose || places[low] && len(r.all) > r.from && r.all[len(r.all)-1].denied)
	if joints[low] {
		r.all = append(r.all, sayWord{stem: low, joint: true, clause: r.clause})
		return
	}
	for k, w := range text.Split(tokens[i]) {
		if light[w] || text.Stop(w) && k == 0 {
			continue
		}
		r.all = append(r.all, sayWord{stem: cmp.Or(digits[w], text.Stem(w)), denied: r.no, loose: r.loose, clause: r.clause,
			exact: k == 0 && (text.IsName(tokens[i]) || digits[w] != "" || days[low])})
	}
}

// denial reads a word that denies what follows it.
func (r *senseReader) denial(low, next string, rest []string) {
	r.no = true
	switch {
	case bothWays[low]:
		deny(r.all[r.from:])
	case next == "": // "a registry: the packages stay without"
		loosen(r.all)
	case !slices.ContainsFunc(rest, says): // "backups are no longer kept"
		deny(r.all[r.from:])
	default: // "the registry isn't shared": who can tell what of it is denied
		loosen(r.all[r.from:])
	}
	if stem := text.Stem(next); undoes[stem] || changes[stem] {
		r.no = false // "don't touch the interface", "never drop it"
	}
}

func turnsOff(word string) bool {
	low := strings.ToLower(word)
	return strings.HasPrefix(low, "turn") || strings.HasPrefix(low, "switch")
}

// says reports whether a word says something by itself.
func says(word string) bool {
	low := strings.ToLower(word)
	return !light[low] && !text.Stop(low) && low != "longer" && low != "more"
}

func denies(word string) bool { return denying[word] || strings.HasSuffix(word, "n't") }

func loosen(words []sayWord) {
	for i := range words {
		words[i].loose = true
	}
}

func deny(words []sayWord) {
	for i := range words {
		words[i].denied = true
	}
}

var (
	clauses = text.Pattern(`[,;:.!?…()\[\]"“”](?:\s|$)|\s[(\["“]|\n|\s[—–-]+\s|→|` +
		`\s(?i:and|but|because|since|so|while|then|when|whenever|if|which|und|wenn|aber|weil|sondern|denn|mais|car|et|y|pero|porque)\s`)
	denying = text.Set(`no not never none nobody nothing neither nor without cannot cant dont wont isnt doesnt no-one
		nicht kein keine keinen keinem keiner nie niemals nichts ohne statt anstatt ne pas jamais sans aucun aucune
		nunca jamás sin ningún ninguna não nem non senza mai`)
	// bothWays are those that may follow what they deny.
	bothWays = text.Set(`nicht pas nie niemals`)
	being    = text.Set(`is are was were be been being get gets got stays stay`)
	undoes   = stems(`stop avoid skip drop remove delete disable abandon reject ban forbid refuse eliminate discard
		exclude omit scrap ditch retire cancel undo revert deny prevent ignore quit cease forgo`)
	rulesOut = stems(`rule leave left`)
	changes  = stems(`touch change edit modify break rewrite rename move alter forget hesitate worry mind lose`)
	moving   = stems(`switch move migrate change away convert`)
	// referring are words for what was said before.
	referring = text.Set(`that this it das dies es cela ça eso esto`)
	// places introduce what says where, when or for what something is denied.
	places = text.Set(`in on at for from with by to into onto as when if before after until during im der für bei dans
		pour en`)
	days = text.Set(`monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag
		freitag samstag sonntag january february april june july august september october november december`)
	joints = text.Set(`before after until than over above below under unless behind inside outside into onto via through
		by from for with vor nach bis`)
	// light are words that say little about what is claimed, so that other words can stand for them.
	light = text.Set(`use uses used using usage make makes made making keep keeps kept keeping stay stays stayed staying
		stand stands take takes took taken taking put puts set sets setting go goes going gone went let lets want wants
		wanted need needs needed must shall should become becomes happen happens come comes came give gives given run
		runs running work works working get new now always ever never no not instead rather without cannot only first
		also still already yes ok okay please user users assistant asked asks said says say agreed agree session project
		decision way stop stopped one two
		der die das den dem des ein eine einen wir ihr sie er es ist sind wird werden im zum zur von mit auf nehmen nimm
		kommt kommen liegt liegen bleibt bleiben le la les un une des du de est sont on nous el los las una es son se`)
	digits = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
		"eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30",
		"forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "fifteen": "15",
		"zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "zehn": "10", "hundred": "100", "thousand": "1000"}
)

func stems(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[text.Stem(w)] = true
	}
	return m
}

// opposes reports whether a claim denies what a text affirms, or the reverse: the text has half of its words, and of
// these at least half are denied in one and affirmed in the other.
func opposes(claim, said []sayWord) bool {
	yes, no := map[string]bool{}, map[string]bool{}
	for _, w := range said {
		if !w.joint {
			yes[w.stem], no[w.stem] = yes[w.stem] || !w.denied || w.loose, no[w.stem] || w.denied || w.loose
		}
	}
	same, other, rest := 0, 0, 0
	for _, w := range claim {
		switch {
		case w.joint, w.loose, yes[w.stem] && no[w.stem]: // can't be told
		case !yes[w.stem] && !no[w.stem]:
			rest++
		case w.denied == no[w.stem]:
			same++
		default:
			other++
		}
	}
	return other > 0 && other >= same && same+other >= rest || deniesPart(said, claim) ||
		deniesPart(claim, said) && affirmed(claim, said) <= 0.5
}

// flips are words with their opposites: a claim that has the one where what was said has the other says the opposite.
var flips = func() map[string]flip {
	m := map[string]flip{}
	for i, pair := range strings.Fields(`increase/decrease raise/lower accept/reject safe/unsafe grow/shrink start/stop
		before/after only/everybody only/everyone only/anyone only/anybody required/optional manual/automatic
		synchronous/asynchronous first/last least/most minimum/maximum open/closed include/exclude above/below
		more/fewer more/less ascending/descending allow/block mehr/weniger vor/nach nur/alle nur/jeder
		mindestens/höchstens offen/geschlossen`) {
		one, other, _ := strings.Cut(pair, "/")
		if had, ok := m[one]; ok {
			i = had.pair
		}
		m[one], m[other] = flip{pair: i}, flip{i, true}
		m[text.Stem(one)], m[text.Stem(other)] = m[one], m[other]
	}
	return m
}()

type flip struct {
	pair   int
	turned bool // the second of the pair
}

// flipped reports whether a claim has the opposite of a word that a text has, with the same words on both sides.
func flipped(claim, said string) bool {
	a, b := strings.Fields(notOnly().ReplaceAllString(strings.ToLower(claim), " ")), strings.Fields(strings.ToLower(said))
	find := func(words []string, in map[int][]int) {
		for i := range words {
			words[i] = strings.Trim(words[i], ".,;:!?()\"'`*")
			if f, ok := flipOf(words[i]); ok {
				in[f.pair] = append(in[f.pair], i)
			}
		}
	}
	inClaim, inSaid := map[int][]int{}, map[int][]int{}
	find(a, inClaim)
	find(b, inSaid)
	for pair, at := range inClaim {
		if to := inSaid[pair]; len(at) == 1 && len(to) == 1 {
			f, _ := flipOf(a[at[0]])
			g, _ := flipOf(b[to[0]])
			turned := f.turned != g.turned
			negated := slices.ContainsFunc(a, denies) != slices.ContainsFunc(b, denies)
			if turned && !negated && alongside(a, b, at[0], to[0]) {
				return true
			}
		}
	}
	return false
}

// notOnly matches what takes a limit back.
var notOnly = text.Pattern(`\bnot (?:only|just)\b`)

func flipOf(word string) (flip, bool) {
	f, ok := flips[word]
	if !ok {
		f, ok = flips[text.Stem(word)]
	}
	return f, ok
}

// alongside reports whether more words stand on the same sides of two places than on the other sides.
func alongside(a, b []string, i, k int) bool {
	same, crossed := 0, 0
	for n, w := range a {
		at := slices.IndexFunc(b, func(o string) bool { return text.Stem(o) == text.Stem(w) })
		switch {
		case n == i, at < 0, at == k, text.Stop(w):
		case (at < k) == (n < i):
			same++
		default:
			crossed++
		}
	}
	return same > crossed
}

// exchanged reports whether a claim denies what a text affirms and affirms what it denies, and they agree in nothing.
func exchanged(claim, said []sayWord) bool {
	gained, lost, same := false, false, false
	for _, w := range claim {
		i := slices.IndexFunc(said, func(o sayWord) bool { return o.stem == w.stem })
		if w.joint || i < 0 || w.loose || said[i].loose {
			continue
		}
		gained, lost = gained || !w.denied && said[i].denied, lost || w.denied && !said[i].denied
		same = same || w.denied == said[i].denied
	}
	return gained && lost && !same
}

// affirmed returns the share of what a claim affirms that a text has.
func affirmed(claim, said []sayWord) float64 {
	n, in := 0, 0
	for _, w := range claim {
		if !w.joint && !w.denied {
			if n++; has(said, w.stem) {
				in++
			}
		}
	}
	return float64(in) / float64(max(1, n))
}

// deniesPart reports whether a text has a short clause that only denies what the other affirms: "…, not redis".
func deniesPart(said, claim []sayWord) bool {
	yes, no := map[string]bool{}, map[string]bool{}
	for _, w := range claim {
		yes[w.stem], no[w.stem] = yes[w.stem] || !w.denied && !w.loose, no[w.stem] || w.denied || w.loose
	}
	for from := 0; from < len(said); {
		to, content, against := from, 0, 0
		for ; to < len(said) && said[to].clause == said[from].clause; to++ {
			if w := said[to]; !w.joint {
				content++
				if w.denied && !w.loose && yes[w.stem] && !no[w.stem] {
					against++
				}
			}
		}
		if whole := content == len(said); content > 0 && content <= 3 && against == content && !whole {
			return true
		}
		from = to
	}
	return false
}

// turnsRound reports whether a claim has on both sides of a word what a text has on the other sides of it: "we deploy
// after the review", "the review after we deploy". Only a claim of hardly any other words than the text's counts.
func turnsRound(claim, said []sayWord) bool {
	at := map[string]int{} // the place of each word that the text has once
	for i, w := range said {
		if _, twice := at[w.stem]; twice {
			at[w.stem] = -1
		} else {
			at[w.stem] = i
		}
	}
	place, shared := make([]int, len(claim)), 0
	for i, w := range claim {
		k, ok := at[w.stem]
		if place[i] = k; !ok {
			place[i] = -1
		}
		if place[i] >= 0 {
			shared++
		}
	}
	if shared < 3 || 4*shared < 3*len(claim) {
		return false
	}
	for i := range claim {
		if place[i] >= 0 && by(claim, i) == by(said, place[i]) && crosses(claim, said, place, i) {
			return true
		}
	}
	return false
}

// sequence matches what is said to come first and what later: "A first, then B", "A before B", "B after A".
var sequence = text.Pattern(`(?i)\A(.*?)(?:,? (?:and )?(then|before|after|dann|danach|bevor|nachdem|puis|luego)|` +
	`,? (und dann|und danach)) (.*)\z`)

// reordered reports whether a claim puts first what a text puts later, and the reverse; not where one of them denies.
func reordered(claim, said string) bool {
	order := func(s string) (first, later map[string]bool) {
		m := sequence().FindStringSubmatch(strings.TrimSpace(s))
		if m == nil || slices.ContainsFunc(strings.Fields(strings.ToLower(s)), denies) {
			return nil, nil
		}
		first, later = wordsIn(m[1]), wordsIn(m[4])
		if joint := strings.ToLower(m[2]); joint == "after" || joint == "nachdem" {
			first, later = later, first
		}
		return first, later
	}
	first, later := order(claim)
	saidFirst, saidLater := order(said)
	moved := func(of, to, not map[string]bool) (n int) {
		for w := range of {
			if to[w] && !not[w] {
				n++
			}
		}
		return n
	}
	away := min(moved(first, saidLater, saidFirst), moved(later, saidFirst, saidLater))
	return away > moved(later, saidLater, saidFirst)
}

// substitutes reports whether a claim is a text's words in their order but for one, in whose place another stands that
// nobody said there: "hourly" for "nightly".
func substitutes(claim, text []sayWord, said map[string]bool) bool {
	at, shared := -1, 0 // the claim's word that isn't the text's
	for i, w := range claim {
		switch {
		case w.joint:
		case has(text, w.stem):
			shared++
		case at >= 0 || said[w.stem]:
			return false
		default:
			at = i
		}
	}
	if at < 0 || shared < 3 {
		return false
	}
	beside := func(words []sayWord, i, step int) string { // the next word that says something
		for i += step; i >= 0 && i < len(words); i += step {
			if !words[i].joint {
				return words[i].stem
			}
		}
		return ""
	}
	for i, w := range text {
		alike := len(w.stem) < 4 || strings.HasPrefix(w.stem, claim[at].stem[:min(4, len(claim[at].stem))])
		if w.joint || alike || has(claim, w.stem) {
			continue
		}
		if beside(text, i, -1) == beside(claim, at, -1) && beside(text, i, 1) == beside(claim, at, 1) {
			return true
		}
	}
	return false
}

// crosses reports whether, in its clause, most words before a claim's word at i are behind it in the text, and the
// reverse.
func crosses(claim, said []sayWord, place []int, i int) bool {
	var all, crossed [2]int // before and behind
	for k, w := range claim {
		elsewhere := place[k] < 0 || place[k] == place[i] || w.joint || w.clause != claim[i].clause
		if k == i || elsewhere || said[place[k]].clause != said[place[i]].clause {
			continue
		}
		side := 0
		if k > i {
			side = 1
		}
		all[side]++
		if (place[k] > place[i]) != (k > i) {
			crossed[side]++
		}
	}
	most := func(side int) bool { return crossed[side] > 0 && 2*crossed[side] >= all[side] }
	return most(0) && most(1)
}

const elsewhereWorth = 0.25

// by reports whether a word is followed by what its subject does it with, as verbs in the passive are.
func by(words []sayWord, i int) bool {
	return i+1 < len(words) && (words[i+1].stem == "by" || words[i+1].joint && words[i+1].stem == "with")
}

// covered returns the share of a claim's words that a text has, those of its least covered clause of two or more words,
// and the exact words that it lacks. A word that only stands elsewhere in the session counts little.
func covered(claim []sayWord, said, elsewhere map[string]bool) (all, least float64, lacks []string) {
	var sum, n float64
	clause := map[int][2]float64{}
	seen := map[string]bool{}
	for _, w := range claim {
		if w.joint || seen[w.stem] {
			continue
		}
		seen[w.stem] = true
		worth := 0.0
		switch {
		case said[w.stem]:
			worth = 1
		case elsewhere[w.stem]:
			worth = elsewhereWorth
		case w.exact:
			lacks = append(lacks, w.stem)
		}
		c := clause[w.clause]
		clause[w.clause] = [2]float64{c[0] + worth, c[1] + 1}
		sum, n = sum+worth, n+1
	}
	if n == 0 {
		return 1, 1, nil
	}
	least = 1
	for _, c := range clause {
		if c[1] >= 2 {
			least = min(least, c[0]/c[1])
		}
	}
	return sum / n, least, lacks
}

func has(words []sayWord, stem string) bool {
	return slices.ContainsFunc(words, func(w sayWord) bool { return w.stem == stem })
}

// standing matches an order that holds from then on in the place of another.
var standing = text.Pattern(`(?i)\b(?:instead of|rather than|not|no longer|never|any ?more|from now on|replace|switch|` +
	`statt|nicht mehr|kein|plus)\b|n['’]t\b`)

// Overturns reports whether a sentence orders another thing in the place of what a line says: "spaces from now on, not
// tabs" does that to "Use tabs"; and whether it says the same as the line.
func Overturns(sentence, line string) (overturns, repeats bool) {
	said, denied, n := map[string]bool{}, 0, 0
	for _, w := range read(sentence) {
		said[w.stem] = said[w.stem] || w.denied && !w.loose
	}
	for _, w := range read(line) {
		no, ok := said[w.stem]
		if !ok || w.denied {
			return false, false
		}
		if n++; no {
			denied++
		}
	}
	question := strings.HasSuffix(strings.TrimSpace(sentence), "?")
	return denied > 0 && len(said) > n && !question && standing().MatchString(sentence), n > 0 && denied == 0 && !question
}
