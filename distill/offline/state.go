package offline

import (
	"cmp"
	"slices"
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// Words that say how far something is, alone, as a heading or after a name: that it is done, that nobody began it, that
// it isn't finished.
const (
	doneWords = `done|completed?|finished|ready|implemented|works|in place|100 ?%|fertig|erledigt|` +
		`[✅☑✔✓]\x{FE0F}?|\[[xX]\]`
	newWords = `not (?:yet )?(?:started|begun|touched)(?: yet)?|untouched|0 ?%|` +
		`nothing(?: there| done| written)?(?: yet)?|nicht (?:angefangen|begonnen)`
	openWords = `not (?:yet )?(?:done|finished|completed?|implemented|working)|(?:work )?in progress|wip|under way|` +
		`half(?:[- ]?(?:done|finished|way|ready|there))?|part(?:ial)?(?:ly)?(?: done| there)?|` +
		`incomplete|unfinished|stub(?:s|bed)?|(?:about |around |~ ?)?\d\d? ?%|` +
		`(?:(?:just|only|still) )*an? (?:(?:empty|bare) )?(?:shell|skeleton|stub|placeholder)|` +
		`(?:still )?(?:open|missing|to[- ]?do|to be done|left|remaining|pending|outstanding)|offen|` +
		`[❌✘✗🚧⏳🔄⬜☐🔲]|\[ \]|(?:is|are|was|were)n['’]t`
	stateWords = `(` + doneWords + `)|(` + newWords + `)|` + openWords
)

var (
	// heading matches a heading that says no more than how far the list below it is.
	heading = text.Pattern(`(?i)^\W*(?:what(?:['’]s| is| was)? |already |now )?(?:` + stateWords + `)` +
		`(?: (?:so far|now|today|yet|work|items|tasks|files|parts))?\W*$`)
	// nextHead matches a heading above a list of what comes next.
	nextHead = text.Pattern(`(?i)(?:^\W*|[.!] )(?:(?:the|your|my|suggested|recommended|possible|immediate|open) )?` +
		`(?:next(?: (?:up|steps?|actions?))?|remaining(?: (?:work|steps|items|tasks))?|to ?do|` +
		`(?:what['’]s|what is) (?:next|left)|questions)\W*$`)
	// labels matches such words before what they say it of: "Still open: refunds".
	labels = text.Pattern(`(?i)^(?:` + stateWords + `):`)
	// predicate matches what is left of a clause without its names, if that only says how far they are.
	predicate = text.Pattern(`(?i)^(?:(?:is|are|was|with|once|both|all|of|now|already|also|just|it|` +
		`—|–|-|:|·|[❌✘✗])[\s.!]*)*` +
		`(?:` + stateWords + `)(?: (?:now|already|too|again|yet|earlier|so far|and \w+))?(?:[\s.!✅✔✓]*$|:| \()`)
	// states matches words that say how far something is wherever they stand.
	states = text.Pattern(`(?i)\b(?:` +
		`((?:is|are|ist|sind) (?:now |all |both |jetzt )?(?:done|complete|finished|ready|fertig))|` +
		`((?:not|\w+n['’]t) (?:been )?(?:begun|started|touched)|did(?:n['’]t| not) (?:get|come)(?: around)? to|untouched)|` +
		`not (?:\w+ ){0,3}yet|not (?:fully|implemented|finished|complete|done)|` +
		`\w+n['’]t (?:implemented|finished|complete|done|(?:\w+ ){0,3}yet)|` +
		`incomplete|unfinished|stub(?:s|bed)?|half[- ]?(?:done|finished|way|there)|(?:work )?in progress|` +
		`(?:is|are) missing|lacks?\b|needs? (?:more|some) work|` +
		`only .*(?:so far|remains?)\b|noch nicht|unfertig|fehl(?:t|en)\b|` +
		`still (?:to do|needs?|has|have|missing|fails?|failing|broken|open)|tests? (?:still |now )?fail)`)
)

// saidState returns how far something is by what a pattern with the two groups of stateWords matches, or "".
func saidState(match []int) string {
	switch {
	case match == nil:
		return ""
	case match[2] >= 0:
		return payload.FileDone
	case match[4] >= 0:
		return payload.FileUntouched
	}
	return payload.FileProgress
}

// headState returns how far a heading says that the list below it is, or "".
func headState(line string) string {
	const longest = 40
	if len(line) > longest {
		return ""
	}
	return saidState(heading().FindStringSubmatchIndex(line))
}

// stated is what a report says of how far a file is.
type stated struct {
	by     *speech
	in     *sentence
	clause string // of the sentence
	state  string
}

var aside = text.Pattern(`\([^()]*\s[^()]*\)`)

// between matches what stands between the clauses of a sentence.
var between = text.Pattern(`[,;·]|[.!]\s|(?i:\s(?:and|but|while|whereas|und|aber|während)\s)`)

// A clause is a part of a sentence, and what it says of how far something is.
type clause struct {
	from, to  int
	state     string // or ""
	isLabel   bool
	onlyNames bool // of files
	ofOthers  bool // it begins with "the rest", "the other two"
}

var (
	ofOthers = text.Pattern(`(?i)^\W*(?:and |but |while )?(?:the )?(?:others?|rest|remaining|other (?:two|three))\b`)
	soIs     = text.Pattern(`(?i)^(?:and )?so (?:is|are)\b`)
	// noneOf matches what says of no thing, or not of all, what follows.
	noneOf = text.Pattern(`(?i)\b(?:none|neither|nothing|hardly|almost|nearly|not (?:all|every\w*|both))\b`)
	// butFor matches what stands before the one thing for which it doesn't hold.
	butFor = text.Pattern(`(?i)\b(?:except|but|apart from|other than|besides|bar|save|außer|bis auf)(?: for)?` +
		`(?: the)?\W*$`)
)

// stateOf returns what a sentence says of the state of a file that it names at a place. If it names others too, that is
// what the file's clause says; a clause of nothing but names goes with those that follow, or with the label before it.
// If it names no other, the file isn't finished if anything there isn't. Where no words say it, the list item's mark,
// the row's cell or the label above does: that something is done of the file that the item begins with.
func stateOf(s *sentence, at int, others bool) (quote, state string) {
	quote, list := s.text, clauses(s.text)
	if butFor().MatchString(s.text[:at]) {
		return "", ""
	}
	if !others {
		state = together(list)
	} else if own := slices.IndexFunc(list, func(c clause) bool { return at < c.to }); own >= 0 {
		quote, state = ownState(s.text, list, own)
	}
	if state != "" && s.block != row {
		return quote, state
	}
	quote, state = s.text, cmp.Or(s.state, state)
	if state == "" && s.under != nil {
		quote, state = s.under.text+" "+s.text, s.under.state
	}
	if state == payload.FileDone && !itemBegin().MatchString(s.text[:at]) {
		return "", ""
	}
	return quote, state
}

// itemBegin matches what stands before what an item is about: a mark, a number.
var itemBegin = text.Pattern(`^(?:\[[xX]\]|[\W0-9])*$`)

// together returns what some clauses say of one thing.
func together(list []clause) (state string) {
	for _, c := range list {
		if c.ofOthers {
			continue
		}
		if state != "" && c.state != "" && c.state != state {
			return payload.FileProgress
		}
		state = cmp.Or(state, c.state)
	}
	return state
}

// ownState returns what the clauses of a sentence say of what one of them names.
func ownState(sentence string, list []clause, own int) (quote, state string) {
	if list[own].state == "" && !list[own].onlyNames {
		return "", ""
	}
	first, last := own, own
	for list[last].state == "" && last < len(list)-1 {
		if next := list[last+1]; !next.onlyNames && (next.state == "" || next.isLabel) {
			break
		}
		last++
	}
	if list[last].state != "" {
		for first > 0 && list[first-1].onlyNames && !list[first].isLabel {
			first--
		}
		return sentence[list[first].from:list[last].to], list[last].state
	}
	for list[first].state == "" && first > 0 && (list[first-1].onlyNames || list[first-1].isLabel) {
		first--
	}
	return sentence[list[first].from:list[own].to], list[first].state
}

// clauses cuts a sentence. What stands in brackets says nothing of how far anything is.
func clauses(sentence string) (out []clause) {
	said := aside().ReplaceAllStringFunc(sentence, func(m string) string { return strings.Repeat(" ", len(m)) })
	from := 0
	for _, m := range append(between().FindAllStringIndex(said, -1), []int{len(said), len(said)}) {
		words, whole := strings.TrimSpace(said[from:m[0]]), strings.TrimSpace(sentence[from:m[0]])
		c := clause{from: from + strings.Index(sentence[from:m[0]], whole)}
		c.to = c.from + len(whole)
		from = m[1]
		if words == "" {
			continue
		}
		if label := labels().FindStringSubmatchIndex(words); label != nil {
			c.state, c.isLabel = saidState(label), true
		} else if other, rest, ok := strings.Cut(words, ": "); ok && !strings.ContainsAny(other, "`./") {
			words = rest // "Current state: …"
			c.state = saidState(states().FindStringSubmatchIndex(other))
			c.isLabel = c.state != ""
		}
		all := slices.DeleteFunc(strings.Fields(words), func(w string) bool {
			return looksLikePath(strings.TrimRight(w, "."))
		})
		c.onlyNames = len(all) == 0 || len(strings.Fields(words)) == 1
		if n := len(out); n > 0 && soIs().MatchString(words) {
			c.state = out[n-1].state
		} else if c.state == "" {
			left := strings.Join(all, " ")
			c.state = cmp.Or(saidState(predicate().FindStringSubmatchIndex(left)),
				saidState(states().FindStringSubmatchIndex(words)))
		}
		c.ofOthers = ofOthers().MatchString(words)
		if c.state == payload.FileDone && noneOf().MatchString(words) {
			c.state = payload.FileProgress
		}
		out = append(out, c)
	}
	return out
}
