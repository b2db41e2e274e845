package offline

import (
	"slices"

	"recall/ingest"
	"recall/payload"
)

// longestGoal is how many bytes of a request are quoted as the goal.
const longestGoal = 280

// goal is what the person last set out to do, in their own words: what they asked
// for first, until they say that they turn to something else, or a plan for it is
// begun. Where there is one from before, only the latter counts; what was typed before the
// prompt that the client has on record as the first leads up to it.
func goal(t *talk, before bool) []payload.Item {
	var best *payload.Item
	opened := slices.IndexFunc(t.speeches, func(sp *speech) bool {
		return sp.source == typing && sp.turn.ID == t.session.Opened
	})
	for _, sp := range t.speeches[max(0, opened):] {
		if sp.source != typing && !(sp.source == plan && sp.turn.Kind == ingest.PlanTurn) {
			continue
		}
		if (before || best != nil) && !turnsAway(sp) {
			continue
		}
		if it, ok := requested(sp); ok {
			best = &it
		}
	}
	if best == nil {
		return nil
	}
	return []payload.Item{*best}
}

// turnsAway reports whether somebody says that they turn to something else.
func turnsAway(sp *speech) bool {
	return sp.source == plan || sp.opening().has(cueTurn) && len(sp.allKeys()) >= 4
}

// requested is what a turn asks for: its first sentence that says something, with
// those after it as far as there is room. A plan's is its title.
func requested(sp *speech) (payload.Item, bool) {
	it := payload.Item{Kind: payload.Goal, Rule: payload.RequestRule, By: payload.ByUser, Maker: payload.ByRule,
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
		case first < 0 && asksNothing(s):
		case first < 0:
			first = i
			it.Text, it.Evidence = s.text, []payload.Evidence{cite(sp.turn, sp.text, s.from, s.to)}
		case s.to-sp.parts[first].from > longestGoal:
			return it, true
		default:
			it.Text += " " + s.text
			it.Evidence = []payload.Evidence{cite(sp.turn, sp.text, sp.parts[first].from, s.to)}
		}
	}
	it.About = about(it.Text)
	return it, first >= 0
}

// asksNothing reports whether a sentence is too short to ask for anything, or only
// greets or says to go on.
func asksNothing(s *sentence) bool {
	n := len(s.keys())
	return n < 2 || n <= 3 && s.cues.has(cueGreet) && !s.cues.has(cueOrder|cueWant)
}
