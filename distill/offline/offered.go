package offline

import (
	"strings"

	"recall/distill/offline/cue"
)

// An offer is one of several courses that a message puts before its reader: an
// item of a list, a row of a table, one side of an "either … or".
type offer struct {
	sp       *speech
	part     *sentence // nil for a row of a table
	from, to int       // its bytes in the message
	label    string    // "1", "b"; "" if it has none
	name     string    // what it opens with, before it is explained
	text     string    // in full
	why      string
	topic    string // what the choice is about, "" if that isn't said
	all      terms  // of all of it
	named    terms  // of name
}

// words words an offer that is a sentence of its own: only those that are taken need it.
func (o *offer) words() {
	if o.text == "" {
		o.text, o.why = phrase(o.sp, o.part)
	}
}

// An offering is what one message offers for one choice.
type offering []offer

func (o *offer) index() {
	o.named = keywords(o.name)
	if o.all = o.named; o.part != nil && o.text == "" {
		o.all = o.part.keys()
	} else if o.text != "" && o.text != o.name {
		o.all = keywords(o.name + " " + o.text)
	}
}

// title is an offer in a few words, for what lost.
func (o *offer) title() string {
	t := strings.Trim(o.name, " .,;:—–-")
	if t == "" {
		o.words()
		t = o.text
	}
	return strings.TrimRight(shortenTo(t, 100), ". ")
}

// offeringsOf lists the choices that a message offers, in order.
func offeringsOf(sp *speech) []offering {
	if sp.offers == nil {
		sp.offers = append([]offering{}, findOfferings(sp)...)
	}
	return sp.offers
}

func findOfferings(sp *speech) []offering {
	var out []offering
	add := func(g offering) {
		if len(g) >= 2 && len(g) <= 9 {
			for i := range g {
				g[i].index()
			}
			out = append(out, g)
		}
	}
	for i := 0; i < len(sp.parts); {
		g, n := listAt(sp, i)
		add(g)
		i += max(1, n)
	}
	add(boldOffers(sp))
	for i := range sp.parts {
		add(inlineOffers(sp, &sp.parts[i]))
	}
	if strings.Contains(sp.text, "|") {
		for _, g := range tablesOf(sp) {
			add(g)
		}
	}
	return out
}

// offersChoice matches the words before a list whose items are to be chosen from.
var offersChoice = cue.One(`(?i)\b(?:options?|ways?|candidates?|choices?|variants?|alternatives?|approach(?:es)?|possible|possibilit\w+|ideas?|either|could|can|would|keys?|moves?|answers?|places|proposals?|propose|plan|two|three|which|what|prefer|lean|one by one|help|version|here|short)\b`)

// listAt is the list that stands at a sentence, and how many sentences it takes.
func listAt(sp *speech, at int) (g offering, n int) {
	first := &sp.parts[at]
	if first.Block != listItem {
		return nil, 1
	}
	i := at
	for ; i < len(sp.parts); i++ {
		s := &sp.parts[i]
		if s.Block != listItem || i > at && s.Depth <= first.Depth && (s.Label == "1" || s.Label == "a") {
			break
		}
		if s.Depth > first.Depth || strings.HasSuffix(strings.TrimRight(s.Raw, "*_ "), "?") {
			continue // it tells more of the one above, or asks
		}
		g = append(g, offerOf(sp, s))
	}
	before := first.Heading
	if at > 0 && sp.parts[at-1].Block == paragraph {
		before += " " + sp.parts[at-1].Text
	}
	if sp.work && !choiceOf.MatchString(before) && !asksWhich.MatchString(sp.text) && !mayUse.MatchString(first.Heading) {
		return nil, i - at // a report of what was done
	}
	if len(g) == 0 {
		return nil, i - at
	}
	if first.Label != "" && !endsAsking(sp) && !choiceOf.MatchString(sp.text) && !offersChoice.MatchString(before) {
		return nil, i - at
	}
	if first.Label == "" && g[0].label == "" && !offersChoice.MatchString(before+" "+firstWords(sp.text)) && !answersOne(sp) {
		return nil, i - at
	}
	return g, i - at
}

// answersOne tells whether a message answers a question.
func answersOne(sp *speech) bool {
	return sp.asks != nil && strings.HasSuffix(strings.TrimRight(sp.asks.text, " \n"), "?")
}

// mayUse matches a heading over what could be used or done.
var mayUse = cue.One(`(?i)\b(?:we|you|i|one) (?:can|could|may|might)\b|\b(?:possible|proposals?|candidates|could help)\b`)

