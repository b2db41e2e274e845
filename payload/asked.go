package payload

import (
	"fmt"
	"slices"
)

// saidMoreSince notes, for a goal that quotes a person's request, up to which turn of that session they said more:
// they may have turned to something else.
func (pg *page) saidMoreSince(goal *Item) string {
	if goal.Kind != Goal || !goal.Quoted() || len(goal.Evidence) == 0 {
		return ""
	}
	last := goal.Evidence[0].N
	for i := range pg.payload.Items {
		it := &pg.payload.Items[i]
		theirs := it.By == ByUser && slices.Contains([]Kind{Lead, Decision, Eliminated, Next}, it.Kind)
		later := it.At.After(goal.At) && pg.payload.Origins[it.ID].Session == pg.payload.Origins[goal.ID].Session
		switch n := len(it.Evidence); {
		case !later || n == 0:
		case theirs:
			last = max(last, it.Evidence[0].N)
		case n > 1 && it.Kind == Lead && it.By == ByAssistant && it.Rule != CommitRule: // shown with their brief answer
			last = max(last, it.Evidence[1].N)
		}
	}
	if last == goal.Evidence[0].N {
		return ""
	}
	return fmt.Sprintf("; the user said more since, up to turn %d", last)
}

// begun returns the heading of what the person asked for last as a goal, if nobody stated one and they said more since
// or a report answers it; or "".
func (pg *page) begun() (heading string) {
	for i := range pg.items {
		switch it := &pg.items[i]; {
		case it.Kind != Goal:
		case !it.Quoted():
			return ""
		case pg.saidMoreSince(it) == "" && !pg.reported():
			heading = ""
		case slices.ContainsFunc(pg.payload.Items, func(o Item) bool { return pg.before(&o, it) }):
			heading = turnedTo
		default:
			heading = beganWith
		}
	}
	return heading
}

// reported reports whether the session ended with a report: what was asked for may well be done.
func (pg *page) reported() bool {
	ended := func(rule string) bool {
		return slices.ContainsFunc(pg.payload.Items, func(it Item) bool {
			return it.Rule == rule && !pg.payload.Beside[it.ID]
		})
	}
	return ended(ReportRule) && !ended(CutOffRule) && !ended(UnansweredRule)
}

// before reports whether an item quotes what the person said, or approved, before a goal in its session.
func (pg *page) before(it, goal *Item) bool {
	ofOne := pg.payload.Origins[it.ID].Session == pg.payload.Origins[goal.ID].Session
	return ofOne && (it.By == ByUser || it.By == ByBoth) && len(it.Evidence) > 0 &&
		it.Evidence[0].N < goal.Evidence[0].N
}
