package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// What a person turns down by name, with what is against it: "ds3231 no, respin is
// 6 weeks", "2 is a no go, …", "tried it, still once a day, that doesn't cut it".

var (
	// a person's short no to a thing by name, with what is against it
	typedOut  = cue.One(`(?i)^(?:(?:and|but|ok|so|also|well|then|hm+)[, ]+)*(?:the |an? )?([\p{L}\d` + "`" + `"'./_+@#&=-]+(?: [\p{L}\d` + "`" + `"'./_+@#&=-]+){0,6}?)(?:,| is| are|\?|:)? (?:no|nope|nah|def(?:initely)? not|def no|out|is out|are out|is dead|is off the table|is no option|is not (?:an option|it|worth it)|isn't it|not worth it|not an option|is nonsense|(?:is )?an? (?:no[- ]?go|non-?starter|dead end)|won't (?:fly|do))(?:[,.;:!–—]| -|$)`)
	typedNo   = cue.One(`(?i)^(?:(?:and|but|ok|so|also|well|then|please|damn|hm+)[, ]+)*no (?:to )?(?:the |an? )?([\p{L}\d` + "`" + `"'“][\p{L}\d` + "`" + `"'”./_+#&=-]*(?: [\p{L}\d` + "`" + `"'”./_+#&=-]+){0,4}?)(?: (?:then|please|pls|thanks|for me|for us|here|up there|at all))*(?:[,.;:!–—]| -|\s*$)`)
	cannotUse = cue.One(`(?i)^(?:(?:and|but|ok|so|no|sorry|damn|hm+)[, ]+)*(?:(?:we|i)(?: really| just)? )?(?:can't|cant|cannot|can not|won't|wont|must not|may not) (?:use|take|go with|rely on|do) (?:the |an? )?([\p{L}\d` + "`" + `'./_+#-]+(?: [\p{L}\d` + "`" + `'./_+#-]+){0,3}?)(?:,|;|:| because| since| —| -)`)
	clauseNo  = cue.One(`(?i)(?:^|[,;.] )(?:the |an? )?([\p{L}\d` + "`" + `'./_+#-]+(?: [\p{L}\d` + "`" + `'./_+#-]+){0,2}) no, ([^,.;]{6,})`)
	notNames  = cue.One(`(?i)^(?:on|in|at|for|with|from|to|of|by|as|don't|do|let|just|all|not|now|then|i'm|i'd|we're|i|we|you|he|she|they|it|that|this|there|yes|no|and|or|but|if|when|why|what|how|who|which|problem|problems|worries|idea|rush|hurry|need|reason|way|one|thanks|thank you|clue|matter|doubt|good|longer|more|changes?|questions?|please|wait|sorry|actually|hm+|ok|okay|sure|say|says|said|is|are|was|not|still|objections?|offence|drama|difference|big deal|errors?|luck|go|response|answer)\b`)
	notYetNo  = cue.One(`(?i)\b(?:for now|right now|not now|later|this (?:time|week|year|season|release|sprint)|until|yet|next (?:year|season|release|week))\b`)
)

