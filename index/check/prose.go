package check

import "strings"

// prose reads a prompt or a plan.
func (d *deed) prose(text string) {
	for _, sentence := range sentences(text) {
		d.all = append(d.all, content(sentence)...)
		d.sentence(sentence)
	}
}

// sentences are the ones that somebody typed: what is quoted or fenced is left
// out, since it is shown, not asked for.
func sentences(text string) [][]word {
	var out [][]word
	fenced := false
	for line := range strings.Lines(text) {
		trim := strings.TrimSpace(line)
		if strings.HasPrefix(trim, "```") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(trim, ">") || strings.HasPrefix(trim, "|") || strings.HasPrefix(trim, "#") {
			continue
		}
		var one []word
		for _, w := range cut(strings.TrimLeft(trim, "-*• ")) {
			one = append(one, w)
			if w.ends == '.' || w.ends == ':' || w.ends == '?' {
				out = append(out, one)
				one = nil
			}
		}
		if len(one) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// asks says whether a sentence wants to know, not to have done.
func asks(s []word) bool {
	first, i := s[0].text, 0
	for i < len(s)-1 && (first == "and" || first == "so" || first == "but" || first == "ok" || first == "okay" || first == "also" || first == "wait" || first == "hm" || first == "please") {
		i++
		first = s[i].text
	}
	next := func(n int) string {
		if i+n < len(s) {
			return s[i+n].text
		}
		return ""
	}
	switch {
	case (first == "what" || first == "how") && next(1) == "about",
		first == "can" || first == "could" || first == "would" || first == "will" || first == "shall" || first == "should":
		for k := range s { // "can you tell me what we use": it asks all the same
			if w := s[k].text; k > i && k < i+5 && (w == "tell" || w == "explain" || w == "remind" || w == "show" || w == "list" || w == "describe" || w == "check") {
				return true
			}
		}
		return false
	case first == "what's", first == "where's", first == "who's", first == "didn't", first == "don't" && s[len(s)-1].ends == '?', first == "isn't", first == "wasn't", first == "aren't":
		return true
	}
	return asking[first]
}

// sentence finds what a sentence wants done.
func (d *deed) sentence(s []word) {
	question := asks(s)
	if question || s[len(s)-1].ends == '?' || hunch(s) {
		d.hunches(s)
	}
	if question {
		return
	}
	if len(s) > 2 && s[1].text == "about" && (s[0].text == "what" || s[0].text == "how") && !verb(s[2].text) {
		rest, left := lost(s[2:clauseEnd(s, 2)])
		d.add(split(takesUp, rest))
		d.add(split(givesUp, left))
	}
	d.givenIn(s)
	for i := 0; i < len(s); i++ {
		w := s[i].text
		if w == "rejected" || w == "dismissed" || w == "discarded" { // it tells what became of something
			return
		}
		if i+1 < len(s) && telling[s[i+1].text] { // "support asked for it": who, not what to do
			continue
		}
		if !(verb(w) || i == 0 && commands(s) || proposed(s, i)) || !ordered(s, i) {
			continue
		}
		end := clauseEnd(s, i+1)
		d.clause(s[i], s[i+1:end], denied(s, i))
		i = max(i, end-1)
		if end < len(s) && verb(s[end].text) {
			i = end - 1
		}
	}
}

// givenIn finds what a sentence gives another number to: where it begins with
// what is to be done, or says that something should be.
func (d *deed) givenIn(s []word) {
	if s[len(s)-1].ends == '?' {
		return
	}
	from := 0
	for i, w := range s {
		switch {
		case looks[w.text] || denied(s, i):
			return
		case i < 6 && (w.text == "should" || w.text == "must"), i == 0 && (w.text == "let" || w.text == "make" || w.text == "have" || w.text == "please"):
			m, ok := given(s, i+1)
			if ok && i > 0 {
				m.head = append(append([]word{}, s[:i]...), m.head...)
			}
			if ok {
				d.add(m)
			}
			return
		case limits[w.text], i+1 < len(s) && s[i+1].text == "times":
			if i == 1 || i > 0 && verb(s[0].text) { // "autosave every 30 seconds"
				if m, ok := given(s, from); ok {
					d.add(m)
				}
			}
			return
		}
	}
}

// telling are words that stand behind who does something.
var telling = set("asked asks wants wanted says said needs needed thinks thought complained reported reports is was are were has had gets got keeps kept did does")

// commands says whether an unknown word at the beginning is a verb: what
// follows is its object.
func commands(s []word) bool {
	if len(s) < 3 || s[0].stem == "" || strings.HasSuffix(s[0].text, "s") || strings.HasSuffix(s[0].text, "ing") || strings.HasSuffix(s[0].text, "ed") || looks[s[0].text] {
		return false
	}
	switch s[1].text {
	case "the", "a", "an", "our", "this", "these", "all", "every", "each":
		return true
	}
	return false
}

// proposed says whether an unknown word is a verb since it stands where only
// one can: "let's vacuum", "we should tune".
func proposed(s []word, i int) bool {
	if i == 0 || i+1 >= len(s) || s[i].stem == "" || looks[s[i].text] || asking[s[i].text] || strings.HasSuffix(s[i].text, "ing") || s[i-1].ends != ' ' {
		return false
	}
	switch s[i-1].text {
	case "let's", "lets", "please":
		return true
	case "we":
		return i >= 2 && modal[s[i-2].text]
	case "should", "could":
		return i >= 2 && s[i-2].text == "we"
	}
	return false
}

// looks are verbs of finding out: what they name isn't had.
var looks = set("find look see profile compare measure plot review test verify debug fix trace think mention document note keep alert say discuss talk remember forget skip ignore postpone benchmark wait ask check read revisit recap celebrate stop not see draft plan")

func verb(w string) bool {
	return mending[w] || putting[w] || taking[w] || giving[w] || changing[w] || setting[w] || handling[w] || w == "keep" || w == "stop" || w == "avoid"
}

// ordered says whether a verb is asked for: it begins the sentence or a clause,
// or stands behind a word that asks.
func ordered(s []word, i int) bool {
	if i == 0 || s[i-1].ends != ' ' {
		return true
	}
	before := s[i-1].text
	gerund := strings.HasSuffix(s[i].text, "ing") && s[i].text != "bring"
	if gerund {
		return before == "start" || before == "try" || before == "consider" || before == "about" || before == "by" || before == "suggest" || before == "propose" || before == "stop" || before == "without" || before == "not"
	}
	switch before {
	case "to":
		return i == 1 || wants[s[i-2].text]
	case "we", "i", "you":
		return i >= 2 && modal[s[i-2].text]
	}
	return leads[before]
}

// denied says whether a verb is asked not to be done.
func denied(s []word, i int) bool {
	for k := range min(i, len(s)-1) {
		if w := s[k].text; w == "doubt" || w == "wouldn't" || w == "don't" && s[k+1].text == "think" {
			return true
		}
	}
	for k := i - 1; k >= 0 && s[k].ends == ' '; k-- { // "check whether we could", "I know we could"
		if s[k].text == "whether" || s[k].text == "know" {
			return true
		}
	}
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		if s[k].ends != ' ' {
			return false
		}
		switch s[k].text {
		case "not", "don't", "never", "nobody", "without", "stop", "avoid", "instead", "shouldn't", "won't", "can't", "no":
			proposes := s[k+1].text == "we" || k > 0 && s[k-1].text == "why" || s[0].text == "why" // "can't we use X", "why not use X" want it
			return !proposes
		}
	}
	return false
}

// clauseEnd is where the clause that goes on at i ends.
func clauseEnd(s []word, i int) int {
	for k := i; k < len(s); k++ {
		if e := s[k].ends; e == '.' || e == ':' || e == '?' || e == '—' || e == ',' {
			return k + 1
		}
		if w := s[k].text; k > i && (w == "and" || w == "then" || w == "but" || reasons[w] || w == "so") && k+1 < len(s) {
			if w != "and" || verb(s[k+1].text) || s[k+1].text == "then" {
				return k
			}
		}
	}
	return len(s)
}

// hunch says whether a sentence takes something for the cause.
func hunch(s []word) bool {
	for i, w := range s {
		next := ""
		if i+1 < len(s) {
			next = s[i+1].text
		}
		switch {
		case probing[w.text], w.text == "probably", w.text == "guess" && i > 0, w.text == "sure" && i > 0 && (next == "it's" || next == "its" || next == "it"), w.text == "must" && next == "be", w.text == "might" && next == "be", w.text == "could" && next == "be", w.text == "culprit",
			w.text == "maybe", w.text == "come" && next == "from" && s[0].text == "could", w.text == "perhaps", w.text == "bet" && i > 0, w.text == "look" && next == "into", w.text == "looks" && next == "like", w.text == "think" && (next == "it's" || next == "the" || next == "it" || next == "this"):
			return true
		}
	}
	return false
}

// hunches adds what a sentence suspects: "could it be the cache?" wants a look
// at what may have been ruled out.
func (d *deed) hunches(s []word) {
	if past(s) || !hunch(s) && !(len(s) > 2 && (s[0].text == "is" || s[0].text == "could" || s[0].text == "can") && s[1].text == "it") {
		return
	}
	d.add(move{stance: suspects, head: s})
}

// past says whether a sentence speaks of what was found before.
func past(s []word) bool {
	for _, w := range s {
		switch w.text {
		case "decided", "eliminated", "excluded", "ruled", "already", "earlier", "previously", "why", "tried", "remember", "wasn't", "isn't", "not", "didn't":
			return true
		}
	}
	return false
}
