package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// decide makes the item of a course that was taken.
func (r *reply) decide(rule string, s *sentence, o *offer, among offering, own string) {
	o.words()
	for i, x := range r.taken {
		if x.text == o.text {
			r.addTo(&r.items[i], s)
			return
		}
	}
	text := strings.TrimRight(o.text, ". ")
	topic := o.topic
	if topic == "" && o.part != nil && terms(keywords(text)).tooFew() && few(o.part.Heading, 1) > 0 && len(o.part.Heading) < 60 && !bareHeading.MatchString(o.part.Heading) {
		topic = o.part.Heading
	}
	if topic != "" {
		text = topic + ": " + smallFirst(text)
	}
	if loser := onlyLoser(among, o); loser != "" && !strings.Contains(text, loser) {
		text = over(text, o.name, loser)
	}
	why := o.why
	if own = strings.TrimRight(tidy(own), ". "); len(keywords(own)) > 0 && share(keywords(own), keywords(text)) < 0.7 && len(own) < 160 {
		if why == "" && !terms(keywords(text)).tooFew() && givesReason(own) {
			why = spelled(own)
		} else {
			text += " — " + spelled(lowerFirst(own))
		}
	}
	if terms(keywords(text)).tooFew() {
		return // nobody would know what it is about
	}
	r.taken = append(r.taken, o)
	s.chosen = true
	if o.part != nil {
		o.part.chosen = true
	}
	it := turnItem(payload.Decision, rule, payload.ByUser, r.sp.turn, shorten(tidy(text)), quote(r.sp.text, s.From, s.To))
	if why == "" && len(among) > 0 {
		why = r.praise(o)
	}
	it.Why = strings.TrimRight(shorten(why), ".")
	it.About = about(r.quoted(o))
	for i := range among {
		if a := &among[i]; a.name != o.name || a.from != o.from {
			it.Alternatives = append(it.Alternatives, a.title())
		}
	}
	e := cite(o.sp, o.from, o.to)
	said := keywords(it.Text)
	if shared(keywords(it.Evidence[0].Quote), said) < 2 && shared(keywords(e.Quote), said) >= 2 {
		it.Evidence = append([]payload.Evidence{e}, it.Evidence...)
	} else {
		it.Evidence = append(it.Evidence, e)
	}
	r.items = append(r.items, it)
}

// ownRule matches what binds by itself, whatever was said before it.
var ownRule = cue.One(`(?i)\b(?:must|has to|have to|need to|needs to)\b`)

// addTo adds to an item what a further sentence says of the same course.
func (r *reply) addTo(it *payload.Item, s *sentence) {
	more := strings.TrimRight(tidy(s.Text), ". ")
	if s.chosen || share(keywords(more), keywords(it.Text)) > 0.7 || len(more) > 120 || strings.Contains(it.Text, " — ") {
		return
	}
	s.chosen = true
	it.Text = shorten(tidy(strings.TrimRight(it.Text, ". ") + " — " + spelled(lowerFirst(more))))
}

// onlyLoser is what the only other course is called, "" if there are more or its
// name is long.
func onlyLoser(among offering, o *offer) string {
	if len(among) != 1 {
		return ""
	}
	t := among[0].title()
	words := strings.Fields(strings.ToLower(t))
	if len(words) == 0 || finite.MatchString(t) || !baseVerbs[words[0]] && hasVerb(words) || hasVerb(words[1:]) {
		return "" // a sentence of its own can't follow a "not"
	}
	if len(words) > 9 || strings.HasSuffix(t, "…") || len(keywords(t)) == 0 {
		return ""
	}
	return t
}

var finite = cue.One(`(?i)\b(?:is|are|was|has|have|would|could|can|will|goes?|answers?|does|takes?|gets?)\b`)

// over says what lost beside what was taken.
func over(text, name, loser string) string {
	joint := ", not "
	first := strings.ToLower(firstField(loser))
	if baseVerbs[first] {
		joint = " rather than "
	}
	if n := len(name); n > 0 && n < len(text) && strings.EqualFold(text[:n], name) && text[n] == ':' {
		return text[:n] + joint + smallFirst(loser) + text[n:]
	}
	if strings.Contains(text, ", which ") {
		return text // it would read as if the other were what that is said of
	}
	return text + joint + smallFirst(loser)
}

// praise is the reason that the message gives where it says which course it
// would take.
func (r *reply) praise(o *offer) string {
	for _, sp := range []*speech{r.to, o.sp} {
		for i := range sp.parts {
			p := &sp.parts[i]
			if p == o.part || !recommends.MatchString(p.Text) && !proposesIt.MatchString(p.Text) {
				continue
			}
			if len(o.named) == 0 || shared(o.named, p.keys()) < len(o.named) {
				continue
			}
			text, why := splitWhy(strings.TrimRight(p.Text, ". "))
			if why != "" {
				return why
			}
			if _, after, ok := strings.Cut(text, ": "); ok && few(after, 2) >= 2 {
				return after
			}
		}
	}
	return ""
}

func (r *reply) quoted(o *offer) string { return o.sp.text[o.from:o.to] }

// tooFew tells whether so few words can't say what was decided.
func (t terms) tooFew() bool { return len(t) < 3 }

// givesReason tells why something is taken from what more there is to it.
func givesReason(own string) bool {
	return !furtherTerm.MatchString(own) && (reasonWord.MatchString(own) || hasVerb(strings.Fields(strings.ToLower(strings.ReplaceAll(own, ",", "")))))
}

// reasonWord matches what tells a reason where no verb is known: many verbs aren't,
// and none of another language. "topic home/temp, retained" says more of the thing.
var reasonWord = cue.One(`(?i)\b(?:because|since|cause|cuz|otherwise|else|anyway|already|enough|plenty|too|(?:eas|simpl|cheap|fast|saf|small|short)(?:i?er)|better|less|more|nobody|everybody|people|they|we|i|you|it|he|she|that|who|weil|denn|damit|sonst|ich|wir|kein\w*|zu)\b|\w+n['’]t\b`)

// furtherTerm matches what says more of how it is to be.
var furtherTerm = cue.One(`(?i)^(?:\d\S*|everywhere|each|all|with|without|only|but|not|no|never|on|in|at|for|until|every|per|by|to|from|cron|and|also|keep|leave|drop|pin|make|put|use|set|store|show|print|name|call|start|write|add|sum|round\w*|unsigned|always|just|if|when|queue|one|i want|i need|we need)\b|\bonly\b|\bmust\b|\bhas to\b`)
