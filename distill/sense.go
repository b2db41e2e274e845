package distill

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
)

// A sayWord is a content word of a text with what the text makes of it.
type sayWord struct {
	stem   string
	denied bool // "never use redis": redis
	loose  bool // "never use redis for the cache": whether the cache is denied can't be told
	joint  bool // "before", "than": tells how what stands on its two sides is related
	exact  bool // a number or a name of code, which no other word can stand for
	part   bool // of the name before it
	blamed bool // "redis is too slow": a reason against it
	clause int
}

// read returns the content words of a text in order.
func read(s string) []sayWord {
	r := senseReader{}
	s = withoutHarmless(otherForms.Replace(s), " ")
	listed := false // "not in this step: a UI, cron": who can tell whether what is listed is denied
	for from := 0; from < len(s); {
		end, next := clauseIn(s, from)
		tokens := strings.FieldsFunc(s[from:end], func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("'._-/%$@+#", r)
		})
		for i := range tokens {
			tokens[i] = strings.Trim(tokens[i], "'._-/")
		}
		for i, t := range slices.Backward(tokens) {
			if m := fromTo().FindStringSubmatch(t); m != nil {
				tokens = slices.Replace(tokens, i, i+1, m[1:]...)
			}
		}
		low := strings.Split(strings.ToLower(strings.Join(tokens, " ")), " ")
		r.from, r.no, r.loose, r.trade = len(r.all), false, false, ""
		blames := blameAt(low)
		for i := range tokens {
			if i == blames {
				blame(r.all[r.from:])
			}
			r.token(tokens[i], low, i)
		}
		if listed {
			loosen(r.all[r.from:])
		}
		switch between := s[end:next]; {
		case strings.HasPrefix(between, ":") && len(tokens) > 0 && denies(low[0]):
			listed = true
		case strings.ContainsAny(between, ".!?…;") || strings.Contains(between, "\n\n"):
			listed = false
		}
		from = next
		r.clause++
	}
	return r.all
}

// fromTo matches from which number to which: lines 9-27.
var fromTo = text.Pattern(`^([0-9]+)-([0-9]+)$`)

// otherForms puts one form in the place of others.
var otherForms = strings.NewReplacer("’", "'", "apart from ", "except ", "verything but ", "verything except ")

// clauseIn returns where the clause of a text ends that begins at a byte, and where the next one begins: behind a
// punctuation mark, a bracket, a dash, a line's end or a word such as "and". It is called for all that people type.
func clauseIn(s string, from int) (end, next int) {
	space := func(i int) bool { return i < len(s) && strings.IndexByte(" \t\n\f\r", s[i]) >= 0 }
	for i := from; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		after := i + n
		if space(i) {
			to := after
			for to < len(s) && !space(to) {
				to++
			}
			word := s[after:to]
			opens, size := utf8.DecodeRuneInString(word)
			switch {
			case word != "" && strings.ContainsRune("([\"“", opens):
				return i, after + size
			case r == '\n':
				return i, after
			case word != "" && to < len(s) && (strings.Trim(word, "—–-") == "" || joining[strings.ToLower(word)]):
				return i, to + 1
			case excepting[strings.ToLower(word)]: // denies what follows
				return i, after
			}
		} else if r == '→' || after == len(s) && marks(r) {
			return i, after
		} else if marks(r) && space(after) {
			return i, after + 1
		}
		i = after
	}
	return len(s), len(s)
}

// marks reports whether a character ends a clause if white space follows.
func marks(r rune) bool { return strings.ContainsRune(",;:.!?…()[]\"“”", r) }

type senseReader struct {
	all       []sayWord
	clause    int
	from      int    // where the clause begins
	no        bool   // what follows is denied
	loose     bool   // or perhaps not
	unchanged bool   // the next word is denied, and not what follows it
	trade     string // "rather", "replace": what is denied comes in two parts
}

// token reads one of a clause's tokens, which are also given in small letters.
func (r *senseReader) token(token string, all []string, i int) {
	low, before, next, order := all[i], "", "", false // order: "skip it", of which "it is skipped" says the same
	if i > 0 {
		before = all[i-1]
	}
	if i+1 < len(all) {
		next = all[i+1]
	}
	switch {
	case denies(low):
		r.denial(low, before, next, all[i+1:])
		return
	case low == "instead" && next == "of" || low == "rather" && next == "than":
		r.no = true
	case low == "rather", low == "better", low == "lieber":
		r.trade = "rather"
	case low == "replace" && i == 0: // "replace axios with fetch"
		r.no, r.trade = true, low
	case r.trade == "replace" && (low == "with" || low == "by"):
		r.no = false
	case low == "than" && r.trade == "rather": // "I'd rather have one than three"
		r.no = true
	case low == "out" && next == "again", low == "raus", // "take the expiry out again"
		(low == "goes" || low == "gone") && next == "",                            // "the forum goes"
		low == "off" && (being[before] || slices.ContainsFunc(all[:i], turnsOff)): // "turn it off", "is off"
		deny(r.all[r.from:])
	case undoes[text.Stem(low)] && !denies(before), low == "out" && (being[before] || rulesOut[text.Stem(before)]):
		// "redis was dropped", "redis dropped for now"; "drop redis"
		ends := next == "" || places[next] || next == "per"
		if i > 0 && (being[before] || strings.HasSuffix(low, "ed") && ends) {
			deny(r.all[r.from:])
		} else {
			order, r.no = len(r.all) == r.from, true
		}
	case low == "from" && moving[text.Stem(before)]: // "switch from redis to sqlite"
		r.no = true
	case low == "to" && r.no && slices.ContainsFunc(all[:i], func(t string) bool {
		return moving[text.Stem(t)]
	}):
		r.no = false
	}
	if r.no && next == "" && referring[low] { // "it runs in transaction mode, LISTEN doesn't survive that"
		loosen(r.all)
	}
	place := places[low] && !referring[before] // "hide it on weekends"
	r.loose = r.no && (r.loose || place && len(r.all) > r.from && r.all[len(r.all)-1].denied)
	if joints[low] {
		r.all = append(r.all, sayWord{stem: low, joint: true, clause: r.clause})
		return
	}
	for k, w := range text.Split(token) {
		if light[w] || text.Stop(w) && k == 0 {
			continue
		}
		r.all = append(r.all, sayWord{stem: cmp.Or(digits[w], text.Stem(w)), denied: r.no || r.unchanged,
			loose: r.loose || order, clause: r.clause, part: k > 0,
			exact: k == 0 && (text.IsName(token) || digits[w] != "" || days[low])})
	}
	r.unchanged = false
}

