package brief

import (
	"slices"
	"strings"
	"unicode/utf8"

	"recall/answer"
	"recall/index"
	"recall/internal/text"
	"recall/payload"
)

// task is what a session is to do, as what was said is compared with it.
type task struct {
	text  string
	words text.Bag // with their rarity
	opens text.Bag // those that sentences begin with, which mostly say what to do and not with what
	known float64  // the weight of those that were ever said
	least float64  // how many of them what bears on it shares with it
	long  bool

	results []*answer.Result
	passed  map[string]bool // turns compared before: results stand near one another
}

func readTask(said string, rarity text.Bag, results []*answer.Result) *task {
	t := &task{text: said, results: results, words: rarity, opens: text.Bag{}, passed: map[string]bool{}}
	size := 0.0
	for w, r := range rarity {
		size += wordIn(w)
		if r < 1 {
			t.known += r
		}
	}
	for _, s := range text.Sentences(said, true) {
		if first := text.Content(s); len(first) > 0 {
			t.opens[text.Stem(first[0])] = 1
		}
	}
	t.least, t.long = max(twice, size/inWords), size >= atLength
	return t
}

// remarks returns what a person said in some turns that bears on a task.
func (k *task) remarks(turns []index.Turn, r *answer.Result) (all []Bearing) {
	if asksBack(k.text) {
		return nil
	}
	for i, t := range turns {
		if !typed(t) || k.passed[r.Session+t.ID] {
			continue
		}
		to, then := "", ""
		if i > 0 && !typed(turns[i-1]) {
			to = turns[i-1].Text
		}
		if i+1 < len(turns) && !typed(turns[i+1]) {
			then = text.Head(text.OneLine(turns[i+1].Text), restated)
		}
		k.passed[r.Session+t.ID] = i > 0 && then != "" // with what stands around it
		said := text.HeadMarked(t.Text, compared)
		best, most, before := Bearing{}, 0.0, ""
		for _, s := range text.Sentences(said, true) {
			w, from := k.bound(before, s, then), s
			if w == 0 && before != "" && text.SaysChanged(s) { // "They come off. Back to paper"
				w, from = k.bound("", before+" "+s, then), before
			}
			if w > most && !k.done(s, t, r) {
				t.Text = said[strings.Index(said, from):] // with until when, or why
				best = quoted(t, r.Place)
				best.worth, most = r.Score, w
			}
			before = s
		}
		if most > 0 {
			if asksBack(text.LastWords(to)) {
				best.Asked = to
			}
			all = append(all, best)
		}
	}
	return all
}

const restated = 240 // bytes in which an assistant says again what it was told

// bound returns how much of the task a sentence has that binds later work, with what was replied to it; 0 if it doesn't
// bear on it. A word that both say is what it is about; two that one says are, too.
func (k *task) bound(before, s, then string) float64 {
	strict := orders().MatchString(s) && !pointsBack().MatchString(s)
	changed, off := text.SaysChanged(s), later().FindStringIndex(s)
	puts := "" // what is put off
	if off != nil {
		if puts = s[:off[0]]; len(text.Content(puts)) < 2 { // "Postpone it until"
			puts = before + " " + puts
		}
	}
	binds := strict || changed || off != nil || limits().MatchString(s)
	if asksBack(s) || !binds {
		return 0
	}
	own, restated := k.in(s), k.in(then)
	both, all := own.Among(then), k.in(s+"\n"+then)
	ordered := strict || changed && !proposes().MatchString(s)
	switch {
	case count(all) < k.least/2:
		return 0
	case count(own.Without(k.opens)) >= twice && (!k.long || count(own) >= k.least):
	case changed && count(restated.Without(k.opens)) >= k.least:
	case !k.long && count(both.Without(k.opens)) >= once && ordered:
	case off != nil && 2*len(k.in(puts)) >= max(1, len(text.Words(puts))):
	default:
		return 0
	}
	return own.Weight() + all.Weight()
}

