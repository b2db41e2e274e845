package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// A course or a cause that is dropped in so many words: "littlefs is out", "so
// that's no cure", "I'd drop it".

const droppingWords = `(?i)\b(?:can't|cant|cannot|won't|wont|must not|may not) (?:use|take|go with|rely on|do)\b|\bdecided against\b|\b(?:speaks?|spoke) against\b|\bpassed on\b|\b(?:isn't|aren't|wasn't) (?:it\b|an option|the (?:way|answer|cause|culprit|problem|reason|bottleneck|issue))|\bwon't (?:fly|do|cut it)\b|\bfalls? flat\b|\ba (?:no[- ]?go|non-?starter|dead end)\b|\b(?:is|are|was|were|'s|'re) (?:out|done for|dead|gone|history|off the table|no (?:full |real |longer an )?(?:cure|option|good|help|use|fix|go|solution|alternative)|not an option|a (?:dead end|non-?starter|no-?go)|dead ends|useless|hopeless|pointless|ruled out|overkill|over the top|too (?:slow|expensive|risky|fragile|much|big|heavy|complex|complicated|strict|invasive|brittle|dear|coarse|error-prone)|not (?:worth (?:it|the \w+)|the (?:way|answer|cause|culprit|problem|reason|bottleneck|issue)|it\b|good enough|viable|feasible|workable|an alternative)|nonsense|unusable|worse)\b` +
	`|\b(?:isn't|aren't|wasn't|it isn't|that isn't) (?:it|the (?:way|answer|cause|culprit|problem|reason|bottleneck|issue|case)|an option|worth|viable|feasible|any (?:good|use|better)|good enough|\w+, (?:it's|it is|but))\b|\b[\w-]+ it isn't\b|\b(?:so|and|hence|therefore) not (?:it|the|that)\b|\bit isn't (?:the|a)\b|\bso it(?:'s| is) not\b` +
	`|\bscratch that\b|\bforget (?:it|that|about)\b|\bnever ?mind (?:that|the)\b|\bi(?:'d| would| will|'ll) (?:drop|skip|scrap|ditch|reject|rule out|not (?:take|use|do|go)|leave (?:it |that |this |\w+ )?out|rather not|avoid|advise against)\b|\b(?:dropped|drop|scrap|ditch|skip) (?:it|that|this|the idea)\b` +
	`|\b(?:doesn't|does not|doesnt|didn't|didnt|won't|wont|can't|cant) (?:cut|help|do|cure|fix|solve|work)\b|\bbuys? (?:us )?nothing\b|\bgains? (?:us )?nothing\b|\bnot worth (?:it|the)\b|\bno (?:good|go)\b|\bfails? offline\b|\bover the top\b|\bmakes? (?:it|that|this|things) worse\b|\btried and dropped\b` +
	`|^(?:(?:and|but|ok|so|also|please|well)[, ]+)*no [\p{L}\d"]|[\p{L}\d)"]\?? (?:no|nope|nah|def(?:initely)? not|never)\b(?:[,.;:!]| way| thanks|$)|, out\b[.!]?|\brule[sd]? (?:that |it |this |\w+ )?out\b|\b(?:def|definitely|certainly|surely|please|absolutely) not\b|\bnot (?:with|for) us\b|\bwe had that\b`

