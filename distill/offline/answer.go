package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

// statement makes one sentence of a question and its answer, so that it can be
// read without the other: "Where do the workers run?" and "Inside the server"
// become "The workers run inside the server." The question's words stay: they
// are what somebody will ask with.
func statement(question, choice string) string {
	q := lastQuestion(question)
	for _, f := range []func(q, choice string) string{yesNo, whichOne, howMany, whoDoes, whWhat} {
		if s := f(q, choice); s != "" {
			return upperFirst(s)
		}
	}
	return q + ": " + choice
}

// lastQuestion is the question proper of what was asked, without its lead-in.
func lastQuestion(s string) string {
	s = strings.TrimRight(questionAside.ReplaceAllString(strings.TrimRight(s, "?: "), ""), "?: ")
	if cuts := splitSentences(s); len(cuts) > 1 {
		if last := s[cuts[len(cuts)-1][0]:]; len(keywords(last)) >= 2 {
			s = last
		}
	}
	return s
}

var (
	questionAside = cue.One(`\s*\([^()]*\)?\??\s*$`)
	askWhether    = cue.One(`(?i)^(?:should|shall|can|could|may) (?:i|we)\s+|^(?:do you want|would you like|ok for)(?: me| us)? to\s+|^(?:do|would) you (?:want|like|prefer)(?: me| us)? to\s+|^want me to\s+`)
	saysYes       = cue.One(`(?i)^(?:yes|yep|yeah|sure|ok(?:ay)?)\b[,.!:;—– -]*`)
	saysNo        = cue.One(`(?i)^(?:no|nope)\b[,.!:;—– -]*`)
)

// yesNo words a question that asks whether to do something.
func yesNo(q, choice string) string {
	m := askWhether.FindString(q)
	if m == "" {
		return ""
	}
	what := strings.TrimSpace(q[len(m):])
	if strings.Contains(what, " or ") {
		return ""
	}
	switch {
	case saysYes.MatchString(choice):
		return withRest(what, saysYes.ReplaceAllString(choice, ""))
	case saysNo.MatchString(choice):
		return withRest("do not "+what, saysNo.ReplaceAllString(choice, ""))
	}
	return ""
}

// withRest adds what an answer says beyond yes or no, if it says more.
func withRest(s, rest string) string {
	if share(keywords(rest), keywords(s)) >= 0.5 || len(keywords(rest)) == 0 {
		return s
	}
	return s + " (" + strings.TrimRight(lowerFirst(rest), ". ") + ")"
}

var (
	whichWe   = cue.One(`(?i)^(?:which|what) (.{2,60}?) (?:do|did|should|shall|would|will|must) (we|you|i) (\w+)\s*(.*)$`)
	whichIt   = cue.One(`(?i)^(?:which|what) (.{2,40}?) (should|must|will|would|can|may) ((?:the|this|that|our|each|an?) .{2,40}?|it|they) (\w+)$`)
	whichBare = cue.One(`(?i)^(?:which|what) (\S+(?: \S+){0,3})$`)
	manyOf    = cue.One(`(?i)^how (?:many|much) (\S+(?: \S+){0,2}?)(?: (?:do|does|should|shall|are|is|will|can|may|must) .*)?$`)
	whoOne    = cue.One(`(?i)^who ((?:may|can|should|must|will|gets?|owns?|approves?|decides?|signs?|writes?|tests?|reviews?)\b.*)$`)
	whatIs    = cue.One(`(?i)^what(?: is| are|'s) (.+)$`)
	whAux     = cue.One(`(?i)^(how|where|when|what|how often|how long) (do|does|did|should|shall|can|will|would|may|must) (.+)$`)
)

func whichOne(q, choice string) string {
	if m := whichWe.FindStringSubmatch(q); m != nil {
		verb, rest := strings.ToLower(m[3]), strings.TrimSpace(m[4])
		if !baseVerbs[verb] {
			return ""
		}
		if rest == "" {
			return m[1] + ": we " + verb + " " + smallFirst(choice)
		}
		return m[1] + " that we " + verb + " " + rest + ": " + smallFirst(choice)
	}
	if m := whichIt.FindStringSubmatch(q); m != nil && baseVerbs[strings.ToLower(m[4])] {
		return m[1] + " that " + m[3] + " " + strings.ToLower(m[2]) + " " + m[4] + ": " + smallFirst(choice)
	}
	if m := whichBare.FindStringSubmatch(q); m != nil && !hasVerb(strings.Fields(strings.ToLower(m[1]))[1:]) {
		return m[1] + ": " + choice
	}
	return ""
}