// done reports whether a later session's result has the words of what a sentence puts off.
func (k *task) done(s string, t index.Turn, r *answer.Result) bool {
	at := later().FindStringIndex(s)
	if at == nil {
		return false
	}
	of := k.in(s[:at[0]])
	return len(of) > 0 && slices.ContainsFunc(k.results, func(o *answer.Result) bool {
		return o.Session != r.Session && o.At.After(t.At) && len(of.Among(o.Passage)) == len(of)
	})
}

// examined returns what an assistant said that excludes what was supposed before it, unless the person denied it: of an
// exchange that has much of a task that supposes something itself, or most of another.
func (k *task) examined(turns []index.Turn, r *answer.Result) (best []Bearing) {
	most, share := thrice, half
	if supposes().MatchString(k.text) {
		most, share = twice, third
	}
	has, supposed, looked, guess := text.Bag{}, text.Bag{}, false, ""
	for i, t := range turns {
		switch {
		case typed(t) && (len(supposed) == 0 || looked):
			has, supposed, looked = text.Bag{}, text.Bag{}, false
		case typed(t): // they ask to look
			looked = true
		}
		answered := ""
		if i+1 < len(turns) && typed(turns[i+1]) {
			answered = turns[i+1].Text
		}
		first := text.Sentences(answered, true) // what follows may be about something else
		denied := len(first) > 0 && text.Denies(first[0]) && !asksBack(first[0])
		said := text.OneLine(t.Text)
		for _, s := range text.Sentences(said, typed(t)) {
			excluded := len(supposed) > 0 && !typed(t) && excludes().MatchString(s) && !proposes().MatchString(s)
			in := k.in(s)
			about := len(in) > 0 || len(supposed.Among(s)) > 0
			has.Add(in)
			if supposes().MatchString(s) && (!typed(t) || asksBack(s)) {
				supposed.Add(text.Words(s))
				if !typed(t) && !excluded {
					guess = s
				}
			}
			enough := count(has) >= most && has.Weight() >= share*k.known
			if !excluded || denied || !about || !enough {
				continue
			}
			most = count(has) + 1 // another must have more
			b := quoted(t, r.Place)
			b.Item.By, b.Item.Text, b.Answered = payload.ByAssistant, said[strings.Index(said, s):], answered
			if guess != "" && !strings.Contains(b.Item.Text, guess) { // what was excluded
				b.Item.Text = guess + " … " + b.Item.Text
			}
			b.worth = r.Score
			best = []Bearing{b}
		}
	}
	return best
}

var (
	// supposes matches what supposes a cause, or asks whether it is one.
	supposes = text.Pattern(`(?i)\b(?:maybe|perhaps|possibly|probably|might|may be|` +
		`could (?:it|the|that|this|there|also|be|cause)|` +
		`suspect\w*|suspicion|guess|hypothes[ie]s|theory|candidate|i th(?:ink|ought)|` +
		`(?:first|my|one) (?:thought|idea)|` +
		`why|caus(?:es?|ed|ing)|because|since|that['’]s (?:why|where)|is why|behind|check (?:whether|if|the)|look at|` +
		`vermut\w*|vielleicht|wahrscheinlich|liegt|warum|wieso)\b|könnte|^(?:is|are|does|do|did|was|ist|sind)\b.*\?|` +
		`怀疑|可能|也许|是不是|是.+吗|为什么|かも|おそらく|疑`)
	// proposes matches what is only thought of.
	proposes = text.Pattern(`(?i)\b(?:would|should|could|shall)\b`)
	// excludes matches what says of something that it isn't so.
	excludes = text.Pattern(`(?i)\b(?:no|not|never|nothing|none|neither|nor|without|cannot|exclud\w*|reject\w*|` +
		`rul(?:es?|ed) out|clear(?:s|ed)|innocent|out of the question|off the hook|dead end|red herring|fine|healthy|` +
		`nicht|kein\w*|ausgeschlossen|schlie(?:ß|ss)\w* .{1,40} aus|in ordnung)\b|n['’]t\b|` +
		`不是|没有?问题|无关|正常|ではな|じゃな|問題(?:な|あり)|無関係`)
)