// asksWhich matches a message that asks to choose.
var asksWhich = cue.One(`(?i)\b(?:which (?:one|of|approach|option|way|do you|would you)|would you prefer|i'd (?:take|pick|go with|go for|start with)|either\b)`)

func firstWords(s string) string { return s[:min(len(s), 80)] }

var (
	letterLead = cue.One(`^\(?([A-Ea-e1-9])[).:]?$`)
	nameEnd    = cue.One(`:\s| — | – |, | \(|; |\. `)
)

// offerOf makes an offer of a list item.
func offerOf(sp *speech, s *sentence) offer {
	o := offer{sp: sp, part: s, from: s.From, to: s.To, label: optionLabel(s)}
	body := strings.TrimSpace(optLead.ReplaceAllString(s.Text, ""))
	o.name = s.Lead
	if m := letterLead.FindStringSubmatch(strings.TrimSpace(s.Lead)); m != nil { // "**A** advisory lock"
		o.label = strings.ToLower(m[1])
		body = strings.TrimSpace(strings.TrimPrefix(s.Text, s.Lead))
		o.name, o.text = "", tidy(body)
	}
	if o.name == "" {
		o.name = body
		if loc := nameEnd.FindStringIndex(body); loc != nil && loc[0] > 1 {
			o.name = body[:loc[0]]
		}
	}
	return o
}

// boldOffers are paragraphs that open with a name in bold each.
func boldOffers(sp *speech) offering {
	var g offering
	for i := range sp.parts {
		s := &sp.parts[i]
		if s.Block != paragraph || !s.Opens || s.Lead == "" || strings.HasSuffix(s.Raw, "?") {
			continue
		}
		o := offer{sp: sp, part: s, from: s.From, to: s.To, name: s.Lead, label: optionLabel(s)}
		if o.label != "" {
			o.words()
			o.name = o.text
		}
		g = append(g, o)
	}
	if len(g) >= 2 && (g[0].label != "" || !sp.work && offersChoice.MatchString(firstWords(sp.text)+" "+sp.parts[len(sp.parts)-1].Text)) {
		return g
	}
	return nil
}

var (
	inlineMark = cue.One(`\(?\b([a-e])\)\s`)
	listOf     = cue.One(`(?i)\b(?:options|proposals|answers|choices|ways|candidates|variants|alternatives)\b[^:.]{0,25}: (.+)$|\beither (.+)$`)
	topicOr    = cue.One(`^([\p{L}][\p{L} -]{1,24}): (.+)$`)
	orJoint    = cue.One(`,? or (?:else |only )?|, otherwise `)
	listJoint  = cue.One(`[,;] (?:or |and )?`)
	askLead    = cue.One(`(?i)^(?:.*?\b(?:prefer|want|rather|should (?:we|i|it|they|\w+ \w+)|shall (?:we|i)|do you want|would you|hence my question|question|is it|be)\b:? ?)`)
)

// inlineOffers are the courses that one sentence names: "(a) … , (b) …",
// "either … or …", "Options: abort, skip, retry."
func inlineOffers(sp *speech, s *sentence) offering {
	if s.Block == quoted || len(s.Text) > 500 {
		return nil
	}
	or := strings.Contains(s.Text, " or ")
	if !or && !strings.Contains(s.Text, ": ") && !strings.Contains(s.Text, "a) ") {
		return nil
	}
	text := strings.TrimRight(s.Text, ".?! ")
	if strings.Contains(text, "a) ") {
		if g := markedOffers(sp, s, text); len(g) >= 2 {
			return g
		}
	}
	question := strings.HasSuffix(strings.TrimRight(s.Raw, "*_ "), "?")
	if offerAsk.MatchString(text) {
		return nil
	}
	if !or && !strings.Contains(text, ", ") {
		return nil
	}
	topic, body := "", ""
	last := s.Index >= s.Of-3
	if !or && !last && !strings.Contains(text, "s: ") && !strings.Contains(text, "s for") {
		return nil
	}
	switch m := listOf.FindStringSubmatch(text); {
	case m != nil && (or || strings.Contains(text, ": ")):
		body = m[1] + m[2]
	case (or || last) && topicOr.MatchString(text) && s.Block != listItem:
		t := topicOr.FindStringSubmatch(text)
		topic, body = t[1], t[2]
		if !or && strings.Count(body, ", ") != 1 {
			return nil
		}
	case or && question && last:
		body = text
		if lead := askLead.FindString(text); len(lead) < len(text)-8 && strings.Contains(text[len(lead):], " or ") {
			body = text[len(lead):]
		}
	default:
		return nil
	}
	pieces := piecesOf(body)
	var g offering
	for _, p := range pieces {
		p = strings.Trim(p, " ,;:.\"“”")
		p = saidBy.ReplaceAllString(strings.TrimPrefix(strings.TrimPrefix(p, "and "), "or "), "")
		if p == "" || len(p) > 180 || !balanced(p) {
			return nil
		}
		g = append(g, offer{sp: sp, part: s, from: s.From, to: s.To, name: p, text: tidy(p), topic: topic})
	}
	if len(g) > 5 {
		return nil
	}
	return g
}

