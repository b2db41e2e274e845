package offline

import (
	"strings"

	"recall/distill/offline/cue"
	"recall/payload"
)

// What was tried and didn't do.

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
	triedIt       = cue.One(`(?i)^(?:(?:so|ok|well|and|but|then|also|already|yes|no)[,: ]+)*(?:(?:i|we|you)(?:'ve| have| had| also| already| first)* )?tried\b|\b(?:i|we) tried\b|\b(?:first|earlier|initial|naive|obvious) (?:attempt|try|version|cut|idea|thought|approach|form|shot) (?:was|used|with|had)\b|\btried (?:first|it|that|with)\b`)
	once          = cue.One(`(?i)\btried .{3,60}\b(?:last|previous|before|once|already|in 20\d\d|(?:years?|months?|weeks?) ago|yesterday)\b.{0,30}[,;:—–] ?.{10,}`)
	wentWell      = cue.One(`(?i)\b(?:worked|works|was (?:fine|good|ok|great)|it's fine|liked)\b`)
	cameToNothing = cue.One(`(?i)\b(?:but|still|fails?|failed|failing|didn't|doesn't|did not|does not|no (?:difference|effect|luck|cure|change|good)|only (?:go|went|gets?|got|helps?|drops?|fell)|exceeds?|exceeded|too (?:slow|big|large|many|much)|worse|crash(?:es|ed)?|times? out|timed out|errors?|limit|came out|blurred|unusable|not enough|out of memory|just (?:wait|move|hide)|dropped|rejected|reverted)\b`)
)