// in returns the words of the task that were said, or stand in longer words.
func (k *task) in(said string) text.Bag {
	out := text.Bag{}
	text.Each(said, func(w string) bool {
		stem := text.Stem(w)
		if r, ok := k.words[stem]; ok {
			out[stem] = r
		} else if len(w) >= part+2 {
			for of, r := range k.words {
				if len(of) >= part && (strings.HasPrefix(stem, of) || strings.HasSuffix(stem, of)) {
					out[of] = r
				}
			}
		}
		return true
	})
	return out
}

const part = 5 // bytes of a word that may be a part of another

// count counts the words that may say what something is about, common ones in part: two characters of a script without
// spaces are half a word, a number none, nor a part of another.
func count(words text.Bag) (n float64) {
	for w, rarity := range words {
		isPart := func(of string) bool { return len(of) > len(w) && strings.Contains(of, w) }
		one := min(1, rarity/rare) * wordIn(w)
		switch {
		case wordIn(w) < 1:
			n += one
		case len(w) > 2 && strings.ContainsFunc(w, func(r rune) bool { return r > '9' }) && !anyOf(words, isPart):
			n += one
		}
	}
	return n
}

// wordIn is how much of a word stands in one of a text's: two characters of a script without spaces are half of one.
func wordIn(w string) float64 {
	if first, _ := utf8.DecodeRuneInString(w); text.Unspaced(first) {
		return 0.5
	}
	return 1
}

const (
	rare   = 0.5 // rarity of a word that counts in full
	once   = 0.8 // of a word's count, as much as one
	twice  = 1.6
	thrice = 2.4

	// The share by weight of a task's words that were ever said.
	half  = 0.5
	third = 0.33
)

func anyOf(words text.Bag, is func(string) bool) bool {
	for w := range words {
		if is(w) {
			return true
		}
	}
	return false
}

// asksBack reports whether something said ends with a question.
func asksBack(said string) bool {
	said = strings.TrimSpace(said)
	return strings.HasSuffix(said, "?") || strings.HasSuffix(said, "？")
}

// What says how something is never to be, or only: as an order, or anyhow.
var (
	orders = text.Pattern(`(?i)(?:^|[,;:.–—]\s*|` +
		`\b(?:please|ok|okay|oh|and|so|then|just|also|i|we|you|bitte|und|wir)\s+)` +
		`(?:don['’]?t|do not|no|not|stop|avoid|leave|only|always|kein\w*|nicht|nur|immer)\b|` +
		`\b(?:never|nowhere|must ?n['’o]t|nie|niemals|nirgends|auf keinen fall|bitte nicht)\b|` +
		`不[要许能得可用准]|[别勿]|禁止|必须|一律|绝对|しない|必ず`)
	// pointsBack matches an order about what was said before it, which is compared with that.
	pointsBack = text.Pattern(`(?i)\b(?:don['’]?t|do not|stop|leave)\b[^,;.]{0,20}\b(?:it|that|this|them|those)\b`)
	limits     = text.Pattern(`(?i)\b(?:without|only|always|at (?:most|least)|` +
		`because|so that|otherwise|rather than|nur|ohne|weil|damit|sonst|h(?:ö|oe)chstens|` +
		`mindestens|immer)\b|只|最多|至少|永远|ない|だけ|まで`)
)

// later matches what puts something off.
var later = text.Pattern(`(?i)\b(?:later|not (?:yet|now|today|this)|` +
	`(?:wait|hold off|leave|park|skip|postpone|defer)\w*\b` +
	`[^.;]{0,16}\b(?:for|after|that|this|it|those)|after the|for now|till|until|` +
	`verschieb\w*|verschoben|erst,? wenn|später|noch nicht|erstmal)\b|先不|暂时|以后再|再说|等.+再|后回し|後回し|まだ|してから`)