var (
	// a name before its verdict
	nameOut = cue.One(`(?i)^(?:(?:so|ok|well|and|but|then|hence|therefore|no|right)[, ]+)*((?:(?:the|a|an|both|all|that|this) )?(?:[\p{L}\d` + "`" + `'"./_+@#()&$=:*-]+ ){1,9}?)(?:(?:is|are|was|were|'s) (?:therefore |thus |clearly |then |now |simply |really )*(?:out|done for|dead|off the table|no (?:full |real |longer an )?(?:cure|option|good|help|use|fix|solution|alternative|go)|not an option|a (?:dead end|non-?starter|no[- ]?go)|dead ends|useless|hopeless|pointless|ruled out|overkill|over the top|not (?:worth (?:it|the \w+)|the (?:way|answer|cause|culprit|problem|reason|bottleneck|issue)|it\b|viable|feasible|workable)|unusable)|(?:isn't|aren't|wasn't|weren't) (?:it\b|the (?:way|answer|cause|culprit|problem|reason|bottleneck|issue)|an option|worth (?:it|the)|viable|feasible|good enough|workable)|won't (?:fly|do|cut it)|falls? flat|drops? out)\b`)
	// the verdict alone, on what was said before
	bareOut = cue.One(`(?i)^(?:(?:so|ok|well|and|but|then|hence|therefore|no|right)[, ]+)*(?:(?:that|this|it|both|all|neither|these|those|they)(?:'s| is| are| of (?:them|these) (?:is|are))? (?:is |are |therefore |thus |clearly |then |simply |really )*(?:out|done for|dead|no (?:full |real )?(?:cure|option|good|help|use|fix|solution)|not an option|a (?:dead end|no-?go)|dead ends|useless|pointless|ruled out|overkill|not (?:worth it|the way|it\b|viable|feasible))|no (?:full |real )?(?:cure|option|good)\b|scratch that|not worth (?:it|the trouble)|i(?:'d| would) (?:drop|skip|scrap|ditch|reject|rule out) (?:it|that|this|them)|not an option)\b`)
	// an assistant's advice against a course by name
	wouldDrop = cue.One(`(?i)\bi(?:'d| would) (?:drop|skip|scrap|ditch|reject|rule out|avoid|not (?:take|use|go with)|advise against|leave out) (?:the |an? )?([\p{L}\d` + "`" + `][^,.;:]{2,60})`)
	// a course that was looked at and left
	decidedNo = cue.One(`(?i)^(?:i|we) (?:also |first )?(?:looked at|considered|thought about|weighed|checked) .{3,80}\b(?:decided against|left it|passed|dropped it|but)\b|\bdecided against (?:it|the|an?|[\p{L}\d])`)
	// "X it isn't"
	itIsnt = cue.One(`(?i)^((?:[\p{L}\d` + "`" + `'_.-]+ ){1,5})it isn't\b|\b(?:so )?it isn't (the [^,.;:]{3,50}|an? [^,.;:]{3,50}),? but\b|\bso it(?:'s| is) not ((?:the |a )?[^,.;:]{3,50})`)
)

// ruledOut makes eliminated items in all these ways.
func ruledOut(t *talk) []payload.Item {
	out := typedDropped(t)
	typed, refutes := map[int]bool{}, map[int]bool{}
	for _, sp := range t.speeches {
		typed[sp.turn.N] = sp.user
	}
	for i := range out {
		for _, e := range out[i].Evidence {
			refutes[e.N] = refutes[e.N] || typed[e.N]
		}
	}
	out = append(out, dropped(t, refutes)...)
	return withoutDoubles(append(out, triedOut(t, refutes)...), 6)
}

// dropped makes eliminated items of what is dropped by name in a closing
// message, or by a verdict on what was said right before.
func dropped(t *talk, refutes map[int]bool) []payload.Item {
	var out []payload.Item
	t.eachClosing(dropping, func(sp *speech, s *sentence) {
		if strings.HasSuffix(s.Raw, "?") || sp.mood == objects && !speaksAgainst.MatchString(s.straight()) || offHand.MatchString(s.straight()) || sp.states(s, payload.Eliminated) {
			return
		}
		text := s.straight()
		var it payload.Item
		switch {
		case bareOut.MatchString(text):
			b := sp.before(s)
			if b == nil && s.Opens && s.Index > 0 && s.Block == paragraph {
				b = &sp.parts[s.Index-1]
			}
			if b == nil || len(b.keys()) < 4 || strings.HasSuffix(b.Raw, "?") || refutes[sp.turn.N] {
				return
			}
			what, why := b.Text, ""
			if bb := sp.before(b); bb != nil && (leaning.MatchString(b.Text) || len(bb.Text) < 160 && s.Index > 1 && !bb.Opens) {
				what, why = bb.Text, b.Text
			}
			if o := t.optionNamed(sp.askedBy(), b.Text); o != nil {
				what, why = plainOption(o.name(o.sp), o.sp.parts[o.part].Text), b.Text
				it = sp.item(payload.Eliminated, "dropped", b, what)
				alsoCite(&it, o.sp, &o.sp.parts[o.part])
			} else {
				it = sp.item(payload.Eliminated, "dropped", b, what)
			}
			it.Why = strings.TrimRight(shorten(tidy(why)), ".")
			alsoCite(&it, sp, s)
		case wouldDrop.MatchString(text), decidedNo.MatchString(text), nameOut.MatchString(text), itIsnt.MatchString(text):
			said, why := splitVerdict(s.Text)
			if m := nameOut.FindStringSubmatch(text); m != nil && (notNames.MatchString(m[1]) || len(keywords(m[1])) == 0) {
				return
			}
			if why == "" {
				if b := sp.before(s); b != nil && len(b.Text) < 240 && !strings.HasSuffix(b.Raw, "?") {
					why = b.Text
				} else if n := sp.nextTo(s); n != nil && len(n.Text) < 200 && speaksAgainst.MatchString(n.Text) {
					why = n.Text
				}
			}
			if why == "" && (wouldDrop.MatchString(text) || decidedNo.MatchString(text)) || refutes[sp.turn.N] && itIsnt.MatchString(text) {
				return
			}
			var named *sentence
			if few(said, 4) < 4 { // the name alone tells little
				if named = sp.naming(s, keywords(said)); named != nil {
					said, why = strings.TrimRight(tidy(named.Text), ".")+"; "+said, ""
				} else if why != "" && few(said, 2) < 2 {
					said, why = s.Text, ""
				}
			}
			if gone.MatchString(text) && !speaksAgainst.MatchString(said+" "+why) {
				return // it may as well be released
			}
			it = sp.item(payload.Eliminated, "dropped", s, said)
			if named != nil {
				alsoCite(&it, sp, named)
			}
			it.Why = strings.TrimRight(shorten(tidy(why)), ".")
		default:
			return
		}
		if len(keywords(it.Text)) < 2 || it.Why == "" && len(keywords(it.Text)) < 5 {
			return
		}
		out = append(out, it)
	})
	return withoutDoubles(out, mostDropped)
}

