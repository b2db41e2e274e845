package offline

import (
	"slices"

	"recall/distill"
	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// next quotes what is to be done next: the last thing typed if nothing followed it; else what was said last, at the
// end, to come next.
func next(t *talk, goals []payload.Item) (all []payload.Item) {
	if sp := t.waiting; sp != nil {
		begun := t.cut != nil && t.cut.turn != sp.turn // else it says why a call was refused
		tried := begun || t.cut == nil && t.acted
		it, ok := requested(sp, 2)
		switch {
		case len(goals) > 0 && goals[0].First().Turn == string(sp.turn.ID):
			return nil
		case begun && t.cut.call != nil && ingest.Commits(t.cut.call.Command) && !inSteps().MatchString(sp.text):
			// no more than the commit is left
		case begun && t.cut.call != nil && t.cut.call.Plan != nil && sp.planning: // it changed the plan shown then
		case ok && (tried || slices.ContainsFunc(sp.parts, sentence.wants)): // no good-bye
			it.Kind, it.Rule = payload.Next, payload.UnansweredRule
			if _, of, there := (passage{sp, sp.parts}).answered(); there {
				it.Evidence = append(it.Evidence, of)
			}
			stopped := begun && t.cut.call != nil && t.cut.call.Verdict == ingest.Rejected
			if sp.changed || stopped { // nobody said whether it is done
				it.Since = payload.WorkedOn
			}
			return []payload.Item{it}
		}
	}
	ended := t.cut == nil // the person said no more than good-bye since
	// or said what nothing was done upon
	talked := ended && !t.acted && t.asked != nil && !text.Refuses(t.asked.text)
	for _, sp := range slices.Backward(t.speeches) {
		if sp.exchange < t.n-2 {
			break
		}
		if !sp.user && !(sp.source == message && sp.closing) {
			continue
		}
		if !sp.user && (ended || talked) && all == nil {
			left := t.leaves(sp, !ended)
			answered := len(left) > 0 && t.acted && t.tookUp(sp, &sp.parts[len(sp.parts)-1])
			if len(left) > 0 && !answered {
				return left
			}
		}
		ended = ended && (passage{sp, sp.parts}).greets()
		if len(all) > 0 && (!sp.user || sp.actedOn) {
			continue
		}
	speech:
		for _, p := range slices.Backward(sp.passages()) {
			for i := range p.run {
				s := &p.run[i]
				isLeft := s.comesNext(sp.user) || sp.user && !sp.actedOn && stillOpen().MatchString(s.text)
				if isLeft && !asks(s.text) && !t.tookUp(sp, s) {
					from := i
					if i > 0 && distill.NeedsContext(s.text) {
						from--
					}
					if onDay().MatchString(s.text) && pointsBack().MatchString(s.text) {
						from = 0 // with what "it" is
					}
					to := len(p.run)
					if sp.actedOn { // what else it orders was perhaps done at once
						to = i + 1
					}
					it := passage{sp, p.run[from:to]}.item(payload.ToldNextRule)
					it.Hint, it.Confidence = payload.Next, 1
					if all = append(all, it); !sp.user || len(all) == maxLeft {
						return all
					}
					break speech
				}
			}
		}
	}
	return all
}

// wants reports whether a sentence asks for something to be done, not just to leave what was said as it is, or what not
// to do.
func (s sentence) wants() bool {
	return s.requests() && !(text.LeavesIt(s.text) && !tells(s.text, minTelling)) && !s.onlyForbids()
}

// onlyForbids reports whether a sentence says what not to do, and orders nothing besides.
func (s sentence) onlyForbids() (only bool) {
	for _, clause := range clauseEnds().Split(s.text, -1) {
		bans := slices.ContainsFunc(text.GivesUp(clause), func(g text.GivenUp) bool { return g.Form != "gives" })
		if !bans && (asks(s.text) || cuesIn(clause).has(cueOrder|cueWant)) {
			return false
		}
		only = only || bans
	}
	return only
}

var clauseEnds = text.Pattern(`(?i)[,;:.!]|\b(?:and|then|but|und|dann|aber|et|puis|mais|y|pero)\b`)

// inSteps matches an order of one thing after another: what comes last may come after a commit.
var inSteps = text.Pattern(`(?i)\b(?:and |, ?)then\b|\b(?:danach|und dann|dann noch)\b|然后|それから|その後`)

// tookUp reports whether the person answered what a message before their last words said to come next, and the session
// went on with that: in no more than a yes or no, with a no, or in words of it. Then it isn't next any more.
func (t *talk) tookUp(sp *speech, next *sentence) bool {
	if sp.user || t.waiting != nil || t.asked == nil || t.asked.reacts != sp {
		return false
	}
	said := t.asked.text
	return (passage{t.asked, t.asked.parts}).bare() || text.Refuses(said) ||
		keywords(said).Shared(keywords(next.text)) > 0
}

// maxLeft is how many passages of what is left at the end are quoted.
const maxLeft = 3

// leaves quotes what a closing message says is next, in a list, or else, unless only a list is wanted, what it asks at
// its end. What it lists as open the session's own tasks tell, if any are.
func (t *talk) leaves(sp *speech, listed bool) (out []payload.Item) {
	own := len(openTasks(t.session)) > 0
	comes := func(s sentence) bool {
		return s.head != nil && nextHead().MatchString(s.head.text) && !(own && s.labelled() != "")
	}
	left := *sp
	if from := slices.IndexFunc(sp.parts, comes); from >= 0 {
		left.parts = sp.parts[from:]
		if to := slices.IndexFunc(left.parts, func(s sentence) bool { return !s.listedWith(&left.parts[0]) }); to > 0 {
			left.parts = left.parts[:to]
		}
	} else if left.parts = sp.asksLast(); listed || left.parts == nil {
		return nil
	}
	for _, p := range left.passages() {
		it := p.item(payload.ToldNextRule)
		it.Hint, it.Confidence = payload.Next, 1
		out = append(out, it)
	}
	return out[:min(maxLeft, len(out))]
}

// asksLast returns the question that a message ends with, with what it is about, or the list of them.
func (sp *speech) asksLast() []sentence {
	from := len(sp.parts) - 1
	if from < 0 { // it is a block of code
		return nil
	}
	last := &sp.parts[from]
	if !asks(last.text) || last.cues.has(cueMenu) {
		return nil
	}
	for from > 0 && sp.parts[from-1].listedWith(last) {
		from--
	}
	if from > 0 && (!sp.parts[from].opens || !tells(last.text, minTelling)) {
		from--
	}
	return sp.parts[from:]
}

// comesNext matches a sentence that says what comes next.
var comesNext = text.Pattern(`(?i)^\W*(?:next|up next|remaining|to ?do|still to do|to (?:go on|continue)|` +
	`als nächstes|ensuite|reste à faire|pendientes?|queda por hacer|falta fazer)\b[^.]{0,40}:|` +
	`\b(?:next (?:time|up|step|comes|would|is|i|we)|(?:be|is|are|comes?|thats|that['’]s) (?:the |up )?next|` +
	`after that comes|is what['’]s left|tomorrow (?:on|we|i|first|then)|nächstes mal|als nächstes)\b|` +
	`prochaines? étapes?|(?:siguiente|próximo)s? pass?os?|下一步|接下来|次のステップ|^次は|다음 단계`)

// comesNext reports whether a sentence says what comes next: a person's also if it is more than a good-bye or a warning
// and names a time to come, as in "on monday we start with the headings".
func (s *sentence) comesNext(typed bool) bool {
	rest := atTime().ReplaceAllString(s.text, " ")
	atTime := typed && (rest != s.text && !s.cues.has(cueWarn) && len(keywords(rest).Without(smallTalk())) > 0 ||
		s.cues.has(cueOrder) && onDay().MatchString(s.text))
	return atTime || comesNext().MatchString(s.text)
}

// stillOpen matches what a person says that isn't done.
var stillOpen = text.Pattern(`(?i)\bstill (?:(?:to do|to be done|todo)\b|(?:open|missing)\W*$)|` +
	`\bleft to do\b|\b(?:muss|müssen) noch\b|\b(?:fehlt|fehlen|steht|stehen) noch(?: aus)?\W*$|` +
	`\bnoch (?:offen|zu tun|zu machen)\W*$`)

// atTime matches a time to come, not one of the day: "3 in the morning".
var atTime = text.Pattern(`(?i)(?:^|[^\d ] )in the (?:morning|afternoon|evening)\b|` +
	`\b(?:tomorrow|tmrw|tonight|weekend|this (?:afternoon|evening)|` +
	`after (?:lunch|the (?:break|meeting|stand-?up))|when i(?:['’]?m| am) back|` +
	`later today|next (?:session|week)|(?:on|by|for|till|until|first thing|over) ` +
	`(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|morgen|wochenende|nächste woche|` +
	`(?:am|bis|ab|erst|nächsten) (?:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)|` +
	`(?:lun|mar|mercre|jeu|vendre)di(?: prochain| matin)?|el (?:lunes|martes|miércoles|jueves|viernes)|` +
	`demain|semaine prochaine|mañana|la próxima semana|semana que vem)\b|amanhã|내일|다음 주|明天|下周|明日|来週`)

// onDay matches the day by which an order is to be carried out: "do it monday, also write the tests". Other languages
// have a word before the day, see atTime.
var onDay = text.Pattern(`(?i)\b(?:it|this|that|them|these|those) ` +
	`(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:$|\W*\b(?:and|also)\b|[,.!;])`)

// nextHead matches a heading above a list of what comes next.
var nextHead = text.Pattern(`(?i)(?:^\W*|[.!] )(?:(?:the|your|my|suggested|recommended|possible|immediate|open) )?` +
	`(?:next(?: (?:up|steps?|actions?))?|(?:still )?(?:remaining|open)(?: (?:work|steps|items|tasks|points))?|` +
	`(?:still )?to ?do|(?:what['’]s|what is) (?:next|left)|questions|` +
	`nächste schritte|offen|reste à faire|à faire|prochaines étapes|pendientes?|(?:próximos|siguientes) pasos|` +
	`por hacer|próximos passos|a fazer|falta fazer|下一步\pL*|接下来|待办|次のステップ|残り\pL*|남은 (?:일|작업)|다음 단계)` +
	`(?: (?:before|by|until|for|bis|avant|antes de) [^.]{1,30})?\W*$`)
