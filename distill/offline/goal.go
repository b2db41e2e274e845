package offline

import (
	"slices"
	"strings"
	"sync"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// maxGoal is how many bytes of a request are quoted as the goal.
const maxGoal = 280

// goal returns what the person last set out to do, in their own words: their first request,
// until they say that they turn to something else or begin a plan for it. What was typed
// before the prompt that the client records as the first only leads up to it. Where nobody
// asked for anything at length before work began, the first words do ("labels now").
func goal(t *talk) (last []payload.Item) {
	var short []payload.Item
	opened := slices.IndexFunc(t.speeches, func(sp *speech) bool {
		return sp.source == typing && sp.turn.ID == t.session.Opened
	})
	from := t.speeches[max(0, opened):]
	for _, sp := range from {
		if sp.source != typing && !(sp.source == plan && sp.turn.Kind == ingest.PlanTurn) {
			continue
		}
		underWay := last != nil || sp.afterWork && (short != nil || sp.answers())
		if underWay && !turnsAway(sp) {
			continue
		}
		if it, ok := requested(sp, 2); ok {
			last = []payload.Item{it}
		} else if it, ok := requested(sp, 1); ok && short == nil && !sp.afterWork {
			short = []payload.Item{it}
		}
	}
	if last == nil {
		return short
	}
	return last
}

// answers reports whether a person's words are shown with the question that they answer.
func (sp *speech) answers() bool {
	if len(sp.parts) == 0 {
		return false
	}
	asked := passage{sp, sp.parts}.asked()
	return len(asked) > 0 && asks(asked[len(asked)-1].text)
}

var pointsBack = text.Pattern(`(?i)\b(?:it|that|this|so|them|those|l[aeo]|eso|esto|isso)\b|ça\b`)

// requests reports whether a sentence asks or orders something, and isn't "keep in mind".
func (s sentence) requests() bool {
	return s.cues.has(cueOrder|cueWant) && !s.cues.has(cueWarn) || asks(s.text)
}

// turnsAway reports whether a speech says that its speaker turns to something else, or orders what is next: "good, now
// write the docs of the importer".
func turnsAway(sp *speech) bool {
	if sp.source == plan {
		return true
	}
	at := slices.IndexFunc(sp.parts, func(s sentence) bool { return !asksNothing(&s) })
	if at < 0 {
		return false
	}
	next := nowThen().FindStringSubmatch(sp.parts[at].text)
	ordered := next != nil && (next[1] != "" || cuesIn(next[2]).has(cueOrder)) && !planOf().MatchString(next[2])
	return (ordered || sp.parts[0].cues.has(cueTurn)) && tells(sp.text, 4)
}

// planOf matches an order to plan what one is at.
var planOf = text.Pattern(`(?i)^(?:please |bitte )?(?:make|write|draw up|give|mach|schreib|erstell)\w*\b` +
	`(?: \S+){0,3} plan\b`)

// nowThen matches an order of what comes now, after a word or two about what was.
var nowThen = text.Pattern(`(?i)^(?:(?:yes|yep|ok|okay|good|great|perfect|fine|nice|thanks|thank you|done|alright|ja|gut|super)` +
	`\b\W*){0,2}(?:and |then )?(?:now|next|jetzt|nun)\b\W*((?:go on|continue|weiter) (?:with|mit) )?(.*)`)

// requested returns what a turn asks for: its first meaningful sentence, which has so many
// keywords at least, with those after it that fit. For a plan it is the title.
func requested(sp *speech, keywords int) (payload.Item, bool) {
	it := payload.Item{Kind: payload.Goal, Rule: payload.RequestRule, By: sp.by(), Maker: payload.ByRule,
		State: payload.Stands, At: sp.turn.At}
	if sp.source == plan {
		title, ok := planTitle(sp.text)
		it.By, it.Text = payload.ByBoth, title
		it.Evidence = []payload.Evidence{{Turn: string(sp.turn.ID), N: sp.turn.N, Quote: clip(title)}}
		return it, ok
	}
	first := -1
	for i := range sp.parts {
		s := &sp.parts[i]
		switch {
		case sp.foreign(s) || s.pasted:
			if first >= 0 {
				return it, true
			}
		case first < 0 && (!tells(s.text, keywords) || s.greets()):
		case first < 0:
			first = i
			it.Text, it.Evidence = s.text, []payload.Evidence{cite(sp.turn, sp.text, s.from, s.to)}
		case s.to-sp.parts[first].from > maxGoal:
			return it, true
		default:
			it.Text += s.space(&sp.parts[i-1]) + s.text
			it.Evidence = []payload.Evidence{cite(sp.turn, sp.text, sp.parts[first].from, s.to)}
		}
	}
	it.About = about(it.Text)
	return it, first >= 0
}

// asksNothing reports whether a sentence is too short to ask for anything, or only greets
// or says to continue.
func asksNothing(s *sentence) bool { return !tells(s.text, 2) || s.greets() }

// greets reports whether a sentence only greets, says good-bye or says to continue, or consists of such words alone.
func (s *sentence) greets() bool {
	words := keywords(s.text)
	if len(words) > 0 && words.In(smallTalk()) == 1 {
		return true
	}
	return s.cues.has(cueGreet) && !s.cues.has(cueOrder|cueWant) && len(words) <= 3 && !goesOnWith().MatchString(s.text)
}

// goesOnWith matches what says to go on, and with what.
var goesOnWith = text.Pattern(`(?i)\b(?:continue|go (?:on|ahead)|carry on|resume|proceed|weiter) (?:with|on|mit) `)

// smallTalk holds words that say nothing about any work.
var smallTalk = sync.OnceValue(func() text.Bag {
	return keywords("ok okay yes yeah yep sure right go ahead next continue proceed fine good great nice cool perfect " +
		"super lovely awesome amazing wow haha lol thanks thank thx ty cheers welcome hi hello hey bye goodbye see ya " +
		"later today tonight tomorrow morning evening night weekend enough well then till until soon alright sorry " +
		"gotta run off please work after danke gut prima toll passt morgen heute abend bis dann tschüss feierabend " +
		"merci beaucoup à bon bien bonne soirée journée nuit salut reprend gracias muchas hasta luego adiós hoy " +
		"seguimos vale vielen dank grazie mille tak dzięki dziękuję bedankt спасибо большое tusen takk tack " +
		"obrigado obrigada até valeu tchau hoje continuamos 고마워요 감사합니다 수고하셨습니다 오늘은 여기까지 봐요 봬요 계속해요 " +
		"好的 可以 没问题 先这样 明天继续 今天就到这 谢谢 辛苦了 收到 继续吧 再见 はい 了解です 続けて ありがとうございます お願いします")
})

// inGoal reports whether a goal quotes the passage.
func (p passage) inGoal(items []payload.Item) bool {
	return slices.ContainsFunc(items, func(it payload.Item) bool {
		return it.Kind == payload.Goal && strings.Contains(it.Text, p.run[0].text)
	})
}