// typedDropped makes eliminated items of what a person turns down by name, where
// a reason stands with it.
func typedDropped(t *talk) []payload.Item {
	var out []payload.Item
	t.eachTyped(dropping, func(sp *speech, s *sentence) {
		text := s.straight()
		if strings.HasSuffix(s.Raw, "?") && !typedOut.MatchString(text) || len(sp.text) > 900 && s.Block != listItem {
			return
		}
		var name, why string
		if m := clauseNo.FindStringSubmatch(text); m != nil && !notNames.MatchString(m[1]) {
			name, why = m[1], m[2]
		} else if m := cannotUse.FindStringSubmatchIndex(text); m != nil {
			name, why = text[m[2]:m[3]], reasonAfter(sp, s, text[m[1]:])
		} else if m := typedOut.FindStringSubmatchIndex(text); m != nil && !lastVerdict.MatchString(text) {
			name, why = text[m[2]:m[3]], reasonAfter(sp, s, text[m[1]:])
		} else if m := typedNo.FindStringSubmatchIndex(text); m != nil {
			name, why = text[m[2]:m[3]], reasonAfter(sp, s, text[m[1]:])
		} else if m := nameOut.FindStringSubmatch(text); m != nil && !notNames.MatchString(m[1]) && few(m[1], 1) == 1 && t.spokenOf(sp, keywords(m[1])) && sp.reacts != nil {
			if it, ok := sp.judged(s); ok && !notYetNo.MatchString(text) {
				out = append(out, it)
			}
			return
		} else {
			return
		}
		o := t.optionNamed(sp, name+" is")
		if o == nil && (notNames.MatchString(name) || len(keywords(name)) == 0) || why == "" || notYetNo.MatchString(text) || few(why, 2) < 2 {
			return
		}
		it := sp.item(payload.Eliminated, "named-and-dropped", s, "")
		if o != nil {
			it.Text = shorten(plainOption(o.name(o.sp), o.sp.parts[o.part].Text))
			alsoCite(&it, o.sp, &o.sp.parts[o.part])
		} else {
			if !t.spokenOf(sp, keywords(name)) && (sp.reacts == nil || !verdictOut.MatchString(text)) {
				return
			}
			it.Text = "No " + strings.TrimRight(spelled(name), " ") + t.whereOffered(sp, name, &it) + "."
		}
		it.Why = strings.TrimRight(shorten(tidy(spelled(why))), ".")
		if n := sp.nextTo(s); n != nil && len(it.Why) > 0 && strings.Contains(n.Text, it.Why) {
			it.Evidence[0] = cite(sp, s.From, n.To)
		}
		out = append(out, it)
	})
	return withoutDoubles(out, mostDropped)
}

var verdictOut = cue.One(`(?i)\b(?:is|are) (?:out|dead|no option|not an option|nonsense)\b`)

// judged is the item of a person's verdict on something by name.
func (sp *speech) judged(s *sentence) (payload.Item, bool) {
	said, why := splitVerdict(spelled(s.straight()))
	if i := strings.Index(said, ", "); why == "" && i > 0 && few(said[i:], 3) >= 3 {
		said, why = said[:i], said[i+2:]
	}
	n := sp.nextTo(s)
	if why == "" && n != nil && speaksAgainst.MatchString(n.straight()) && !strings.HasSuffix(n.Raw, "?") {
		why = spelled(n.Text)
	}
	it := sp.item(payload.Eliminated, "named-and-dropped", s, said)
	it.Why = strings.TrimRight(shorten(tidy(why)), ".")
	return it, it.Why != "" || len(s.keys()) >= 4
}

// whereOffered adds the words in which the assistant offered what is turned
// down, for a name that says little by itself.
func (t *talk) whereOffered(sp *speech, spelling string, it *payload.Item) string {
	name := keywords(spelling)
	by := sp.reacts
	if by == nil {
		return ""
	}
	for i := range by.parts {
		p := &by.parts[i]
		if (share(name, p.keys()) == 1 || strings.Contains(strings.ToLower(p.Text), strings.ToLower(spelling))) && len(p.Text) < 180 && len(p.keys()) > len(name)+1 {
			alsoCite(it, by, p)
			return " (" + strings.TrimRight(p.Text, ".?:; ") + ")"
		}
	}
	return ""
}

// spokenOf tells whether all words were said before a speech.
func (t *talk) spokenOf(sp *speech, words terms) bool {
	for _, w := range words {
		u := t.echoes.words[w]
		if u == nil || int(u.at[0]) >= sp.from {
			return false
		}
	}
	return true
}

// lastVerdict matches what a person found of no use, which names no course.
var lastVerdict = cue.One(`(?i)\b(?:doesn't|does not|doesnt|didn't|didnt|won't) (?:cut it|help|cure|fix it|solve it|do it)\b|\bnot worth (?:it|the \w+)\b|, out\b[.!]?$|\b(?:is|'s|are) (?:a dead end|no good|pointless|useless|dead|no cure|no option)\b`)

// reasonAfter is what a person says behind a no: the rest of the sentence, or
// the next one.
func reasonAfter(sp *speech, s *sentence, rest string) string {
	rest = strings.Trim(rest, " .,;:!–—-")
	if few(rest, 2) >= 2 {
		return rest
	}
	if n := sp.nextTo(s); n != nil && few(n.Text, 2) >= 2 && !strings.HasSuffix(n.Raw, "?") {
		return n.Text
	}
	return ""
}