// piecesOf parts "a, b or c" and "do a thing, or do another, which is long".
func piecesOf(body string) []string {
	sides := splitBy(orJoint, body)
	if len(sides) == 1 {
		return splitBy(listJoint, body)
	}
	list := splitBy(listJoint, sides[0])
	comma := strings.HasPrefix(body[len(sides[0]):], ",") // "a, b, or c": then the first may be long
	for i, p := range list {
		n := fields(inParens.ReplaceAllString(p, ""), 13)
		if n > 12 || n > 5 && (i > 0 || !comma) || i > 0 && goesOnOf.MatchString(p) {
			return sides // no list, but a clause
		}
	}
	return append(list, sides[1:]...)
}

// goesOnOf matches what tells more of the course before it.
var goesOnOf = cue.One(`(?i)^(?:and|but|so|which|that|who|where|with|without|because|since|if|when|then|as|it|they|this|we|i|you)\b`)

// inParens is what an aside tells of a course, however long.
var inParens = cue.One(`\s*\([^()]*\)`)

// saidBy is who would do what is offered.
var saidBy = cue.One(`^(?:I|we|you) (?:could |can |would )?`)

// markedOffers are those of "(a) do this, (b) do that".
func markedOffers(sp *speech, s *sentence, text string) offering {
	var g offering
	marks := allSubmatches(inlineMark, text)
	for i, m := range marks {
		to := len(text)
		if i+1 < len(marks) {
			to = marks[i+1][0]
		}
		p := strings.Trim(text[m[1]:to], " ,;(")
		if p == "" || text[m[2]:m[3]] != string(rune('a'+i)) {
			return nil
		}
		p = strings.TrimSuffix(strings.TrimSuffix(p, " or"), ",")
		g = append(g, offer{sp: sp, part: s, from: s.From, to: s.To, label: text[m[2]:m[3]], name: p, text: tidy(p)})
	}
	return g
}

func splitBy(re *cue.Regexp, s string) []string {
	var out []string
	at := 0
	for _, loc := range allSubmatches(re, s) {
		if strings.Count(s[at:loc[0]], "`")%2 == 1 || strings.Count(s[at:loc[0]], "(") > strings.Count(s[at:loc[0]], ")") {
			continue
		}
		out = append(out, s[at:loc[0]])
		at = loc[1]
	}
	return append(out, s[at:])
}

// tablesOf makes an offering of each table of a message: its rows.
func tablesOf(sp *speech) []offering {
	var out []offering
	var g offering
	var head []string
	at := 0
	flush := func() {
		if len(g) > 0 {
			out = append(out, g)
		}
		g, head = nil, nil
	}
	for line := range strings.SplitSeq(sp.text, "\n") {
		from := at
		at += len(line) + 1
		t := strings.TrimSpace(line)
		if !strings.HasPrefix(t, "|") || !strings.HasSuffix(t, "|") || len(t) < 3 {
			flush()
			continue
		}
		cells := strings.Split(strings.Trim(t, "|"), "|")
		for i := range cells {
			cells[i] = plain(cells[i])
		}
		switch {
		case strings.Trim(t, "|-: ") == "":
		case head == nil:
			head = cells
		case len(cells) == len(head) && len(cells) >= 2 && cells[0] != "":
			o := offer{sp: sp, from: from, to: from + len(line), name: cells[0], text: cells[0]}
			if m := letterLead.FindStringSubmatch(firstField(cells[0])); m != nil {
				o.label = strings.ToLower(m[1])
				o.name = strings.TrimSpace(cells[0][len(firstField(cells[0])):])
				if o.name == "" {
					o.name = cells[1]
				}
				o.text = o.name
			}
			g = append(g, o)
		}
	}
	flush()
	return out
}

func firstField(s string) string {
	f, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return f
}

// allSubmatches lists the places of a pattern's matches, one after the other.
func allSubmatches(re *cue.Regexp, s string) [][]int {
	var out [][]int
	for at := 0; at < len(s); {
		m := re.FindStringSubmatchIndex(s[at:])
		if m == nil || m[1] == 0 {
			break
		}
		for i := range m {
			m[i] += at
		}
		out = append(out, m)
		at = m[1]
	}
	return out
}