// denial reads a word that denies what follows it.
func (r *senseReader) denial(low, before, next string, rest []string) {
	r.no = true
	switch {
	case next == "" && speakers[before] && len(r.all) == r.from: // "Ben wants redis, I don't"
		deny(r.all)
	case bothWays[low], low == "no" && next == "" && len(r.all) > r.from: // "mysql no"
		deny(r.all[r.from:])
	case next == "": // "a registry: the packages stay without"
		loosen(r.all)
	case !slices.ContainsFunc(rest, says): // "backups are no longer kept"
		deny(r.all[r.from:])
	default: // "the registry isn't shared": who can tell what of it is denied
		loosen(r.all[r.from:])
	}
	if stem := text.Stem(next); undoes[stem] || changes[stem] {
		r.no, r.unchanged = false, changes[stem] // "don't touch the interface", "never drop it"
	}
}

func turnsOff(word string) bool {
	return strings.HasPrefix(word, "turn") || strings.HasPrefix(word, "switch")
}

// says reports whether a word says something by itself.
func says(word string) bool {
	return !light[word] && !text.Stop(word) && word != "longer" && word != "more"
}

func denies(word string) bool {
	return denying[word] || excepting[word] || strings.HasSuffix(word, "n't")
}

func loosen(words []sayWord) {
	for i := range words {
		words[i].loose = true
	}
}

// blameAt returns where a clause begins to say what is bad about what it names before, -1 if it doesn't: "is too slow".
func blameAt(clause []string) int {
	for i, w := range clause {
		next := clause[min(len(clause), i+1):min(len(clause), i+5)]
		is := (being[w] || copula[w]) && slices.ContainsFunc(next, func(w string) bool { return faults[w] })
		if (is || complains[w]) && !slices.ContainsFunc(next, denies) {
			return i
		}
	}
	return -1
}

func blame(words []sayWord) {
	loosen(words)
	for i := range words {
		words[i].blamed = true
	}
}

func deny(words []sayWord) {
	for i := range words {
		words[i].denied = true
	}
}

var (
	joining = text.Set(`and but because since so while then when whenever if which und wenn aber weil sondern denn mais
		car et y pero porque`)
	denying = text.Set(`no not never none nobody nothing neither nor without cannot cant dont wont isnt doesnt no-one
		nicht kein keine keinen keinem keiner nie niemals nichts ohne statt anstatt ne pas jamais sans aucun aucune
		nunca jamás sin ningún ninguna não nem non senza mai`)
	excepting = text.Set(`except außer ausgenommen sauf excepto salvo`)
	// bothWays are those that may follow what they deny.
	bothWays = text.Set(`nicht pas nie niemals`)
	being    = text.Set(`is are was were be been being get gets got stays stay`)
	copula   = text.Set(`ist sind war est sont es son`)
	faults   = text.Set(`too zu trop demasiado pain nightmare mess hassle burden overkill bloated flaky brittle
		unmaintained deprecated confusing painful awful terrible unreliable unusable`)
	complains = text.Set(`confuses confuse confused sucks suck annoys annoyed`)
	undoes    = stems(`hide hidden stop avoid skip drop remove delete disable abandon reject ban forbid refuse
		eliminate discard exclude omit scrap ditch retire cancel undo revert deny prevent ignore quit cease forgo`)
	rulesOut = stems(`rule leave left`)
	changes  = stems(`touch change edit modify break rewrite rename move alter forget hesitate worry mind lose`)
	moving   = stems(`switch move migrate change away convert`)
	speakers = text.Set(`i we ich wir je on yo`)
	// referring are words for what was said before.
	referring = text.Set(`that this it das dies es cela ça eso esto`)
	// places introduce what says where, when or for what something is denied.
	places = text.Set(`in on at for from with by to into onto as when if before after until during im der für bei dans
		pour en`)
	days = text.Set(`monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag
		freitag samstag sonntag january february april june july august september october november december`)
	joints = text.Set(`before after until than over above below under unless behind inside outside into onto via through
		by from for with per vor nach bis`)
	// light are words that say little about what is claimed, so that other words can stand for them.
	light = text.Set(`use uses used using usage make makes made making keep keeps kept keeping stay stays stayed staying
		stand stands take takes took taken taking put puts set sets setting go goes going gone went let lets want wants
		wanted need needs needed must shall should become becomes happen happens come comes came give gives given gave run
		ran runs running work works working get new now always ever never no not instead rather without cannot only first
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