const mostDropped = 4

var (
	// verdicts that are good news of something else
	gone = cue.One(`(?i)\b(?:is|are|was|were|'s) (?:\w+ )?(?:out|dead|done for|gone|history)\b`)
	// what reads like a reason against something
	speaksAgainst = cue.One(`(?i)n't\b|\b(?:not|no|never|nothing|nobody|fails?|failed|throws?|false|cannot|too|only|needs?|without|breaks?|lost|loses?|errors?|worse|would|limits?|exceeds?|missing|forbids?|forbidden|drops?|neither|nor|costs?|slow|slower|because|instead|takes?|hides?)\b|\b\d+ of \d+\b|\b\d+(?:\.\d+)? ?(?:[KMGT]B|ms|s|min|hours?|days?|weeks?|EUR|USD|fps)\b|\d ?[%€$]`)
)

// offHand matches verdicts on something else than a course: states, files, tests.
var offHand = cue.One(`(?i)\b(?:that's dead|time|box|ticket|warning|error|noise|test|tests|branch|file|import|column|field|flag|table|callers?|code path|panel|dead code|red|lint) (?:is|are|was|were) (?:gone|dead|out|history)\b|\b(?:timed|turned|turns|ran|runs|logged|checked|opt(?:ed)?) out\b|\bout of\b|\bis dead (?:code|letter|lock|link|weight)|\bif (?:that|it|this)\b|\bunless\b|\bwas (?:overkill|worse|nonsense)\b`)

// askedBy is the person's word that a message follows.
func (sp *speech) askedBy() *speech {
	if sp.asks != nil {
		return sp.asks
	}
	return &speech{}
}

// naming is a sentence of the same passage that says something of what a
// verdict names.
func (sp *speech) naming(s *sentence, name terms) *sentence {
	for b := sp.before(s); b != nil && b.Index >= s.Index-4; b = sp.before(b) {
		if shared(name, b.keys()) > 0 && len(b.keys()) >= 4 && len(b.Text) < 200 {
			return b
		}
		if b.first == nil && b.Index == 0 {
			break
		}
	}
	return nil
}

// splitVerdict parts what is dropped from the reason behind a colon, a dash or a
// "because".
func splitVerdict(text string) (said, why string) {
	if said, why = splitWhy(strings.TrimRight(text, ". ")); why != "" {
		return said, why
	}
	for _, sep := range []string{": ", " — ", " – ", "; "} {
		if i := strings.Index(text, sep); i > 8 && few(text[i:], 3) >= 3 && balanced(text[:i]) {
			return text[:i], text[i+len(sep):]
		}
	}
	return text, ""
}
