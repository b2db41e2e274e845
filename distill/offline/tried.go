package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// What was tried and didn't do, and what is named only to say what is against it.

const failingWords = `(?i)\b(?:i |we |you )?(?:tried|attempted|tested|experimented with|started with|began with|had tried|measured)\b|\b(?:first|earlier|initial|previous|my first|naive|obvious) (?:attempt|try|version|cut|idea|thought|approach|form|draft|go|shot)\b`

// triedOut makes eliminated items of what was tried and didn't do, where a
// closing message says so.
func triedOut(t *talk, refutes map[int]bool) []payload.Item {
	var out []payload.Item
	visit := func(sp *speech, s *sentence) {
		text := s.straight()
		if !triedIt.MatchString(text) || strings.HasSuffix(s.Raw, "?") || sp.user && sp.reacts == nil || refutes[sp.turn.N] || sp.states(s, payload.Eliminated) {
			return
		}
		n := sp.nextTo(s)
		but := ""
		switch {
		case sp.user && once.MatchString(text) && !wentWell.MatchString(sp.text):
		case cameToNothing.MatchString(text):
			if n != nil && len(n.Text) < 160 && cameToNothing.MatchString(n.straight()) {
				but = n.Text
			}
		case n != nil && cameToNothing.MatchString(n.straight()):
			but = n.Text
		default:
			return
		}
		said, why := splitVerdict(spelled(s.Text))
		if but != "" {
			said, why = spelled(s.Text), spelled(but)
		}
		if i := strings.Index(said, ", "); why == "" && i > 0 && few(said[:i], 3) >= 2 && few(said[i:], 3) >= 2 {
			said, why = said[:i], said[i+2:]
		}
		if len(keywords(said)) < 3 {
			return
		}
		it := sp.item(payload.Eliminated, "tried", s, said)
		it.Why = strings.TrimRight(shorten(tidy(why)), ".")
		if but != "" {
			it.Evidence[0] = cite(sp, s.From, n.To)
		}
		out = append(out, it)
	}
	t.eachClosing(failing, visit)
	t.eachTyped(failing, visit)
	return withoutDoubles(out, mostDropped)
}

var (
	triedIt       = cue.One(`(?i)^(?:(?:so|ok|well|and|but|then|also|already|there|PDF|yes|no)[,: ]+)*(?:(?:i|we|you)(?:'ve| have| had| also| already| first)* )?tried\b|\b(?:i|we) tried\b|\b(?:first|earlier|initial|naive|obvious) (?:attempt|try|version|cut|idea|thought|approach|form|shot) (?:was|used|with|had)\b|\btried (?:first|it|that|with)\b`)
	once          = cue.One(`(?i)\btried .{3,60}\b(?:last|previous|before|once|already|in 20\d\d|(?:years?|months?|weeks?) ago|yesterday)\b.{0,30}[,;:—–] ?.{10,}`)
	wentWell      = cue.One(`(?i)\b(?:worked|works|was (?:fine|good|ok|great)|it's fine|liked)\b`)
	cameToNothing = cue.One(`(?i)\b(?:but|still|fails?|failed|failing|didn't|doesn't|did not|does not|no (?:difference|effect|luck|cure|change|good)|only (?:go|went|gets?|got|helps?|drops?|fell)|exceeds?|exceeded|too (?:slow|big|large|many|much)|worse|crash(?:es|ed)?|times? out|timed out|errors?|limit|came out|blurred|unusable|not enough|out of memory|just (?:wait|move|hide)|dropped|rejected|reverted)\b`)
)

const outweighingWords = `(?i)\b(?:looked|seemed|sounded|looks|seems|sounds) (?:\w+ )?(?:natural|tempting|simple|simpler|simplest|obvious|attractive|nice|good|fine|easy|easier|cheap|cheaper|promising|elegant|right|nicer|neat)\b.{0,40}, but\b|\b(?:would|could|might) (?:only |also |just |well |even |certainly )*(?:be|hide|mask|fix|solve|help|work|do|avoid|cover|catch|give|save|remove|stop|cure)\b.{0,80}(?:, but|; but|, though|, yet| but| only that)\b`