// hasVerb tells whether one of the words may be a verb.
func hasVerb(words []string) bool {
	for _, w := range words {
		if baseVerbs[w] || baseVerbs[strings.TrimSuffix(w, "s")] || baseVerbs[strings.TrimSuffix(w, "es")] || w == "is" || w == "are" || w == "has" {
			return true
		}
	}
	return false
}

func howMany(q, choice string) string {
	m := manyOf.FindStringSubmatch(q)
	if m == nil {
		return ""
	}
	return "number of " + lowerFirst(m[1]) + ": " + smallFirst(choice)
}

func whoDoes(q, choice string) string {
	m := whoOne.FindStringSubmatch(q)
	if m == nil || len(strings.Fields(choice)) > 6 {
		return ""
	}
	return choice + " " + m[1]
}

// whWhat turns the order of a question round where its verb can be told.
func whWhat(q, choice string) string {
	if m := whatIs.FindStringSubmatch(q); m != nil {
		return m[1] + ": " + smallFirst(choice)
	}
	m := whAux.FindStringSubmatch(q)
	if m == nil {
		return ""
	}
	wh, aux, words := strings.ToLower(m[1]), strings.ToLower(m[2]), strings.Fields(m[3])
	at := -1
	for i, w := range words {
		if i > 0 && i < 6 && baseVerbs[strings.ToLower(w)] {
			at = i
			break
		}
	}
	if at < 0 {
		return ""
	}
	subject, verb, rest := strings.Join(words[:at], " "), words[at], strings.Join(words[at+1:], " ")
	switch aux {
	case "does":
		verb = thirdPerson(verb)
	case "should", "shall", "can", "will", "would", "may", "must":
		verb = aux + " " + verb
	}
	clause := strings.TrimSpace(subject + " " + verb + " " + rest)
	switch {
	case wh != "what" && placed.MatchString(choice):
		return clause + " " + lowerFirst(choice)
	case wh == "when" && dated.MatchString(choice):
		return clause + " on " + choice
	}
	return clause + ": " + smallFirst(choice)
}

var (
	placed = cue.One(`(?i)^(?:inside|in|on|at|by|with|after|before|when|via|through|under|next to|from|as|per|only|every|once|within|into|during)\b`)
	dated  = cue.One(`(?i)^(?:\d{1,2}(?:st|nd|rd|th|\.)? [A-Za-z]{3,}|(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)\b)`)
)

// smallFirst gives an answer a small letter where it opens with a common word.
func smallFirst(s string) string {
	w, _, _ := strings.Cut(s, " ")
	if low := strings.ToLower(strings.Trim(w, ",.;:")); baseVerbs[low] || openers[low] {
		return lowerFirst(s)
	}
	return s
}

func thirdPerson(v string) string {
	switch {
	case v == "have":
		return "has"
	case v == "be":
		return "is"
	case strings.HasSuffix(v, "s"), strings.HasSuffix(v, "sh"), strings.HasSuffix(v, "ch"), strings.HasSuffix(v, "x"), strings.HasSuffix(v, "o"):
		return v + "es"
	case strings.HasSuffix(v, "y") && len(v) > 2 && !strings.ContainsRune("aeiou", rune(v[len(v)-2])):
		return v[:len(v)-1] + "ies"
	}
	return v + "s"
}

var openers = wordSet(`a an the all both one only no none every each two three separate new existing same keep inside outside`)

var baseVerbs = wordSet(`add allow appear apply archive behave belong build cache call change check choose close come compute connect
	create default define delete deploy discard display do drop export fail fetch find fix focus format generate get go group handle happen
	have host import include install integrate keep label limit link live load log look make manage measure merge migrate mount move
	name notify open order organize pay pick place plan point poll prefer process publish put queue read refresh release remove rename
	render replace report reset resolve respond retry return run save schedule see send serve set share ship show sign sort split
	spend start stay stop store structure support switch sync take target test track treat trigger update upload use validate want
	work wrap write be`)