var (
	wouldBut = cue.One(`(?i)\b(?:looked|seemed|sounded|looks|seems|sounds) (?:\w+ )?(?:natural|tempting|simple|simpler|simplest|obvious|attractive|nice|good|fine|easy|easier|cheap|cheaper|promising|elegant|right|nicer|neat)\b[^.]{0,40}, but\b.{10,}|\b(?:would|could|might) (?:only |also |just |well |even |certainly )*(?:be (?:exact|simpler|cheaper|faster|nicer|cleaner|possible|easier|enough|elegant|neat|tempting|the (?:cleanest|simplest))|hide|mask|fix|solve|help|work|do|avoid|cover|catch|give|save|remove|stop|cure)\b[^.]{0,80}(?:, but|; but|, though|, yet| but| only that)\b.{10,}`)
	notOwn   = cue.One(`(?i)^(?:i|you|we'll|it|that|this|they) (?:would|could|might)\b|\bI'd (?:take|go|pick|do|start)\b|\b(?:so i|i went|i chose|i did it)\b`)
)

// outweighed makes eliminated items of courses that a closing message names only
// to say what is against them: "Raising it would hide it, but …".
func outweighed(t *talk, refutes map[int]bool) []payload.Item {
	var out []payload.Item
	t.eachClosing(outweighing, func(sp *speech, s *sentence) {
		text := s.straight()
		if !wouldBut.MatchString(text) || notOwn.MatchString(text) || refutes[sp.turn.N] || strings.HasSuffix(s.Raw, "?") || leaning.MatchString(text) || sp.mood == objects || !noOption(sp, s) {
			return
		}
		if r := sp.reaction; r != nil && shared(keywords(r.text), s.keys()) >= 3 && r.mood != accepts {
			return // it is taken up all the same
		}
		i := strings.Index(text, " but ")
		if i < 0 {
			i = strings.Index(text, ", ")
		}
		if i < 10 || len(text) != len(s.Text) {
			return
		}
		it := sp.item(payload.Eliminated, "outweighed", s, strings.TrimRight(s.Text[:i], " ,;"))
		it.Why = strings.TrimRight(shorten(tidy(strings.TrimPrefix(s.Text[i:], " but "))), ".")
		if few(it.Text, 3) >= 3 {
			out = append(out, it)
		}
	})
	return withoutDoubles(out, 2)
}

const thenBadWords = `(?i)(?:^|(?:\.\.+|,|;|—|–|-) ?)(?:and |but )?then\b.{6,}\b(?:forever|down|nobody|lose|lost|breaks?|broken|old|wrong|dead|never|stuck|twice|nothing|stale|empty|gone|fails?|useless|screwed|by hand|manually|everyone|everybody)\b`

var badEnd = cue.One(thenBadWords)

// echoed makes eliminated items of an option that a person takes up only to say
// what would come of it: "deleting keys on write.. then redis is down and …".
func echoed(t *talk) []payload.Item {
	var out []payload.Item
	t.eachTyped(thenBad, func(sp *speech, s *sentence) {
		m := badEnd.FindStringSubmatchIndex(s.straight())
		if m == nil || sp.reacts == nil || len(sp.text) > 500 || strings.HasSuffix(s.Raw, "?") {
			return
		}
		text := s.straight()
		head, bad := text[:m[0]], strings.TrimLeft(text[m[0]:], " .,;–—-")
		if b := sp.before(s); b != nil && few(head, 2) < 2 {
			head = b.Text
		}
		keys := keywords(head)
		for i := range sp.reacts.parts {
			p := &sp.reacts.parts[i]
			if p.Block != listItem || shared(keys, p.keys()) < 2 && (len(keys) != 1 || share(keys, p.keys()) < 1) {
				continue
			}
			it := sp.item(payload.Eliminated, "echoed", s, optLead.ReplaceAllString(p.Text, "")+" ("+strings.TrimRight(spelled(head), " .")+")")
			it.Why = strings.TrimRight(shorten(tidy(spelled(bad))), ".")
			alsoCite(&it, sp.reacts, p)
			out = append(out, it)
			break
		}
	})
	return withoutDoubles(out, 2)
}
